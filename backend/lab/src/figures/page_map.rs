//! The page cache over time: for each part of the file and each moment what its pages were. Absent, in flight, read ahead
//! and not yet used, used, or evicted before use.
//!
//! A grid: each cell shows the state that most of its pages had at the end of its slice of time.

use super::window_times::{end_of, first_decisions};
use super::{Axis, Figure, FigureInfo, Panel, Range, Role, Series, Shape, Side, Unit, side_title};
use crate::LabError;
use crate::run::Recording;
use crate::text::units;
use readahead_types::{Event, EventKind, FileId, PAGE_BYTES, PAGE_SECTORS};

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "page_map",
    title: "Page cache: file offset over time",
    about: "Each cell is a part of the file during a slice of time, in the colour of what most of its pages were. A program that reads forward draws a rising edge; what lies above the edge was read ahead.",
};

/// Cells are at least this wide, and there are this many above each other.
const CELL_PX: u32 = 4;
const ROWS: usize = 72;
/// A file with more pages is shown as far as this.
const PAGES_MAX: u64 = 1 << 24;

const ABSENT: u8 = 0;
const IN_FLIGHT: u8 = 1;
const AHEAD: u8 = 2;
const USED: u8 = 3;
const EVICTED_UNUSED: u8 = 4;
const STATES: [(u8, &str, Role); 4] = [
    (USED, "used", Role::Used),
    (AHEAD, "read ahead, not yet used", Role::Ahead),
    (IN_FLIGHT, "in flight", Role::InFlight),
    (EVICTED_UNUSED, "evicted before use", Role::EvictedUnused),
];

pub(super) fn make(sides: &[(Option<Side>, &Recording)], range: Range) -> Result<Figure, LabError> {
    let min = range.from.unwrap_or(0) as f64;
    let until = || {
        if sides.iter().any(|(_, recording)| reclaims(recording)) {
            end_of(sides)
        } else {
            first_decisions(sides, range)
        }
    };
    let max = range.to.map_or_else(until, |to| to as f64).max(min + 1.0);
    let file = FileId(0);
    let reach = sides.iter().map(|(_, recording)| reach(recording, file, max)).max().unwrap_or(1).clamp(1, PAGES_MAX);
    let columns = (range.px / CELL_PX).clamp(8, 512) as usize;
    let (mut panels, mut sentences) = (Vec::new(), Vec::new());
    for (place, (side, recording)) in sides.iter().enumerate() {
        let grid = grid(recording, file, reach, (min, max), columns);
        let title = side_title(sides, place);
        let lead = if title.is_empty() { String::new() } else { format!("{title}: ") };
        let last = grid.last().map(Vec::as_slice).unwrap_or_default();
        let share =
            |state: u8| 100.0 * last.iter().filter(|cell| **cell == state).count() as f64 / last.len().max(1) as f64;
        sentences.push(format!(
            "{lead}at the end {:.0} % of the part shown were used and {:.0} % read ahead and not used",
            share(USED),
            share(AHEAD)
        ));
        let height = reach as f64 * PAGE_BYTES as f64;
        panels.push(Panel {
            title,
            side: *side,
            y: Axis::new("file offset", Unit::Bytes, 0.0, height),
            series: cells(&grid, (min, max), height),
        });
    }
    sentences.push(format!("shown are the first {} of the file", units::bytes(reach * PAGE_BYTES)));
    Ok(Figure {
        name: INFO.name.to_string(),
        title: INFO.title.to_string(),
        description: sentences.join("; ") + ".",
        simulated: true,
        x: Axis::new("time", Unit::Nanoseconds, min, max),
        panels,
    })
}

/// Whether reclaim dropped anything: then the whole run is worth seeing, otherwise its beginning.
fn reclaims(recording: &Recording) -> bool {
    let mut found = false;
    recording.visit_events(0..usize::MAX, |_, event| {
        found |= matches!(event.kind, EventKind::FolioRemoved { reclaimed: true, .. });
    });
    found
}

/// One more than the last page that anything happened to.
fn reach(recording: &Recording, file: FileId, until: f64) -> u64 {
    let mut reach = 0;
    recording.visit_events(0..usize::MAX, |_, event| {
        if let EventKind::FolioAdded { file: of, first, order, .. } = event.kind
            && of == file
            && event.at.0 as f64 <= until
        {
            reach = reach.max(first.0.saturating_add(order.pages()));
        }
    });
    let pages = recording.scenario().world().files.get(file.0 as usize).map_or(0, |file| file.bytes.pages_up().0);
    reach.min(pages)
}

