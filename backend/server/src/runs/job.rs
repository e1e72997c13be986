//! One run that waits, goes on or is held: its scenario, the handle that steers it, and its growing record.

use super::view::Failure;
use readahead_lab_core::run::{Control, Recording};
use readahead_lab_core::scenario::Scenario;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A run in the service's hands.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) id: String,
    pub(crate) scenario: Scenario,
    pub(crate) control: Control,
    pub(crate) recording: Recording,
    /// A pace was set: the thread mostly sleeps, so the run does not count as work.
    paced: AtomicBool,
    /// Why the end of this run was asked for; a shutdown gives no reason.
    cancelled: Mutex<Option<Failure>>,
    held_since: Mutex<Option<Instant>>,
}

impl Job {
    pub(crate) fn new(id: String, scenario: Scenario, pace: Option<f64>, paused: bool) -> Self {
        let recording = Recording::new(&scenario);
        let job = Job {
            id,
            scenario,
            control: Control::new(),
            recording,
            paced: AtomicBool::new(false),
            cancelled: Mutex::new(None),
            held_since: Mutex::new(None),
        };
        if pace.is_some() {
            job.pace(pace);
        }
        if paused {
            job.pause();
        }
        job
    }

    pub(crate) fn pause(&self) {
        self.control.pause();
        self.hold(Some(Instant::now()));
    }

    pub(crate) fn resume(&self) {
        self.hold(None);
        self.control.resume();
    }

    /// A step ends held again, so the time of holding begins anew.
    pub(crate) fn step(&self) {
        self.hold(Some(Instant::now()));
        self.control.step();
    }

    pub(crate) fn pace(&self, pace: Option<f64>) {
        self.paced.store(pace.is_some(), Ordering::Relaxed);
        self.control.pace(pace);
    }

    pub(crate) fn cancel(&self, why: Failure) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        self.control.cancel();
    }

    pub(crate) fn why_cancelled(&self) -> Option<Failure> {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether it computes at full speed, and so takes a processor.
    pub(crate) fn works(&self) -> bool {
        !self.paced.load(Ordering::Relaxed) && self.held_for().is_none()
    }

    /// How long it has been held.
    pub(crate) fn held_for(&self) -> Option<Duration> {
        self.held_since.lock().unwrap_or_else(PoisonError::into_inner).map(|since| since.elapsed())
    }

    fn hold(&self, since: Option<Instant>) {
        *self.held_since.lock().unwrap_or_else(PoisonError::into_inner) = since;
    }
}
