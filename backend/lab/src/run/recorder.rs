//! The observer that fills a [`Recording`]: encodes every event and decision once, for the digest, for memory and for
//! disk alike.
//!
//! Must not know the engine's loop.

use super::codec::{Coded, put_event};
use super::log::Chunk;
use super::recording::Recording;
use readahead_sim::Observer;
use readahead_types::{Decision, Event, Nanos, TaskId};

/// Events of a chunk: large enough to make locks rare, small enough to decode a part cheaply.
const CHUNK_EVENTS: usize = 4096;

/// Writes one run's record.
pub(crate) struct Recorder {
    recording: Recording,
    events: Pending,
    decisions: Pending,
    now: Nanos,
}

/// Values encoded and not yet readable by others.
#[derive(Default)]
struct Pending {
    first: usize,
    count: usize,
    base: Nanos,
    bytes: Vec<u8>,
    hasher: blake3::Hasher,
}

impl Pending {
    fn flush(&mut self, now: Nanos) -> Chunk {
        self.hasher.update(&self.bytes);
        // The buffer grew by doubling and is used again; what is kept is exactly as long as it must be.
        let bytes = self.bytes.as_slice().into();
        self.bytes.clear();
        let chunk = Chunk { first: self.first, count: self.count, base: self.base, bytes };
        self.first += self.count;
        self.count = 0;
        self.base = now;
        chunk
    }
}

impl Recorder {
    pub(crate) fn new(recording: &Recording) -> Self {
        Recorder {
            recording: recording.clone(),
            events: Pending::default(),
            decisions: Pending::default(),
            now: Nanos(0),
        }
    }

    /// How many decisions were taken.
    pub(crate) fn decision_count(&self) -> usize {
        self.decisions.first + self.decisions.count
    }

    /// How many events were recorded.
    pub(crate) fn event_count(&self) -> usize {
        self.events.first + self.events.count
    }

    /// Makes what was recorded readable.
    pub(crate) fn flush(&mut self) {
        if self.events.count + self.decisions.count > 0 {
            let (events, decisions) = (self.events.flush(self.now), self.decisions.flush(self.now));
            self.recording.append(events, decisions, self.now);
        }
    }

    /// The digest of everything recorded, in hexadecimal. It does not depend on when chunks were cut.
    pub(crate) fn digest(&mut self) -> String {
        self.flush();
        let mut both = blake3::Hasher::new();
        both.update(self.events.hasher.finalize().as_bytes());
        both.update(self.decisions.hasher.finalize().as_bytes());
        both.finalize().to_hex().to_string()
    }
}

impl Observer for Recorder {
    fn decided(&mut self, _at: Nanos, _task: TaskId, decision: &Decision) {
        decision.put(&mut self.decisions.bytes);
        self.decisions.count += 1;
    }

    #[inline]
    fn event(&mut self, event: &Event) {
        put_event(event, self.now, &mut self.events.bytes);
        self.now = event.at;
        self.events.count += 1;
        if self.events.count >= CHUNK_EVENTS {
            self.flush();
        }
    }
}
