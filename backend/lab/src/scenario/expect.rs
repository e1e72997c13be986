//! What a scenario's source measured, and whether a run agrees.

use super::file::{Expected, Same};
use crate::LabError;
use crate::metrics::Summary;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// One expectation held against a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExpectCheck {
    /// The summary's field.
    pub field: String,
    /// What the run must give, counted as the lab counts.
    pub expected: u64,
    /// What the source itself says.
    pub measured: u64,
    /// How the source counts, where it counts otherwise.
    pub note: String,
    /// How near the run must come.
    pub within: u64,
    /// What the run gave.
    pub value: u64,
    /// Whether it came near enough.
    pub met: bool,
}

/// Holds every expectation against the summary.
pub(crate) fn check(expect: &BTreeMap<String, Expected>, summary: &Summary) -> Vec<ExpectCheck> {
    let summary = serde_json::to_value(summary).expect("a summary is plain data");
    let one = |(field, expected): (&String, &Expected)| {
        let value = number(&summary, field).unwrap_or(0);
        let met = value.abs_diff(expected.value) <= expected.within;
        ExpectCheck {
            field: field.clone(),
            expected: expected.value,
            measured: expected.measured.unwrap_or(expected.value),
            note: expected.note.clone(),
            within: expected.within,
            value,
            met,
        }
    };
    expect.iter().map(one).collect()
}

/// Holds two runs against each other: `expected` is the value of `a`, `value` that of `b`.
pub(crate) fn check_same(same: &BTreeMap<String, Same>, a: &Summary, b: &Summary) -> Vec<ExpectCheck> {
    let (a, b) = (serde_json::to_value(a), serde_json::to_value(b));
    let (a, b) = (a.expect("a summary is plain data"), b.expect("a summary is plain data"));
    let one = |(field, same): (&String, &Same)| {
        let (expected, value) = (number(&a, field).unwrap_or(0), number(&b, field).unwrap_or(0));
        let share = (u128::from(expected.max(value)) * u128::from(same.within_permille) / 1000) as u64;
        let within = same.within.max(share);
        let met = value.abs_diff(expected) <= within;
        let note = String::new();
        ExpectCheck { field: field.clone(), expected, measured: expected, note, within, value, met }
    };
    same.iter().map(one).collect()
}

/// Refuses names of fields that no summary has.
pub(crate) fn check_field(place: &super::Place, field: &str) -> Result<(), LabError> {
    let summary = serde_json::to_value(Summary::default()).expect("a summary is plain data");
    let (first, rest) = field.split_once('.').unwrap_or((field, ""));
    let known = match summary.get(first) {
        Some(Value::Number(_)) => rest.is_empty(),
        // Maps and lists are filled by the run.
        Some(Value::Object(map)) if !map.is_empty() => number(&summary, field).is_some(),
        Some(Value::Object(_) | Value::Array(_)) => !rest.is_empty(),
        _ => false,
    };
    if known {
        return Ok(());
    }
    let numbers =
        summary.as_object().into_iter().flatten().filter(|(_, value)| !value.is_string() && !value.is_boolean());
    let names: Vec<&str> = numbers.map(|(name, _)| name.as_str()).collect();
    let message = crate::library::unknown("field", field, names.into_iter());
    Err(place.error("scenario.unknown_key", message))
}

/// The number at a dotted place of a summary.
fn number(summary: &Value, field: &str) -> Option<u64> {
    let found = field.split('.').try_fold(summary, |value, key| match value {
        Value::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => value.get(key),
    });
    found.and_then(Value::as_u64)
}
