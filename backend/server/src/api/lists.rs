//! What there is to choose from: models, patches, devices, scenarios, trace formats, figures, and the scenario's schema.

use crate::problem::Problem;
use axum::Json;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use readahead_lab_core::figures::FIGURES;
use readahead_lab_core::{inspect, library, scenario};
use serde_json::{Value, json};

/// Kernel models, oldest first, each with the patches that apply to it.
#[utoipa::path(get, path = "/models", tag = "lists", responses((status = 200, description = "`models`")))]
pub(crate) async fn models() -> Json<Value> {
    Json(json!({ "models": library::models() }))
}

/// Patches under review, with what they conflict with.
#[utoipa::path(get, path = "/patches", tag = "lists", responses((status = 200, description = "`patches`")))]
pub(crate) async fn patches() -> Json<Value> {
    Json(json!({ "patches": library::patches() }))
}

/// Devices, each with its parameters and where they come from.
#[utoipa::path(get, path = "/devices", tag = "lists", responses((status = 200, description = "`devices`")))]
pub(crate) async fn devices() -> Json<Value> {
    Json(json!({ "devices": library::devices() }))
}

/// Scenarios that come with the lab.
#[utoipa::path(get, path = "/scenarios", tag = "lists", responses((status = 200, description = "`scenarios`")))]
pub(crate) async fn scenarios() -> Json<Value> {
    Json(json!({ "scenarios": library::scenarios() }))
}

/// One scenario's file.
#[utoipa::path(
    get, path = "/scenarios/{name}", tag = "lists", params(("name" = String, Path, description = "Its name")),
    responses(
        (status = 200, description = "The file", content((String = "application/toml"))),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn scenario_toml(Path(name): Path<String>) -> Result<Response, Problem> {
    let entry = library::scenarios().iter().find(|entry| entry.name == name);
    match entry {
        Some(entry) => {
            Ok(([(header::CONTENT_TYPE, "application/toml; charset=utf-8")], entry.toml.clone()).into_response())
        }
        // The library names what there is, and what is nearest.
        None => {
            Err(library::scenario(&name).map_or_else(Problem::from, |_| Problem::internal("two lists of scenarios")))
        }
    }
}

/// Trace formats that uploads may have.
#[utoipa::path(get, path = "/formats", tag = "lists", responses((status = 200, description = "`formats`")))]
pub(crate) async fn formats() -> Json<Value> {
    Json(json!({ "formats": inspect::formats() }))
}

/// Figures of a run.
#[utoipa::path(get, path = "/figures", tag = "lists", responses((status = 200, description = "`figures`")))]
pub(crate) async fn figures() -> Json<Value> {
    Json(json!({ "figures": FIGURES }))
}

/// JSON Schema of a scenario.
#[utoipa::path(get, path = "/schema", tag = "lists", responses((status = 200, description = "JSON Schema")))]
pub(crate) async fn schema() -> Response {
    ([(header::CONTENT_TYPE, "application/schema+json")], scenario::schema().to_string()).into_response()
}
