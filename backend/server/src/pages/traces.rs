//! Uploaded traces: the page that takes them, the page of one, and its replay.

use super::forms::{Choice, Fields, field};
use super::patches::PatchBoxes;
use super::trace_shown::{File, Inspection, Replay, Report, Skip};
use super::{Frame, html, words};
use crate::problem::Problem;
use crate::state::{AppState, blocking};
use crate::traces::{ReplayRequest, TraceView};
use askama::Template;
use axum::Form;
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{IntoResponse, Redirect, Response};
use readahead_lab_core::library;
use serde_json::Value;
use std::sync::Arc;

const RECENT: usize = 20;

#[derive(Template)]
#[template(path = "traces.html")]
struct TracesPage {
    frame: Frame,
    recent: Vec<Uploaded>,
    formats: Vec<String>,
}

struct Uploaded {
    id: String,
    name: String,
    what: String,
}

#[derive(Template)]
#[template(path = "trace.html")]
struct TracePage {
    frame: Frame,
    id: String,
    /// Where the API has it.
    api: String,
    name: String,
    size: String,
    when: String,
    state: String,
    progress: String,
    failure: Option<String>,
    understood: Vec<(String, String)>,
    events: Vec<(String, String)>,
    skipped: Vec<Skip>,
    files: Vec<File>,
    files_more: u64,
    notes: Vec<String>,
    models: Vec<Choice>,
    patches: PatchBoxes,
    set: String,
    replay: Option<Replay>,
    may_delete: bool,
}

/// `GET /traces`.
pub(super) async fn list(State(state): State<AppState>) -> Result<Response, Problem> {
    let recent = state.recent_traces(RECENT).await?.into_iter().map(|trace| Uploaded {
        what: format!("{} · {} · {}", words::bytes(trace.bytes), trace.state, words::date(trace.created_ms)),
        id: trace.id,
        name: trace.name,
    });
    let formats = serde_json::to_value(readahead_lab_core::inspect::formats()).unwrap_or_default();
    let named = |format: &Value| {
        let name = format.get("name").unwrap_or(format).as_str().unwrap_or_default();
        match format.get("about").or_else(|| format.get("title")).and_then(Value::as_str) {
            Some(about) => format!("{name}: {}", about.replace('`', "")),
            None => name.to_owned(),
        }
    };
    let formats = formats.as_array().into_iter().flatten().map(named).collect();
    Ok(html(&TracesPage { frame: Frame::new("traces"), recent: recent.collect(), formats }))
}

/// `POST /traces`: a form with one file.
pub(super) async fn upload(State(state): State<AppState>, request: Request) -> Result<Response, Problem> {
    state.traces.check_announced(crate::api::announced_bytes(request.headers()), true)?;
    let uploaded = crate::api::traces::from_multipart(&state, request).await?;
    let mut response = Redirect::to(&format!("/traces/{}", uploaded.id)).into_response();
    // The token stays with the browser that uploaded, out of addresses and scripts.
    let cookie =
        format!("token={}; Path=/traces/{}; HttpOnly; SameSite=Strict; Max-Age=31536000", uploaded.token, uploaded.id);
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get(header::COOKIE)?.to_str().ok()?;
    cookies.split(';').find_map(|cookie| cookie.trim().strip_prefix("token="))
}

/// `GET /traces/{id}`.
pub(super) async fn page(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let trace = state.trace(crate::api::params::id(&id)?).await?;
    show(trace, None, None, token(&headers).is_some())
}

/// The model that the kernel of the trace can be; linux-7.2 when the trace does not tell or there is no such model yet.
fn chosen_by_guess(inspection: &Inspection) -> ReplayRequest {
    let names: Vec<String> = library::models().into_iter().map(|model| model.name.to_string()).collect();
    let guessed = names.iter().find(|name| Some(name.as_str()) == inspection.kernel.model.as_deref());
    let model = guessed.map_or_else(|| "linux-7.2".to_owned(), Clone::clone);
    ReplayRequest { model, patches: Vec::new(), set: Vec::new() }
}

/// `POST /traces/{id}`: replays, and shows the outcome above the rest.
pub(super) async fn replay(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Form(fields): Form<Fields>,
) -> Result<Response, Problem> {
    let id = crate::api::params::id(&id)?;
    let trace = state.trace(id).await?;
    let values = |name: &str| -> Vec<String> {
        let named = fields.iter().filter(|(key, value)| key == name && !value.trim().is_empty());
        named
            .flat_map(|(_, value)| value.lines().map(|line| line.trim().to_owned()))
            .filter(|line| !line.is_empty())
            .collect()
    };
    let request = ReplayRequest {
        model: field(&fields, "model").unwrap_or_default().to_owned(),
        patches: values("patches"),
        set: values("set"),
    };
    let report = state.replay(id, request.clone()).await?;
    let report = Report::of(&report).map_err(|error| Problem::internal(format!("the report of a replay: {error}")))?;
    show(trace, Some(&request), Some(report.shown()), token(&headers).is_some())
}

/// `POST /traces/{id}/delete`: forgets the upload, from the browser that made it.
pub(super) async fn delete(
    State(state): State<AppState>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let id = crate::api::params::id(&id)?.to_owned();
    let (traces, token) = (Arc::clone(&state.traces), token(&headers).map(str::to_owned));
    blocking(move || traces.delete(&id, token.as_deref())).await?;
    Ok(Redirect::to("/traces").into_response())
}

fn show(
    trace: TraceView,
    chosen: Option<&ReplayRequest>,
    replay: Option<Replay>,
    may_delete: bool,
) -> Result<Response, Problem> {
    let inspection = match &trace.inspection {
        Some(json) => Inspection::of(json)
            .map_err(|error| Problem::internal(format!("the inspection of trace {}: {error}", trace.id)))?,
        None => Inspection::default(),
    };
    let guessed = chosen_by_guess(&inspection);
    let chosen = chosen.unwrap_or(&guessed);
    let (files, files_more) = inspection.shown_files();
    let models = library::models().into_iter().map(|model| Choice {
        value: model.name.to_string(),
        about: model.about.to_string(),
        chosen: model.name == chosen.model,
    });
    let page = TracePage {
        frame: Frame::new("traces"),
        size: words::bytes(trace.bytes),
        when: words::date(trace.created_ms),
        progress: format!("{} of {} read", words::bytes(trace.read_bytes.unwrap_or(0)), words::bytes(trace.bytes)),
        failure: trace.failure.as_ref().map(|failure| failure.detail.clone()),
        understood: inspection.facts(),
        events: inspection.event_counts(),
        skipped: inspection.skips(),
        files,
        files_more,
        notes: inspection.notes,
        models: models.collect(),
        patches: PatchBoxes::of("patches", &chosen.model, &chosen.patches),
        set: chosen.set.join("\n"),
        replay,
        may_delete,
        api: format!("/api/v1/traces/{}", trace.id),
        id: trace.id,
        name: trace.name,
        state: trace.state,
    };
    Ok(html(&page))
}
