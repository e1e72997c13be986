//! Why the readahead code decided as it did: one value for each branch of each model, with the numbers that the branch
//! used, and the sentence that a person reads. Code, explanation and test are one thing: a test checks that every
//! branch listed here is reached.

use std::fmt;

/// The branch that was taken, with its numbers (pages unless named otherwise).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "code", rename_all = "snake_case")
)]
#[expect(missing_docs, reason = "the fields are the numbers that each variant's text names")]
pub enum Reason {
    /// A missing page, but ra_pages is 0: only this page is forced in.
    SyncReadaheadOff { index: u64, limit: u64 },
    /// A missing page of a file in random mode: what was asked for is forced in as it is.
    SyncRandomFile { index: u64, req: u64, limit: u64 },
    /// The first page of the file is missing: a new stream begins.
    SyncStartOfFile { req: u64, max: u64, size: u64 },
    /// The request is larger than the limit: a new window of the whole limit.
    SyncOversize { index: u64, req: u64, max: u64, size: u64 },
    /// The missing page follows the last read (or is the page of the last read): sequential.
    SyncSequential { index: u64, prev_index: u64, req: u64, max: u64, size: u64 },
    /// Neither sequential nor with enough history in the cache: read as it is.
    SyncSmallRandom { index: u64, req: u64, history: u64, inside: u64 },
    /// The cached pages in front of the miss say that it belongs to a stream.
    SyncHistory { index: u64, req: u64, max: u64, history: u64, size: u64, inside: u64 },
    /// As `SyncHistory`, with the history reaching the first page of the file, so it counts twice.
    SyncHistoryFromStart { index: u64, req: u64, max: u64, history: u64, size: u64, inside: u64 },
    /// A marker was met, but ra_pages is 0: nothing happens and the marker stays.
    AsyncReadaheadOff { index: u64 },
    /// The marker that the last window left was met: the next window follows it.
    AsyncExpected { index: u64, from_start: u64, from: u64, max: u64, start: u64, size: u64 },
    /// A marker of another stream or of an older window was met: the window begins at the next gap.
    AsyncUnexpected { index: u64, gap: u64, req: u64, max: u64, size: u64, inside: u64 },
    /// As `AsyncUnexpected`, but there is no gap within the limit: nothing to read.
    AsyncNoGap { index: u64, max: u64, inside: u64 },
    /// A fault in a mapping where readahead is off (MADV_RANDOM): the single page is read.
    FaultRandom { page: u64 },
    /// A fault while ra_pages is 0: the single page is read.
    FaultReadaheadOff { page: u64 },
    /// A fault after too many misses: read-around is switched off for it.
    FaultTooManyMisses { page: u64, misses: u64 },
    /// A fault in a mapping advised for huge pages: two (or one) of the largest folios.
    FaultHuge { page: u64, size: u64, order: u64 },
    /// A fault in an executable mapping: folios of the size that the architecture wants.
    FaultExec { page: u64, size: u64, order: u64 },
    /// A fault: the pages around it are read.
    FaultAround { page: u64, ra_pages: u64, start: u64, misses: u64 },
    /// As `FaultAround`, with folios of at least the size that one fault-around maps.
    FaultAroundFloor { page: u64, ra_pages: u64, start: u64, misses: u64, floor: u64 },
    /// A fault met a marker, but the mapping is random: nothing happens and the marker stays.
    FaultMarkerRandom { page: u64 },
    /// A fault met a marker, but ra_pages is 0: nothing happens and the marker stays.
    FaultMarkerReadaheadOff { page: u64 },
    /// fadvise WILLNEED or readahead(2): the range is read as it is, in chunks.
    Forced { index: u64, req: u64 },
    /// As `Forced`, cut to the limit: the rest is not read.
    ForcedCut { index: u64, req: u64, limit: u64 },
    /// Nothing else brings this page: it is read by itself.
    SinglePage { page: u64, order: u64 },
    /// A read went on to the page behind the end of the file (2.6.33 to 5.10): it is made, without a read.
    PagePastEnd { page: u64 },
    /// A missing page, but ra_pages is 0: no readahead (up to linux-5.4).
    SyncNoReadahead { index: u64 },
    /// The page that would carry the last window's marker is missing: the next window follows the last (up to linux-6.1).
    SyncExpected { index: u64, from_start: u64, from: u64, max: u64, start: u64, size: u64 },
    /// The page behind the last window is missing: the next window follows the last (up to linux-6.1).
    SyncWindowEnd { index: u64, from_start: u64, from: u64, max: u64, size: u64 },
    /// The page in front of the miss is not cached: a random read, read as it is (2.6.33 to 3.10).
    SyncNoHistory { index: u64, req: u64 },
    /// A marker was met on the first page of the file: a new stream begins (up to linux-6.1).
    AsyncStartOfFile { req: u64, max: u64, size: u64 },
    /// A marker was met on the page behind the last window: the next window follows it (up to linux-6.1).
    AsyncWindowEnd { index: u64, from_start: u64, from: u64, max: u64, size: u64 },
    /// A marker of another window was met and no gap was found: the window begins at the last page looked at, which is
    /// cached (linux-5.4 to 6.1).
    AsyncPastCached { index: u64, at: u64, req: u64, max: u64, size: u64 },
    /// lseek-flag: the first page of the file is missing on a handle that was moved: only the request is read.
    SyncStartAfterSeek { req: u64, max: u64 },
    /// thrashing-safe: the history in the cache gives the window of a miss.
    ContextMiss { index: u64, history: u64, counted: u64, min: u64, max: u64, size: u64, async_size: u64 },
    /// thrashing-safe: the history in the cache, less what is still ahead, gives the window of a marker.
    ContextMarker { index: u64, history: u64, counted: u64, ahead: u64, min: u64, max: u64, size: u64, async_size: u64 },
    /// thrashing-safe: as many pages are still ahead as the history allows: nothing to read.
    ContextEnough { index: u64, history: u64, ahead: u64 },
    /// thrashing-safe: no history and not inside the last window: a random read.
    ContextRandom { index: u64, req: u64, max: u64, size: u64 },
    /// thrashing-safe: a page of the last window is gone before it was used: the stream thrashes.
    ContextThrashed { index: u64, from_start: u64, from: u64, min: u64, size: u64 },
    /// A fault that would read around, but the memory of the node allows nothing.
    FaultNoMemory { page: u64, ra_pages: u64 },
    /// linux-2.4: the page just visited is still being read: the pages behind it are read too.
    OldSync { index: u64, allowed: u64, size: u64, in_context: bool },
    /// linux-2.4: the reader is inside the last window, whose pages are there: the pages behind the window are read.
    OldAsync { index: u64, allowed: u64, size: u64, end: u64 },
    /// linux-2.4: a fault reads the aligned cluster of pages that holds it.
    OldCluster { page: u64, start: u64, size: u64 },
    /// linux-2.4: a fault half a window before the end of what was read ahead of a sequential mapping.
    OldClusterAhead { page: u64, start: u64, size: u64 },
}

