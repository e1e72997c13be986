//! `/runs/{id}/stats`: the table of /debug/readahead/stats, and its reset.

use super::params::{Expected, Params, id};
use crate::problem::Problem;
use crate::state::AppState;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use readahead_lab_core::metrics::Accounting;
use readahead_lab_core::text::stats_from;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

/// Headers that say beside the table what it counts.
const COUNTED_BY: HeaderName = HeaderName::from_static("x-counted-by");
const COUNTED_FROM: HeaderName = HeaderName::from_static("x-counted-from");

/// From where on to count.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counted {
    /// The first event that counts, by its number: 0 for the whole run. Left out: from the last reset on.
    #[serde(default)]
    from: Option<usize>,
}

impl Expected for Counted {
    const PARAMETERS: &[(&str, &str)] = &[("from", "a whole number from 0, the number of an event")];
}

/// The pattern statistics of a run, as they read now.
///
/// A run with the patch `stats` is counted by that patch's own rules; any other by the lab's (`counted_by`).
#[utoipa::path(
    get, path = "/runs/{id}/stats", tag = "runs", params(("id" = String, Path, description = "Run id"), Counted),
    responses(
        (status = 200, description = "The table", content((String = "text/plain"), (Object = "application/json"))),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn stats(
    State(state): State<AppState>,
    Path(run): Path<String>,
    Params(counted): Params<Counted>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = id(&run)?;
    let recording = state.recording(run).await?;
    let from = counted.from.unwrap_or_else(|| state.resets.from(run));
    let by = Accounting::of(recording.scenario().world());
    let (shown, place) = (recording.state(), recording.clone());
    // Counting anew goes through the whole record.
    let table = state.draw(move || Ok(stats_from(&place, from))).await?;
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accept.contains("application/json") {
        let body = json!({
            "run_id": run, "state": shown.name(), "counted_from": from, "counted_by": by, "note": by.note(), "stats": table,
        });
        return Ok(Json(body).into_response());
    }
    let said = match by {
        Accounting::Lab => "lab",
        Accounting::Series => "series",
    };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8")),
        (COUNTED_BY, HeaderValue::from_static(said)),
        (COUNTED_FROM, HeaderValue::from(from)),
    ];
    Ok((headers, table.text()).into_response())
}

/// Reset the counters: what comes from now on counts from 0.
///
/// As in the kernel, whatever is written does it: the body is not looked at. The run itself and its summary stay as they
/// are, and `GET …?from=0` still gives the whole table.
#[utoipa::path(
    post, path = "/runs/{id}/stats", tag = "runs", params(("id" = String, Path, description = "Run id")),
    responses(
        (status = 200, description = "Reset; `counted_from` is the number of the first event that counts"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn reset(State(state): State<AppState>, Path(run): Path<String>) -> Result<Json<Value>, Problem> {
    let run = id(&run)?;
    let recording = state.recording(run).await?;
    let from = recording.len();
    state.resets.reset(run, from);
    Ok(Json(json!({"run_id": run, "state": recording.state().name(), "counted_from": from})))
}
