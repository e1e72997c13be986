//! The table of differences: the numbers of both sides and how they relate.

use crate::metrics::Summary;
use crate::scenario::Scenario;
use crate::text::units;
use serde::Serialize;
use serde_json::Value;

/// One row: a number of both sides.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// What the number is called on the page.
    pub name: String,
    /// The summary's field.
    pub field: String,
    /// Its unit: `count`, `bytes`, `ns`, `bytes_per_s`, `pages` or `percent`.
    pub unit: String,
    /// Side A.
    pub a: f64,
    /// Side B.
    pub b: f64,
    /// Side A as people read it.
    pub a_text: String,
    /// Side B as people read it.
    pub b_text: String,
    /// How B relates to A: `same`, `−69 %`, `× 3.2`.
    pub change: String,
}

/// The rows, most telling first.
pub(crate) fn differences(a: &Summary, b: &Summary) -> Vec<Difference> {
    type Field = fn(&Summary) -> f64;
    let rows: [(&str, &str, &str, Field); 15] = [
        ("device reads (file data)", "device_reads", "count", |s| s.device_reads as f64),
        ("mean read size", "device_read_bytes_mean", "bytes", |s| s.device_read_bytes_mean as f64),
        ("bytes read", "device_read_bytes", "bytes", |s| s.device_read_bytes as f64),
        ("elapsed", "elapsed_ns", "ns", |s| s.elapsed_ns as f64),
        ("throughput", "throughput_bytes_per_s", "bytes_per_s", |s| s.throughput_bytes_per_s as f64),
        ("waits for pages", "sync_waits", "count", |s| s.sync_waits as f64),
        ("time waiting for pages", "wait_ns", "ns", |s| s.wait_ns as f64),
        ("read latency, 99 %", "read_latency_ns.p99", "ns", |s| s.read_latency_ns.p99 as f64),
        ("windows", "windows", "count", |s| s.windows as f64),
        ("windows trimmed below half", "trimmed_below_half", "count", |s| s.trimmed_below_half as f64),
        ("pages read, never used", "pages_unused", "pages", |s| s.pages_unused as f64),
        ("pages evicted before use", "pages_evicted_unused", "pages", |s| s.pages_evicted_unused as f64),
        ("cache misses", "cache_misses", "count", |s| s.cache_misses as f64),
        ("major faults", "major_faults", "count", |s| s.major_faults as f64),
        ("pages in folios ≥ 512 KiB", "folio_order_pages", "percent", large_folio_percent),
    ];
    let row = |(name, field, unit, value): (&str, &str, &str, Field)| {
        let (a, b) = (value(a), value(b));
        Difference {
            name: name.into(),
            field: field.into(),
            unit: unit.into(),
            a,
            b,
            a_text: quantity(unit, a),
            b_text: quantity(unit, b),
            change: change(a, b),
        }
    };
    rows.into_iter().map(row).collect()
}

/// Share of the pages that entered the cache in folios of order 7 and more.
fn large_folio_percent(summary: &Summary) -> f64 {
    let large: u64 = summary.folio_order_pages.range(7..).map(|(_, pages)| pages).sum();
    if summary.pages_read == 0 { 0.0 } else { 100.0 * large as f64 / summary.pages_read as f64 }
}

fn quantity(unit: &str, value: f64) -> String {
    match unit {
        "bytes" => units::bytes(value as u64),
        "ns" => units::duration(value as u64),
        "bytes_per_s" => units::rate(value as u64),
        "percent" => format!("{value:.0} %"),
        _ => units::count(value as u64),
    }
}

/// How `b` relates to `a`, with the digits that mean something.
fn change(a: f64, b: f64) -> String {
    let ratio = b / a;
    if a == b {
        "same".to_string()
    } else if a == 0.0 {
        "from none".to_string()
    } else if ratio >= 2.0 {
        format!("× {}", units::digits(ratio))
    } else {
        let percent = 100.0 * (ratio - 1.0);
        let sign = if percent < 0.0 { "−" } else { "+" };
        let size = percent.abs();
        if size < 0.1 {
            format!("{sign}<0.1 %")
        } else if size < 10.0 {
            format!("{sign}{size:.1} %")
        } else {
            format!("{sign}{size:.0} %")
        }
    }
}

