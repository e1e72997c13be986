//! `compare`: a scenario with two groups of settings.

use super::run::record;
use crate::output::{Answer, Failure, print, print_json};
use clap::ValueEnum;
use readahead_lab_core::compare;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file in scenarios/ by its name, or a path.
    scenario: String,
    /// Settings of side A: KEY=VALUE, more of them after semicolons. `kernel.patches=` is no patch.
    #[arg(long, value_name = "KEY=VALUE[;…]")]
    a: String,
    /// Settings of side B.
    #[arg(long, value_name = "KEY=VALUE[;…]")]
    b: String,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// 72 columns, for a mail.
    Text,
    /// Both runs, the differences and the first decision that differs.
    Json,
}

pub(crate) fn command(arguments: &Arguments) -> Result<Answer, Failure> {
    let scenario = super::scenario(&arguments.scenario)?;
    let side = |settings: &str| {
        let list: Vec<&str> = settings.split(';').map(str::trim).filter(|setting| !setting.is_empty()).collect();
        scenario.with(&list)
    };
    let (a, b) = (side(&arguments.a)?, side(&arguments.b)?);
    let comparison = compare::compare(&record(&a)?, &record(&b)?)?;
    match arguments.output {
        Output::Text => print(&compare::text(&comparison))?,
        Output::Json => print_json(&comparison)?,
    }
    Ok(Answer::Yes)
}
