//! `inspect`: what a trace holds.

use crate::output::{Answer, Failure, out, print, print_json};
use crate::progress::Progress;
use clap::ValueEnum;
use readahead_trace::{Inspection, Item, Printer, TraceError, TraceReader, inspect};
use std::fmt::Write as _;
use std::io::Write;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// ftrace text, plain or packed; - is standard input.
    file: String,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Output::Summary)]
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Output {
    /// What was understood and what was not.
    Summary,
    /// Requests of each device by kind and size.
    Stats,
    /// Everything.
    Json,
    /// The windows that the kernel chose.
    Windows,
    /// The events that were understood, as that kernel's trace file prints them.
    Events,
}

pub(crate) fn command(arguments: &Arguments) -> Result<Answer, Failure> {
    if arguments.output == Output::Events {
        return events(arguments);
    }
    let mut progress = Progress::new();
    let input = super::input(&arguments.file)?;
    let result = inspect(input, |bytes| progress.show(|| format!("{} MiB read", bytes >> 20)));
    drop(progress);
    let inspection = result.map_err(|error| failure(&arguments.file, &error))?;
    match arguments.output {
        Output::Summary => print(&summary(&inspection))?,
        Output::Stats => print(&stats(&inspection))?,
        Output::Json => print_json(&inspection)?,
        Output::Windows => print(&windows(&inspection))?,
        Output::Events => unreachable!("handled above"),
    }
    Ok(Answer::Yes)
}

fn failure(path: &str, error: &TraceError) -> Failure {
    let message = format!("{path}: {error}");
    match error {
        TraceError::NothingUsable(_) => Failure::No(message),
        _ => Failure::Input(message),
    }
}

fn events(arguments: &Arguments) -> Result<Answer, Failure> {
    let failed = |error: TraceError| failure(&arguments.file, &error);
    let mut reader = TraceReader::new(super::input(&arguments.file)?).map_err(failed)?;
    let printer = Printer::new(readahead_trace::Form::Linux7_2);
    let mut out = out();
    let mut line = Vec::new();
    let mut seen = false;
    while let Some(item) = reader.next_item().map_err(failed)? {
        if let Item::Record(record) = item
            && record.event.is_usable()
        {
            seen = true;
            line.clear();
            printer.line(&record, &mut line);
            out.write_all(&line)?;
        }
    }
    out.flush()?;
    Ok(if seen { Answer::Yes } else { Answer::No })
}

fn summary(inspection: &Inspection) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "format      {}", inspection.format);
    let kernel = &inspection.kernel;
    let _ = writeln!(
        text,
        "kernel      {}{}: {}",
        kernel.release.as_deref().or(kernel.model).unwrap_or("unknown"),
        if kernel.or_later { " or later" } else { "" },
        kernel.why
    );
    let _ = writeln!(text, "lines       {}, {} of them events", inspection.lines, inspection.records);
    if let Some(span) = inspection.span_ns {
        let _ = writeln!(text, "time span   {:.6} s", span as f64 / 1e9);
    }
    let _ = writeln!(text, "lost        {} events", inspection.lost_events);
    let _ = writeln!(text, "\nevents");
    for (name, count) in &inspection.events {
        let _ = writeln!(text, "  {count:>10}  {name}");
    }
    if inspection.skipped.is_empty() {
        let _ = writeln!(text, "\nno line was skipped");
    } else {
        let _ = writeln!(text, "\nskipped lines");
        for skipped in &inspection.skipped {
            let _ = writeln!(
                text,
                "  {:>10}  {}; first is line {}: {}",
                skipped.count, skipped.title, skipped.first_line, skipped.first_text
            );
        }
    }
    let _ = writeln!(text, "\nfiles");
    for file in &inspection.files {
        let name = file.name.as_deref().unwrap_or("(name not in the trace)");
        let _ = writeln!(
            text,
            "  dev {} ino {}  {name}: {} windows, {} pages added",
            file.dev, file.ino_shown, file.windows_total, file.pages_added
        );
    }
    if inspection.files_left_out > 0 {
        let _ = writeln!(text, "  and {} more", inspection.files_left_out);
    }
    text.push_str(&stats(inspection));
    for note in &inspection.notes {
        let _ = writeln!(text, "note: {note}");
    }
    text
}

fn stats(inspection: &Inspection) -> String {
    let mut text = String::from("\ndevices\n");
    for device in &inspection.devices {
        let _ = writeln!(
            text,
            "  {}: {} reads, {} KiB (from {}); {} splits, {} merges, {} errors",
            device.dev,
            device.reads,
            device.read_bytes / 1024,
            device.counted_from,
            device.splits,
            device.merges,
            device.errors
        );
        for (letters, sum) in &device.by_rwbs {
            let _ = writeln!(text, "    {letters:<5} {:>9} requests {:>12} KiB", sum.requests, sum.bytes / 1024);
        }
        for (bytes, count) in &device.read_size_histogram {
            let _ = writeln!(text, "    {:>9} KiB × {count}", *bytes as f64 / 1024.0);
        }
    }
    text
}

fn windows(inspection: &Inspection) -> String {
    let mut text = String::new();
    for file in &inspection.files {
        let name = file.name.as_deref().unwrap_or("(name not in the trace)");
        let _ = writeln!(text, "dev {} ino {}  {name}", file.dev, file.ino_shown);
        for window in &file.windows {
            let number = |value: Option<u64>| value.map_or_else(|| "-".into(), |value| value.to_string());
            let _ = writeln!(
                text,
                "  line {:>8}  {:<6}  index {:>8}  req {:>6}  start {:>8}  size {:>6}  async {:>6}  order {:>2}  folios {:>5}",
                window.line,
                window.via.map_or("-", |via| via.name()),
                number(window.index),
                number(window.req_count),
                window.start,
                window.size,
                number(window.async_size),
                number(window.order.map(u64::from)),
                window.folios
            );
        }
    }
    text
}
