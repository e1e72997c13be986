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
    /// Page-cache misses of faults, less the hits: 0 … 1000 (more up to linux-2.6.33).
    pub mmap_miss: u32,
    /// Byte position after (or, in old kernels, near) the last byte read; −1 when nothing was read.
    pub prev_pos: i64,
    /// POSIX_FADV_RANDOM was given.
    pub random: bool,
    /// thrashing-safe: a page of this file was lost before it was used.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_false"))]
    pub thrashed: bool,
    /// The 2010 series: a fault has used this state.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_false"))]
    pub faulted: bool,
    /// lseek-flag: the file position was set by lseek(2).
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_false"))]
    pub moved: bool,
    /// The 2010 series: why the last window was made.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Pattern::is_initial"))]
    pub pattern: Pattern,
    /// linux-2.4: its own state, which the other generations do not have.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Old24::is_fresh"))]
    pub old: Old24,
}

#[cfg(feature = "serde")]
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that the serializer asks for")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// Readahead state of an open file in linux-2.4, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Old24 {
    /// Page after the last one read ahead (f_raend).
    pub raend: u64,
    /// Pages read ahead last (f_ralen).
    pub ralen: u64,
    /// Pages that the next step may read (f_ramax).
    pub ramax: u64,
    /// Pages read ahead by the last two steps (f_rawin).
    pub rawin: u64,
    /// A read has been made since the position was last set (f_reada).
    pub reada: bool,
}

impl Old24 {
    /// Nothing has been read.
    pub fn is_fresh(&self) -> bool {
        *self == Old24::default()
    }
}

/// Why a window was made, in the words of the 2010 series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
pub enum Pattern {
    /// Start of the file, or a request above the limit.
    #[default]
    Initial,
    /// The window follows the last one.
    Subsequent,
    /// Sized by the history in the page cache.
    Context,
    /// A page was lost before it was used.
    Thrash,
    /// mmap read-around.
    Around,
    /// fadvise WILLNEED, readahead(2).
    Fadvise,
    /// A random read.
    Random,
}

impl Pattern {
    /// Every pattern, in the order of its number.
    pub const ALL: [Pattern; 7] = [
        Pattern::Initial,
        Pattern::Subsequent,
        Pattern::Context,
        Pattern::Thrash,
        Pattern::Around,
        Pattern::Fadvise,
        Pattern::Random,
    ];

    /// The name that the series prints.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Initial => "initial",
            Pattern::Subsequent => "subsequent",
            Pattern::Context => "context",
            Pattern::Thrash => "thrash",
            Pattern::Around => "around",
            Pattern::Fadvise => "fadvise",
            Pattern::Random => "random",
        }
    }

    /// The pattern of a new handle.
    pub fn is_initial(&self) -> bool {
        *self == Pattern::Initial
    }
}

impl RaState {
    /// The state of a file that was just opened on a device with this `ra_pages`.
    pub fn opened(ra_pages: u32) -> Self {
        RaState {
            start: 0,
            size: 0,
            async_size: 0,
            ra_pages,
            order: 0,
            mmap_miss: 0,
            prev_pos: -1,
            random: false,
            thrashed: false,
            faulted: false,
            moved: false,
            pattern: Pattern::Initial,
            old: Old24::default(),
        }
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
    /// A step of linux-2.4.
    Legacy,
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
            Via::Legacy => "legacy",
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
    /// What was done to the window after its size was decided.
    pub trim: Trim,
    /// The 2010 series: why the window was made, in its own words.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub pattern: Option<Pattern>,
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
            | Reason::SyncHistoryFromStart { .. }
            | Reason::SyncNoReadahead { .. }
            | Reason::SyncExpected { .. }
            | Reason::SyncWindowEnd { .. }
            | Reason::SyncNoHistory { .. }
            | Reason::SyncStartAfterSeek { .. }
            | Reason::ContextMiss { .. }
            | Reason::ContextRandom { .. }
            | Reason::ContextThrashed { .. } => Some(TracedCall::Sync),
            Reason::AsyncExpected { .. }
            | Reason::AsyncUnexpected { .. }
            | Reason::AsyncNoGap { .. }
            | Reason::AsyncStartOfFile { .. }
            | Reason::AsyncWindowEnd { .. }
            | Reason::AsyncPastCached { .. }
            | Reason::ContextMarker { .. }
            | Reason::ContextEnough { .. } => Some(TracedCall::Async),
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
            | Reason::SinglePage { .. }
            | Reason::PagePastEnd { .. }
            | Reason::FaultNoMemory { .. }
            | Reason::OldSync { .. }
            | Reason::OldAsync { .. }
            | Reason::OldCluster { .. }
            | Reason::OldClusterAhead { .. } => None,
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
