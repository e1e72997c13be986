//! What a command answers, how it fails, and writing to standard output.

use readahead_lab_core::LabError;
use serde::Serialize;
use std::io::{self, BufWriter, Stdout, Write};

/// The answer of a command that did its work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Exit code 0.
    Yes,
    /// Exit code 1.
    No,
}

/// Why a command did not do its work.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Standard output was closed.
    PipeClosed,
    /// The input was read, but the answer is no: exit code 1.
    No(String),
    /// The input or the usage is wrong: exit code 2.
    Input(String),
}

impl Failure {
    pub(crate) fn input(message: impl ToString) -> Self {
        Failure::Input(message.to_string())
    }
}

impl From<LabError> for Failure {
    fn from(error: LabError) -> Self {
        Failure::Input(error.message)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::PipeClosed,
            _ => Failure::Input(format!("standard output: {error}")),
        }
    }
}

/// Standard output with a buffer.
pub(crate) fn out() -> BufWriter<Stdout> {
    BufWriter::with_capacity(1 << 16, io::stdout())
}

/// Prints text and ends its last line.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = out();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}

/// Prints a value as indented JSON.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(Failure::input)?;
    print(&text)
}
