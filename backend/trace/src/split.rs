//! Takes the prefix off a line: every layout of it that kernels, trace-cmd and perf print, and what people lose of it when
//! they cut and quote. Must not know any event.

use crate::prefix::{COMM_COLUMNS, Flags, Prefix, Stamp};
use crate::scan::{Scan, text};
use readahead_types::Nanos;

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
    split_perf(line)
}

/// Splits a line of `perf script`: the name, the thread (or `process/thread`) behind blanks, the processor in brackets.
pub(crate) fn split_perf(line: &[u8]) -> Option<(Prefix<'_>, &[u8])> {
    let line = line.trim_ascii_start();
    let names = line.get(..NAME_BYTES_MAX).unwrap_or(line);
    let mut from = 0;
    while let Some(found) = memchr::memchr(b'[', &names[from..]) {
        let open = from + found;
        if let Some(split) = around_bracket(&line[..open], Scan::new(&line[open + 1..])) {
            return Some(split);
        }
        from = open + 1;
    }
    None
}

/// What stands before and behind the bracket in front of a processor.
fn around_bracket<'a>(before: &'a [u8], mut behind: Scan<'a>) -> Option<(Prefix<'a>, &'a [u8])> {
    let before = before.trim_ascii_end();
    let blank = before.iter().rposition(|byte| *byte == b' ')?;
    let mut ids = Scan::new(&before[blank + 1..]);
    let mut prefix = Prefix { comm: text(before[..blank].trim_ascii_end()), ..Prefix::default() };
    prefix.pid = Some(i32::try_from(ids.decimal()?).ok()?);
    if ids.take(b'/') {
        prefix.tgid = prefix.pid;
        prefix.pid = Some(i32::try_from(ids.decimal()?).ok()?);
    }
    prefix.cpu = Some(u16::try_from(behind.decimal()?).ok()?);
    if !ids.rest.is_empty() || !behind.take(b']') {
        return None;
    }
    behind.skip_spaces();
    after_cpu(prefix, behind)
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
    fn the_layout_of_perf_script() {
        for (line, comm, pid, tgid) in [
            ("              wl   271 [000]    17.153788:    syscalls:sys_enter_read: x", "wl", 271, None),
            ("python 3619706/3619707 [005] 3103609.736344: filemap:name: x", "python", 3_619_707, Some(3_619_706)),
            ("kworker/u16:0-e  6304 [006] 28733.064781: probe:name: x", "kworker/u16:0-e", 6304, None),
            ("Web [1] Content  12 [006]     1.064781: probe:name: x", "Web [1] Content", 12, None),
        ] {
            let (prefix, _) = split(line);
            assert_eq!((prefix.comm, prefix.pid, prefix.tgid), (comm, Some(pid), tgid), "{line}");
        }
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
