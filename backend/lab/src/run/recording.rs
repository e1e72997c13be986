//! What a run has recorded so far: readable by any number of followers while the run writes.
//!
//! Owns the shared state of a run (events, decisions, summary, state). Readers take chunks under a short lock and decode
//! outside it, so they never hold up the writer. Must not know how a run is executed or stored.

use super::codec::BadBytes;
use super::id::RunId;
use super::log::{Chunk, Log, Logged};
use crate::LabError;
use crate::metrics::Summary;
use crate::scenario::Scenario;
use readahead_types::{Decision, Event, Nanos};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Where a run stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Not begun.
    Queued,
    /// Going on.
    Running,
    /// Held between two steps.
    Paused,
    /// At its end.
    Done,
    /// Ended early, for this reason.
    Failed(String),
    /// Ended early because someone asked for it.
    Cancelled,
}

impl RunState {
    /// The state's name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            RunState::Queued => "queued",
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Done => "done",
            RunState::Failed(_) => "failed",
            RunState::Cancelled => "cancelled",
        }
    }

    /// Whether nothing more will be recorded.
    pub fn is_final(&self) -> bool {
        matches!(self, RunState::Done | RunState::Failed(_) | RunState::Cancelled)
    }
}

/// The record of one run. Clones are the same record.
#[derive(Clone, Debug)]
pub struct Recording {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    id: RunId,
    scenario: Scenario,
    inner: Mutex<Inner>,
    grown: Condvar,
}

#[derive(Debug)]
struct Inner {
    state: RunState,
    now: Nanos,
    events: Log,
    decisions: Log,
    summary: Option<Arc<Summary>>,
}

impl Recording {
    /// An empty record of the scenario's run.
    pub fn new(scenario: &Scenario) -> Self {
        let inner = Inner {
            state: RunState::Queued,
            now: Nanos(0),
            events: Log::default(),
            decisions: Log::default(),
            summary: None,
        };
        let (id, scenario) = (RunId::of(scenario), scenario.clone());
        Recording { shared: Arc::new(Shared { id, scenario, inner: Mutex::new(inner), grown: Condvar::new() }) }
    }

    /// The run's id.
    pub fn id(&self) -> &RunId {
        &self.shared.id
    }

    /// What was run.
    pub fn scenario(&self) -> &Scenario {
        &self.shared.scenario
    }

    /// Where the run stands.
    pub fn state(&self) -> RunState {
        self.lock().state.clone()
    }

    /// The run's clock as of the last event readable here.
    pub fn now(&self) -> Nanos {
        self.lock().now
    }

    /// Events readable so far.
    pub fn len(&self) -> usize {
        self.lock().events.len()
    }

    /// Whether nothing is readable yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Decisions readable so far.
    pub fn decision_count(&self) -> usize {
        self.lock().decisions.len()
    }

    /// Bytes of memory that the events and decisions take.
    pub fn held_bytes(&self) -> usize {
        let inner = self.lock();
        inner.events.held_bytes() + inner.decisions.held_bytes()
    }

    /// The summary of a run that has ended.
    pub fn summary(&self) -> Option<Summary> {
        self.lock().summary.as_deref().cloned()
    }

    /// The summary, or the reason why there is none.
    pub fn need_summary(&self) -> Result<Summary, LabError> {
        self.summary().ok_or_else(|| match self.state() {
            RunState::Failed(message) => LabError::new("run.failed", message),
            state => LabError::new(
                "run.not_done",
                format!("run {} is {}; expected a run that is done", self.id(), state.name()),
            ),
        })
    }

    /// The events in these places, as far as they exist.
    pub fn events(&self, range: Range<usize>) -> Vec<Event> {
        let mut found = Vec::with_capacity(range.len().min(1 << 16));
        self.visit_events(range, |_, event| found.push(*event));
        found
    }

    /// The decisions in these places, as far as they exist.
    pub fn decisions(&self, range: Range<usize>) -> Vec<Decision> {
        let chunks = self.lock().decisions.chunks(&range);
        let held: usize = chunks.iter().map(|chunk| chunk.count).sum();
        let mut found = Vec::with_capacity(held.min(range.len()));
        visit_all(&chunks, &range, |_, decision| found.push(decision));
        found
    }

    /// One decision.
    pub fn decision(&self, place: usize) -> Option<Decision> {
        self.decisions(place..place + 1).pop()
    }

    /// Calls `each` with place and event, in order, without collecting them.
    pub fn visit_events(&self, range: Range<usize>, mut each: impl FnMut(usize, &Event)) {
        let chunks = self.lock().events.chunks(&range);
        visit_all(&chunks, &range, |place, event: Event| each(place, &event));
    }

    /// Sleeps until more than `seen` events are readable, the state is final, or the timeout has passed. Returns how
    /// many are readable.
    pub fn wait_for(&self, seen: usize, timeout: Duration) -> usize {
        let deadline = Instant::now() + timeout;
        let mut inner = self.lock();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if inner.events.len() > seen || inner.state.is_final() || left.is_zero() {
                return inner.events.len();
            }
            inner = self.shared.grown.wait_timeout(inner, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    pub(crate) fn set_state(&self, state: RunState) {
        self.lock().state = state;
        self.shared.grown.notify_all();
    }

    pub(crate) fn finish(&self, state: RunState, summary: Option<Summary>) {
        let mut inner = self.lock();
        inner.state = state;
        inner.summary = summary.map(Arc::new);
        drop(inner);
        self.shared.grown.notify_all();
    }

    /// Appends what the run has recorded since the last call.
    pub(crate) fn append(&self, events: Chunk, decisions: Chunk, now: Nanos) {
        let mut inner = self.lock();
        inner.decisions.push(decisions);
        inner.events.push(events);
        inner.now = now;
        drop(inner);
        self.shared.grown.notify_all();
    }

    pub(crate) fn event_chunks(&self) -> Vec<Arc<Chunk>> {
        self.lock().events.chunks(&(0..usize::MAX))
    }

    pub(crate) fn decision_chunks(&self) -> Vec<Arc<Chunk>> {
        self.lock().decisions.chunks(&(0..usize::MAX))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn visit_all<T: Logged>(chunks: &[Arc<Chunk>], range: &Range<usize>, mut each: impl FnMut(usize, T)) {
    for chunk in chunks {
        let read: Result<(), BadBytes> = chunk.visit(range, &mut each);
        read.expect("chunks were encoded here or checked when they were loaded");
    }
}
