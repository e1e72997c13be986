//! `list`: models, patches, devices, workloads, scenarios, formats.

use crate::output::{Answer, Failure, print};
use clap::ValueEnum;
use readahead_lab_core::{library, scenario};
use readahead_trace::formats::FORMATS;
use std::fmt::Write;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What to list.
    #[arg(value_enum)]
    what: What,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    Models,
    Patches,
    Devices,
    Workloads,
    Scenarios,
    Formats,
}

pub(crate) fn command(arguments: &Arguments) -> Result<Answer, Failure> {
    let rows: Vec<(String, String)> = match arguments.what {
        What::Models => {
            library::models().into_iter().map(|model| (model.name.to_owned(), model.about.to_owned())).collect()
        }
        What::Patches => {
            library::patches().into_iter().map(|patch| (patch.name.to_owned(), patch.about.to_owned())).collect()
        }
        What::Devices => library::devices().iter().map(|device| (device.name.clone(), device.about.clone())).collect(),
        What::Workloads => {
            scenario::WORKLOADS.iter().map(|(name, _, _, about)| ((*name).to_owned(), (*about).to_owned())).collect()
        }
        What::Scenarios => library::scenarios().iter().map(|entry| (entry.name.clone(), entry.title.clone())).collect(),
        What::Formats => FORMATS.iter().map(|format| (format.name.to_owned(), format.title.to_owned())).collect(),
    };
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut text = String::new();
    for (name, about) in rows {
        let _ = writeln!(text, "{name:width$}  {about}");
    }
    print(&text)?;
    Ok(Answer::Yes)
}
