//! Conformance vectors: what a kernel's own code decided for a list of operations, against what the model decides.
//!
//! A file holds one case a line. Cases of models that do not exist are counted and named as not run.

mod capture;
mod case;
pub(crate) mod world;

use flate2::read::MultiGzDecoder;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io::{BufRead, BufReader, Read};

/// The outcome of a file of vectors.
#[derive(Debug, Default, Serialize)]
pub struct VectorReport {
    /// Cases that gave the same events.
    pub passed: u64,
    /// Cases that did not.
    pub failed: Vec<VectorFailure>,
    /// Cases that were not run, by model (and patches).
    pub not_run: BTreeMap<String, u64>,
    /// How often each branch of the decisions was taken, by the code of its reason.
    pub reasons: BTreeMap<&'static str, u64>,
    /// The branches taken by the cases of each model, reasons and ways of aligning, by its name and patches
    /// (`linux-2.4.23+last-page`).
    pub branches_of: BTreeMap<String, BTreeSet<&'static str>>,
    /// How often each way of aligning a window's end was taken, by its code.
    pub trims: BTreeMap<&'static str, u64>,
}

/// A case whose events differ.
#[derive(Debug, Serialize)]
pub struct VectorFailure {
    /// The case.
    pub id: String,
    /// The operation, by place and as written.
    pub operation: String,
    /// The first event that differs, as expected.
    pub expected: String,
    /// The same event as decided.
    pub got: String,
}

impl fmt::Display for VectorFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}\n  expected {}\n  got      {}", self.id, self.operation, self.expected, self.got)
    }
}

/// How one case ended.
enum Verdict {
    Passed,
    Failed(VectorFailure),
    NotRun(String),
}

/// Why a file of vectors cannot be read: line number and what was expected.
#[derive(Debug)]
pub struct VectorError {
    /// The line, counted from 1; 0 when it is not a matter of one line.
    pub line: u64,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for VectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for VectorError {}

/// Runs every case of a file, plain or gzip.
pub fn run(input: impl Read) -> Result<VectorReport, VectorError> {
    let unreadable = |line: u64| move |error: std::io::Error| VectorError { line, message: error.to_string() };
    let mut input = BufReader::new(input);
    let gzip = input.fill_buf().map_err(unreadable(0))?.starts_with(&[0x1f, 0x8b]);
    let lines: Box<dyn BufRead> =
        if gzip { Box::new(BufReader::new(MultiGzDecoder::new(input))) } else { Box::new(input) };

    let mut report = VectorReport::default();
    for (number, line) in lines.lines().enumerate() {
        let number = number as u64 + 1;
        let line = line.map_err(unreadable(number))?;
        if line.trim().is_empty() {
            continue;
        }
        let malformed =
            |error: serde_json::Error| VectorError { line: number, message: format!("not a case: {error}") };
        let value: serde_json::Value = serde_json::from_str(&line).map_err(malformed)?;
        let verdict = if value.get("calls").is_some() {
            capture::run(&serde_json::from_value(value).map_err(malformed)?)
        } else {
            case::run(&serde_json::from_value(value).map_err(malformed)?, &mut report)
        };
        match verdict {
            Verdict::Passed => report.passed += 1,
            Verdict::Failed(failure) => report.failed.push(failure),
            Verdict::NotRun(name) => *report.not_run.entry(name).or_default() += 1,
        }
    }
    if report.passed == 0 && report.failed.is_empty() && report.not_run.is_empty() {
        return Err(VectorError { line: 0, message: "no cases in it; expected one JSON object a line".into() });
    }
    Ok(report)
}
