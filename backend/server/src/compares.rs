//! Compares: one scenario, two sides, what differs.
//!
//! A compare is two runs and a row. The comparison is made when both runs are done and someone asks; its JSON and its
//! text are then kept in the store.

use crate::problem::Problem;
use crate::runs::{Accepted, Failure, RunView, Runs, Source, Submission, base_scenario};
use crate::store::{CompareRow, Store, now_ms};
use axum::http::StatusCode;
use readahead_lab_core::compare;
use readahead_lab_core::run::Recording;
use readahead_lab_core::scenario::split_settings;
use serde_json::Value;
use std::sync::Arc;

/// A compare asked for.
#[derive(Clone, Debug)]
pub struct CompareRequest {
    /// The scenario of both sides.
    pub source: Source,
    /// Settings of both sides.
    pub set: Vec<String>,
    /// Settings of side A: `KEY=VALUE[;KEY=VALUE…]`.
    pub a: String,
    /// Settings of side B.
    pub b: String,
}

/// A compare as it stands.
#[derive(Clone, Debug)]
pub struct CompareView {
    /// Its id.
    pub id: String,
    /// `queued`, `running`, `done`, `failed` or `cancelled`: the state of the side that is furthest from done.
    pub state: String,
    /// The scenario's title.
    pub title: String,
    /// Side A's run.
    pub a: RunView,
    /// Side B's run.
    pub b: RunView,
    /// The settings of side A.
    pub a_label: String,
    /// The settings of side B.
    pub b_label: String,
    /// What differs: the `json` of `compare`.
    pub comparison: Option<Value>,
    /// The same as text for a mail, at most 72 columns.
    pub text: Option<String>,
    /// When it was submitted, in milliseconds since 1970.
    pub created_ms: i64,
}

/// All compares.
#[derive(Debug)]
pub struct Compares {
    store: Arc<Store>,
    runs: Arc<Runs>,
}

impl Compares {
    pub(crate) fn new(store: Arc<Store>, runs: Arc<Runs>) -> Self {
        Compares { store, runs }
    }

    /// Accepts both runs and the compare, or finds it.
    pub fn submit(&self, request: &CompareRequest) -> Result<Accepted, Problem> {
        let base = base_scenario(&request.source)?;
        // Both sides are checked before either is accepted.
        let sides = [("a", &request.a), ("b", &request.b)].map(|(side, settings)| {
            let mut set = request.set.clone();
            set.extend(split_settings(settings));
            let submission = Submission::new(request.source.clone(), set);
            match submission.scenario() {
                Ok(_) => Ok(submission),
                Err(mut problem) => {
                    problem.detail = format!("side {side}: {}", problem.detail);
                    problem.place = Some(side.to_owned());
                    Err(problem)
                }
            }
        });
        let [a, b] = sides;
        let (a, b) = (a?, b?);
        let (a, b) = (self.runs.submit(&a)?, self.runs.submit(&b)?);
        let id = compare_id(&a.id, &b.id);
        let row = CompareRow {
            id: id.clone(),
            title: base.title().to_owned(),
            a: a.id,
            b: b.id,
            a_label: request.a.trim().to_owned(),
            b_label: request.b.trim().to_owned(),
            result: None,
            text: None,
            created_ms: now_ms(),
        };
        let created = self.store.add_compare(&row)?;
        Ok(Accepted { id, created })
    }

    /// A compare as it stands.
    pub fn view(&self, id: &str) -> Result<CompareView, Problem> {
        let mut row = self.row(id)?;
        let (a, b) = (self.runs.view(&row.a)?, self.runs.view(&row.b)?);
        if row.result.is_none() && a.state == "done" && b.state == "done" {
            let (recording_a, recording_b) = self.recordings(&row)?;
            // A record that was lost is being made again.
            if recording_a.summary().is_some() && recording_b.summary().is_some() {
                let comparison = compare::compare(&recording_a, &recording_b)?;
                let text = compare::text(&comparison);
                let result = crate::runs::to_json(&comparison)?;
                if let Err(problem) = self.store.finish_compare(id, &result, &text) {
                    tracing::warn!(compare = id, %problem, "a comparison was not stored; it is made again when asked for");
                }
                (row.result, row.text) = (Some(result), Some(text));
            }
        }
        view(row, a, b)
    }

