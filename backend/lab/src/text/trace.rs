//! A recording as the trace file of the kernel that was run: tracepoint lines with the usual ftrace prefix.
//!
//! Every event becomes the record of its tracepoint, and readahead-trace prints it; no line is put together here. Events
//! that no kernel has (pages used, tasks asleep) have no line, and events that the kernel of the run did not have yet have
//! none either (`voice`).

use super::voice::Voice;
use crate::rows::Decisions;
use crate::run::Recording;
use crate::series::{Posting, SeriesFile, Submission, Submissions, record as series_record};
use readahead_sim::WorldSpec;
use readahead_trace as trace;
use readahead_trace::{Dev, Printer, Record, Tracepoint};
use readahead_types::{
    Bytes, Decision, Event, EventKind, FileId, HandleId, Nanos, Order, PAGE_BYTES, PageIndex, Pages, RequestId,
    Sectors, TaskId, TracedCall, Via,
};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Range;

/// Pid of the first stream's task, and the first free file descriptor of a process.
const FIRST_PID: i32 = 1000;
const FIRST_FD: i32 = 3;
/// Where the programs' buffers lie; a place in a process, nothing hangs on it.
const BUFFER: u64 = 0x7f00_0000_0000;
/// Where their mappings lie, one handle's 1 TiB from the next one's.
const MAPPINGS: u64 = 0x1000_0000_0000;

/// The lines of the events in `range`, without the header.
pub fn trace_text(recording: &Recording, range: Range<usize>) -> String {
    let mut out = Vec::new();
    Lines::new(recording).write(range, &mut out).expect("writing to memory succeeds");
    String::from_utf8(out).expect("tracepoint text is ASCII and names of files are UTF-8")
}

/// How many lines the events have; some have none, some two.
fn count_lines(recording: &Recording) -> u64 {
    let mut lines = Lines::new(recording);
    let mut count = 0;
    for part in parts(0..recording.len(), recording.len()) {
        lines.records(part, &mut |_, _| count += 1);
    }
    count
}

/// The header of the trace file of a recording that has ended. Counts its lines first.
pub fn trace_header(recording: &Recording) -> String {
    header_as(recording, Posting::default())
}

fn header_as(recording: &Recording, posting: Posting) -> String {
    let voice = Voice::of(recording.scenario().world());
    let mut header = Vec::new();
    let entries = if voice.counts_in_header() { count_lines(recording) } else { 0 };
    Printer::new(voice.form()).header(entries, entries, 1, &mut header);
    let header = String::from_utf8(header).expect("the header is ASCII");
    // Whoever reads the file later must not take it for a kernel's.
    let model = recording.scenario().world().kernel.model.name();
    let mut said = format!("# tracer: nop\n#\n# simulated: {model}, run {}\n", recording.id());
    for note in voice.notes(model, posting) {
        said += &format!("# {note}\n");
    }
    header.replacen("# tracer: nop\n", &said, 1)
}

/// Writes the whole trace file, header and lines.
pub fn write_trace(recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
    write_trace_as(recording, Posting::default(), out)
}

/// Writes the whole trace file, with the event of the 2010 series as this posting of it shows it.
pub fn write_trace_as(recording: &Recording, posting: Posting, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(header_as(recording, posting).as_bytes())?;
    Lines::with(recording, posting).write(0..recording.len(), out)
}

/// Writes the whole trace as trace.dat, which trace-cmd and KernelShark read. Returns how many lines of the text have no
/// place in it.
pub fn write_trace_dat(recording: &Recording, out: &mut dyn Write) -> io::Result<u64> {
    let model = recording.scenario().world().kernel.model.name();
    let form = Voice::of(recording.scenario().world()).form();
    let mut file = trace::DatWriter::new(form, 1, &format!("Linux readahead-lab {model} (simulated)"));
    let mut lines = Lines::new(recording);
    for part in parts(0..recording.len(), recording.len()) {
        lines.records(part, &mut |_, record| {
            file.push(record);
        });
    }
    let left_out = file.left_out();
    file.finish(out)?;
    Ok(left_out)
}

/// Cuts a range of events into parts, so that a long recording is never decoded as a whole.
pub(super) fn parts(range: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    const PART: usize = 8192;
    let end = range.end.min(len);
    (range.start..end).step_by(PART).map(move |from| from..end.min(from + PART))
}

