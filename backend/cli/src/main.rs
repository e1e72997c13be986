//! The `readahead-lab` command: what a person does with the lab, without a browser.
//!
//! Must not know anything but the entry points of the lab and of the server. Errors go to standard error, one line
//! first; exit codes: 0 fine, 1 the answer is no, 2 the input or the usage is wrong.

mod commands;
mod output;
mod progress;

use clap::{Parser, Subcommand};
use commands::{compare, diverge, inspect, list, replay, run, schema, serve, vectors};
use output::{Answer, Failure};
use std::process::ExitCode;

/// Runs the Linux readahead engine of many kernels and shows every decision with its reason.
#[derive(Parser)]
#[command(name = "readahead-lab", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Serve the lab to browsers.
    Serve(serve::Arguments),
    /// Run a scenario.
    Run(run::Arguments),
    /// Run a scenario with two groups of settings and show what differs.
    Compare(compare::Arguments),
    /// Say what a trace holds.
    Inspect(inspect::Arguments),
    /// Run the requests of a trace through a model and say how well it agrees.
    Replay(replay::Arguments),
    /// Check conformance vectors and random captures of real kernels.
    Vectors(vectors::Arguments),
    /// Find the shortest workload on which two kernels decide differently.
    Diverge(diverge::Arguments),
    /// List what there is.
    List(list::Arguments),
    /// Print the JSON Schema of a scenario.
    Schema,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().verb {
        Verb::Serve(arguments) => serve::command(arguments),
        Verb::Run(arguments) => run::command(&arguments),
        Verb::Compare(arguments) => compare::command(&arguments),
        Verb::Inspect(arguments) => inspect::command(&arguments),
        Verb::Replay(arguments) => replay::command(&arguments),
        Verb::Vectors(arguments) => vectors::command(&arguments),
        Verb::Diverge(arguments) => diverge::command(&arguments),
        Verb::List(arguments) => list::command(&arguments),
        Verb::Schema => schema::command(),
    };
    match result {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        // Whoever read the output has seen enough.
        Err(Failure::PipeClosed) => ExitCode::SUCCESS,
        Err(Failure::No(message)) => {
            eprintln!("readahead-lab: {message}");
            ExitCode::from(1)
        }
        Err(Failure::Input(message)) => {
            eprintln!("readahead-lab: {message}");
            ExitCode::from(2)
        }
    }
}
