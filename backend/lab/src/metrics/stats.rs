//! The stats table: windows by pattern, in the layout of /debug/readahead/stats of the 2010 series.
//!
//! A run with the patch `stats` is counted by the series' own rules ([`crate::series`]). No other kernel has the table; for
//! them the lab fills it by rules of its own, and says so ([`Accounting`]). Each Reason counts as the pattern that the
//! series would have named:
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
use crate::series::{Counters, SeriesFile, Submission, Submissions};
use readahead_policy::Patch;
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

/// Who counted the windows of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accounting {
    /// The lab, by its own rules: the kernel that was run has no such table.
    #[default]
    Lab,
    /// The patch `stats` of the 2010 series.
    Series,
}

impl Accounting {
    /// Who counts in this world.
    pub fn of(world: &WorldSpec) -> Self {
        if world.kernel.patches.has(Patch::Stats) { Accounting::Series } else { Accounting::Lab }
    }

    /// Says it in a sentence.
    pub fn note(self) -> &'static str {
        match self {
            Accounting::Lab => {
                "this kernel has no such table: the lab counted, taking each Reason for the pattern that the 2010 \
                 series would have named"
            }
            Accounting::Series => "counted by the patch `stats` of the 2010 series",
        }
    }
}

const PATTERNS: [&str; 8] = ["initial", "subsequent", "context", "thrash", "around", "fadvise", "random", "all"];

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

/// A window to be counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    pub(crate) fault: bool,
    pub(crate) index: u64,
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) async_size: u64,
    /// The window as decided reaches the end of the file.
    pub(crate) reaches_end: bool,
    pub(crate) actual: u64,
}

/// The sums behind a table, a row each.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    sums: [Sums; 8],
}

impl Tally {
    /// The row of all windows.
    pub(crate) const ALL: usize = 7;

    /// Counts a window in one row.
    pub(crate) fn count(&mut self, row: usize, window: &Counted) {
        self.sums[row].add(window);
    }

    /// The table.
    pub(crate) fn table(&self) -> StatsTable {
        let [initial, subsequent, context, thrash, around, fadvise, random, all] = self.sums.map(|sums| sums.row());
        StatsTable { initial, subsequent, context, thrash, around, fadvise, random, all }
    }
}

/// Fills the table by the rules that the run asks for.
pub(crate) enum Stats {
    /// The series' own.
    Series { files: Vec<SeriesFile>, submissions: Submissions, counters: Counters },
    /// The lab's.
    Lab(LabStats),
}

/// Counts windows by the pattern that the series would have named.
pub(crate) struct LabStats {
    /// Index of the last page of each file.
    last_pages: Vec<Option<u64>>,
    tally: Tally,
    /// The window of each task whose folios are being added.
    open: BTreeMap<TaskId, Open>,
    /// Tasks that are in a page fault.
    faulting: BTreeSet<TaskId>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    row: StatsRow,
    size: u64,
    async_size: u64,
    actual: u64,
}

#[derive(Clone, Copy)]
struct Open {
    pattern: usize,
    window: Counted,
}

impl Stats {
    pub(crate) fn new(world: &WorldSpec) -> Self {
        match Accounting::of(world) {
            Accounting::Series => Stats::Series {
                files: SeriesFile::of(world),
                submissions: Submissions::default(),
                counters: Counters::default(),
            },
            Accounting::Lab => Stats::Lab(LabStats::new(world)),
        }
    }

    /// Something was written to /debug/readahead/stats: all counters are 0.
    pub(crate) fn reset(&mut self) {
        match self {
            Stats::Series { counters, .. } => *counters = Counters::default(),
            Stats::Lab(lab) => {
                lab.tally = Tally::default();
                lab.open.clear();
            }
        }
    }

    /// The table as it reads now.
    pub(crate) fn table(&self) -> StatsTable {
        match self {
            Stats::Series { files, submissions, counters } => {
                let mut counters = *counters;
                count(&mut counters, files, submissions.open());
                counters.table()
            }
            Stats::Lab(lab) => lab.table(),
        }
    }
}

fn count(counters: &mut Counters, files: &[SeriesFile], submission: Option<Submission>) {
    if let Some(submission) = submission {
        let file = files.get(submission.file.0 as usize).expect("windows are of the run's files");
        counters.count(&submission, *file);
    }
}

impl Metric for Stats {
    fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision) {
        match self {
            Stats::Series { files, submissions, counters } => {
                count(counters, files, submissions.decided(at, task, decision));
            }
            Stats::Lab(lab) => lab.decided(task, decision),
        }
    }

    fn event(&mut self, event: &Event) {
        match self {
            Stats::Series { files, submissions, counters } => count(counters, files, submissions.event(event)),
            Stats::Lab(lab) => lab.event(event),
        }
    }

    fn report(&self, summary: &mut Summary) {
        summary.stats = self.table();
    }
}

impl LabStats {
    fn new(world: &WorldSpec) -> Self {
        let last_page = |file: &readahead_sim::world::FileSpec| file.bytes.pages_up().0.checked_sub(1);
        LabStats {
            last_pages: world.files.iter().map(last_page).collect(),
            tally: Tally::default(),
            open: BTreeMap::new(),
            faulting: BTreeSet::new(),
        }
    }
}

impl Sums {
    fn add(&mut self, window: &Counted) {
        let Counted { fault, index, start, size, async_size, reaches_end, actual } = *window;
        let end = start.wrapping_add(size);
        self.row.readahead += 1;
        if actual < size {
            *(if reaches_end { &mut self.row.eof_hit } else { &mut self.row.cache_hit }) += 1;
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

impl LabStats {
    fn decided(&mut self, task: TaskId, decision: &Decision) {
        if let Some(open) = self.open.remove(&task) {
            self.tally.count(open.pattern, &open.window);
            self.tally.count(Tally::ALL, &open.window);
        }
        let (Some(window), Some(pattern)) = (decision.window, pattern(decision)) else { return };
        // As in the series, what fadvise asks for has no window size; only what it brought counts.
        let forced = PATTERNS[pattern] == "fadvise";
        let size = if forced { 0 } else { window.size };
        let last_page = self.last_pages.get(decision.file.0 as usize).copied().flatten();
        let window = Counted {
            fault: self.faulting.contains(&task),
            index: decision.index,
            start: window.start,
            size,
            async_size: window.async_size,
            reaches_end: last_page.is_none_or(|last| window.start.wrapping_add(size) > last),
            actual: 0,
        };
        self.open.insert(task, Open { pattern, window });
    }

    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::FolioAdded { order, .. } => {
                if let Some(open) = self.open.get_mut(&event.task) {
                    open.window.actual += order.pages();
                }
            }
            EventKind::Touch { .. } | EventKind::Fault { .. } => drop(self.faulting.insert(event.task)),
            EventKind::TouchDone { .. } | EventKind::Read { .. } => drop(self.faulting.remove(&event.task)),
            _ => {}
        }
    }

    fn table(&self) -> StatsTable {
        let mut tally = self.tally;
        for open in self.open.values() {
            tally.count(open.pattern, &open.window);
            tally.count(Tally::ALL, &open.window);
        }
        tally.table()
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
        | Reason::PagePastEnd { .. }
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
