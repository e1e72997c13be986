//! Overrides: `kernel.patches=keep-half-window`, `file.0.size=64M`, `stream.0.ops.1.len=64K`.
//!
//! Works on the document as it was written, before it is typed; what a key takes is learnt from the canonical scenario.

use super::check::Place;
use crate::LabError;
use serde_json::{Map, Value};

/// Splits `a=1;b=2` into its settings. A `;` inside `[…]`, `{…}` or quotes does not split.
pub fn split_settings(text: &str) -> Vec<String> {
    let (mut parts, mut depth, mut quoted) = (vec![String::new()], 0i32, false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            ';' if !quoted && depth <= 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    parts.into_iter().map(|part| part.trim().to_string()).filter(|part| !part.is_empty()).collect()
}

/// Sets one key of the document. `canonical` is the same scenario with its defaults.
pub(crate) fn apply(document: &mut Value, canonical: &Value, setting: &str) -> Result<(), LabError> {
    let (path, text) = setting.split_once('=').ok_or_else(|| {
        LabError::at("scenario.bad_setting", "--set", format!("`{setting}` has no `=`; expected KEY=VALUE"))
    })?;
    let path = path.trim();
    let keys: Vec<&str> = path.split('.').collect();
    if keys.iter().any(|key| key.is_empty()) {
        let message = format!("`{path}` is not a key; expected names and numbers joined by dots, such as file.0.size");
        return Err(LabError::at("scenario.bad_setting", "--set", message));
    }
    let known = lookup(canonical, &keys);
    let value = value(known, text.trim(), is_list(&keys));
    put(document, &keys, value, &Place::root())
}

/// Keys whose values are lists even when the scenario does not have them.
fn is_list(keys: &[&str]) -> bool {
    keys == ["kernel", "patches"]
}

fn lookup<'a>(value: &'a Value, keys: &[&str]) -> Option<&'a Value> {
    keys.iter().try_fold(value, |value, key| match value {
        Value::Array(items) => index_of(items, key).and_then(|index| items.get(index)),
        _ => value.get(key),
    })
}

/// The value of the text for a key that holds `known` now. `None`: the key goes back to its default.
fn value(known: Option<&Value>, text: &str, list: bool) -> Option<Value> {
    if list || known.is_some_and(Value::is_array) {
        if text.starts_with('[')
            && let Ok(value) = serde_json::from_str(text)
        {
            return Some(value);
        }
        let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
        return Some(items.map(scalar).collect());
    }
    match known {
        Some(Value::String(_)) => Some(Value::String(text.to_string())),
        _ if text.is_empty() => None,
        _ => Some(scalar(text)),
    }
}

fn scalar(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Number(_) | Value::Bool(_) | Value::Object(_) | Value::Array(_))) => value,
        _ => Value::String(text.trim_matches('"').to_string()),
    }
}

/// The place in an array: a number, or the `name` of the item.
fn index_of(items: &[Value], key: &str) -> Option<usize> {
    key.parse().ok().or_else(|| items.iter().position(|item| item.get("name").and_then(Value::as_str) == Some(key)))
}

fn put(target: &mut Value, keys: &[&str], value: Option<Value>, place: &Place) -> Result<(), LabError> {
    let Some((key, rest)) = keys.split_first() else { return Ok(()) };
    let place = place.key(key);
    match target {
        Value::Array(items) => {
            let count = items.len();
            let item = index_of(items, key).and_then(|index| items.get_mut(index)).ok_or_else(|| {
                let expected = if count == 0 { "an empty list".into() } else { format!("0 to {}", count - 1) };
                place.error("scenario.bad_setting", format!("no such place; expected {expected}"))
            })?;
            match (rest.is_empty(), value) {
                (true, Some(value)) => *item = value,
                (true, None) => {
                    return Err(place.error("scenario.bad_setting", "no value; expected one for an item of a list"));
                }
                (false, value) => put(item, rest, value, &place)?,
            }
        }
        Value::Object(map) if rest.is_empty() => {
            match value {
                Some(value) => map.insert((*key).to_string(), value),
                None => map.remove(*key),
            };
        }
        Value::Object(map) => {
            let inner = map.entry((*key).to_string()).or_insert_with(|| Value::Object(Map::new()));
            put(inner, rest, value, &place)?;
        }
        _ => {
            return Err(place.error(
                "scenario.bad_setting",
                "there is a plain value before this key; expected an object or a list",
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn set(setting: &str) -> Value {
        let mut document = json!({
            "title": "t",
            "kernel": {"patches": ["a"], "read_ahead_kb": 64},
            "file": [{"name": "data", "size": 1}],
        });
        let canonical = document.clone();
        apply(&mut document, &canonical, setting).unwrap();
        document
    }

    #[test]
    fn the_kind_of_value_follows_the_key() {
        assert_eq!(set("kernel.patches=")["kernel"]["patches"], json!([]));
        assert_eq!(set("kernel.patches=a, b")["kernel"]["patches"], json!(["a", "b"]));
        assert_eq!(set("title=7")["title"], json!("7"));
        assert_eq!(set("file.0.size=64M")["file"][0]["size"], json!("64M"));
        assert_eq!(set("file.data.size=64")["file"][0]["size"], json!(64));
        assert_eq!(set("device.latency=80us")["device"]["latency"], json!("80us"));
        assert_eq!(set("kernel.read_ahead_kb=")["kernel"].get("read_ahead_kb"), None);
    }

    #[test]
    fn settings_split_at_semicolons_outside_brackets() {
        assert_eq!(split_settings("a=1; b=[1;2] ;;c=\"x;y\""), ["a=1", "b=[1;2]", "c=\"x;y\""]);
    }

    #[test]
    fn a_place_that_does_not_exist_is_named() {
        let mut document = json!({"file": [{"size": 1}]});
        let canonical = document.clone();
        for (setting, place) in [("file.3.size=1", "file.3"), ("file.0.size.x=1", "file.0.size.x")] {
            let error = apply(&mut document, &canonical, setting).unwrap_err();
            assert_eq!((error.code, error.place.as_deref()), ("scenario.bad_setting", Some(place)));
        }
        assert!(apply(&mut document, &canonical, "no equals sign").is_err());
        assert!(apply(&mut document, &canonical, ".=1").is_err());
    }
}