    /// The newest compares, without their results.
    pub fn recent(&self, limit: usize) -> Result<Vec<CompareView>, Problem> {
        let rows = self.store.recent_compares(limit)?;
        rows.into_iter()
            .map(|row| {
                let (a, b) = (self.runs.view(&row.a)?, self.runs.view(&row.b)?);
                view(CompareRow { result: None, text: None, ..row }, a, b)
            })
            .collect()
    }

    /// The records of both sides.
    pub fn both(&self, id: &str) -> Result<(Recording, Recording), Problem> {
        self.recordings(&self.row(id)?)
    }

    /// The ids of both runs.
    pub fn sides(&self, id: &str) -> Result<(String, String), Problem> {
        let row = self.row(id)?;
        Ok((row.a, row.b))
    }

    fn recordings(&self, row: &CompareRow) -> Result<(Recording, Recording), Problem> {
        Ok((self.runs.recording(&row.a)?, self.runs.recording(&row.b)?))
    }

    fn row(&self, id: &str) -> Result<CompareRow, Problem> {
        self.store
            .compare(id)?
            .ok_or_else(|| Problem::not_found("compare.not_found", format!("there is no compare {id}")))
    }
}

impl CompareView {
    /// Whether nothing more will come.
    pub fn is_final(&self) -> bool {
        self.comparison.is_some()
            || [&self.a, &self.b].iter().any(|run| matches!(run.state.as_str(), "failed" | "cancelled"))
    }

    /// The comparison's text, or why there is none yet.
    pub fn need_text(&self) -> Result<&str, Problem> {
        self.text.as_deref().ok_or_else(|| {
            let detail = format!("compare {} is {}; expected one whose two runs are done", self.id, self.state);
            Problem::new(StatusCode::CONFLICT, "compare.not_done", detail)
        })
    }

    /// The `json` of `compare` with what the service adds.
    pub fn json(&self) -> Result<Value, Problem> {
        let mut object = match &self.comparison {
            Some(Value::Object(object)) => object.clone(),
            _ => serde_json::Map::from_iter([
                ("differences".to_owned(), Value::Null),
                ("first_divergence".to_owned(), Value::Null),
            ]),
        };
        object.insert("a".to_owned(), self.a.json()?);
        object.insert("b".to_owned(), self.b.json()?);
        for (key, value) in [
            ("id", Value::from(self.id.clone())),
            ("state", self.state.clone().into()),
            ("title", self.title.clone().into()),
            ("a_settings", self.a_label.clone().into()),
            ("b_settings", self.b_label.clone().into()),
            ("created_ms", self.created_ms.into()),
            ("links", compare_links(&self.id)),
        ] {
            object.insert(key.to_owned(), value);
        }
        Ok(Value::Object(object))
    }

    /// Why it failed, when a side did.
    pub fn failure(&self) -> Option<&Failure> {
        self.a.failure.as_ref().or(self.b.failure.as_ref())
    }
}

fn view(row: CompareRow, a: RunView, b: RunView) -> Result<CompareView, Problem> {
    let comparison = match &row.result {
        Some(json) => {
            let parsed = serde_json::from_str(json);
            Some(parsed.map_err(|e| Problem::internal(format!("the stored comparison {}: {e}", row.id)))?)
        }
        None => None,
    };
    let state = ["failed", "cancelled", "queued", "paused", "running"]
        .into_iter()
        .find(|state| a.state == *state || b.state == *state)
        .unwrap_or("done")
        .to_owned();
    Ok(CompareView {
        id: row.id,
        state,
        title: row.title,
        a,
        b,
        a_label: row.a_label,
        b_label: row.b_label,
        comparison,
        text: row.text,
        created_ms: row.created_ms,
    })
}

/// The pair of runs, hashed: the same question has the same place.
fn compare_id(a: &str, b: &str) -> String {
    let hash = blake3::hash(format!("compare {a} {b}").as_bytes());
    hash.to_hex()[..20].to_owned()
}

pub(crate) fn compare_links(id: &str) -> Value {
    let api = format!("/api/v1/compare/{id}");
    serde_json::json!({
        "self": api,
        "page": format!("/compare/{id}"),
        "text": format!("{api}/lkml.txt"),
        "figures": format!("{api}/figures/{{figure}}.svg"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_ordered() {
        assert_eq!(compare_id("a", "b").len(), 20);
        assert_ne!(compare_id("a", "b"), compare_id("b", "a"));
    }
}
