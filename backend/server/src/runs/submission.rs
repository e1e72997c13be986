//! What a person hands in to be run: a scenario by name or as text, settings over it, and how to start.

use crate::problem::Problem;
use axum::http::StatusCode;
use readahead_lab_core::library;
use readahead_lab_core::scenario::Scenario;
use serde_json::Value;

/// Where a scenario comes from.
#[derive(Clone, Debug)]
pub enum Source {
    /// One of the library's, by name.
    Name(String),
    /// TOML text.
    Toml(String),
    /// JSON of the same shape.
    Json(Value),
}

/// A run asked for.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The scenario.
    pub source: Source,
    /// `KEY=VALUE` settings over it, the scenario's own dotted keys.
    pub set: Vec<String>,
    /// Virtual seconds for each real second; `None`: as fast as possible.
    pub pace: Option<f64>,
    /// Start held, before the first event.
    pub paused: bool,
    /// Run again even when the run is there already.
    pub again: bool,
}

impl Submission {
    /// The scenario as fast as possible.
    pub fn new(source: Source, set: Vec<String>) -> Self {
        Submission { source, set, pace: None, paused: false, again: false }
    }

    /// The name in the library, when that is where it comes from and nothing was set over it.
    pub fn name(&self) -> Option<&str> {
        match &self.source {
            Source::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The scenario, parsed and checked.
    pub fn scenario(&self) -> Result<Scenario, Problem> {
        check_pace(self.pace)?;
        let base = base_scenario(&self.source)?;
        Ok(if self.set.is_empty() { base } else { base.with(&self.set)? })
    }
}

/// The scenario itself, before settings.
pub fn base_scenario(source: &Source) -> Result<Scenario, Problem> {
    Ok(match source {
        Source::Name(name) => library::scenario(name)?,
        Source::Toml(text) => Scenario::from_toml(text, "body")?,
        Source::Json(value) => Scenario::from_json(&value.to_string(), "body")?,
    })
}

/// A pace is a positive number; nothing stands for "as fast as possible".
pub fn check_pace(pace: Option<f64>) -> Result<(), Problem> {
    match pace {
        Some(pace) if !(pace.is_finite() && pace > 0.0) => Err(Problem::new(
            StatusCode::UNPROCESSABLE_ENTITY,
            "control.bad_pace",
            format!("pace: {pace}; expected a number above 0 (virtual seconds for each real second)"),
        )
        .at("pace")),
        _ => Ok(()),
    }
}
