//! What linux-6.12 and 7.2 share: misses and markers are decided apart, and a miss never continues a window
//! (specification of the modern kernels, 7.3 and 7.4).

use crate::decide::{Outcome, Tunables};
use crate::gap::{NoGap, inside, next_miss, prev_miss};
use crate::layout::{Layout, PlainRules};
use crate::limits::{Ceiling, ForceCeiling, force_limit};
use crate::sizes::{cap, down, first_size, next_size};
use crate::view::{CacheView, FolioRef};
use readahead_types::{RaState, Reason, Via, Window};

fn limit(ra: &RaState, tunables: &Tunables) -> u64 {
    force_limit(ra, Ceiling::IoPages, ForceCeiling::IoPages, tunables)
}

/// A page that was wanted is not in the cache. `window` hands over the window that the state describes.
#[expect(clippy::too_many_arguments, reason = "the miss, the generation's own rules, and the cache")]
pub(super) fn sync_ra<V: CacheView>(
    mut ra: RaState,
    index: u64,
    req: u64,
    no_gap: NoGap,
    plain: PlainRules,
    tunables: &Tunables,
    view: &V,
    window: impl FnOnce(RaState, u64, Reason) -> Outcome,
) -> Outcome {
    let limit = limit(&ra, tunables);
    if ra.ra_pages == 0 {
        return Outcome::force(ra, index, 1, limit, plain, Reason::SyncReadaheadOff { index, limit });
    }
    if ra.random {
        return Outcome::force(ra, index, req, limit, plain, Reason::SyncRandomFile { index, req, limit });
    }
    let max = cap(req, ra.ra_pages, tunables.io_pages);
    let prev_index = (ra.prev_pos as u64) >> 12;
    if index == 0 || req > max || index.wrapping_sub(prev_index) <= 1 {
        let size = first_size(req, max);
        let reason = if index == 0 {
            Reason::SyncStartOfFile { req, max, size }
        } else if req > max {
            Reason::SyncOversize { index, req, max, size }
        } else {
            Reason::SyncSequential { index, prev_index, req, max, size }
        };
        ra.start = index;
        ra.size = size as u32;
        ra.async_size = if size > req { size - req } else { size / 2 } as u32;
        return window(ra, max, reason);
    }

    let miss = prev_miss(view, index - 1, max, no_gap);
    let history = index.wrapping_sub(miss).wrapping_sub(1);
    let inside = inside(view, index - 1);
    if history <= req {
        let layout = Layout::plain(index, req, 0, tunables.min_order, tunables.eof, plain);
        let asked = Window { start: index, size: req, async_size: 0, order: 0 };
        let reason = Reason::SyncSmallRandom { index, req, history, inside };
        return Outcome::run(ra, Via::Random, max, asked, layout, reason);
    }
    let from_start = miss == u64::MAX;
    let weight = if from_start { history.wrapping_mul(2) } else { history };
    let size = weight.wrapping_add(req).min(max);
    let reason = if from_start {
        Reason::SyncHistoryFromStart { index, req, max, history, size, inside }
    } else {
        Reason::SyncHistory { index, req, max, history, size, inside }
    };
    ra.start = index;
    ra.size = size as u32;
    ra.async_size = 1;
    window(ra, max, reason)
}

/// A marker was met: where the next window begins and how large it would be (`async_size` is not settled here), with
/// the limit and the reason; an error is the decision to read nothing.
#[expect(clippy::result_large_err, reason = "both are the decision")]
pub(super) fn follow<V: CacheView>(
    ra: &mut RaState,
    folio: FolioRef,
    index: u64,
    req: u64,
    tunables: &Tunables,
    view: &V,
) -> Result<(u64, Reason), Outcome> {
    if ra.ra_pages == 0 {
        return Err(Outcome::nothing(*ra, Via::Async, 0, Reason::AsyncReadaheadOff { index }));
    }
    let max = cap(req, ra.ra_pages, tunables.io_pages);
    let (from_start, from) = (ra.start, u64::from(ra.size));

    // Where the last window put its marker, as seen from the folio that carries one now.
    let expected = down(ra.start.wrapping_add(from).wrapping_sub(u64::from(ra.async_size)), 1 << folio.order);
    if index == expected {
        ra.start = ra.start.wrapping_add(from);
        let size = from.max(next_size(from, max));
        ra.size = size as u32;
        return Ok((max, Reason::AsyncExpected { index, from_start, from, max, start: ra.start, size }));
    }
    let gap = next_miss(view, index.wrapping_add(1), max, NoGap::Beyond);
    let inside = inside(view, index.wrapping_add(1));
    if gap == 0 || gap.wrapping_sub(index) > max {
        return Err(Outcome::nothing(*ra, Via::Async, max, Reason::AsyncNoGap { index, max, inside }));
    }
    let size = next_size(gap.wrapping_sub(index).wrapping_add(req), max);
    ra.start = gap;
    ra.size = size as u32;
    Ok((max, Reason::AsyncUnexpected { index, gap, req, max, size, inside }))
}

/// fadvise WILLNEED and readahead(2) of `pages` pages.
pub(super) fn will_need(ra: RaState, index: u64, pages: u64, plain: PlainRules, tunables: &Tunables) -> Outcome {
    let limit = limit(&ra, tunables);
    Outcome::force(ra, index, pages, limit, plain, Outcome::forced(index, pages, limit))
}
