//! Path and query parameters, checked, with problems that name the parameter.

use crate::problem::Problem;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{StatusCode, Uri};
use serde::de::DeserializeOwned;

/// Digits of every id that this service gives out.
const ID_DIGITS: usize = 20;

/// Checks an id from outside: hexadecimal digits only, so that nothing else ever reaches a path or a query.
pub(crate) fn id(text: &str) -> Result<&str, Problem> {
    if text.len() == ID_DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Ok(text);
    }
    let detail = format!("`{}` is not an id: expected {ID_DIGITS} hexadecimal digits", shown(text));
    Err(Problem::new(StatusCode::BAD_REQUEST, "id.malformed", detail).at("id"))
}

/// What a person must know of each parameter to mend it.
pub(crate) trait Expected: DeserializeOwned + Send {
    /// The parameters and what each is. Every one can be left out.
    const PARAMETERS: &[(&str, &str)];
}

/// The query string as `T`.
#[derive(Clone, Debug)]
pub(crate) struct Params<T>(pub(crate) T);

impl<T: Expected, S: Send + Sync> FromRequestParts<S> for Params<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        parse(parts.uri.query().unwrap_or_default()).map(Params)
    }
}

/// The query string as `Q`; nothing when it cannot be read.
fn read<Q: DeserializeOwned>(query: &str) -> Option<Q> {
    let uri = Uri::builder().path_and_query(format!("/?{query}")).build().ok()?;
    Query::<Q>::try_from_uri(&uri).ok().map(|Query(value)| value)
}

fn parse<T: Expected>(query: &str) -> Result<T, Problem> {
    if let Some(value) = read(query) {
        return Ok(value);
    }
    // No parameter needs another, so the one at fault is at fault alone.
    let wrong = query.split('&').filter(|pair| !pair.is_empty()).find(|pair| read::<T>(pair).is_none());
    let pair = wrong.and_then(read::<Vec<(String, String)>>).and_then(|mut pairs| pairs.pop());
    let (place, detail) = match pair {
        Some((name, value)) => {
            let (name, value) = (shown(&name), shown(&value));
            match T::PARAMETERS.iter().find(|(known, _)| *known == name) {
                Some((_, expected)) => (name.clone(), format!("{name}: `{value}`; expected {expected}")),
                None => {
                    let names: Vec<&str> = T::PARAMETERS.iter().map(|(known, _)| *known).collect();
                    (name.clone(), format!("{name}: there is no such parameter here; expected {}", names.join(", ")))
                }
            }
        }
        None => ("query".to_owned(), "a parameter is there twice; expected each once at most".to_owned()),
    };
    Err(Problem::new(StatusCode::BAD_REQUEST, "query.invalid", detail).at(place))
}

/// A value from outside as it can stand in a sentence.
pub(crate) fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Part {
        #[serde(default)]
        px: u32,
        #[serde(default)]
        from: Option<u64>,
    }

    impl Expected for Part {
        const PARAMETERS: &[(&str, &str)] = &[("px", "a whole number, 16 … 8000"), ("from", "a whole number")];
    }

    #[test]
    fn a_parameter_that_does_not_fit_is_named_with_its_value_and_what_is_expected() {
        let part: Part = parse("px=20&from=3").unwrap();
        assert_eq!((part.px, part.from), (20, Some(3)));
        for (query, place, detail) in [
            ("from=1&px=-1", "px", "px: `-1`; expected a whole number, 16 … 8000"),
            ("px=a%20b", "px", "px: `a b`; expected a whole number, 16 … 8000"),
            ("px=20&from=a", "from", "from: `a`; expected a whole number"),
            ("px=", "px", "px: ``; expected a whole number, 16 … 8000"),
            ("pixels=20", "pixels", "pixels: there is no such parameter here; expected px, from"),
            ("px=20&px=20", "query", "a parameter is there twice; expected each once at most"),
        ] {
            let problem = parse::<Part>(query).unwrap_err();
            assert_eq!((problem.status, problem.code.as_ref()), (400, "query.invalid"), "{query}");
            assert_eq!((problem.place.as_deref(), problem.detail.as_str()), (Some(place), detail), "{query}");
        }
    }

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
