//! Window size over file offset: each readahead window stands where its pages lie. Windows trimmed below half of what
//! they would have been carry the colour of warnings; the part before the marker is paler than the part behind it.

use super::{Axis, Figure, FigureInfo, Panel, Range, Role, Series, Shape, Side, Unit, side_prefix, side_title};
use crate::LabError;
use crate::run::Recording;
use crate::text::units;
use readahead_types::{Decision, FileId, PAGE_BYTES, Reason, Via};

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "windows",
    title: "Window size over file offset",
    about: "Each bar is one readahead window: as wide as its pages lie in the file, as high as it has pages. The full part lies behind the marker: reaching it starts the next window. The paler part lies before it. Orange windows were cut below half. On linux-2.4, which has no marker, full windows are asynchronous steps and paler ones synchronous.",
};

/// Without a range, this many windows are shown: more cannot be told apart.
const WINDOWS_SHOWN: usize = 48;
/// Panels of one side: files beyond these are named in the description only.
const FILES_SHOWN: usize = 3;
const MIB: f64 = 1024.0 * 1024.0;

/// One window, in bytes and pages.
#[derive(Clone, Copy)]
pub(super) struct Bar {
    pub(super) start: f64,
    /// Where the marker is; nothing when there is none, or nobody tells.
    pub(super) marker: Option<f64>,
    pub(super) end: f64,
    pub(super) pages: f64,
    pub(super) below_half: bool,
    pub(super) code: &'static str,
}

pub(super) fn make(sides: &[(Option<Side>, &Recording)], range: Range) -> Result<Figure, LabError> {
    let decisions: Vec<Vec<Decision>> = sides.iter().map(|(_, recording)| recording.decisions(0..usize::MAX)).collect();
    let mut files: Vec<FileId> = decisions.iter().flatten().filter(|d| is_bar(d)).map(|d| d.file).collect();
    files.sort();
    files.dedup();
    let shown = &files[..files.len().min(FILES_SHOWN)];
    let mut panels = Vec::new();
    let mut sentences = Vec::new();
    let whole = shown.iter().map(|file| file_bytes(sides[0].1, *file)).fold(0.0, f64::max);
    let bars_of = |decisions: &[Decision], file: FileId| -> Vec<Bar> {
        decisions.iter().filter(|d| d.file == file && is_bar(d)).map(bar).collect()
    };
    let min = range.from.unwrap_or(0) as f64;
    let max = range.to.map_or_else(|| readable_end(&decisions, shown, &bars_of, range, whole), |to| to as f64);
    for (place, (side, recording)) in sides.iter().enumerate() {
        for file in shown {
            let bars = bars_of(&decisions[place], *file);
            let below = bars.iter().filter(|bar| bar.below_half).count();
            let share = if bars.is_empty() { 0.0 } else { 100.0 * below as f64 / bars.len() as f64 };
            let name = recording.scenario().world().files[file.0 as usize].name.clone();
            let mut title = side_title(sides, place);
            if shown.len() > 1 {
                title = format!("{title}{}{name}", if title.is_empty() { "" } else { " · " });
            }
            let prefix = side_prefix(*side);
            let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}: ") };
            sentences.push(format!(
                "{prefix}{} windows of {name}, {} ({share:.0} %) trimmed below half",
                units::count(bars.len() as u64),
                units::count(below as u64)
            ));
            panels.push(panel(title, *side, bars, min, max, range.px));
        }
    }
    if max < whole {
        sentences.push(format!("shown is {} of {}", units::bytes((max - min) as u64), units::bytes(whole as u64)));
    }
    if panels.is_empty() {
        sentences.push("no readahead window was decided".to_string());
        panels.push(panel(String::new(), None, Vec::new(), 0.0, 1.0, range.px));
    }
    let top = panels.iter().map(|panel| panel.y.max).fold(4.0, f64::max);
    panels.iter_mut().for_each(|panel| panel.y.max = top);
    Ok(Figure {
        name: INFO.name.to_string(),
        title: INFO.title.to_string(),
        description: sentences.join("; ") + ".",
        simulated: true,
        x: Axis::new("file offset", Unit::Bytes, min, max),
        panels,
    })
}

/// Where the first windows end, in whole MiB, on the side that has the smaller ones.
fn readable_end(
    decisions: &[Vec<Decision>],
    files: &[FileId],
    bars_of: &dyn Fn(&[Decision], FileId) -> Vec<Bar>,
    range: Range,
    whole: f64,
) -> f64 {
    if range.from.is_some() {
        return whole.max(1.0);
    }
    let mut end = f64::MAX;
    for side in decisions {
        let reach_of =
            |file: &FileId| bars_of(side, *file).iter().take(WINDOWS_SHOWN).map(|bar| bar.end).fold(0.0, f64::max);
        end = end.min(files.iter().map(reach_of).fold(0.0, f64::max));
    }
    ((end / MIB).ceil() * MIB).min(whole).max(PAGE_BYTES as f64)
}

