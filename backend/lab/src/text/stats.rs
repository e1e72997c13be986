//! The stats table of a recording as a whole, or from an event on, as after a reset of the counters.

use super::trace::parts;
use crate::LabError;
use crate::metrics::Metric;
use crate::metrics::stats::{Stats, StatsTable};
use crate::rows::Decisions;
use crate::run::Recording;
use readahead_types::EventKind;

/// The stats table of a run that is done, in the layout of /debug/readahead/stats.
pub fn stats_table(recording: &Recording) -> Result<String, LabError> {
    Ok(recording.need_summary()?.stats.text())
}

/// The table of what has been recorded so far, as if something had been written to /debug/readahead/stats before event
/// `from`: what was counted until then is forgotten. Goes through the whole recording, because what a window is counted as
/// may hang on what came before.
pub fn stats_from(recording: &Recording, from: usize) -> StatsTable {
    let len = recording.len();
    let summary = if from == 0 { recording.summary() } else { None };
    if let Some(summary) = summary {
        return summary.stats;
    }
    let mut stats = Stats::new(recording.scenario().world());
    if from < len {
        for part in parts(0..len, len) {
            let first = part.start;
            let events = recording.events(part);
            let decisions = Decisions::of(recording, &events);
            for (place, event) in events.iter().enumerate() {
                if from > 0 && first + place == from {
                    stats.reset();
                }
                if let EventKind::Decided { decision } = event.kind
                    && let Some(decision) = decisions.get(decision.0 as usize)
                {
                    stats.decided(event.at, event.task, &decision);
                }
                stats.event(event);
            }
        }
    }
    stats.table()
}
