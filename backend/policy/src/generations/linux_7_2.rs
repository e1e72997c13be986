//! linux-7.2 (7.2.13) and linux-7.3-rc, with the patches keep-half-window, align-in-ra-order and mmap-floor-order.
//!
//! Follows the specification of the modern kernels, sections 4.4, 6 and 7.4, and 9a for the patches. The file's `order`
//! lives on between windows: an asynchronous window raises it by 2, a window's size limits it.

use super::window::PMD_ORDER;
use super::{linux_6_12, since_6_12};
use crate::callers::{Callers, FaultAround, ReadLoop};
use crate::decide::{Mapping, Outcome, Tunables};
use crate::gap::NoGap;
use crate::layout::{Fallback, FolioRules, FolioWindow, Layout, PlainMark, PlainRules};
use crate::registry::Patch;
use crate::sizes::{down, lg, up};
use crate::view::{CacheView, FolioRef};
use readahead_types::{RaState, Reason, Trim, Via, Window};

/// mmap_miss never grows beyond this.
const MMAP_MISS_MAX: u32 = 1000;
/// Above this many misses a fault reads nothing around it.
const MMAP_LOTSAMISS: u32 = 100;

/// How a run of single folios is laid out.
const PLAIN: PlainRules = PlainRules { mark: PlainMark::NotAtEnd, one_batch: false, retain: false };
/// How large folios are laid out.
const FOLIOS: FolioRules = FolioRules { fallback: Fallback::Rest, no_order_1: false };

/// The code around the decisions.
pub(super) const CALLERS: Callers = Callers {
    read: ReadLoop::Batches { folios: 31, prev_pos_at_once: false, rounds_to_min_order: true },
    fault_around: FaultAround::Once,
    max_sectors_kb: 4096,
    max_segments: 256,
    ..linux_6_12::CALLERS
};

/// A page that was wanted is not in the cache.
pub(super) fn sync_ra<V: CacheView>(ra: RaState, index: u64, req: u64, tunables: &Tunables, view: &V) -> Outcome {
    since_6_12::sync_ra(ra, index, req, NoGap::Beyond, PLAIN, tunables, view, |ra, max, reason| {
        sync_window(ra, max, reason, tunables)
    })
}

/// A synchronous window: the folio order starts over.
fn sync_window(mut ra: RaState, max: u64, reason: Reason, tunables: &Tunables) -> Outcome {
    ra.order = 0;
    window_run(ra, ra.start, Via::Sync, max, reason, Trim::None, RunOptions::default(), tunables)
}

/// A folio with the lookahead marker was reached. The marker is to be cleared unless the reason says that it stays.
pub(super) fn async_ra<V: CacheView>(
    mut ra: RaState,
    folio: FolioRef,
    index: u64,
    req: u64,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    let (max, reason) = match since_6_12::follow(&mut ra, folio, index, req, tunables, view) {
        Ok(followed) => followed,
        Err(nothing) => return nothing,
    };

    ra.order += 2;
    let shrink = tunables.patches.has(Patch::AlignInRaOrder);
    let trim = if shrink { Trim::None } else { align_end(&mut ra, max, tunables.patches.has(Patch::KeepHalfWindow)) };
    ra.async_size = ra.size;
    let options = RunOptions { may_shrink: shrink, floor_order: 0 };
    window_run(ra, ra.start, Via::Async, max, reason, trim, options, tunables)
}

/// Cuts the end of an asynchronous window to a multiple of the folio size aimed at; with keep-half-window the alignment
/// is halved until at least half of the window is kept.
fn align_end(ra: &mut RaState, max: u64, keep_half: bool) -> Trim {
    let (start, from_size) = (ra.start, u64::from(ra.size));
    let end = start.wrapping_add(from_size);
    let asked = u32::from(ra.order).min(max.trailing_zeros());
    let mut shift = asked;
    let mut to = down(end, 1 << shift);
    if keep_half {
        while to > start && 2 * (to - start) < from_size {
            shift -= 1;
            to = down(end, 1 << shift);
        }
    }
    let align = 1u64 << shift;
    if to <= start {
        return Trim::NotCut { end, align, to };
    }
    let size = from_size - (end - to);
    ra.size = size as u32;
    if shift < asked {
        Trim::Halved { end, asked: 1 << asked, align, to, from_size, size }
    } else if to == end {
        Trim::Aligned { end, align }
    } else {
        Trim::Cut { end, align, to, from_size, size }
    }
}

