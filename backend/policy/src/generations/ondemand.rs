//! On-demand readahead, linux-2.6.33 to 6.1: one decision for misses and markers alike. Each generation's file says which
//! of its rules it changed (specification of the historic kernels, sections 2.5 and 5; of the modern kernels, 7.1, 7.2).

use super::faults::FaultRules;
use super::thrashing_safe;
use super::window::{WindowRun, window_run};
use crate::decide::{Outcome, Tunables};
use crate::gap::{NoGap, inside, next_hole, next_miss, prev_hole, prev_miss};
use crate::layout::{Layout, PlainRules};
use crate::limits::{Ceiling, ForceCeiling, force_limit, window_limit};
use crate::registry::Patch;
use crate::sizes::{down, first_size, next_size};
use crate::view::{CacheView, FolioRef};
use readahead_types::{Pattern, RaState, Reason, Trim, Via, Window};

/// What differs between the generations.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// What limits a window.
    pub(super) ceiling: Ceiling,
    /// What limits a forced range.
    pub(super) force: ForceCeiling,
    /// How the page cache is searched.
    pub(super) search: Search,
    /// How much history makes a stream.
    pub(super) history: History,
    /// What becomes of a window that would meet its own marker at once.
    pub(super) merge: Merge,
    /// With ra_pages 0 a miss forces its page in (linux-5.10); before, nothing happens.
    pub(super) off_forces: bool,
    /// A window that is continued never shrinks (linux-6.1).
    pub(super) keeps_size: bool,
    /// How a run of single pages is laid out.
    pub(super) plain: PlainRules,
    /// How a window is laid out.
    pub(super) window: WindowRun,
    /// Page faults.
    pub(super) faults: FaultRules,
}

/// How the page cache is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Search {
    /// Page by page; the page after the last one looked at when there is no gap (up to linux-4.14).
    PageByPage,
    /// By the XArray's cursor; the last page looked at when there is no gap (linux-5.4 to 6.1).
    Cursor,
}

/// How much history makes a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum History {
    /// Any: a first window for the history and the request (up to linux-3.11).
    Any,
    /// More than the request: as many pages, one of them behind the marker (linux-3.12 and later).
    MoreThanRequest,
}

/// What becomes of a window that would meet its own marker at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// The next window is added, whatever the limit (up to linux-4.17).
    Add,
    /// The next window is added within the limit (linux-4.18 and later).
    WithinLimit,
}

impl Search {
    pub(super) fn next<V: CacheView>(self, view: &V, from: u64, limit: u64, tunables: &Tunables) -> u64 {
        match self {
            Search::PageByPage => next_hole(view, from, limit, tunables.patches.has(Patch::FastHoleSearch)),
            Search::Cursor => next_miss(view, from, limit, NoGap::LastProbed),
        }
    }

    fn prev<V: CacheView>(self, view: &V, from: u64, limit: u64, tunables: &Tunables) -> u64 {
        match self {
            Search::PageByPage => prev_hole(view, from, limit, tunables.patches.has(Patch::FastHoleSearch)),
            Search::Cursor => prev_miss(view, from, limit, NoGap::LastProbed),
        }
    }

    /// Cached pages directly before `index`, as the search reports them.
    pub(super) fn history<V: CacheView>(self, view: &V, index: u64, limit: u64, tunables: &Tunables) -> u64 {
        index.wrapping_sub(1).wrapping_sub(self.prev(view, index.wrapping_sub(1), limit, tunables))
    }
}

impl Rules {
    /// The layout of single pages, with what patches change.
    fn plain(&self, tunables: &Tunables) -> PlainRules {
        PlainRules { retain: tunables.patches.has(Patch::RetainInactive), ..self.plain }
    }
}

/// Hands a window over.
#[expect(clippy::too_many_arguments, reason = "one window with the story of its decision")]
pub(super) fn run(
    rules: &Rules,
    ra: RaState,
    at: u64,
    order: u8,
    via: Via,
    max: u64,
    reason: Reason,
    trim: Trim,
    tunables: &Tunables,
) -> Outcome {
    let outcome = window_run(rules.window, rules.plain(tunables), ra, at, order, via, max, reason, trim, tunables);
    let pattern = tunables.patches.has(Patch::Patterns).then_some(outcome.after.pattern);
    Outcome { pattern, ..outcome }
}

