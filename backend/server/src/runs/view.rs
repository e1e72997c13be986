//! A run as it is shown: what the store knows, and what a live record adds.

use crate::problem::Problem;
use crate::store::RunRow;
use readahead_lab_core::Summary;
use readahead_lab_core::run::{Recording, RunState};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Why a run or an inspection failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// Stable code.
    pub code: String,
    /// Place, value and expectation.
    pub detail: String,
}

impl Failure {
    pub(crate) fn new(code: &str, detail: &str) -> Self {
        Failure { code: code.to_owned(), detail: detail.to_owned() }
    }

    pub(crate) fn json(&self) -> String {
        serde_json::to_string(self).expect("two strings")
    }

    pub(crate) fn parse(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_else(|_| Failure::new("unknown", json))
    }
}

/// The code of a run that recorded more events than one run may.
pub(crate) const TOO_LONG: &str = "run.too_long";

/// The name of the state in which a run stands. One that was stopped for this reason has failed: nobody asked for it.
pub(crate) fn state_name(state: &RunState, why: Option<&Failure>) -> &'static str {
    match (state, why) {
        (RunState::Cancelled, Some(why)) if why.code == TOO_LONG => "failed",
        _ => state.name(),
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Progress {
    /// The run's own clock.
    pub now_ns: u64,
    /// Events recorded.
    pub events: usize,
    /// Decisions recorded.
    pub decisions: usize,
}

/// A run as it stands.
#[derive(Clone, Debug)]
pub struct RunView {
    /// Its id.
    pub id: String,
    /// `queued`, `running`, `paused`, `done`, `failed` or `cancelled`.
    pub state: String,
    /// The scenario's title.
    pub title: String,
    /// The library's name of the scenario, when it was asked for by name.
    pub name: Option<String>,
    /// The scenario, canonical.
    pub scenario: Value,
    /// How far it has come; `None` for an ended run whose record is not in memory.
    pub progress: Option<Progress>,
    /// What it came to.
    pub summary: Option<Summary>,
    /// Why it failed or ended early.
    pub failure: Option<Failure>,
    /// When it was submitted, in milliseconds since 1970.
    pub created_ms: i64,
    /// When it ended.
    pub finished_ms: Option<i64>,
}

impl RunView {
    /// `live` is the record in memory, `why` the reason of a cancel that the store may not have yet.
    pub(crate) fn new(row: RunRow, live: Option<&Recording>, why: Option<Failure>) -> Result<Self, Problem> {
        let broken = |what: &str, error| Problem::internal(format!("the stored {what} of run {}: {error}", row.id));
        let scenario = serde_json::from_str(&row.scenario).map_err(|error| broken("scenario", error))?;
        let stored: Option<Summary> = match &row.summary {
            // A summary of an older version may lack fields; the run is then shown without it.
            Some(json) => serde_json::from_str(json).ok(),
            None => None,
        };
        let (mut state, mut failure) = (row.state, row.error.as_deref().map(Failure::parse));
        if let Some(recording) = live {
            let now = recording.state();
            failure = match &now {
                RunState::Failed(message) => failure.or_else(|| Some(Failure::new("run.failed", message))),
                RunState::Cancelled => failure.or(why),
                _ => None,
            };
            state = state_name(&now, failure.as_ref()).to_owned();
        }
        Ok(RunView {
            id: row.id,
            state,
            title: row.title,
            name: row.name,
            scenario,
            progress: live.map(|recording| Progress {
                now_ns: recording.now().0,
                events: recording.len(),
                decisions: recording.decision_count(),
            }),
            summary: live.and_then(Recording::summary).or(stored),
            failure,
            created_ms: row.created_ms,
            finished_ms: row.finished_ms,
        })
    }

    /// Whether nothing more will come.
    pub fn is_final(&self) -> bool {
        matches!(self.state.as_str(), "done" | "failed" | "cancelled")
    }

    /// The `json` of `run` with what the service adds: `state`, `links`, `progress`, `error`, `scenario`.
    pub fn json(&self) -> Result<Value, Problem> {
        let mut object = match &self.summary {
            Some(summary) => match serde_json::to_value(summary) {
                Ok(Value::Object(object)) => object,
                _ => return Err(Problem::internal("a summary is not an object")),
            },
            None => serde_json::Map::new(),
        };
        let mut put = |key: &str, value: Value| {
            object.insert(key.to_owned(), value);
        };
        put("id", self.id.clone().into());
        put("run_id", self.id.clone().into());
        put("title", self.title.clone().into());
        put("state", self.state.clone().into());
        put("created_ms", self.created_ms.into());
        put("finished_ms", self.finished_ms.into());
        put("scenario", self.scenario.clone());
        put("scenario_name", self.name.clone().into());
        put("links", run_links(&self.id));
        if let Some(progress) = self.progress {
            put("progress", serde_json::to_value(progress).map_err(|e| Problem::internal(e.to_string()))?);
        }
        if let Some(failure) = &self.failure {
            put("error", serde_json::to_value(failure).map_err(|e| Problem::internal(e.to_string()))?);
        }
        Ok(Value::Object(object))
    }
}

/// Where everything about a run is found.
pub(crate) fn run_links(id: &str) -> Value {
    let api = format!("/api/v1/runs/{id}");
    serde_json::json!({
        "self": api,
        "page": format!("/runs/{id}"),
        "events": format!("{api}/events"),
        "stats": format!("{api}/stats"),
        "control": format!("{api}/control"),
        "series": format!("{api}/series/{{figure}}"),
        "figures": format!("{api}/figures/{{figure}}.svg"),
        "export": format!("{api}/export/{{file}}"),
    })
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> Result<String, Problem> {
    serde_json::to_string(value).map_err(|error| Problem::internal(format!("not JSON: {error}")))
}
