//! The server-rendered pages.

use crate::problem::Problem;
use crate::state::AppState;
use axum::Router;
use axum::response::{IntoResponse, Response};

/// The routes of the pages.
pub fn router() -> Router<AppState> {
    Router::new()
}

/// A problem as a page, for a browser that navigated to it. The status is set by the caller.
pub fn problem_page(problem: &Problem) -> Response {
    problem.clone().into_response()
}