/// A page that was wanted is not in the cache.
pub(super) fn sync_ra<V: CacheView>(
    rules: &Rules,
    ra: RaState,
    index: u64,
    req: u64,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    if ra.ra_pages == 0 {
        if !rules.off_forces {
            return Outcome::nothing(ra, Via::Sync, 0, Reason::SyncNoReadahead { index });
        }
        let limit = force_limit(&ra, rules.ceiling, rules.force, tunables);
        return force(rules, ra, index, 1, Reason::SyncReadaheadOff { index, limit }, tunables);
    }
    if ra.random {
        let limit = force_limit(&ra, rules.ceiling, rules.force, tunables);
        return force(rules, ra, index, req, Reason::SyncRandomFile { index, req, limit }, tunables);
    }
    decide(rules, ra, None, index, req, tunables, view)
}

/// A folio with the lookahead marker was reached. The marker is to be cleared unless the reason says that it stays.
pub(super) fn async_ra<V: CacheView>(
    rules: &Rules,
    ra: RaState,
    folio: FolioRef,
    index: u64,
    req: u64,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    if ra.ra_pages == 0 {
        return Outcome::nothing(ra, Via::Async, 0, Reason::AsyncReadaheadOff { index });
    }
    decide(rules, ra, Some(folio.order), index, req, tunables, view)
}

/// A range that is read as it is.
fn force(rules: &Rules, ra: RaState, index: u64, pages: u64, reason: Reason, tunables: &Tunables) -> Outcome {
    let limit = force_limit(&ra, rules.ceiling, rules.force, tunables);
    let outcome = Outcome::force(ra, index, pages, limit, rules.plain(tunables), reason);
    Outcome { pattern: tunables.patches.has(Patch::Patterns).then_some(Pattern::Fadvise), ..outcome }
}

/// fadvise WILLNEED and readahead(2) of `pages` pages.
pub(super) fn will_need(rules: &Rules, ra: RaState, index: u64, pages: u64, tunables: &Tunables) -> Outcome {
    let limit = force_limit(&ra, rules.ceiling, rules.force, tunables);
    force(rules, ra, index, pages, Outcome::forced(index, pages, limit), tunables)
}

/// The decision. `hit` is the order of the folio whose marker was met, `None` for a miss.
fn decide<V: CacheView>(
    rules: &Rules,
    mut ra: RaState,
    hit: Option<u8>,
    index: u64,
    req: u64,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    let max = window_limit(req, &ra, rules.ceiling, tunables);
    if tunables.patches.has(Patch::ThrashingSafe) {
        return thrashing_safe::decide(rules, ra, hit.is_some(), index, req, max, tunables, view);
    }
    let initial = |ra: RaState, story: Story| {
        let size = first_size(req, max);
        let async_size = if size > req { size - req } else { size };
        let reason = match story {
            Story::Start if hit.is_some() => Reason::AsyncStartOfFile { req, max, size },
            Story::Start => Reason::SyncStartOfFile { req, max, size },
            Story::Oversize => Reason::SyncOversize { index, req, max, size },
            Story::Sequential => {
                Reason::SyncSequential { index, prev_index: (ra.prev_pos as u64) >> 12, req, max, size }
            }
        };
        let ra = RaState { start: index, size: size as u32, async_size: async_size as u32, ..ra };
        go(rules, ra, hit, index, max, reason, tunables)
    };
    if index == 0 {
        return initial(ra, Story::Start);
    }
    if let Some(reason) = follow(rules, &mut ra, hit, index, max) {
        return go(rules, ra, hit, index, max, reason, tunables);
    }
    if hit.is_some() {
        let gap = rules.search.next(view, index.wrapping_add(1), max, tunables);
        let inside = inside(view, index.wrapping_add(1));
        if gap == 0 || gap.wrapping_sub(index) > max {
            return Outcome::nothing(ra, Via::Async, max, Reason::AsyncNoGap { index, max, inside });
        }
        let asked = (gap.wrapping_sub(index) as u32).wrapping_add(req as u32);
        let size = next_size(u64::from(asked), max);
        ra.start = gap;
        ra.size = size as u32;
        ra.async_size = ra.size;
        let reason = if view.folio(gap).is_some() {
            Reason::AsyncPastCached { index, at: gap, req, max, size }
        } else {
            Reason::AsyncUnexpected { index, gap, req, max, size, inside }
        };
        return go(rules, ra, hit, index, max, reason, tunables);
    }
    if req > max {
        return initial(ra, Story::Oversize);
    }
    if index.wrapping_sub((ra.prev_pos as u64) >> 12) <= 1 {
        return initial(ra, Story::Sequential);
    }
    miss_elsewhere(rules, ra, index, req, max, tunables, view)
}

