//! What there is to choose from: models with their tables, patches, devices, scenarios, trace formats, figures, the
//! scenario's schema; and how the models stand against facts.

use crate::problem::Problem;
use crate::state::blocking;
use axum::Json;
use axum::extract::{Path, Query};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use readahead_lab_core::figures::FIGURES;
use readahead_lab_core::models::shown::{Asked, applies_to, shown};
use readahead_lab_core::models::{PATCHES, PatchInfo};
use readahead_lab_core::{inspect, library, scenario};
use serde_json::{Value, json};

/// Kernel models, oldest first, each with what it changed, the patches that apply to it, and its page.
#[utoipa::path(get, path = "/models", tag = "lists", responses((status = 200, description = "`models`")))]
pub(crate) async fn models() -> Result<Json<Value>, Problem> {
    let with_page = |entry: library::ModelEntry| {
        let shown = shown(entry.name, &Asked::default())?;
        let mut value = serde_json::to_value(&entry).map_err(|error| Problem::internal(error.to_string()))?;
        value["changes"] = json!(shown.changes());
        value["not_modelled"] = json!(shown.limits());
        value["settings"] = json!(shown.settings);
        value["links"] = json!({
            "page": format!("/models/{}", entry.name),
            "tables": format!("/api/v1/models/{}", entry.name),
        });
        Ok(value)
    };
    let models: Result<Vec<Value>, Problem> = library::models().into_iter().map(with_page).collect();
    Ok(Json(json!({ "models": models? })))
}

/// One model: its window tables and its decision tree, with patches and settings by query as on its page.
#[utoipa::path(
    get, path = "/models/{name}", tag = "lists",
    params(
        ("name" = String, Path, description = "Its name"),
        ("patch" = Option<Vec<String>>, Query, description = "A patch; may be given several times"),
        ("read_ahead_kb" = Option<u64>, Query, description = "KiB"),
        ("max_sectors_kb" = Option<u64>, Query, description = "KiB"),
        ("memory_mb" = Option<u64>, Query, description = "Free and inactive memory of the node, MiB"),
        ("large_folios" = Option<String>, Query, description = "`yes` or `no`"),
        ("request" = Option<u64>, Query, description = "Pages of each read of `steps`"),
    ),
    responses(
        (status = 200, description = "`name`, `patches`, `settings`, `unused` (what was asked for and changes nothing), `table`, `steps`, `other_ways`, `tree`"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 422, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn model(
    Path(name): Path<String>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Result<Json<Value>, Problem> {
    let shown = shown(&name, &asked(fields)?)?;
    if let Some(trouble) = shown.troubles.first() {
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "model.setting", trouble.message.clone());
        return Err(problem.at(trouble.field));
    }
    blocking(move || {
        Ok(Json(json!({
            "name": shown.info.name,
            "patches": shown.patches.names(),
            "settings": shown.settings,
            "unused": shown.unused.iter().map(|one| json!({"field": one.field, "why": one.message})).collect::<Vec<_>>(),
            "table": shown.table(),
            "steps": shown.walk(),
            "other_ways": shown.other_ways(),
            "tree": shown.tree(),
        })))
    })
    .await
}

/// What a query asks of a model's tables; a field that does not exist is a problem.
pub(crate) fn asked(fields: Vec<(String, String)>) -> Result<Asked, Problem> {
    let mut asked = Asked::default();
    for (key, value) in fields {
        match key.as_str() {
            "patch" if value.is_empty() => {}
            "patch" => asked.patches.push(value),
            "read_ahead_kb" => asked.read_ahead_kb = value,
            "max_sectors_kb" => asked.max_sectors_kb = value,
            "memory_mb" => asked.memory_mb = value,
            "large_folios" => asked.large_folios = value,
            "request" => asked.request = value,
            _ => {
                let detail = format!(
                    "unknown field `{key}`; expected patch, read_ahead_kb, max_sectors_kb, memory_mb, large_folios, request"
                );
                return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "model.field", detail).at(key));
            }
        }
    }
    Ok(asked)
}

/// Patches, with what they need, what they exclude, and the models to which they apply.
#[utoipa::path(get, path = "/patches", tag = "lists", responses((status = 200, description = "`patches`")))]
pub(crate) async fn patches() -> Json<Value> {
    let entry = |info: &PatchInfo| {
        json!({
            "name": info.name,
            "source": info.source,
            "about": info.about,
            "needs": info.needs.iter().map(|patch| patch.info().name).collect::<Vec<_>>(),
            "conflicts": info.conflicts.iter().map(|patch| patch.info().name).collect::<Vec<_>>(),
            "models": applies_to(info.id),
        })
    };
    Json(json!({ "patches": PATCHES.iter().map(entry).collect::<Vec<_>>() }))
}

/// The conformance files that are in this program, run by it: passed, failed and not run, by file and model. The first
/// request starts the run; `finished` says that it has ended.
#[utoipa::path(
    get, path = "/conformance", tag = "lists",
    responses((status = 200, description = "`engine_version`, `finished`, `cases`, `done`, `files`, `totals`, `reports`"))
)]
pub(crate) async fn conformance() -> Result<Response, Problem> {
    let standing = blocking(|| Ok(crate::conformance::standing())).await?;
    let body = json!({
        "engine_version": readahead_lab_core::ENGINE_VERSION,
        "finished": standing.finished,
        "cases": standing.cases,
        "done": standing.done,
        "files": standing.files,
        "totals": standing.totals(),
        "reports": standing.reports,
    });
    Ok(([(header::CACHE_CONTROL, "no-cache")], Json(body)).into_response())
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
