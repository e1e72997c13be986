//! The SQLite store: which runs, compares and traces there are, and what came of them.
//!
//! Owns the tables and the SQL. Knows neither HTTP nor the engine: scenarios and summaries are text to it. Recordings and
//! uploads are files beside it. Every call blocks for a moment; callers on the async side use [`Store::call`].

mod rows;

pub use rows::{CompareRow, RunRow, TraceRow};

use crate::problem::Problem;
use axum::http::StatusCode;
use rows::{COMPARE_COLUMNS, RUN_COLUMNS, TRACE_COLUMNS, compare_row, run_row, trace_row};
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, params};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Tables as of `user_version` 1.
const SCHEMA: &str = "
CREATE TABLE runs (
    id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, scenario TEXT NOT NULL, name TEXT, state TEXT NOT NULL,
    error TEXT, summary TEXT, created_ms INTEGER NOT NULL, finished_ms INTEGER
) STRICT;
CREATE INDEX runs_by_time ON runs (created_ms);
CREATE INDEX runs_by_state ON runs (state);
CREATE TABLE compares (
    id TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL, a TEXT NOT NULL REFERENCES runs (id),
    b TEXT NOT NULL REFERENCES runs (id), a_label TEXT NOT NULL, b_label TEXT NOT NULL, result TEXT, text TEXT,
    created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX compares_by_time ON compares (created_ms);
CREATE TABLE traces (
    id TEXT PRIMARY KEY NOT NULL, token_hash TEXT NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL,
    state TEXT NOT NULL, error TEXT, inspection TEXT, created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX traces_by_time ON traces (created_ms);
PRAGMA user_version = 1;
";

/// The version that this program reads and writes.
const VERSION: i64 = 1;

/// The database behind a lock.
#[derive(Debug)]
pub struct Store {
    connection: Mutex<Connection>,
}

/// Milliseconds since 1970.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as i64)
}

impl Store {
    /// Opens or makes the database, and makes sure that it can be written.
    pub fn open(path: &Path) -> Result<Self, rusqlite::Error> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(1))?;
        // Readers never wait for the writer, and a power cut loses at most the last transactions, never the file.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let version: i64 = connection.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        match version {
            0 => connection.execute_batch(&format!("BEGIN IMMEDIATE; {SCHEMA} COMMIT;"))?,
            VERSION => connection.execute_batch("BEGIN IMMEDIATE; PRAGMA user_version = 1; COMMIT;")?,
            newer => {
                return Err(rusqlite::Error::InvalidParameterName(format!(
                    "the database has version {newer}; this program knows versions up to {VERSION}"
                )));
            }
        }
        Ok(Store { connection: Mutex::new(connection) })
    }

    /// Runs a call of the store off the async threads.
    pub async fn call<T: Send + 'static>(
        self: &Arc<Self>,
        call: impl FnOnce(&Store) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let store = Arc::clone(self);
        tokio::task::spawn_blocking(move || call(&store))
            .await
            .unwrap_or_else(|_| Err(Problem::internal("a call of the store panicked")))
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A panic between two statements leaves at most an open transaction, which the next statement's error shows.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the database answers and can be written.
    pub fn check(&self) -> Result<(), Problem> {
        self.lock().execute_batch("BEGIN IMMEDIATE; PRAGMA user_version = 1; COMMIT;").map_err(problem)
    }

    /// Writes the log into the file; the last call before the program ends.
    pub fn checkpoint(&self) -> Result<(), Problem> {
        self.lock().execute_batch("PRAGMA wal_checkpoint(TRUNCATE);").map_err(problem)
    }

    /// Stores a run as queued, or makes an old one queued again.
    pub fn queue_run(&self, id: &str, title: &str, scenario: &str, name: Option<&str>) -> Result<(), Problem> {
        self.lock()
            .execute(
                "INSERT INTO runs (id, title, scenario, name, state, created_ms) VALUES (?1, ?2, ?3, ?4, 'queued', ?5)
                 ON CONFLICT (id) DO UPDATE SET state = 'queued', error = NULL, finished_ms = NULL",
                params![id, title, scenario, name, now_ms()],
            )
            .map_err(problem)?;
        Ok(())
    }

    /// Says that a run has started.
    pub fn start_run(&self, id: &str) -> Result<(), Problem> {
        self.lock().execute("UPDATE runs SET state = 'running' WHERE id = ?1", [id]).map_err(problem)?;
        Ok(())
    }

    /// Stores how a run ended.
    pub fn finish_run(&self, id: &str, state: &str, error: Option<&str>, summary: Option<&str>) -> Result<(), Problem> {
        self.lock()
            .execute(
                "UPDATE runs SET state = ?2, error = ?3, summary = ?4, finished_ms = ?5 WHERE id = ?1",
                params![id, state, error, summary, now_ms()],
            )
            .map_err(problem)?;
        Ok(())
    }

    /// One run.
    pub fn run(&self, id: &str) -> Result<Option<RunRow>, Problem> {
        self.lock()
            .query_row(&format!("SELECT {RUN_COLUMNS} FROM runs WHERE id = ?1"), [id], run_row)
            .optional()
            .map_err(problem)
    }

    /// The newest runs, newest first.
    pub fn recent_runs(&self, limit: usize) -> Result<Vec<RunRow>, Problem> {
        self.list(&format!("SELECT {RUN_COLUMNS} FROM runs ORDER BY created_ms DESC, id LIMIT ?1"), limit, run_row)
    }

    /// Runs that were accepted and have not ended, oldest first.
    pub fn unfinished_runs(&self, limit: usize) -> Result<Vec<RunRow>, Problem> {
        let sql = format!(
            "SELECT {RUN_COLUMNS} FROM runs WHERE state IN ('queued', 'running') ORDER BY created_ms, id LIMIT ?1"
        );
        self.list(&sql, limit, run_row)
    }

    /// Stores a compare; false when it is there already.
    pub fn add_compare(&self, row: &CompareRow) -> Result<bool, Problem> {
        let added = self
            .lock()
            .execute(
                "INSERT INTO compares (id, title, a, b, a_label, b_label, created_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (id) DO NOTHING",
                params![row.id, row.title, row.a, row.b, row.a_label, row.b_label, row.created_ms],
            )
            .map_err(problem)?;
        Ok(added == 1)
    }

    /// Stores what a compare found.
    pub fn finish_compare(&self, id: &str, result: &str, text: &str) -> Result<(), Problem> {
        self.lock()
            .execute("UPDATE compares SET result = ?2, text = ?3 WHERE id = ?1", [id, result, text])
            .map_err(problem)?;
        Ok(())
    }

    /// One compare.
    pub fn compare(&self, id: &str) -> Result<Option<CompareRow>, Problem> {
        self.lock()
            .query_row(&format!("SELECT {COMPARE_COLUMNS} FROM compares WHERE id = ?1"), [id], compare_row)
            .optional()
            .map_err(problem)
    }

    /// The newest compares, newest first.
    pub fn recent_compares(&self, limit: usize) -> Result<Vec<CompareRow>, Problem> {
        let sql = format!("SELECT {COMPARE_COLUMNS} FROM compares ORDER BY created_ms DESC, id LIMIT ?1");
        self.list(&sql, limit, compare_row)
    }

    /// Stores an upload that is complete.
    pub fn add_trace(&self, row: &TraceRow) -> Result<(), Problem> {
        self.lock()
            .execute(
                "INSERT INTO traces (id, token_hash, name, bytes, state, created_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![row.id, row.token_hash, row.name, row.bytes, row.state, row.created_ms],
            )
            .map_err(problem)?;
        Ok(())
    }

    /// Stores what inspecting an upload gave.
    pub fn finish_trace(
        &self,
        id: &str,
        state: &str,
        error: Option<&str>,
        inspection: Option<&str>,
    ) -> Result<(), Problem> {
        self.lock()
            .execute(
                "UPDATE traces SET state = ?2, error = ?3, inspection = ?4 WHERE id = ?1",
                params![id, state, error, inspection],
            )
            .map_err(problem)?;
        Ok(())
    }

    /// One upload.
    pub fn trace(&self, id: &str) -> Result<Option<TraceRow>, Problem> {
        self.lock()
            .query_row(&format!("SELECT {TRACE_COLUMNS} FROM traces WHERE id = ?1"), [id], trace_row)
            .optional()
            .map_err(problem)
    }

    /// The newest uploads, newest first.
    pub fn recent_traces(&self, limit: usize) -> Result<Vec<TraceRow>, Problem> {
        let sql = format!("SELECT {TRACE_COLUMNS} FROM traces ORDER BY created_ms DESC, id LIMIT ?1");
        self.list(&sql, limit, trace_row)
    }

    /// Uploads whose inspection was interrupted.
    pub fn uninspected_traces(&self, limit: usize) -> Result<Vec<TraceRow>, Problem> {
        let sql =
            format!("SELECT {TRACE_COLUMNS} FROM traces WHERE state = 'inspecting' ORDER BY created_ms, id LIMIT ?1");
        self.list(&sql, limit, trace_row)
    }

    /// Forgets an upload.
    pub fn delete_trace(&self, id: &str) -> Result<(), Problem> {
        self.lock().execute("DELETE FROM traces WHERE id = ?1", [id]).map_err(problem)?;
        Ok(())
    }

    fn list<T>(
        &self,
        sql: &str,
        limit: usize,
        read: fn(&Row<'_>) -> Result<T, rusqlite::Error>,
    ) -> Result<Vec<T>, Problem> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(sql).map_err(problem)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = statement.query_map([limit], read).map_err(problem)?;
        rows.collect::<Result<_, _>>().map_err(problem)
    }
}

