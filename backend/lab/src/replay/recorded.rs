//! What a trace says, put into the order in which a replay needs it: the calls of each task, and what the kernel did in
//! each of them.
//!
//! A call is a read (from its system call, or from get_pages lines where system calls were not traced), a fault, an
//! advice, a mapping. Lines between two calls of a task belong to the first.

use readahead_trace::{Dev, Item, Openat, Record, Syscall, TraceError, TraceReader, Tracepoint};
use readahead_types::{Bytes, PAGE_BYTES};
use std::collections::HashMap;
use std::io::Read;

/// A file of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FileKey {
    pub(super) dev: Dev,
    pub(super) ino: u64,
}

/// State of an open file as the sync and async lines print it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Trigger {
    pub(super) is_async: bool,
    pub(super) index: u64,
    pub(super) req: u64,
    pub(super) order: u16,
    pub(super) size: u64,
    pub(super) async_size: u64,
    pub(super) ra_pages: u64,
    pub(super) mmap_miss: u32,
    pub(super) prev_pos: i64,
}

/// One line of what the kernel did for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Deed {
    /// page_cache_sync_ra or page_cache_async_ra.
    Trigger(Trigger),
    /// page_cache_ra_order: index, order, size, async_size.
    Window(u64, u16, u64, u64),
    /// page_cache_ra_unbounded: index, pages, lookahead.
    Plain(u64, u64, u64),
    /// A folio was added: first page, order, page frame.
    Add(u64, u8, u64),
}

/// What a task did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// read(2) or pread(2): byte position (`None`: the file position) and length.
    Read {
        pos: Option<u64>,
        len: u64,
    },
    /// A read known from its get_pages lines only: whole pages.
    ReadPages {
        first: u64,
        end: u64,
    },
    Lseek {
        offset: i64,
        whence: u32,
    },
    Fadvise {
        pos: u64,
        len: u64,
        advice: u32,
    },
    Readahead {
        pos: u64,
        len: u64,
    },
    Mmap {
        exec: bool,
    },
    Madvise {
        advice: u32,
    },
    /// A fault was reached on this page.
    Fault {
        page: u64,
    },
    /// Fault-around mapped what was cached of these pages.
    MapAround {
        first: u64,
        end: u64,
    },
    /// A mapping was touched somewhere: the kernel has no events of faults (before linux-6.12), only of the folios that one
    /// brought, up to their bio.
    Touched,
    /// A folio left the page cache.
    Removed {
        first: u64,
    },
    /// Folios that somebody else added (khugepaged, another process without calls of its own).
    Foreign,
}

/// A call with what the kernel did in it.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) line: u64,
    pub(super) kind: CallKind,
    /// Which open file, by its place in [`Recorded::opens`]; `None`: known by its file only.
    pub(super) open: Option<usize>,
    /// The file, when the call's own lines name it.
    pub(super) file: Option<FileKey>,
    /// Deeds with their line numbers.
    pub(super) deeds: Vec<(u64, Deed)>,
    /// What the system call returned: bytes of a read.
    pub(super) returned: Option<u64>,
    /// First page that get_pages found for a read.
    pub(super) found_page: Option<u64>,
    /// Where it comes in the order of the calls of all tasks: at the first thing that it did to the cache, or, when it did
    /// nothing, where it was last seen to find its pages.
    at: u64,
    /// Line of the last folio that it added, or of the bio that reads them.
    busy_until: u64,
    /// The last line that belongs to it.
    seen_until: u64,
    /// Another task read the same file, or added folios to it, in the middle of this call.
    pub(super) contended: bool,
    /// Folios (first page, order) that calls which come later had added before this one was through.
    pub(super) meanwhile: Vec<(u64, u8)>,
    /// Task and descriptor of a system call.
    descriptor: Option<(i32, i32)>,
}

/// A file opened by a task.
#[derive(Clone, Debug, Default)]
pub(super) struct Open {
    /// The file, once a line named it.
    pub(super) file: Option<FileKey>,
    /// The name given to openat, when it can be told.
    pub(super) name: Option<String>,
    /// The open itself is in the trace, so its state began fresh.
    pub(super) fresh: bool,
    /// Reads on it so far.
    reads: u64,
}

