//! What a trace holds: readahead-trace's inspection, from a path or a stream, with this crate's errors.

pub use readahead_trace::Inspection;

use crate::LabError;
use serde::Serialize;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Inspects the file at `path`.
pub fn inspect_path(path: &Path) -> Result<Inspection, LabError> {
    let file = File::open(path)
        .map_err(|error| LabError::new("trace.cannot_read", format!("{}: cannot be read: {error}", path.display())))?;
    inspect(file, |_| {})
}

/// Inspects a stream; `progress` hears how many bytes were read.
pub fn inspect(reader: impl Read + Send, progress: impl FnMut(u64)) -> Result<Inspection, LabError> {
    readahead_trace::inspect(reader, progress).map_err(trace_error)
}

/// A trace format, as lists show it.
#[derive(Clone, Debug, Serialize)]
pub struct FormatEntry {
    /// Its name in lists and JSON.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// How to make one.
    pub about: &'static str,
}

/// Every trace format that is read.
pub fn formats() -> Vec<FormatEntry> {
    let entry =
        |format: &readahead_trace::Format| FormatEntry { name: format.name, title: format.title, about: format.about };
    readahead_trace::FORMATS.iter().map(entry).collect()
}

/// The trace reader's error as this crate's.
pub(crate) fn trace_error(error: readahead_trace::TraceError) -> LabError {
    LabError::new(error.code(), error.to_string())
}
