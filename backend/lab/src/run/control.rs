//! The handle by which others steer a run while it goes on: pause, resume, step to the next decision, pace, cancel.
//!
//! Owns the wish; [`super::execute`] obeys it between two steps of the engine. Must not know the engine.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Steers one run. Clones steer the same run.
#[derive(Clone, Debug, Default)]
pub struct Control {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    wish: Mutex<Wish>,
    changed: Condvar,
}

/// What is wanted of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Wish {
    /// Stop between two steps and stay.
    pub(crate) paused: bool,
    /// While paused: go on up to this many further decisions.
    pub(crate) steps: u64,
    /// Stop for good.
    pub(crate) cancelled: bool,
    /// Virtual seconds for each real second; `None`: as fast as possible.
    pub(crate) pace: Option<f64>,
    /// Counts changes, so that the run notices them cheaply.
    pub(crate) version: u64,
}

impl Control {
    /// A control of a run that goes as fast as it can.
    pub fn new() -> Self {
        Control::default()
    }

    /// Stops the run between two steps.
    pub fn pause(&self) {
        self.change(|wish| {
            wish.paused = true;
            wish.steps = 0;
        });
    }

    /// Lets a paused run go on.
    pub fn resume(&self) {
        self.change(|wish| {
            wish.paused = false;
            wish.steps = 0;
        });
    }

    /// Lets the run go on to its next decision and stop there.
    pub fn step(&self) {
        self.change(|wish| {
            wish.steps = if wish.paused { wish.steps.saturating_add(1) } else { 1 };
            wish.paused = true;
        });
    }

    /// Ends the run; it keeps what it has recorded.
    pub fn cancel(&self) {
        self.change(|wish| wish.cancelled = true);
    }

    /// Virtual seconds for each real second; `None` (or anything that is not above 0): as fast as possible.
    pub fn pace(&self, virtual_per_real: Option<f64>) {
        self.change(|wish| wish.pace = virtual_per_real.filter(|pace| *pace > 0.0 && pace.is_finite()));
    }

    /// Whether the run is held between two steps.
    pub fn is_paused(&self) -> bool {
        let wish = self.lock();
        wish.paused && wish.steps == 0
    }

    /// Whether cancel was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    pub(crate) fn wish(&self) -> Wish {
        *self.lock()
    }

    /// One of the steps asked for was taken.
    pub(crate) fn stepped(&self) {
        let mut wish = self.lock();
        wish.steps = wish.steps.saturating_sub(1);
    }

    /// Sleeps until the wish differs from version `seen`, or until `deadline`.
    pub(crate) fn sleep(&self, seen: u64, deadline: Option<Instant>) {
        let mut wish = self.lock();
        while wish.version == seen {
            let left = match deadline {
                Some(deadline) => deadline.saturating_duration_since(Instant::now()),
                None => Duration::from_secs(60),
            };
            if left.is_zero() {
                return;
            }
            wish = self.shared.changed.wait_timeout(wish, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn change(&self, how: impl FnOnce(&mut Wish)) {
        let mut wish = self.lock();
        how(&mut wish);
        wish.version += 1;
        self.shared.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Wish> {
        self.shared.wish.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