/// A data request or a bio, in the order of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockLine {
    pub(super) line: u64,
    pub(super) dev: Dev,
    pub(super) sector: u64,
    pub(super) sectors: u64,
}

/// Folios added by one task, or the bio that reads them, for finding out where a file lies on the disk.
#[derive(Clone, Copy, Debug)]
pub(super) enum Placement {
    /// `ahead`: on behalf of a window or a run, as far as the trace tells.
    Added {
        pid: i32,
        file: FileKey,
        first: u64,
        order: u8,
        ahead: Option<bool>,
    },
    Bio {
        pid: i32,
        bio: BlockLine,
        ahead: bool,
    },
    /// A system call of the task began: what it added before has been read as far as it is going to be.
    Call {
        pid: i32,
    },
}

/// A trace as a replay sees it.
#[derive(Default)]
pub(super) struct Recorded {
    pub(super) calls: Vec<Call>,
    pub(super) opens: Vec<Open>,
    /// Data reads issued to devices.
    pub(super) requests: Vec<BlockLine>,
    pub(super) placements: Vec<Placement>,
    /// ra_pages of each file as its first readahead line prints it, and that line.
    pub(super) ra_pages: HashMap<FileKey, (u64, u64)>,
    /// The trace has readahead events (linux-6.18.y, 6.19 and later).
    pub(super) has_readahead_events: bool,
    /// No kernel made the trace.
    pub(super) simulated: bool,
    /// Events were lost, so calls may be missing.
    pub(super) lost: bool,
    pub(super) lines: u64,
}

#[derive(Default)]
struct Task {
    /// Descriptors, by number.
    descriptors: HashMap<i32, usize>,
    /// Names of opens whose descriptor is not known yet, with whether they were used up by a return value.
    pending: Vec<String>,
    /// The open that was mapped last.
    mapped: Option<usize>,
    /// The call being carried out, by its place.
    call: Option<usize>,
    /// Deeds that came before the get_pages line of a read without a system call.
    loose: Vec<(u64, Deed)>,
    loose_file: Option<FileKey>,
    /// System calls of reads are traced.
    reads_traced: bool,
    /// A window or a run of single folios is being laid out.
    in_run: bool,
    /// The touch of a mapping whose folios are being added.
    touch: Option<usize>,
}

/// Reads a trace. With `infer_touches` folios that appear outside of calls while a file is mapped are taken for what
/// faults on the mapping brought.
pub(super) fn read<'r>(input: impl Read + Send + 'r, infer_touches: bool) -> Result<Recorded, TraceError> {
    let mut reader = TraceReader::new(input)?;
    let mut builder = Builder { infer_touches, ..Builder::default() };
    reader.for_each(|item| match item {
        Item::Record(record) => builder.record(&record),
        Item::Lost(_) => builder.out.lost = true,
    })?;
    builder.finish();
    builder.out.lines = reader.lines();
    builder.out.simulated = reader.header().simulated.is_some();
    Ok(builder.out)
}

#[derive(Default)]
struct Builder {
    out: Recorded,
    tasks: HashMap<i32, Task>,
    infer_touches: bool,
}

