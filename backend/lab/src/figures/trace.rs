//! Figures of a trace: the windows that a real kernel chose, as its own events show them.

use super::windows::{Bar, panel};
use super::{Axis, Figure, Range, Unit};
use crate::LabError;
use crate::text::units;
use readahead_trace::Inspection;
use readahead_types::PAGE_BYTES;

const NAME: &str = "windows";
/// Without a range, this many windows are shown.
const WINDOWS_SHOWN: usize = 48;

/// A figure of one file of a trace; `file` is its place in the inspection's list.
pub fn trace_figure(name: &str, inspection: &Inspection, file: u32, range: Range) -> Result<Figure, LabError> {
    if name != NAME {
        return Err(LabError::new(
            "figure.unknown",
            crate::library::unknown("figure of a trace", name, [NAME].into_iter()),
        ));
    }
    let range = super::checked(range)?;
    let report = inspection.files.get(file as usize).ok_or_else(|| {
        let count = inspection.files.len();
        LabError::at(
            "figure.no_such_file",
            "file",
            format!("{file}; expected less than {count}, the files of the trace"),
        )
    })?;
    let byte = |page: u64| page as f64 * PAGE_BYTES as f64;
    let bars: Vec<Bar> = report
        .windows
        .iter()
        .map(|window| {
            let end = window.start.saturating_add(window.size);
            Bar {
                start: byte(window.start),
                // Up to 6.18 no event of the kernel says where the marker is.
                marker: window.async_size.map(|pages| byte(end.saturating_sub(pages))),
                end: byte(end),
                pages: window.size as f64,
                below_half: false,
                code: window.via.map_or("folios", |via| via.name()),
            }
        })
        .collect();
    let whole = bars.iter().map(|bar| bar.end).fold(PAGE_BYTES as f64, f64::max);
    let first = bars.iter().take(WINDOWS_SHOWN).map(|bar| bar.end).fold(0.0, f64::max);
    let min = range.from.unwrap_or(0) as f64;
    let max = range.to.map_or(if range.from.is_some() { whole } else { first.max(PAGE_BYTES as f64) }, |to| to as f64);
    let what = report.name.clone().unwrap_or_else(|| format!("ino {}", report.ino_shown));
    let count = units::count(bars.len() as u64);
    let inside = bars.iter().filter(|bar| bar.end > min && bar.start < max).count();
    let title = match (max < whole, range.from.or(range.to)) {
        (false, _) => format!("Windows of {what}, all {count}"),
        (true, None) => format!("Windows of {what}, the first {} of {count}", units::count(inside as u64)),
        (true, Some(_)) => format!("Windows of {what}, {} of {count}", units::count(inside as u64)),
    };
    let mut panel = panel(String::new(), None, bars, min, max, range.px);
    panel.y.max = panel.y.max.max(4.0);
    Ok(Figure {
        name: NAME.to_string(),
        title,
        description: format!("{count} windows of {what} as the trace's own events show them."),
        simulated: false,
        x: Axis::new("file offset", Unit::Bytes, min, max),
        panels: vec![panel],
    })
}
