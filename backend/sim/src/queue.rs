//! The one queue that orders everything that happens in a run.
//!
//! The order is a contract: by time, then by class (completions before tasks), then by the sequence in which entries
//! were made. Time never runs back: an entry is never made for a time before the entry that is being handled. Page
//! hits never touch the queue; a task runs ahead as long as nothing in the queue comes before it.

use readahead_types::{Nanos, TaskId};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is due. The order of the variants is the order of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Due {
    /// The device completes the request in this slot.
    Completion(u32),
    /// The task goes on.
    Task(TaskId),
}

impl Due {
    fn class(self) -> u8 {
        match self {
            Due::Completion(_) => 0,
            Due::Task(_) => 1,
        }
    }
}

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    heap: BinaryHeap<Reverse<(Nanos, u8, u64, Due)>>,
    sequence: u64,
}

impl Queue {
    pub(crate) fn push(&mut self, at: Nanos, due: Due) {
        self.heap.push(Reverse((at, due.class(), self.sequence, due)));
        self.sequence += 1;
    }

    pub(crate) fn pop(&mut self) -> Option<(Nanos, Due)> {
        self.heap.pop().map(|Reverse((at, _, _, due))| (at, due))
    }

    /// When the next entry is due.
    pub(crate) fn next_at(&self) -> Option<Nanos> {
        self.heap.peek().map(|Reverse((at, ..))| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_come_before_tasks_and_ties_keep_their_sequence() {
        let mut queue = Queue::default();
        queue.push(Nanos(5), Due::Task(TaskId(1)));
        queue.push(Nanos(5), Due::Completion(7));
        queue.push(Nanos(5), Due::Task(TaskId(0)));
        queue.push(Nanos(4), Due::Task(TaskId(2)));
        let order: Vec<Due> = std::iter::from_fn(|| queue.pop().map(|(_, due)| due)).collect();
        assert_eq!(order, [Due::Task(TaskId(2)), Due::Completion(7), Due::Task(TaskId(1)), Due::Task(TaskId(0))]);
    }
}