/// Turns events into lines. It remembers file positions, so a follower that prints part by part keeps one.
pub struct Lines {
    recording: Recording,
    printer: Printer,
    voice: Voice,
    /// Of a run with the 2010 series: the windows, as it prints them.
    series: Option<SeriesLines>,
    comms: Vec<String>,
    /// Where read(2) of a handle goes on; a read elsewhere was a pread(2).
    positions: BTreeMap<HandleId, u64>,
    positional: BTreeMap<HandleId, bool>,
    /// Tasks in a read that passes by the page cache, and the requests of such reads.
    direct_tasks: BTreeSet<TaskId>,
    direct_requests: BTreeSet<RequestId>,
}

impl Lines {
    /// Lines of this recording, from its beginning.
    pub fn new(recording: &Recording) -> Self {
        Lines::with(recording, Posting::default())
    }

    /// The same, with the event of the 2010 series as this posting of it shows it.
    pub fn with(recording: &Recording, posting: Posting) -> Self {
        let world = recording.scenario().world();
        let (streams, voice) = (world.streams.len(), Voice::of(world));
        let series = SeriesLines { files: SeriesFile::of(world), submissions: Submissions::default(), posting };
        Lines {
            recording: recording.clone(),
            printer: Printer::new(voice.form()),
            voice,
            series: (voice == Voice::Series).then_some(series),
            comms: (0..streams).map(|stream| format!("stream{stream}")).collect(),
            positions: BTreeMap::new(),
            positional: BTreeMap::new(),
            direct_tasks: BTreeSet::new(),
            direct_requests: BTreeSet::new(),
        }
    }

    /// Writes the lines of the events in `range`.
    pub fn write(&mut self, range: Range<usize>, out: &mut dyn Write) -> io::Result<()> {
        let mut buffer = Vec::new();
        for part in parts(range, self.recording.len()) {
            self.records(part, &mut |printer, record| printer.line(record, &mut buffer));
            out.write_all(&buffer)?;
            buffer.clear();
        }
        Ok(())
    }

