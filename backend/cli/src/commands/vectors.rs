//! `vectors`: conformance vectors and random captures of real kernels.

use crate::output::{Answer, Failure, out};
use readahead_lab_core::vectors;
use std::collections::BTreeMap;
use std::io::Write;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// JSON Lines, plain or gzip; - is standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<String>,
}

pub(crate) fn command(arguments: &Arguments) -> Result<Answer, Failure> {
    let mut out = out();
    let (mut passed, mut failed) = (0, 0);
    let mut not_run: BTreeMap<String, u64> = BTreeMap::new();
    for path in &arguments.files {
        let report = vectors::run(super::input(path)?).map_err(|error| Failure::Input(format!("{path}: {error}")))?;
        for failure in &report.failed {
            writeln!(out, "{failure}")?;
        }
        passed += report.passed;
        failed += report.failed.len() as u64;
        for (name, count) in report.not_run {
            *not_run.entry(name).or_default() += count;
        }
    }
    for (name, count) in &not_run {
        writeln!(out, "{count} not run: {name} does not exist here")?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    out.flush()?;
    Ok(if failed == 0 { Answer::Yes } else { Answer::No })
}
