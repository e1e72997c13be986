//! The counters of the patch `stats`: what it adds up for a submitted window, by pattern and for all patterns together.
//! Must not know how windows are found or how the table is laid out.

use super::{SeriesFile, Submission};
use crate::metrics::stats::{Counted, StatsTable, Tally};
use readahead_types::{PAGE_SHIFT, Pattern};

/// The counters of /debug/readahead/stats.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    tally: Tally,
}

impl Counters {
    /// A window was submitted.
    pub(crate) fn count(&mut self, window: &Submission, file: SeriesFile) {
        let Submission { index, start, size, async_size, actual, .. } = *window;
        // Of an empty file this is the last page that there can be, and no window reaches it.
        let last_page = (file.bytes as i64).wrapping_sub(1) >> PAGE_SHIFT;
        let reaches_end = start.wrapping_add(size) > last_page as u64;
        let fault = window.faulted;
        let counted = Counted { fault, index, start, size, async_size, reaches_end, actual };
        self.tally.count(row(window.pattern), &counted);
        // The row of all is given the pattern and none of the handle's flags.
        self.tally.count(Tally::ALL, &Counted { fault: false, ..counted });
    }

    /// The table as it reads now.
    pub(crate) fn table(&self) -> StatsTable {
        self.tally.table()
    }
}

/// The pattern's row.
fn row(pattern: Pattern) -> usize {
    pattern as usize
}
