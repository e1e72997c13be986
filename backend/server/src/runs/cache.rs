//! Finished recordings in memory: the ones used last, up to a bound in bytes.

use lru::LruCache;
use readahead_lab_core::run::Recording;

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
        let bytes = recording.held_bytes();
        if let Some((_, replaced)) = self.entries.put(id, (recording, bytes)) {
            self.bytes -= replaced;
        }
        self.bytes += bytes;
        self.make_room(0);
    }

    /// Lets go of recordings until the rest and `others` bytes are within the bound. The newest stays.
    pub(crate) fn make_room(&mut self, others: usize) {
        while self.bytes.saturating_add(others) > self.bytes_max && self.entries.len() > 1 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use readahead_lab_core::run::run_to_end;
    use readahead_lab_core::scenario::Scenario;

    fn recording(seed: u64) -> Recording {
        let text = format!(
            "title = \"t\"\nseed = {seed}\n[kernel]\nmodel = \"linux-7.2\"\n[device]\nmodel = \"nvme\"\n\
             [[file]]\nname = \"d\"\nsize = \"4M\"\n[[stream]]\nfile = \"d\"\n\
             ops = [{{ op = \"read\", len = \"4K\", until = \"eof\" }}]\n"
        );
        run_to_end(&Scenario::from_toml(&text, "test").unwrap()).unwrap()
    }

    #[test]
    fn what_is_held_is_counted_and_stays_within_the_bound() {
        let one = recording(0).held_bytes();
        // A read of one page is at least four events, of at least three bytes each.
        assert!(one > 1024 * 12, "{one}");
        let mut cache = Cache::new(one * 5 / 2);
        for seed in 0..4 {
            cache.put(seed.to_string(), recording(seed));
            assert!(cache.bytes() <= one * 5 / 2, "{} of {one}", cache.bytes());
        }
        assert!(cache.get("3").is_some() && cache.get("2").is_some() && cache.get("1").is_none());
        cache.get("2");
        // A run that goes on takes room from those that have ended, but never the one used last.
        cache.make_room(one);
        assert!(cache.get("2").is_some() && cache.get("3").is_none());
        cache.make_room(one * 100);
        assert_eq!(cache.bytes(), recording(2).held_bytes());
        cache.remove("2");
        assert_eq!(cache.bytes(), 0);
    }
}