    /// Gives the records of the events in `range`.
    fn records(&mut self, range: Range<usize>, take: &mut dyn FnMut(&Printer, &Record<'_>)) {
        if self.voice == Voice::Nothing {
            return;
        }
        let (state, len) = (self.recording.state(), self.recording.len());
        let events = self.recording.events(range.clone());
        let decisions = Decisions::of(&self.recording, &events);
        for event in &events {
            self.event(event, |id| decisions.get(id), take);
        }
        // A run that was cut short may end inside a window.
        if state.is_final() && range.end >= len {
            let last = self.series.as_mut().and_then(|series| series.submissions.close());
            self.submitted(last, take);
        }
    }

    /// Gives the record of a window of the 2010 series.
    fn submitted(&self, submission: Option<Submission>, take: &mut dyn FnMut(&Printer, &Record<'_>)) {
        let (Some(submission), Some(series)) = (submission, &self.series) else { return };
        let file = series.files.get(submission.file.0 as usize).expect("windows are of the run's files");
        let window = Tracepoint::Readahead(series_record(&submission, *file, series.posting));
        take(&self.printer, &self.record(submission.at, submission.task, false, window));
    }

    fn record<'a>(&'a self, at: Nanos, task: TaskId, interrupt: bool, event: Tracepoint<'a>) -> Record<'a> {
        Record {
            line_no: 0,
            at: Some(trace::Stamp::Time(at)),
            comm: if interrupt { "<idle>" } else { self.comm(task) },
            pid: Some(if interrupt { 0 } else { FIRST_PID.wrapping_add(task.0 as i32) }),
            tgid: None,
            cpu: Some(0),
            flags: if interrupt { self.printer.interrupt_flags() } else { self.printer.task_flags() },
            name: "",
            event,
        }
    }

    fn comm(&self, task: TaskId) -> &str {
        self.comms.get(task.0 as usize).map_or("stream", String::as_str)
    }

    /// Gives the records of one event.
    fn event(
        &mut self,
        event: &Event,
        decision: impl Fn(usize) -> Option<Decision>,
        take: &mut dyn FnMut(&Printer, &Record<'_>),
    ) {
        if let Some(series) = &mut self.series {
            // The kernel of the series prints nothing else.
            let submitted = match event.kind {
                EventKind::Decided { decision: id } => decision(id.0 as usize)
                    .and_then(|decision| series.submissions.decided(event.at, event.task, &decision)),
                _ => series.submissions.event(event),
            };
            return self.submitted(submitted, take);
        }
        self.follow(event);
        let scenario = self.recording.scenario().clone();
        let context = Context {
            world: scenario.world(),
            voice: self.voice,
            comm: self.comm(event.task),
            positional: &self.positional,
            direct: self.is_direct(event),
        };
        let mut line = |tracepoint: Tracepoint<'_>| {
            if self.voice.says(&tracepoint) {
                let interrupt = matches!(event.kind, EventKind::Completed { .. });
                take(&self.printer, &self.record(event.at, event.task, interrupt, tracepoint));
            }
        };
        context.tracepoints(event, decision, &mut line);
    }

    /// The event is of a read that passes by the page cache.
    fn is_direct(&self, event: &Event) -> bool {
        match event.kind {
            EventKind::Completed { request, .. } => self.direct_requests.contains(&request),
            _ => self.direct_tasks.contains(&event.task),
        }
    }

    /// Keeps the file positions, and which tasks and requests are of direct reads.
    fn follow(&mut self, event: &Event) {
        match event.kind {
            EventKind::DirectRead { .. } => drop(self.direct_tasks.insert(event.task)),
            EventKind::Issued { request, .. } if self.direct_tasks.contains(&event.task) => {
                self.direct_requests.insert(request);
            }
            _ => {}
        }
        match event.kind {
            EventKind::Open { handle, .. } => drop(self.positions.insert(handle, 0)),
            EventKind::Lseek { handle, pos, .. } => drop(self.positions.insert(handle, pos.0)),
            EventKind::Read { handle, pos, .. } => {
                let position = *self.positions.entry(handle).or_default();
                self.positional.insert(handle, position != pos.0);
            }
            EventKind::ReadDone { handle, len, .. } => {
                self.direct_tasks.remove(&event.task);
                if self.positional.get(&handle) == Some(&false) {
                    *self.positions.entry(handle).or_default() += len.0;
                }
            }
            _ => {}
        }
    }
}

/// What the lines of the 2010 series need.
struct SeriesLines {
    files: Vec<SeriesFile>,
    submissions: Submissions,
    posting: Posting,
}

/// What a line needs beside its event.
struct Context<'a> {
    world: &'a WorldSpec,
    voice: Voice,
    comm: &'a str,
    positional: &'a BTreeMap<HandleId, bool>,
    /// The event is of a read that passes by the page cache.
    direct: bool,
}

impl<'a> Context<'a> {
    fn dev(&self, file: FileId) -> Dev {
        let (major, minor) = self.world.files.get(file.0 as usize).map_or((0, 0), |file| file.dev);
        Dev { major, minor }
    }

    /// The device and inode by which the page cache knows the file. A block device node is a file of a file system of its
    /// own, in which its inode is its device number.
    fn inode(&self, file: FileId) -> (Dev, u64) {
        let Some(spec) = self.world.files.get(file.0 as usize) else { return (Dev { major: 0, minor: 0 }, 0) };
        if spec.block_device { self.voice.block_device_inode(self.dev(file)) } else { (self.dev(file), spec.ino) }
    }

    fn disk(&self) -> Dev {
        self.dev(FileId(0))
    }

    fn folio(&self, file: FileId, first: PageIndex, order: Order, pfn: u64) -> trace::Folio {
        let frame = trace::Frame { pfn, page: None };
        let (dev, ino) = self.inode(file);
        trace::Folio { dev, ino, frame, ofs: first.byte(), order: Some(order) }
    }

    fn bytes(&self, file: FileId, first: Bytes, last: Bytes) -> trace::PageRange {
        let (dev, ino) = self.inode(file);
        trace::PageRange { dev, ino, ofs: trace::ByteRange { first, last } }
    }

    fn bio(&self, dev: Dev, sector: Sectors, nr_sector: Sectors, ahead: bool) -> trace::Bio<'a> {
        trace::Bio { dev, rwbs: self.rwbs(ahead), sector, nr_sector, comm: self.comm }
    }

    /// What a request does: a read, ahead, or direct and waited for.
    fn rwbs(&self, ahead: bool) -> trace::Rwbs {
        if self.direct { trace::Rwbs::direct_read() } else { trace::Rwbs::read(ahead) }
    }