impl Builder {
    fn record(&mut self, record: &Record<'_>) {
        let pid = record.pid.unwrap_or(0);
        let line = record.line_no;
        let page = |bytes: Bytes| bytes.0 / PAGE_BYTES;
        match &record.event {
            Tracepoint::SysEnter(call) => self.system_call(pid, line, call),
            Tracepoint::SysExit(exit) if exit.name == "openat" && exit.ret >= 0 => {
                let task = self.tasks.entry(pid).or_default();
                if let Some(name) = task.pending.pop() {
                    self.out.opens.push(Open { name: Some(name), fresh: true, ..Open::default() });
                    task.descriptors.insert(exit.ret as i32, self.out.opens.len() - 1);
                }
            }
            Tracepoint::SysExit(exit) if matches!(exit.name, "read" | "pread64") && exit.ret >= 0 => {
                if let Some(call) = self.tasks.entry(pid).or_default().call
                    && matches!(self.out.calls[call].kind, CallKind::Read { .. })
                {
                    self.out.calls[call].returned = Some(exit.ret as u64);
                }
            }
            Tracepoint::PageCacheSyncRa(event) | Tracepoint::PageCacheAsyncRa(event) => {
                self.see_ra_pages(line, FileKey { dev: event.dev, ino: event.ino }, event.ra_pages.0);
                let trigger = Trigger {
                    is_async: matches!(record.event, Tracepoint::PageCacheAsyncRa(_)),
                    index: event.index.0,
                    req: event.req_count.0,
                    order: event.order,
                    size: event.size.0,
                    async_size: event.async_size.0,
                    ra_pages: event.ra_pages.0,
                    mmap_miss: event.mmap_miss,
                    prev_pos: event.prev_pos,
                };
                self.deed(record, line, FileKey { dev: event.dev, ino: event.ino }, Deed::Trigger(trigger));
            }
            Tracepoint::PageCacheRaOrder(event) => {
                self.see_ra_pages(line, FileKey { dev: event.dev, ino: event.ino }, event.ra_pages.0);
                let deed = Deed::Window(event.index.0, event.order, event.size.0, event.async_size.0);
                self.deed(record, line, FileKey { dev: event.dev, ino: event.ino }, deed);
            }
            Tracepoint::PageCacheRaUnbounded(event) => {
                self.out.has_readahead_events = true;
                let deed = Deed::Plain(event.index.0, event.nr_to_read.0, event.lookahead_size.0);
                self.deed(record, line, FileKey { dev: event.dev, ino: event.ino }, deed);
            }
            Tracepoint::MmFilemapAddToPageCache(event) => {
                let file = FileKey { dev: event.dev, ino: event.ino };
                let (first, order) = (page(event.ofs), event.order.map_or(0, |order| order.0));
                let in_run = self.tasks.entry(pid).or_default().in_run;
                let ahead = self.out.has_readahead_events.then_some(in_run);
                self.out.placements.push(Placement::Added { pid, file, first, order, ahead });
                self.deed(record, line, file, Deed::Add(first, order, event.frame.pfn));
            }
            Tracepoint::MmFilemapDeleteFromPageCache(event) => {
                let file = FileKey { dev: event.dev, ino: event.ino };
                self.push(line, CallKind::Removed { first: page(event.ofs) }, None, Some(file));
            }
            Tracepoint::MmFilemapGetPages(event) => {
                let file = FileKey { dev: event.dev, ino: event.ino };
                self.get_pages(pid, line, file, page(event.ofs.first), page(event.ofs.last) + 1);
            }
            Tracepoint::MmFilemapFault(event) => {
                let file = FileKey { dev: event.dev, ino: event.ino };
                self.fault(pid, line, file, CallKind::Fault { page: page(event.ofs) });
            }
            Tracepoint::MmFilemapMapPages(event) => {
                let file = FileKey { dev: event.dev, ino: event.ino };
                let kind = CallKind::MapAround { first: page(event.ofs.first), end: page(event.ofs.last) + 1 };
                self.fault(pid, line, file, kind);
            }
            Tracepoint::BlockBioQueue(bio) if is_data(&bio.rwbs) => {
                let task = self.tasks.entry(pid).or_default();
                task.touch = None;
                if let Some(call) = task.call {
                    self.out.calls[call].busy_until = line;
                    self.out.calls[call].seen_until = line;
                }
                let bio = BlockLine { line, dev: bio.dev, sector: bio.sector.0, sectors: bio.nr_sector.0 };
                let ahead = record_is_ahead(&record.event);
                self.out.placements.push(Placement::Bio { pid, bio, ahead });
            }
            Tracepoint::BlockRqIssue(request) if is_data(&request.rwbs) => {
                let request =
                    BlockLine { line, dev: request.dev, sector: request.sector.0, sectors: request.nr_sector.0 };
                self.out.requests.push(request);
            }
            _ => {}
        }
    }

    fn see_ra_pages(&mut self, line: u64, file: FileKey, ra_pages: u64) {
        self.out.has_readahead_events = true;
        self.out.ra_pages.entry(file).or_insert((ra_pages, line));
    }

    fn push(&mut self, line: u64, kind: CallKind, open: Option<usize>, file: Option<FileKey>) -> usize {
        self.out.calls.push(Call {
            line,
            kind,
            open,
            file,
            deeds: Vec::new(),
            returned: None,
            found_page: None,
            at: line,
            busy_until: line,
            seen_until: line,
            contended: false,
            meanwhile: Vec::new(),
            descriptor: None,
        });
        self.out.calls.len() - 1
    }