/// What the callers of [`window_run`] ask for beyond the window itself. Both belong to patches.
#[derive(Clone, Copy, Debug, Default)]
struct RunOptions {
    /// align-in-ra-order: the window's end may be cut to the folio order really used.
    may_shrink: bool,
    /// mmap-floor-order: folios of at least this order where they fit.
    floor_order: u16,
}

/// Settles the folio order and hands the window over. `at` is the readahead control's index, where the window runs
/// from; only the huge-page window runs from elsewhere than the file's `start`.
#[expect(clippy::too_many_arguments, reason = "one window with the story of its decision")]
fn window_run(
    mut ra: RaState,
    at: u64,
    via: Via,
    max: u64,
    reason: Reason,
    mut trim: Trim,
    options: RunOptions,
    tunables: &Tunables,
) -> Outcome {
    let entry_order = ra.order;
    let mut folios = None;
    if tunables.large() {
        let wanted = ra.order.max(options.floor_order);
        let order = wanted
            .min(u16::from(tunables.max_order))
            .min(lg(u64::from(ra.size)) as u16)
            .max(u16::from(tunables.min_order));
        if ra.order >= options.floor_order {
            ra.order = order;
        }
        if options.may_shrink {
            trim = shrink_to_order(&mut ra, at, u32::from(order));
        }
        let (size, async_size) = (u64::from(ra.size), u64::from(ra.async_size));
        let end = at.wrapping_add(size).wrapping_sub(1);
        let (last, mark) = match tunables.eof {
            Some(eof) if eof > end => (end, Some(at.wrapping_add(size).wrapping_sub(async_size))),
            // The window reaches the end of the file, or ends exactly there: no folio gets the marker.
            Some(eof) => (eof, None),
            None => (0, None),
        };
        folios = Some(FolioWindow { order: order as u8, last, mark, rules: FOLIOS });
    } else {
        if options.may_shrink {
            trim = Trim::OrderNotLarge;
        }
        ra.order = 0;
    }
    let (size, async_size) = (u64::from(ra.size), u64::from(ra.async_size));
    let plain = Layout::plain(at, size, async_size, tunables.min_order, tunables.eof, PLAIN);
    let layout = folios.map_or(plain, |window| plain.folios(window));
    let window = Window { start: at, size, async_size, order: entry_order };
    Outcome { trim, ..Outcome::run(ra, via, max, window, layout, reason) }
}

/// align-in-ra-order: cuts the window's end to a multiple of the folio order settled.
fn shrink_to_order(ra: &mut RaState, start: u64, order: u32) -> Trim {
    let from_size = u64::from(ra.size);
    let end = start.wrapping_add(from_size);
    let to = down(end, 1 << order);
    let order = u64::from(order);
    if to <= start {
        return Trim::OrderNotCut { end, order, to };
    }
    if to == end {
        return Trim::OrderAligned { end, order };
    }
    let size = from_size - (end - to);
    ra.size = size as u32;
    ra.async_size = ra.async_size.min(ra.size);
    Trim::ShrunkToOrder { end, order, to, from_size, size }
}

/// A fault on a page that is not cached.
pub(super) fn fault_sync<V: CacheView>(
    mut ra: RaState,
    page: u64,
    mapping: &Mapping,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    let huge = mapping.huge && tunables.large();
    let counts_misses = !mapping.sequential && !mapping.exec;
    if !huge {
        if mapping.random && !mapping.exec {
            return Outcome::nothing(ra, Via::Around, 0, Reason::FaultRandom { page });
        }
        if ra.ra_pages == 0 {
            return Outcome::nothing(ra, Via::Around, 0, Reason::FaultReadaheadOff { page });
        }
        if mapping.sequential {
            return sync_ra(ra, page, u64::from(ra.ra_pages), tunables, view);
        }
    }
    if counts_misses {
        ra.mmap_miss = (ra.mmap_miss + 1).min(MMAP_MISS_MAX);
        if ra.mmap_miss > MMAP_LOTSAMISS {
            let misses = u64::from(ra.mmap_miss);
            return Outcome::nothing(ra, Via::Around, 0, Reason::FaultTooManyMisses { page, misses });
        }
    }
    if huge {
        huge_window(ra, page, mapping, tunables)
    } else if mapping.exec {
        exec_window(ra, page, mapping, tunables)
    } else {
        read_around(ra, page, tunables)
    }
}

