//! Runs a scenario to its end: the loop around the virtual host that obeys a [`Control`] and fills a [`Recording`].
//!
//! Blocking; the caller gives it a thread. Must not know what is recorded or measured.

use super::control::{Control, Wish};
use super::recorder::Recorder;
use super::recording::{Recording, RunState};
use crate::LabError;
use crate::metrics::{Metrics, Summary};
use crate::scenario::Scenario;
use readahead_sim::{Observer, Progress, VirtualHost};
use readahead_types::{Decision, Event, Nanos, TaskId};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Engine steps between two looks at the control and the clock.
const STEPS_BETWEEN_LOOKS: u32 = 256;
/// Followers see events at most this late.
const FLUSH_EVERY: Duration = Duration::from_millis(16);
/// A run that records more than this has lost its purpose and would fill the memory.
pub const EVENTS_MAX: usize = 400_000_000;

/// Runs the scenario. On success the recording is `Done` and holds the summary that is returned; otherwise it is
/// `Failed` or `Cancelled` and keeps what it has.
pub fn execute(scenario: &Scenario, control: &Control, recording: &Recording) -> Result<Summary, LabError> {
    // An invariant of the engine that does not hold must end one run, not the service that runs it.
    let outcome = catch_unwind(AssertUnwindSafe(|| run(scenario, control, recording))).unwrap_or_else(|panic| {
        Err(LabError::new("run.engine_fault", format!("the engine stopped: {}", text_of(&panic))))
    });
    match &outcome {
        Ok(summary) => recording.finish(RunState::Done, Some(summary.clone())),
        Err(error) if error.code == "run.cancelled" => recording.finish(RunState::Cancelled, None),
        Err(error) => recording.finish(RunState::Failed(error.message.clone()), None),
    }
    outcome
}

/// Runs the scenario as fast as possible into a recording of its own.
pub fn run_to_end(scenario: &Scenario) -> Result<Recording, LabError> {
    let recording = Recording::new(scenario);
    execute(scenario, &Control::new(), &recording)?;
    Ok(recording)
}

fn run(scenario: &Scenario, control: &Control, recording: &Recording) -> Result<Summary, LabError> {
    recording.set_state(RunState::Running);
    let mut watch = Watch { recorder: Recorder::new(recording), metrics: Metrics::new(scenario.world()) };
    let mut host = VirtualHost::new(scenario.world().clone())
        .map_err(|error| LabError::new("scenario.impossible", error.message))?;
    let mut pacer = Pacer::default();
    let mut flushed = Instant::now();
    'run: loop {
        let wish = control.wish();
        if wish.cancelled {
            watch.recorder.flush();
            let now = host.now();
            return Err(LabError::new(
                "run.cancelled",
                format!("the run was cancelled at {} ns of its own time", now.0),
            ));
        }
        if wish.paused && wish.steps == 0 {
            watch.recorder.flush();
            recording.set_state(RunState::Paused);
            control.sleep(wish.version, None);
            recording.set_state(RunState::Running);
            pacer = Pacer::default();
            continue;
        }
        let decisions = watch.recorder.decision_count();
        for _ in 0..STEPS_BETWEEN_LOOKS {
            if let Some(deadline) = pacer.deadline(&wish, host.next_at()) {
                watch.recorder.flush();
                flushed = Instant::now();
                control.sleep(wish.version, Some(deadline));
                continue 'run;
            }
            if host.step(&mut watch) == Progress::Done {
                break 'run;
            }
            if wish.paused && watch.recorder.decision_count() > decisions {
                control.stepped();
                continue 'run;
            }
        }
        if watch.recorder.event_count() > EVENTS_MAX {
            return Err(LabError::new("run.too_long", format!("the run recorded more than {EVENTS_MAX} events")));
        }
        if flushed.elapsed() >= FLUSH_EVERY {
            watch.recorder.flush();
            flushed = Instant::now();
        }
    }
    let digest = watch.recorder.digest();
    let (events, decisions) = (watch.recorder.event_count() as u64, watch.recorder.decision_count() as u64);
    Ok(watch.metrics.summary(scenario, digest, events, decisions))
}

/// Keeps virtual time from running ahead of real time.
#[derive(Default)]
struct Pacer {
    /// Pace, and the pair of clocks at which it began.
    began: Option<(f64, Instant, Nanos)>,
}

impl Pacer {
    /// The real time at which the engine's next step is due, when that is in the future.
    fn deadline(&mut self, wish: &Wish, next_at: Option<Nanos>) -> Option<Instant> {
        let (pace, next_at) = (wish.pace?, next_at?);
        let (real, start) = match self.began {
            Some((same, real, start)) if same == pace => (real, start),
            _ => {
                let real = Instant::now();
                self.began = Some((pace, real, next_at));
                (real, next_at)
            }
        };
        let virtual_seconds = next_at.0.saturating_sub(start.0) as f64 / 1e9;
        // A day is as good as for ever, and keeps the sum within what Instant can hold.
        let due = real + Duration::from_secs_f64((virtual_seconds / pace).min(86_400.0));
        (due > Instant::now() + Duration::from_micros(500)).then_some(due)
    }
}

/// Everything that watches a run.
struct Watch {
    recorder: Recorder,
    metrics: Metrics,
}

impl Observer for Watch {
    fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision) {
        self.recorder.decided(at, task, decision);
        self.metrics.decided(at, task, decision);
    }

    #[inline]
    fn event(&mut self, event: &Event) {
        self.recorder.event(event);
        self.metrics.event(event);
    }
}

fn text_of(panic: &Box<dyn std::any::Any + Send>) -> String {
    panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_string()))
        .unwrap_or_else(|| "an invariant does not hold".to_string())
}
