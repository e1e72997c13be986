//! What goes into a decision and what comes out of it, the same for every generation.

use crate::layout::{Layout, PlainRules};
use crate::limits::NodeMemory;
use crate::registry::Patches;
use readahead_types::{Pattern, RaState, Reason, Trim, Via, Window};

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
    /// Memory as it is now, for the generations that let it limit their windows.
    pub memory: NodeMemory,
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
    /// What was done to the window afterwards.
    pub trim: Trim,
    /// retain-inactive: cached pages to be kept before the window is laid out, as (first page, pages).
    pub retain: Option<(u64, u64)>,
    /// The 2010 series: the pattern of the window.
    pub pattern: Option<Pattern>,
}

impl Outcome {
    /// A decision to read nothing.
    pub fn nothing(after: RaState, via: Via, max: u64, reason: Reason) -> Self {
        Outcome {
            after,
            action: Action::Nothing,
            via,
            window: None,
            max,
            reason,
            trim: Trim::None,
            retain: None,
            pattern: None,
        }
    }

    /// A decision to lay out a window.
    pub fn run(after: RaState, via: Via, max: u64, window: Window, layout: Layout, reason: Reason) -> Self {
        Outcome { action: Action::Run(layout), window: Some(window), ..Outcome::nothing(after, via, max, reason) }
    }

    /// A decision to force a range in. `limit` is the largest number of pages that may be read.
    pub fn force(after: RaState, index: u64, pages: u64, limit: u64, rules: PlainRules, reason: Reason) -> Self {
        let range = Force { at: index, left: pages.min(limit), rules };
        Outcome { action: Action::Force(range), ..Outcome::nothing(after, Via::Force, limit, reason) }
    }

    /// The reason of a forced range.
    pub fn forced(index: u64, pages: u64, limit: u64) -> Reason {
        // A limit that no file reaches cuts nothing.
        if pages > limit && limit < NO_LIMIT {
            Reason::ForcedCut { index, req: pages, limit }
        } else {
            Reason::Forced { index, req: pages }
        }
    }
}

/// More pages than any machine has memory for: what half of a plentiful memory gives as a limit.
const NO_LIMIT: u64 = 1 << 36;
/// Pages of one chunk of a forced range: 2 MiB.
const FORCE_CHUNK_PAGES: u64 = 512;

/// A range that is read as it is, in chunks: fadvise WILLNEED, readahead(2), random files, readahead switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Force {
    /// Where the readahead control stands.
    at: u64,
    /// Pages left.
    left: u64,
    rules: PlainRules,
}

impl Force {
    /// The next chunk as (first page, pages), or `None` when nothing is left.
    pub fn chunk(&mut self) -> Option<(u64, u64)> {
        let pages = self.left.min(FORCE_CHUNK_PAGES);
        self.left -= pages;
        (pages > 0).then_some((self.at, pages))
    }

    /// How a chunk is laid out.
    pub fn layout(&self, at: u64, pages: u64, tunables: &Tunables) -> Layout {
        Layout::plain(at, pages, 0, tunables.min_order, tunables.eof, self.rules)
    }

    /// The chunk was laid out and left the control here. The next one starts there; up to linux-6.1 a whole chunk
    /// further, which is the same as long as the chunk lies in the file, and past its end nothing is read anyway.
    pub fn advance(&mut self, index: u64) {
        self.at = index;
    }
}