    /// The open file of a descriptor; one that was never seen before is taken to be the oldest open not used yet.
    fn descriptor(&mut self, pid: i32, fd: i32) -> usize {
        let task = self.tasks.entry(pid).or_default();
        if let Some(open) = task.descriptors.get(&fd) {
            return *open;
        }
        let name = (!task.pending.is_empty()).then(|| task.pending.remove(0));
        self.out.opens.push(Open { fresh: name.is_some(), name, ..Open::default() });
        let open = self.out.opens.len() - 1;
        task.descriptors.insert(fd, open);
        open
    }

    fn system_call(&mut self, pid: i32, line: u64, call: &Syscall<'_>) {
        self.end_call(pid);
        self.out.placements.push(Placement::Call { pid });
        let kind = match *call {
            Syscall::Openat(Openat { name, .. }) => {
                let task = self.tasks.entry(pid).or_default();
                task.pending.push(name.unwrap_or_default().to_owned());
                return;
            }
            Syscall::Close { fd } => {
                self.tasks.entry(pid).or_default().descriptors.remove(&fd);
                return;
            }
            Syscall::Madvise { behavior, .. } => {
                let open = self.tasks.entry(pid).or_default().mapped;
                if let Some(open) = open {
                    let call = self.push(line, CallKind::Madvise { advice: behavior }, Some(open), None);
                    self.tasks.entry(pid).or_default().call = Some(call);
                }
                return;
            }
            Syscall::Munmap { .. } => return,
            Syscall::Mmap { prot, fd, flags, .. } => {
                const MAP_ANONYMOUS: u32 = 0x20;
                if flags & MAP_ANONYMOUS == 0 && fd >= 0 {
                    let open = self.descriptor(pid, fd);
                    self.push(line, CallKind::Mmap { exec: prot & 4 != 0 }, Some(open), None);
                    self.tasks.entry(pid).or_default().mapped = Some(open);
                }
                return;
            }
            Syscall::Read { count, .. } => CallKind::Read { pos: None, len: count.0 },
            Syscall::Pread64 { count, pos, .. } => CallKind::Read { pos: Some(pos as u64), len: count.0 },
            Syscall::Lseek { offset, whence, .. } => CallKind::Lseek { offset, whence },
            Syscall::Fadvise64 { offset, len, advice, .. } => CallKind::Fadvise { pos: offset as u64, len, advice },
            Syscall::Readahead { offset, count, .. } => CallKind::Readahead { pos: offset as u64, len: count.0 },
        };
        let fd = match *call {
            Syscall::Read { fd, .. }
            | Syscall::Pread64 { fd, .. }
            | Syscall::Lseek { fd, .. }
            | Syscall::Fadvise64 { fd, .. }
            | Syscall::Readahead { fd, .. } => fd,
            _ => return,
        };
        let open = self.descriptor(pid, fd);
        let call = self.push(line, kind, Some(open), None);
        self.out.calls[call].descriptor = Some((pid, fd));
        self.out.opens[open].reads += u64::from(matches!(kind, CallKind::Read { .. }));
        let task = self.tasks.entry(pid).or_default();
        task.call = Some(call);
        task.reads_traced |= matches!(kind, CallKind::Read { .. });
    }

    /// What follows belongs to no call of the task until the next begins.
    fn end_call(&mut self, pid: i32) {
        let task = self.tasks.entry(pid).or_default();
        task.call = None;
        task.touch = None;
        task.in_run = false;
        let loose = std::mem::take(&mut task.loose);
        let file = task.loose_file.take();
        // One call for each window, so that each comes at its own time.
        for (line, deed) in loose {
            let continues = self
                .out
                .calls
                .last()
                .is_some_and(|last| last.kind == CallKind::Foreign && last.file == file && !last.deeds.is_empty());
            let call = if continues && !matches!(deed, Deed::Trigger(_)) {
                self.out.calls.len() - 1
            } else {
                self.push(line, CallKind::Foreign, None, file)
            };
            self.out.calls[call].deeds.push((line, deed));
        }
    }

