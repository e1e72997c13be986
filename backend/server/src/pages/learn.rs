//! The page "Learn": the terms, how to read the charts, the keyboard.

use super::{Frame, html};
use askama::Template;
use axum::http::{HeaderMap, header};
use axum::response::Response;

#[derive(Template)]
#[template(path = "learn.html")]
struct LearnPage {
    frame: Frame,
    /// The address under which this page was asked for.
    base: String,
}

/// `GET /learn`.
pub(super) async fn page(headers: HeaderMap) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1:8080");
    html(&LearnPage { frame: Frame::new("learn"), base: format!("http://{host}") })
}