/// What was done to a window after its size was decided: aligned (linux-7.2 and later), merged with the next one (up to
/// linux-6.1), or grown (linux-6.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "code", rename_all = "snake_case")
)]
#[expect(missing_docs, reason = "the fields are the numbers that each variant's text names")]
pub enum Trim {
    /// Nothing.
    #[default]
    None,
    /// The end was a multiple of the alignment already.
    Aligned { end: u64, align: u64 },
    /// The end was cut to a multiple of the alignment.
    Cut { end: u64, align: u64, to: u64, from_size: u64, size: u64 },
    /// The multiple lies at or before the window's start: the window stays as it is.
    NotCut { end: u64, align: u64, to: u64 },
    /// keep-half-window: the alignment was halved until at least half of the window was kept.
    Halved { end: u64, asked: u64, align: u64, to: u64, from_size: u64, size: u64 },
    /// align-in-ra-order: the end was cut to a multiple of the folio size really used.
    ShrunkToOrder { end: u64, order: u64, to: u64, from_size: u64, size: u64 },
    /// align-in-ra-order: the end was a multiple of that folio size already.
    OrderAligned { end: u64, order: u64 },
    /// align-in-ra-order: the multiple lies at or before the window's start: the window stays as it is.
    OrderNotCut { end: u64, order: u64, to: u64 },
    /// align-in-ra-order: a file without large folios is not aligned.
    OrderNotLarge,
    /// The window would meet its own marker at once: the one after it is read with it.
    Merged { from_size: u64, size: u64, async_size: u64 },
    /// As `Merged`, but both together exceed the limit: one window of the limit, half of it behind the marker.
    MergedToLimit { from_size: u64, size: u64, async_size: u64 },
    /// linux-6.1: the window starts beyond the end of the file, and grows by the distance.
    GrownPastEnd { start: u64, by: u64, size: u64 },
}

