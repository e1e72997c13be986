//! `/runs/{id}/export/{file}`: a run as files, streamed.

use super::params::id;
use crate::problem::Problem;
use crate::state::{AppState, blocking};
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use readahead_lab_core::run::Recording;
use readahead_lab_core::{rows, text};

/// Events that are made into text at a time.
const STEP: usize = 16_384;
/// A report is one file that needs nothing else: its styles and pictures are inside.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/// A run that has ended, as a file.
///
/// `trace.txt`: tracepoint lines. `events.jsonl`: everything recorded, Reasons included. `summary.json`: the `json` of
/// `run`. `report.html`: one page that needs nothing else. `lkml.txt`: for a mail.
#[utoipa::path(
    get, path = "/runs/{id}/export/{file}", tag = "runs",
    params(
        ("id" = String, Path, description = "Run id"),
        ("file" = String, Path, description = "trace.txt, events.jsonl, summary.json, report.html or lkml.txt")
    ),
    responses(
        (status = 200, description = "The file"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "The run has not ended"),
    )
)]
pub(crate) async fn export(
    State(state): State<AppState>,
    Path((run, file)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let run = id(&run)?;
    let recording = state.recording(run).await?;
    let now = recording.state();
    if !now.is_final() {
        let detail = format!("run {run} is {}; a run is exported once it has ended", now.name());
        return Err(Problem::new(StatusCode::CONFLICT, "run.not_done", detail).retry_after(1));
    }
    let mut response = match file.as_str() {
        "trace.txt" => {
            let lines = |recording: &Recording, range| text::trace_text(recording, range);
            let header = text::trace_header(&recording);
            streamed("text/plain; charset=utf-8", recording, header, lines)
        }
        "events.jsonl" => streamed("application/jsonl", recording, String::new(), json_lines),
        "summary.json" => {
            let summary = recording.need_summary()?;
            ([(header::CONTENT_TYPE, "application/json")], crate::runs::to_json(&summary)?).into_response()
        }
        "report.html" => {
            let page = blocking(move || Ok(text::report_html(&recording)?)).await?;
            let headers = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
            (headers, page).into_response()
        }
        "lkml.txt" => {
            let mail = text::lkml(&recording.need_summary()?);
            ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], mail).into_response()
        }
        "trace.dat" => {
            let detail = "trace.dat is not written by this version; trace.txt has the same events";
            return Err(Problem::new(StatusCode::NOT_IMPLEMENTED, "export.unavailable", detail));
        }
        other => {
            let detail = format!(
                "there is no export `{}`; expected trace.txt, events.jsonl, summary.json, report.html or lkml.txt",
                other.escape_debug()
            );
            return Err(Problem::not_found("export.unknown", detail));
        }
    };
    let name = format!("inline; filename=\"{run}-{file}\"");
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    Ok(response)
}

fn json_lines(recording: &Recording, range: std::ops::Range<usize>) -> String {
    let events = recording.events(range.clone());
    let decisions = rows::Decisions::of(recording, &events);
    let mut lines = String::with_capacity(events.len() * 96);
    for (seq, event) in range.zip(&events) {
        lines.push_str(&rows::json_row(seq, event, &decisions).to_string());
        lines.push('\n');
    }
    lines
}

/// The whole run as text, a step at a time: the client's reading sets the pace, and no more than a step is in memory.
fn streamed(
    kind: &'static str,
    recording: Recording,
    head: String,
    make: fn(&Recording, std::ops::Range<usize>) -> String,
) -> Response {
    let len = recording.len();
    let steps = stream::unfold((0, Some(head)), move |(from, head)| {
        let recording = recording.clone();
        async move {
            if from >= len && head.is_none() {
                return None;
            }
            let to = len.min(from + STEP);
            let made = blocking(move || Ok(head.unwrap_or_default() + &make(&recording, from..to))).await;
            // A client sees a cut stream as an error, which it is.
            let made = made.map(Bytes::from).map_err(std::io::Error::other);
            Some((made, (to, None)))
        }
    });
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(steps)).into_response()
}
