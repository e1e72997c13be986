//! What every handler and page holds: the service's parts and the few verbs that pages and API share.
//!
//! Owns no logic of its own: each verb goes to the part that does it, off the async threads where it blocks.

use crate::compares::{CompareRequest, CompareView, Compares};
use crate::config::Config;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::resets::Resets;
use crate::runs::{Accepted, Action, RunView, Runs, Submission};
use crate::store::Store;
use crate::traces::{ReplayRequest, TraceView, Traces};
use anyhow::Context;
use readahead_lab_core::run::Recording;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The service's parts, shared by all requests.
#[derive(Clone, Debug)]
pub struct AppState {
    inner: Arc<Parts>,
}

/// The parts.
#[derive(Debug)]
pub struct Parts {
    /// The settings.
    pub config: Config,
    /// The database.
    pub store: Arc<Store>,
    /// Runs.
    pub runs: Arc<Runs>,
    /// Compares.
    pub compares: Arc<Compares>,
    /// Uploaded traces.
    pub traces: Arc<Traces>,
    /// Where the counters of runs were reset.
    pub resets: Resets,
    /// What is counted.
    pub metrics: Arc<Metrics>,
    /// Places for live streams.
    pub(crate) viewers: Arc<Semaphore>,
    /// Places for making figures.
    drawings: Arc<Semaphore>,
    /// Cancelled when the service stops: live streams end then.
    pub(crate) stopping: CancellationToken,
}

impl Deref for AppState {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.inner
    }
}

impl AppState {
    /// Opens the data directory, and takes up what had not ended. Errors name the path.
    pub fn open(config: Config) -> anyhow::Result<Self> {
        let data = &config.data;
        let (runs_dir, traces_dir) = (data.join("runs"), data.join("traces"));
        for dir in [data, &runs_dir, &traces_dir] {
            std::fs::create_dir_all(dir)
                .with_context(|| format!("data directory {}: cannot be made", dir.display()))?;
            probe(dir)?;
        }
        let database = data.join("readahead-lab.sqlite3");
        let store = Store::open(&database)
            .with_context(|| format!("database {}: cannot be opened for writing", database.display()))?;
        let (store, metrics) = (Arc::new(store), Arc::new(Metrics::default()));
        let runs = Runs::new(Arc::clone(&store), runs_dir, config.limits.clone(), Arc::clone(&metrics));
        let compares = Arc::new(Compares::new(Arc::clone(&store), Arc::clone(&runs)));
        let traces = Traces::new(Arc::clone(&store), traces_dir, config.limits.clone(), Arc::clone(&metrics));
        let queued = runs.restore().with_context(|| format!("database {}", database.display()))?;
        let uninspected = traces.restore().with_context(|| format!("database {}", database.display()))?;
        if queued + uninspected > 0 {
            tracing::info!(runs = queued, traces = uninspected, "taken up again");
        }
        let viewers = Arc::new(Semaphore::new(config.limits.viewers));
        let drawings = Arc::new(Semaphore::new(config.limits.drawings));
        let stopping = CancellationToken::new();
        let resets = Resets::default();
        let parts = Parts { config, store, runs, compares, traces, resets, metrics, viewers, drawings, stopping };
        Ok(AppState { inner: Arc::new(parts) })
    }

    /// Accepts a run, or finds the one that is there. [`Accepted::id`] is to be shown at `/runs/{id}`.
    pub async fn submit(&self, submission: Submission) -> Result<Accepted, Problem> {
        let runs = Arc::clone(&self.runs);
        let accepted = blocking(move || runs.submit(&submission)).await?;
        if accepted.created {
            self.resets.forget(&accepted.id);
        }
        Ok(accepted)
    }

    /// A run as it stands.
    pub async fn run(&self, id: &str) -> Result<RunView, Problem> {
        let (runs, id) = (Arc::clone(&self.runs), id.to_owned());
        blocking(move || runs.view(&id)).await
    }

    /// The newest runs, newest first.
    pub async fn recent_runs(&self, limit: usize) -> Result<Vec<RunView>, Problem> {
        let runs = Arc::clone(&self.runs);
        blocking(move || runs.recent(limit)).await
    }

    /// The record of a run, live or loaded.
    pub async fn recording(&self, id: &str) -> Result<Recording, Problem> {
        let (runs, id) = (Arc::clone(&self.runs), id.to_owned());
        blocking(move || runs.recording(&id)).await
    }

    /// Steers a live run.
    pub async fn control(&self, id: &str, action: Action) -> Result<(), Problem> {
        let (runs, id) = (Arc::clone(&self.runs), id.to_owned());
        blocking(move || runs.control(&id, action)).await
    }

    /// Accepts a compare and its two runs, or finds it.
    pub async fn submit_compare(&self, request: CompareRequest) -> Result<Accepted, Problem> {
        let compares = Arc::clone(&self.compares);
        blocking(move || compares.submit(&request)).await
    }

    /// A compare as it stands; the comparison is there once both runs are done.
    pub async fn compare(&self, id: &str) -> Result<CompareView, Problem> {
        let (compares, id) = (Arc::clone(&self.compares), id.to_owned());
        blocking(move || compares.view(&id)).await
    }

    /// The newest compares, newest first, without their results.
    pub async fn recent_compares(&self, limit: usize) -> Result<Vec<CompareView>, Problem> {
        let compares = Arc::clone(&self.compares);
        blocking(move || compares.recent(limit)).await
    }

    /// An uploaded trace as it stands.
    pub async fn trace(&self, id: &str) -> Result<TraceView, Problem> {
        let (traces, id) = (Arc::clone(&self.traces), id.to_owned());
        blocking(move || traces.view(&id)).await
    }

    /// The newest uploads, newest first.
    pub async fn recent_traces(&self, limit: usize) -> Result<Vec<TraceView>, Problem> {
        let traces = Arc::clone(&self.traces);
        blocking(move || traces.recent(limit)).await
    }

    /// Replays an uploaded trace against a model; the `json` of `replay`.
    pub async fn replay(&self, id: &str, request: ReplayRequest) -> Result<serde_json::Value, Problem> {
        let _place = self.traces.place().await?;
        let (traces, id) = (Arc::clone(&self.traces), id.to_owned());
        blocking(move || traces.replay(&id, &request)).await
    }

    /// Makes a figure, when there is a place for it: many at once would hold many decoded runs.
    pub(crate) async fn draw<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = Arc::clone(&self.drawings).acquire_owned().await;
        let place = place.map_err(|_| Problem::internal("the places of figures are closed"))?;
        blocking(move || {
            // Held until the work ends, also when nobody waits for it any more.
            let _place = place;
            work()
        })
        .await
    }

    /// Ends live streams, lets runs end or be taken up later, and closes the database.
    pub(crate) async fn stop(&self) {
        self.stopping.cancel();
        let (runs, store, grace) = (Arc::clone(&self.runs), Arc::clone(&self.store), self.config.limits.shutdown_grace);
        let closed = blocking(move || {
            runs.stop(grace);
            store.checkpoint()
        });
        if let Err(problem) = closed.await {
            tracing::warn!(%problem, "the database was not closed cleanly");
        }
    }
}

/// Runs something that blocks or computes off the async threads.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => Err(Problem::internal("the work for this answer panicked; the log has the place")),
    }
}

/// Writes and removes a file, so that a directory that cannot be written is found at the start and not at the first run.
fn probe(dir: &Path) -> anyhow::Result<()> {
    let path = dir.join(".writable");
    std::fs::write(&path, b"")
        .and_then(|()| std::fs::remove_file(&path))
        .with_context(|| format!("data directory {}: cannot be written", dir.display()))
}
