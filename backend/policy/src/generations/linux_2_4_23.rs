//! linux-2.4.23, with the patch last-page (specification of the historic kernels, section 6): a window that grows each
//! time the reader meets a page that is still being read, or comes to the end of what was read ahead.

use crate::callers::{Callers, LINUX_2_6_33, PartialPage, ReadLoop, ReadaheadCall};
use crate::decide::{Action, Mapping, Outcome, Tunables};
use crate::layout::{Layout, PlainMark, PlainRules};
use crate::registry::Patch;
use crate::sizes::down;
use readahead_types::{Old24, RaState, Reason, Via, Window};

/// Smallest readahead (vm_min_readahead), in pages.
const MIN_READAHEAD: u64 = 3;
/// A read from the start of the file of at most this many bytes does not begin a stream.
const HALF_PAGE: u64 = 2048;
/// Pages of a cluster that one fault reads (2^page_cluster).
const CLUSTER_PAGES: u64 = 8;

const PLAIN: PlainRules = PlainRules { mark: PlainMark::AsAsked, one_batch: true, retain: false };

/// The code around the decisions.
pub(super) const CALLERS: Callers = Callers {
    read: ReadLoop::Old24,
    fadvise: false,
    partial_page: PartialPage::Dropped,
    readahead_call: ReadaheadCall::Old24,
    max_sectors_kb: 127,
    ..LINUX_2_6_33
};

/// One read(2) call as linux-2.4 sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader24 {
    /// The call begins inside, or next to, what was read ahead.
    pub in_context: bool,
}

/// What the step for one page decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step24 {
    /// The state from now on.
    pub after: RaState,
    /// What to read; `None` when no page was allowed.
    pub outcome: Option<Outcome>,
}

/// Index of the page that holds the byte behind the last one: one past the last page for a size of whole pages.
fn end_index(bytes: u64) -> u64 {
    bytes >> 12
}

impl Reader24 {
    /// A call begins: the state that it starts with.
    pub fn begin(mut ra: RaState, pos: u64, len: u64) -> (Self, RaState) {
        let old = &mut ra.old;
        let max = u64::from(ra.ra_pages);
        let (index, offset) = (pos >> 12, pos & 4095);
        let outside = index > old.raend || index.wrapping_add(old.rawin) < old.raend;
        if outside {
            *old = Old24 { reada: old.reada, ..Old24::default() };
        }
        let in_context = !outside;
        if index == 0 && offset + len <= HALF_PAGE {
            old.ramax = 0;
        } else {
            let need = (offset.saturating_add(len) >> 12) + 1;
            old.ramax = old.ramax.max(need);
            if in_context {
                old.ramax = old.ramax.max(MIN_READAHEAD);
            }
            old.ramax = old.ramax.min(max);
        }
        (Reader24 { in_context }, ra)
    }

    /// The step for the page just visited. `locked`: it is still being read. `bytes` is the size of the file.
    pub fn step(self, mut ra: RaState, index: u64, locked: bool, bytes: u64, tunables: &Tunables) -> Step24 {
        let max = u64::from(ra.ra_pages);
        let end = end_index(bytes);
        let old = &mut ra.old;
        let mut from = old.raend;
        let mut allowed = 0;
        let mut asynchronous = false;
        if locked {
            if old.ralen == 0 || index >= from || index.wrapping_add(old.rawin) < from {
                from = index;
                if from < end {
                    allowed = old.ramax;
                }
                old.rawin = 0;
                old.ralen = 1;
                if allowed == 0 {
                    old.raend = index + old.ralen;
                    old.rawin += old.ralen;
                }
            }
        } else if self.in_context
            && old.ramax > 0
            && from >= 1
            && index <= from
            && index.wrapping_add(old.ralen) >= from
        {
            from -= 1;
            if from < end {
                allowed = old.ramax + 1;
            }
            if allowed > 0 {
                old.rawin = old.ralen;
                old.ralen = 0;
                asynchronous = true;
            }
        }
        if allowed == 0 {
            return Step24 { after: ra, outcome: None };
        }
        let last_page = tunables.patches.has(Patch::LastPage);
        // The page that ends the loop at the end of the file counts too; with last-page only pages tried count.
        let left = if last_page { end.saturating_sub(from) } else { end.saturating_sub(from).max(1) };
        let tried = allowed.min(left);
        if tried > 0 {
            old.ralen += tried;
            old.rawin += old.ralen;
            old.raend = from + tried + 1;
            old.ramax = (2 * old.ramax).min(max);
        }
        let start = from + 1;
        let last = if last_page { Some(end) } else { end.checked_sub(1) };
        let layout = Layout::plain(start, tried, 0, 0, last, PLAIN);
        let window = Window { start, size: tried, async_size: if asynchronous { tried } else { 0 }, order: 0 };
        let reason = if asynchronous {
            Reason::OldAsync { index, allowed, size: tried, end: from + 1 }
        } else {
            Reason::OldSync { index, allowed, size: tried, in_context: self.in_context }
        };
        Step24 { after: ra, outcome: Some(Outcome::run(ra, Via::Legacy, max, window, layout, reason)) }
    }
}

