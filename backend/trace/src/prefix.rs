//! What stands in front of an event: task, process, CPU, flags, time. Owns every layout of it that kernels and trace-cmd
//! print, and the printing of the default layout. Must not know any event.

use crate::scan::{Scan, push_decimal, push_decimal_wide, text};
use readahead_types::Nanos;

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

/// Columns of the task's name.
const COMM_COLUMNS: usize = 16;
/// The dash behind the name is looked for in this many bytes.
const NAME_BYTES_MAX: usize = 64;

/// Splits a line of the usual layout into its prefix and the event: `COMM-PID (TGID) [CPU] FLAGS TIME: `, the name
/// right-aligned so that the dash stands in the 17th column.
#[inline(always)]
pub(crate) fn split_aligned(line: &[u8]) -> Option<(Prefix<'_>, &[u8])> {
    if line.len() <= COMM_COLUMNS || line[COMM_COLUMNS] != b'-' {
        return None;
    }
    let (comm, rest) = line.split_at(COMM_COLUMNS);
    let blanks = comm.iter().position(|byte| *byte != b' ')?;
    after_dash(&comm[blanks..], Scan::new(&rest[1..]))
}

/// Splits a line of any other layout. `None`: the line has no prefix.
#[cold]
pub(crate) fn split_anyhow(line: &[u8]) -> Option<(Prefix<'_>, &[u8])> {
    let line = line.trim_ascii_start();
    // A name has at most 15 characters; the search is bounded for lines that are no trace lines.
    let names = line.get(..NAME_BYTES_MAX).unwrap_or(line);
    if line.first().is_some_and(u8::is_ascii_digit)
        && let Some(split) = after_cpu(Prefix::default(), Scan::new(line))
    {
        return Some(split);
    }
    // The name may hold dashes and digits itself: the first dash from which the whole prefix makes sense is the one.
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'-', &names[from..]) {
        let dash = from + found;
        if line.get(dash + 1).is_some_and(u8::is_ascii_digit)
            && let Some(split) = after_dash(&line[..dash], Scan::new(&line[dash + 1..]))
        {
            return Some(split);
        }
        from = dash + 1;
    }
    None
}

/// The pid and everything behind it.
#[inline(always)]
fn after_dash<'a>(comm: &'a [u8], mut scan: Scan<'a>) -> Option<(Prefix<'a>, &'a [u8])> {
    let mut prefix = Prefix { comm: text(comm), ..Prefix::default() };
    prefix.pid = Some(i32::try_from(scan.decimal()?).ok()?);
    if !matches!(scan.peek(), Some(b' ' | b'(' | b'[' | b'\t')) {
        return None;
    }
    scan.skip_spaces();
    if scan.take(b'(') {
        scan.skip_spaces();
        if scan.peek() == Some(b'-') {
            scan.until(b')')?;
        } else {
            prefix.tgid = Some(i32::try_from(scan.decimal()?).ok()?);
            scan.skip_spaces();
            if !scan.take(b')') {
                return None;
            }
        }
        scan.skip_spaces();
    }
    if scan.take(b'[') {
        prefix.cpu = Some(u16::try_from(scan.decimal()?).ok()?);
        if !scan.take(b']') {
            return None;
        }
        scan.skip_spaces();
    } else {
        // Latency layout: `0d.h1.`, the processor glued to the flags.
        prefix.cpu = Some(u16::try_from(scan.decimal()?).ok()?);
        if !matches!(scan.peek(), Some(b'.' | b'd' | b'D' | b'b' | b'X')) {
            return None;
        }
    }
    after_cpu(prefix, scan)
}

/// Flags, if any, and the time.
#[inline(always)]
fn after_cpu<'a>(mut prefix: Prefix<'a>, mut scan: Scan<'a>) -> Option<(Prefix<'a>, &'a [u8])> {
    if !matches!(scan.peek(), Some(b'0'..=b'9')) {
        prefix.flags = Flags::new(scan.word())?;
        scan.skip_spaces();
    }
    let whole = scan.decimal()?;
    prefix.at = Some(match scan.peek()? {
        b'.' => {
            scan.rest = &scan.rest[1..];
            let before = scan.rest.len();
            let fraction = scan.decimal()?;
            let scale = match before - scan.rest.len() {
                6 => 1_000,
                9 => 1,
                digits @ 1..9 => 10u64.pow(9 - digits as u32),
                _ => return None,
            };
            let nanos = whole.checked_mul(1_000_000_000)?.checked_add(fraction * scale)?;
            Stamp::Time(Nanos(nanos))
        }
        b'u' => {
            // Latency layout: `646093us!: `, the last character telling how long the next event took to come.
            scan.literal("us")?;
            if matches!(scan.peek(), Some(b' ' | b'+' | b'!' | b'#' | b'*' | b'@' | b'$')) {
                scan.rest = &scan.rest[1..];
            }
            Stamp::Time(Nanos(whole.checked_mul(1_000)?))
        }
        b':' => Stamp::Count(whole),
        _ => return None,
    });
    if !scan.take(b':') || !matches!(scan.peek(), Some(b' ' | b'\t')) {
        return None;
    }
    scan.skip_spaces();
    Some((prefix, scan.rest))
}

