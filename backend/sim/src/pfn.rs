//! Which page frames folios get. A simulation assumes that no two folios are neighbours in memory, unless somebody who
//! knows better (a replayed trace) says where a folio lay.

use readahead_types::FileId;
use std::collections::HashMap;

/// The page frames of a run.
#[derive(Default)]
pub(crate) struct PageFrames {
    next: u64,
    /// Frames that are known, by file and first page. Only looked up.
    known: HashMap<(FileId, u64), u64>,
}

impl PageFrames {
    /// The next folio added at this place lies at `pfn`.
    pub(crate) fn know(&mut self, file: FileId, first: u64, pfn: u64) {
        self.known.insert((file, first), pfn);
    }

    /// A frame for a folio: the known one, or one that is nobody's neighbour.
    pub(crate) fn allocate(&mut self, file: FileId, first: u64, order: u8) -> u64 {
        if let Some(pfn) = self.known.remove(&(file, first)) {
            return pfn;
        }
        let pages = 1u64 << order;
        let pfn = (self.next + 1).next_multiple_of(pages);
        self.next = pfn + pages;
        pfn
    }
}
