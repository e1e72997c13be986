//! What stands in front of an event: task, process, CPU, flags, time. Owns the types and the printing of the trace file's
//! layout. Must not know any event.

use crate::scan::{push_decimal, push_decimal_wide, text};
use readahead_types::Nanos;

/// Columns of the task's name.
pub(crate) const COMM_COLUMNS: usize = 16;

/// What stands in front of an event. Nothing is sure to be there: people cut columns off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prefix<'a> {
    /// The task's name; empty when the line has none. `<...>` when the kernel no longer knew it.
    pub comm: &'a str,
    /// The thread; `None` when the line has none.
    pub pid: Option<i32>,
    /// The process, with option record-tgid and when the kernel knew it.
    pub tgid: Option<i32>,
    /// The processor.
    pub cpu: Option<u16>,
    /// Interrupt and preemption state.
    pub flags: Flags,
    /// When.
    pub at: Option<Stamp>,
}

/// When, in the clock of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stamp {
    /// A time.
    Time(Nanos),
    /// A number of the clock `counter` (or another without a unit).
    Count(u64),
}

impl Stamp {
    /// The nanoseconds, if it is a time.
    pub fn nanos(self) -> Option<Nanos> {
        match self {
            Stamp::Time(nanos) => Some(nanos),
            Stamp::Count(_) => None,
        }
    }
}

/// The flag characters as printed: interrupts off, need-resched, interrupt context, preempt depth and, from linux-5.12 on,
/// migration disabled.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    len: u8,
    letters: [u8; Flags::MAX],
}

impl Flags {
    const MAX: usize = 7;

    /// From characters; `None` when they cannot be flags.
    #[inline(always)]
    pub fn new(text: &[u8]) -> Option<Self> {
        if text.len() < 3 || text.len() > Flags::MAX || !matches!(text[0], b'.' | b'd' | b'D' | b'b' | b'X') {
            return None;
        }
        let mut letters = [0; Flags::MAX];
        for (letter, byte) in letters.iter_mut().zip(text) {
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'#')) {
                return None;
            }
            *letter = *byte;
        }
        Some(Flags { len: text.len() as u8, letters })
    }

    /// The characters; empty when the line has none.
    pub fn as_str(&self) -> &str {
        text(&self.letters[..usize::from(self.len)])
    }

    /// Printed from interrupt context: the task is not the one that caused the event.
    pub fn in_interrupt(&self) -> bool {
        matches!(self.letters[2], b'h' | b'H' | b's' | b'z' | b'Z')
    }
}

impl std::fmt::Debug for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Prefix<'_> {
    /// Writes the layout of linux-2.6.33, up to the blank before the event: no flags, a narrower pid, microseconds.
    pub(crate) fn write_2_6_33(&self, out: &mut Vec<u8>) {
        out.extend(std::iter::repeat_n(b' ', COMM_COLUMNS.saturating_sub(self.comm.len())));
        out.extend_from_slice(self.comm.as_bytes());
        out.push(b'-');
        let before = out.len();
        push_decimal(out, u64::from(self.pid.unwrap_or(0).unsigned_abs()));
        out.resize(out.len().max(before + 5), b' ');
        out.extend_from_slice(b" [");
        push_decimal_wide(out, u64::from(self.cpu.unwrap_or(0)), 3, b'0');
        out.extend_from_slice(b"] ");
        match self.at {
            Some(Stamp::Time(Nanos(nanos))) => {
                push_decimal_wide(out, nanos / 1_000_000_000, 5, b' ');
                out.push(b'.');
                push_decimal_wide(out, nanos % 1_000_000_000 / 1_000, 6, b'0');
            }
            Some(Stamp::Count(count)) => push_decimal_wide(out, count, 12, b' '),
            None => out.extend_from_slice(b"    0.000000"),
        }
        out.extend_from_slice(b": ");
    }
}

/// How times are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TimeDigits {
    /// Seconds with six decimals, as in the trace file.
    #[default]
    Micros,
    /// Seconds with nine decimals, as in `trace-cmd report -t`.
    Nanos,
}

impl Prefix<'_> {
    /// Writes the trace file's layout, up to the blank before the event. Columns: `tgid` with option record-tgid, `flags`
    /// with option irq-info (the default).
    pub(crate) fn write(&self, columns: Columns, out: &mut Vec<u8>) {
        out.extend(std::iter::repeat_n(b' ', COMM_COLUMNS.saturating_sub(self.comm.len())));
        out.extend_from_slice(self.comm.as_bytes());
        out.push(b'-');
        let before = out.len();
        push_decimal(out, u64::from(self.pid.unwrap_or(0).unsigned_abs()));
        out.resize(out.len().max(before + 7), b' ');
        out.push(b' ');
        if columns.tgid {
            match self.tgid {
                Some(tgid) => {
                    out.push(b'(');
                    push_decimal_wide(out, u64::from(tgid.unsigned_abs()), 7, b' ');
                    out.extend_from_slice(b") ");
                }
                None => out.extend_from_slice(b"(-------) "),
            }
        }
        out.push(b'[');
        push_decimal_wide(out, u64::from(self.cpu.unwrap_or(0)), 3, b'0');
        out.extend_from_slice(b"] ");
        if columns.flags {
            out.extend_from_slice(self.flags.as_str().as_bytes());
        }
        match self.at {
            Some(Stamp::Time(Nanos(nanos))) => {
                out.push(b' ');
                push_decimal_wide(out, nanos / 1_000_000_000, 5, b' ');
                out.push(b'.');
                match columns.time {
                    TimeDigits::Micros => push_decimal_wide(out, nanos % 1_000_000_000 / 1_000, 6, b'0'),
                    TimeDigits::Nanos => push_decimal_wide(out, nanos % 1_000_000_000, 9, b'0'),
                }
            }
            Some(Stamp::Count(count)) => {
                out.push(b' ');
                push_decimal_wide(out, count, 12, b' ');
            }
            None => out.extend_from_slice(b"     0.000000"),
        }
        out.extend_from_slice(b": ");
    }
}

/// The columns of the layout that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Columns {
    /// Option record-tgid.
    pub tgid: bool,
    /// Option irq-info.
    pub flags: bool,
    /// Decimals of the time.
    pub time: TimeDigits,
}

impl Default for Columns {
    fn default() -> Self {
        Columns { tgid: false, flags: true, time: TimeDigits::Micros }
    }
}