    /// A line of the kernel's work for a file.
    fn deed(&mut self, record: &Record<'_>, line: u64, file: FileKey, deed: Deed) {
        let pid = record.pid.unwrap_or(0);
        if matches!(deed, Deed::Window(..) | Deed::Plain(..)) {
            self.tasks.entry(pid).or_default().in_run = true;
        }
        if let Some(call) = self.tasks.entry(pid).or_default().call
            && !matches!(self.out.calls[call].kind, CallKind::ReadPages { .. })
            && self.names(call, file)
        {
            let call = &mut self.out.calls[call];
            if call.deeds.is_empty() {
                call.at = line;
            }
            call.deeds.push((line, deed));
            call.busy_until = line;
            call.seen_until = line;
            return;
        }
        if self.infer_touches && matches!(deed, Deed::Add(..)) && self.touch(pid, line, file, deed) {
            return;
        }
        let task = self.tasks.entry(pid).or_default();
        if task.loose_file.is_some_and(|loose| loose != file) {
            self.end_call(pid);
        }
        let task = self.tasks.entry(pid).or_default();
        task.loose_file = Some(file);
        task.loose.push((line, deed));
    }

    /// A folio that no call brought, while the task has the file mapped: a fault did. True when it was one.
    fn touch(&mut self, pid: i32, line: u64, file: FileKey, deed: Deed) -> bool {
        let task = self.tasks.entry(pid).or_default();
        let Some(open) = task.mapped else { return false };
        if *self.out.opens[open].file.get_or_insert(file) != file {
            return false;
        }
        let call = match task.touch {
            Some(call) => call,
            None => {
                let call = self.push(line, CallKind::Touched, Some(open), Some(file));
                self.tasks.entry(pid).or_default().touch = Some(call);
                call
            }
        };
        self.out.calls[call].deeds.push((line, deed));
        true
    }

    /// Whether a call can be one on this file; if it can, it is.
    fn names(&mut self, call: usize, file: FileKey) -> bool {
        let call = &mut self.out.calls[call];
        if let Some(known) = call.file {
            return known == file;
        }
        if matches!(call.kind, CallKind::Lseek { .. } | CallKind::Mmap { .. }) {
            return false;
        }
        if let Some(open) = call.open {
            let known = self.out.opens[open].file;
            let is_read = matches!(call.kind, CallKind::Read { .. });
            // Every read of a file that is traced names it: reads that named none were of something else.
            let other = match known {
                Some(known) => known != file,
                None => self.out.opens[open].reads > u64::from(is_read),
            };
            match call.descriptor {
                None if other => return false,
                Some((pid, fd)) if other => {
                    // The descriptor was closed and opened again where the trace does not show it.
                    self.out.opens.push(Open { file: Some(file), fresh: true, reads: 1, ..Open::default() });
                    let open = self.out.opens.len() - 1;
                    call.open = Some(open);
                    self.tasks.entry(pid).or_default().descriptors.insert(fd, open);
                }
                _ => self.out.opens[open].file = Some(file),
            }
        }
        call.file = Some(file);
        true
    }

    /// get_pages of a read succeeded: the read goes on to page `end`.
    fn get_pages(&mut self, pid: i32, line: u64, file: FileKey, first: u64, end: u64) {
        let task = self.tasks.entry(pid).or_default();
        task.in_run = false;
        if let Some(call) = task.call
            && matches!(self.out.calls[call].kind, CallKind::Read { .. } | CallKind::ReadPages { .. })
        {
            let goes_on = match self.out.calls[call].kind {
                CallKind::ReadPages { first: began, end: known } => known == end && first > began,
                _ => true,
            };
            if goes_on && self.names(call, file) {
                self.out.calls[call].found_page.get_or_insert(first);
                self.out.calls[call].seen_until = line;
                if self.out.calls[call].deeds.is_empty() {
                    self.out.calls[call].at = line;
                }
                let task = self.tasks.entry(pid).or_default();
                if task.loose_file == Some(file) {
                    task.loose_file = None;
                    self.out.calls[call].deeds.append(&mut task.loose);
                }
                return;
            }
        }
        let task = self.tasks.entry(pid).or_default();
        if task.reads_traced {
            return;
        }
        let loose = if task.loose_file == Some(file) { std::mem::take(&mut task.loose) } else { Vec::new() };
        task.loose_file = None;
        let began = loose.first().map_or(line, |(line, _)| *line);
        let call = self.push(began, CallKind::ReadPages { first, end }, None, Some(file));
        self.out.calls[call].deeds = loose;
        self.tasks.entry(pid).or_default().call = Some(call);
    }

