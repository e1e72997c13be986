//! `/runs/{id}/export/{file}`: a run as files, streamed.

use super::params::id;
use crate::problem::Problem;
use crate::state::{AppState, blocking};
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use readahead_lab_core::{report, rows, text};
use std::ops::Range;

/// Events that are made into text at a time.
const STEP: usize = 16_384;
/// Most events of a trace.dat: about 40 bytes each.
const DAT_EVENTS_MAX: usize = 5_000_000;
/// A report is one file that needs nothing else: its styles and pictures are inside.
const REPORT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";

/// A run that has ended, as a file.
///
/// `trace.txt`: tracepoint lines. `trace.dat`: the same for trace-cmd and KernelShark. `events.jsonl`: everything recorded, Reasons included. `summary.json`: the `json` of
/// `run`. `report.html`: one page that needs nothing else. `lkml.txt`: for a mail.
#[utoipa::path(
    get, path = "/runs/{id}/export/{file}", tag = "runs",
    params(
        ("id" = String, Path, description = "Run id"),
        ("file" = String, Path, description = "trace.txt, trace.dat, events.jsonl, summary.json, report.html or lkml.txt")
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
            let mut lines = text::Lines::new(&recording);
            let header = text::trace_header(&recording).into_bytes();
            let make = move |range: Range<usize>, out: &mut Vec<u8>| lines.write(range, out);
            streamed("text/plain; charset=utf-8", recording.len(), header, make)
        }
        "events.jsonl" => {
            let len = recording.len();
            let make = move |range: Range<usize>, out: &mut Vec<u8>| rows::write_rows(&recording, range, out);
            streamed("application/jsonl", len, Vec::new(), make)
        }
        "summary.json" => {
            let summary = recording.need_summary()?;
            ([(header::CONTENT_TYPE, "application/json")], crate::runs::to_json(&summary)?).into_response()
        }
        "report.html" => {
            let page = blocking(move || Ok(report::report_html(&recording)?)).await?;
            let headers =
                [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, REPORT_POLICY)];
            (headers, page).into_response()
        }
        "lkml.txt" => {
            let mail = text::lkml(&recording.need_summary()?);
            ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], mail).into_response()
        }
        "trace.dat" => {
            // The sizes of its sections stand in front of them, so the file is made in memory.
            if recording.len() > DAT_EVENTS_MAX {
                let detail = format!(
                    "run {run} has {} events; trace.dat is made of at most {DAT_EVENTS_MAX}; trace.txt has the same lines",
                    recording.len()
                );
                return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "export.too_large", detail));
            }
            let made = blocking(move || {
                let mut file = Vec::new();
                text::write_trace_dat(&recording, &mut file).map_err(|error| Problem::internal(error.to_string()))?;
                Ok(file)
            });
            ([(header::CONTENT_TYPE, "application/octet-stream")], made.await?).into_response()
        }
        other => {
            let detail = format!(
                "there is no export `{}`; expected trace.txt, trace.dat, events.jsonl, summary.json, report.html or lkml.txt",
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

/// The whole run as text, a step at a time: the client's reading sets the pace, and no more than a step is in memory.
fn streamed<M>(kind: &'static str, len: usize, head: Vec<u8>, make: M) -> Response
where
    M: FnMut(Range<usize>, &mut Vec<u8>) -> std::io::Result<()> + Send + 'static,
{
    let steps = stream::unfold(Some((0, head, make)), move |step| async move {
        let (from, mut out, mut make) = step?;
        let to = len.min(from + STEP);
        let made = blocking(move || {
            make(from..to, &mut out).map_err(|error| Problem::internal(format!("printing into memory: {error}")))?;
            Ok((out, make))
        });
        match made.await {
            Ok((out, make)) => Some((Ok(Bytes::from(out)), (to < len).then(|| (to, Vec::new(), make)))),
            // A client sees a cut stream as an error, which it is.
            Err(problem) => Some((Err(std::io::Error::other(problem)), None)),
        }
    });
    ([(header::CONTENT_TYPE, kind)], Body::from_stream(steps)).into_response()
}
