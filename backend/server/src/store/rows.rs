//! The rows of the store's tables, and how they are read.

use rusqlite::Row;

/// One run as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRow {
    /// Its id.
    pub id: String,
    /// The scenario's title.
    pub title: String,
    /// The scenario, canonical JSON.
    pub scenario: String,
    /// The name under which it was asked for, when it came from the library.
    pub name: Option<String>,
    /// `queued`, `running`, `done`, `failed` or `cancelled`.
    pub state: String,
    /// What failed, as the JSON of a problem's code and detail.
    pub error: Option<String>,
    /// The summary, JSON.
    pub summary: Option<String>,
    /// When it was first submitted, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it ended.
    pub finished_ms: Option<i64>,
}

/// One compare as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompareRow {
    /// Its id.
    pub id: String,
    /// The common title.
    pub title: String,
    /// Run id of side A.
    pub a: String,
    /// Run id of side B.
    pub b: String,
    /// What makes side A, as asked for.
    pub a_label: String,
    /// What makes side B, as asked for.
    pub b_label: String,
    /// The comparison, JSON, once both runs are done.
    pub result: Option<String>,
    /// The comparison as text for a mail.
    pub text: Option<String>,
    /// When it was submitted, in milliseconds since 1970.
    pub created_ms: i64,
}

/// One uploaded trace as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// Its id.
    pub id: String,
    /// BLAKE3 of the token that allows deleting it, hex.
    pub token_hash: String,
    /// File name as the uploader gave it; for display only.
    pub name: String,
    /// Size as uploaded.
    pub bytes: i64,
    /// `inspecting`, `ready` or `failed`.
    pub state: String,
    /// Why it could not be read, as the JSON of a problem's code and detail.
    pub error: Option<String>,
    /// The inspection, JSON.
    pub inspection: Option<String>,
    /// When it was uploaded, in milliseconds since 1970.
    pub created_ms: i64,
}

pub(super) const RUN_COLUMNS: &str = "id, title, scenario, name, state, error, summary, created_ms, finished_ms";

pub(super) fn run_row(row: &Row<'_>) -> Result<RunRow, rusqlite::Error> {
    Ok(RunRow {
        id: row.get(0)?,
        title: row.get(1)?,
        scenario: row.get(2)?,
        name: row.get(3)?,
        state: row.get(4)?,
        error: row.get(5)?,
        summary: row.get(6)?,
        created_ms: row.get(7)?,
        finished_ms: row.get(8)?,
    })
}

pub(super) const COMPARE_COLUMNS: &str = "id, title, a, b, a_label, b_label, result, text, created_ms";

pub(super) fn compare_row(row: &Row<'_>) -> Result<CompareRow, rusqlite::Error> {
    Ok(CompareRow {
        id: row.get(0)?,
        title: row.get(1)?,
        a: row.get(2)?,
        b: row.get(3)?,
        a_label: row.get(4)?,
        b_label: row.get(5)?,
        result: row.get(6)?,
        text: row.get(7)?,
        created_ms: row.get(8)?,
    })
}

pub(super) const TRACE_COLUMNS: &str = "id, token_hash, name, bytes, state, error, inspection, created_ms";

pub(super) fn trace_row(row: &Row<'_>) -> Result<TraceRow, rusqlite::Error> {
    Ok(TraceRow {
        id: row.get(0)?,
        token_hash: row.get(1)?,
        name: row.get(2)?,
        bytes: row.get(3)?,
        state: row.get(4)?,
        error: row.get(5)?,
        inspection: row.get(6)?,
        created_ms: row.get(7)?,
    })
}
