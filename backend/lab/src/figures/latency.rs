//! How long reads and faults took.

use super::folio_orders::histogram;
use super::{Figure, FigureInfo, Range, Side};
use crate::LabError;
use crate::run::Recording;
use crate::text::units;
use readahead_types::EventKind;
use std::collections::BTreeMap;

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "latency",
    title: "Latency of reads and faults, %",
    about: "From call to return, in steps of a factor of two: a bar holds what took longer than the bar before it, up to its own. Left are calls that found their pages in memory, right those that waited for the device.",
};

pub(super) fn make(sides: &[(Option<Side>, &Recording)], _range: Range) -> Result<Figure, LabError> {
    let count = |recording: &Recording| {
        let mut bins: BTreeMap<u32, u64> = BTreeMap::new();
        recording.visit_events(0..usize::MAX, |_, event| {
            if let EventKind::ReadDone { latency, .. } | EventKind::TouchDone { latency, .. } = event.kind {
                *bins.entry(latency.0.clamp(64, 1 << 40).next_power_of_two().ilog2()).or_default() += 1;
            }
        });
        bins
    };
    let name = |bin: u32| format!("≤{}", units::duration(1u64 << bin).replace(' ', ""));
    let said = |calls: u64| format!("{} reads and faults", units::count(calls));
    Ok(histogram(INFO, "latency", "of calls", sides, &count, &name, &said))
}
