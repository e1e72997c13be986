//! The text of `perf script`: one event a line, the subsystem in front of the event's name. Lines of call chains are no
//! events.

use super::{Format, Header, first_lines};
use crate::split::split_perf;

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "perf-script",
    title: "perf script",
    about: "`perf script` of a recording of tracepoints, also with `-F comm,pid,tid,cpu,time,event,trace --ns`",
    sniff,
    header,
};

fn sniff(head: &[u8]) -> u8 {
    for line in first_lines(head) {
        if let Some((_, event)) = split_perf(line)
            && let Some(colon) = memchr::memchr(b':', event)
            && event.get(colon + 1).is_some_and(u8::is_ascii_lowercase)
        {
            return 80;
        }
    }
    0
}

/// perf's own header is a comment, which every format takes.
fn header(line: &[u8], _header: &mut Header) -> bool {
    line.starts_with(b"# ")
}
