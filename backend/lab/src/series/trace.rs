//! The line of a submitted window, in the forms of both postings of the patch. Must not know how windows are found.

use super::{SeriesFile, Submission};
use readahead_trace::{Dev, RaWindow, ShownPattern};
use readahead_types::{PageIndex, Pages};

/// A posting of the patch `trace-event`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posting {
    /// The first: the event carries the pattern's name.
    First,
    /// The second: the event carries the pattern's number, and `__print_symbolic` names it.
    Second {
        /// Shown as it is stored, without the names.
        raw: bool,
    },
}

impl Default for Posting {
    fn default() -> Self {
        Posting::Second { raw: false }
    }
}

impl Posting {
    /// How the posting describes its event to whoever prints it. Its words, with our names for the fields.
    pub fn print_format(self) -> &'static str {
        match self {
            Posting::First => {
                "\"readahead-%s(dev=%d:%d, ino=%lu, req=%lu+%lu, ra=%lu+%d-%d, async=%d) = %d\", REC->pattern, …"
            }
            Posting::Second { .. } => {
                "\"readahead-%s(dev=%d:%d, ino=%lu, req=%lu+%lu, ra=%lu+%d-%d, async=%d) = %d\", \
                 __print_symbolic(REC->pattern, { 0, \"initial\" }, { 1, \"subsequent\" }, { 2, \"context\" }, \
                 { 3, \"thrash\" }, { 4, \"around\" }, { 5, \"fadvise\" }, { 6, \"random\" }, { 7, \"all\" }), …"
            }
        }
    }
}

/// The window's event.
pub fn record(submission: &Submission, file: SeriesFile, posting: Posting) -> RaWindow {
    let pattern = match posting {
        Posting::Second { raw: true } => ShownPattern::Number(submission.pattern),
        Posting::First | Posting::Second { raw: false } => ShownPattern::Name(submission.pattern),
    };
    RaWindow {
        pattern,
        dev: Dev { major: file.dev.0, minor: file.dev.1 },
        ino: file.ino,
        index: PageIndex(submission.index),
        req: Pages(submission.req),
        start: PageIndex(submission.start),
        size: Pages(submission.size),
        async_size: Pages(submission.async_size),
        ahead: submission.start > submission.index,
        actual: Pages(submission.actual),
    }
}
