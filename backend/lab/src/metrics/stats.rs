//! The stats table: windows by pattern, in the layout of /debug/readahead/stats of the 2010 series.
//!
//! Kernels since then have no patterns, so for them each Reason counts as the pattern that the series would have named:
//!
//! | pattern | Reasons |
//! | --- | --- |
//! | initial | the first page of the file, a request above the limit, a miss that follows the last read |
//! | subsequent | the expected marker |
//! | context | cached pages in front of a miss; a marker of another stream or of an older window |
//! | thrash | any miss on a page inside the last window of this open file: it was read ahead and is gone |
//! | around | faults that read around, huge-page and executable windows |
//! | fadvise | fadvise WILLNEED and readahead(2) |
//! | random | small random reads, files in random mode or with readahead off |
//!
//! A decision without a window, and a page that a read or a fault adds by itself, do not count, as in the series.
//! `mmap_io` counts what faults decided; the row `all` is the sum of the rows (in the series its `mmap_io` was always 0).

use super::{Metric, Summary};
use readahead_sim::WorldSpec;
use readahead_types::{Decision, Event, EventKind, Nanos, Reason, TaskId};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The columns of one pattern. The three sizes are means in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatsRow {
    /// Windows.
    pub readahead: u64,
    /// Windows that brought fewer pages than decided and reach the last page of the file.
    pub eof_hit: u64,
    /// Other windows that brought fewer pages than decided: some were cached.
    pub cache_hit: u64,
    /// Windows that brought any page.
    pub io: u64,
    /// Of these: windows that hold the page that asked for them.
    pub sync_io: u64,
    /// Of these: windows decided in a fault.
    pub mmap_io: u64,
    /// Mean size as decided.
    pub size: u64,
    /// Mean size behind the marker.
    pub async_size: u64,
    /// Mean pages brought.
    pub io_size: u64,
}

/// The table, a row for each pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the rows are named after their patterns")]
pub struct StatsTable {
    pub initial: StatsRow,
    pub subsequent: StatsRow,
    pub context: StatsRow,
    pub thrash: StatsRow,
    pub around: StatsRow,
    pub fadvise: StatsRow,
    pub random: StatsRow,
    pub all: StatsRow,
}

const PATTERNS: [&str; 8] = ["initial", "subsequent", "context", "thrash", "around", "fadvise", "random", "all"];
const ALL: usize = 7;

impl StatsTable {
    /// Pattern and columns, in the table's order.
    pub fn rows(&self) -> [(&'static str, StatsRow); 8] {
        let rows = [
            self.initial,
            self.subsequent,
            self.context,
            self.thrash,
            self.around,
            self.fadvise,
            self.random,
            self.all,
        ];
        std::array::from_fn(|place| (PATTERNS[place], rows[place]))
    }

    /// The text of the table.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let header = ["readahead", "eof_hit", "cache_hit", "io", "sync_io", "mmap_io", "size", "async_size", "io_size"];
        line(&mut text, "pattern", header);
        for (pattern, row) in self.rows() {
            let StatsRow { readahead, eof_hit, cache_hit, io, sync_io, mmap_io, size, async_size, io_size } = row;
            line(&mut text, pattern, [readahead, eof_hit, cache_hit, io, sync_io, mmap_io, size, async_size, io_size]);
        }
        text
    }
}

fn line<T: std::fmt::Display>(text: &mut String, name: &str, columns: [T; 9]) {
    write!(text, "{name:<10}").expect("writing to a string succeeds");
    for column in columns {
        write!(text, " {column:>10}").expect("writing to a string succeeds");
    }
    text.push('\n');
}

/// Counts windows by pattern.
pub(crate) struct Stats {
    /// Index of the last page of each file.
    last_pages: Vec<Option<u64>>,
    sums: [Sums; 8],
    /// The window of each task whose folios are being added.
    open: BTreeMap<TaskId, Open>,
    /// Tasks that are in a page fault.
    faulting: BTreeSet<TaskId>,
}

#[derive(Clone, Copy, Default)]
struct Sums {
    row: StatsRow,
    size: u64,
    async_size: u64,
    actual: u64,
}

#[derive(Clone, Copy)]
struct Open {
    pattern: usize,
    fault: bool,
    index: u64,
    start: u64,
    size: u64,
    async_size: u64,
    last_page: Option<u64>,
    actual: u64,
}

impl Stats {
    pub(crate) fn new(world: &WorldSpec) -> Self {
        let last_page = |file: &readahead_sim::world::FileSpec| file.bytes.pages_up().0.checked_sub(1);
        Stats {
            last_pages: world.files.iter().map(last_page).collect(),
            sums: [Sums::default(); 8],
            open: BTreeMap::new(),
            faulting: BTreeSet::new(),
        }
    }
}

impl Sums {
    fn add(&mut self, open: &Open) {
        let Open { fault, index, start, size, async_size, last_page, actual, .. } = *open;
        let end = start.wrapping_add(size);
        self.row.readahead += 1;
        if actual < size {
            *(if last_page.is_none_or(|last| end > last) { &mut self.row.eof_hit } else { &mut self.row.cache_hit }) +=
                1;
        }
        if actual > 0 {
            self.row.io += 1;
            self.row.sync_io += u64::from((start..end).contains(&index));
            self.row.mmap_io += u64::from(fault);
        }
        self.size += size;
        self.async_size += async_size;
        self.actual += actual;
    }

