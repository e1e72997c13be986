//! Where the counters of a run were last reset, as by writing to /debug/readahead/stats. Runs are records that never
//! change, so a reset is a place in the record, remembered while the service lives. Must not know what is counted.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Runs whose resets are remembered; the oldest is forgotten first, and its table is whole again.
const RUNS_MAX: usize = 10_000;

/// The last reset of each run.
#[derive(Debug, Default)]
pub struct Resets {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    from: HashMap<String, usize>,
    order: VecDeque<String>,
}

impl Resets {
    /// The event from which this run is counted.
    pub fn from(&self, run: &str) -> usize {
        self.lock().from.get(run).copied().unwrap_or(0)
    }

    /// The run is counted from this event on.
    pub fn reset(&self, run: &str, from: usize) {
        let mut inner = self.lock();
        if inner.from.insert(run.to_owned(), from).is_none() {
            inner.order.push_back(run.to_owned());
        }
        if inner.order.len() > RUNS_MAX
            && let Some(oldest) = inner.order.pop_front()
        {
            inner.from.remove(&oldest);
        }
    }

    /// The run begins anew and is counted from its first event.
    pub fn forget(&self, run: &str) {
        let mut inner = self.lock();
        if inner.from.remove(run).is_some() {
            inner.order.retain(|known| known != run);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_reset_counts_and_the_oldest_run_is_forgotten_first() {
        let resets = Resets::default();
        assert_eq!(resets.from("a"), 0);
        resets.reset("a", 3);
        resets.reset("b", 5);
        resets.reset("a", 7);
        assert_eq!((resets.from("a"), resets.from("b")), (7, 5));
        resets.forget("b");
        assert_eq!((resets.from("a"), resets.from("b")), (7, 0));
        for run in 0..RUNS_MAX {
            resets.reset(&run.to_string(), 1);
        }
        assert_eq!((resets.from("a"), resets.from("0")), (0, 1));
        assert_eq!(resets.lock().order.len(), RUNS_MAX);
    }
}
