//! What a run of a scenario must give, what the scenario's source measured of it, and whether a run agrees.

use super::file::{Expected, Same};
use crate::LabError;
use crate::metrics::Summary;
use crate::text::units;
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
    /// What the source itself measured; nothing where the lab alone expects the value.
    pub measured: Option<u64>,
    /// How the source counts, where it counts otherwise.
    pub note: String,
    /// How near the run must come.
    pub within: u64,
    /// What the run gave.
    pub value: u64,
    /// Whether it came near enough.
    pub met: bool,
}

impl ExpectCheck {
    /// The check in a sentence. Only what the source measured is called measured.
    pub fn sentence(&self) -> String {
        let count = units::count;
        let within = if self.within == 0 { String::new() } else { format!(" ± {}", count(self.within)) };
        let note = if self.note.is_empty() { String::new() } else { format!(" ({})", self.note) };
        match self.measured {
            Some(measured) => {
                let verdict = if self.met { "agrees" } else { "does not agree" };
                let are = if self.expected == 1 && self.within == 0 { "is" } else { "are" };
                format!(
                    "The source measured {}{note}; {}{within} {are} expected here, and this run {verdict}: {}.",
                    counted(&self.field, measured),
                    count(self.expected),
                    count(self.value)
                )
            }
            None => {
                let name = named(&self.field, self.value);
                format!("{name}{note}: expected {}{within}, computed {}.", count(self.expected), count(self.value))
            }
        }
    }
}

/// A field of a summary as people say it, for one or for many of what it counts.
fn noun(field: &str, one: bool) -> Option<String> {
    let (single, many) = match field {
        "device_reads" => ("device read", "device reads"),
        "windows" => ("window", "windows"),
        "decisions" => ("decision", "decisions"),
        "pages_read" => ("page read", "pages read"),
        "pages_used" => ("page used", "pages used"),
        "pages_unused" => ("page never used", "pages never used"),
        "pages_evicted" => ("page evicted", "pages evicted"),
        "cache_hits" => ("cache hit", "cache hits"),
        "cache_misses" => ("cache miss", "cache misses"),
        "major_faults" => ("major fault", "major faults"),
        "minor_faults" => ("minor fault", "minor faults"),
        "refaults" => ("refault", "refaults"),
        _ => {
            let (map, key) = field.split_once('.')?;
            let what = match map {
                "decisions_per_reason" => "by the Reason",
                "windows_per_reason" => "by the Reason",
                "decisions_per_via" => "by way of",
                _ => return None,
            };
            let thing = if map.starts_with("windows") { "window" } else { "decision" };
            let plural = if one { "" } else { "s" };
            return Some(format!("{thing}{plural} {what} {}", key.replace('_', " ")));
        }
    };
    Some(if one { single } else { many }.to_string())
}

/// So many of what the field counts.
fn counted(field: &str, value: u64) -> String {
    match noun(field, value == 1) {
        Some(noun) => format!("{} {noun}", units::count(value)),
        None => format!("{} for {}", units::count(value), field.replace('_', " ")),
    }
}

/// What the field counts, as the head of a line about it.
fn named(field: &str, value: u64) -> String {
    let name = noun(field, value == 1).unwrap_or_else(|| field.replace('_', " ").replace('.', ", "));
    let mut letters = name.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
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
            measured: expected.measured,
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
        ExpectCheck { field: field.clone(), expected, measured: None, note, within, value, met }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(field: &str, measured: Option<u64>, value: u64) -> ExpectCheck {
        let (field, note) = (field.to_string(), String::new());
        ExpectCheck { field, expected: value, measured, note, within: 0, value, met: true }
    }

    #[test]
    fn only_what_the_source_measured_is_called_measured() {
        assert_eq!(check("pages_read", None, 245).sentence(), "Pages read: expected 245, computed 245.");
        let forced = "decisions_per_reason.forced_cut";
        assert_eq!(check(forced, None, 1).sentence(), "Decision by the Reason forced cut: expected 1, computed 1.");
        assert_eq!(check(forced, None, 2).sentence(), "Decisions by the Reason forced cut: expected 2, computed 2.");
        assert_eq!(check("read_latency_ns.p99", None, 7).sentence(), "Read latency ns, p99: expected 7, computed 7.");
        let mut mail = check("device_reads", Some(3329), 3328);
        (mail.within, mail.note) = (2, "metadata reads included".to_string());
        assert_eq!(
            mail.sentence(),
            "The source measured 3,329 device reads (metadata reads included); 3,328 ± 2 are expected here, and this run \
             agrees: 3,328."
        );
        assert!(
            check(forced, Some(1), 1)
                .sentence()
                .starts_with("The source measured 1 decision by the Reason forced cut; 1 is")
        );
        let same = BTreeMap::from([("device_reads".to_string(), Same::default())]);
        let (a, b) = (Summary::default(), Summary::default());
        assert_eq!(check_same(&same, &a, &b)[0].measured, None);
    }
}
