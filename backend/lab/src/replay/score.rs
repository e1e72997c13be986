//! The tally of one run of a replay.

use super::agree::{MismatchKind, Races};
use super::recorded::FileKey;
use super::report::Mismatch;
use std::collections::{BTreeMap, HashMap};

/// What a run of the replay gave.
#[derive(Default)]
pub(super) struct Score {
    pub(super) calls: u64,
    pub(super) skipped: u64,
    pub(super) decisions: u64,
    pub(super) agree: u64,
    pub(super) folios: u64,
    pub(super) folios_agree: u64,
    pub(super) requests: u64,
    pub(super) requests_agree: u64,
    pub(super) requests_extra: u64,
    /// Data reads on behalf of calls that were not replayed.
    pub(super) requests_skipped: u64,
    pub(super) mmap_miss_differs: u64,
    pub(super) by_file: HashMap<FileKey, ByFile>,
    pub(super) mismatches: BTreeMap<MismatchKind, Mismatch>,
    pub(super) cut: bool,
    pub(super) races: Races,
    /// Pages of the decisions that differ: first and end.
    pub(super) differing: HashMap<FileKey, Vec<(u64, u64)>>,
}

/// Decisions on one file.
#[derive(Clone, Copy, Default)]
pub(super) struct ByFile {
    pub(super) decisions: u64,
    pub(super) agree: u64,
    /// Decisions that only the model took.
    pub(super) extra: u64,
}

impl Score {
    /// These pages are part of a decision that differs.
    pub(super) fn differs_at(&self, key: FileKey, first: u64, end: u64) -> bool {
        self.differing.get(&key).is_some_and(|pages| pages.iter().any(|(from, to)| first < *to && *from < end))
    }

    /// How good the agreement is: what agrees, less what only the model did.
    pub(super) fn points(&self) -> i64 {
        let extra: u64 = self.by_file.values().map(|file| file.extra).sum();
        (self.agree + self.requests_agree) as i64 - extra as i64
    }

    pub(super) fn mismatch(
        &mut self,
        kind: MismatchKind,
        line: u64,
        recorded: String,
        predicted: String,
        reason: Option<String>,
    ) {
        self.mismatches.entry(kind).and_modify(|mismatch| mismatch.count += 1).or_insert(Mismatch {
            kind,
            title: kind.title(),
            count: 1,
            first_line: line,
            recorded,
            predicted,
            reason,
        });
    }
}
