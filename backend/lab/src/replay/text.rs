//! A replay's report as a page of text.

use super::ReplayReport;
use crate::text::units::count;
use crate::text::wrap::wrap;
use std::fmt::Write;

/// The report for people.
pub fn text(report: &ReplayReport) -> String {
    let mut text = String::new();
    let patches = if report.patches.is_empty() { String::new() } else { format!(" + {}", report.patches.join(" + ")) };
    let made = if report.simulated { "SIMULATED" } else { "MEASURED" };
    let _ = writeln!(text, "{made} trace against {}{patches}", report.model);
    let _ = writeln!(text);
    let mut line = |name: &str, agree: u64, all: u64| {
        let share = if all == 0 { String::from("—") } else { format!("{:.2} %", agree as f64 / all as f64 * 100.0) };
        let _ = writeln!(text, "{name:<16} {:>10} of {:>10} agree  {share:>9}", count(agree), count(all));
    };
    line("decisions", report.agree, report.decisions);
    line("folios", report.folios_agree, report.folios);
    line("device requests", report.requests_agree, report.requests);
    let _ = writeln!(text);
    for from in &report.settings_from {
        text.push_str(&wrap(from, "", "  "));
    }
    for note in &report.notes {
        text.push_str(&wrap(note, "", "  "));
    }
    if report.mmap_miss_differs > 0 {
        let note = format!(
            "{} decisions agree but for mmap_miss. It counts down by what fault-around finds done at that moment, which a trace does not always tell.",
            count(report.mmap_miss_differs)
        );
        text.push_str(&wrap(&note, "", "  "));
    }
    if !report.files.is_empty() {
        let _ = writeln!(text, "\nfiles");
        for (number, file) in report.files.iter().enumerate() {
            let name = file.name.as_deref().unwrap_or("(name not in the trace)");
            let size = file.bytes.map_or("end not in the trace".into(), |bytes| format!("{} bytes", count(bytes)));
            let _ = writeln!(
                text,
                "{number:>3}  dev {} ino {:x}  {name}  {size}  {} of {} decisions",
                file.dev, file.ino, file.agree, file.decisions
            );
        }
    }
    for mismatch in &report.mismatches {
        let _ =
            writeln!(text, "\n{} × {}, first at line {}", count(mismatch.count), mismatch.title, mismatch.first_line);
        text.push_str(&wrap(&mismatch.recorded, "  recorded   ", "             "));
        text.push_str(&wrap(&mismatch.predicted, "  predicted  ", "             "));
        if let Some(reason) = &mismatch.reason {
            text.push_str(&wrap(reason, "  because    ", "             "));
        }
    }
    text
}
