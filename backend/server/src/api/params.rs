//! Path and query parameters, checked, with problems that name the parameter.

use crate::problem::Problem;
use axum::extract::{FromRequestParts, Query};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// Digits of every id that this service gives out.
const ID_DIGITS: usize = 20;

/// Checks an id from outside: hexadecimal digits only, so that nothing else ever reaches a path or a query.
pub(crate) fn id(text: &str) -> Result<&str, Problem> {
    if text.len() == ID_DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Ok(text);
    }
    let shown: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    let detail = format!("`{shown}` is not an id: expected {ID_DIGITS} hexadecimal digits");
    Err(Problem::new(StatusCode::BAD_REQUEST, "id.malformed", detail).at("id"))
}

/// The query string as `T`.
#[derive(Clone, Debug)]
pub(crate) struct Params<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(value)) => Ok(Params(value)),
            Err(rejection) => {
                let detail = rejection.body_text();
                Err(Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail).at("query"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_hexadecimal_and_nothing_else() {
        assert!(id("0123456789abcdef0123").is_ok());
        for bad in
            ["", "0123", "0123456789ABCDEF0123", "../../../../etc/pass", "0123456789abcdef012g", "é123456789abcdef012"]
        {
            let problem = id(bad).unwrap_err();
            assert_eq!((problem.status, problem.code.as_ref()), (400, "id.malformed"), "{bad}");
        }
    }
}
