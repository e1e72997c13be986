//! `/traces`: upload, see what was understood, draw, replay, delete.

use super::accepted;
use super::body::{JsonBody, announced_bytes};
use super::figures::{Drawing, picture};
use super::params::{Expected, Params, id};
use super::runs::Limit;
use super::series::Part;
use crate::problem::Problem;
use crate::slow;
use crate::state::{AppState, blocking};
use crate::traces::{ReplayRequest, TraceView, Upload, Uploaded, trace_links};
use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequest, Multipart, Path, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::Response;
use futures_util::StreamExt;
use readahead_lab_core::figures::{Figure, trace_figure};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

/// How an upload is called.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Naming {
    /// File name of a raw body, for display.
    #[serde(default)]
    name: Option<String>,
}

impl Expected for Naming {
    const PARAMETERS: &[(&str, &str)] = &[("name", "a file name")];
}

/// Upload a trace.
///
/// The body is the file itself, or `multipart/form-data` with one file. Any known format, plain or compressed. It is
/// stored as it arrives and inspected afterwards; `GET` tells how far that is. `token` allows deleting it; it is shown
/// once.
#[utoipa::path(
    post, path = "/traces", tag = "traces", params(Naming),
    request_body(content((String = "application/octet-stream"), (String = "multipart/form-data"))),
    responses(
        (status = 201, description = "Stored: `id`, `token`, `links`"),
        (status = 413, body = Problem, content_type = "application/problem+json"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "The upload is empty"),
        (status = 507, body = Problem, content_type = "application/problem+json", description = "No room left"),
    )
)]
pub(crate) async fn upload(
    State(state): State<AppState>,
    Params(naming): Params<Naming>,
    request: Request,
) -> Result<Response, Problem> {
    state.traces.check_announced(announced_bytes(request.headers()), is_multipart(request.headers()))?;
    let uploaded = if is_multipart(request.headers()) {
        from_multipart(&state, request).await?
    } else {
        from_body(&state, request.into_body(), naming.name.as_deref()).await?
    };
    let Uploaded { id, token, bytes } = uploaded;
    let links = trace_links(&id);
    let body = json!({"id": id, "token": token, "bytes": bytes, "state": "inspecting", "links": links});
    Ok(accepted(true, format!("/api/v1/traces/{id}"), body))
}

fn is_multipart(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    kind.trim_start().to_ascii_lowercase().starts_with("multipart/")
}

async fn from_body(state: &AppState, body: Body, name: Option<&str>) -> Result<Uploaded, Problem> {
    let mut upload = state.traces.begin().await?;
    let mut chunks = body.into_data_stream();
    while let Some(chunk) = chunks.next().await {
        upload.write(&chunk.map_err(|error| broken_off(&error))?).await?;
    }
    upload.finish(name).await
}

/// Stores the first file of a multipart body. The route must not bound its body: uploads have a bound of their own.
pub(crate) async fn from_multipart(state: &AppState, request: Request) -> Result<Uploaded, Problem> {
    let malformed = |detail: String| Problem::new(StatusCode::BAD_REQUEST, "upload.malformed", detail);
    let mut parts = Multipart::from_request(request, state)
        .await
        .map_err(|rejection| malformed(format!("the multipart body: {}", rejection.body_text())))?;
    let mut upload: Option<(Upload, String)> = None;
    while let Some(mut part) = parts.next_field().await.map_err(|error| broken_off(&error))? {
        // Fields without a file name are other inputs of the form.
        let Some(name) = part.file_name().map(str::to_owned) else { continue };
        let mut arriving = state.traces.begin().await?;
        while let Some(chunk) = part.chunk().await.map_err(|error| broken_off(&error))? {
            arriving.write(&chunk).await?;
        }
        upload = Some((arriving, name));
        break;
    }
    match upload {
        Some((upload, name)) => upload.finish(Some(&name)).await,
        None => {
            let detail = "the form has no file; expected one part with a file name";
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "upload.no_file", detail))
        }
    }
}

fn broken_off(error: &(dyn std::error::Error + 'static)) -> Problem {
    slow::problem(error).unwrap_or_else(|| {
        let detail = "the upload broke off before its end; nothing was kept";
        Problem::new(StatusCode::BAD_REQUEST, "upload.broken_off", detail)
    })
}

/// The newest uploads, newest first.
#[utoipa::path(
    get, path = "/traces", tag = "traces", params(Limit), responses((status = 200, description = "`traces`"))
)]
pub(crate) async fn list(State(state): State<AppState>, Params(limit): Params<Limit>) -> Result<Json<Value>, Problem> {
    let traces = state.recent_traces(limit.bounded()).await?;
    let brief = |trace: &TraceView| {
        json!({
            "id": trace.id, "name": trace.name, "bytes": trace.bytes, "state": trace.state,
            "created_ms": trace.created_ms, "links": trace_links(&trace.id),
        })
    };
    Ok(Json(json!({"traces": traces.iter().map(brief).collect::<Vec<_>>()})))
}

/// What was understood of an upload: the `json` of `inspect`, plus `id`, `state` (`inspecting`, `ready`, `failed`).
#[utoipa::path(
    get, path = "/traces/{id}", tag = "traces", params(("id" = String, Path, description = "Trace id")),
    responses(
        (status = 200, description = "The trace as it stands"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Path(trace): Path<String>) -> Result<Json<Value>, Problem> {
    Ok(Json(state.trace(id(&trace)?).await?.json()))
}

/// Which part of a figure, how fine, and of which file.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct TracePart {
    /// From here on the figure's axis.
    #[serde(default)]
    from: Option<u64>,
    /// To here on the figure's axis.
    #[serde(default)]
    to: Option<u64>,
    /// Pixels that the columns are for, 16 … 8000.
    #[serde(default)]
    px: Option<u32>,
    /// The file, by its place in the trace.
    #[serde(default)]
    file: u32,
}

