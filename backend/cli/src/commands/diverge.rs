//! `diverge`: the shortest workload on which two kernels decide differently.

use crate::output::{Answer, Failure, print, print_json};
use clap::ValueEnum;
use readahead_lab_core::diverge::{self, Kernel};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// One kernel: a model, with patches after plus signs, such as linux-7.2+keep-half-window.
    #[arg(long, value_name = "MODEL[+PATCH…]")]
    a: String,
    /// The other kernel.
    #[arg(long, value_name = "MODEL[+PATCH…]")]
    b: String,
    /// Seed of the random workloads; the same seed gives the same answer.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Output::Text)]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// The workload, where they part, both decisions, and the scenario.
    Text,
    /// The same as an object.
    Json,
}

/// The answer is no when no workload was found.
pub(crate) fn command(arguments: &Arguments) -> Result<Answer, Failure> {
    let (a, b) = (Kernel::parse(&arguments.a, "--a")?, Kernel::parse(&arguments.b, "--b")?);
    let search = diverge::diverge(a, b, arguments.seed);
    match arguments.output {
        Output::Text => print(&diverge::text(&search))?,
        Output::Json => print_json(&search)?,
    }
    Ok(if search.found.is_some() { Answer::Yes } else { Answer::No })
}
