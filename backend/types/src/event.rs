//! The one flat list of what a run records. Everything that is shown or counted about a run comes from these events.

use crate::{Bytes, FileId, HandleId, Nanos, Order, PageIndex, Pages, Sectors, TaskId};

/// Place of a decision in the run's list of decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct DecisionId(pub u32);

/// A device request, numbered in the order in which requests are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct RequestId(pub u32);

/// One recorded event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Event {
    /// When, on the run's clock.
    pub at: Nanos,
    /// The task on whose behalf it happened.
    pub task: TaskId,
    /// What happened.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub kind: EventKind,
}

#[expect(missing_docs, reason = "the fields are named after what they hold; the variants say the rest")]
/// What happened. Byte positions are positions in the file, sectors are positions on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "event", rename_all = "snake_case")
)]
pub enum EventKind {
    /// open(2) returned a handle.
    Open { file: FileId, handle: HandleId },
    /// close(2).
    Close { file: FileId, handle: HandleId },
    /// read(2) or pread(2) began.
    Read { file: FileId, handle: HandleId, pos: Bytes, len: Bytes },
    /// The read that just began passes by the page cache (O_DIRECT).
    DirectRead { file: FileId, handle: HandleId },
    /// The read returned `len` bytes after `latency`.
    ReadDone { file: FileId, handle: HandleId, pos: Bytes, len: Bytes, latency: Nanos },
    /// lseek(2) to `pos`.
    Lseek { file: FileId, handle: HandleId, pos: Bytes },
    /// posix_fadvise(2): 0 normal, 1 random, 2 sequential, 3 willneed, 4 dontneed, 5 noreuse.
    Fadvise { file: FileId, handle: HandleId, pos: Bytes, len: Bytes, advice: u8 },
    /// readahead(2).
    Readahead { file: FileId, handle: HandleId, pos: Bytes, len: Bytes },
    /// mmap(2) of the whole file. Advice: 0 normal, 1 random, 2 sequential, 3 hugepage.
    Mmap { file: FileId, handle: HandleId, advice: u8, exec: bool },
    /// A touch of a mapped page began that needs a fault.
    Touch { file: FileId, handle: HandleId, page: PageIndex },
    /// The touch went on after `latency`; `major` when it had to wait for a read of its own.
    TouchDone { file: FileId, handle: HandleId, page: PageIndex, major: bool, latency: Nanos },
    /// drop_caches, or an eviction asked for by the workload.
    DropCaches,
    /// The readahead code decided; the decision's own record is in the run's list.
    Decided { decision: DecisionId },
    /// A run of single folios starts (the kernel's page_cache_ra_unbounded), cut to the end of the file.
    PlainRun { file: FileId, index: PageIndex, pages: Pages, lookahead: Pages },
    /// A folio entered the page cache; `marked` when it carries the lookahead marker. `pfn` is its place in memory.
    FolioAdded { file: FileId, first: PageIndex, order: Order, marked: bool, pfn: u64 },
    /// A folio left the page cache. `used` counts its pages that the program had read.
    FolioRemoved { file: FileId, first: PageIndex, order: Order, used: Pages, reclaimed: bool, pfn: u64 },
    /// retain-inactive: cached pages of a window, still inactive, moved to the head of the inactive list.
    Retained { file: FileId, first: PageIndex, pages: Pages },
    /// The lookahead marker of the folio at `first` was met and cleared.
    MarkerCleared { file: FileId, first: PageIndex },
    /// get_pages of a read succeeded for the rest of the read call: bytes `first` … `last`, both inclusive.
    GetPages { file: FileId, first: Bytes, last: Bytes },
    /// The fault handler was reached for this page.
    Fault { file: FileId, page: PageIndex },
    /// Fault-around mapped what was cached of these pages: `first` … `last`, both inclusive.
    MapPages { file: FileId, first: PageIndex, last: PageIndex },
    /// The program read these pages. `fresh` counts those that it read for the first time since they were cached.
    Used { file: FileId, first: PageIndex, pages: Pages, fresh: Pages },
    /// The task sleeps until the folio that holds this page is uptodate.
    Wait { file: FileId, page: PageIndex },
    /// The task runs again after `waited`.
    Wake { file: FileId, page: PageIndex, waited: Nanos },
    /// A bio was handed to the block layer. `ahead`: it carries REQ_RAHEAD.
    BioQueued { file: FileId, sector: Sectors, sectors: Sectors, ahead: bool },
    /// The bio at `sector` was split; the rest begins at `rest`.
    Split { sector: Sectors, rest: Sectors, ahead: bool },
    /// A bio was merged behind a request that the plug still held.
    BackMerged { sector: Sectors, sectors: Sectors, ahead: bool },
    /// A bio was merged in front of a request that the plug still held.
    FrontMerged { sector: Sectors, sectors: Sectors, ahead: bool },
    /// A request was made.
    GetRequest { sector: Sectors, sectors: Sectors, ahead: bool },
    /// The first request entered an empty plug.
    Plugged,
    /// The plug was flushed with this many requests in it.
    Unplugged { requests: u32 },
    /// A request went to the device. `depth` counts requests in the device with this one.
    Issued {
        request: RequestId,
        file: FileId,
        offset: Bytes,
        sector: Sectors,
        sectors: Sectors,
        ahead: bool,
        depth: u16,
    },
    /// The device completed a request. `depth` counts what is left in the device.
    Completed {
        request: RequestId,
        file: FileId,
        offset: Bytes,
        sector: Sectors,
        sectors: Sectors,
        ahead: bool,
        depth: u16,
    },
    /// A task has run to its end.
    TaskDone,
}
