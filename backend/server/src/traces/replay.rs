//! A replay asked for over HTTP: model, patches, and settings by the names that scenarios have for them.

use crate::problem::Problem;
use axum::http::StatusCode;
use readahead_lab_core::replay::{ReplayError, ReplaySettings};
use serde::Deserialize;
use utoipa::ToSchema;

/// A replay asked for.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReplayRequest {
    /// The model, such as `linux-7.2`.
    pub model: String,
    /// Patches over it.
    #[serde(default)]
    pub patches: Vec<String>,
    /// `KEY=VALUE` settings: `kernel.read_ahead_kb`, `kernel.max_sectors_kb`, `kernel.max_segments`,
    /// `kernel.fault_around_kb`, `file.NUMBER.bytes`. What is left out is taken from the trace.
    #[serde(default)]
    pub set: Vec<String>,
}

impl ReplayRequest {
    /// The settings, checked.
    pub fn settings(&self) -> Result<ReplaySettings, Problem> {
        Ok(ReplaySettings::parse(&self.set)?)
    }
}

impl From<ReplayError> for Problem {
    fn from(error: ReplayError) -> Self {
        let problem = Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.code(), error.to_string());
        match error {
            ReplayError::Setting { key, .. } => problem.at(key),
            _ => problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_setting_is_a_problem_at_its_key() {
        let set = vec!["kernel.read_ahead=1".to_owned()];
        let request = ReplayRequest { model: "linux-7.2".to_owned(), patches: Vec::new(), set };
        let problem = request.settings().unwrap_err();
        assert_eq!(problem.code, "replay.settings");
        assert!(problem.detail.starts_with("kernel.read_ahead: a replay has no such setting"), "{}", problem.detail);
    }
}
