//! Finished recordings in memory: the ones used last, up to a bound in bytes.

use lru::LruCache;
use readahead_lab_core::run::Recording;

/// Encoded bytes of an event and of a decision, about. Only the bound depends on it, so about is enough.
const EVENT_BYTES: usize = 12;
const DECISION_BYTES: usize = 80;

/// Least-recently-used recordings.
#[derive(Debug)]
pub(crate) struct Cache {
    entries: LruCache<String, (Recording, usize)>,
    bytes: usize,
    bytes_max: usize,
}

impl Cache {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Cache { entries: LruCache::unbounded(), bytes: 0, bytes_max }
    }

    pub(crate) fn get(&mut self, id: &str) -> Option<Recording> {
        self.entries.get(id).map(|(recording, _)| recording.clone())
    }

    /// Keeps the recording and lets go of the ones used longest ago. The newest stays, whatever its size.
    pub(crate) fn put(&mut self, id: String, recording: Recording) {
        let bytes = recording.len() * EVENT_BYTES + recording.decision_count() * DECISION_BYTES;
        if let Some((_, replaced)) = self.entries.put(id, (recording, bytes)) {
            self.bytes -= replaced;
        }
        self.bytes += bytes;
        while self.bytes > self.bytes_max && self.entries.len() > 1 {
            let Some((_, (_, freed))) = self.entries.pop_lru() else { break };
            self.bytes -= freed;
        }
    }

    pub(crate) fn remove(&mut self, id: &str) {
        if let Some((_, freed)) = self.entries.pop(id) {
            self.bytes -= freed;
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}
