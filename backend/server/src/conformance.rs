//! The conformance files of this very program, run once in the life of the process, in the background, from the first
//! time that somebody asks.
//!
//! Owns the one run and its progress. What is compared with what is the lab's matter.

use readahead_lab_core::conformance::{FileReport, Fixture, fixtures};
use serde::Serialize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

static CHECK: OnceLock<Arc<Check>> = OnceLock::new();

/// The run, as it stands.
#[derive(Debug)]
struct Check {
    cases: u64,
    done: AtomicU64,
    files: Vec<Fixture>,
    reports: Mutex<Vec<FileReport>>,
}

/// A copy of how it stands.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Standing {
    /// Cases that there are.
    pub(crate) cases: u64,
    /// Cases that were run.
    pub(crate) done: u64,
    /// Files that there are.
    pub(crate) files: u64,
    /// Whether every file was run.
    pub(crate) finished: bool,
    /// The files that were run, in order.
    pub(crate) reports: Vec<FileReport>,
}

impl Standing {
    /// Cases that agree, that do not, that do not but for a known reason, and that were not run.
    pub(crate) fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for report in &self.reports {
            totals.passed += report.passed;
            totals.failed += report.failed;
            totals.not_run += report.not_run;
            totals.known += report.known;
        }
        totals
    }
}

/// Sums over all files.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(crate) struct Totals {
    /// Cases that agree.
    pub(crate) passed: u64,
    /// Cases that do not.
    pub(crate) failed: u64,
    /// Those of them that are known, and why.
    pub(crate) known: u64,
    /// Cases that were not run.
    pub(crate) not_run: u64,
}

/// How the run stands; the first call starts it.
///
/// It has a thread of its own, not a place among the blocking tasks: those would hold the service's end until the last
/// case was run.
pub(crate) fn standing() -> Standing {
    let check = CHECK.get_or_init(|| {
        let files = fixtures();
        let cases = files.iter().map(Fixture::cases).sum();
        let check = Arc::new(Check { cases, done: AtomicU64::new(0), files, reports: Mutex::new(Vec::new()) });
        let runs = Arc::clone(&check);
        let started = std::thread::Builder::new().name("conformance".into()).spawn(move || runs.run());
        if let Err(error) = started {
            tracing::warn!(%error, "no thread for the conformance files");
        }
        check
    });
    check.standing()
}

impl Check {
    fn run(&self) {
        for file in &self.files {
            let before = self.done.load(Ordering::Relaxed);
            let told = |cases| {
                self.done.fetch_add(cases, Ordering::Relaxed);
            };
            // A model that panics on a case must not leave the page waiting for ever.
            let report = catch_unwind(AssertUnwindSafe(|| file.run(told))).unwrap_or_else(|_| {
                self.done.store(before + file.cases(), Ordering::Relaxed);
                file.broken("the program panicked on a case of it; its log has the place")
            });
            self.reports.lock().unwrap_or_else(PoisonError::into_inner).push(report);
        }
    }

    fn standing(&self) -> Standing {
        let reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Standing {
            cases: self.cases,
            done: self.done.load(Ordering::Relaxed).min(self.cases),
            files: self.files.len() as u64,
            finished: reports.len() == self.files.len(),
            reports,
        }
    }
}
