//! Why an input gives nothing. Every message names what was found and what was expected.

use crate::inspect::Inspection;
use std::io;

/// Why an input gives nothing.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// Zero bytes.
    #[error("the input is empty: expected ftrace text (a tracefs trace file or a trace-cmd report)")]
    Empty,
    /// Recognised, but not text that this version reads.
    #[error("the input is {what}, which is not read here: {advice}")]
    Unsupported {
        /// What it is.
        what: &'static str,
        /// What to do instead.
        advice: &'static str,
    },
    /// Bytes that are no text.
    #[error(
        "the input is binary (byte 0x{byte:02x} at offset {offset}): expected ftrace text, plain or packed with gzip or zstd"
    )]
    Binary {
        /// The first byte that no text has.
        byte: u8,
        /// Where it stands, after unpacking.
        offset: usize,
    },
    /// Read to the end, without one event about files, readahead or devices.
    #[error("read {} lines, but nothing usable in them: expected filemap, readahead, block or read events{}", .0.lines, hint(.0))]
    NothingUsable(Box<Inspection>),
    /// Reading failed.
    #[error("cannot read the input after {offset} bytes of text: {source}")]
    Read {
        /// Bytes of text that were read before.
        offset: u64,
        /// Why.
        source: io::Error,
    },
}

impl TraceError {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            TraceError::Empty => "trace.empty",
            TraceError::Unsupported { .. } => "trace.unsupported",
            TraceError::Binary { .. } => "trace.binary",
            TraceError::NothingUsable(_) => "trace.nothing_usable",
            TraceError::Read { .. } => "trace.unreadable",
        }
    }
}

/// What there was instead.
fn hint(inspection: &Inspection) -> String {
    let mut events: Vec<_> = inspection.events.iter().collect();
    events.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), name.as_str()));
    match events.as_slice() {
        [] => String::new(),
        [(name, _)] => format!(", found only {name}"),
        [(first, _), (second, _), ..] => format!(", found {first}, {second} and the like"),
    }
}