/// "1 page", "2 pages".
fn pages(n: u64) -> String {
    if n == 1 { "1 page".into() } else { format!("{n} pages") }
}

/// More pages than any machine has memory for.
const NO_LIMIT: u64 = 1 << 36;
/// More pages than any file has: the range goes to the end of the file.
const TO_THE_END: u64 = 1 << 50;

/// A range asked for in advance: "5 pages from page 3 on", "Everything from page 3 on".
fn asked_range(index: u64, req: u64) -> String {
    if req >= TO_THE_END {
        format!("Everything from page {index} on")
    } else {
        format!("{} from page {index} on", pages(req))
    }
}

/// A limit that is one: " (limit 32 pages)". Where memory is plenty there is none to speak of.
struct Limit(u64);

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 >= NO_LIMIT { Ok(()) } else { write!(f, " (limit {})", pages(self.0)) }
    }
}

/// Says that a history counts twice because it reaches the start of the file.
struct Doubled(u64, u64);

impl fmt::Display for Doubled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.1 == self.0 { Ok(()) } else { write!(f, ", down to page 0, so they count twice") }
    }
}

/// What a search that began inside a large folio is off by: the kernel's cursor looks at the folio's first slot but
/// counts from the page asked for.
struct Skew(u64);

impl fmt::Display for Skew {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            inside => write!(
                f,
                " (the search began {} inside a large folio and looks that far behind the page that it reports)",
                pages(inside)
            ),
        }
    }
}

impl Reason {
    /// Every code, in the order of the list.
    pub const CODES: &[&'static str] = &[
        "sync_readahead_off",
        "sync_random_file",
        "sync_start_of_file",
        "sync_oversize",
        "sync_sequential",
        "sync_small_random",
        "sync_history",
        "sync_history_from_start",
        "async_readahead_off",
        "async_expected",
        "async_unexpected",
        "async_no_gap",
        "fault_random",
        "fault_readahead_off",
        "fault_too_many_misses",
        "fault_huge",
        "fault_exec",
        "fault_around",
        "fault_around_floor",
        "fault_marker_random",
        "fault_marker_readahead_off",
        "forced",
        "forced_cut",
        "single_page",
        "page_past_end",
        "sync_no_readahead",
        "sync_expected",
        "sync_window_end",
        "sync_no_history",
        "async_start_of_file",
        "async_window_end",
        "async_past_cached",
        "sync_start_after_seek",
        "context_miss",
        "context_marker",
        "context_enough",
        "context_random",
        "context_thrashed",
        "fault_no_memory",
        "old_sync",
        "old_async",
        "old_cluster",
        "old_cluster_ahead",
    ];

