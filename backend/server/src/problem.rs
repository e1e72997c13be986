//! RFC 9457 problems: every failure of the service as one JSON object with a stable `code`.
//!
//! Owns the shape, the mapping from the lab's errors to a status, and nothing of what failed.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use readahead_lab_core::LabError;
use serde::Serialize;
use std::borrow::Cow;
use utoipa::ToSchema;

/// What a failure is called on the wire.
pub const MEDIA_TYPE: &str = "application/problem+json";

/// One failure, said to the person who can mend it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// A name of the kind of problem, as a URI: `urn:readahead-lab:problem:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The HTTP status in words.
    pub title: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The stable name of the kind of problem.
    pub code: Cow<'static, str>,
    /// Place, value and expectation of this case.
    pub detail: String,
    /// Where in the input it is, when that can be named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Seconds after which another try can help.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u16>,
}

impl Problem {
    /// A problem with its status, its stable code and the sentence for this case.
    pub fn new(status: StatusCode, code: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        let code = code.into();
        Problem {
            kind: format!("urn:readahead-lab:problem:{code}"),
            title: status.canonical_reason().unwrap_or("Problem"),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            place: None,
            retry_after_s: None,
        }
    }

    /// Names the place in the input.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Says when another try can help.
    pub fn retry_after(mut self, seconds: u16) -> Self {
        self.retry_after_s = Some(seconds);
        self
    }

    /// 404 for something that has an id or a name.
    pub fn not_found(code: &'static str, detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::NOT_FOUND, code, detail)
    }

    /// 500 for a broken promise between parts of the service.
    pub fn internal(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail)
    }

    /// The HTTP status.
    pub fn status_code(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.detail, self.code)
    }
}

impl std::error::Error for Problem {}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).expect("a problem has only strings and numbers");
        let mut response = (self.status_code(), body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(seconds) = self.retry_after_s {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        // The layer that makes pages of problems finds it here.
        response.extensions_mut().insert(self);
        response
    }
}

impl From<LabError> for Problem {
    fn from(error: LabError) -> Self {
        let problem = Problem::new(status_of(error.code), error.code, error.message);
        match error.place {
            Some(place) => problem.at(place),
            None => problem,
        }
    }
}

/// Which status a code of the lab stands for: unknown names are 404, what the input says is 422, the rest is ours.
fn status_of(code: &str) -> StatusCode {
    match code {
        "library.unknown_scenario" | "models.unknown_model" | "figure.unknown" => StatusCode::NOT_FOUND,
        "run.not_done" | "run.failed" | "run.cancelled" => StatusCode::CONFLICT,
        _ => match code.split('.').next() {
            Some("scenario" | "library" | "device" | "trace" | "inspect" | "replay" | "compare" | "figure") => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_has_the_members_of_rfc_9457_and_its_media_type() {
        let problem = Problem::new(StatusCode::NOT_FOUND, "run.not_found", "no run 00").at("id");
        let json = serde_json::to_value(&problem).unwrap();
        assert_eq!(json["type"], "urn:readahead-lab:problem:run.not_found");
        assert_eq!(json["title"], "Not Found");
        assert_eq!(json["status"], 404);
        assert_eq!(json["code"], "run.not_found");
        assert_eq!(json["place"], "id");
        assert!(json.get("retry_after_s").is_none());
        let response = problem.into_response();
        assert_eq!(response.status(), 404);
        assert_eq!(response.headers()["content-type"], MEDIA_TYPE);
    }

    #[test]
    fn what_the_input_says_is_422_and_what_we_broke_is_500() {
        assert_eq!(status_of("scenario.unknown_key"), 422);
        assert_eq!(status_of("library.unknown_scenario"), 404);
        assert_eq!(status_of("trace.nothing_usable"), 422);
        assert_eq!(status_of("recording.damaged"), 500);
    }
}
