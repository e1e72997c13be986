//! Recovers the windows that a kernel chose. From linux-6.19 on page_cache_ra_order lines say them, and the sync or async
//! line before them, of the same task, says why; older kernels show only the folios that came in, and a window is a run
//! of folios without a gap. A run without a trigger comes from a fault or from fadvise and readahead(2).

use super::Task;
use super::files::{Files, pages};
use crate::record::Record;
use crate::tracepoints::Tracepoint;
use readahead_types::{PAGE_BYTES, Pattern, Via};

/// Most windows that are listed, of all files together.
const WINDOWS_MAX: u64 = 400_000;

/// Where a window is known from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// Readahead events.
    Events,
    /// A run of added folios.
    Folios,
}

/// One window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct WindowReport {
    /// Number of the line that shows it.
    pub line: u64,
    /// Its time.
    pub at_ns: Option<u64>,
    /// The task.
    pub pid: Option<i32>,
    /// Where it is known from.
    pub source: Source,
    /// Which path asked: `null` when only folios are known.
    pub via: Option<Via>,
    /// The page that triggered it, of sync and async.
    pub index: Option<u64>,
    /// Pages that the caller wanted, of sync and async.
    pub req_count: Option<u64>,
    /// First page.
    pub start: u64,
    /// Pages, not cut to the end of the file (when only folios are known: the pages that came in).
    pub size: u64,
    /// Pages behind the marker.
    pub async_size: Option<u64>,
    /// Folio order handed over (when only folios are known: the largest).
    pub order: Option<u16>,
    /// The file's limit.
    pub ra_pages: Option<u64>,
    /// Folios that came in.
    pub folios: u64,
    /// Their pages.
    pub pages: u64,
    /// Some of it was read as single folios, because a large one could not be had.
    pub fell_back: bool,
}

/// A window's place: file, and position in its list.
type Place = (usize, usize);

/// What a task is in the middle of.
#[derive(Default)]
pub(super) struct State {
    trigger: Option<Trigger>,
    /// The window whose folios are coming in.
    filling: Option<Place>,
    /// Its range, while it may still fall back to single folios.
    range: Option<(u64, u64)>,
    /// The page that would continue a run of folios.
    run_next: u64,
}

/// The sync or async line that a window answers.
#[derive(Clone, Copy)]
struct Trigger {
    file: usize,
    via: Via,
    index: u64,
    req_count: u64,
    ra_pages: u64,
}

/// Collects the windows.
#[derive(Default)]
pub(super) struct Windows {
    readahead_events: bool,
    listed: u64,
    left_out: u64,
}

