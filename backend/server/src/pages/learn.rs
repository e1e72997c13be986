//! The page "Learn": the terms, how to read the charts, the keyboard.

use super::{Frame, html};
use askama::Template;
use axum::response::Response;

#[derive(Template)]
#[template(path = "learn.html")]
struct LearnPage {
    frame: Frame,
}

/// `GET /learn`.
pub(super) async fn page() -> Response {
    html(&LearnPage { frame: Frame::new("learn") })
}
