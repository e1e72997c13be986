//! From text to typed parts: TOML or JSON in, errors with place, value and expectation out.
//!
//! serde's messages are turned into the house's form here, and only here. A deserializer of this crate may open its
//! message with a code in brackets, `[scenario.wrong_unit] …`; other messages get their code from their shape.

use super::check::Place;
use crate::LabError;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

/// Longest text that is looked at.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// The document of a TOML text. `origin` names it in errors.
pub(crate) fn toml_value(text: &str, origin: &str) -> Result<Value, LabError> {
    check_length(text, origin)?;
    super::document::of_toml(text, origin)
}

/// The document of a JSON text.
pub(crate) fn json_value(text: &str, origin: &str) -> Result<Value, LabError> {
    check_length(text, origin)?;
    serde_json::from_str(text)
        .map_err(|error| LabError::at("scenario.not_json", origin, format!("{error}; expected a JSON object")))
}

fn check_length(text: &str, origin: &str) -> Result<(), LabError> {
    if text.len() > TEXT_BYTES_MAX {
        let message = format!("{} bytes; expected {TEXT_BYTES_MAX} at most", text.len());
        return Err(LabError::at("scenario.too_long", origin, message));
    }
    Ok(())
}

/// The typed parts of a TOML text.
pub(crate) fn from_toml<T: DeserializeOwned>(text: &str, origin: &str) -> Result<T, LabError> {
    typed(&toml_value(text, origin)?)
}

/// The typed parts of a document.
pub(crate) fn typed<T: DeserializeOwned>(document: &Value) -> Result<T, LabError> {
    if !document.is_object() {
        return Err(LabError::new(
            "scenario.wrong_type",
            "the scenario is not an object; expected title, file, stream, …",
        ));
    }
    serde_path_to_error::deserialize(document).map_err(|error| {
        let mut place = Place::root();
        for segment in error.path().iter() {
            match segment {
                Segment::Seq { index } => place = place.item(*index),
                Segment::Map { key } => place = place.key(key),
                Segment::Enum { .. } | Segment::Unknown => {}
            }
        }
        explain(&place, &error.inner().to_string())
    })
}

/// The house's form of a message of serde.
fn explain(place: &Place, message: &str) -> LabError {
    if let Some((code, text)) = message.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        return place.error(known_code(code), text);
    }
    let names = backquoted(message);
    match (message, names.split_first()) {
        (text, Some((key, expected))) if text.starts_with("unknown field") => {
            let place = if place.last() == Some(key) { place.clone() } else { place.key(key) };
            place.error("scenario.unknown_key", hint("unknown key", key, expected))
        }
        (text, Some((name, expected))) if text.starts_with("unknown variant") => {
            place.error("scenario.unknown_value", hint("unknown value", name, expected))
        }
        (text, Some((key, _))) if text.starts_with("missing field") => {
            place.error("scenario.missing_key", format!("`{key}` is missing"))
        }
        (text, _) if text.contains("integer `-") => place.error("scenario.negative", plain(text)),
        (text, _) if text.starts_with("invalid value") => place.error("scenario.out_of_range", plain(text)),
        (text, _) => place.error("scenario.wrong_type", plain(text)),
    }
}

/// The message with what was expected in plain words, not in those of the code's types.
fn plain(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once("expected ") else { return message.to_string() };
    let expected = match expected {
        "u64" => "a whole number from 0 to 18446744073709551615",
        "u32" => "a whole number from 0 to 4294967295",
        "string or map" | "map with a single key" | "unit" | "unit variant" => "a name in quotes",
        "a string" => "text in quotes",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        other if other.starts_with("struct ") || other.starts_with("a map") => "an object with keys and values",
        other => other,
    };
    format!("{found}expected {expected}")
}

fn known_code(code: &str) -> &'static str {
    match code {
        "scenario.negative" => "scenario.negative",
        "scenario.wrong_unit" => "scenario.wrong_unit",
        "scenario.too_large" => "scenario.too_large",
        "scenario.not_a_size" => "scenario.not_a_size",
        "scenario.not_a_duration" => "scenario.not_a_duration",
        _ => "scenario.wrong_type",
    }
}

/// The names that a message of serde puts in backquotes.
fn backquoted(message: &str) -> Vec<&str> {
    message.split('`').skip(1).step_by(2).collect()
}

fn hint(what: &str, name: &str, expected: &[&str]) -> String {
    let meant = nearest(name, expected).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
    format!("{what} `{name}`; {meant}expected one of {}", expected.join(", "))
}

/// The name that is so near to `name` that it was probably meant.
pub(crate) fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let near = names.iter().map(|known| (strsim::damerau_levenshtein(name, known), *known)).min()?;
    (near.0 <= 1 + name.chars().count() / 4).then_some(near.1)
}