impl Windows {
    /// Takes an event that names `file`.
    #[inline]
    pub(super) fn event(&mut self, record: &Record<'_>, file: Option<usize>, task: &mut Task, files: &mut Files) {
        let at_ns = record.at.and_then(|at| at.nanos()).map(|nanos| nanos.0);
        let window = |source, via| WindowReport {
            line: record.line_no,
            at_ns,
            pid: record.pid,
            source,
            via,
            index: None,
            req_count: None,
            start: 0,
            size: 0,
            async_size: None,
            order: None,
            ra_pages: None,
            folios: 0,
            pages: 0,
            fell_back: false,
        };
        let state = &mut task.window;
        let Some(file) = file else {
            match &record.event {
                // A bio of this task: its batch of folios is complete. A call: what came before is over.
                Tracepoint::BlockBioQueue(_) if !record.flags.in_interrupt() && !self.readahead_events => {
                    state.filling = None;
                }
                Tracepoint::SysEnter(_) | Tracepoint::RawEnter(_) => *state = State::default(),
                _ => {}
            }
            return;
        };
        match &record.event {
            Tracepoint::PageCacheSyncRa(ra) | Tracepoint::PageCacheAsyncRa(ra) => {
                self.readahead_events = true;
                let via = if matches!(record.event, Tracepoint::PageCacheSyncRa(_)) { Via::Sync } else { Via::Async };
                *state = State {
                    trigger: Some(Trigger {
                        file,
                        via,
                        index: ra.index.0,
                        req_count: ra.req_count.0,
                        ra_pages: ra.ra_pages.0,
                    }),
                    ..State::default()
                };
            }
            Tracepoint::PageCacheRaOrder(ra) => {
                self.readahead_events = true;
                let trigger = state.trigger.take().filter(|trigger| trigger.file == file);
                let report = WindowReport {
                    index: trigger.map(|trigger| trigger.index),
                    req_count: trigger.map(|trigger| trigger.req_count),
                    start: ra.index.0,
                    size: ra.size.0,
                    async_size: Some(ra.async_size.0),
                    order: Some(ra.order),
                    ra_pages: Some(ra.ra_pages.0),
                    ..window(Source::Events, Some(trigger.map_or(Via::Around, |trigger| trigger.via)))
                };
                state.range = Some((ra.index.0, ra.index.0.saturating_add(ra.size.0)));
                state.filling = self.list(report, file, files);
            }
            Tracepoint::PageCacheRaUnbounded(ra) => {
                self.readahead_events = true;
                let end = ra.index.0.saturating_add(ra.nr_to_read.0);
                if let Some((start, window_end)) = state.range
                    && start <= ra.index.0
                    && end <= window_end
                    && state.filling.is_some_and(|(filling, _)| filling == file)
                {
                    if let Some(report) = state.filling.and_then(|place| listed(files, place)) {
                        report.fell_back = true;
                    }
                    return;
                }
                let trigger = state.trigger.take().filter(|trigger| trigger.file == file);
                let forced = trigger.is_none_or(|trigger| {
                    trigger.ra_pages == 0 || task.process.current().is_some_and(|open| open.random)
                });
                let report = WindowReport {
                    index: trigger.map(|trigger| trigger.index),
                    req_count: trigger.map(|trigger| trigger.req_count),
                    start: ra.index.0,
                    size: ra.nr_to_read.0,
                    async_size: Some(ra.lookahead_size.0),
                    order: Some(0),
                    ra_pages: trigger.map(|trigger| trigger.ra_pages),
                    ..window(Source::Events, Some(if forced { Via::Force } else { Via::Random }))
                };
                let state = &mut task.window;
                state.range = None;
                state.filling = self.list(report, file, files);
            }
            Tracepoint::Readahead(ra) => {
                self.readahead_events = true;
                let forced = ra.pattern.pattern() == Pattern::Fadvise;
                // `async=` says where the window starts, not whether a marker was met: a miss may lead there too.
                let via = match ra.pattern.pattern() {
                    Pattern::Fadvise => Some(Via::Force),
                    Pattern::Around => Some(Via::Around),
                    _ => None,
                };
                // A forced range shows its end and how many pages came in, but not where it began.
                let report = WindowReport {
                    index: (!forced).then_some(ra.index.0),
                    req_count: (!forced).then_some(ra.req.0),
                    start: ra.start.0,
                    size: ra.size.0,
                    async_size: Some(ra.async_size.0),
                    order: Some(0),
                    folios: ra.actual.0,
                    pages: ra.actual.0,
                    ..window(Source::Events, via)
                };
                self.list(report, file, files);
                *state = State::default();
            }
            Tracepoint::MmFilemapAddToPageCache(folio) => {
                let first = folio.ofs.0 / PAGE_BYTES;
                let count = pages(folio);
                let order = folio.order.map_or(0, |order| u16::from(order.0));
                let goes_on = match state.filling {
                    Some((filling, _)) if filling == file => self.readahead_events || state.run_next == first,
                    _ => false,
                };
                if !goes_on {
                    if self.readahead_events {
                        return;
                    }
                    state.filling =
                        self.list(WindowReport { start: first, ..window(Source::Folios, None) }, file, files);
                }
                state.run_next = first + count;
                if let Some(report) = state.filling.and_then(|place| listed(files, place)) {
                    report.folios += 1;
                    report.pages += count;
                    if report.source == Source::Folios {
                        report.size += count;
                        report.order = Some(report.order.unwrap_or(0).max(order));
                    }
                }
            }
            Tracepoint::MmFilemapDeleteFromPageCache(_) => {}
            // A read or a fault was served: what came before is over.
            _ => *state = State::default(),
        }
    }

    fn list(&mut self, report: WindowReport, file: usize, files: &mut Files) -> Option<Place> {
        let file_report = &mut files.files[file];
        file_report.windows_total += 1;
        if self.listed == WINDOWS_MAX {
            self.left_out += 1;
            return None;
        }
        self.listed += 1;
        file_report.windows.push(report);
        Some((file, file_report.windows.len() - 1))
    }

    /// Where readahead events tell the windows, runs of folios that were seen before the first of them are no windows.
    pub(super) fn finish(self, files: &mut Files, notes: &mut Vec<String>) {
        if self.readahead_events {
            for file in &mut files.files {
                let before = file.windows.len();
                file.windows.retain(|window| window.source == Source::Events);
                file.windows_total -= (before - file.windows.len()) as u64;
            }
        }
        if self.left_out > 0 {
            notes.push(format!("{} windows are counted but not listed", self.left_out));
        }
    }
}

fn listed(files: &mut Files, (file, window): Place) -> Option<&mut WindowReport> {
    files.files.get_mut(file)?.windows.get_mut(window)
}
