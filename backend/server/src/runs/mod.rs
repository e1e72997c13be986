//! Runs: accepted, queued, computed on threads of their own, kept as files, found again.
//!
//! One run is one thread; at most `workers` of them compute at full speed, paused and paced ones come on top. A run is
//! accepted when the store has it, so a restart loses none: what had not ended runs again. Knows nothing of HTTP
//! routes and nothing of the engine beyond `lab::run`.

mod cache;
mod job;
mod submission;
mod view;

pub use submission::{Source, Submission, base_scenario, check_pace};
pub use view::{Failure, Progress, RunView};
pub(crate) use view::{run_links, to_json};

use crate::config::Limits;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::store::{RunRow, Store};
use axum::http::StatusCode;
use cache::Cache;
use job::Job;
use readahead_lab_core::LabError;
use readahead_lab_core::run::{Recording, RunId, execute};
use readahead_lab_core::scenario::Scenario;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Longest time that writing the result of a run is waited for.
const SETTLING: Duration = Duration::from_secs(5);

/// An accepted run.
#[derive(Clone, Debug)]
pub struct Accepted {
    /// Its id.
    pub id: String,
    /// False when the run was there already.
    pub created: bool,
}

/// What can be asked of a live run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Hold between two steps of the engine.
    Pause,
    /// Go on.
    Resume,
    /// Go on to the next decision and hold.
    Step,
    /// End it; what it has recorded stays.
    Cancel,
    /// Virtual seconds for each real second; `None`: as fast as possible.
    Pace(Option<f64>),
}

/// All runs of the service.
#[derive(Debug)]
pub struct Runs {
    store: Arc<Store>,
    dir: PathBuf,
    limits: Limits,
    metrics: Arc<Metrics>,
    lane: Mutex<Lane>,
    /// A job has left the lane.
    left: Condvar,
    cache: Mutex<Cache>,
    /// Recordings that are being read from their files, each with the gate at which others wait for it.
    loading: Mutex<HashMap<String, Arc<Mutex<()>>>>,
    /// Held while a run is looked up and accepted, so that the same scenario is not accepted twice.
    admission: Mutex<()>,
}

#[derive(Debug, Default)]
struct Lane {
    waiting: VecDeque<Arc<Job>>,
    running: Vec<Arc<Job>>,
    stopping: bool,
}