    /// The stable code of the branch, as in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::SyncReadaheadOff { .. } => "sync_readahead_off",
            Reason::SyncRandomFile { .. } => "sync_random_file",
            Reason::SyncStartOfFile { .. } => "sync_start_of_file",
            Reason::SyncOversize { .. } => "sync_oversize",
            Reason::SyncSequential { .. } => "sync_sequential",
            Reason::SyncSmallRandom { .. } => "sync_small_random",
            Reason::SyncHistory { .. } => "sync_history",
            Reason::SyncHistoryFromStart { .. } => "sync_history_from_start",
            Reason::AsyncReadaheadOff { .. } => "async_readahead_off",
            Reason::AsyncExpected { .. } => "async_expected",
            Reason::AsyncUnexpected { .. } => "async_unexpected",
            Reason::AsyncNoGap { .. } => "async_no_gap",
            Reason::FaultRandom { .. } => "fault_random",
            Reason::FaultReadaheadOff { .. } => "fault_readahead_off",
            Reason::FaultTooManyMisses { .. } => "fault_too_many_misses",
            Reason::FaultHuge { .. } => "fault_huge",
            Reason::FaultExec { .. } => "fault_exec",
            Reason::FaultAround { .. } => "fault_around",
            Reason::FaultAroundFloor { .. } => "fault_around_floor",
            Reason::FaultMarkerRandom { .. } => "fault_marker_random",
            Reason::FaultMarkerReadaheadOff { .. } => "fault_marker_readahead_off",
            Reason::Forced { .. } => "forced",
            Reason::ForcedCut { .. } => "forced_cut",
            Reason::SinglePage { .. } => "single_page",
            Reason::PagePastEnd { .. } => "page_past_end",
            Reason::SyncNoReadahead { .. } => "sync_no_readahead",
            Reason::SyncExpected { .. } => "sync_expected",
            Reason::SyncWindowEnd { .. } => "sync_window_end",
            Reason::SyncNoHistory { .. } => "sync_no_history",
            Reason::AsyncStartOfFile { .. } => "async_start_of_file",
            Reason::AsyncWindowEnd { .. } => "async_window_end",
            Reason::AsyncPastCached { .. } => "async_past_cached",
            Reason::SyncStartAfterSeek { .. } => "sync_start_after_seek",
            Reason::ContextMiss { .. } => "context_miss",
            Reason::ContextMarker { .. } => "context_marker",
            Reason::ContextEnough { .. } => "context_enough",
            Reason::ContextRandom { .. } => "context_random",
            Reason::ContextThrashed { .. } => "context_thrashed",
            Reason::FaultNoMemory { .. } => "fault_no_memory",
            Reason::OldSync { .. } => "old_sync",
            Reason::OldAsync { .. } => "old_async",
            Reason::OldCluster { .. } => "old_cluster",
            Reason::OldClusterAhead { .. } => "old_cluster_ahead",
        }
    }
}

