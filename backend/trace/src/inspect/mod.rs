//! What an input holds.

use crate::error::TraceError;
use crate::reader::TraceReader;
use crate::record::Item;
use std::collections::BTreeMap;
use std::io::Read;

/// What was understood of an input.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub struct Inspection {
    /// Lines.
    pub lines: u64,
    /// Events by name.
    pub events: BTreeMap<String, u64>,
}

/// Reads an input to its end.
pub fn inspect(reader: impl Read + Send, mut progress: impl FnMut(u64)) -> Result<Inspection, TraceError> {
    let mut reader = TraceReader::new(reader)?;
    let mut inspection = Inspection::default();
    reader.for_each(|item| {
        if let Item::Record(record) = item {
            match inspection.events.get_mut(record.name) {
                Some(count) => *count += 1,
                None => {
                    inspection.events.insert(record.name.to_owned(), 1);
                }
            }
        }
    })?;
    progress(reader.input_bytes());
    inspection.lines = reader.lines();
    Ok(inspection)
}