/// Faults of a mapping: aligned clusters, and for a sequential mapping the clusters ahead of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cluster24 {
    /// The page that the sequential mapping has read up to; 0 before its first fault.
    pub raend: u64,
}

impl Cluster24 {
    /// The cluster that holds a page that is not cached; `None` for a random mapping.
    pub fn miss(ra: RaState, page: u64, mapping: &Mapping, tunables: &Tunables) -> Option<Outcome> {
        if mapping.random {
            return None;
        }
        let start = down(page, CLUSTER_PAGES);
        let reason = Reason::OldCluster { page, start, size: CLUSTER_PAGES };
        Some(cluster(ra, start, reason, tunables))
    }

    /// A fault of a sequential mapping, page cached or not: the first page and the page behind the last of the clusters
    /// that are read ahead.
    pub fn ahead(&mut self, ra: &RaState, page: u64, mapping: &Mapping) -> Option<(u64, u64)> {
        if !mapping.sequential {
            return None;
        }
        let window = u64::from(ra.ra_pages).next_multiple_of(CLUSTER_PAGES);
        if self.raend == 0 {
            self.raend = window;
        }
        if page + window / 2 != self.raend || self.raend >= mapping.pages {
            return None;
        }
        let start = self.raend;
        self.raend += window;
        Some((start, (start + window).min(mapping.pages)))
    }

    /// One cluster of those.
    pub fn next(ra: RaState, page: u64, at: u64, tunables: &Tunables) -> (Outcome, u64) {
        let start = down(at, CLUSTER_PAGES);
        let reason = Reason::OldClusterAhead { page, start, size: CLUSTER_PAGES };
        (cluster(ra, start, reason, tunables), at + CLUSTER_PAGES)
    }
}

fn cluster(ra: RaState, start: u64, reason: Reason, tunables: &Tunables) -> Outcome {
    let layout = Layout::plain(start, CLUSTER_PAGES, 0, 0, tunables.eof, PLAIN);
    let window = Window { start, size: CLUSTER_PAGES, async_size: 0, order: 0 };
    Outcome::run(ra, Via::Around, 0, window, layout, reason)
}

/// readahead(2) of `pages` pages: cut to the end of the file and to half of the inactive list.
pub(super) fn will_need(ra: RaState, index: u64, pages: u64, tunables: &Tunables) -> Outcome {
    let file_pages = tunables.eof.map_or(0, |eof| eof + 1);
    let limit = tunables.memory.inactive_file / 2;
    let inside = pages.min(file_pages.saturating_sub(index));
    let reason = Outcome::forced(index, inside, limit);
    let size = inside.min(limit);
    if size == 0 {
        return Outcome::nothing(ra, Via::Force, limit, reason);
    }
    let layout = Layout::plain(index, size, 0, 0, tunables.eof, PLAIN);
    let window = Window { start: index, size, async_size: 0, order: 0 };
    Outcome { action: Action::Run(layout), ..Outcome::run(ra, Via::Force, limit, window, layout, reason) }
}
