//! What a run comes to, in numbers: the `json` of `run`.
//!
//! Owns names and shapes; how each number comes about is said in the observer file of its group. Numbers carry their
//! unit last in the name.

use super::stats::{Accounting, StatsTable};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The numbers of one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The run's name: what it was made of, hashed.
    pub run_id: String,
    /// Version of the engine that ran it.
    pub engine_version: String,
    /// Title of the scenario.
    pub title: String,
    /// Kernel model.
    pub model: String,
    /// Patches over it.
    pub patches: Vec<String>,
    /// Readahead limit of the device, in KiB.
    pub read_ahead_kb: u64,
    /// Where that limit comes from: the scenario, or the kernel's rule with its numbers.
    #[serde(default)]
    pub read_ahead_source: String,
    /// Largest request, in KiB.
    pub max_sectors_kb: u64,
    /// Where that comes from.
    #[serde(default)]
    pub max_sectors_source: String,
    /// Most separate pieces of memory in one request.
    pub max_segments: u64,
    /// Page cache and free memory together; absent when memory was plenty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The device's name.
    pub device: String,
    /// Seed of every random draw.
    pub seed: u64,
    /// From the start to the end of the last stream, on the run's clock.
    pub elapsed_ns: u64,
    /// Whether the clock and the device are emulated.
    pub simulated: bool,
    /// Requests for file data that the device served.
    pub device_reads: u64,
    /// Bytes of these.
    pub device_read_bytes: u64,
    /// Mean size of these.
    pub device_read_bytes_mean: u64,
    /// Request size in bytes → how many.
    pub device_read_size_histogram: BTreeMap<u64, u64>,
    /// Device latency of the requests.
    pub device_latency_ns: Percentiles,
    /// Most requests in the device at a time.
    pub device_depth_max: u64,
    /// Bytes that reads returned to the program, plus a page for each touched page of a mapping.
    pub requested_bytes: u64,
    /// `requested_bytes` over `elapsed_ns`.
    pub throughput_bytes_per_s: u64,
    /// Pages that entered the page cache.
    pub pages_read: u64,
    /// Of these: used by the program at least once while they were cached.
    pub pages_used: u64,
    /// Of these: not used. Those evicted unused are part of it.
    pub pages_unused: u64,
    /// Pages that reclaim dropped before the program used them: readahead thrashing.
    pub pages_evicted_unused: u64,
    /// Pages that reclaim dropped, used or not.
    pub pages_evicted: u64,
    /// Pages that entered the page cache again after reclaim had dropped them.
    pub refaults: u64,
    /// Pages that the program wanted and that were in the page cache, uptodate or in flight.
    pub cache_hits: u64,
    /// Times that the page wanted next was not in the page cache.
    pub cache_misses: u64,
    /// Readahead windows: via sync, async and around.
    pub windows: u64,
    /// Decisions, those that read nothing too, by the way they came about; they add up to `decisions`.
    pub decisions_per_via: BTreeMap<String, u64>,
    /// Decisions, those that read nothing too, by the code of their Reason; they add up to `decisions`.
    pub decisions_per_reason: BTreeMap<String, u64>,
    /// Windows, by the code of what aligning their end did; they add up to `windows`.
    pub windows_per_trim: BTreeMap<String, u64>,
    /// Windows whose end was cut.
    pub trimmed_windows: u64,
    /// Pages that cutting took away.
    pub trimmed_pages: u64,
    /// Windows cut below half of what they would have been.
    pub trimmed_below_half: u64,
    /// Times that a task slept for a page.
    pub sync_waits: u64,
    /// How long, together.
    pub wait_ns: u64,
    /// From call to return of read(2).
    pub read_latency_ns: Percentiles,
    /// From a fault to its end.
    pub fault_latency_ns: Percentiles,
    /// Folio order → folios that entered the page cache.
    pub folio_orders: BTreeMap<u8, u64>,
    /// Folio order → pages in these folios.
    pub folio_order_pages: BTreeMap<u8, u64>,
    /// Faults that had to wait for a read of their own.
    pub major_faults: u64,
    /// Faults that did not.
    pub minor_faults: u64,
    /// Who filled the stats table: the patch `stats` of the run, or the lab by its own rules.
    #[serde(default)]
    pub stats_by: Accounting,
    /// The stats table: pattern → columns.
    pub stats: StatsTable,
    /// The streams, in the scenario's order.
    pub streams: Vec<StreamSummary>,
    /// Events recorded.
    pub events: u64,
    /// Decisions recorded.
    pub decisions: u64,
    /// Hash of everything recorded: the same for the same run, on every machine.
    pub digest: String,
}

/// A distribution in four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Percentiles {
    /// Median.
    pub p50: u64,
    /// Nine of ten are at or below it.
    pub p90: u64,
    /// Ninety-nine of a hundred are at or below it.
    pub p99: u64,
    /// The largest, exactly.
    pub max: u64,
}

/// The numbers of one stream.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StreamSummary {
    /// Place in the scenario.
    pub stream: u32,
    /// The file it reads.
    pub file: String,
    /// When it started.
    pub start_ns: u64,
    /// From its start to its end.
    pub elapsed_ns: u64,
    /// read(2) calls.
    pub reads: u64,
    /// Bytes that they returned, plus a page for each touched page of a mapping.
    pub requested_bytes: u64,
    /// `requested_bytes` over `elapsed_ns`.
    pub throughput_bytes_per_s: u64,
    /// Requests that the device served on its behalf.
    pub device_reads: u64,
    /// Bytes of these.
    pub device_read_bytes: u64,
    /// Readahead windows.
    pub windows: u64,
    /// Times that it slept for a page.
    pub sync_waits: u64,
    /// How long, together.
    pub wait_ns: u64,
    /// Faults that had to wait for a read of their own.
    pub major_faults: u64,
    /// From call to return of read(2).
    pub read_latency_ns: Percentiles,
}
