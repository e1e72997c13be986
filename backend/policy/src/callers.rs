//! What differs between the generations in the code that calls readahead: the read loop, fault-around, fadvise, and the
//! plug of the block layer. Plain facts; the simulator acts on them.

/// How read(2) goes through the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadLoop {
    /// linux-2.4: page by page, deciding after each page is found or started.
    Old24,
    /// linux-2.6.33 to 5.10: page by page, the size of the file looked at after the page.
    PageByPage,
    /// linux-6.1 and later: batches of folios.
    Batches {
        /// Most folios of a batch.
        folios: u32,
        /// prev_pos is stored after every copy, so that a later miss of the same call sees it (linux-6.1).
        prev_pos_at_once: bool,
        /// The end of the request is rounded up to the smallest folio (linux-7.2).
        rounds_to_min_order: bool,
    },
}

/// How fault-around counts what it maps against mmap_miss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultAround {
    /// There is none (before linux-3.15).
    None,
    /// One for each page of the block that is cached and not skipped (up to linux-6.12).
    EachPage,
    /// As `EachPage`, but not pages of folios with the workingset bit (linux-6.12).
    EachPageNotWorkingset,
    /// Once, when the page that faulted got mapped, and whole folios are mapped (linux-7.2).
    Once,
}

/// When fault-around maps a folio of order 9 that comes first by one huge entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugeEntry {
    /// Never: no large folios.
    Never,
    /// Always (linux-6.1).
    Always,
    /// If its last page lies before the last page of the file (linux-6.12 and later).
    BeforeLastPage,
}

/// What POSIX_FADV_DONTNEED does with a last page that is only partly in the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartialPage {
    /// It goes too (up to linux-4.7).
    Dropped,
    /// It stays (linux-4.14).
    Kept,
    /// It stays unless the range ends with the file (linux-5.4 and later).
    KeptUnlessLast,
}

/// How readahead(2) counts its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadaheadCall {
    /// linux-2.4: a partial last page does not count; limited by the inactive list.
    Old24,
    /// From the first to the last byte; a length of 0 is what the arithmetic makes of it (up to linux-4.14).
    ByBytes,
    /// fadvise WILLNEED of the range (linux-5.4 and later).
    WillNeed,
}

/// Which request of a plug is looked at to see whether it is large enough to flush the plug.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlugTest {
    /// The one added last (up to linux-6.1).
    Newest,
    /// The first (linux-6.12 and later).
    Oldest,
}

/// How file pages grow old.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reclaim {
    /// An inactive and an active list; the active one gives while it is the longer (linux-2.4 to 5.4).
    TwoLists,
    /// The same with a smaller inactive list in large memories, and with shadows: what comes back soon enough after it was
    /// evicted is active at once (linux-5.10 and later).
    Workingset,
}

/// What differs between the generations around the decisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callers {
    /// read(2).
    pub read: ReadLoop,
    /// Fault-around.
    pub fault_around: FaultAround,
    /// Huge page-table entries by fault-around.
    pub huge_entry: HugeEntry,
    /// A fault that is retried after a window was run by a minor fault counts as tried (up to linux-6.1).
    pub minor_retry_is_tried: bool,
    /// posix_fadvise(2) exists.
    pub fadvise: bool,
    /// POSIX_FADV_RANDOM is a mode of the handle; before, it set ra_pages to 0.
    pub random_mode: bool,
    /// The last byte of "to the end": −1, or the largest position (linux-6.12 and later).
    pub to_the_end: i64,
    /// DONTNEED and partial pages.
    pub partial_page: PartialPage,
    /// readahead(2).
    pub readahead_call: ReadaheadCall,
    /// The plug's flush test.
    pub plug_test: PlugTest,
    /// A request may merge with any request of the plug (up to linux-5.15), not only with the last.
    pub merges_with_any: bool,
    /// How file pages grow old.
    pub reclaim: Reclaim,
    /// lseek(2) sets a flag of the handle (lseek-flag).
    pub lseek_flag: bool,
    /// Most separate pieces of memory in a request, where the device allows more.
    pub max_segments: u32,
    /// Largest request that the kernel chooses by itself, in KiB (max_sectors_kb), where the device allows more.
    pub max_sectors_kb: u64,
}

/// linux-2.6.33; each later generation says what it changed.
pub(crate) const LINUX_2_6_33: Callers = Callers {
    read: ReadLoop::PageByPage,
    fault_around: FaultAround::None,
    huge_entry: HugeEntry::Never,
    minor_retry_is_tried: true,
    fadvise: true,
    random_mode: false,
    to_the_end: -1,
    partial_page: PartialPage::Dropped,
    readahead_call: ReadaheadCall::ByBytes,
    plug_test: PlugTest::Newest,
    merges_with_any: true,
    reclaim: Reclaim::TwoLists,
    lseek_flag: false,
    max_segments: 128,
    max_sectors_kb: 512,
};
