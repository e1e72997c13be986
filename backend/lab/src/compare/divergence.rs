//! The first decision at which two runs part.
//!
//! The decisions of each stream are held against each other in order, by the way they came about, page, request, window
//! and Reason; times do not matter. The earliest difference of any stream is the one that is shown.

use crate::rows::decision_json;
use crate::run::Recording;
use readahead_types::{Decision, EventKind, Nanos, TaskId};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The first decision that differs. A side is absent when that run has no further decision in this stream.
#[derive(Clone, Debug, Serialize)]
pub struct Divergence {
    /// The stream.
    pub stream: u32,
    /// Its how-manieth decision, from 0.
    pub ordinal: u64,
    /// Decisions before it, in all streams of A.
    pub same_before: u64,
    /// Side A.
    pub a: Option<Side>,
    /// Side B.
    pub b: Option<Side>,
}

/// One side of the divergence.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// When, on that run's clock.
    pub at_ns: u64,
    /// Place of the `decided` event in that run's events.
    pub seq: u64,
    /// The decision with its sentence, as in the event log.
    pub decision: Value,
    /// The sentence alone.
    pub sentence: String,
}

#[derive(Clone, Copy)]
struct Taken {
    at: Nanos,
    seq: usize,
    id: u32,
    decision: Decision,
}

/// Finds the first difference.
pub(crate) fn first(a: &Recording, b: &Recording) -> Option<Divergence> {
    let (left, right) = (by_task(a), by_task(b));
    let tasks: std::collections::BTreeSet<TaskId> = left.keys().chain(right.keys()).copied().collect();
    let none = Vec::new();
    let mut earliest: Option<(Nanos, TaskId, usize)> = None;
    for task in tasks {
        let (left, right) = (left.get(&task).unwrap_or(&none), right.get(&task).unwrap_or(&none));
        let shorter = left.len().min(right.len());
        let place = (0..shorter).find(|place| differ(&left[*place].decision, &right[*place].decision));
        let place = place.or_else(|| (left.len() != right.len()).then_some(shorter));
        if let Some(place) = place {
            let at = left.get(place).or_else(|| right.get(place)).map_or(Nanos(0), |taken| taken.at);
            let found = (at, task, place);
            earliest = Some(earliest.map_or(found, |other| other.min(found)));
        }
    }
    let (_, task, place) = earliest?;
    let side = |decisions: &BTreeMap<TaskId, Vec<Taken>>| {
        decisions.get(&task).and_then(|taken| taken.get(place)).map(|taken| {
            let decision = decision_json(taken.id, &taken.decision);
            let sentence = decision["sentence"].as_str().unwrap_or_default().to_string();
            Side { at_ns: taken.at.0, seq: taken.seq as u64, decision, sentence }
        })
    };
    let before = left.get(&task).and_then(|taken| taken.get(place)).map(|taken| u64::from(taken.id));
    Some(Divergence {
        stream: task.0,
        ordinal: place as u64,
        same_before: before.unwrap_or(left.values().map(Vec::len).sum::<usize>() as u64),
        a: side(&left),
        b: side(&right),
    })
}

fn differ(a: &Decision, b: &Decision) -> bool {
    (a.via, a.file, a.index, a.req, a.window, a.reason, a.trim)
        != (b.via, b.file, b.index, b.req, b.window, b.reason, b.trim)
}

fn by_task(recording: &Recording) -> BTreeMap<TaskId, Vec<Taken>> {
    let decisions = recording.decisions(0..usize::MAX);
    let mut found: BTreeMap<TaskId, Vec<Taken>> = BTreeMap::new();
    recording.visit_events(0..usize::MAX, |seq, event| {
        if let EventKind::Decided { decision: id } = event.kind
            && let Some(decision) = decisions.get(id.0 as usize)
        {
            let taken = Taken { at: event.at, seq, id: id.0, decision: *decision };
            found.entry(event.task).or_default().push(taken);
        }
    });
    found
}
