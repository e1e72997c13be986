//! Runs as plain text: trace lines, the stats table, the summary for a mail.

mod stats;
mod summary;
pub mod trace;
pub mod units;
mod voice;
pub mod wrap;

pub use crate::report::report_html;
pub use stats::{stats_from, stats_table};
pub use summary::{folio_histogram, lkml, summary};
pub use trace::{Lines, trace_header, trace_text, write_trace, write_trace_as, write_trace_dat};
