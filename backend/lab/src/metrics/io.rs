//! What the device was asked for: requests, their sizes, their latency, how many at a time.
//!
//! A device read is one request issued for file data. Metadata reads do not exist in a simulated run.

use super::latency::Distribution;
use super::{Metric, Summary};
use readahead_sim::WorldSpec;
use readahead_types::{Event, EventKind, Nanos, RequestId};
use std::collections::BTreeMap;

/// Counts requests.
pub(crate) struct Io {
    sizes: BTreeMap<u64, u64>,
    in_flight: BTreeMap<RequestId, Nanos>,
    latency: Distribution,
    depth_max: u64,
}

impl Io {
    pub(crate) fn new(_world: &WorldSpec) -> Self {
        Io { sizes: BTreeMap::new(), in_flight: BTreeMap::new(), latency: Distribution::new(), depth_max: 0 }
    }
}

impl Metric for Io {
    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::Issued { request, sectors, depth, .. } => {
                *self.sizes.entry(sectors.bytes().0).or_default() += 1;
                self.in_flight.insert(request, event.at);
                self.depth_max = self.depth_max.max(u64::from(depth));
            }
            EventKind::Completed { request, .. } => {
                if let Some(issued) = self.in_flight.remove(&request) {
                    self.latency.record(event.at.0 - issued.0);
                }
            }
            _ => {}
        }
    }

    fn report(&self, summary: &mut Summary) {
        summary.device_reads = self.sizes.values().sum();
        summary.device_read_bytes = self.sizes.iter().map(|(bytes, count)| bytes * count).sum();
        summary.device_read_bytes_mean = summary.device_read_bytes.checked_div(summary.device_reads).unwrap_or(0);
        summary.device_read_size_histogram = self.sizes.clone();
        summary.device_latency_ns = self.latency.percentiles();
        summary.device_depth_max = self.depth_max;
    }
}
