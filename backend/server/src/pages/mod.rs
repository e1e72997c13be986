//! The server-rendered pages. They show their figures without JavaScript; the elements in `web/` make them move.
//!
//! Owns routes, view models and forms. What is computed comes from [`AppState`]; nothing is computed here but words.

mod compare;
mod conformance;
mod diverge;
mod forms;
mod gallery;
mod glossary;
mod learn;
mod limits;
mod models;
mod patches;
mod run;
mod trace_shown;
mod traces;
mod words;

use crate::config::Limits;
use crate::layers;
use crate::problem::Problem;
use crate::state::AppState;
use askama::Template;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_request;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use glossary::{TERMS, Term};

/// The routes of the pages.
pub fn router(limits: &Limits) -> Router<AppState> {
    // An upload has its own, larger bound, which the store of traces holds.
    let upload = post(traces::upload).layer(DefaultBodyLimit::disable());
    let uploads = Router::new().route("/traces", upload).layer(map_request(layers::patient_with_uploads(limits)));
    Router::new()
        .route("/", get(gallery::page))
        .route("/runs", post(run::submit))
        .route("/runs/{id}", get(run::page))
        .route("/compare", post(compare::submit))
        .route("/compare/{id}", get(compare::page))
        .route("/traces", get(traces::list))
        .route("/traces/{id}", get(traces::page).post(traces::replay))
        .route("/traces/{id}/delete", post(traces::delete))
        .route("/learn", get(learn::page))
        .route("/limits", get(limits::page))
        .route("/models", get(models::timeline))
        .route("/models/{name}", get(models::page))
        .route("/conformance", get(conformance::page))
        .route("/diverge", get(diverge::page))
        .layer(map_request(layers::patient(limits)))
        .merge(uploads)
}

/// What the frame around every page needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Which entry of the navigation this is.
    here: &'static str,
    /// The terms that may be explained on the page.
    terms: &'static [Term],
}

impl Frame {
    pub(super) fn new(here: &'static str) -> Self {
        Frame { here, terms: TERMS }
    }
}

/// A number with its name.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    /// What it counts.
    pub(super) label: &'static str,
    /// The glossary's key of it, or nothing.
    pub(super) term: &'static str,
    /// The value in words.
    pub(super) value: String,
}

impl Fact {
    pub(super) fn new(label: &'static str, term: &'static str, value: String) -> Self {
        Fact { label, term, value }
    }
}

/// A template as an answer. Pages show what is so now, so they are not kept.
pub(super) fn html(template: &impl Template) -> Response {
    match template.render() {
        Ok(text) => ([(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))], Html(text)).into_response(),
        Err(error) => Problem::internal(format!("a page could not be rendered: {error}")).into_response(),
    }
}

#[derive(Template)]
#[template(path = "problem.html")]
struct ProblemPage<'a> {
    frame: Frame,
    problem: &'a Problem,
    advice: &'static str,
}

/// A problem as a page, for a browser that navigated to it. The status is set by the caller.
pub fn problem_page(problem: &Problem) -> Response {
    let advice = match problem.status_code() {
        StatusCode::NOT_FOUND => {
            "Runs, compares and traces are kept in the data directory of the service that made them."
        }
        StatusCode::UNPROCESSABLE_ENTITY => {
            "Go back, mend it there and send it again; what you typed is still in the form."
        }
        StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => "Wait a moment and try again.",
        status if status.is_server_error() => "The service goes on; its log says what happened.",
        _ => "Go back and try again.",
    };
    let page = ProblemPage { frame: Frame::new(""), problem, advice };
    html(&page)
}
