//! How large the device's reads were.

use super::folio_orders::histogram;
use super::{Figure, FigureInfo, Range, Side};
use crate::LabError;
use crate::run::Recording;
use crate::text::units;
use readahead_types::EventKind;
use std::collections::BTreeMap;

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "read_sizes",
    title: "Device read sizes, % of reads",
    about: "Requests for file data by size, in powers of two: a bar holds the sizes above the bar before it, up to its own.",
};

pub(super) fn make(sides: &[(Option<Side>, &Recording)], _range: Range) -> Result<Figure, LabError> {
    let count = |recording: &Recording| {
        let mut bins: BTreeMap<u32, u64> = BTreeMap::new();
        recording.visit_events(0..usize::MAX, |_, event| {
            if let EventKind::Issued { sectors, .. } = event.kind {
                *bins.entry(sectors.bytes().0.max(4096).next_power_of_two().ilog2()).or_default() += 1;
            }
        });
        bins
    };
    let name = |bin: u32| units::bytes(1u64 << bin);
    let said = |reads: u64| format!("{} reads", units::count(reads));
    Ok(histogram(INFO, "read size", "of reads", sides, &count, &name, &said))
}