/// Takes quoting (`> `) and the stamp of a kernel log (`[  12.345678] `) off a line.
#[cold]
pub(crate) fn strip_wrapping(mut line: &[u8]) -> &[u8] {
    loop {
        while let [b'>' | b' ' | b'\t', rest @ ..] = line {
            line = rest;
        }
        let mut scan = Scan::new(line);
        if !scan.take(b'[') {
            return line;
        }
        scan.skip_spaces();
        if scan.decimal().is_none() || !scan.take(b'.') || scan.decimal().is_none() || !scan.take(b']') {
            return line;
        }
        line = scan.rest;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> (Prefix<'_>, &str) {
        let line = strip_wrapping_if_needed(line);
        let (prefix, rest) = split_aligned(line).or_else(|| split_anyhow(line)).unwrap();
        (prefix, std::str::from_utf8(rest).unwrap())
    }

    fn strip_wrapping_if_needed(line: &str) -> &[u8] {
        let bytes = line.as_bytes();
        if split_aligned(bytes).is_some() { bytes } else { strip_wrapping(bytes) }
    }

    fn micros(value: u64) -> Option<Stamp> {
        Some(Stamp::Time(Nanos(value * 1000)))
    }

    #[test]
    fn the_default_layout() {
        let (prefix, rest) = split("          <idle>-0       [003] d.h1.     9.373578: block_rq_complete: x");
        assert_eq!((prefix.comm, prefix.pid, prefix.cpu), ("<idle>", Some(0), Some(3)));
        assert_eq!(prefix.flags.as_str(), "d.h1.");
        assert!(prefix.flags.in_interrupt());
        assert_eq!(prefix.at, micros(9_373_578));
        assert_eq!(rest, "block_rq_complete: x");
    }

    #[test]
    fn names_with_dashes_digits_brackets_and_blanks() {
        for comm in
            ["io_uring-sq-4518", "iou-sqp-5976", "elasticsearch[i", "kworker/30:1H", "a [1] b", "foo-12 bar", "-1"]
        {
            let line = format!("{comm:>16}-4519    [012] .....   100.000001: name: x");
            assert_eq!((split(&line).0.comm, split(&line).0.pid), (comm, Some(4519)), "{comm}");
            let line = format!("{comm}-4519  [012]   100.000001: name: x");
            assert_eq!((split(&line).0.comm, split(&line).0.pid), (comm, Some(4519)), "{comm} unaligned");
        }
    }

    #[test]
    fn tgid_columns() {
        assert_eq!(split("MediaStoreImpor-27212 (27176) [000] .... 16136.595194: name: x").0.tgid, Some(27176));
        assert_eq!(split("          <...>-27197 (-----) [002] .... 16136.613471: name: x").0.tgid, None);
        assert_eq!(split("          <...>-1396  ( 1322) [000] .... 16137.451660: name: x").0.tgid, Some(1322));
    }

    #[test]
    fn latency_layout_of_the_kernel_and_of_trace_cmd() {
        let (prefix, rest) = split("      wl-528       0..... 646093us!: sys_read(fd: 4)");
        assert_eq!((prefix.comm, prefix.pid, prefix.cpu, prefix.at), ("wl", Some(528), Some(0), micros(646_093)));
        assert_eq!(rest, "sys_read(fd: 4)");
        let (prefix, _) = split("      wl-528      47...1. 371173457457us : name: x");
        assert_eq!((prefix.cpu, prefix.at), (Some(47), micros(371_173_457_457)));
        let (prefix, _) = split("test-2991    0.....   119.255974: block_rq_issue:       8,0 R");
        assert_eq!(
            (prefix.comm, prefix.pid, prefix.cpu, prefix.at),
            ("test", Some(2991), Some(0), micros(119_255_974))
        );
    }

    #[test]
    fn parts_that_are_missing() {
        let (prefix, rest) = split("1327.539878: page_cache_sync_ra: dev=252:16");
        assert_eq!((prefix.comm, prefix.pid, prefix.cpu, prefix.at), ("", None, None, micros(1_327_539_878)));
        assert_eq!(rest, "page_cache_sync_ra: dev=252:16");
        let (prefix, _) = split("              wl-565     [000]     51.679134: name: x");
        assert_eq!((prefix.flags.as_str(), prefix.at), ("", micros(51_679_134)));
        assert!(split_anyhow(b"page_cache_ra_unbounded: dev=252:16 ino=e").is_none());
    }

    #[test]
    fn clocks() {
        assert_eq!(split("              wl-522     [000] ...1.            4: name: x").0.at, Some(Stamp::Count(4)));
        let nanos = split("              wl-274   [000]    14.620709715: name: x").0.at;
        assert_eq!(nanos, Some(Stamp::Time(Nanos(14_620_709_715))));
        assert_eq!(split("dummy-0000  [000] 0.0: 0: trace_event_clock_sync").0.at, Some(Stamp::Time(Nanos(0))));
    }

    #[test]
    fn quotes_and_log_stamps_come_off() {
        let line = "> >> [  123.456789]     bash-99   [001] ....     5.000001: name: x";
        let (prefix, rest) = split(line);
        assert_eq!((prefix.comm, prefix.pid, prefix.at), ("bash", Some(99), micros(5_000_001)));
        assert_eq!(rest, "name: x");
        assert_eq!(strip_wrapping(b"[ 12.5] [elasticsearch[i]"), b"[elasticsearch[i]");
    }

    #[test]
    fn no_flags_are_not_mistaken_for_flags() {
        assert_eq!(Flags::new(b"9.99:"), None);
        assert_eq!(Flags::new(b".l..."), Flags::new(b".l..."));
        assert!(Flags::new(b".l...").is_some());
        assert!(!Flags::new(b"....").unwrap().in_interrupt());
    }
}