impl Lane {
    fn find(&self, id: &str) -> Option<Arc<Job>> {
        self.running.iter().chain(&self.waiting).find(|job| job.id == id).cloned()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing in these critical sections can leave half a change behind.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runs {
    /// The runs whose recordings are in `dir`.
    pub(crate) fn new(store: Arc<Store>, dir: PathBuf, limits: Limits, metrics: Arc<Metrics>) -> Arc<Self> {
        let cache = Mutex::new(Cache::new(limits.recordings_bytes));
        let lane = Mutex::new(Lane::default());
        let (loading, admission) = (Mutex::default(), Mutex::new(()));
        Arc::new(Runs { store, dir, limits, metrics, lane, left: Condvar::new(), cache, loading, admission })
    }

    /// Puts the runs back into the queue that were accepted and had not ended when the program stopped.
    pub(crate) fn restore(self: &Arc<Self>) -> Result<usize, Problem> {
        let rows = self.store.unfinished_runs(self.limits.queued_runs)?;
        for row in &rows {
            match Scenario::from_json(&row.scenario, "store") {
                Ok(scenario) if RunId::of(&scenario).as_str() == row.id => {
                    self.enqueue(Arc::new(Job::new(row.id.clone(), scenario, None, false)));
                }
                // Another version of the engine would give another run; this one can no longer be made.
                Ok(_) => self.fail_row(&row.id, "run.other_version", "accepted by another version of the engine")?,
                Err(error) => self.fail_row(&row.id, error.code, &error.message)?,
            }
        }
        Ok(rows.len())
    }

    fn fail_row(&self, id: &str, code: &str, detail: &str) -> Result<(), Problem> {
        self.store.finish_run(id, "failed", Some(&Failure::new(code, detail).json()), None)
    }

    /// Accepts a run, or finds the one that is there.
    pub fn submit(self: &Arc<Self>, submission: &Submission) -> Result<Accepted, Problem> {
        let scenario = submission.scenario()?;
        let id = RunId::of(&scenario).as_str().to_owned();
        let _admission = lock(&self.admission);
        {
            let lane = self.settled(&id);
            if lane.find(&id).is_some() {
                return Ok(Accepted { id, created: false });
            }
            if lane.stopping {
                return Err(stopping());
            }
            if lane.waiting.len() >= self.limits.queued_runs {
                return Err(Problem::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "queue.full",
                    format!("{} runs are waiting already; the queue takes no more", lane.waiting.len()),
                )
                .retry_after(5));
            }
        }
        let usable = self.store.run(&id)?.is_some_and(|row| {
            row.state == "done" && (self.path(&id).is_file() || lock(&self.cache).get(&id).is_some())
        });
        if usable && !submission.again {
            return Ok(Accepted { id, created: false });
        }
        self.store.queue_run(&id, scenario.title(), scenario.canonical_json(), submission.name())?;
        lock(&self.cache).remove(&id);
        self.metrics.runs_accepted.inc();
        self.enqueue(Arc::new(Job::new(id.clone(), scenario, submission.pace, submission.paused)));
        Ok(Accepted { id, created: true })
    }

    /// The lane, once this run is not between its end and the store any more.
    fn settled(&self, id: &str) -> MutexGuard<'_, Lane> {
        let deadline = Instant::now() + SETTLING;
        let mut lane = lock(&self.lane);
        while lane.find(id).is_some_and(|job| job.recording.state().is_final()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            lane = self.left.wait_timeout(lane, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        lane
    }

    fn enqueue(self: &Arc<Self>, job: Arc<Job>) {
        let mut lane = lock(&self.lane);
        lane.waiting.push_back(job);
        self.dispatch(&mut lane);
    }

    /// Starts waiting runs while there is room for them.
    fn dispatch(self: &Arc<Self>, lane: &mut Lane) {
        while !lane.stopping && lane.running.len() < self.limits.run_threads {
            let working = lane.running.iter().filter(|job| job.works()).count();
            // A run that starts held or paced takes no processor: it need not wait for one.
            let place = lane.waiting.iter().position(|job| working < self.limits.workers || !job.works());
            let Some(job) = place.and_then(|place| lane.waiting.remove(place)) else { break };
            let (runs, runner) = (Arc::clone(self), Arc::clone(&job));
            let spawned =
                std::thread::Builder::new().name(format!("run-{}", &job.id)).spawn(move || runs.work(&runner));
            match spawned {
                Ok(_) => lane.running.push(job),
                Err(error) => {
                    tracing::error!(run = job.id, %error, "no thread for a run; it waits");
                    lane.waiting.push_front(job);
                    break;
                }
            }
        }
        self.metrics.runs_running.set(lane.running.len() as i64);
        self.metrics.runs_waiting.set(lane.waiting.len() as i64);
    }

    /// The life of one run, on its own thread.
    fn work(self: &Arc<Self>, job: &Arc<Job>) {
        let started = Instant::now();
        if let Err(problem) = self.store.start_run(&job.id) {
            tracing::warn!(run = job.id, %problem, "the start of a run was not stored");
        }
        let outcome = execute(&job.scenario, &job.control, &job.recording);
        let ended = view::state_name(&job.recording.state(), job.why_cancelled().as_ref());
        self.metrics.run_ended(ended, started.elapsed(), job.recording.len());
        let cancelled = matches!(&outcome, Err(error) if error.code == "run.cancelled");
        match (cancelled, job.why_cancelled()) {
            // Interrupted by a shutdown: the store still has it as running, so it runs again after the next start.
            (true, None) => tracing::info!(run = job.id, "interrupted"),
            (true, why) => self.keep(job, why),
            (false, _) => self.keep(job, outcome.err().map(|error| Failure::new(error.code, &error.message))),
        }
        let mut lane = lock(&self.lane);
        lane.running.retain(|other| !Arc::ptr_eq(other, job));
        self.dispatch(&mut lane);
        drop(lane);
        self.left.notify_all();
    }

    /// Writes what a run came to. What cannot be written stays in memory, and the store still has the run as not ended,
    /// so that it runs again after a restart.
    fn keep(&self, job: &Job, failure: Option<Failure>) {
        lock(&self.cache).put(job.id.clone(), job.recording.clone());
        let stored = job.recording.save(&self.path(&job.id)).map_err(Problem::from).and_then(|()| {
            let summary = job.recording.summary().map(|summary| view::to_json(&summary)).transpose()?;
            let state = view::state_name(&job.recording.state(), failure.as_ref());
            let failure = failure.map(|failure| failure.json());
            self.store.finish_run(&job.id, state, failure.as_deref(), summary.as_deref())
        });
        if let Err(problem) = stored {
            self.metrics.store_failures.inc();
            tracing::error!(run = job.id, %problem, "the result of a run was not stored; it is kept in memory only");
        }
    }

    /// Steers a run that has not ended.
    pub fn control(self: &Arc<Self>, id: &str, action: Action) -> Result<(), Problem> {
        let job = self.settled(id).find(id);
        let Some(job) = job else {
            let row = self.row(id)?;
            return Err(Problem::new(
                StatusCode::CONFLICT,
                "run.ended",
                format!("run {id} is {}; only a run that is queued, running or paused can be steered", row.state),
            ));
        };
        match action {
            Action::Pause => job.pause(),
            Action::Resume => job.resume(),
            Action::Step => job.step(),
            Action::Pace(pace) => {
                check_pace(pace)?;
                job.pace(pace);
            }
            Action::Cancel => job.cancel(Failure::new("run.cancelled", "cancelled on request")),
        }
        let mut lane = lock(&self.lane);
        let waiting = lane.waiting.iter().position(|other| other.id == id);
        match (action, waiting) {
            // It has no thread that could obey: a thread of its own ends it at once and stores that.
            (Action::Cancel, Some(place)) => {
                lane.waiting.remove(place);
                lane.running.push(Arc::clone(&job));
                let runs = Arc::clone(self);
                drop(lane);
                runs.work(&job);
            }
            _ => self.dispatch(&mut lane),
        }
        Ok(())
    }

    /// Cancels runs that were held for too long, stops those that record without end, and lets go of ended recordings
    /// whose room the growing ones take.
    pub fn tidy(self: &Arc<Self>) {
        let live = self.live_bytes();
        lock(&self.cache).make_room(live);
        let running = lock(&self.lane).running.clone();
        for job in running {
            if job.held_for().is_some_and(|held| held > self.limits.paused_for) {
                let detail = format!("cancelled after being paused for more than {:?}", self.limits.paused_for);
                job.cancel(Failure::new("run.paused_too_long", &detail));
            } else if job.recording.len() > self.limits.run_events {
                let detail = format!("stopped: it recorded more than {} events", self.limits.run_events);
                job.cancel(Failure::new(view::TOO_LONG, &detail));
            }
        }
    }

    /// A run as it stands.
    pub fn view(&self, id: &str) -> Result<RunView, Problem> {
        let row = self.row(id)?;
        let job = lock(&self.lane).find(id);
        let live = job.as_ref().map(|job| job.recording.clone()).or_else(|| lock(&self.cache).get(id));
        RunView::new(row, live.as_ref(), job.and_then(|job| job.why_cancelled()))
    }

    /// The newest runs.
    pub fn recent(&self, limit: usize) -> Result<Vec<RunView>, Problem> {
        let rows = self.store.recent_runs(limit)?;
        rows.into_iter()
            .map(|row| {
                let job = lock(&self.lane).find(&row.id);
                RunView::new(
                    row,
                    job.as_ref().map(|job| &job.recording),
                    job.as_ref().and_then(|job| job.why_cancelled()),
                )
            })
            .collect()
    }

    /// The record of a run: of a live one as it grows, of an ended one from memory or its file. A record that was lost
    /// is made again, since a run is a function of its scenario.
    pub fn recording(self: &Arc<Self>, id: &str) -> Result<Recording, Problem> {
        if let Some(job) = lock(&self.lane).find(id) {
            return Ok(job.recording.clone());
        }
        if let Some(recording) = lock(&self.cache).get(id) {
            return Ok(recording);
        }
        let row = self.row(id)?;
        let ended = matches!(row.state.as_str(), "done" | "failed" | "cancelled");
        if ended {
            match self.load(id) {
                Ok(recording) => return Ok(recording),
                Err(error) => tracing::warn!(run = id, %error, "a recording was lost"),
            }
        }
        self.again(&row)
    }

    /// Reads a recording from its file. A page asks for all figures of a run at once: the first of them reads, the
    /// others wait for what it has read, or each would hold a copy.
    fn load(&self, id: &str) -> Result<Recording, LabError> {
        let gate = Arc::clone(lock(&self.loading).entry(id.to_owned()).or_default());
        let _alone = lock(&gate);
        if let Some(recording) = lock(&self.cache).get(id) {
            return Ok(recording);
        }
        let loaded = Recording::load(&self.path(id));
        if let Ok(recording) = &loaded {
            lock(&self.cache).put(id.to_owned(), recording.clone());
        }
        lock(&self.loading).remove(id);
        self.metrics.recordings_loaded.inc();
        loaded
    }

    /// Runs a stored scenario again whose record is not there.
    fn again(self: &Arc<Self>, row: &RunRow) -> Result<Recording, Problem> {
        let lost = |detail: String| Problem::new(StatusCode::GONE, "run.recording_lost", detail);
        let scenario = Scenario::from_json(&row.scenario, "store")
            .map_err(|error| lost(format!("the record of run {} is lost, and its scenario: {error}", row.id)))?;
        if RunId::of(&scenario).as_str() != row.id {
            let detail =
                format!("run {} was recorded by another version of the engine; submit its scenario again", row.id);
            return Err(lost(detail));
        }
        let _admission = lock(&self.admission);
        let there = lock(&self.lane).find(&row.id);
        if let Some(job) = there {
            return Ok(job.recording.clone());
        }
        if lock(&self.lane).stopping {
            return Err(stopping());
        }
        self.store.queue_run(&row.id, scenario.title(), &row.scenario, row.name.as_deref())?;
        let job = Arc::new(Job::new(row.id.clone(), scenario, None, false));
        self.enqueue(Arc::clone(&job));
        Ok(job.recording.clone())
    }

    fn row(&self, id: &str) -> Result<RunRow, Problem> {
        self.store.run(id)?.ok_or_else(|| Problem::not_found("run.not_found", format!("there is no run {id}")))
    }

    /// Where a recording lies. Ids are hexadecimal digits, checked where they come in.
    fn path(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}.recording"))
    }

    /// Bytes of recordings held in memory, of runs that go on and of ended ones.
    pub(crate) fn held_bytes(&self) -> usize {
        let live = self.live_bytes();
        lock(&self.cache).bytes() + live
    }

    /// Bytes of the recordings of runs that go on.
    fn live_bytes(&self) -> usize {
        lock(&self.lane).running.iter().map(|job| job.recording.held_bytes()).sum()
    }

    /// Stops: queued runs stay queued in the store, held and paced ones are interrupted at once, working ones after the
    /// grace time. What is interrupted runs again after the next start.
    pub(crate) fn stop(&self, grace: Duration) {
        let deadline = Instant::now() + grace;
        let mut lane = lock(&self.lane);
        lane.stopping = true;
        lane.waiting.clear();
        lane.running.iter().filter(|job| !job.works()).for_each(|job| job.control.cancel());
        while !lane.running.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            lane = self.left.wait_timeout(lane, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        lane.running.iter().for_each(|job| job.control.cancel());
        // The engine looks at its control every few hundred steps, so this wait is short.
        let last = Instant::now() + Duration::from_secs(5);
        while !lane.running.is_empty() && Instant::now() < last {
            lane = self.left.wait_timeout(lane, Duration::from_millis(100)).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn stopping() -> Problem {
    let detail = "the service is stopping; what was accepted before runs after its next start";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "service.stopping", detail).retry_after(10)
}