    fn row(&self) -> StatsRow {
        StatsRow {
            size: self.size / self.row.readahead.max(1),
            async_size: self.async_size / self.row.readahead.max(1),
            io_size: self.actual / self.row.io.max(1),
            ..self.row
        }
    }
}

impl Metric for Stats {
    fn decided(&mut self, _at: Nanos, task: TaskId, decision: &Decision) {
        if let Some(open) = self.open.remove(&task) {
            self.sums[open.pattern].add(&open);
            self.sums[ALL].add(&open);
        }
        let (Some(window), Some(pattern)) = (decision.window, pattern(decision)) else { return };
        // As in the series, what fadvise asks for has no window size; only what it brought counts.
        let forced = PATTERNS[pattern] == "fadvise";
        let open = Open {
            pattern,
            fault: self.faulting.contains(&task),
            index: decision.index,
            start: window.start,
            size: if forced { 0 } else { window.size },
            async_size: window.async_size,
            last_page: self.last_pages.get(decision.file.0 as usize).copied().flatten(),
            actual: 0,
        };
        self.open.insert(task, open);
    }

    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::FolioAdded { order, .. } => {
                if let Some(open) = self.open.get_mut(&event.task) {
                    open.actual += order.pages();
                }
            }
            EventKind::Touch { .. } | EventKind::Fault { .. } => drop(self.faulting.insert(event.task)),
            EventKind::TouchDone { .. } | EventKind::Read { .. } => drop(self.faulting.remove(&event.task)),
            _ => {}
        }
    }

    fn report(&self, summary: &mut Summary) {
        let mut sums = self.sums;
        for open in self.open.values() {
            sums[open.pattern].add(open);
            sums[ALL].add(open);
        }
        let [initial, subsequent, context, thrash, around, fadvise, random, all] = sums.map(|sums| sums.row());
        summary.stats = StatsTable { initial, subsequent, context, thrash, around, fadvise, random, all };
    }
}

/// The pattern's place in the table.
fn pattern(decision: &Decision) -> Option<usize> {
    if let Some(pattern) = decision.pattern {
        return PATTERNS.iter().position(|name| *name == pattern.name());
    }
    let before = decision.before;
    let in_last_window = decision.index.wrapping_sub(before.start) < u64::from(before.size);
    let name = match decision.reason {
        Reason::SyncStartOfFile { .. }
        | Reason::SyncOversize { .. }
        | Reason::SyncSequential { .. }
        | Reason::SyncHistory { .. }
        | Reason::SyncHistoryFromStart { .. }
        | Reason::SyncSmallRandom { .. }
        | Reason::SyncNoHistory { .. }
            if in_last_window =>
        {
            "thrash"
        }
        Reason::SyncStartOfFile { .. }
        | Reason::SyncOversize { .. }
        | Reason::SyncSequential { .. }
        | Reason::SyncStartAfterSeek { .. }
        | Reason::AsyncStartOfFile { .. }
        | Reason::OldSync { in_context: false, .. } => "initial",
        Reason::AsyncExpected { .. }
        | Reason::SyncExpected { .. }
        | Reason::SyncWindowEnd { .. }
        | Reason::AsyncWindowEnd { .. }
        | Reason::OldSync { in_context: true, .. }
        | Reason::OldAsync { .. } => "subsequent",
        Reason::SyncHistory { .. }
        | Reason::SyncHistoryFromStart { .. }
        | Reason::AsyncUnexpected { .. }
        | Reason::AsyncPastCached { .. }
        | Reason::ContextMiss { .. }
        | Reason::ContextMarker { .. } => "context",
        Reason::ContextThrashed { .. } => "thrash",
        Reason::SyncSmallRandom { .. }
        | Reason::SyncRandomFile { .. }
        | Reason::SyncReadaheadOff { .. }
        | Reason::SyncNoHistory { .. }
        | Reason::ContextRandom { .. } => "random",
        Reason::FaultHuge { .. }
        | Reason::FaultExec { .. }
        | Reason::FaultAround { .. }
        | Reason::FaultAroundFloor { .. }
        | Reason::OldCluster { .. }
        | Reason::OldClusterAhead { .. } => "around",
        Reason::Forced { .. } | Reason::ForcedCut { .. } => "fadvise",
        Reason::AsyncReadaheadOff { .. }
        | Reason::AsyncNoGap { .. }
        | Reason::FaultRandom { .. }
        | Reason::FaultReadaheadOff { .. }
        | Reason::FaultTooManyMisses { .. }
        | Reason::FaultMarkerRandom { .. }
        | Reason::FaultMarkerReadaheadOff { .. }
        | Reason::SyncNoReadahead { .. }
        | Reason::ContextEnough { .. }
        | Reason::FaultNoMemory { .. }
        | Reason::SinglePage { .. } => return None,
    };
    PATTERNS.iter().position(|pattern| *pattern == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_that_of_the_debugfs_file() {
        // Rows of the table that was posted for 300 concurrent streams; the widths are those of the file.
        let context = StatsRow {
            readahead: 61325,
            eof_hit: 1,
            cache_hit: 5479,
            io: 61325,
            sync_io: 6788,
            mmap_io: 5,
            size: 14,
            async_size: 2,
            io_size: 13,
        };
        let text = StatsTable { context, ..StatsTable::default() }.text();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 9);
        assert_eq!(
            lines[0],
            "pattern     readahead    eof_hit  cache_hit         io    sync_io    mmap_io       size async_size    io_size"
        );
        assert_eq!(
            lines[3],
            "context         61325          1       5479      61325       6788          5         14          2         13"
        );
    }
}
