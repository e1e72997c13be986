//! The same numbers for each stream, and what the whole run took and gave.
//!
//! A run takes from 0 to the end of its last stream; what the device still does after that is counted but takes no time.

use super::latency::Distribution;
use super::windows::is_window;
use super::{Metric, StreamSummary, Summary, per_second};
use readahead_sim::WorldSpec;
use readahead_types::{Decision, Event, EventKind, Nanos, PAGE_BYTES, TaskId};

/// Follows every stream.
pub(crate) struct Streams {
    streams: Vec<Stream>,
}

struct Stream {
    summary: StreamSummary,
    latency: Distribution,
    in_read: bool,
    ended: Nanos,
}

impl Streams {
    pub(crate) fn new(world: &WorldSpec) -> Self {
        let stream = |(place, spec): (usize, &readahead_sim::world::StreamSpec)| Stream {
            summary: StreamSummary {
                stream: place as u32,
                file: world.files.get(spec.file.0 as usize).map(|file| file.name.clone()).unwrap_or_default(),
                start_ns: spec.start.0,
                ..StreamSummary::default()
            },
            latency: Distribution::new(),
            in_read: false,
            ended: spec.start,
        };
        Streams { streams: world.streams.iter().enumerate().map(stream).collect() }
    }
}

impl Metric for Streams {
    fn decided(&mut self, _at: Nanos, task: TaskId, decision: &Decision) {
        if let Some(stream) = self.streams.get_mut(task.0 as usize) {
            stream.summary.windows += u64::from(is_window(decision));
        }
    }

    fn event(&mut self, event: &Event) {
        let Some(stream) = self.streams.get_mut(event.task.0 as usize) else { return };
        let summary = &mut stream.summary;
        match event.kind {
            EventKind::Read { .. } => stream.in_read = true,
            EventKind::ReadDone { len, latency, .. } => {
                stream.in_read = false;
                summary.reads += 1;
                summary.requested_bytes += len.0;
                stream.latency.record(latency.0);
            }
            // Pages used outside a read were touched through a mapping.
            EventKind::Used { pages, .. } if !stream.in_read => summary.requested_bytes += pages.0 * PAGE_BYTES,
            EventKind::TouchDone { major: true, .. } => summary.major_faults += 1,
            EventKind::Wait { .. } => summary.sync_waits += 1,
            EventKind::Wake { waited, .. } => summary.wait_ns += waited.0,
            EventKind::Issued { sectors, .. } => {
                summary.device_reads += 1;
                summary.device_read_bytes += sectors.bytes().0;
            }
            EventKind::TaskDone => stream.ended = event.at,
            _ => {}
        }
    }

    fn report(&self, summary: &mut Summary) {
        summary.streams = self.streams.iter().map(Stream::report).collect();
        summary.elapsed_ns = self.streams.iter().map(|stream| stream.ended.0).max().unwrap_or(0);
        summary.requested_bytes = summary.streams.iter().map(|stream| stream.requested_bytes).sum();
        summary.throughput_bytes_per_s = per_second(summary.requested_bytes, summary.elapsed_ns);
    }
}

impl Stream {
    fn report(&self) -> StreamSummary {
        let mut summary = self.summary.clone();
        summary.elapsed_ns = self.ended.0.saturating_sub(summary.start_ns);
        summary.throughput_bytes_per_s = per_second(summary.requested_bytes, summary.elapsed_ns);
        summary.read_latency_ns = self.latency.percentiles();
        summary
    }
}
