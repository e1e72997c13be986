//! Bodies of requests: JSON or TOML by their content type, with problems that name the place and what was expected.

use crate::problem::Problem;
use crate::slow;
use crate::state::AppState;
use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

/// A body of one of the two kinds that are taken.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// `application/json`, or anything `+json`.
    Json(String),
    /// `application/toml`, `text/x-toml` or `text/toml`.
    Toml(String),
}

impl FromRequest<AppState> for Text {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        let json = kind == "application/json" || kind.ends_with("+json");
        if !json && !matches!(kind.as_str(), "application/toml" | "text/x-toml" | "text/toml") {
            let got = if kind.is_empty() { "no content type".to_owned() } else { format!("content type `{kind}`") };
            let detail = format!("{got}; expected application/json or application/toml");
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "body.media_type", detail).at("Content-Type"));
        }
        let (announced, most) = (announced_bytes(request.headers()), state.config.limits.body_bytes);
        if announced.is_some_and(|bytes| bytes > most as u64) {
            return Err(too_large(announced, most));
        }
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| unreadable(&rejection, most))?;
        let text = String::from_utf8(bytes.into()).map_err(|error| {
            let detail = format!("byte {} of the body is not UTF-8", error.utf8_error().valid_up_to());
            Problem::new(StatusCode::BAD_REQUEST, "body.not_utf8", detail).at("body")
        })?;
        Ok(if json { Text::Json(text) } else { Text::Toml(text) })
    }
}

/// The size of the body as its head tells it.
pub(crate) fn announced_bytes(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_large(announced: Option<u64>, most: usize) -> Problem {
    let size = announced.map_or_else(|| format!("more than {most} bytes"), |bytes| format!("{bytes} bytes"));
    let detail = format!("the body has {size}; this address takes at most {most}; traces go to /api/v1/traces");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "body.too_large", detail).at("body")
}

fn unreadable(rejection: &BytesRejection, most: usize) -> Problem {
    match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(None, most),
        _ => slow::problem(rejection).unwrap_or_else(|| {
            Problem::new(StatusCode::BAD_REQUEST, "body.unreadable", "the body broke off before its end")
        }),
    }
}

/// A body that must be JSON, as `T`.
#[derive(Clone, Debug)]
pub(crate) struct JsonBody<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<AppState> for JsonBody<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        match Text::from_request(request, state).await? {
            Text::Json(text) => parse_json(&text).map(JsonBody),
            Text::Toml(_) => {
                let detail = "content type `application/toml`; expected application/json";
                Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "body.media_type", detail).at("Content-Type"))
            }
        }
    }
}

/// Parses JSON and names the place of what does not fit.
pub(crate) fn parse_json<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let place = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            let place = if place == "." { "body".to_owned() } else { place };
            let detail = format!("{place}: {}", without_types(&inner.to_string()));
            return Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "body.invalid", detail).at(place);
        }
        not_json(&inner)
    })?;
    deserializer.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

/// serde's message with words in place of the names of types that only this program knows.
fn without_types(message: &str) -> String {
    let Some((got, expected)) = message.rsplit_once("expected ") else { return message.to_owned() };
    let (expected, at) = expected.split_once(" at line ").unwrap_or((expected, ""));
    let words = match expected.split(' ').next().unwrap_or_default() {
        "struct" | "map" => "an object",
        "f32" | "f64" => "a number",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "enum" | "variant" | "unit" | "tuple" | "newtype" => "another value",
        _ if expected == "a map" => "an object",
        _ if expected == "a sequence" => "an array",
        _ => expected,
    };
    let got = got.replace("type: sequence", "type: array").replace("type: map", "type: object");
    let at = if at.is_empty() { String::new() } else { format!(" at line {at}") };
    format!("{got}expected {words}{at}")
}

fn not_json(error: &serde_json::Error) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "body.not_json", format!("the body is not JSON: {error}")).at(format!(
        "line {}, column {}",
        error.line(),
        error.column()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        inner: Vec<Inner>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        pages: u32,
    }

    #[test]
    fn places_are_named() {
        assert_eq!(parse_json::<Outer>(r#"{"inner":[{"pages":1}]}"#).unwrap().inner[0].pages, 1);
        let problem = parse_json::<Outer>(r#"{"inner":[{"pages":1},{"pages":"x"}]}"#).unwrap_err();
        assert_eq!((problem.status, problem.place.as_deref()), (422, Some("inner[1].pages")));
        let problem = parse_json::<Outer>(r#"{"inner":[],"outer":1}"#).unwrap_err();
        assert!(problem.detail.contains("unknown field `outer`, expected `inner`"), "{}", problem.detail);
    }

    #[test]
    fn no_name_of_a_type_of_this_program_is_told() {
        for (body, told) in [
            (r#"3"#, "body: invalid type: integer `3`, expected an object at line 1 column 1"),
            (r#"[]"#, "body: invalid length 0, expected an object at line 1 column 2"),
            (r#"{"inner":{}}"#, "inner: invalid type: object, expected an array at line 1 column 9"),
            (r#"{"inner":[7]}"#, "inner[0]: invalid type: integer `7`, expected an object at line 1 column 11"),
            (
                r#"{"inner":[{"pages":[]}]}"#,
                "inner[0].pages: invalid type: array, expected a whole number from 0 at line 1 column 19",
            ),
            (
                r#"{"inner":[{"pages":-1}]}"#,
                "inner[0].pages: invalid value: integer `-1`, expected a whole number from 0 at line 1 column 21",
            ),
        ] {
            assert_eq!(parse_json::<Outer>(body).unwrap_err().detail, told, "{body}");
        }
    }

    #[test]
    fn what_is_not_json_is_400_with_line_and_column() {
        let problem = parse_json::<Outer>("{\n  \"inner\": [,]\n}").unwrap_err();
        assert_eq!((problem.status, problem.code.as_ref()), (400, "body.not_json"));
        assert_eq!(problem.place.as_deref(), Some("line 2, column 13"));
        assert_eq!(parse_json::<Outer>(r#"{"inner":[]} x"#).unwrap_err().code, "body.not_json");
        assert_eq!(parse_json::<Outer>("").unwrap_err().code, "body.not_json");
    }
}
