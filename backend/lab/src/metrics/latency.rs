//! How long things took: reads, faults, and sleeping for pages.

use super::{Metric, Percentiles, Summary};
use hdrhistogram::Histogram;
use readahead_sim::WorldSpec;
use readahead_types::{Event, EventKind};

/// Longer than any call takes: 13 days. Percentiles do not tell apart what is longer.
const LONGEST_NS: u64 = 1 << 50;

/// A distribution of nanoseconds: percentiles to three digits, the maximum exactly.
#[derive(Clone, Debug)]
pub(crate) struct Distribution {
    histogram: Histogram<u64>,
    max: u64,
}

impl Distribution {
    pub(crate) fn new() -> Self {
        // Sized once: percentiles of a histogram that has resized itself come out as its first upper bound.
        Distribution { histogram: Histogram::new_with_max(LONGEST_NS, 3).expect("the bounds are in order"), max: 0 }
    }

    pub(crate) fn record(&mut self, value: u64) {
        self.max = self.max.max(value);
        self.histogram.record(value.min(LONGEST_NS)).expect("the value is within the bounds");
    }

    pub(crate) fn percentiles(&self) -> Percentiles {
        let at = |quantile| self.histogram.value_at_quantile(quantile).min(self.max);
        Percentiles { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: self.max }
    }
}

/// Times reads, faults and waits.
pub(crate) struct Latency {
    reads: Distribution,
    faults: Distribution,
    major: u64,
    minor: u64,
    waits: u64,
    waited_ns: u64,
}

impl Latency {
    pub(crate) fn new(_world: &WorldSpec) -> Self {
        Latency { reads: Distribution::new(), faults: Distribution::new(), major: 0, minor: 0, waits: 0, waited_ns: 0 }
    }
}

impl Metric for Latency {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::ReadDone { latency, .. } => self.reads.record(latency.0),
            EventKind::TouchDone { major, latency, .. } => {
                self.faults.record(latency.0);
                *(if major { &mut self.major } else { &mut self.minor }) += 1;
            }
            EventKind::Wait { .. } => self.waits += 1,
            EventKind::Wake { waited, .. } => self.waited_ns += waited.0,
            _ => {}
        }
    }

    fn report(&self, summary: &mut Summary) {
        summary.read_latency_ns = self.reads.percentiles();
        summary.fault_latency_ns = self.faults.percentiles();
        summary.major_faults = self.major;
        summary.minor_faults = self.minor;
        summary.sync_waits = self.waits;
        summary.wait_ns = self.waited_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_maximum_is_exact_and_bounds_the_percentiles() {
        let mut distribution = Distribution::new();
        for value in [10, 20, 30, 123_456_789] {
            distribution.record(value);
        }
        let found = distribution.percentiles();
        assert_eq!((found.p50, found.max), (20, 123_456_789));
        assert!(found.p99 <= found.max);
    }

    #[test]
    fn percentiles_of_long_times_keep_three_digits() {
        let mut distribution = Distribution::new();
        for value in [70_000, 80_000, 240_000] {
            distribution.record(value);
        }
        let found = distribution.percentiles();
        assert!(found.p50.abs_diff(80_000) <= 80, "{found:?}");
        assert_eq!(found.p99, 240_000);
    }

    #[test]
    fn nothing_recorded_is_all_zero() {
        assert_eq!(Distribution::new().percentiles(), Percentiles::default());
    }
}