/// What a failure of SQLite means to the person on the other side.
fn problem(error: rusqlite::Error) -> Problem {
    let unavailable = |code, what: &str| {
        let detail = format!("The database in the data directory {what} ({error}); nothing was accepted.");
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, detail).retry_after(10)
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => Problem::new(
            StatusCode::INSUFFICIENT_STORAGE,
            "store.full",
            format!(
                "The data directory has no room left ({error}); nothing was accepted. Free some space and try again."
            ),
        ),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => unavailable("store.read_only", "cannot be written"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            unavailable("store.busy", "is held by another program")
        }
        _ => unavailable("store.unavailable", "does not answer"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("lab.sqlite3")).unwrap();
        (dir, store)
    }

    #[test]
    fn a_run_goes_through_its_states_and_survives_reopening() {
        let (dir, store) = store();
        store.queue_run("aa", "title", "{}", Some("one")).unwrap();
        assert_eq!(store.unfinished_runs(10).unwrap().len(), 1);
        store.start_run("aa").unwrap();
        assert_eq!(store.run("aa").unwrap().unwrap().state, "running");
        store.finish_run("aa", "done", None, Some("{\"windows\":1}")).unwrap();
        drop(store);
        let store = Store::open(&dir.path().join("lab.sqlite3")).unwrap();
        let row = store.run("aa").unwrap().unwrap();
        assert_eq!((row.state.as_str(), row.summary.as_deref()), ("done", Some("{\"windows\":1}")));
        assert!(row.finished_ms.is_some());
        assert!(store.unfinished_runs(10).unwrap().is_empty());
        assert_eq!(store.run("bb").unwrap(), None);
    }

    #[test]
    fn queueing_again_keeps_the_scenario_and_clears_the_failure() {
        let (_dir, store) = store();
        store.queue_run("aa", "title", "{}", None).unwrap();
        store.finish_run("aa", "failed", Some("why"), None).unwrap();
        store.queue_run("aa", "title", "{}", None).unwrap();
        let row = store.run("aa").unwrap().unwrap();
        assert_eq!((row.state.as_str(), row.error, row.finished_ms), ("queued", None, None));
    }

    #[test]
    fn a_store_that_cannot_be_written_says_so_and_still_reads() {
        let (_dir, store) = store();
        store.queue_run("aa", "title", "{}", None).unwrap();
        store.lock().pragma_update(None, "query_only", true).unwrap();
        let problem = store.queue_run("bb", "title", "{}", None).unwrap_err();
        assert_eq!((problem.status, problem.code.as_ref()), (503, "store.read_only"));
        assert!(store.run("aa").unwrap().is_some());
        store.lock().pragma_update(None, "query_only", false).unwrap();
        store.queue_run("bb", "title", "{}", None).unwrap();
    }

    #[test]
    fn a_full_disk_is_507() {
        let (_dir, store) = store();
        let pages: i64 = store.lock().query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
        store.lock().query_row("PRAGMA max_page_count = 1", [], |row| row.get::<_, i64>(0)).unwrap();
        let long = "x".repeat(usize::try_from(pages).unwrap() * 4096);
        let problem = store.queue_run("bb", &long, "{}", None).unwrap_err();
        assert_eq!((problem.status, problem.code.as_ref()), (507, "store.full"));
    }

    #[test]
    fn a_database_of_a_later_version_is_not_touched() {
        let (dir, store) = store();
        store.lock().pragma_update(None, "user_version", 99).unwrap();
        drop(store);
        let error = Store::open(&dir.path().join("lab.sqlite3")).unwrap_err();
        assert!(error.to_string().contains("version 99"), "{error}");
    }
}