    fn fault(&mut self, pid: i32, line: u64, file: FileKey, kind: CallKind) {
        if let (CallKind::Fault { page }, Some(call)) = (kind, self.tasks.entry(pid).or_default().call) {
            // Fault-around that did not map the page itself is the beginning of the fault, not a touch of its own.
            let call = &mut self.out.calls[call];
            if let CallKind::MapAround { first, end } = call.kind
                && (first..end).contains(&page)
                && call.file == Some(file)
                && call.deeds.is_empty()
            {
                call.kind = kind;
                return;
            }
        }
        self.end_call(pid);
        let task = self.tasks.entry(pid).or_default();
        let open = task.mapped;
        if let Some(open) = open {
            self.out.opens[open].file.get_or_insert(file);
        }
        let open = open.filter(|open| self.out.opens[*open].file == Some(file));
        let call = self.push(line, kind, open, Some(file));
        self.tasks.entry(pid).or_default().call = Some(call);
    }

    fn finish(&mut self) {
        let mut pids: Vec<i32> = self.tasks.keys().copied().collect();
        pids.sort_unstable();
        for pid in pids {
            self.end_call(pid);
        }
        self.find_contention();
        self.out.calls.sort_by_key(|call| (call.at, call.line));
    }
}

impl Builder {
    /// Marks the calls in the middle of which another call added folios to the same file, and the reads in the middle of
    /// which another task read it.
    fn find_contention(&mut self) {
        let mut adding: HashMap<FileKey, Vec<(u64, u64, usize)>> = HashMap::new();
        let mut reading: HashMap<FileKey, Vec<(u64, u64, usize)>> = HashMap::new();
        for (number, call) in self.out.calls.iter().enumerate() {
            let Some(file) = call.file else { continue };
            if let Some((first, _)) = call.deeds.first() {
                adding.entry(file).or_default().push((*first, call.busy_until, number));
            }
            // One task's calls come one after the other, so reads of a file that overlap are of two tasks.
            if matches!(call.kind, CallKind::Read { .. }) && call.found_page.is_some() {
                reading.entry(file).or_default().push((call.line, call.seen_until, number));
            }
        }
        for ranges in adding.values_mut() {
            ranges.sort_unstable();
            for (at, &(_, until, number)) in ranges.iter().enumerate() {
                let later = ranges[at + 1..].iter().take_while(|(begin, ..)| *begin < until);
                let mut meanwhile = Vec::new();
                for &(_, _, other) in later {
                    for (line, deed) in &self.out.calls[other].deeds {
                        if let Deed::Add(first, order, _) = *deed
                            && *line < until
                        {
                            meanwhile.push((first, order));
                        }
                    }
                }
                self.out.calls[number].meanwhile = meanwhile;
            }
        }
        for ranges in adding.values_mut().chain(reading.values_mut()) {
            ranges.sort_unstable();
            // The call that reaches farthest of those that began before.
            let mut farthest: Option<(u64, usize)> = None;
            for &(begin, end, number) in &*ranges {
                if let Some((_, other)) = farthest.filter(|(end, _)| begin < *end) {
                    self.out.calls[number].contended = true;
                    self.out.calls[other].contended = true;
                }
                if farthest.is_none_or(|(reached, _)| reached < end) {
                    farthest = Some((end, number));
                }
            }
        }
    }
}

/// Data reads of files: not metadata, not direct I/O, not writes.
fn is_data(rwbs: &readahead_trace::Rwbs) -> bool {
    let letters = rwbs.as_str();
    letters == "R" || letters == "RA"
}

/// The bio carries REQ_RAHEAD.
fn record_is_ahead(event: &Tracepoint<'_>) -> bool {
    matches!(event, Tracepoint::BlockBioQueue(bio) if bio.rwbs.as_str() == "RA")
}