impl fmt::Display for Reason {
    /// One sentence, without a full stop, so that the text of a [`Trim`] can follow after a semicolon.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reason::SyncReadaheadOff { index, limit } => {
                write!(f, "Page {index} is missing and ra_pages is 0: only this page is forced in{}", Limit(limit))
            }
            Reason::SyncRandomFile { index, req, limit } => write!(
                f,
                "Page {index} is missing and the handle was advised POSIX_FADV_RANDOM: {} asked for, read as asked{}",
                pages(req),
                Limit(limit)
            ),
            Reason::SyncStartOfFile { req, max, size } => write!(
                f,
                "Page 0 is missing: a new stream begins with a request of {}; first window {} of at most {max}",
                pages(req),
                pages(size)
            ),
            Reason::SyncOversize { index, req, max, size } => write!(
                f,
                "Page {index} is missing and the request of {} exceeds the limit of {max}: window {}",
                pages(req),
                pages(size)
            ),
            Reason::SyncSequential { index, prev_index, req, max, size } => write!(
                f,
                "Page {index} is missing and the last read ended at page {}: sequential; a request of {} gives a first window of {} of at most {max}",
                prev_index as i64,
                pages(req),
                pages(size)
            ),
            Reason::SyncSmallRandom { index, req, history, inside } => write!(
                f,
                "Page {index} is missing, the last read was elsewhere, and the search of the cache in front of it reports {}, no more than the {} asked for: a random read, read as it is{}",
                pages(history),
                pages(req),
                Skew(inside)
            ),
            Reason::SyncHistory { index, req, max, history, size, inside } => write!(
                f,
                "Page {index} is missing and the search of the cache in front of it reports {}: it belongs to a stream; history {history} plus request {req} gives a window of {} of at most {max}{}",
                pages(history),
                pages(size),
                Skew(inside)
            ),
            Reason::SyncHistoryFromStart { index, req, max, history, size, inside } => write!(
                f,
                "Page {index} is missing and the search of the cache in front of it reports all {} down to page 0: the history counts twice; {} plus request {req} gives a window of {} of at most {max}{}",
                pages(history),
                history.wrapping_mul(2),
                pages(size),
                Skew(inside)
            ),
            Reason::AsyncReadaheadOff { index } => {
                write!(f, "Marker at page {index} met, but ra_pages is 0: nothing is read and the marker stays")
            }
            Reason::AsyncExpected { index, from_start, from, max, start, size } => {
                write!(
                    f,
                    "Marker at page {index} met, the one that window {from_start}+{from} left: the next window begins at page {start}; "
                )?;
                if size == from && from > max {
                    write!(f, "it keeps its size of {}, above this request's own limit of {max}", pages(size))
                } else if size == from {
                    write!(f, "its size stays at {} (limit {max})", pages(size))
                } else if size == 2 * from {
                    write!(f, "it doubles {from} → {size} (limit {max})")
                } else if size == 4 * from {
                    write!(f, "it grows fourfold {from} → {size} (limit {max})")
                } else {
                    write!(f, "its size goes {from} → {size}, the limit of this request being {max}")
                }
            }
            Reason::AsyncUnexpected { index, gap, req, max, size, inside } => write!(
                f,
                "Marker at page {index} met, not the one that the last window left: the search behind it reports page {gap} as the next one not cached, and the {} up to it plus request {req} give a window of {} (limit {max}){}",
                pages(gap.wrapping_sub(index)),
                pages(size),
                Skew(inside)
            ),
            Reason::AsyncNoGap { index, max, inside } => write!(
                f,
                "Marker at page {index} met, not the one that the last window left; the search behind it reports no gap within {}: nothing to read{}",
                pages(max),
                Skew(inside)
            ),
            Reason::FaultRandom { page } => {
                write!(f, "Fault at page {page} of a mapping advised random: the page is read by itself")
            }
            Reason::FaultReadaheadOff { page } => {
                write!(f, "Fault at page {page} while ra_pages is 0: the page is read by itself")
            }
            Reason::FaultTooManyMisses { page, misses } => write!(
                f,
                "Fault at page {page}: mmap_miss is {misses}, above 100, so the access counts as random and nothing is read around it"
            ),
            Reason::FaultHuge { page, size, order } => write!(
                f,
                "Fault at page {page} of a mapping advised for huge pages: a window of {} in folios of up to order {order}",
                pages(size)
            ),
            Reason::FaultExec { page, size, order } => write!(
                f,
                "Fault at page {page} of an executable mapping: a window of {} in folios of up to order {order}, without a marker",
                pages(size)
            ),
            Reason::FaultAround { page, ra_pages, start, misses } => write!(
                f,
                "Fault at page {page}: {} around it are read, from page {start} (mmap_miss {misses})",
                pages(ra_pages)
            ),
            Reason::FaultAroundFloor { page, ra_pages, start, misses, floor } => write!(
                f,
                "Fault at page {page}: {} around it are read, from page {start}, in folios of order {floor} where they fit (mmap_miss {misses})",
                pages(ra_pages)
            ),
            Reason::FaultMarkerRandom { page } => {
                write!(
                    f,
                    "Fault at page {page} met a marker in a mapping advised random: nothing is read and the marker stays"
                )
            }
            Reason::FaultMarkerReadaheadOff { page } => {
                write!(f, "Fault at page {page} met a marker while ra_pages is 0: nothing is read and the marker stays")
            }
            Reason::Forced { index, req } => {
                write!(f, "{} asked for in advance: read as it is, where pages are missing", asked_range(index, req))
            }
            Reason::ForcedCut { index, req, limit } => write!(
                f,
                "{} asked for in advance: cut to the limit of {}, the rest is not read",
                asked_range(index, req),
                pages(limit)
            ),
            Reason::SinglePage { page, order } => {
                write!(f, "Page {page} is missing and nothing else brings it: it is read by itself")?;
                if order > 0 { write!(f, ", in a folio of order {order}") } else { Ok(()) }
            }
            Reason::PagePastEnd { page } => write!(
                f,
                "Page {page} lies behind the end of the file, which this kernel sees only afterwards: a page of zeroes is made there, without a read"
            ),
            Reason::SyncNoReadahead { index } => {
                write!(f, "Page {index} is missing and ra_pages is 0: no readahead, the page is read by itself")
            }
            Reason::SyncExpected { index, from_start, from, max, start, size } => write!(
                f,
                "Page {index} is missing, where window {from_start}+{from} would have its marker: the next window begins at page {start}, with {} of at most {max}",
                pages(size)
            ),
            Reason::SyncWindowEnd { index, from_start, from, max, size } => write!(
                f,
                "Page {index} is missing, the one behind window {from_start}+{from}: the next window begins there, with {} of at most {max}",
                pages(size)
            ),
            Reason::SyncNoHistory { index, req } => write!(
                f,
                "Page {index} is missing, the last read was elsewhere and the page in front is not cached: a random read, {} read as asked",
                pages(req)
            ),
            Reason::AsyncStartOfFile { req, max, size } => write!(
                f,
                "Marker at page 0 met: a new stream begins with a request of {}; first window {} of at most {max}",
                pages(req),
                pages(size)
            ),
            Reason::AsyncWindowEnd { index, from_start, from, max, size } => write!(
                f,
                "Marker at page {index} met, the page behind window {from_start}+{from}: the next window begins there, with {} of at most {max}",
                pages(size)
            ),
            Reason::AsyncPastCached { index, at, req, max, size } => write!(
                f,
                "Marker at page {index} met, not the one that the last window left; no gap within {}, and this kernel takes the last page looked at, page {at}, for one: {} and the request of {req} give a window of {}, over cached pages",
                pages(max),
                pages(at.wrapping_sub(index)),
                pages(size)
            ),
            Reason::SyncStartAfterSeek { req, max } => write!(
                f,
                "Page 0 is missing on a handle that was moved by lseek: probably a probe of the header, so only the {} asked for are read (limit {max})",
                pages(req)
            ),
            Reason::ContextMiss { index, history, counted, min, max, size, async_size } => write!(
                f,
                "Page {index} is missing with {} cached in front of it{}: history {counted}, held between {min} and {max}, gives a window of {}, {async_size} of them behind the marker",
                pages(history),
                Doubled(history, counted),
                pages(size)
            ),
            Reason::ContextMarker { index, history, counted, ahead, min, max, size, async_size } => write!(
                f,
                "Marker at page {index} met with {} cached in front of it{}, less {} still ahead: history {counted}, held between {min} and {max}, gives a window of {}, {async_size} of them behind the marker",
                pages(history),
                Doubled(history, counted.wrapping_add(ahead)),
                pages(ahead),
                pages(size)
            ),
            Reason::ContextEnough { index, history, ahead } => write!(
                f,
                "Marker at page {index} met with {} cached in front of it, but {} are still ahead: nothing to read yet",
                pages(history),
                pages(ahead)
            ),
            Reason::ContextRandom { index, req, max, size } => write!(
                f,
                "Page {index} is missing, the page in front is not cached and the last window was elsewhere: a random read of {} (asked {req}, limit {max})",
                pages(size)
            ),
            Reason::ContextThrashed { index, from_start, from, min, size } => write!(
                f,
                "Page {index} of window {from_start}+{from} is gone before it was used: the stream thrashes; the window is halved to {} (at least {min}), and this handle sizes its windows by the cache from now on",
                pages(size)
            ),
            Reason::FaultNoMemory { page, ra_pages } => write!(
                f,
                "Fault at page {page}: {} would be read around it, but the memory of the node allows none",
                pages(ra_pages)
            ),
            Reason::OldSync { index, allowed, size, in_context } => write!(
                f,
                "Page {index} is still being read{}: {} behind it are read too (allowed {allowed})",
                if in_context { "" } else { ", outside the last window" },
                pages(size)
            ),
            Reason::OldAsync { index, allowed, size, end } => write!(
                f,
                "Page {index} is there and lies in the last window, which ends at page {end}: {} behind it are read (allowed {allowed})",
                pages(size)
            ),
            Reason::OldCluster { page, start, size } => {
                write!(f, "Fault at page {page}: the aligned cluster of {} from page {start} on is read", pages(size))
            }
            Reason::OldClusterAhead { page, start, size } => write!(
                f,
                "Fault at page {page} of a mapping advised sequential, half a window before the end of what was read: clusters of {} from page {start} on",
                pages(size)
            ),
        }
    }
}

