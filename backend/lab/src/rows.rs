//! One event as one JSON object: the form of `events.jsonl`, of `--output events` and of the live stream.
//!
//! The fields are those of the event, plain numbers all; a `decided` event carries its decision, with the sentence.

use readahead_types::{Decision, Event, EventKind, reason};
use serde_json::{Map, Value, json};

/// The event as a JSON object; `decisions` are those that the events around it refer to.
pub fn json_row(seq: usize, event: &Event, decisions: &Decisions) -> Value {
    let mut row = Map::new();
    row.insert("seq".into(), seq.into());
    row.insert("at_ns".into(), event.at.0.into());
    row.insert("task".into(), event.task.0.into());
    match serde_json::to_value(event.kind) {
        Ok(Value::Object(fields)) => row.extend(fields),
        _ => unreachable!("an event kind is a tagged struct"),
    }
    if let EventKind::Decided { decision: id } = event.kind {
        let found = decisions.get(id.0 as usize);
        row.insert("decision".into(), found.map_or(json!({ "id": id.0 }), |found| decision_json(id.0, &found)));
    }
    Value::Object(row)
}

/// The decision as a JSON object.
pub fn decision_json(id: u32, decision: &Decision) -> Value {
    let mut value = serde_json::to_value(decision).expect("a decision is plain data");
    value["id"] = id.into();
    value["trimmed_pages"] = decision.trim.pages_cut().into();
    value["below_half"] = decision.trim.below_half().into();
    value["sentence"] = reason::sentence(&decision.reason, &decision.trim).into();
    value
}

/// Writes the events of a recording in `range` as JSON Lines.
pub fn write_rows(
    recording: &crate::run::Recording,
    range: std::ops::Range<usize>,
    out: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    // A part at a time, so that a long recording is never in memory as text.
    const PART: usize = 8192;
    let end = range.end.min(recording.len());
    let mut from = range.start;
    while from < end {
        let to = end.min(from + PART);
        let events = recording.events(from..to);
        let decisions = Decisions::of(recording, &events);
        for (place, event) in events.iter().enumerate() {
            serde_json::to_writer(&mut *out, &json_row(from + place, event, &decisions))?;
            out.write_all(b"\n")?;
        }
        from = to;
    }
    Ok(())
}

/// The decisions that a part of a recording refers to.
#[derive(Debug, Default)]
pub struct Decisions {
    first: usize,
    decisions: Vec<Decision>,
}

impl Decisions {
    /// Fetches the decisions of these events at once.
    pub fn of(recording: &crate::run::Recording, events: &[Event]) -> Self {
        let ids = events.iter().filter_map(|event| match event.kind {
            EventKind::Decided { decision } => Some(decision.0 as usize),
            _ => None,
        });
        let (first, last) = ids.fold((usize::MAX, 0), |(first, last), id| (first.min(id), last.max(id)));
        let decisions = if first == usize::MAX { Vec::new() } else { recording.decisions(first..last + 1) };
        Decisions { first, decisions }
    }

    /// One of them.
    pub fn get(&self, id: usize) -> Option<Decision> {
        id.checked_sub(self.first).and_then(|place| self.decisions.get(place)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use readahead_types::{FileId, Nanos, Order, PageIndex, TaskId};

    #[test]
    fn a_folio_is_a_flat_object_of_plain_numbers() {
        let kind =
            EventKind::FolioAdded { file: FileId(0), first: PageIndex(4), order: Order(2), marked: true, pfn: 17 };
        let event = Event { at: Nanos(1234), task: TaskId(0), kind };
        assert_eq!(
            json_row(12, &event, &Decisions::default()),
            json!({"seq": 12, "at_ns": 1234, "task": 0, "event": "folio_added", "file": 0, "first": 4, "order": 2,
                   "marked": true, "pfn": 17})
        );
    }
}
