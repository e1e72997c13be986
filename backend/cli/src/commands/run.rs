//! `run`: one scenario, in one of several outputs.

use crate::output::{Answer, Failure, out, print, print_json};
use crate::progress::Progress;
use clap::ValueEnum;
use readahead_lab_core::metrics::Accounting;
use readahead_lab_core::rows;
use readahead_lab_core::run::{Control, Recording, execute};
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::series::Posting;
use readahead_lab_core::text;
use std::io::Write;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// A file in scenarios/ by its name, or a path.
    scenario: String,
    /// Override a key of the scenario, such as kernel.read_ahead_kb=512. May be given more than once.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Output::Summary)]
    output: Output,
    /// For `trace` of a run with the patch trace-event: the posting of that patch whose event is shown.
    /// Default second.
    #[arg(long, value_enum)]
    posting: Option<Shown>,
}

/// How the event of the 2010 series is shown. The two postings print the same text and describe it differently.
#[derive(Clone, Copy, ValueEnum)]
enum Shown {
    /// The first posting: the event carries the pattern's name.
    First,
    /// The second: the event carries a number that __print_symbolic names.
    Second,
    /// The second, raw: the numbers as they are stored.
    Raw,
}

/// The posting that is shown. One that shows nowhere is refused.
fn posting(arguments: &Arguments, scenario: &Scenario) -> Result<Posting, Failure> {
    let Some(shown) = arguments.posting else { return Ok(Shown::Second.into()) };
    let said = shown.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let kernel = &scenario.world().kernel;
    if !kernel.patches.names().contains(&"trace-event") {
        let model = kernel.model.name();
        return Err(Failure::Input(format!(
            "--posting: `{said}`, but this run of {model} has no such event; expected a scenario with the patch trace-event"
        )));
    }
    if !matches!(arguments.output, Output::Trace) {
        return Err(Failure::Input(format!(
            "--posting: `{said}` without trace lines; expected --output trace with it"
        )));
    }
    Ok(shown.into())
}

impl From<Shown> for Posting {
    fn from(shown: Shown) -> Self {
        match shown {
            Shown::First => Posting::First,
            Shown::Second => Posting::Second { raw: false },
            Shown::Raw => Posting::Second { raw: true },
        }
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Output {
    /// Tracepoint lines, as that kernel prints them.
    Trace,
    /// The table of /debug/readahead/stats.
    Stats,
    /// A page of text.
    Summary,
    /// Every figure of the run.
    Json,
    /// Everything recorded, a JSON object a line.
    Events,
}

pub(crate) fn command(arguments: &Arguments) -> Result<Answer, Failure> {
    let scenario = super::scenario(&arguments.scenario)?.with(&arguments.set)?;
    let posting = posting(arguments, &scenario)?;
    let recording = record(&scenario)?;
    match arguments.output {
        Output::Trace => {
            let mut out = out();
            text::write_trace_as(&recording, posting, &mut out)?;
            out.flush()?;
        }
        Output::Stats => {
            let summary = recording.need_summary()?;
            print(&summary.stats.text())?;
            // The table keeps the layout of the file; who counted is said beside it.
            if summary.stats_by == Accounting::Lab {
                eprintln!("{}: {}", summary.model, summary.stats_by.note());
            }
        }
        Output::Summary => print(&text::summary(&recording.need_summary()?))?,
        Output::Json => print_json(&recording.need_summary()?)?,
        Output::Events => {
            let mut out = out();
            rows::write_rows(&recording, 0..recording.len(), &mut out)?;
            out.flush()?;
        }
    }
    Ok(Answer::Yes)
}

/// Runs a scenario to its end on a thread of its own, with progress on a terminal.
pub(crate) fn record(scenario: &Scenario) -> Result<Recording, Failure> {
    let recording = Recording::new(scenario);
    std::thread::scope(|scope| {
        let worker = scope.spawn(|| execute(scenario, &Control::new(), &recording));
        let mut progress = Progress::new();
        while !worker.is_finished() {
            recording.wait_for(usize::MAX, Duration::from_millis(50));
            progress.show(|| {
                format!("{:.3} s of virtual time, {} events", recording.now().0 as f64 / 1e9, recording.len())
            });
        }
        drop(progress);
        match worker.join() {
            Ok(result) => result.map(|_| ()).map_err(Failure::from),
            Err(_) => Err(Failure::Input("the run ended by a fault of the lab; please report the scenario".into())),
        }
    })?;
    Ok(recording)
}
