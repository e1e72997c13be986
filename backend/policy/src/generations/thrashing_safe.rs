//! The patch thrashing-safe of the 2010 series (specification of the historic kernels, 3.5 to 3.7): a stream that lost
//! pages before it used them is sized by its history in the page cache from then on.

use super::ondemand::{Rules, follow, go};
use crate::decide::{Outcome, Tunables};
use crate::registry::Patch;
use crate::sizes::first_size;
use crate::view::CacheView;
use readahead_types::{Pattern, RaState, Reason, Via};

/// History is looked for over this many times the limit, and an eighth of it may lie behind the marker.
const RATIO: u64 = 8;
/// Smallest window in pages: 16 KiB, or 32 KiB with 512k-default.
const MIN_PAGES: u64 = 4;
const MIN_PAGES_512K: u64 = 8;

/// The decision. `hit`: a marker was met.
#[expect(clippy::too_many_arguments, reason = "a decision with its rules, its limit and its cache")]
pub(super) fn decide<V: CacheView>(
    rules: &Rules,
    mut ra: RaState,
    hit: bool,
    index: u64,
    req: u64,
    max: u64,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    let marker = hit.then_some(0);
    let window = |ra: RaState, reason: Reason| go(rules, ra, marker, index, max, reason, tunables);
    if index == 0 {
        ra.pattern = Pattern::Initial;
        ra.start = 0;
        if ra.moved && req <= max {
            ra.size = req as u32;
            ra.async_size = 0;
            return window(ra, Reason::SyncStartAfterSeek { req, max });
        }
        let size = first_size(req, max);
        ra.size = size as u32;
        ra.async_size = if size > req { size - req } else { size } as u32;
        let reason =
            if hit { Reason::AsyncStartOfFile { req, max, size } } else { Reason::SyncStartOfFile { req, max, size } };
        return window(ra, reason);
    }
    if !ra.thrashed {
        if let Some(reason) = follow(rules, &mut ra, marker, index, max) {
            ra.pattern = Pattern::Subsequent;
            return window(ra, reason);
        }
        if req > max && !hit {
            ra.pattern = Pattern::Initial;
            ra.start = index;
            ra.size = max as u32;
            ra.async_size = ra.size;
            return window(ra, Reason::SyncOversize { index, req, max, size: max });
        }
    }
    context(rules, ra, hit, index, req, max, tunables, view)
}

/// Sizes the window by the pages of the stream that are still cached behind it.
#[expect(clippy::too_many_arguments, reason = "a decision with its rules, its limit and its cache")]
fn context<V: CacheView>(
    rules: &Rules,
    mut ra: RaState,
    hit: bool,
    index: u64,
    req: u64,
    max: u64,
    tunables: &Tunables,
    view: &V,
) -> Outcome {
    let marker = hit.then_some(0);
    let min = if tunables.patches.has(Patch::Default512k) { MIN_PAGES_512K } else { MIN_PAGES };
    let start = if hit {
        let gap = rules.search.next(view, index.wrapping_add(1), max, tunables);
        if gap == 0 || gap.wrapping_sub(index) > max {
            return Outcome::nothing(ra, Via::Async, max, Reason::AsyncNoGap { index, max, inside: 0 });
        }
        gap
    } else {
        index
    };
    let history = u64::from(rules.search.history(view, index, RATIO * max, tunables) as u32);
    let (from_start, from) = (ra.start, u64::from(ra.size));
    if history == 0 && !hit {
        let (reason, retain) = if is_thrashed(&ra, index) {
            let left = from_start.wrapping_add(from).wrapping_sub(index);
            let size = (from / 2).max(min);
            ra.size = size as u32;
            ra.thrashed = true;
            ra.pattern = Pattern::Thrash;
            let reason = Reason::ContextThrashed { index, from_start, from, min, size };
            (reason, Some((index, left.min(2 * max))))
        } else {
            let size = req.min(max);
            ra.size = size as u32;
            ra.pattern = Pattern::Random;
            (Reason::ContextRandom { index, req, max, size }, None)
        };
        ra.async_size = 0;
        ra.start = start;
        return Outcome { retain, ..go(rules, ra, marker, index, max, reason, tunables) };
    }
    let counted = if history >= index { 2 * history } else { history };
    let ahead = start.wrapping_sub(index);
    if counted <= ahead {
        return Outcome::nothing(ra, Via::Async, max, Reason::ContextEnough { index, history, ahead });
    }
    let counted = counted - ahead;
    let size = counted.max(min).min(max);
    let async_size = size.min(1 + counted / RATIO);
    ra.start = start;
    ra.size = size as u32;
    ra.async_size = async_size as u32;
    ra.pattern = Pattern::Context;
    let reason = if hit {
        Reason::ContextMarker { index, history, counted, ahead, min, max, size, async_size }
    } else {
        Reason::ContextMiss { index, history, counted, min, max, size, async_size }
    };
    go(rules, ra, marker, index, max, reason, tunables)
}

/// The page lies in the last window, or as far in front of it as it is long. Near the start of the file the difference
/// wraps, and nothing there is ever taken for thrashed.
fn is_thrashed(ra: &RaState, index: u64) -> bool {
    let size = u64::from(ra.size);
    index >= ra.start.wrapping_sub(size) && index < ra.start.wrapping_add(size)
}
