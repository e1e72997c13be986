//! linux-6.12 (6.12.117): misses and markers are decided apart; smallest and largest folio order come from the file
//! system.

use super::faults::FaultRules;
use super::window::{WindowRun, window_run};
use super::{linux_6_1, since_6_12};
use crate::callers::{Callers, FaultAround, HugeEntry, PlugTest, ReadLoop};
use crate::decide::{Outcome, Tunables};
use crate::gap::NoGap;
use crate::layout::{PlainMark, PlainRules};
use crate::view::{CacheView, FolioRef};
use readahead_types::{RaState, Reason, Trim, Via};

/// How a run of single folios is laid out.
const PLAIN: PlainRules = PlainRules { mark: PlainMark::CutRounded, one_batch: false, retain: false };

/// Page faults.
pub(super) const FAULTS: FaultRules = linux_6_1::RULES.faults;

/// The code around the decisions.
pub(super) const CALLERS: Callers = Callers {
    read: ReadLoop::Batches { folios: 31, prev_pos_at_once: false, rounds_to_min_order: false },
    fault_around: FaultAround::EachPageNotWorkingset,
    huge_entry: HugeEntry::BeforeLastPage,
    minor_retry_is_tried: false,
    to_the_end: i64::MAX,
    plug_test: PlugTest::Oldest,
    max_segments: 128,
    ..linux_6_1::CALLERS
};

/// Hands a window over.
pub(super) fn window(
    ra: RaState,
    at: u64,
    order: u8,
    via: Via,
    max: u64,
    reason: Reason,
    tunables: &Tunables,
) -> Outcome {
    window_run(WindowRun::Folios6_12, PLAIN, ra, at, order, via, max, reason, Trim::None, tunables)
}

/// A page that was wanted is not in the cache.
pub(super) fn sync_ra<V: CacheView>(ra: RaState, index: u64, req: u64, tunables: &Tunables, view: &V) -> Outcome {
    since_6_12::sync_ra(ra, index, req, NoGap::LastProbed, PLAIN, tunables, view, |ra, max, reason| {
        window(ra, ra.start, 0, Via::Sync, max, reason, tunables)
    })
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
    match since_6_12::follow(&mut ra, folio, index, req, tunables, view) {
        Ok((max, reason)) => {
            ra.async_size = ra.size;
            window(ra, ra.start, folio.order, Via::Async, max, reason, tunables)
        }
        Err(nothing) => nothing,
    }
}

/// fadvise WILLNEED and readahead(2) of `pages` pages.
pub(super) fn will_need(ra: RaState, index: u64, pages: u64, tunables: &Tunables) -> Outcome {
    since_6_12::will_need(ra, index, pages, PLAIN, tunables)
}
