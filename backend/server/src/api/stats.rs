//! `/runs/{id}/stats`: the table of /debug/readahead/stats.

use super::params::id;
use crate::problem::Problem;
use crate::state::AppState;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use readahead_lab_core::text::stats_table;
use serde_json::json;

/// The pattern statistics of a run that is done.
#[utoipa::path(
    get, path = "/runs/{id}/stats", tag = "runs", params(("id" = String, Path, description = "Run id")),
    responses(
        (status = 200, description = "The table", content((String = "text/plain"), (Object = "application/json"))),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "The run is not done"),
    )
)]
pub(crate) async fn stats(
    State(state): State<AppState>,
    Path(run): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let recording = state.recording(id(&run)?).await?;
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if accept.contains("application/json") {
        let summary = recording.need_summary()?;
        return Ok(Json(json!({"run_id": summary.run_id, "stats": summary.stats})).into_response());
    }
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], stats_table(&recording)?).into_response())
}
