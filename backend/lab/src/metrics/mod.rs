//! What is counted about a run: one observer a group of numbers, all fed with the same events.
//!
//! Everything is computed from events and decisions only, so that a recording gives the same numbers as the run itself.
//! Must not know the engine. A new group is one file and one word here.

mod cache;
mod io;
mod latency;
mod page_set;
pub mod stats;
mod streams;
mod summary;
mod windows;

pub(crate) use page_set::PageSet;
pub use stats::{Accounting, StatsRow, StatsTable};
pub use summary::{Percentiles, StreamSummary, Summary};

use crate::scenario::Scenario;
use readahead_sim::{Observer, WorldSpec};
use readahead_types::{Decision, Event, Nanos, TaskId};

/// One group of numbers.
pub(crate) trait Metric {
    /// A decision was taken.
    fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision) {
        let _ = (at, task, decision);
    }

    /// An event happened.
    fn event(&mut self, event: &Event);

    /// Writes the group's fields.
    fn report(&self, summary: &mut Summary);
}

macro_rules! metrics {
    ($($name:ident: $ty:path),* $(,)?) => {
        /// Every group.
        pub(crate) struct Metrics {
            $($name: $ty,)*
        }

        impl Metrics {
            pub(crate) fn new(world: &WorldSpec) -> Self {
                Metrics { $($name: <$ty>::new(world),)* }
            }

            fn report(&self, summary: &mut Summary) {
                $(self.$name.report(summary);)*
            }
        }

        impl Observer for Metrics {
            fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision) {
                $(self.$name.decided(at, task, decision);)*
            }

            #[inline]
            fn event(&mut self, event: &Event) {
                $(self.$name.event(event);)*
            }
        }
    };
}

metrics! {
    io: io::Io,
    cache: cache::Cache,
    windows: windows::Windows,
    latency: latency::Latency,
    stats: stats::Stats,
    // Last: it takes totals from the others' fields.
    streams: streams::Streams,
}

impl Metrics {
    /// The whole summary: what the run was, and every group's numbers.
    pub(crate) fn summary(&self, scenario: &Scenario, digest: String, events: u64, decisions: u64) -> Summary {
        let world = scenario.world();
        let mut summary = Summary {
            run_id: crate::run::RunId::of(scenario).to_string(),
            engine_version: crate::ENGINE_VERSION.to_string(),
            title: scenario.title().to_string(),
            model: world.kernel.model.name().to_string(),
            patches: world.kernel.patches.names().into_iter().map(String::from).collect(),
            read_ahead_kb: u64::from(world.kernel.ra_pages) * 4,
            read_ahead_source: scenario.read_ahead_source().to_string(),
            max_sectors_kb: world.kernel.max_sectors.0 / 2,
            max_sectors_source: scenario.max_sectors_source().to_string(),
            max_segments: u64::from(world.kernel.max_segments),
            memory_bytes: world.kernel.memory.map(|pages| pages.bytes().0),
            device: scenario.device_name().to_string(),
            seed: world.seed,
            simulated: true,
            stats_by: Accounting::of(world),
            events,
            decisions,
            digest,
            ..Summary::default()
        };
        self.report(&mut summary);
        summary
    }
}

/// `amount` in `elapsed`, as a rate for each second.
pub(crate) fn per_second(amount: u64, elapsed_ns: u64) -> u64 {
    if elapsed_ns == 0 { 0 } else { (u128::from(amount) * 1_000_000_000 / u128::from(elapsed_ns)) as u64 }
}