/// Two of the largest folios, one for a random mapping, from the one that holds the page. `start` stays as it was.
fn huge_window(mut ra: RaState, page: u64, mapping: &Mapping, tunables: &Tunables) -> Outcome {
    let order = tunables.max_order.min(PMD_ORDER);
    let pages = 1u32 << order;
    ra.size = if mapping.random { pages } else { 2 * pages };
    ra.async_size = pages;
    ra.order = u16::from(order);
    let reason = Reason::FaultHuge { page, size: u64::from(ra.size), order: u64::from(order) };
    let at = down(page, u64::from(pages));
    window_run(ra, at, Via::Around, 0, reason, Trim::None, RunOptions::default(), tunables)
}

/// ra_pages from the page on, in folios of the order that the architecture wants, inside the mapping.
fn exec_window(mut ra: RaState, page: u64, mapping: &Mapping, tunables: &Tunables) -> Outcome {
    let folio = 1u64 << tunables.exec_order;
    let start = down(page, folio);
    let stop = up(start + u64::from(ra.ra_pages), folio).min(mapping.pages);
    ra.start = start;
    ra.size = stop.saturating_sub(start) as u32;
    ra.async_size = 0;
    ra.order = u16::from(tunables.exec_order);
    let reason = Reason::FaultExec { page, size: u64::from(ra.size), order: u64::from(tunables.exec_order) };
    window_run(ra, start, Via::Around, 0, reason, Trim::None, RunOptions::default(), tunables)
}

/// ra_pages around the page, a quarter of them behind the marker.
fn read_around(mut ra: RaState, page: u64, tunables: &Tunables) -> Outcome {
    let ra_pages = u64::from(ra.ra_pages);
    let start = page.saturating_sub(ra_pages / 2);
    ra.start = start;
    ra.size = ra.ra_pages;
    ra.async_size = ra.ra_pages / 4;
    ra.order = 0;
    let misses = u64::from(ra.mmap_miss);
    let floor_order = if tunables.patches.has(Patch::MmapFloorOrder) {
        tunables.fault_around_pages.trailing_zeros() as u16
    } else {
        0
    };
    let reason = if floor_order > 0 {
        Reason::FaultAroundFloor { page, ra_pages, start, misses, floor: u64::from(floor_order) }
    } else {
        Reason::FaultAround { page, ra_pages, start, misses }
    };
    let options = RunOptions { may_shrink: false, floor_order };
    window_run(ra, start, Via::Around, 0, reason, Trim::None, options, tunables)
}

/// A fault on a cached page: the state from now on, and the decision when the page's folio carries a marker. `locked`
/// says that the folio's I/O is not done.
pub(super) fn fault_async<V: CacheView>(
    mut ra: RaState,
    folio: FolioRef,
    locked: bool,
    page: u64,
    mapping: &Mapping,
    tunables: &Tunables,
    view: &V,
) -> (RaState, Option<Outcome>) {
    if mapping.random || ra.ra_pages == 0 {
        let reason =
            if mapping.random { Reason::FaultMarkerRandom { page } } else { Reason::FaultMarkerReadaheadOff { page } };
        return (ra, folio.marked.then(|| Outcome::nothing(ra, Via::Async, 0, reason)));
    }
    if !mapping.sequential && !mapping.exec && !locked {
        ra.mmap_miss = ra.mmap_miss.saturating_sub(1);
    }
    if !folio.marked {
        return (ra, None);
    }
    let outcome = async_ra(ra, folio, page, u64::from(ra.ra_pages), tunables, view);
    (outcome.after, Some(outcome))
}

/// fadvise WILLNEED and readahead(2) of `pages` pages.
pub(super) fn will_need(ra: RaState, index: u64, pages: u64, tunables: &Tunables) -> Outcome {
    since_6_12::will_need(ra, index, pages, PLAIN, tunables)
}
