//! Following a run: what a viewer is told next, whether the run still goes on or ended long ago.
//!
//! A viewer pulls: nothing is made before the connection takes it, and the run never waits for anyone. Knows
//! `lab::run::Recording` and the form of rows; knows no HTTP.

use crate::config::Limits;
use crate::metrics::Metrics;
use crate::problem::Problem;
use readahead_lab_core::rows;
use readahead_lab_core::run::{Recording, RunState};
use readahead_types::{Event, EventKind};
use serde_json::{Value, json};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// A viewer hears of a run's state at least this often while it goes on.
const STATE_EVERY: Duration = Duration::from_secs(1);

/// What a viewer is told.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// The run stands here.
    State(Value),
    /// These events.
    Events(Range<usize>),
    /// These events were passed over, because the viewer was too far behind.
    Skipped(Range<usize>),
    /// The run has ended and everything was told.
    End(Value),
    /// The service stops; the viewer may come back with the last id.
    Stopping,
}

/// A place among the viewers, counted while it is held.
#[derive(Debug)]
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    metrics: Arc<Metrics>,
}

impl Place {
    /// Takes a place, or says that there is none.
    pub(crate) fn take(places: &Arc<Semaphore>, metrics: &Arc<Metrics>) -> Result<Self, Problem> {
        let permit = Arc::clone(places).try_acquire_owned().map_err(|_| {
            let detail = "as many live streams are open as this service allows; close one or try again later";
            Problem::new(axum::http::StatusCode::SERVICE_UNAVAILABLE, "viewers.full", detail).retry_after(5)
        })?;
        metrics.viewers.inc();
        Ok(Place { _permit: permit, metrics: Arc::clone(metrics) })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.metrics.viewers.dec();
    }
}

/// One viewer's position in a run.
#[derive(Debug)]
pub(crate) struct Follower {
    recording: Recording,
    limits: Limits,
    stopping: CancellationToken,
    place: Place,
    next: usize,
    /// When the viewer last had everything.
    caught_up: Instant,
    sent: Instant,
    told: Option<(RunState, Instant)>,
    over: bool,
}

impl Follower {
    /// A viewer that wants events from this one on.
    pub(crate) fn new(
        recording: Recording,
        from: usize,
        limits: Limits,
        stopping: CancellationToken,
        place: Place,
    ) -> Self {
        let now = Instant::now();
        let sent = now.checked_sub(limits.batch_every).unwrap_or(now);
        Follower { recording, limits, stopping, place, next: from, caught_up: now, sent, told: None, over: false }
    }

    /// The run followed.
    pub(crate) fn recording(&self) -> &Recording {
        &self.recording
    }

    /// The next message; sleeps while there is none. `None` when the stream is over.
    pub(crate) async fn next(&mut self) -> Option<Message> {
        loop {
            if self.over {
                return None;
            }
            if self.stopping.is_cancelled() {
                self.over = true;
                return Some(Message::Stopping);
            }
            // The state first: once it is final, no event can come after the length read next.
            let state = self.recording.state();
            let len = self.recording.len();
            if self.must_tell(&state) {
                let told = state_json(&self.recording, &state, len, self.limits.run_events);
                self.told = Some((state, Instant::now()));
                return Some(Message::State(told));
            }
            if self.next < len {
                if let Some(skipped) = self.skip(&state, len) {
                    return Some(Message::Skipped(skipped));
                }
                let early = self.limits.batch_every.saturating_sub(self.sent.elapsed());
                // Little news of a live run is gathered; a backlog goes out as fast as it is taken.
                if !state.is_final() && len - self.next < self.limits.batch_events && !early.is_zero() {
                    self.sleep(early).await;
                    continue;
                }
                self.sent = Instant::now();
                return Some(Message::Events(self.next..len.min(self.next + self.limits.batch_events)));
            }
            self.caught_up = Instant::now();
            if state.is_final() {
                self.over = true;
                return Some(Message::End(state_json(&self.recording, &state, len, self.limits.run_events)));
            }
            self.sleep(self.limits.batch_every).await;
        }
    }

    /// The viewer has taken events up to here.
    pub(crate) fn took(&mut self, next: usize) {
        self.next = next;
    }

    fn must_tell(&self, state: &RunState) -> bool {
        match &self.told {
            None => true,
            Some((told, at)) => told != state || (!state.is_final() && at.elapsed() >= STATE_EVERY),
        }
    }

    /// Moves a viewer on who has been too far behind for too long, so that what is shown is near what happens.
    fn skip(&mut self, state: &RunState, len: usize) -> Option<Range<usize>> {
        let behind = len - self.next;
        let hopeless = behind > self.limits.viewer_behind_events
            && self.caught_up.elapsed() > self.limits.viewer_behind_for
            && !state.is_final();
        if !hopeless {
            return None;
        }
        let skipped = self.next..len - self.limits.batch_events.min(behind);
        self.place.metrics.events_skipped.inc_by(skipped.len() as u64);
        self.next = skipped.end;
        self.caught_up = Instant::now();
        Some(skipped)
    }

    async fn sleep(&self, duration: Duration) {
        tokio::select! {
            () = tokio::time::sleep(duration) => {}
            () = self.stopping.cancelled() => {}
        }
    }
}

fn state_json(recording: &Recording, state: &RunState, len: usize, events_max: usize) -> Value {
    let mut told = json!({"state": state.name(), "now_ns": recording.now().0, "events": len});
    match state {
        RunState::Failed(message) => told["error"] = message.clone().into(),
        // The engine only knows that it was stopped; what is longer than a run may be was stopped for that.
        RunState::Cancelled if len > events_max => {
            told["state"] = "failed".into();
            told["error"] = format!("stopped: it recorded more than {events_max} events").into();
        }
        _ => {}
    }
    told
}

/// Events as the data of one message, and the place after the last of them. Stops early at `bytes_max`.
pub(crate) fn batch(recording: &Recording, range: Range<usize>, bytes_max: usize) -> (usize, String) {
    let events = recording.events(range.clone());
    let decisions = rows::Decisions::of(recording, &events);
    let mut data = format!("{{\"first\":{},\"events\":[", range.start);
    let mut place = 0;
    while place < events.len() && data.len() < bytes_max {
        let run = alike(&events[place..]);
        let mut row = rows::json_row(range.start + place, &events[place], &decisions);
        if run > 1 {
            row["count"] = run.into();
        }
        if place > 0 {
            data.push(',');
        }
        data.push_str(&row.to_string());
        place += run;
    }
    data.push_str("]}");
    (range.start + place, data)
}

/// How many events from the first on are folios of one size, side by side in the file, without a marker, added by one
/// task. One row can stand for them: time and place in memory are those of the first.
fn alike(events: &[Event]) -> usize {
    let EventKind::FolioAdded { file, first, order, marked: false, .. } = events[0].kind else { return 1 };
    let task = events[0].task;
    let follows = |(place, event): (usize, &Event)| {
        let expected = first.0 + ((place as u64) << order.0);
        event.task == task
            && matches!(event.kind, EventKind::FolioAdded { file: f, first: p, order: o, marked: false, .. }
                if f == file && o == order && p.0 == expected)
    };
    events.iter().enumerate().take_while(|(place, event)| follows((*place, event))).count()
}
