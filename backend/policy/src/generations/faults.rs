//! Page faults, linux-2.6.33 to 6.12 (specification of the historic kernels, sections 2.10 and 5.1; of the modern
//! kernels, 6.2 and 6.3).

use super::window::PMD_ORDER;
use crate::decide::{Mapping, Outcome, Tunables};
use crate::registry::Patch;
use crate::sizes::down;
use readahead_types::{Pattern, RaState, Reason, Via};

/// Above this many misses a fault reads nothing around it.
const MMAP_LOTSAMISS: u32 = 100;
/// mmap_miss never grows beyond this since linux-3.1.
const MMAP_MISS_MAX: u32 = 10 * MMAP_LOTSAMISS;
/// mmap_miss in linux-2.6.33: a signed number.
const MMAP_MISS_OLD_MAX: u32 = i32::MAX as u32;
/// mmap_miss with ra-flags: the low half of a word.
const MMAP_MISS_FLAGS_MAX: u32 = u16::MAX as u32;

/// What differs between the generations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FaultRules {
    /// A fault behind the last read or fault is sequential, and each fault moves prev_pos (linux-2.6.33).
    pub(super) moves_prev_pos: bool,
    /// Hits in a random mapping, and all hits while ra_pages is 0, leave mmap_miss alone (linux-5.10).
    pub(super) off_before_hits: bool,
    /// MADV_HUGEPAGE reads huge pages, whatever else (linux-6.1).
    pub(super) huge: bool,
}

/// How the generation reads: a miss, and a window with its marker.
pub(super) trait Reads {
    /// A page that was wanted is not in the cache.
    fn sync(&self, ra: RaState, index: u64, req: u64) -> Outcome;
    /// A marker was met.
    fn asynchronous(&self, ra: RaState, index: u64, req: u64) -> Outcome;
    /// A window of the state's size at `at`, with folios of `order`.
    fn around(&self, ra: RaState, at: u64, order: u8, max: u64, reason: Reason) -> Outcome;
    /// The largest read-around.
    fn around_limit(&self, ra: &RaState) -> u64;
}

/// A fault on a page that is not cached.
pub(super) fn fault_sync(
    rules: &FaultRules,
    ra: RaState,
    page: u64,
    mapping: &Mapping,
    tunables: &Tunables,
    reads: &impl Reads,
) -> Outcome {
    let mut outcome = miss(rules, ra, page, mapping, tunables, reads);
    if rules.moves_prev_pos {
        outcome.after.prev_pos = (page as i64) << 12;
    }
    outcome
}

fn miss(
    rules: &FaultRules,
    mut ra: RaState,
    page: u64,
    mapping: &Mapping,
    tunables: &Tunables,
    reads: &impl Reads,
) -> Outcome {
    if rules.huge && mapping.huge {
        return huge_window(ra, page, mapping, reads);
    }
    if mapping.random {
        return Outcome::nothing(ra, Via::Around, 0, Reason::FaultRandom { page });
    }
    if ra.ra_pages == 0 && !rules.moves_prev_pos {
        return Outcome::nothing(ra, Via::Around, 0, Reason::FaultReadaheadOff { page });
    }
    let series = tunables.patches.has(Patch::Patterns);
    let behind_last = rules.moves_prev_pos && page.wrapping_sub(1) == (ra.prev_pos >> 12) as u64;
    if mapping.sequential || behind_last {
        ra.faulted |= series;
        return reads.sync(ra, page, u64::from(ra.ra_pages));
    }
    let most = match (rules.moves_prev_pos, tunables.patches.has(Patch::RaFlags)) {
        (false, _) => MMAP_MISS_MAX,
        (true, true) => MMAP_MISS_FLAGS_MAX,
        (true, false) => MMAP_MISS_OLD_MAX,
    };
    ra.mmap_miss = ra.mmap_miss.saturating_add(1).min(most);
    let misses = u64::from(ra.mmap_miss);
    if ra.mmap_miss > MMAP_LOTSAMISS {
        return Outcome::nothing(ra, Via::Around, 0, Reason::FaultTooManyMisses { page, misses });
    }
    let ra_pages = u64::from(ra.ra_pages);
    let size = reads.around_limit(&ra);
    if size == 0 && rules.moves_prev_pos {
        return Outcome::nothing(ra, Via::Around, 0, Reason::FaultNoMemory { page, ra_pages });
    }
    let start = (page as i64).wrapping_sub((size / 2) as i64).max(0) as u64;
    ra.start = start;
    ra.size = size as u32;
    ra.async_size = if rules.moves_prev_pos { 0 } else { ra.size / 4 };
    if series {
        ra.faulted = true;
        ra.pattern = Pattern::Around;
    }
    let reason = if size == 0 {
        Reason::FaultNoMemory { page, ra_pages }
    } else {
        Reason::FaultAround { page, ra_pages: size, start, misses }
    };
    reads.around(ra, start, 0, size, reason)
}

/// Two huge pages, one for a random mapping, from the one that holds the page. `start` stays as it was.
fn huge_window(mut ra: RaState, page: u64, mapping: &Mapping, reads: &impl Reads) -> Outcome {
    let pages = 1u32 << PMD_ORDER;
    ra.size = if mapping.random { pages } else { 2 * pages };
    ra.async_size = pages;
    let reason = Reason::FaultHuge { page, size: u64::from(ra.size), order: u64::from(PMD_ORDER) };
    reads.around(ra, down(page, u64::from(pages)), PMD_ORDER, 0, reason)
}

/// A fault on a cached page: the state from now on, and the decision when the page's folio carries a marker.
pub(super) fn fault_async(
    rules: &FaultRules,
    mut ra: RaState,
    marked: bool,
    page: u64,
    mapping: &Mapping,
    tunables: &Tunables,
    reads: &impl Reads,
) -> (RaState, Option<Outcome>) {
    let off = ra.ra_pages == 0 && rules.off_before_hits;
    let (state, outcome) = if mapping.random || off {
        let reason =
            if mapping.random { Reason::FaultMarkerRandom { page } } else { Reason::FaultMarkerReadaheadOff { page } };
        (ra, marked.then(|| Outcome::nothing(ra, Via::Async, 0, reason)))
    } else {
        ra.mmap_miss = ra.mmap_miss.saturating_sub(1);
        if marked {
            ra.faulted |= tunables.patches.has(Patch::Patterns);
            let outcome = reads.asynchronous(ra, page, u64::from(ra.ra_pages));
            (outcome.after, Some(outcome))
        } else {
            (ra, None)
        }
    };
    if !rules.moves_prev_pos {
        return (state, outcome);
    }
    let moved = |state: RaState| RaState { prev_pos: (page as i64) << 12, ..state };
    (moved(state), outcome.map(|outcome| Outcome { after: moved(outcome.after), ..outcome }))
}
