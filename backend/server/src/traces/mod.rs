//! Uploaded traces: kept as files, inspected in the background, shown, replayed, deleted.
//!
//! Knows of formats nothing at all: `lab::inspect` says what a file is. No path is ever made from what a client sent;
//! ids are drawn here.

mod replay;
mod upload;
mod view;

pub use replay::ReplayRequest;
pub use upload::{Upload, Uploaded};
pub use view::TraceView;
pub(crate) use view::trace_links;

use crate::config::Limits;
use crate::metrics::Metrics;
use crate::problem::Problem;
use crate::runs::Failure;
use crate::store::{Store, TraceRow};
use axum::http::StatusCode;
use readahead_lab_core::inspect::{self, Inspection};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// All uploads.
#[derive(Debug)]
pub struct Traces {
    store: Arc<Store>,
    dir: PathBuf,
    limits: Limits,
    metrics: Arc<Metrics>,
    /// Bytes read so far by inspections that go on, by id.
    progress: Mutex<HashMap<String, Arc<AtomicU64>>>,
    places: Arc<Semaphore>,
}

impl Traces {
    pub(crate) fn new(store: Arc<Store>, dir: PathBuf, limits: Limits, metrics: Arc<Metrics>) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(limits.inspections));
        Arc::new(Traces { store, dir, limits, metrics, progress: Mutex::default(), places })
    }
}

impl Traces {
    /// Takes up inspections that a restart interrupted, and removes what uploads left that never ended. Needs a tokio
    /// runtime around it.
    pub(crate) fn restore(self: &Arc<Self>) -> Result<usize, Problem> {
        if let Ok(entries) = std::fs::read_dir(&self.dir) {
            for path in entries.flatten().map(|entry| entry.path()) {
                if path.extension().is_some_and(|extension| extension == upload::PARTIAL) {
                    // It is tried again at the next start.
                    let _ = std::fs::remove_file(&path);
                }
            }
        }
        let rows = self.store.uninspected_traces(10_000)?;
        rows.iter().for_each(|row| self.inspect_later(&row.id));
        Ok(rows.len())
    }

