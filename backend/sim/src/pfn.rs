//! Which page frames folios get. A simulation assumes that no two folios are neighbours in memory, unless somebody who
//! knows better (a replayed trace) says where a folio lay.

use readahead_types::FileId;
use std::collections::{HashMap, VecDeque};

/// The page frames of a run.
#[derive(Default)]
pub(crate) struct PageFrames {
    next: u64,
    /// Frames that are known, by file and first page. Only looked up.
    known: HashMap<(FileId, u64), VecDeque<u64>>,
}

impl PageFrames {
    /// A folio that is added at this place lies at `pfn`; the first one told comes first.
    pub(crate) fn know(&mut self, file: FileId, first: u64, pfn: u64) {
        self.known.entry((file, first)).or_default().push_back(pfn);
    }

    /// A frame for a folio: the known one, or one that is nobody's neighbour.
    pub(crate) fn allocate(&mut self, file: FileId, first: u64, order: u8) -> u64 {
        if let Some(pfn) = self.known.get_mut(&(file, first)).and_then(VecDeque::pop_front) {
            return pfn;
        }
        let pages = 1u64 << order;
        let pfn = (self.next + 1).next_multiple_of(pages);
        self.next = pfn + pages;
        pfn
    }

    /// Frames in one piece for a program's own buffer.
    pub(crate) fn allocate_piece(&mut self, pages: u64) -> u64 {
        let pfn = self.next + 1;
        self.next = pfn + pages;
        pfn
    }
}
