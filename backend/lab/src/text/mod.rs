//! Runs as plain text: trace lines, the stats table, the summary for a mail.

mod summary;
pub mod trace;
pub mod units;
pub mod wrap;

pub use crate::report::report_html;
pub use summary::{folio_histogram, lkml, summary};
pub use trace::{Lines, trace_header, trace_text, write_trace, write_trace_dat};

use crate::LabError;
use crate::run::Recording;

/// The stats table of a run that is done, in the layout of /debug/readahead/stats.
pub fn stats_table(recording: &Recording) -> Result<String, LabError> {
    Ok(recording.need_summary()?.stats.text())
}