    fn tracepoints(
        &self,
        event: &Event,
        decision: impl Fn(usize) -> Option<Decision>,
        line: &mut dyn FnMut(Tracepoint<'_>),
    ) {
        use trace::Syscall;
        let enter = |call: Syscall<'a>| Tracepoint::SysEnter(call);
        let exit = |name: &'static str, result: u64| Tracepoint::SysExit(trace::SysExit { name, ret: result as i64 });
        match event.kind {
            EventKind::Open { file, handle } => {
                let name = self.world.files.get(file.0 as usize).map_or("", |file| file.name.as_str());
                line(enter(Syscall::Openat(trace::Openat {
                    dfd: -100,
                    filename: BUFFER,
                    name: Some(name),
                    flags: trace::OpenFlags::Names("O_RDONLY"),
                    mode: None,
                })));
                line(exit("openat", fd(handle) as u64));
            }
            EventKind::Close { handle, .. } => {
                line(enter(Syscall::Close { fd: fd(handle) }));
                line(exit("close", 0));
            }
            EventKind::Read { handle, pos, len, .. } => line(if self.positional.get(&handle) == Some(&true) {
                enter(Syscall::Pread64 { fd: fd(handle), buf: BUFFER, count: len, pos: pos.0 as i64 })
            } else {
                enter(Syscall::Read { fd: fd(handle), buf: BUFFER, count: len })
            }),
            EventKind::ReadDone { handle, len, .. } => {
                let name = if self.positional.get(&handle) == Some(&true) { "pread64" } else { "read" };
                line(exit(name, len.0));
            }
            EventKind::Lseek { handle, pos, .. } => {
                line(enter(Syscall::Lseek { fd: fd(handle), offset: pos.0 as i64, whence: 0 }));
                line(exit("lseek", pos.0));
            }
            EventKind::Fadvise { handle, pos, len, advice, .. } => line(enter(Syscall::Fadvise64 {
                fd: fd(handle),
                offset: pos.0 as i64,
                len: len.0,
                advice: u32::from(advice),
            })),
            EventKind::Readahead { handle, pos, len, .. } => {
                line(enter(Syscall::Readahead { fd: fd(handle), offset: pos.0 as i64, count: len }));
            }
            EventKind::Mmap { file, handle, advice, exec } => {
                let len = self.world.files.get(file.0 as usize).map_or(Bytes(0), |file| file.bytes);
                let prot = if exec { 5 } else { 1 };
                let start = MAPPINGS + (u64::from(handle.0) << 40);
                line(enter(Syscall::Mmap { addr: 0, len, prot, flags: 1, fd: fd(handle), off: 0 }));
                line(exit("mmap", start));
                // MADV_RANDOM, MADV_SEQUENTIAL, MADV_HUGEPAGE.
                if let Some(behavior) = [None, Some(1), Some(2), Some(14)].get(usize::from(advice)).copied().flatten() {
                    line(enter(Syscall::Madvise { start, len, behavior }));
                    line(exit("madvise", 0));
                }
            }
            EventKind::Decided { decision: id } => {
                if let Some(decision) = decision(id.0 as usize) {
                    self.decision(&decision, line);
                }
            }
            EventKind::PlainRun { file, index, pages, lookahead } => {
                let (dev, ino) = self.inode(file);
                line(Tracepoint::PageCacheRaUnbounded(trace::RaUnbounded {
                    dev,
                    ino,
                    index,
                    nr_to_read: pages,
                    lookahead_size: lookahead,
                }));
            }
            EventKind::FolioAdded { file, first, order, pfn, .. } => {
                line(Tracepoint::MmFilemapAddToPageCache(self.folio(file, first, order, pfn)));
            }
            EventKind::FolioRemoved { file, first, order, pfn, .. } => {
                line(Tracepoint::MmFilemapDeleteFromPageCache(self.folio(file, first, order, pfn)));
            }
            EventKind::GetPages { file, first, last } => {
                line(Tracepoint::MmFilemapGetPages(self.bytes(file, first, last)));
            }
            EventKind::MapPages { file, first, last } => {
                let end = Bytes(last.byte().0.saturating_add(PAGE_BYTES - 1));
                line(Tracepoint::MmFilemapMapPages(self.bytes(file, first.byte(), end)));
            }
            EventKind::Fault { file, page } => {
                let (dev, ino) = self.inode(file);
                let fault = trace::Fault { dev, ino, ofs: page.byte() };
                line(Tracepoint::MmFilemapFault(fault));
            }
            EventKind::BioQueued { file, sector, sectors, ahead } => {
                line(Tracepoint::BlockBioQueue(self.bio(self.dev(file), sector, sectors, ahead)));
            }
            EventKind::GetRequest { sector, sectors, ahead } => {
                line(Tracepoint::BlockGetrq(self.bio(self.disk(), sector, sectors, ahead)));
            }
            EventKind::BackMerged { sector, sectors, ahead } => {
                line(Tracepoint::BlockBioBackmerge(self.bio(self.disk(), sector, sectors, ahead)));
            }
            EventKind::FrontMerged { sector, sectors, ahead } => {
                line(Tracepoint::BlockBioFrontmerge(self.bio(self.disk(), sector, sectors, ahead)));
            }
            EventKind::Split { sector, rest, ahead } => line(Tracepoint::BlockSplit(trace::Split {
                dev: self.disk(),
                rwbs: self.rwbs(ahead),
                sector,
                new_sector: rest,
                comm: self.comm,
            })),
            EventKind::Plugged => line(Tracepoint::BlockPlug(trace::Plug { comm: self.comm })),
            EventKind::Unplugged { requests } => {
                line(Tracepoint::BlockUnplug(trace::Unplug { comm: self.comm, nr_rq: requests }));
            }
            EventKind::Issued { file, sector, sectors, ahead, .. } => line(Tracepoint::BlockRqIssue(trace::Request {
                dev: self.dev(file),
                rwbs: self.rwbs(ahead),
                bytes: sectors.bytes(),
                cmd: "",
                sector,
                nr_sector: sectors,
                ioprio: Some(trace::IoPriority::DEFAULT),
                alignment: None,
                comm: self.comm,
            })),
            EventKind::Completed { file, sector, sectors, ahead, .. } => {
                line(Tracepoint::BlockRqComplete(trace::RequestDone {
                    dev: self.dev(file),
                    rwbs: self.rwbs(ahead),
                    cmd: "",
                    sector,
                    nr_sector: sectors,
                    ioprio: Some(trace::IoPriority::DEFAULT),
                    error: 0,
                }));
            }
            EventKind::Touch { .. }
            | EventKind::TouchDone { .. }
            | EventKind::DropCaches
            | EventKind::MarkerCleared { .. }
            | EventKind::DirectRead { .. }
            | EventKind::Retained { .. }
            | EventKind::Used { .. }
            | EventKind::Wait { .. }
            | EventKind::Wake { .. }
            | EventKind::TaskDone => {}
        }
    }

    /// The call of the readahead code, with the state before, and the window that it hands on.
    fn decision(&self, decision: &Decision, line: &mut dyn FnMut(Tracepoint<'_>)) {
        let Decision { file, via, index, req, before, after, .. } = *decision;
        let (dev, ino) = self.inode(file);
        let trigger = trace::RaTrigger {
            dev,
            ino,
            index: PageIndex(index),
            req_count: Pages(req),
            order: before.order,
            size: Pages(u64::from(before.size)),
            async_size: Pages(u64::from(before.async_size)),
            ra_pages: Pages(u64::from(before.ra_pages)),
            mmap_miss: before.mmap_miss,
            prev_pos: before.prev_pos,
        };
        match decision.traced_call() {
            Some(TracedCall::Sync) => line(Tracepoint::PageCacheSyncRa(trigger)),
            Some(TracedCall::Async) => line(Tracepoint::PageCacheAsyncRa(trigger)),
            None => {}
        }
        if let (Some(window), Via::Sync | Via::Async | Via::Around) = (decision.handed_over(), via) {
            line(Tracepoint::PageCacheRaOrder(trace::RaOrder {
                dev,
                ino,
                index: PageIndex(window.start),
                order: window.order,
                size: Pages(window.size),
                async_size: Pages(window.async_size),
                ra_pages: Pages(u64::from(after.ra_pages)),
            }));
        }
    }
}

fn fd(handle: HandleId) -> i32 {
    FIRST_FD.wrapping_add(handle.0 as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::run::run_to_end;

    #[test]
    fn every_line_has_a_place_in_trace_dat() {
        for name in ["willneed", "mmap-sequential", "small-memory"] {
            let recording = run_to_end(&library::scenario(name).unwrap()).unwrap();
            let mut file = Vec::new();
            assert_eq!(write_trace_dat(&recording, &mut file).unwrap(), 0, "{name}");
            assert!(file.starts_with(b"\x17\x08\x44tracing6\0"));
            // A page for each 40 events at least: nothing was dropped on the way.
            assert!(file.len() > trace_text(&recording, 0..recording.len()).lines().count() * 20, "{name}");
        }
    }
}
