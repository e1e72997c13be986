//! What an input holds: events by name, files with the windows that the kernel chose, devices, gaps, and what was not
//! understood. Owns the report; the parts are collected by the files beside this one. Must not know models.

mod devices;
mod files;
mod kernel;
mod names;
mod windows;

pub use devices::{DeviceReport, Letters};
pub use files::FileReport;
pub use kernel::KernelGuess;
pub use windows::{Source, WindowReport};

use crate::error::TraceError;
use crate::formats::Header;
use crate::input::Packing;
use crate::prefix::Stamp;
use crate::reader::{Skipped, TraceReader};
use crate::record::{Item, Lost, Record};
use crate::tracepoints::{NAMES, Tracepoint};
use devices::Devices;
use files::Files;
use kernel::Evidence;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use windows::Windows;

/// What was understood of an input, and what was not.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Inspection {
    /// Name of the format.
    pub format: &'static str,
    /// How the input was packed.
    pub packing: Packing,
    /// Which kernel made it, as far as the text tells.
    pub kernel: KernelGuess,
    /// What the header lines say.
    pub header: Header,
    /// Lines of every kind.
    pub lines: u64,
    /// Bytes of text, unpacked.
    pub text_bytes: u64,
    /// Lines that were understood as events.
    pub records: u64,
    /// Events by name. Bare system call lines are `sys_read` at the entry and `sys_exit_read` at the return.
    pub events: BTreeMap<String, u64>,
    /// Lines that were skipped, by reason.
    pub skipped: Vec<Skipped>,
    /// Events that the kernel says were lost: in gaps, and overwritten before the file was read.
    pub lost_events: u64,
    /// Of these, the events overwritten before the first line.
    pub overwritten_events: u64,
    /// Gaps, the first ones.
    pub gaps: Vec<Gap>,
    /// All gaps.
    pub gaps_total: u64,
    /// Files whose pages appear, those with most events first.
    pub files: Vec<FileReport>,
    /// Files that were left out because there were too many.
    pub files_left_out: u64,
    /// Devices whose requests appear.
    pub devices: Vec<DeviceReport>,
    /// Tasks that appear, those with most events first.
    pub tasks: Vec<TaskReport>,
    /// First time.
    pub first_ns: Option<u64>,
    /// From the first time to the last.
    pub span_ns: Option<u64>,
    /// What a person should know about this input.
    pub notes: Vec<String>,
}

/// A place where events were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Gap {
    /// Line number.
    pub line: u64,
    /// The processor whose events were lost.
    pub cpu: Option<u16>,
    /// How many; `null` when the kernel does not say.
    pub events: Option<u64>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TaskReport {
    /// Its name.
    pub comm: String,
    /// The thread.
    pub pid: Option<i32>,
    /// Its events.
    pub events: u64,
}

/// Most names of events without a table that are counted apart.
const OTHER_NAMES_MAX: usize = 4096;
/// Most gaps that are listed.
const GAPS_MAX: usize = 1000;
/// Most tasks that are followed at a time.
const TASKS_MAX: usize = 65_536;
/// Most tasks that are listed.
const TASKS_LISTED_MAX: usize = 200;
/// Records between two calls of `progress`.
const PROGRESS_RECORDS: u64 = 16_384;

/// Reads an input to its end. `progress` gets the bytes of the (packed) input taken so far.
pub fn inspect(reader: impl Read + Send, mut progress: impl FnMut(u64)) -> Result<Inspection, TraceError> {
    let mut reader = TraceReader::new(reader)?;
    let taken = reader.taken();
    let mut inspector = Inspector::default();
    reader.for_each(|item| {
        inspector.item(&item);
        if inspector.records % PROGRESS_RECORDS == 0 {
            progress(taken.bytes());
        }
    })?;
    progress(taken.bytes());
    let usable = inspector.usable;
    let inspection = inspector.finish(&reader);
    if usable == 0 {
        return Err(TraceError::NothingUsable(Box::new(inspection)));
    }
    Ok(inspection)
}