    /// A place to inspect or replay; at most `limits.inspections` go on at a time.
    pub async fn place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let place = Arc::clone(&self.places).acquire_owned().await;
        place.map_err(|_| Problem::internal("the places of inspections are closed"))
    }

    fn inspect_later(self: &Arc<Self>, id: &str) {
        let (traces, id, read) = (Arc::clone(self), id.to_owned(), Arc::new(AtomicU64::new(0)));
        self.lock_progress().insert(id.clone(), Arc::clone(&read));
        tokio::spawn(async move {
            let _place = traces.place().await;
            let inspecting = Arc::clone(&traces);
            let inspected = id.clone();
            // A panic of a parser ends one inspection, not the service.
            let outcome = tokio::task::spawn_blocking(move || inspecting.inspect_now(&inspected, &read)).await;
            let outcome =
                outcome.unwrap_or_else(|_| Err(Failure::new("trace.fault", "the parser stopped at this input")));
            let storing = Arc::clone(&traces);
            let stored = crate::state::blocking(move || {
                let stored = match &outcome {
                    Ok(json) => storing.store.finish_trace(&id, "ready", None, Some(json)),
                    Err(failure) => storing.store.finish_trace(&id, "failed", Some(&failure.json()), None),
                };
                storing.lock_progress().remove(&id);
                stored
            });
            if let Err(problem) = stored.await {
                tracing::error!(%problem, "an inspection was not stored; it is made again after a restart");
            }
        });
    }

    fn inspect_now(&self, id: &str, read: &AtomicU64) -> Result<String, Failure> {
        let failure = |problem: Problem| Failure::new(&problem.code, &problem.detail);
        let inspection = self.inspection_of(id, Some(read)).map_err(failure)?;
        crate::runs::to_json(&inspection).map_err(failure)
    }

    fn inspection_of(&self, id: &str, read: Option<&AtomicU64>) -> Result<Inspection, Problem> {
        let progress = |bytes| {
            if let Some(read) = read {
                read.store(bytes, Ordering::Relaxed);
            }
        };
        Ok(inspect::inspect(self.open(id)?, progress)?)
    }

    /// The inspection of an upload that was understood, to draw figures of it.
    pub fn inspection(&self, id: &str) -> Result<Inspection, Problem> {
        self.view(id)?.need_ready()?;
        self.inspection_of(id, None)
    }

    /// An upload as it stands.
    pub fn view(&self, id: &str) -> Result<TraceView, Problem> {
        TraceView::new(self.row(id)?, self.read_so_far(id))
    }

    /// The newest uploads.
    pub fn recent(&self, limit: usize) -> Result<Vec<TraceView>, Problem> {
        let rows = self.store.recent_traces(limit)?;
        rows.into_iter()
            .map(|row| {
                let read = self.read_so_far(&row.id);
                TraceView::new(row, read)
            })
            .collect()
    }

    /// Replays the requests of an upload through a model.
    pub fn replay(&self, id: &str, request: &ReplayRequest) -> Result<serde_json::Value, Problem> {
        self.view(id)?.need_ready()?;
        let settings = request.settings()?;
        let report = readahead_lab_core::replay::replay(self.open(id)?, &request.model, &request.patches, &settings)?;
        serde_json::to_value(report).map_err(|error| Problem::internal(format!("not JSON: {error}")))
    }

    /// Forgets an upload, given the token that its upload returned.
    pub fn delete(&self, id: &str, token: Option<&str>) -> Result<(), Problem> {
        let row = self.row(id)?;
        let Some(token) = token else {
            let detail =
                "deleting needs the token that the upload returned, as `Authorization: Bearer TOKEN` or `?token=`";
            return Err(Problem::new(StatusCode::UNAUTHORIZED, "trace.token_missing", detail));
        };
        // Comparing hashes of BLAKE3 takes the same time wherever they differ.
        if blake3::Hash::from_hex(&row.token_hash).ok() != Some(blake3::hash(token.as_bytes())) {
            let detail = format!("this is not the token that the upload of trace {id} returned");
            return Err(Problem::new(StatusCode::FORBIDDEN, "trace.token_wrong", detail));
        }
        // The row first: a file without a row is only waste, a row without a file is a broken promise.
        self.store.delete_trace(id)?;
        std::fs::remove_file(self.path(id)).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(io_problem("deleting the upload", &error)),
        })
    }

    fn open(&self, id: &str) -> Result<std::fs::File, Problem> {
        std::fs::File::open(self.path(id)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Problem::new(
                StatusCode::GONE,
                "trace.file_lost",
                format!("the file of trace {id} is gone; upload it again"),
            ),
            _ => io_problem("reading the upload", &error),
        })
    }

    fn row(&self, id: &str) -> Result<TraceRow, Problem> {
        self.store.trace(id)?.ok_or_else(|| Problem::not_found("trace.not_found", format!("there is no trace {id}")))
    }

    fn read_so_far(&self, id: &str) -> Option<u64> {
        self.lock_progress().get(id).map(|read| read.load(Ordering::Relaxed))
    }

    fn lock_progress(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<AtomicU64>>> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where an upload lies. Ids are hexadecimal digits, checked where they come in.
    fn path(&self, id: &str) -> PathBuf {
        self.dir.join(format!("{id}.trace"))
    }
}

/// What a failure of the file system means to the person on the other side.
pub(crate) fn io_problem(doing: &str, error: &std::io::Error) -> Problem {
    use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded => Problem::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "store.full",
            format!("{doing}: the data directory has no room left ({error}); free some space and try again"),
        ),
        PermissionDenied | ReadOnlyFilesystem => Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "store.read_only",
            format!("{doing}: the data directory cannot be written ({error})"),
        ),
        _ => Problem::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "store.unavailable",
            format!("{doing}: the data directory does not answer ({error})"),
        ),
    }
}

/// Random hexadecimal digits, two for each byte.
fn random_hex(bytes: usize) -> Result<String, Problem> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(|error| Problem::internal(format!("no random numbers: {error}")))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}
