//! What goes into a decision and what comes out of it, the same for every generation.

use crate::layout::Layout;
use crate::registry::Patches;
use readahead_types::{RaState, Reason, Trim, Via, Window};

/// Settings that a decision reads: of the device, of the file's mapping and of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tunables {
    /// ra_pages that the device gives to files opened now (read_ahead_kb / 4).
    pub device_ra_pages: u32,
    /// max_sectors_kb / 4; 0 where the kernel has no such field.
    pub io_pages: u32,
    /// Smallest folio order of the file.
    pub min_order: u8,
    /// Largest folio order of the file; 0: no large folios.
    pub max_order: u8,
    /// Index of the last page of the file; `None` for an empty file.
    pub eof: Option<u64>,
    /// fault_around_bytes in pages.
    pub fault_around_pages: u32,
    /// Folio order that the architecture wants for executable mappings.
    pub exec_order: u8,
    /// Patches that are on.
    pub patches: Patches,
}

impl Tunables {
    /// The file may have large folios.
    pub fn large(&self) -> bool {
        self.max_order > 0
    }

    /// Pages of the smallest folio.
    pub fn min_pages(&self) -> u64 {
        1 << self.min_order
    }
}

/// A mapping of the whole file, with its advice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// MADV_RANDOM.
    pub random: bool,
    /// MADV_SEQUENTIAL.
    pub sequential: bool,
    /// MADV_HUGEPAGE.
    pub huge: bool,
    /// Mapped executable.
    pub exec: bool,
    /// Pages of the mapping.
    pub pages: u64,
}

/// What is to be done about a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing is read.
    Nothing,
    /// The window (or the plain run) is laid out into the page cache.
    Run(Layout),
    /// A range is forced in, chunk by chunk.
    Force(Force),
}

/// A decision, before anything of it was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The open file's state from now on.
    pub after: RaState,
    /// What to do.
    pub action: Action,
    /// Which path.
    pub via: Via,
    /// The window or run asked for.
    pub window: Option<Window>,
    /// The limit that applied (0: none computed).
    pub max: u64,
    /// Why.
    pub reason: Reason,
    /// What aligning the window's end did.
    pub trim: Trim,
}

impl Outcome {
    /// A decision to read nothing.
    pub fn nothing(after: RaState, via: Via, max: u64, reason: Reason) -> Self {
        Outcome { after, action: Action::Nothing, via, window: None, max, reason, trim: Trim::None }
    }
}

/// Pages of one chunk of a forced range: 2 MiB.
const FORCE_CHUNK_PAGES: u64 = 512;

/// A range that is read as it is, in chunks: fadvise WILLNEED, readahead(2), random files, readahead switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Force {
    /// Where the readahead control stands.
    at: u64,
    /// Pages left.
    left: u64,
}

impl Force {
    /// A forced range of at most `limit` pages.
    pub fn new(index: u64, pages: u64, limit: u64) -> Self {
        Force { at: index, left: pages.min(limit) }
    }

    /// The limit that applies to a forced range (linux-4.7 and later): the larger of io_pages and the file's ra_pages.
    pub fn limit(ra: &RaState, tunables: &Tunables) -> u64 {
        u64::from(tunables.io_pages.max(ra.ra_pages))
    }

    /// The next chunk as (first page, pages), or `None` when nothing is left.
    pub fn chunk(&mut self) -> Option<(u64, u64)> {
        let pages = self.left.min(FORCE_CHUNK_PAGES);
        self.left -= pages;
        (pages > 0).then_some((self.at, pages))
    }

    /// The chunk was laid out and left the control here; the next one starts there (linux-6.12 and later).
    pub fn advance(&mut self, index: u64) {
        self.at = index;
    }
}
