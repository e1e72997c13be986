//! One file a verb.

pub(crate) mod compare;
pub(crate) mod diverge;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod replay;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod vectors;

use crate::output::Failure;
use readahead_lab_core::library;
use readahead_lab_core::scenario::Scenario;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// A scenario by the name of a file in `scenarios/`, or by its path.
fn scenario(name: &str) -> Result<Scenario, Failure> {
    let is_path = name.contains(std::path::MAIN_SEPARATOR) || name.ends_with(".toml") || name.ends_with(".json");
    if !is_path {
        return Ok(library::scenario(name)?);
    }
    let text = std::fs::read_to_string(name)
        .map_err(|error| Failure::Input(format!("{name}: cannot be read: {error}; expected a scenario file")))?;
    let scenario =
        if name.ends_with(".json") { Scenario::from_json(&text, name)? } else { Scenario::from_toml(&text, name)? };
    Ok(scenario)
}

/// The file at a path, or standard input for `-`.
fn input(path: &str) -> Result<Box<dyn Read + Send>, Failure> {
    if path == "-" {
        return Ok(Box::new(std::io::stdin()));
    }
    if Path::new(path).is_dir() {
        return Err(Failure::Input(format!("{path}: is a directory; expected a file")));
    }
    let file = File::open(path).map_err(|error| Failure::Input(format!("{path}: cannot be read: {error}")))?;
    Ok(Box::new(file))
}