/// Collects an [`Inspection`] from items. For those who read the records themselves too.
#[derive(Default)]
pub struct Inspector {
    records: u64,
    usable: u64,
    tables: [u64; NAMES.len()],
    others: HashMap<String, u64>,
    others_left_out: u64,
    lost_events: u64,
    gaps: Vec<Gap>,
    gaps_total: u64,
    first: Option<u64>,
    last: Option<u64>,
    before: Option<Stamp>,
    backward: u64,
    raw_syscalls: bool,
    counted_time: bool,
    tasks: Tasks,
    evidence: Evidence,
    files: Files,
    windows: Windows,
    devices: Devices,
}

impl Inspector {
    /// Takes one item.
    pub fn item(&mut self, item: &Item<'_>) {
        match item {
            Item::Record(record) => self.record(record),
            Item::Lost(lost) => self.lost(lost),
        }
    }

    #[inline]
    fn record(&mut self, record: &Record<'_>) {
        self.records += 1;
        self.usable += u64::from(record.event.is_usable());
        self.count(record);
        self.time(record.at);
        self.evidence.record(record);
        let task = self.tasks.of(record);
        match &record.event {
            Tracepoint::RawEnter(_) | Tracepoint::RawExit(_) => self.raw_syscalls = true,
            Tracepoint::Other(_) => {}
            event => self.devices.event(event),
        }
        let file = self.files.event(record, &mut task.process);
        self.windows.event(record, file, task, &mut self.files);
    }

    fn count(&mut self, record: &Record<'_>) {
        if let Some(index) = record.event.index() {
            self.tables[index] += 1;
            return;
        }
        let bare_exit;
        let name = match record.event {
            Tracepoint::SysExit(exit) if !record.name.starts_with("sys_exit") => {
                bare_exit = format!("sys_exit_{}", exit.name);
                bare_exit.as_str()
            }
            _ => record.name,
        };
        if let Some(count) = self.others.get_mut(name) {
            *count += 1;
        } else if self.others.len() < OTHER_NAMES_MAX {
            self.others.insert(name.to_owned(), 1);
        } else {
            self.others_left_out += 1;
        }
    }

    #[inline]
    fn time(&mut self, at: Option<Stamp>) {
        let Some(at) = at else { return };
        self.backward += u64::from(self.before.is_some_and(|before| at < before));
        self.before = Some(at);
        match at.nanos() {
            Some(nanos) => {
                self.first = Some(self.first.map_or(nanos.0, |first| first.min(nanos.0)));
                self.last = Some(self.last.map_or(nanos.0, |last| last.max(nanos.0)));
            }
            None => self.counted_time = true,
        }
    }

    fn lost(&mut self, lost: &Lost) {
        self.gaps_total += 1;
        self.lost_events = self.lost_events.saturating_add(lost.events.unwrap_or(0));
        if self.gaps.len() < GAPS_MAX {
            self.gaps.push(Gap { line: lost.line_no, cpu: lost.cpu, events: lost.events });
        }
        self.tasks.forget();
    }

