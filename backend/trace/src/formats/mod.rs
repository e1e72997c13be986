//! The list of trace formats, and how one is recognised. Each format's file owns the lines that are not events.

pub mod perf_script;
pub mod trace_cmd;
pub mod tracefs;

/// A trace format.
pub struct Format {
    /// Name used in lists and JSON.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// How to make one.
    pub about: &'static str,
    /// How sure it is that a text beginning like this is of this format, 0 … 100.
    sniff: fn(&[u8]) -> u8,
    /// Takes a line that is no event: header lines of the format.
    pub(crate) header: fn(&[u8], &mut Header) -> bool,
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The formats, in the order in which ties are decided.
pub const FORMATS: &[Format] = &[tracefs::FORMAT, trace_cmd::FORMAT, perf_script::FORMAT];

/// The likeliest format of a text that begins like this.
pub(crate) fn sniff(head: &[u8]) -> &'static Format {
    let mut best = &FORMATS[0];
    let mut best_score = 0;
    for format in FORMATS {
        let score = (format.sniff)(head);
        if score > best_score {
            (best, best_score) = (format, score);
        }
    }
    best
}

/// What header lines say.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Header {
    /// The kernel's release, in the latency format.
    pub release: Option<String>,
    /// The tracer.
    pub tracer: Option<String>,
    /// Events that the ring buffer held when the file was read.
    pub entries_in_buffer: Option<u64>,
    /// Events that were written into it.
    pub entries_written: Option<u64>,
    /// Processors.
    pub cpus: Option<u64>,
    /// No kernel made the trace: a simulation did, and says which.
    pub simulated: Option<String>,
}

/// The beginnings of the first lines, for sniffing.
fn first_lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split(|byte| *byte == b'\n').take(64)
}