impl Expected for TracePart {
    const PARAMETERS: &[(&str, &str)] = &[
        ("from", "a whole number from 0"),
        ("to", "a whole number from 0"),
        ("px", "a whole number, 16 … 8000"),
        ("file", "a whole number from 0, the place of a file"),
    ];
}

impl TracePart {
    fn part(self) -> Part {
        Part::new(self.from, self.to, self.px)
    }
}

/// What the devices did: reads, bytes, sizes, splits and merges of each.
#[utoipa::path(
    get, path = "/traces/{id}/stats", tag = "traces", params(("id" = String, Path, description = "Trace id")),
    responses(
        (status = 200, description = "`events`, `devices` and `files` without their windows"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "Still being inspected"),
        (status = 422, body = Problem, content_type = "application/problem+json", description = "Nothing was understood"),
    )
)]
pub(crate) async fn stats(State(state): State<AppState>, Path(trace): Path<String>) -> Result<Json<Value>, Problem> {
    let view = state.trace(id(&trace)?).await?;
    view.need_ready()?;
    let inspection = view.inspection.unwrap_or_default();
    let mut files = inspection["files"].clone();
    for file in files.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        file.remove("windows");
    }
    Ok(Json(json!({
        "id": view.id, "events": inspection["events"], "devices": inspection["devices"], "files": files,
        "span_ns": inspection["span_ns"], "lost_events": inspection["lost_events"],
    })))
}

/// A figure of an upload as columns.
#[utoipa::path(
    get, path = "/traces/{id}/series/{figure}", tag = "traces",
    params(
        ("id" = String, Path, description = "Trace id"), ("figure" = String, Path, description = "`windows`"), TracePart
    ),
    responses(
        (status = 200, description = "Columns with their titles and units"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn series(
    State(state): State<AppState>,
    Path((trace, figure)): Path<(String, String)>,
    Params(part): Params<TracePart>,
) -> Result<Json<Figure>, Problem> {
    let range = part.part().range()?;
    let trace = id(&trace)?.to_owned();
    let _place = state.traces.place().await?;
    let traces = std::sync::Arc::clone(&state.traces);
    blocking(move || Ok(Json(trace_figure(&figure, &traces.inspection(&trace)?, part.file, range)?))).await
}

/// A figure of an upload.
#[utoipa::path(
    get, path = "/traces/{id}/figures/{figure}", tag = "traces",
    params(("id" = String, Path, description = "Trace id"), ("figure" = String, Path, description = "`windows.svg`"), Drawing),
    responses(
        (status = 200, description = "The picture", content((String = "image/svg+xml"), (Vec<u8> = "image/png"))),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn figure(
    State(state): State<AppState>,
    Path((trace, figure)): Path<(String, String)>,
    Params(drawing): Params<Drawing>,
) -> Result<Response, Problem> {
    let trace = id(&trace)?.to_owned();
    let _place = state.traces.place().await?;
    let traces = std::sync::Arc::clone(&state.traces);
    blocking(move || {
        picture(&figure, drawing, |name, range| {
            let inspection = traces.inspection(&trace)?;
            Ok(trace_figure(name, &inspection, drawing.file, range)?)
        })
    })
    .await
}

/// Replay the requests of an upload through a model: the `json` of `replay`.
#[utoipa::path(
    post, path = "/traces/{id}/replay", tag = "traces", params(("id" = String, Path, description = "Trace id")),
    request_body = ReplayRequest,
    responses(
        (status = 200, description = "`decisions`, `agree`, `agreement`, and each kind of mismatch"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "Still being inspected"),
        (status = 422, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn replay(
    State(state): State<AppState>,
    Path(trace): Path<String>,
    JsonBody(request): JsonBody<ReplayRequest>,
) -> Result<Json<Value>, Problem> {
    Ok(Json(state.replay(id(&trace)?, request).await?))
}

/// The token, when it is not in the `Authorization` header.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Token {
    /// What the upload returned.
    #[serde(default)]
    token: Option<String>,
}

impl Expected for Token {
    const PARAMETERS: &[(&str, &str)] = &[("token", "what the upload returned")];
}

/// Delete an upload, with the token that it returned (`Authorization: Bearer TOKEN` or `?token=`).
#[utoipa::path(
    delete, path = "/traces/{id}", tag = "traces", params(("id" = String, Path, description = "Trace id"), Token),
    responses(
        (status = 204, description = "Deleted"),
        (status = 401, body = Problem, content_type = "application/problem+json"),
        (status = 403, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn delete(
    State(state): State<AppState>,
    Path(trace): Path<String>,
    Params(query): Params<Token>,
    headers: HeaderMap,
) -> Result<StatusCode, Problem> {
    let trace = id(&trace)?.to_owned();
    let header = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = header.and_then(|value| value.strip_prefix("Bearer ")).map(str::to_owned).or(query.token);
    let traces = std::sync::Arc::clone(&state.traces);
    blocking(move || traces.delete(&trace, token.as_deref())).await?;
    Ok(StatusCode::NO_CONTENT)
}
