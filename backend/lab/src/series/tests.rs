//! The lines and rows of the conformance vectors of the historic kernels, from the decisions of their cases: a case gives
//! the decisions with the pages that came in, the trace lines and the table.

use super::*;
use readahead_types::{HandleId, Order, PageIndex, RaState, Reason, Trim, Window};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    id: String,
    bytes: u64,
    decisions: Vec<Decided>,
    trace: Vec<String>,
    stats: Option<Vec<String>>,
}

#[derive(Clone, Deserialize)]
struct Decided {
    via: Via,
    index: u64,
    req: u64,
    window: Option<[u64; 3]>,
    actual: u64,
    pattern: Option<Pattern>,
    #[serde(default)]
    faulted: bool,
    #[serde(default)]
    max: u64,
}

const TASK: TaskId = TaskId(0);

fn event(kind: EventKind) -> Event {
    Event { at: Nanos(0), task: TASK, kind }
}

fn folio(first: u64) -> Event {
    let file = FileId(0);
    event(EventKind::FolioAdded { file, first: PageIndex(first), order: Order(0), marked: false, pfn: 0 })
}

/// What the engine tells of one decision: the decision and the pages.
fn feed(series: &mut Series, decided: &Decided) {
    let state = RaState { faulted: decided.faulted, ..RaState::opened(32) };
    let window = decided.window.map(|[start, size, async_size]| Window { start, size, async_size, order: 0 });
    let decision = Decision {
        file: FileId(0),
        handle: HandleId(0),
        via: decided.via,
        index: decided.index,
        req: decided.req,
        max: decided.max,
        before: state,
        after: state,
        window,
        reason: Reason::Forced { index: decided.index, req: decided.req },
        trim: Trim::None,
        pattern: decided.pattern,
    };
    series.decided(Nanos(0), TASK, &decision);
    for page in 0..decided.actual {
        series.event(&folio(decided.index.wrapping_add(page)));
    }
}