/// State of every cell: outer by time, inner by offset.
fn grid(recording: &Recording, file: FileId, pages: u64, span: (f64, f64), columns: usize) -> Vec<Vec<u8>> {
    let rows = ROWS.min(pages as usize);
    let mut map = Map { states: vec![ABSENT; pages as usize], counts: vec![[0; 5]; rows], pages, rows };
    for row in 0..rows {
        map.counts[row][usize::from(ABSENT)] = map.rows_pages(row);
    }
    let slice = (span.1 - span.0) / columns as f64;
    let mut grid: Vec<Vec<u8>> = Vec::with_capacity(columns);
    recording.visit_events(0..usize::MAX, |_, event| {
        // The states at the end of a slice are those before the first event of the next one.
        while grid.len() < columns && event.at.0 as f64 >= span.0 + (grid.len() + 1) as f64 * slice {
            grid.push(map.column());
        }
        map.follow(file, event);
    });
    while grid.len() < columns {
        grid.push(map.column());
    }
    grid
}

/// The states of all pages, and how many of each row have which.
struct Map {
    states: Vec<u8>,
    counts: Vec<[u32; 5]>,
    pages: u64,
    rows: usize,
}

impl Map {
    fn row_of(&self, page: u64) -> usize {
        (page as usize * self.rows / self.pages as usize).min(self.rows - 1)
    }

    fn rows_pages(&self, row: usize) -> u32 {
        (0..self.pages).filter(|page| self.row_of(*page) == row).count() as u32
    }

    fn set(&mut self, first: u64, pages: u64, change: impl Fn(u8) -> u8) {
        for page in first..first.saturating_add(pages).min(self.pages) {
            let before = self.states[page as usize];
            let after = change(before);
            if after != before {
                let row = self.row_of(page);
                self.counts[row][usize::from(before)] -= 1;
                self.counts[row][usize::from(after)] += 1;
                self.states[page as usize] = after;
            }
        }
    }

    fn follow(&mut self, file: FileId, event: &Event) {
        match event.kind {
            EventKind::FolioAdded { file: of, first, order, .. } if of == file => {
                self.set(first.0, order.pages(), |_| IN_FLIGHT);
            }
            EventKind::Completed { file: of, offset, sectors, .. } if of == file => {
                let pages = sectors.0.div_ceil(PAGE_SECTORS);
                self.set(offset.page().0, pages, |state| if state == IN_FLIGHT { AHEAD } else { state });
            }
            EventKind::Used { file: of, first, pages, .. } if of == file => self.set(first.0, pages.0, |_| USED),
            EventKind::FolioRemoved { file: of, first, order, reclaimed, .. } if of == file => {
                let lost =
                    |state: u8| if reclaimed && state != USED && state != ABSENT { EVICTED_UNUSED } else { ABSENT };
                self.set(first.0, order.pages(), lost);
            }
            _ => {}
        }
    }

    /// What most pages of each row are; of equal numbers, what is nearest to use.
    fn column(&self) -> Vec<u8> {
        let most = |counts: &[u32; 5]| {
            let order = [EVICTED_UNUSED, USED, AHEAD, IN_FLIGHT, ABSENT];
            // A thrashed page is what one looks for: a tenth of a row is enough to show it.
            let total: u32 = counts.iter().sum();
            if counts[usize::from(EVICTED_UNUSED)] * 10 > total {
                return EVICTED_UNUSED;
            }
            order.into_iter().rev().max_by_key(|state| counts[usize::from(*state)]).unwrap_or(ABSENT)
        };
        self.counts.iter().map(most).collect()
    }
}

/// Runs of equal cells in a row, as rectangles.
fn cells(grid: &[Vec<u8>], span: (f64, f64), height: f64) -> Vec<Series> {
    let columns = grid.len();
    let rows = grid.first().map_or(0, Vec::len);
    let (width, tall) = ((span.1 - span.0) / columns as f64, height / rows.max(1) as f64);
    let mut series: Vec<Series> =
        STATES.iter().map(|(_, name, role)| Series::new(*name, *role, Shape::Cells)).collect();
    for row in 0..rows {
        let mut from = 0;
        while from < columns {
            let state = grid[from][row];
            let run = grid[from..].iter().take_while(|column| column[row] == state).count();
            if let Some(place) = STATES.iter().position(|(known, ..)| *known == state) {
                let one = &mut series[place];
                one.bar(span.0 + from as f64 * width, span.0 + (from + run) as f64 * width, row as f64 * tall);
                one.y_end.push((row + 1) as f64 * tall);
            }
            from += run;
        }
    }
    series.retain(|one| !one.x.is_empty());
    series
}
