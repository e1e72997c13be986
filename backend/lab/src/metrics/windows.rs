//! What the readahead code decided: decisions by way and Reason, windows by trim.
//!
//! Every decision is counted by its way and its Reason, one that read nothing too: these add up to the decisions.
//! A *window* is a decision via sync, async or around that had something to read. A window is *trimmed below half* when
//! aligning its end left less than half of it. Trims are counted of windows only: they add up to the windows.

use super::{Metric, Summary};
use readahead_sim::WorldSpec;
use readahead_types::{Decision, Event, Nanos, TaskId, Via};
use std::collections::BTreeMap;

/// Counts decisions.
pub(crate) struct Windows {
    windows: u64,
    vias: BTreeMap<&'static str, u64>,
    reasons: BTreeMap<&'static str, u64>,
    trims: BTreeMap<&'static str, u64>,
    trimmed: u64,
    trimmed_pages: u64,
    below_half: u64,
}

impl Windows {
    pub(crate) fn new(_world: &WorldSpec) -> Self {
        Windows {
            windows: 0,
            vias: BTreeMap::new(),
            reasons: BTreeMap::new(),
            trims: BTreeMap::new(),
            trimmed: 0,
            trimmed_pages: 0,
            below_half: 0,
        }
    }
}

/// Whether the decision is a readahead window, not a run read as it was asked for.
pub(crate) fn is_window(decision: &Decision) -> bool {
    decision.window.is_some() && matches!(decision.via, Via::Sync | Via::Async | Via::Around | Via::Legacy)
}

impl Metric for Windows {
    fn decided(&mut self, _at: Nanos, _task: TaskId, decision: &Decision) {
        *self.vias.entry(decision.via.name()).or_default() += 1;
        *self.reasons.entry(decision.reason.code()).or_default() += 1;
        if is_window(decision) {
            self.windows += 1;
            *self.trims.entry(decision.trim.code()).or_default() += 1;
            self.trimmed += u64::from(decision.trim.pages_cut() > 0);
            self.trimmed_pages += decision.trim.pages_cut();
            self.below_half += u64::from(decision.trim.below_half());
        }
    }

    fn event(&mut self, _event: &Event) {}

    fn report(&self, summary: &mut Summary) {
        let owned = |map: &BTreeMap<&str, u64>| map.iter().map(|(name, count)| ((*name).to_string(), *count)).collect();
        summary.windows = self.windows;
        summary.decisions_per_via = owned(&self.vias);
        summary.decisions_per_reason = owned(&self.reasons);
        summary.windows_per_trim = owned(&self.trims);
        summary.trimmed_windows = self.trimmed;
        summary.trimmed_pages = self.trimmed_pages;
        summary.trimmed_below_half = self.below_half;
    }
}
