//! Who watches a run: recorders, metrics and digests are all observers of the same events.

use readahead_types::{Decision, Event, Nanos, TaskId};

/// Takes every event of a run, in the run's total order.
pub trait Observer {
    /// A decision was taken. The event [`readahead_types::EventKind::Decided`] that follows names it by its place in the
    /// sequence of these calls, starting at 0. It comes at once, before the window's folios are added; `decision.after`
    /// is the state as the window was handed over.
    fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision);

    /// An event happened.
    fn event(&mut self, event: &Event);
}

/// Observes nothing.
impl Observer for () {
    fn decided(&mut self, _at: Nanos, _task: TaskId, _decision: &Decision) {}
    fn event(&mut self, _event: &Event) {}
}
