//! One line of a trace as a typed record, and what else a line can be.

use crate::formats::trace_cmd;
use crate::prefix::{Flags, Prefix, Stamp};
use crate::scan::{Scan, text};
use crate::split::{split_aligned, split_anyhow, strip_wrapping};
use crate::tracepoints::Tracepoint;

/// One event. It borrows from the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The line's number, from 1; of an event that a mail program broke, the first line's.
    pub line_no: u64,
    /// When, in the clock of the trace; `None` when the line has no time.
    pub at: Option<Stamp>,
    /// The task's name; empty when the line has none.
    pub comm: &'a str,
    /// The thread; `None` when the line has none.
    pub pid: Option<i32>,
    /// The process, with option record-tgid.
    pub tgid: Option<i32>,
    /// The processor.
    pub cpu: Option<u16>,
    /// Interrupt and preemption state.
    pub flags: Flags,
    /// The event's name as the line has it: `sys_read` for the bare form of system calls, at entry and return alike.
    pub name: &'a str,
    /// The event.
    pub event: Tracepoint<'a>,
}

impl<'a> Record<'a> {
    pub(crate) fn prefix(&self) -> Prefix<'a> {
        Prefix { comm: self.comm, pid: self.pid, tgid: self.tgid, cpu: self.cpu, flags: self.flags, at: self.at }
    }
}

/// The kernel (or trace-cmd) says that events were lost here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// The line's number.
    pub line_no: u64,
    /// On this processor.
    pub cpu: Option<u16>,
    /// How many; `None` when it is not known.
    pub events: Option<u64>,
}

/// What a reader hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// An event.
    Record(Record<'a>),
    /// A gap: what comes does not follow what was.
    Lost(Lost),
}

/// What a line is.
pub(crate) enum Class<'a> {
    Event(Record<'a>),
    Lost(Lost),
    Blank,
    /// Nothing that is known.
    NoEvent,
    /// A known event with a text that is not understood.
    BadText,
}

/// Says what a line is.
#[inline]
pub(crate) fn classify(line: &[u8], line_no: u64) -> Class<'_> {
    if let Some((prefix, event)) = split_aligned(line) {
        return with_prefix(prefix, event, line_no);
    }
    classify_unaligned(line, line_no)
}

#[inline(always)]
fn with_prefix<'a>(prefix: Prefix<'a>, event: &'a [u8], line_no: u64) -> Class<'a> {
    match Tracepoint::read(event) {
        Ok(Some((name, event))) => Class::Event(Record {
            line_no,
            at: prefix.at,
            comm: prefix.comm,
            pid: prefix.pid,
            tgid: prefix.tgid,
            cpu: prefix.cpu,
            flags: prefix.flags,
            name,
            event,
        }),
        Ok(None) => Class::NoEvent,
        Err(_) => with_raw_fields(prefix, event, line_no),
    }
}

/// A known event whose text is not the usual one: perhaps raw fields.
#[cold]
fn with_raw_fields<'a>(prefix: Prefix<'a>, event: &'a [u8], line_no: u64) -> Class<'a> {
    let raw = memchr::memchr(b':', event).and_then(|colon| {
        let name = &event[..colon];
        Some((text(name), trace_cmd::raw(name, &event[colon + 1..])?))
    });
    match raw {
        Some((name, event)) => Class::Event(Record {
            line_no,
            at: prefix.at,
            comm: prefix.comm,
            pid: prefix.pid,
            tgid: prefix.tgid,
            cpu: prefix.cpu,
            flags: prefix.flags,
            name,
            event,
        }),
        None => Class::BadText,
    }
}

#[cold]
fn classify_unaligned(line: &[u8], line_no: u64) -> Class<'_> {
    if line.first() == Some(&b'#') {
        return Class::NoEvent;
    }
    let line = strip_wrapping(line).trim_ascii_end();
    if line.is_empty() {
        return Class::Blank;
    }
    if let Some(lost) = lost(line, line_no) {
        return Class::Lost(lost);
    }
    if let Some((prefix, event)) = split_aligned(line).or_else(|| split_anyhow(line)) {
        return with_prefix(prefix, event, line_no);
    }
    // No prefix at all. Prose has colons too: an unknown event must at least look like a name of the kernel's.
    match with_prefix(Prefix::default(), line, line_no) {
        Class::Event(Record { event: Tracepoint::Other(other), .. })
            if !other.name.contains('_') || other.text.is_empty() =>
        {
            Class::NoEvent
        }
        class => class,
    }
}

/// `CPU:9 [LOST 4084645 EVENTS]`, `CPU:0 [LOST EVENTS]`.
fn lost(line: &[u8], line_no: u64) -> Option<Lost> {
    let mut scan = Scan::new(line);
    scan.literal("CPU:")?;
    let cpu = u16::try_from(scan.decimal()?).ok()?;
    scan.skip_spaces();
    scan.literal("[LOST ")?;
    let events = scan.decimal();
    scan.skip_spaces();
    scan.literal("EVENTS]")?;
    Some(Lost { line_no, cpu: Some(cpu), events })
}
