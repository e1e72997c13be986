//! A comparison as plain text for a mail: at most 72 columns, no tables that a proportional font would break badly.

use super::{Comparison, Side};
use crate::metrics::Summary;
use crate::text::wrap::wrap;
use crate::text::{folio_histogram, units};
use std::fmt::{Display, Write};

/// Settings, table, first divergence, folio sizes.
pub fn text(comparison: &Comparison) -> String {
    let Comparison { a, b, settings, differences, first_divergence } = comparison;
    let mut text = wrap(&a.title, "", "");
    text.push_str(&wrap(&conditions(a, b), "", ""));
    text.push('\n');
    if settings.is_empty() {
        text.push_str("A and B have the same settings.\n");
    }
    for (key, left, right) in settings {
        text.push_str(&wrap(&format!("{key} = {left}"), "A: ", "   "));
        text.push_str(&wrap(&format!("{key} = {right}"), "B: ", "   "));
    }
    text.push('\n');
    writeln!(text, "{:<28} {:>13} {:>13} {:>13}", "", "A", "B", "change").expect("writing to a string succeeds");
    for row in differences {
        if row.a == 0.0 && row.b == 0.0 {
            continue;
        }
        let line = format!("{:<28} {:>13} {:>13} {:>13}", row.name, row.a_text, row.b_text, row.change);
        writeln!(text, "{}", line.trim_end()).expect("writing to a string succeeds");
    }
    text.push('\n');
    match first_divergence {
        None => text.push_str("Every decision is the same on both sides.\n"),
        Some(found) => {
            let head = format!(
                "First decision that differs: the {} of stream {}, after {} that {} the same.",
                ordinal(found.ordinal + 1),
                found.stream,
                units::count(found.same_before),
                if found.same_before == 1 { "is" } else { "are" }
            );
            text.push_str(&wrap(&head, "", ""));
            text.push_str(&side("A: ", found.a.as_ref()));
            text.push_str(&side("B: ", found.b.as_ref()));
        }
    }
    text.push('\n');
    text.push_str(&folio_histogram(&[("A", &a.folio_order_pages), ("B", &b.folio_order_pages)]));
    text.push('\n');
    text.push_str(&wrap(&format!("Run A {}, run B {}, engine {}.", a.run_id, b.run_id, a.engine_version), "", ""));
    text
}

/// What both sides ran on; what differs is said of each.
fn conditions(a: &Summary, b: &Summary) -> String {
    let simulated = if a.simulated { "Simulated" } else { "Measured" };
    let both = |name: &str, a: &dyn Display, b: &dyn Display| match (a.to_string(), b.to_string()) {
        (a, b) if a == b => format!("{name}{a}"),
        (a, b) => format!("{name}{a} (A), {b} (B)"),
    };
    format!(
        "{simulated}: {}, {}, {}, {}.",
        both("", &a.model, &b.model),
        both("device ", &a.device, &b.device),
        both("read_ahead_kb=", &a.read_ahead_kb, &b.read_ahead_kb),
        both("max_sectors_kb=", &a.max_sectors_kb, &b.max_sectors_kb)
    )
}

fn side(name: &str, side: Option<&Side>) -> String {
    match side {
        Some(side) => wrap(&side.sentence, name, "   "),
        None => wrap("no further decision in this stream.", name, "   "),
    }
}

fn ordinal(number: u64) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{}{suffix}", units::count(number))
}
