//! A line of progress on a terminal, for long work; nothing in a pipe.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// A progress line on standard error.
pub(crate) struct Progress {
    shown: bool,
    terminal: bool,
    next: Instant,
}

impl Progress {
    pub(crate) fn new() -> Self {
        // Short work shows nothing.
        let next = Instant::now() + Duration::from_millis(500);
        Progress { shown: false, terminal: std::io::stderr().is_terminal(), next }
    }

    /// Shows the text, a few times a second.
    pub(crate) fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.terminal || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + Duration::from_millis(200);
        self.shown = true;
        let mut err = std::io::stderr().lock();
        // A terminal that cannot be written to only loses its progress.
        let _ = write!(err, "\r\x1b[K{}", text());
        let _ = err.flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.shown {
            eprint!("\r\x1b[K");
        }
    }
}
