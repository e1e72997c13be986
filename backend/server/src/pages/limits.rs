//! The page "Limits": what the lab does not model, as the repository's LIMITATIONS.md says it.

use super::{Frame, html};
use askama::Template;
use axum::response::Response;
use pulldown_cmark::{Parser, html::push_html};
use std::sync::LazyLock;

/// The text, as it was when the program was built.
const TEXT: &str = include_str!("../../../../LIMITATIONS.md");

/// The same as HTML. The text is the repository's own, so nothing in it needs to be kept out.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let mut page = String::with_capacity(TEXT.len() * 2);
    push_html(&mut page, Parser::new(TEXT));
    page
});

#[derive(Template)]
#[template(path = "limits.html")]
struct LimitsPage {
    frame: Frame,
    text: &'static str,
}

/// `GET /limits`.
pub(super) async fn page() -> Response {
    html(&LimitsPage { frame: Frame::new("limits"), text: &PAGE })
}
