//! One kernel section: a stretch of kernel work that is atomic in the run's order. Everything in it happens at its
//! start; its cost is charged at its end, before the task goes on.

use crate::observer::Observer;
use readahead_types::{Decision, DecisionId, Event, EventKind, Nanos, TaskId};

/// The section being carried out.
pub(crate) struct Section<'a, O> {
    pub(crate) now: Nanos,
    pub(crate) task: TaskId,
    pub(crate) observer: &'a mut O,
    /// What the section costs its task.
    pub(crate) cost: Nanos,
    /// Decisions of the whole run so far.
    pub(crate) decisions: u32,
}

impl<O: Observer> Section<'_, O> {
    pub(crate) fn emit(&mut self, kind: EventKind) {
        self.observer.event(&Event { at: self.now, task: self.task, kind });
    }

    pub(crate) fn decide(&mut self, decision: &Decision) {
        self.observer.decided(self.now, self.task, decision);
        let id = DecisionId(self.decisions);
        self.decisions += 1;
        self.emit(EventKind::Decided { decision: id });
    }

    pub(crate) fn charge(&mut self, cost: Nanos) {
        self.cost.0 = self.cost.0.saturating_add(cost.0);
    }

    pub(crate) fn charge_times(&mut self, cost: Nanos, times: u64) {
        self.cost.0 = self.cost.0.saturating_add(cost.0.saturating_mul(times));
    }
}