/// The panel of one list of windows, thinned to the pixels there are.
pub(super) fn panel(title: String, side: Option<Side>, bars: Vec<Bar>, min: f64, max: f64, px: u32) -> Panel {
    // Both paler than the colour of warnings, which has to stand out among them.
    let (full, faint) = match side {
        Some(Side::B) => (Role::SideBPale, Role::SideBFaint),
        Some(Side::A) | None => (Role::SideAPale, Role::SideAFaint),
    };
    let steps = bars.iter().any(|bar| bar.code.starts_with("old_"));
    let names =
        if steps { ["synchronous step", "asynchronous step"] } else { ["before the marker", "behind the marker"] };
    let mut before = Series::new(names[0], faint, Shape::Bars);
    let mut behind = Series::new(names[1], full, Shape::Bars);
    let mut plain = Series::new("window", full, Shape::Bars);
    let mut cut = Series::new("trimmed below half", Role::Warning, Shape::Bars);
    let inside: Vec<Bar> = bars.into_iter().filter(|bar| bar.end > min && bar.start < max).collect();
    let per_px = (max - min) / f64::from(px);
    let narrow = inside.iter().filter(|bar| bar.end - bar.start < per_px).count();
    let top = inside.iter().map(|bar| bar.pages).fold(0.0, f64::max);
    if inside.len() > px as usize || 2 * narrow > inside.len().max(1) && inside.len() > 64 {
        // More windows than pixels: each pixel shows its largest window, and its smallest over it.
        let mut columns: Vec<Option<(f64, f64, bool)>> = vec![None; px as usize];
        for bar in &inside {
            let place = ((bar.start - min).max(0.0) / per_px) as usize;
            if let Some(column) = columns.get_mut(place) {
                let (low, high, cut) = column.unwrap_or((bar.pages, bar.pages, false));
                *column = Some((low.min(bar.pages), high.max(bar.pages), cut || bar.below_half));
            }
        }
        (before.name, before.role) = ("largest window".to_string(), faint);
        (behind.name, behind.role) = ("smallest window".to_string(), full);
        cut.name = "smallest window, trimmed below half".to_string();
        let mut open: Option<(usize, (f64, f64, bool))> = None;
        let mut close = |from: usize, to: usize, (low, high, below): (f64, f64, bool)| {
            let (x, x_end) = (min + from as f64 * per_px, min + to as f64 * per_px);
            before.bar(x, x_end, high);
            if below { cut.bar(x, x_end, low) } else { behind.bar(x, x_end, low) }
        };
        for (place, column) in columns.iter().enumerate() {
            match (open, column) {
                (Some((_, same)), Some(column)) if same == *column => {}
                (_, Some(column)) => {
                    if let Some((from, last)) = open {
                        close(from, place, last);
                    }
                    open = Some((place, *column));
                }
                // A pixel in which no window begins belongs to the one before.
                (_, None) => {}
            }
        }
        if let Some((from, last)) = open {
            close(from, px as usize, last);
        }
    } else {
        for bar in &inside {
            let (start, end) = (bar.start.max(min), bar.end.min(max));
            if bar.below_half {
                cut.bar(start, end, bar.pages);
                cut.labels.push(bar.code.to_string());
                continue;
            }
            let Some(marker) = bar.marker else {
                plain.bar(start, end, bar.pages);
                plain.labels.push(bar.code.to_string());
                continue;
            };
            if marker > start {
                before.bar(start, marker.min(end), bar.pages);
                before.labels.push(bar.code.to_string());
            }
            if end > marker {
                behind.bar(marker.max(start), end, bar.pages);
                behind.labels.push(bar.code.to_string());
            }
        }
    }
    let series = [before, behind, plain, cut].into_iter().filter(|series| !series.x.is_empty()).collect();
    Panel { title, side, y: Axis::new("window", Unit::Pages, 0.0, top * 1.04), series }
}

fn is_bar(decision: &Decision) -> bool {
    decision.window.is_some()
        && matches!(decision.via, Via::Sync | Via::Async | Via::Around | Via::Random | Via::Legacy)
}

fn bar(decision: &Decision) -> Bar {
    let window = decision.window.expect("is_bar was asked first");
    let byte = |page: u64| page as f64 * PAGE_BYTES as f64;
    let end = window.start.saturating_add(window.size);
    Bar {
        start: byte(window.start),
        marker: (!matches!(decision.reason, Reason::OldCluster { .. } | Reason::OldClusterAhead { .. }))
            .then(|| byte(end.saturating_sub(window.async_size))),
        end: byte(end),
        pages: window.size as f64,
        below_half: decision.trim.below_half(),
        code: decision.reason.code(),
    }
}

fn file_bytes(recording: &Recording, file: FileId) -> f64 {
    recording.scenario().world().files.get(file.0 as usize).map_or(0.0, |file| file.bytes.0 as f64)
}
