//! Window size over time, a mark for each decision by the class of its Reason.

use super::decimate::min_max;
use super::{Axis, Figure, FigureInfo, Panel, Range, Role, Series, Shape, Side, Unit, side_title};
use crate::LabError;
use crate::run::Recording;
use crate::text::units;
use readahead_types::{EventKind, Reason};

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "window_times",
    title: "Window size over time",
    about: "Each mark is one decision of the readahead code, as high as its window has pages; its colour and shape say what kind of Reason it had.",
};

/// The classes of Reasons, in the order in which they are drawn.
const CLASSES: [(&str, Role); 6] = [
    ("stream begins", Role::Start),
    ("expected marker", Role::Expected),
    ("history or other marker", Role::Context),
    ("fault", Role::Fault),
    ("as asked for", Role::Forced),
    ("trimmed below half", Role::Warning),
];
const BELOW_HALF: usize = 5;
/// Without a range, the time of this many decisions is shown: more cannot be told apart.
const DECISIONS_SHOWN: usize = 96;

pub(super) fn make(sides: &[(Option<Side>, &Recording)], range: Range) -> Result<Figure, LabError> {
    let mut panels = Vec::new();
    let mut sentences = Vec::new();
    let min = range.from.unwrap_or(0) as f64;
    let max = range.to.map_or_else(|| first_decisions(sides, range), |to| to as f64);
    for (place, (side, recording)) in sides.iter().enumerate() {
        let mut classes: [Vec<(f64, f64)>; 6] = Default::default();
        let decisions = recording.decisions(0..usize::MAX);
        recording.visit_events(0..usize::MAX, |_, event| {
            let EventKind::Decided { decision } = event.kind else { return };
            let Some(decision) = decisions.get(decision.0 as usize) else { return };
            let at = event.at.0 as f64;
            if let Some(window) = decision.window
                && (min..=max).contains(&at)
            {
                let class = if decision.trim.below_half() { BELOW_HALF } else { class(&decision.reason) };
                classes[class].push((at, window.size as f64));
            }
        });
        let count: usize = classes.iter().map(Vec::len).sum();
        let below = classes[BELOW_HALF].len();
        let title = side_title(sides, place);
        let lead = if title.is_empty() { String::new() } else { format!("{title}: ") };
        sentences.push(format!(
            "{lead}{} windows shown, {} of them trimmed below half",
            units::count(count as u64),
            units::count(below as u64)
        ));
        let top = classes.iter().flatten().map(|point| point.1).fold(4.0, f64::max);
        let mut series = Vec::new();
        for ((name, role), points) in CLASSES.iter().zip(&classes) {
            let mut one = Series::new(*name, *role, Shape::Points);
            min_max(points, min, max, range.px / 2).into_iter().for_each(|(x, y)| one.point(x, y));
            if !one.x.is_empty() {
                series.push(one);
            }
        }
        panels.push(Panel { title, side: *side, y: Axis::new("window", Unit::Pages, 0.0, top * 1.06), series });
    }
    if max < end_of(sides) {
        let (part, whole) = (units::duration((max - min) as u64), units::duration(end_of(sides) as u64));
        sentences.push(format!("shown are {part} of {whole}"));
    }
    let top = panels.iter().map(|panel| panel.y.max).fold(4.0, f64::max);
    panels.iter_mut().for_each(|panel| panel.y.max = top);
    Ok(Figure {
        name: INFO.name.to_string(),
        title: INFO.title.to_string(),
        description: sentences.join("; ") + ".",
        simulated: true,
        x: Axis::new("time", Unit::Nanoseconds, min, max),
        panels,
    })
}

/// When the first decisions have been taken on the side that takes longer; with a `from`, when everything has ended.
pub(super) fn first_decisions(sides: &[(Option<Side>, &Recording)], range: Range) -> f64 {
    let end = end_of(sides);
    if range.from.is_some() {
        return end;
    }
    let reach = |recording: &Recording| {
        let (mut at, mut count) = (0, 0);
        recording.visit_events(0..usize::MAX, |_, event| {
            if matches!(event.kind, EventKind::Decided { .. }) {
                count += 1;
                at = if count == DECISIONS_SHOWN { event.at.0 } else { at };
            }
        });
        if count <= 2 * DECISIONS_SHOWN { recording.now().0 } else { at }
    };
    (sides.iter().map(|(_, recording)| reach(recording)).max().unwrap_or(1) as f64).clamp(1.0, end)
}

/// When the later of the sides ends.
pub(super) fn end_of(sides: &[(Option<Side>, &Recording)]) -> f64 {
    sides.iter().map(|(_, recording)| recording.now().0).max().unwrap_or(0).max(1) as f64
}

fn class(reason: &Reason) -> usize {
    match reason {
        Reason::SyncStartOfFile { .. }
        | Reason::SyncOversize { .. }
        | Reason::SyncSequential { .. }
        | Reason::SyncStartAfterSeek { .. }
        | Reason::AsyncStartOfFile { .. }
        | Reason::OldSync { .. } => 0,
        Reason::AsyncExpected { .. }
        | Reason::SyncExpected { .. }
        | Reason::SyncWindowEnd { .. }
        | Reason::AsyncWindowEnd { .. }
        | Reason::OldAsync { .. } => 1,
        Reason::SyncHistory { .. }
        | Reason::SyncHistoryFromStart { .. }
        | Reason::AsyncUnexpected { .. }
        | Reason::AsyncNoGap { .. }
        | Reason::AsyncPastCached { .. }
        | Reason::ContextMiss { .. }
        | Reason::ContextMarker { .. }
        | Reason::ContextEnough { .. }
        | Reason::ContextThrashed { .. } => 2,
        Reason::FaultRandom { .. }
        | Reason::FaultReadaheadOff { .. }
        | Reason::FaultTooManyMisses { .. }
        | Reason::FaultHuge { .. }
        | Reason::FaultExec { .. }
        | Reason::FaultAround { .. }
        | Reason::FaultAroundFloor { .. }
        | Reason::FaultMarkerRandom { .. }
        | Reason::FaultMarkerReadaheadOff { .. }
        | Reason::FaultNoMemory { .. }
        | Reason::OldCluster { .. }
        | Reason::OldClusterAhead { .. } => 3,
        Reason::SyncReadaheadOff { .. }
        | Reason::SyncRandomFile { .. }
        | Reason::SyncSmallRandom { .. }
        | Reason::AsyncReadaheadOff { .. }
        | Reason::Forced { .. }
        | Reason::ForcedCut { .. }
        | Reason::SyncNoReadahead { .. }
        | Reason::SyncNoHistory { .. }
        | Reason::ContextRandom { .. }
        | Reason::PagePastEnd { .. }
        | Reason::SinglePage { .. } => 4,
    }
}
