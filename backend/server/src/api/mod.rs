//! The API: a table of contents. One endpoint group a file; each handler parses, calls, answers.

mod body;
mod compare;
mod control;
pub(crate) mod diverge;
mod events;
mod export;
mod figures;
mod health;
pub(crate) mod lists;
pub(crate) mod params;
mod runs;
mod series;
mod stats;
pub(crate) mod traces;

pub(crate) use body::announced_bytes;

use crate::config::Limits;
use crate::layers;
use crate::problem::Problem;
use crate::state::AppState;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, StatusCode, Uri, header};
use axum::middleware::map_request;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use std::sync::Arc;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The title page of the description; paths and schemas come from the handlers.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Readahead Lab",
        description = "Runs the Linux readahead engine over an emulated device, compares kernels and patches, and reads \
                       real traces. Every failure is an RFC 9457 problem with a stable `code`.",
    ),
    tags(
        (name = "runs", description = "One scenario, computed once, kept under the hash of its inputs"),
        (name = "compare", description = "One scenario, two sides, what differs"),
        (name = "traces", description = "Uploaded traces of real kernels"),
        (name = "lists", description = "What there is to choose from"),
        (name = "service", description = "The service itself"),
    )
)]
struct Description;

/// All routes of the API with their description.
pub(crate) fn router(limits: &Limits) -> OpenApiRouter<AppState> {
    let answers = OpenApiRouter::new()
        .routes(routes!(runs::submit, runs::list))
        .routes(routes!(runs::get))
        .routes(routes!(control::control))
        .routes(routes!(stats::stats, stats::reset))
        .routes(routes!(series::series))
        .routes(routes!(figures::run_figure))
        .routes(routes!(compare::submit, compare::list))
        .routes(routes!(compare::get))
        .routes(routes!(compare::lkml))
        .routes(routes!(compare::figure))
        .routes(routes!(diverge::get))
        .routes(routes!(traces::list))
        .routes(routes!(traces::get, traces::delete))
        .routes(routes!(traces::stats))
        .routes(routes!(traces::series))
        .routes(routes!(traces::figure))
        .routes(routes!(lists::models))
        .routes(routes!(lists::model))
        .routes(routes!(lists::conformance))
        .routes(routes!(lists::patches))
        .routes(routes!(lists::devices))
        .routes(routes!(lists::scenarios))
        .routes(routes!(lists::scenario_toml))
        .routes(routes!(lists::formats))
        .routes(routes!(lists::figures))
        .routes(routes!(lists::schema))
        .layer(layers::timeout(limits.answer_time))
        .layer(tower_http::compression::CompressionLayer::new());
    // These take as long as they take, and compressing a stream would hold its events back.
    let streams = OpenApiRouter::new()
        .routes(routes!(events::events))
        .routes(routes!(export::export))
        .routes(routes!(traces::replay));
    // An upload counts its bytes itself, as they arrive.
    let uploads = OpenApiRouter::new()
        .routes(routes!(traces::upload))
        .layer(DefaultBodyLimit::disable())
        .layer(map_request(layers::patient_with_uploads(limits)));
    let others = answers.merge(streams).layer(map_request(layers::patient(limits)));
    OpenApiRouter::with_openapi(Description::openapi())
        .nest("/api/v1", others.merge(uploads))
        .routes(routes!(health::healthz))
        .routes(routes!(health::metrics))
}

/// The description itself, as JSON.
pub(crate) fn description(description: utoipa::openapi::OpenApi) -> Router<AppState> {
    let description = Arc::new(description);
    Router::new().route("/api/v1/openapi.json", get(move || async move { Json(description.as_ref().clone()) }))
}

/// Nothing is at this address.
pub(crate) async fn not_found(uri: Uri) -> Problem {
    Problem::not_found(
        "route.not_found",
        format!("there is nothing at {}; /api/v1/openapi.json lists what there is", uri.path()),
    )
}

/// Something is at this address, but not for this method.
pub(crate) async fn method_not_allowed(method: Method, uri: Uri) -> Problem {
    let detail = format!("{} does not take {method}; `Allow` names what it takes", uri.path());
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method.not_allowed", detail)
}

/// 201 with the place of what was made, or 303 to what was there already. Both carry the same body.
fn accepted(created: bool, place: String, body: serde_json::Value) -> Response {
    let status = if created { StatusCode::CREATED } else { StatusCode::SEE_OTHER };
    (status, [(header::LOCATION, place)], Json(body)).into_response()
}
