//! The `trace` and `trace_pipe` files of tracefs: header lines begin with `#`.

use super::{Format, Header, first_lines};
use crate::scan::{Scan, text};
use memchr::memmem;

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "tracefs",
    title: "ftrace text of tracefs",
    about: "`cat /sys/kernel/tracing/trace` or `trace_pipe`, with any of the options irq-info, record-tgid and \
            latency-format and any clock",
    sniff,
    header,
};

fn sniff(head: &[u8]) -> u8 {
    for line in first_lines(head) {
        if line.starts_with(b"# tracer:") || line.starts_with(b"# entries-in-buffer") {
            return 100;
        }
    }
    // Anything else that looks like lines of events may be a piece of a trace file.
    10
}

pub(crate) fn header(line: &[u8], header: &mut Header) -> bool {
    let Some(rest) = line.strip_prefix(b"#") else { return false };
    let rest = rest.trim_ascii();
    if let Some(tracer) = rest.strip_prefix(b"tracer: ") {
        header.tracer = Some(text(tracer).to_owned());
    } else if let Some(by) = rest.strip_prefix(b"simulated: ") {
        header.simulated = Some(text(by).to_owned());
    } else if let Some(entries) = rest.strip_prefix(b"entries-in-buffer/entries-written: ") {
        let mut scan = Scan::new(entries);
        let in_buffer = scan.decimal();
        let written = if scan.take(b'/') { scan.decimal() } else { None };
        if let (Some(in_buffer), Some(written)) = (in_buffer, written) {
            header.entries_in_buffer = Some(in_buffer);
            header.entries_written = Some(written);
        }
        scan.skip_spaces();
        if scan.literal("#P:").is_some() {
            header.cpus = scan.decimal();
        }
    } else if let Some(at) = memmem::find(rest, b" latency trace v") {
        let version = &rest[at..];
        if let Some(on) = memmem::find(version, b" on ") {
            header.release = Some(text(version[on + 4..].trim_ascii()).to_owned());
        }
    } else if rest.starts_with(b"latency: ") {
        // `latency: 0 us, #1329/1329, CPU#0 | (… #P:1)`
        let entries = memmem::find(rest, b"us, #").map(|at| &rest[at + 5..]);
        if let Some(mut scan) = entries.map(Scan::new) {
            let in_buffer = scan.decimal();
            let written = if scan.take(b'/') { scan.decimal() } else { None };
            if let (Some(in_buffer), Some(written)) = (in_buffer, written) {
                header.entries_in_buffer = Some(in_buffer);
                header.entries_written = Some(written);
            }
        }
    }
    true
}
