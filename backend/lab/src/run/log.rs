//! An append-only list kept as encoded chunks: small in memory, cheap to append to, readable at any place.
//!
//! Owns chunks and places in them. Must not know locks or files.

use super::codec::{BadBytes, Coded, Reader, get_event};
use readahead_types::{Decision, Event, Nanos};
use std::ops::Range;
use std::sync::Arc;

/// Something that a log holds: a value whose byte form may depend on the time of the value before it.
pub(crate) trait Logged: Copy {
    /// Takes one value; `previous_at` is the time of the one before it and becomes this one's.
    fn take(from: &mut Reader<'_>, previous_at: &mut Nanos) -> Result<Self, BadBytes>;
}

impl Logged for Event {
    fn take(from: &mut Reader<'_>, previous_at: &mut Nanos) -> Result<Self, BadBytes> {
        let event = get_event(from, *previous_at)?;
        *previous_at = event.at;
        Ok(event)
    }
}

impl Logged for Decision {
    fn take(from: &mut Reader<'_>, _previous_at: &mut Nanos) -> Result<Self, BadBytes> {
        Decision::get(from)
    }
}

/// Consecutive values, encoded.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// Place of the first value in the log.
    pub(crate) first: usize,
    /// How many values.
    pub(crate) count: usize,
    /// Time of the value before the first.
    pub(crate) base: Nanos,
    /// Their byte forms, one behind the other.
    pub(crate) bytes: Box<[u8]>,
}

impl Chunk {
    fn end(&self) -> usize {
        self.first + self.count
    }

    /// Bytes of memory that it takes, with its two counters and its place in the list.
    fn held_bytes(&self) -> usize {
        size_of::<Chunk>() + 3 * size_of::<usize>() + self.bytes.len()
    }

    /// Calls `each` with the values of `range` that lie in this chunk.
    pub(crate) fn visit<T: Logged>(
        &self,
        range: &Range<usize>,
        mut each: impl FnMut(usize, T),
    ) -> Result<(), BadBytes> {
        let mut reader = Reader::new(&self.bytes);
        let mut at = self.base;
        for place in self.first..self.end().min(range.end) {
            let value = T::take(&mut reader, &mut at)?;
            if place >= range.start {
                each(place, value);
            }
        }
        Ok(())
    }

    /// Whether the bytes are exactly the values that the chunk says it holds.
    pub(crate) fn check<T: Logged>(&self) -> Result<(), BadBytes> {
        let mut reader = Reader::new(&self.bytes);
        let mut at = self.base;
        for _ in 0..self.count {
            T::take(&mut reader, &mut at)?;
        }
        if reader.is_empty() { Ok(()) } else { Err(BadBytes) }
    }
}

/// The chunks of a list, in order.
#[derive(Debug, Default)]
pub(crate) struct Log {
    chunks: Vec<Arc<Chunk>>,
    held_bytes: usize,
}

impl Log {
    /// How many values.
    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |chunk| chunk.end())
    }

    /// Appends a chunk; it must begin where the log ends.
    pub(crate) fn push(&mut self, chunk: Chunk) {
        debug_assert_eq!(chunk.first, self.len());
        if chunk.count > 0 {
            self.held_bytes += chunk.held_bytes();
            self.chunks.push(Arc::new(chunk));
        }
    }

    /// Bytes of memory that the values take.
    pub(crate) fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    /// The chunks that hold values of `range`.
    pub(crate) fn chunks(&self, range: &Range<usize>) -> Vec<Arc<Chunk>> {
        let from = self.chunks.partition_point(|chunk| chunk.end() <= range.start);
        self.chunks[from..].iter().take_while(|chunk| chunk.first < range.end).cloned().collect()
    }
}
