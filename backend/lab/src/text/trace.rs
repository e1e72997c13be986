//! A recording as the trace file of the kernel that was run: tracepoint lines with the usual ftrace prefix.
//!
//! Every event becomes the record of its tracepoint, and readahead-trace prints it; no line is put together here. Events
//! that no kernel has (pages used, tasks asleep) have no line.

use crate::rows::Decisions;
use crate::run::Recording;
use readahead_sim::WorldSpec;
use readahead_trace as trace;
use readahead_trace::{Dev, Form, Printer, Record, Tracepoint};
use readahead_types::{
    Bytes, Decision, Event, EventKind, FileId, HandleId, Order, PAGE_BYTES, PageIndex, Pages, Sectors, TracedCall, Via,
};
use std::collections::BTreeMap;
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
    let mut header = Vec::new();
    let entries = count_lines(recording);
    Printer::new(Form::Linux7_2).header(entries, entries, 1, &mut header);
    let header = String::from_utf8(header).expect("the header is ASCII");
    // Whoever reads the file later must not take it for a kernel's.
    let model = &recording.scenario().parts().kernel.model;
    header.replacen("# tracer: nop\n", &format!("# tracer: nop\n#\n# simulated: {model}, run {}\n", recording.id()), 1)
}

/// Writes the whole trace file, header and lines.
pub fn write_trace(recording: &Recording, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(trace_header(recording).as_bytes())?;
    Lines::new(recording).write(0..recording.len(), out)
}

/// Writes the whole trace as trace.dat, which trace-cmd and KernelShark read. Returns how many lines of the text have no
/// place in it.
pub fn write_trace_dat(recording: &Recording, out: &mut dyn Write) -> io::Result<u64> {
    let model = &recording.scenario().parts().kernel.model;
    let mut file = trace::DatWriter::new(1, &format!("Linux readahead-lab {model} (simulated)"));
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
fn parts(range: Range<usize>, len: usize) -> impl Iterator<Item = Range<usize>> {
    const PART: usize = 8192;
    let end = range.end.min(len);
    (range.start..end).step_by(PART).map(move |from| from..end.min(from + PART))
}

/// Turns events into lines. It remembers file positions, so a follower that prints part by part keeps one.
pub struct Lines {
    recording: Recording,
    printer: Printer,
    comms: Vec<String>,
    /// Where read(2) of a handle goes on; a read elsewhere was a pread(2).
    positions: BTreeMap<HandleId, u64>,
    positional: BTreeMap<HandleId, bool>,
}

impl Lines {
    /// Lines of this recording, from its beginning.
    pub fn new(recording: &Recording) -> Self {
        let streams = recording.scenario().world().streams.len();
        Lines {
            recording: recording.clone(),
            printer: Printer::new(Form::Linux7_2),
            comms: (0..streams).map(|stream| format!("stream{stream}")).collect(),
            positions: BTreeMap::new(),
            positional: BTreeMap::new(),
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
        let events = self.recording.events(range);
        let decisions = Decisions::of(&self.recording, &events);
        for event in &events {
            self.event(event, |id| decisions.get(id), take);
        }
    }

    /// Gives the records of one event.
    fn event(
        &mut self,
        event: &Event,
        decision: impl Fn(usize) -> Option<Decision>,
        take: &mut dyn FnMut(&Printer, &Record<'_>),
    ) {
        self.follow(event);
        let scenario = self.recording.scenario().clone();
        let context = Context {
            world: scenario.world(),
            comm: self.comms.get(event.task.0 as usize).map_or("stream", String::as_str),
            positional: &self.positional,
        };
        let mut line = |tracepoint: Tracepoint<'_>| {
            let interrupt = matches!(event.kind, EventKind::Completed { .. });
            let record = Record {
                line_no: 0,
                at: Some(trace::Stamp::Time(event.at)),
                comm: if interrupt { "<idle>" } else { context.comm },
                pid: Some(if interrupt { 0 } else { FIRST_PID.wrapping_add(event.task.0 as i32) }),
                tgid: None,
                cpu: Some(0),
                flags: if interrupt { self.printer.interrupt_flags() } else { self.printer.task_flags() },
                name: "",
                event: tracepoint,
            };
            take(&self.printer, &record);
        };
        context.tracepoints(event, decision, &mut line);
    }

    /// Keeps the file positions.
    fn follow(&mut self, event: &Event) {
        match event.kind {
            EventKind::Open { handle, .. } => drop(self.positions.insert(handle, 0)),
            EventKind::Lseek { handle, pos, .. } => drop(self.positions.insert(handle, pos.0)),
            EventKind::Read { handle, pos, .. } => {
                let position = *self.positions.entry(handle).or_default();
                self.positional.insert(handle, position != pos.0);
            }
            EventKind::ReadDone { handle, len, .. } if self.positional.get(&handle) == Some(&false) => {
                *self.positions.entry(handle).or_default() += len.0;
            }
            _ => {}
        }
    }
}

/// What a line needs beside its event.
struct Context<'a> {
    world: &'a WorldSpec,
    comm: &'a str,
    positional: &'a BTreeMap<HandleId, bool>,
}

impl<'a> Context<'a> {
    fn dev(&self, file: FileId) -> Dev {
        let (major, minor) = self.world.files.get(file.0 as usize).map_or((0, 0), |file| file.dev);
        Dev { major, minor }
    }

    fn ino(&self, file: FileId) -> u64 {
        self.world.files.get(file.0 as usize).map_or(0, |file| file.ino)
    }

    fn disk(&self) -> Dev {
        self.dev(FileId(0))
    }

    fn folio(&self, file: FileId, first: PageIndex, order: Order, pfn: u64) -> trace::Folio {
        let frame = trace::Frame { pfn, page: None };
        trace::Folio { dev: self.dev(file), ino: self.ino(file), frame, ofs: first.byte(), order: Some(order) }
    }

    fn bytes(&self, file: FileId, first: Bytes, last: Bytes) -> trace::PageRange {
        trace::PageRange { dev: self.dev(file), ino: self.ino(file), ofs: trace::ByteRange { first, last } }
    }

    fn bio(&self, dev: Dev, sector: Sectors, nr_sector: Sectors, ahead: bool) -> trace::Bio<'a> {
        trace::Bio { dev, rwbs: trace::Rwbs::read(ahead), sector, nr_sector, comm: self.comm }
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
                line(Tracepoint::PageCacheRaUnbounded(trace::RaUnbounded {
                    dev: self.dev(file),
                    ino: self.ino(file),
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
                let fault = trace::Fault { dev: self.dev(file), ino: self.ino(file), ofs: page.byte() };
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
                rwbs: trace::Rwbs::read(ahead),
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
                rwbs: trace::Rwbs::read(ahead),
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
                    rwbs: trace::Rwbs::read(ahead),
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
        let trigger = trace::RaTrigger {
            dev: self.dev(file),
            ino: self.ino(file),
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
                dev: self.dev(file),
                ino: self.ino(file),
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