/// Why a window begins anew.
enum Story {
    Start,
    Oversize,
    Sequential,
}

/// The last window is continued when its marker, or the page behind it, is reached or missed.
pub(super) fn follow(rules: &Rules, ra: &mut RaState, hit: Option<u8>, index: u64, max: u64) -> Option<Reason> {
    let (from_start, from) = (ra.start, u64::from(ra.size));
    let end = from_start.wrapping_add(from);
    let marker = down(end.wrapping_sub(u64::from(ra.async_size)), 1 << hit.unwrap_or(0));
    if index != marker && index != end {
        return None;
    }
    let next = next_size(from, max);
    let size = if rules.keeps_size { from.max(next) } else { next };
    ra.start = end;
    ra.size = size as u32;
    ra.async_size = ra.size;
    Some(match (hit.is_some(), index == marker) {
        (true, true) => Reason::AsyncExpected { index, from_start, from, max, start: end, size },
        (true, false) => Reason::AsyncWindowEnd { index, from_start, from, max, size },
        (false, true) => Reason::SyncExpected { index, from_start, from, max, start: end, size },
        (false, false) => Reason::SyncWindowEnd { index, from_start, from, max, size },
    })
}

/// A miss that is not sequential: the history in the page cache says whether it belongs to a stream.
fn miss_elsewhere<V: CacheView>(
    rules: &Rules,
    mut ra: RaState,
    index: u64,
    req: u64,
    max: u64,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    let history = rules.search.history(view, index, max, tunables);
    let inside = inside(view, index - 1);
    let random = match rules.history {
        History::Any => history == 0,
        History::MoreThanRequest => history <= req,
    };
    if random {
        let reason = match rules.history {
            History::Any => Reason::SyncNoHistory { index, req },
            History::MoreThanRequest => Reason::SyncSmallRandom { index, req, history, inside },
        };
        if tunables.eof.is_none_or(|eof| index > eof) {
            return Outcome::nothing(ra, Via::Random, max, reason);
        }
        let layout = Layout::plain(index, req, 0, 0, tunables.eof, rules.plain(tunables));
        let window = Window { start: index, size: req, async_size: 0, order: 0 };
        return Outcome::run(ra, Via::Random, max, window, layout, reason);
    }
    let from_start = history >= index;
    let asked = if from_start { history.wrapping_mul(2) } else { history }.wrapping_add(req);
    let size = match rules.history {
        History::Any => first_size(asked, max),
        History::MoreThanRequest => asked.min(max),
    };
    ra.start = index;
    ra.size = size as u32;
    ra.async_size = if rules.history == History::Any { ra.size } else { 1 };
    let reason = if from_start {
        Reason::SyncHistoryFromStart { index, req, max, history, size, inside }
    } else {
        Reason::SyncHistory { index, req, max, history, size, inside }
    };
    go(rules, ra, None, index, max, reason, tunables)
}

/// A window that would meet its own marker at once is read together with the next one.
pub(super) fn go(
    rules: &Rules,
    mut ra: RaState,
    hit: Option<u8>,
    index: u64,
    max: u64,
    reason: Reason,
    tunables: &Tunables,
) -> Outcome {
    let mut trim = Trim::None;
    if index == ra.start && ra.size == ra.async_size {
        let from_size = u64::from(ra.size);
        let next = next_size(from_size, max);
        let within = rules.merge == Merge::WithinLimit || tunables.patches.has(Patch::StableIoPages);
        if within && from_size + next > max {
            ra.size = max as u32;
            ra.async_size = (max / 2) as u32;
            trim = Trim::MergedToLimit { from_size, size: max, async_size: max / 2 };
        } else {
            ra.async_size = next as u32;
            ra.size = ra.size.wrapping_add(ra.async_size);
            trim = Trim::Merged { from_size, size: u64::from(ra.size), async_size: next };
        }
    }
    let via = if hit.is_some() { Via::Async } else { Via::Sync };
    run(rules, ra, ra.start, hit.unwrap_or(0), via, max, reason, trim, tunables)
}
