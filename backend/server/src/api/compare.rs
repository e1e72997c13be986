//! `/compare`: one scenario, two sides.

use super::accepted;
use super::body::JsonBody;
use super::figures::{Drawing, picture};
use super::params::{Params, id};
use super::runs::{Limit, source};
use crate::compares::{CompareRequest, compare_links};
use crate::problem::Problem;
use crate::state::{AppState, blocking};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use readahead_lab_core::figures;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::ToSchema;

/// What to compare.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    /// The name of a scenario of `/scenarios`, or a scenario.
    #[schema(value_type = Object)]
    scenario: Value,
    /// Settings of side A: `KEY=VALUE[;KEY=VALUE…]`.
    a: String,
    /// Settings of side B.
    b: String,
    /// Settings of both sides.
    #[serde(default)]
    set: Vec<String>,
}

/// Compare two settings of one scenario. Both runs are accepted at once.
#[utoipa::path(
    post, path = "/compare", tag = "compare", request_body = Question,
    responses(
        (status = 201, description = "Accepted: `id`, `a` and `b` (run ids), `links`"),
        (status = 303, description = "The compare is there already; `Location` names it"),
        (status = "4XX", body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn submit(
    State(state): State<AppState>,
    JsonBody(question): JsonBody<Question>,
) -> Result<Response, Problem> {
    let Question { scenario, a, b, set } = question;
    let made = state.submit_compare(CompareRequest { source: source(scenario), set, a, b }).await?;
    let (compares, id) = (Arc::clone(&state.compares), made.id.clone());
    let (a, b) = blocking(move || compares.sides(&id)).await?;
    let body = json!({"id": made.id, "a": a, "b": b, "links": compare_links(&made.id)});
    Ok(accepted(made.created, format!("/api/v1/compare/{}", made.id), body))
}

/// The newest compares, newest first.
#[utoipa::path(
    get, path = "/compare", tag = "compare", params(Limit), responses((status = 200, description = "`compares`"))
)]
pub(crate) async fn list(State(state): State<AppState>, Params(limit): Params<Limit>) -> Result<Json<Value>, Problem> {
    let compares = state.recent_compares(limit.bounded()).await?;
    let compares: Vec<Value> = compares
        .iter()
        .map(|compare| {
            json!({
                "id": compare.id, "state": compare.state, "title": compare.title, "a": compare.a.id, "b": compare.b.id,
                "a_settings": compare.a_label, "b_settings": compare.b_label, "created_ms": compare.created_ms,
                "links": compare_links(&compare.id),
            })
        })
        .collect();
    Ok(Json(json!({ "compares": compares })))
}

/// A compare: `a`, `b`, `differences` and `first_divergence` (null until both runs are done), plus `state`.
#[utoipa::path(
    get, path = "/compare/{id}", tag = "compare", params(("id" = String, Path, description = "Compare id")),
    responses(
        (status = 200, description = "The compare as it stands"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Path(compare): Path<String>) -> Result<Json<Value>, Problem> {
    Ok(Json(state.compare(id(&compare)?).await?.json()?))
}

/// A compare as text for a mail, at most 72 columns.
#[utoipa::path(
    get, path = "/compare/{id}/lkml.txt", tag = "compare", params(("id" = String, Path, description = "Compare id")),
    responses(
        (status = 200, description = "The text", content_type = "text/plain"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "The runs are not done"),
    )
)]
pub(crate) async fn lkml(State(state): State<AppState>, Path(compare): Path<String>) -> Result<Response, Problem> {
    let view = state.compare(id(&compare)?).await?;
    let text = view.need_text()?.to_owned();
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}

/// A figure with both sides in it.
#[utoipa::path(
    get, path = "/compare/{id}/figures/{figure}", tag = "compare",
    params(
        ("id" = String, Path, description = "Compare id"),
        ("figure" = String, Path, description = "A name of `/figures` with `.svg` or `.png`"), Drawing
    ),
    responses(
        (status = 200, description = "The picture", content((String = "image/svg+xml"), (Vec<u8> = "image/png"))),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn figure(
    State(state): State<AppState>,
    Path((compare, figure)): Path<(String, String)>,
    Params(drawing): Params<Drawing>,
) -> Result<Response, Problem> {
    let (compares, compare) = (Arc::clone(&state.compares), id(&compare)?.to_owned());
    let work = move || {
        let (a, b) = compares.both(&compare)?;
        picture(&figure, drawing, |name, range| Ok(figures::compare_figure(name, &a, &b, range)?))
    };
    state.draw(work).await
}