impl Trim {
    /// Every code, in the order of the list.
    pub const CODES: &[&'static str] = &[
        "none",
        "aligned",
        "cut",
        "not_cut",
        "halved",
        "shrunk_to_order",
        "order_aligned",
        "order_not_cut",
        "order_not_large",
        "merged",
        "merged_to_limit",
        "grown_past_end",
    ];

    /// The stable code, as in JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Trim::None => "none",
            Trim::Aligned { .. } => "aligned",
            Trim::Cut { .. } => "cut",
            Trim::NotCut { .. } => "not_cut",
            Trim::Halved { .. } => "halved",
            Trim::ShrunkToOrder { .. } => "shrunk_to_order",
            Trim::OrderAligned { .. } => "order_aligned",
            Trim::OrderNotCut { .. } => "order_not_cut",
            Trim::OrderNotLarge => "order_not_large",
            Trim::Merged { .. } => "merged",
            Trim::MergedToLimit { .. } => "merged_to_limit",
            Trim::GrownPastEnd { .. } => "grown_past_end",
        }
    }

    /// Pages that the trim took away.
    pub fn pages_cut(&self) -> u64 {
        match *self {
            Trim::Cut { from_size, size, .. }
            | Trim::Halved { from_size, size, .. }
            | Trim::ShrunkToOrder { from_size, size, .. } => from_size - size,
            _ => 0,
        }
    }

    /// Whether the window was trimmed below half of what it would have been.
    pub fn below_half(&self) -> bool {
        match *self {
            Trim::Cut { from_size, size, .. }
            | Trim::Halved { from_size, size, .. }
            | Trim::ShrunkToOrder { from_size, size, .. } => 2 * size < from_size,
            _ => false,
        }
    }
}

