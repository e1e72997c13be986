//! The summary of one run as text: for a terminal, and 72 columns wide for a mail.

use super::units;
use super::wrap::wrap;
use crate::metrics::Summary;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Bars of a histogram have this many columns at most.
const BAR: usize = 36;

/// The numbers that matter, a line each.
pub fn summary(summary: &Summary) -> String {
    let mut text = String::new();
    let patches =
        if summary.patches.is_empty() { String::new() } else { format!(" + {}", summary.patches.join(" + ")) };
    text.push_str(&wrap(&summary.title, "", ""));
    let settings = format!(
        "{}{patches}, device {}, read_ahead_kb={}, max_sectors_kb={}{}; {}, run {}",
        summary.model,
        summary.device,
        summary.read_ahead_kb,
        summary.max_sectors_kb,
        summary.memory_bytes.map(|bytes| format!(", memory {}", units::bytes(bytes))).unwrap_or_default(),
        if summary.simulated { "SIMULATED" } else { "MEASURED" },
        summary.run_id,
    );
    text.push_str(&wrap(&settings, "", ""));
    text.push_str(&wrap(&format!("read_ahead_kb {}", summary.read_ahead_source), "", "  "));
    text.push_str(&wrap(&format!("max_sectors_kb {}", summary.max_sectors_source), "", "  "));
    text.push('\n');
    let latency = |p: &crate::metrics::Percentiles| {
        let [p50, p90, p99, max] = [p.p50, p.p90, p.p99, p.max].map(units::duration);
        format!("{p50} / {p90} / {p99} / {max}")
    };
    let mut rows = vec![
        ("device reads (file data)", units::count(summary.device_reads)),
        ("mean read size", units::bytes(summary.device_read_bytes_mean)),
        ("bytes read", units::bytes(summary.device_read_bytes)),
        ("elapsed", units::duration(summary.elapsed_ns)),
        ("throughput", units::rate(summary.throughput_bytes_per_s)),
        ("waits for pages", format!("{}, {}", units::count(summary.sync_waits), units::duration(summary.wait_ns))),
        ("read latency p50/p90/p99/max", latency(&summary.read_latency_ns)),
        ("windows", units::count(summary.windows)),
        ("windows trimmed below half", units::count(summary.trimmed_below_half)),
        ("pages read", units::count(summary.pages_read)),
        ("pages read, never used", units::count(summary.pages_unused)),
        (
            "cache hits / misses",
            format!("{} / {}", units::count(summary.cache_hits), units::count(summary.cache_misses)),
        ),
    ];
    // Nothing was read(2) in a run of mappings alone.
    rows.retain(|(name, _)| !name.starts_with("read latency") || summary.read_latency_ns.max > 0);
    if summary.pages_evicted > 0 {
        let evicted =
            format!("{}, {}", units::count(summary.pages_evicted), units::count(summary.pages_evicted_unused));
        rows.push(("pages evicted, before use", evicted));
        rows.push(("refaults", units::count(summary.refaults)));
    }
    if summary.major_faults + summary.minor_faults > 0 {
        let faults = format!("{} / {}", units::count(summary.major_faults), units::count(summary.minor_faults));
        rows.push(("faults major / minor", faults));
        rows.push(("fault latency p50/p90/p99/max", latency(&summary.fault_latency_ns)));
    }
    for (name, value) in rows {
        writeln!(text, "{name:<30} {value}").expect("writing to a string succeeds");
    }
    text.push('\n');
    text.push_str(&folio_histogram(&[("", &summary.folio_order_pages)]));
    text
}

/// The same for a mail, at most 72 columns.
pub fn lkml(summary: &Summary) -> String {
    self::summary(summary)
}

/// Folio sizes in percent of the pages that entered the cache, a bar for each named side.
pub fn folio_histogram(sides: &[(&str, &BTreeMap<u8, u64>)]) -> String {
    let orders: std::collections::BTreeSet<u8> = sides.iter().flat_map(|(_, pages)| pages.keys().copied()).collect();
    let mut text = "Folios, % of pages:\n".to_string();
    for order in orders {
        for (place, (name, pages)) in sides.iter().enumerate() {
            let total: u64 = pages.values().sum();
            let part = pages.get(&order).copied().unwrap_or(0);
            let percent = if total == 0 { 0.0 } else { 100.0 * part as f64 / total as f64 };
            let bar = "#".repeat((percent / 100.0 * BAR as f64).round() as usize);
            let size = if place == 0 { units::bytes(4096u64 << order) } else { String::new() };
            let percent = if part > 0 && percent < 0.5 { "<1".to_string() } else { format!("{percent:.0}") };
            let line = format!("  {size:>8} {name:<2}{percent:>4} % {bar}");
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}
