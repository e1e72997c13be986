//! What an open file remembers for readahead, and the record of one decision: who asked, what was known, what was
//! decided and why.

use crate::reason::{Reason, Trim};
use crate::{FileId, HandleId};

/// Readahead state of one open file (the kernel's `struct file_ra_state`), in pages unless a name says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RaState {
    /// First page of the current window.
    pub start: u64,
    /// Pages of the current window.
    pub size: u32,
    /// Pages of the window that lie behind the lookahead marker: reaching them starts the next window.
    pub async_size: u32,
    /// Largest ordinary window of this open file.
    pub ra_pages: u32,
    /// Folio order used last (linux-7.2 and later; 0 before).
    pub order: u16,
    /// Page-cache misses of faults, less the hits: 0 … 1000.
    pub mmap_miss: u16,
    /// Byte position after (or, in old kernels, near) the last byte read; −1 when nothing was read.
    pub prev_pos: i64,
    /// POSIX_FADV_RANDOM was given.
    pub random: bool,
}

impl RaState {
    /// The state of a file that was just opened on a device with this `ra_pages`.
    pub fn opened(ra_pages: u32) -> Self {
        RaState { start: 0, size: 0, async_size: 0, ra_pages, order: 0, mmap_miss: 0, prev_pos: -1, random: false }
    }
}

/// Which way a run of pages came to be read. The names are those of the conformance vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Via {
    /// A page that was wanted is not in the page cache.
    Sync,
    /// The reader reached a folio with the lookahead marker.
    Async,
    /// A page fault: mmap read-around, a huge-page window or an executable window.
    Around,
    /// fadvise WILLNEED, readahead(2), a file in random mode, or readahead switched off.
    Force,
    /// A small random read, read as it is.
    Random,
    /// One folio that a read or a fault adds by itself, because the readahead code did not bring it.
    Page,
}

impl Via {
    /// The name used in vectors, JSON and text.
    pub fn name(self) -> &'static str {
        match self {
            Via::Sync => "sync",
            Via::Async => "async",
            Via::Around => "around",
            Via::Force => "force",
            Via::Random => "random",
            Via::Page => "page",
        }
    }
}

/// A readahead window, or the run of pages asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Window {
    /// First page.
    pub start: u64,
    /// Pages, not cut to the end of the file.
    pub size: u64,
    /// Pages behind the lookahead marker.
    pub async_size: u64,
    /// Folio order handed over with the window, before it is limited by its size (0 where the kernel has none).
    pub order: u16,
}

/// One decision of the readahead code, whole enough to be checked by hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Decision {
    /// The file read.
    pub file: FileId,
    /// The open file whose state was used.
    pub handle: HandleId,
    /// Which path asked.
    pub via: Via,
    /// The page that triggered the decision.
    pub index: u64,
    /// Pages that the caller still wanted, before any limit.
    pub req: u64,
    /// The window limit that applied, in pages (0 where none was computed).
    pub max: u64,
    /// State when the decision began.
    pub before: RaState,
    /// State when the window's folios had been laid out.
    pub after: RaState,
    /// What is to be read; `None` when the decision was to do nothing.
    pub window: Option<Window>,
    /// Why.
    pub reason: Reason,
    /// What aligning the window's end did to it.
    pub trim: Trim,
}

/// The two ways into the readahead code that linux-6.19 and later trace at their entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TracedCall {
    /// page_cache_sync_ra.
    Sync,
    /// page_cache_async_ra.
    Async,
}

impl Decision {
    /// The event that the kernel prints before this decision. None for paths that do not come through these two, for calls
    /// that return before they reach the event, and for the second and later chunks of a forced range, which belong to
    /// the call of the first.
    pub fn traced_call(&self) -> Option<TracedCall> {
        let later_chunk = self.via == Via::Force && self.window.is_some_and(|window| window.start != self.index);
        match self.reason {
            _ if later_chunk => None,
            Reason::SyncReadaheadOff { .. }
            | Reason::SyncRandomFile { .. }
            | Reason::SyncStartOfFile { .. }
            | Reason::SyncOversize { .. }
            | Reason::SyncSequential { .. }
            | Reason::SyncSmallRandom { .. }
            | Reason::SyncHistory { .. }
            | Reason::SyncHistoryFromStart { .. } => Some(TracedCall::Sync),
            Reason::AsyncExpected { .. } | Reason::AsyncUnexpected { .. } | Reason::AsyncNoGap { .. } => {
                Some(TracedCall::Async)
            }
            Reason::AsyncReadaheadOff { .. }
            | Reason::FaultRandom { .. }
            | Reason::FaultReadaheadOff { .. }
            | Reason::FaultTooManyMisses { .. }
            | Reason::FaultHuge { .. }
            | Reason::FaultExec { .. }
            | Reason::FaultAround { .. }
            | Reason::FaultAroundFloor { .. }
            | Reason::FaultMarkerRandom { .. }
            | Reason::FaultMarkerReadaheadOff { .. }
            | Reason::Forced { .. }
            | Reason::ForcedCut { .. }
            | Reason::SinglePage { .. } => None,
        }
    }

    /// The window as it was handed over to be laid out, which is what the kernel's page_cache_ra_order line prints:
    /// before align-in-ra-order shrinks it to the folio order used.
    pub fn handed_over(&self) -> Option<Window> {
        let mut window = self.window?;
        if let Trim::ShrunkToOrder { from_size, .. } = self.trim {
            window.size = from_size;
            window.async_size = from_size;
        }
        Some(window)
    }
}
