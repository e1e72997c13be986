//! What a trace holds: readahead-trace's inspection, from a path or a stream, with this crate's errors.

use crate::LabError;
use readahead_trace::Inspection;
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

/// The trace reader's error as this crate's.
pub(crate) fn trace_error(error: readahead_trace::TraceError) -> LabError {
    LabError::new(error.code(), error.to_string())
}
