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
    about: "From call to return, in steps of 1, 2 and 5: a bar holds what took longer than the bar before it, up to its own. Left are calls that found their pages in memory, right those that waited for the device.",
};

pub(super) fn make(sides: &[(Option<Side>, &Recording)], _range: Range) -> Result<Figure, LabError> {
    let count = |recording: &Recording| {
        let mut bins: BTreeMap<u32, u64> = BTreeMap::new();
        recording.visit_events(0..usize::MAX, |_, event| {
            if let EventKind::ReadDone { latency, .. } | EventKind::TouchDone { latency, .. } = event.kind {
                *bins.entry(bin(latency.0)).or_default() += 1;
            }
        });
        bins
    };
    let name = |bin: u32| format!("≤ {}", units::duration(upper(bin)));
    let said = |calls: u64| format!("{} reads and faults", units::count(calls));
    Ok(histogram(INFO, "latency", "of calls", sides, &count, &name, &said))
}

/// The largest latency of a bin: 1, 2, 5, 10, 20, 50 … ns.
fn upper(bin: u32) -> u64 {
    [1, 2, 5][bin as usize % 3] * 10u64.pow((bin / 3).min(18))
}

/// The bin that holds a latency; what is shorter than 100 ns counts as 100 ns.
fn bin(latency_ns: u64) -> u32 {
    (6..54).find(|bin| upper(*bin) >= latency_ns).unwrap_or(54)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_holds_what_is_above_the_one_before() {
        assert_eq!((bin(0), upper(bin(0))), (6, 100));
        assert_eq!(upper(bin(100_001)), 200_000);
        assert_eq!(upper(bin(500_000)), 500_000);
        assert_eq!(upper(bin(u64::MAX)), 1_000_000_000_000_000_000);
    }
}
