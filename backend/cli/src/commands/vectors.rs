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
    if !not_run.is_empty() {
        writeln!(out, "{}", not_run_line(&not_run))?;
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    out.flush()?;
    // A case that nobody ran is no proof of anything.
    Ok(if failed == 0 && not_run.is_empty() { Answer::Yes } else { Answer::No })
}

/// What was not run, and why, in one line.
fn not_run_line(not_run: &BTreeMap<String, u64>) -> String {
    let all: u64 = not_run.values().sum();
    let names: Vec<String> = not_run.iter().map(|(name, count)| format!("{count} of {name}")).collect();
    format!("{all} not run, the lab has no such model or patch: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_run_is_one_line_with_the_reason() {
        let not_run = [("linux-9.9".to_owned(), 2), ("linux-7.2+mine".to_owned(), 1)].into_iter().collect();
        assert_eq!(
            not_run_line(&not_run),
            "3 not run, the lab has no such model or patch: 1 of linux-7.2+mine, 2 of linux-9.9"
        );
    }
}
