//! `/runs/{id}/events`: a run as it happens, for a page (server-sent events) or a terminal (tracepoint lines).

use super::params::{Expected, Params, id, shown};
use crate::live::{Follower, Message, Place, batch};
use crate::problem::Problem;
use crate::state::{AppState, blocking};
use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, stream};
use readahead_lab_core::text::Lines;
use serde::Deserialize;
use serde_json::json;
use std::convert::Infallible;
use utoipa::IntoParams;

/// Where to begin.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct From {
    /// The first event wanted, by its number. `Last-Event-ID` goes before it.
    #[serde(default)]
    from: Option<usize>,
}

impl Expected for From {
    const PARAMETERS: &[(&str, &str)] = &[("from", "a whole number from 0, the number of an event")];
}

/// Follow a run.
///
/// `Accept: text/event-stream` gives `batch` messages (`id` is the number after the last event, so `Last-Event-ID`
/// resumes), `state`, `skipped` (a viewer of a live run who was too far behind), `stopping`, and `end`.
/// `Accept: text/plain` gives tracepoint lines as trace_pipe would.
#[utoipa::path(
    get, path = "/runs/{id}/events", tag = "runs",
    params(("id" = String, Path, description = "Run id"), From),
    responses(
        (status = 200, description = "The stream", content((String = "text/event-stream"), (String = "text/plain"))),
        (status = 404, body = Problem, content_type = "application/problem+json"),
        (status = 406, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn events(
    State(state): State<AppState>,
    Path(run): Path<String>,
    Params(query): Params<From>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let form = Form::wanted(&headers)?;
    let from = match headers.get("last-event-id") {
        Some(last) => last_event_id(last)?,
        None => query.from.unwrap_or(0),
    };
    let recording = state.recording(id(&run)?).await?;
    let place = Place::take(&state.viewers, &state.metrics)?;
    let limits = state.config.limits.clone();
    let follower = Follower::new(recording, from, limits.clone(), state.stopping.clone(), place);
    let mut response = match form {
        Form::Messages => {
            let keep_alive = KeepAlive::new().interval(limits.keep_alive).text("");
            Sse::new(messages(follower, limits.batch_bytes)).keep_alive(keep_alive).into_response()
        }
        Form::Lines => {
            let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
            (headers, Body::from_stream(lines(follower))).into_response()
        }
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    // nginx would gather the stream otherwise.
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    Ok(response)
}

/// The two forms of the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Messages,
    Lines,
}

impl Form {
    /// The first of the accepted types that exists here.
    fn wanted(headers: &HeaderMap) -> Result<Self, Problem> {
        let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or("*/*");
        let form = accept.split(',').find_map(|part| match part.split(';').next().unwrap_or_default().trim() {
            "text/plain" => Some(Form::Lines),
            "text/event-stream" | "text/*" | "*/*" => Some(Form::Messages),
            _ => None,
        });
        form.ok_or_else(|| {
            let detail = "expected to be asked for text/event-stream or text/plain";
            Problem::new(StatusCode::NOT_ACCEPTABLE, "events.not_acceptable", detail).at("Accept")
        })
    }
}

fn last_event_id(value: &HeaderValue) -> Result<usize, Problem> {
    value.to_str().ok().and_then(|text| text.trim().parse().ok()).ok_or_else(|| {
        let got = shown(&String::from_utf8_lossy(value.as_bytes()));
        let detail = format!("Last-Event-ID: `{got}`; expected the number that the last batch had as its id");
        Problem::new(StatusCode::BAD_REQUEST, "events.bad_last_event_id", detail).at("Last-Event-ID")
    })
}

fn messages(follower: Follower, bytes_max: usize) -> impl Stream<Item = Result<Event, Infallible>> + Send {
    stream::unfold(follower, move |mut follower| async move {
        let event = match follower.next().await? {
            Message::State(state) => Event::default().event("state").data(state.to_string()),
            Message::Skipped(range) => {
                let data = json!({"from": range.start, "to": range.end});
                Event::default().event("skipped").id(range.end.to_string()).data(data.to_string())
            }
            Message::Events(range) => {
                let recording = follower.recording().clone();
                // Making thousands of rows takes milliseconds: not on the threads that serve everyone.
                let made = blocking(move || Ok(batch(&recording, range, bytes_max))).await;
                let (next, data) = made.ok()?;
                follower.took(next);
                Event::default().event("batch").id(next.to_string()).data(data)
            }
            Message::End(state) => Event::default().event("end").data(state.to_string()),
            Message::Stopping => Event::default().event("stopping").data("{}"),
        };
        Some((Ok(event), follower))
    })
}

fn lines(follower: Follower) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let printer = Lines::new(follower.recording());
    stream::unfold((follower, printer, 0), |(mut follower, printer, mut printed)| async move {
        let mut printer = Some(printer);
        loop {
            let (range, lost) = match follower.next().await? {
                Message::Events(range) => (range, 0),
                Message::Skipped(range) => (range.end..range.end, range.len()),
                Message::State(_) | Message::End(_) | Message::Stopping => continue,
            };
            let (end, mut lines) = (range.end, printer.take()?);
            let before = printed..range.start;
            let made = blocking(move || {
                // File positions follow from all events before, also from those that are not shown.
                lines.write(before, &mut std::io::sink()).map_err(unprintable)?;
                // The words of trace_pipe for lines that a reader was too slow for.
                let mut text = if lost > 0 { format!("CPU:0 [LOST {lost} EVENTS]\n").into_bytes() } else { Vec::new() };
                lines.write(range, &mut text).map_err(unprintable)?;
                Ok((lines, text))
            });
            let (lines, text) = made.await.ok()?;
            follower.took(end);
            printed = end;
            if !text.is_empty() {
                return Some((Ok(Bytes::from(text)), (follower, lines, printed)));
            }
            printer = Some(lines);
        }
    })
}

fn unprintable(error: std::io::Error) -> Problem {
    Problem::internal(format!("printing into memory: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(accept: &str) -> Option<Form> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        Form::wanted(&headers).ok()
    }

    #[test]
    fn the_form_follows_accept() {
        assert_eq!(wanted("text/plain"), Some(Form::Lines));
        assert_eq!(wanted("text/event-stream"), Some(Form::Messages));
        assert_eq!(wanted("application/json, text/plain;q=0.5"), Some(Form::Lines));
        assert_eq!(wanted("*/*"), Some(Form::Messages));
        assert_eq!(wanted("application/json"), None);
        assert_eq!(Form::wanted(&HeaderMap::new()).ok(), Some(Form::Messages));
    }
}
