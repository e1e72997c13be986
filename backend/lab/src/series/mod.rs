//! The 2010 series' own accounting: what its patches `trace-event` and `stats` tell about every window they submit.
//!
//! Both hang on one call at the end of a window's submission, when it is known how many pages came in. [`Submissions`]
//! finds these calls in the events of a run; `trace` prints them as lines, `stats` counts them by pattern. Must not know
//! recordings or how the engine works.
//!
//! Sections 9.1 and 9.2 of the specification of the historic kernels say it all; what matters most:
//!
//! * a window of the decisions or of read-around is one call, however few pages it brings;
//! * a forced range (fadvise WILLNEED, readahead(2), a random file) is one call after its last chunk, when the variables
//!   of its loop have run out: it shows the range's end, sizes 0, and all the pages that came in. A range of no pages, or
//!   behind the end of the file, is one call too;
//! * a page that is read by itself makes none.

mod stats;
mod trace;

pub(crate) use stats::Counters;
pub use trace::{Posting, record};

use readahead_sim::Observer;
use readahead_types::{Decision, Event, EventKind, FileId, Nanos, Pattern, TaskId, Via};

/// A file, as far as the accounting looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesFile {
    /// Its size in bytes.
    pub bytes: u64,
    /// Its device.
    pub dev: (u32, u32),
    /// Its inode.
    pub ino: u64,
}

impl SeriesFile {
    /// The files of a run.
    pub fn of(world: &readahead_sim::WorldSpec) -> Vec<SeriesFile> {
        world.files.iter().map(|file| SeriesFile { bytes: file.bytes.0, dev: file.dev, ino: file.ino }).collect()
    }
}

/// A submitted window, as the series accounts for it. Pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submission {
    /// When.
    pub at: Nanos,
    /// By whom.
    pub task: TaskId,
    /// Of this file.
    pub file: FileId,
    /// Why the window was made.
    pub pattern: Pattern,
    /// A fault has used the open file's state (the flag MMAP).
    pub faulted: bool,
    /// The page that asked for it; of a forced range, its end.
    pub index: u64,
    /// Pages that the caller wanted; 0 for a forced range.
    pub req: u64,
    /// First page; of a forced range, its end.
    pub start: u64,
    /// Pages as decided; 0 for a forced range.
    pub size: u64,
    /// Pages behind the marker.
    pub async_size: u64,
    /// Pages that came in.
    pub actual: u64,
}

/// Finds the submitted windows in the events of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Submissions {
    /// The window whose pages are coming in.
    open: Option<Submission>,
}

impl Submissions {
    /// A decision was taken. Gives the window that was submitted before it, if one was open.
    pub fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision) -> Option<Submission> {
        let Decision { file, via, index, req, max, after, window, .. } = *decision;
        let next_chunk = via == Via::Force && window.is_some_and(|window| window.start != index);
        if next_chunk && self.open.is_some_and(|open| open.pattern == Pattern::Fadvise) {
            return None;
        }
        let before = self.open.take();
        self.open = match (via, window) {
            (Via::Force, _) => {
                let end = index.wrapping_add(req.min(max));
                Some(Submission {
                    at,
                    task,
                    file,
                    pattern: Pattern::Fadvise,
                    faulted: after.faulted,
                    index: end,
                    req: 0,
                    start: end,
                    size: 0,
                    async_size: 0,
                    actual: 0,
                })
            }
            (Via::Sync | Via::Async | Via::Around, Some(window)) => Some(Submission {
                at,
                task,
                file,
                pattern: decision.pattern.unwrap_or(after.pattern),
                faulted: after.faulted,
                index,
                req,
                start: window.start,
                size: window.size,
                async_size: window.async_size,
                actual: 0,
            }),
            _ => None,
        };
        before
    }

    /// An event happened. Gives the window whose submission it shows to be over.
    pub fn event(&mut self, event: &Event) -> Option<Submission> {
        let open = self.open.as_mut()?;
        match event.kind {
            EventKind::FolioAdded { order, .. } => {
                open.actual += order.pages();
                None
            }
            kind if is_part_of_a_submission(&kind) => None,
            _ => self.open.take(),
        }
    }

    /// Nothing more will happen: gives the window that is open.
    pub fn close(&mut self) -> Option<Submission> {
        self.open.take()
    }

    /// The window that is open now: nothing has shown yet that it is over.
    pub fn open(&self) -> Option<Submission> {
        self.open
    }
}

/// Whether the event may happen while a window is submitted: its pages come in, older ones make room, requests go out and
/// come back.
fn is_part_of_a_submission(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Decided { .. }
            | EventKind::PlainRun { .. }
            | EventKind::FolioAdded { .. }
            | EventKind::FolioRemoved { .. }
            | EventKind::Retained { .. }
            | EventKind::MarkerCleared { .. }
            | EventKind::BioQueued { .. }
            | EventKind::Split { .. }
            | EventKind::BackMerged { .. }
            | EventKind::FrontMerged { .. }
            | EventKind::GetRequest { .. }
            | EventKind::Plugged
            | EventKind::Unplugged { .. }
            | EventKind::Issued { .. }
            | EventKind::Completed { .. }
    )
}

/// Trace lines and counters of a run with the series' patches.
#[derive(Clone, Debug)]
pub struct Series {
    files: Vec<SeriesFile>,
    submissions: Submissions,
    counters: Counters,
    lines: Vec<Submission>,
}

impl Series {
    /// For a run over these files, in the order of their ids.
    pub fn new(files: &[(u64, (u32, u32), u64)]) -> Self {
        Series {
            files: files.iter().map(|&(bytes, dev, ino)| SeriesFile { bytes, dev, ino }).collect(),
            submissions: Submissions::default(),
            counters: Counters::default(),
            lines: Vec::new(),
        }
    }

    /// The trace lines, each without the prefix of the trace file.
    pub fn trace_text(&self) -> String {
        self.text(Posting::Second { raw: false })
    }

    /// The trace lines as this posting of the patch shows them.
    pub fn text(&self, posting: Posting) -> String {
        let mut text = String::new();
        for submission in self.lines.iter().chain(&self.submissions.open()) {
            text += &record(submission, self.file(submission.file), posting).text();
            text.push('\n');
        }
        text
    }

    /// The table of /debug/readahead/stats.
    pub fn stats_text(&self) -> String {
        let mut counters = self.counters;
        if let Some(open) = self.submissions.open() {
            counters.count(&open, self.file(open.file));
        }
        counters.table().text()
    }

    /// Something was written to /debug/readahead/stats: all counters are 0. Trace lines stay.
    pub fn reset_stats(&mut self) {
        self.counters = Counters::default();
    }

    fn file(&self, file: FileId) -> SeriesFile {
        self.files.get(file.0 as usize).copied().unwrap_or(SeriesFile { bytes: 0, dev: (0, 0), ino: 0 })
    }

    fn take(&mut self, submission: Option<Submission>) {
        if let Some(submission) = submission {
            self.counters.count(&submission, self.file(submission.file));
            self.lines.push(submission);
        }
    }
}

impl Observer for Series {
    fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision) {
        let before = self.submissions.decided(at, task, decision);
        self.take(before);
    }

    fn event(&mut self, event: &Event) {
        let over = self.submissions.event(event);
        self.take(over);
    }
}

#[cfg(test)]
mod tests;