fn cases() -> Vec<Case> {
    let cases = include_str!("../../tests/fixtures/series-2010.jsonl");
    cases.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn series(case: &Case) -> Series {
    let mut series = Series::new(&[(case.bytes, (0, 15), 100_177)]);
    for decided in &case.decisions {
        feed(&mut series, decided);
    }
    series
}

fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn lines_and_tables_are_those_of_the_vectors() {
    let (mut lines, mut tables) = (0, 0);
    for case in cases() {
        let series = series(&case);
        assert_eq!(series.trace_text(), joined(&case.trace), "{}", case.id);
        lines += case.trace.len();
        if let Some(stats) = &case.stats {
            assert_eq!(series.stats_text(), joined(stats), "{}", case.id);
            tables += 1;
        }
    }
    assert!(lines > 140 && tables > 20, "{lines} lines, {tables} tables");
}

/// Both postings print the same text; the second stores numbers, which raw output shows (section 9.1).
#[test]
fn raw_output_of_the_second_posting_shows_the_numbers() {
    let case = cases().into_iter().find(|case| case.id == "2010-fadvise-trace").unwrap();
    let series = series(&case);
    assert_eq!(series.text(Posting::First), joined(&case.trace));
    assert_eq!(series.text(Posting::Second { raw: false }), joined(&case.trace));
    assert_eq!(
        series.text(Posting::Second { raw: true }),
        "readahead-5(dev=0:15, ino=100177, req=768+0, ra=768+0-0, async=0) = 768\n\
         readahead-2(dev=0:15, ino=100177, req=768+4, ra=768+256-128, async=0) = 256\n"
    );
    assert!(!Posting::First.print_format().contains("__print_symbolic"));
    for (number, name) in readahead_trace::PATTERN_NAMES.iter().enumerate() {
        assert!(Posting::Second { raw: false }.print_format().contains(&format!("{{ {number}, \"{name}\" }}")));
    }
}

fn sync(index: u64, req: u64, window: [u64; 3], actual: u64) -> Decided {
    Decided {
        via: Via::Sync,
        index,
        req,
        window: Some(window),
        actual,
        pattern: Some(Pattern::Initial),
        faulted: false,
        max: 128,
    }
}

/// Section 9.2: a window that ends exactly at the end of the file counts as eof_hit, one short of it as cache_hit.
#[test]
fn the_end_of_the_file_and_the_cache_are_told_apart() {
    // 10 pages: the last is 9.
    let mut series = Series::new(&[(40_000, (0, 15), 1)]);
    feed(&mut series, &sync(0, 1, [0, 9, 8], 8));
    feed(&mut series, &sync(0, 1, [0, 10, 9], 9));
    feed(&mut series, &sync(0, 1, [0, 10, 9], 10));
    assert_eq!(row(&series, 0), [3, 1, 1, 3, 3, 0, 9, 8, 9]);
    // Nothing reaches the end of an empty file, whose last page is the largest number.
    let mut series = Series::new(&[(0, (0, 15), 1)]);
    feed(&mut series, &sync(0, 1, [0, 4, 3], 0));
    assert_eq!(row(&series, 0), [1, 0, 1, 0, 0, 0, 4, 3, 0]);
}

/// The columns of a row of the table, behind the pattern's name.
fn row(series: &Series, row: usize) -> Vec<u64> {
    let text = series.stats_text();
    let line = text.lines().nth(row + 1).unwrap();
    line[10..].split_whitespace().map(|column| column.parse().unwrap()).collect()
}

/// Section 9.2: `mmap_io` follows the open file's flag, and the row `all` is not given it.
#[test]
fn reads_of_a_handle_that_was_faulted_count_as_mmap_io_but_not_in_all() {
    let mut series = Series::new(&[(1 << 20, (0, 15), 1)]);
    feed(&mut series, &Decided { faulted: true, ..sync(0, 1, [0, 4, 3], 4) });
    feed(&mut series, &Decided { faulted: true, ..sync(0, 1, [0, 4, 3], 0) });
    assert_eq!(row(&series, 0)[5], 1);
    assert_eq!(row(&series, 7)[5], 0);
}

/// Section 9.2: writing to the file resets all counters; what comes later counts from 0. The trace goes on.
#[test]
fn a_reset_begins_anew() {
    let mut series = Series::new(&[(1 << 20, (0, 15), 1)]);
    let empty = series.stats_text();
    feed(&mut series, &sync(0, 1, [0, 4, 3], 4));
    series.event(&event(EventKind::TaskDone));
    assert_ne!(series.stats_text(), empty);
    series.reset_stats();
    assert_eq!(series.stats_text(), empty);
    feed(&mut series, &sync(4, 1, [4, 8, 8], 8));
    assert_eq!(row(&series, 0), [1, 0, 0, 1, 1, 0, 8, 8, 8]);
    assert_eq!(series.trace_text().lines().count(), 2);
}

/// A window is over when anything happens that is no part of its submission; pages that come later are not its own.
#[test]
fn pages_read_by_themselves_are_no_window() {
    let mut series = Series::new(&[(1 << 20, (0, 15), 1)]);
    feed(&mut series, &sync(5, 1, [8, 4, 4], 4));
    feed(&mut series, &Decided { via: Via::Page, pattern: None, ..sync(5, 1, [5, 1, 0], 1) });
    assert_eq!(series.trace_text(), "readahead-initial(dev=0:15, ino=1, req=5+1, ra=8+4-4, async=1) = 4\n");
}

/// Two forced ranges one behind the other are two calls, the chunks of one are one call.
#[test]
fn chunks_of_a_forced_range_are_one_call() {
    let chunk = |start, size, actual| Decided {
        via: Via::Force,
        pattern: Some(Pattern::Fadvise),
        max: 768,
        ..sync(0, u64::MAX, [start, size, 0], actual)
    };
    let mut series = Series::new(&[(4 << 20, (0, 15), 1)]);
    for _ in 0..2 {
        feed(&mut series, &chunk(0, 512, 512));
        feed(&mut series, &chunk(512, 256, 100));
    }
    feed(&mut series, &Decided { window: None, index: 9000, actual: 0, ..chunk(0, 0, 0) });
    assert_eq!(
        series.trace_text(),
        "readahead-fadvise(dev=0:15, ino=1, req=768+0, ra=768+0-0, async=0) = 612\n\
         readahead-fadvise(dev=0:15, ino=1, req=768+0, ra=768+0-0, async=0) = 612\n\
         readahead-fadvise(dev=0:15, ino=1, req=9768+0, ra=9768+0-0, async=0) = 0\n"
    );
}
