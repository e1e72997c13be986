//! `/runs`: submit a scenario, see a run.

use super::accepted;
use super::body::{Text, parse_json};
use super::params::{Expected, Params, id};
use crate::problem::Problem;
use crate::runs::{Source, Submission, run_links};
use crate::state::AppState;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

/// How a run starts, as query parameters; for TOML bodies, which have no place for it.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Start {
    /// Virtual seconds for each real second. Left out: as fast as possible.
    #[serde(default)]
    pace: Option<f64>,
    /// Start held before the first event.
    #[serde(default)]
    paused: bool,
    /// Compute again even when the run is there already.
    #[serde(default)]
    again: bool,
}

impl Expected for Start {
    const PARAMETERS: &[(&str, &str)] =
        &[("pace", "a number above 0"), ("paused", "true or false"), ("again", "true or false")];
}

/// A scenario by name or whole, with settings over it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Envelope {
    /// The name of a scenario of `/scenarios`, or a scenario.
    #[schema(value_type = Object)]
    scenario: Value,
    /// `KEY=VALUE` settings with the scenario's own dotted keys.
    #[serde(default)]
    set: Vec<String>,
    /// Virtual seconds for each real second. Left out: as fast as possible.
    #[serde(default)]
    pace: Option<f64>,
    /// Start held before the first event.
    #[serde(default)]
    paused: bool,
    /// Compute again even when the run is there already.
    #[serde(default)]
    again: bool,
}

/// Submit a scenario.
///
/// The body is a scenario as TOML or JSON, or `{"scenario": NAME or scenario, "set": ["KEY=VALUE"], "pace", "paused"}`. A
/// run is a function of its scenario, so the same scenario is the same run.
#[utoipa::path(
    post, path = "/runs", tag = "runs", params(Start),
    request_body(content((Envelope = "application/json"), (String = "application/toml"))),
    responses(
        (status = 201, description = "Accepted and stored: `id`, `state`, `links`"),
        (status = 303, description = "The run is there already; `Location` names it"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
        (status = "5XX", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn submit(
    State(state): State<AppState>,
    Params(start): Params<Start>,
    body: Text,
) -> Result<Response, Problem> {
    let accepted_run = state.submit(submission(body, start)?).await?;
    let links = run_links(&accepted_run.id);
    let run = state.run(&accepted_run.id).await?;
    let body = json!({"id": run.id, "run_id": run.id, "state": run.state, "title": run.title, "links": links});
    Ok(accepted(accepted_run.created, format!("/api/v1/runs/{}", accepted_run.id), body))
}

fn submission(body: Text, start: Start) -> Result<Submission, Problem> {
    let Start { pace, paused, again } = start;
    let bare = |source| Submission { source, set: Vec::new(), pace, paused, again };
    let mut value: Value = match body {
        Text::Toml(text) => return Ok(bare(Source::Toml(text))),
        Text::Json(text) => parse_json(&text)?,
    };
    if value.get("scenario").is_some() {
        let envelope: Envelope = parse_json(&value.to_string())?;
        return Ok(Submission {
            source: source(envelope.scenario),
            set: envelope.set,
            pace: envelope.pace.or(pace),
            paused: envelope.paused || paused,
            again: envelope.again || again,
        });
    }
    // A bare scenario may say how to start beside its own keys.
    let mut start = serde_json::Map::new();
    if let Value::Object(object) = &mut value {
        for key in ["pace", "paused", "again"] {
            start.extend(object.remove_entry(key));
        }
    }
    let Start { pace: own_pace, paused: own_paused, again: own_again } = parse_json(&Value::Object(start).to_string())?;
    Ok(Submission {
        source: Source::Json(value),
        set: Vec::new(),
        pace: own_pace.or(pace),
        paused: own_paused || paused,
        again: own_again || again,
    })
}

/// A string is a name, everything else is a scenario (or will be told why it is not).
pub(super) fn source(scenario: Value) -> Source {
    match scenario {
        Value::String(name) => Source::Name(name),
        other => Source::Json(other),
    }
}

/// How many to list.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limit {
    /// At most this many (1 … 200).
    #[serde(default = "default_limit")]
    pub(super) limit: usize,
}

impl Expected for Limit {
    const PARAMETERS: &[(&str, &str)] = &[("limit", "a whole number, 1 … 200")];
}

fn default_limit() -> usize {
    20
}

impl Limit {
    pub(super) fn bounded(self) -> usize {
        self.limit.clamp(1, 200)
    }
}

/// The newest runs, newest first.
#[utoipa::path(
    get, path = "/runs", tag = "runs", params(Limit),
    responses((status = 200, description = "`runs`: id, state, title, created_ms, links of each"))
)]
pub(crate) async fn list(State(state): State<AppState>, Params(limit): Params<Limit>) -> Result<Json<Value>, Problem> {
    let runs = state.recent_runs(limit.bounded()).await?;
    let runs: Vec<Value> = runs
        .iter()
        .map(|run| {
            json!({
                "id": run.id, "state": run.state, "title": run.title, "scenario_name": run.name,
                "created_ms": run.created_ms, "finished_ms": run.finished_ms, "links": run_links(&run.id),
            })
        })
        .collect();
    Ok(Json(json!({ "runs": runs })))
}

/// A run: the `json` of `run`, plus `state`, `links`, `progress` and the canonical `scenario`.
#[utoipa::path(
    get, path = "/runs/{id}", tag = "runs", params(("id" = String, Path, description = "Run id")),
    responses(
        (status = 200, description = "The run as it stands"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Path(run): Path<String>) -> Result<Json<Value>, Problem> {
    Ok(Json(state.run(id(&run)?).await?.json()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> Result<Submission, Problem> {
        submission(Text::Json(body.to_owned()), Start::default())
    }

    #[test]
    fn a_name_a_scenario_and_an_envelope_are_told_apart() {
        let named = of(r#"{"scenario":"one","set":["a=1"],"pace":0.5}"#).unwrap();
        assert!(matches!(named.source, Source::Name(ref name) if name == "one"));
        assert_eq!((named.set.len(), named.pace, named.paused), (1, Some(0.5), false));
        let bare = of(r#"{"title":"t","paused":true}"#).unwrap();
        assert!(bare.paused);
        let Source::Json(value) = bare.source else { panic!("expected a scenario") };
        assert_eq!(value, json!({"title": "t"}));
        let whole = of(r#"{"scenario":{"title":"t"}}"#).unwrap();
        assert!(matches!(whole.source, Source::Json(_)));
    }

    #[test]
    fn an_envelope_with_an_unknown_key_is_refused() {
        let problem = of(r#"{"scenario":"one","sets":[]}"#).unwrap_err();
        assert_eq!((problem.status, problem.code.as_ref()), (422, "body.invalid"));
        assert!(problem.detail.contains("sets"), "{}", problem.detail);
    }
}
