//! `replay`: the requests of a trace through a model.

use crate::output::{Answer, Failure, print, print_json};
use clap::ValueEnum;
use readahead_lab_core::replay::{self, ReplayError, ReplaySettings};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// ftrace text, plain or packed; - is standard input.
    file: String,
    /// The model, such as linux-7.2.
    #[arg(long)]
    model: String,
    /// A patch on the model. May be given more than once.
    #[arg(long = "patch", value_name = "NAME")]
    patches: Vec<String>,
    /// A setting that the trace does not tell: kernel.max_sectors_kb=512, file.0.bytes=67108864, …
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// A page of text.
    Text,
    /// The whole report.
    Json,
}

pub(crate) fn command(arguments: &Arguments) -> Result<Answer, Failure> {
    let named = |error: ReplayError| Failure::Input(format!("{}: {error}", arguments.file));
    let settings = ReplaySettings::parse(&arguments.set).map_err(Failure::input)?;
    let input = super::input(&arguments.file)?;
    let report = match replay::replay(input, &arguments.model, &arguments.patches, &settings) {
        Ok(report) => report,
        Err(error @ (ReplayError::Trace(_) | ReplayError::NothingToReplay { .. })) => return Err(named(error)),
        Err(error) => return Err(Failure::input(error)),
    };
    match arguments.output {
        Output::Text => print(&replay::text(&report))?,
        Output::Json => print_json(&report)?,
    }
    let agrees = report.mismatches.is_empty() && report.decisions + report.folios > 0;
    Ok(if agrees { Answer::Yes } else { Answer::No })
}