/// Dotted keys whose values differ, and the values. What nobody set but follows from the rest, such as the defaults of
/// two kernels, is no setting.
pub fn settings(a: &Scenario, b: &Scenario) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    walk("", Some(a.canonical_value()), Some(b.canonical_value()), &mut found);
    found.retain(|(key, ..)| !key.starts_with("expect") && (is_set(a, key) || is_set(b, key)));
    found
}

/// Keys of a file, each of which follows from those before it.
const FOLIOS: [&str; 3] = ["large_folios", "min_order", "max_order"];

/// Whether the key would have another value if nobody had set it. A key that the scenario cannot do without is set.
fn is_set(scenario: &Scenario, key: &str) -> bool {
    let whole = scenario.canonical_value();
    let (parent, name) = key.rsplit_once('.').unwrap_or(("", key));
    let place = if parent.is_empty() { String::new() } else { format!("/{}", parent.replace('.', "/")) };
    let mut without = whole.clone();
    match without.pointer_mut(&place) {
        Some(Value::Object(map)) => {
            let following = FOLIOS.iter().skip_while(|other| **other != name);
            following.chain([&name]).for_each(|other| drop(map.remove(*other)));
        }
        // A place in a list cannot be left out alone.
        _ => return true,
    }
    let place = format!("{place}/{name}");
    Scenario::from_value(without).map_or(true, |other| other.canonical_value().pointer(&place) != whole.pointer(&place))
}

fn walk(key: &str, a: Option<&Value>, b: Option<&Value>, found: &mut Vec<(String, String, String)>) {
    if a == b {
        return;
    }
    match (a, b) {
        (Some(Value::Object(left)), Some(Value::Object(right))) => {
            let mut keys: Vec<&String> = left.keys().chain(right.keys()).collect();
            keys.sort();
            keys.dedup();
            for name in keys {
                let inner = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
                walk(&inner, left.get(name), right.get(name), found);
            }
        }
        (Some(Value::Array(left)), Some(Value::Array(right))) if left.len() == right.len() && !left.is_empty() => {
            for (index, (left, right)) in left.iter().zip(right).enumerate() {
                walk(&format!("{key}.{index}"), Some(left), Some(right), found);
            }
        }
        _ => found.push((key.to_string(), plain(a), plain(b))),
    }
}

fn plain(value: Option<&Value>) -> String {
    match value {
        None => "not set".to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) if items.is_empty() => "none".to_string(),
        Some(Value::Array(items)) => items.iter().map(|item| plain(Some(item))).collect::<Vec<_>>().join(", "),
        Some(value) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_set_is_no_difference() {
        let plain = crate::library::scenario("mm-2026-keep-half-window").unwrap();
        let keys = |a: &[&str], b: &[&str]| -> Vec<String> {
            let with = |settings: &[&str]| {
                plain.with(&settings.iter().map(|one| (*one).to_string()).collect::<Vec<_>>()).unwrap()
            };
            settings(&with(a), &with(b)).into_iter().map(|(key, ..)| key).collect()
        };
        assert_eq!(keys(&["kernel.model=linux-2.6.33"], &["kernel.model=linux-7.2"]), ["kernel.model"]);
        assert_eq!(
            keys(&[], &["kernel.patches=keep-half-window", "kernel.read_ahead_kb=512"]),
            ["kernel.patches", "kernel.read_ahead_kb"]
        );
        assert_eq!(keys(&["file.0.large_folios=false"], &[]), ["file.0.large_folios"]);
    }

    #[test]
    fn changes_read_as_people_say_them() {
        assert_eq!(change(3328.0, 1031.0), "−69 %");
        assert_eq!(change(158.0, 489.0), "× 3.09");
        assert_eq!(change(7.0, 7.0), "same");
        assert_eq!(change(100.0, 100.05), "+<0.1 %");
        assert_eq!(change(0.0, 3.0), "from none");
    }
}
