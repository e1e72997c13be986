//! `/healthz` and `/metrics`: for those who look after the service.

use crate::problem::Problem;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use readahead_lab_core::ENGINE_VERSION;
use serde_json::{Value, json};

/// Whether the service can accept and keep runs.
#[utoipa::path(
    get, path = "/healthz", tag = "service",
    responses(
        (status = 200, description = "It can"),
        (status = 503, body = Problem, content_type = "application/problem+json", description = "The data directory cannot be written"),
    )
)]
pub(crate) async fn healthz(State(state): State<AppState>) -> Result<Json<Value>, Problem> {
    state.store.call(|store| store.check()).await?;
    Ok(Json(json!({"status": "ok", "engine_version": ENGINE_VERSION})))
}

/// Counters in the Prometheus text form.
#[utoipa::path(get, path = "/metrics", tag = "service", responses((status = 200, description = "OpenMetrics text")))]
pub(crate) async fn metrics(State(state): State<AppState>) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], state.metrics.text())
}