impl fmt::Display for Trim {
    /// The continuation of a [`Reason`]'s sentence; empty for [`Trim::None`].
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Trim::None => Ok(()),
            Trim::Aligned { end, align: 1 } => {
                write!(f, "its end, page {end}, stays: the limit of this request is odd, so nothing is aligned")
            }
            Trim::Aligned { end, align } => write!(f, "its end, page {end}, is a multiple of {align} already"),
            Trim::Cut { end, align, to, size, .. } => {
                write!(
                    f,
                    "it would end at page {end}; its end is cut to page {to}, a multiple of {align}: {} left",
                    pages(size)
                )
            }
            Trim::NotCut { end, align, to } => write!(
                f,
                "it ends at page {end}; the multiple of {align} below, page {to}, is not behind its start, so it is not cut"
            ),
            Trim::Halved { end, asked, align, to, size, .. } if to == end => write!(
                f,
                "it ends at page {end}; cutting to a multiple of {asked} would take more than half, so the alignment is halved to {align}: all {} kept",
                pages(size)
            ),
            Trim::Halved { end, asked, align, to, size, .. } => write!(
                f,
                "it would end at page {end}; cutting to a multiple of {asked} would take more than half, so the alignment is halved to {align} and the end is page {to}: {} kept",
                pages(size)
            ),
            Trim::ShrunkToOrder { end, order, to, size, .. } => write!(
                f,
                "it would end at page {end}; its end is cut to page {to}, a multiple of the order-{order} folios used: {} left",
                pages(size)
            ),
            Trim::OrderAligned { end, order } => {
                write!(f, "its end, page {end}, is a multiple of the order-{order} folios used already")
            }
            Trim::OrderNotCut { end, order, to } => write!(
                f,
                "it ends at page {end}; the multiple of the order-{order} folios below, page {to}, is not behind its start, so it is not cut"
            ),
            Trim::OrderNotLarge => write!(f, "the file has no large folios, so its end is not aligned"),
            Trim::Merged { size, async_size, .. } => write!(
                f,
                "all of it lies behind its own marker, on the page that is wanted now, so the next window is read with it: {}, {async_size} of them behind the marker",
                pages(size)
            ),
            Trim::MergedToLimit { size, async_size, .. } => write!(
                f,
                "all of it lies behind its own marker, on the page that is wanted now, and together with the next window it would exceed the limit: {}, {async_size} of them behind the marker",
                pages(size)
            ),
            Trim::GrownPastEnd { start, by, size } => write!(
                f,
                "page {start} lies {} behind the last page of the file, and the window grows by as many, to {}, of which none exist",
                pages(by),
                pages(size)
            ),
        }
    }
}