    /// The report.
    pub fn finish(mut self, reader: &TraceReader<'_>) -> Inspection {
        let header = reader.header().clone();
        let overwritten = match (header.entries_in_buffer, header.entries_written) {
            (Some(in_buffer), Some(written)) => written.saturating_sub(in_buffer),
            _ => 0,
        };
        let mut events: BTreeMap<String, u64> = self.others.into_iter().collect();
        for (name, count) in NAMES.iter().zip(self.tables) {
            if count > 0 {
                events.insert((*name).to_owned(), count);
            }
        }
        if self.others_left_out > 0 {
            events.insert("(more names)".to_owned(), self.others_left_out);
        }
        let mut notes = Vec::new();
        if let Some(why) = reader.cut() {
            notes.push(format!("the packed input ends before its time ({why}); what came before was read"));
        }
        if let Some(entries) = header.entries_in_buffer
            && entries > self.records
        {
            notes.push(format!("the header announces {entries} events, the file holds {}", self.records));
        }
        if overwritten > 0 {
            notes.push(format!("{overwritten} events were overwritten before the file was read"));
        }
        if self.backward > 0 {
            notes.push(format!("time runs backwards at {} lines", self.backward));
        }
        if self.counted_time {
            notes.push("the clock counts events: there are no durations".to_owned());
        }
        if self.raw_syscalls {
            notes.push("raw system call numbers were taken as those of x86-64".to_owned());
        }
        if reader.rejoined() > 0 {
            notes.push(format!("{} events were put together from broken lines", reader.rejoined()));
        }
        let kernel = self.evidence.guess(header.release.as_deref());
        self.windows.finish(&mut self.files, &mut notes);
        let (files, files_left_out) = self.files.finish();
        Inspection {
            format: reader.format().name,
            packing: reader.packing(),
            kernel,
            header,
            lines: reader.lines(),
            text_bytes: reader.text_bytes(),
            records: self.records,
            events,
            skipped: reader.skipped().to_vec(),
            lost_events: self.lost_events.saturating_add(overwritten),
            overwritten_events: overwritten,
            gaps: self.gaps,
            gaps_total: self.gaps_total,
            files,
            files_left_out,
            devices: self.devices.finish(),
            tasks: self.tasks.finish(),
            first_ns: self.first,
            span_ns: self.first.zip(self.last).map(|(first, last)| last - first),
            notes,
        }
    }
}

/// The tasks that are followed.
#[derive(Default)]
struct Tasks {
    places: HashMap<Option<i32>, usize>,
    tasks: Vec<Task>,
    last: Option<(Option<i32>, usize)>,
    ended: Vec<TaskReport>,
}

/// What is remembered of a task between two of its events.
#[derive(Default)]
struct Task {
    comm: String,
    pid: Option<i32>,
    events: u64,
    process: names::Process,
    window: windows::State,
}

impl Tasks {
    #[inline]
    fn of(&mut self, record: &Record<'_>) -> &mut Task {
        let place = match self.last {
            Some((pid, place)) if pid == record.pid => place,
            _ => self.find(record),
        };
        self.last = Some((record.pid, place));
        let task = &mut self.tasks[place];
        task.events += 1;
        task
    }

    fn find(&mut self, record: &Record<'_>) -> usize {
        if let Some(place) = self.places.get(&record.pid) {
            let task = &mut self.tasks[*place];
            if task.comm == "<...>" {
                record.comm.clone_into(&mut task.comm);
            }
            return *place;
        }
        if self.tasks.len() == TASKS_MAX {
            // Keep the totals of the busy ones and start anew.
            self.ended = self.list();
            self.tasks.clear();
            self.places.clear();
        }
        self.places.insert(record.pid, self.tasks.len());
        self.tasks.push(Task { comm: record.comm.to_owned(), pid: record.pid, ..Task::default() });
        self.tasks.len() - 1
    }

    /// A gap: nothing that was going on is going on for sure.
    fn forget(&mut self) {
        for task in &mut self.tasks {
            task.window = windows::State::default();
            task.process.interrupted();
        }
    }

    fn list(&mut self) -> Vec<TaskReport> {
        let mut reports = std::mem::take(&mut self.ended);
        reports.extend(self.tasks.iter().map(|task| TaskReport {
            comm: task.comm.clone(),
            pid: task.pid,
            events: task.events,
        }));
        reports.sort_by_key(|task| (std::cmp::Reverse(task.events), task.pid));
        reports.truncate(TASKS_LISTED_MAX);
        reports
    }

    fn finish(mut self) -> Vec<TaskReport> {
        self.list()
    }
}