/// The whole sentence of a decision.
pub fn sentence(reason: &Reason, trim: &Trim) -> String {
    match trim {
        Trim::None => format!("{reason}."),
        _ => format!("{reason}; {trim}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_to_the_end_of_the_file_has_no_number_of_pages() {
        // fadvise WILLNEED with a length of 0 asks for 2^64 − 1 pages up to linux-6.1, for 2^51 less its start later.
        for req in [u64::MAX, (1 << 51) - 3] {
            let sentence = sentence(&Reason::ForcedCut { index: 3, req, limit: 128 }, &Trim::None);
            assert_eq!(
                sentence,
                "Everything from page 3 on asked for in advance: cut to the limit of 128 pages, the rest is not read."
            );
        }
    }

    #[test]
    fn the_sentence_of_the_worked_example() {
        // spec of linux-7.2, worked example, window 12: 2 pages are left of 128.
        let reason = Reason::AsyncExpected { index: 384, from_start: 384, from: 126, max: 128, start: 510, size: 128 };
        let trim = Trim::Cut { end: 638, align: 128, to: 512, from_size: 128, size: 2 };
        assert_eq!(
            sentence(&reason, &trim),
            "Marker at page 384 met, the one that window 384+126 left: the next window begins at page 510; its size goes \
             126 → 128, the limit of this request being 128; it would end at page 638; its end is cut to page 512, a \
             multiple of 128: 2 pages left."
        );
        assert!(trim.below_half());
        assert_eq!(trim.pages_cut(), 126);
    }
}
