//! A replay asked for over HTTP: model, patches, and settings by the names that scenarios have for them.

use crate::problem::Problem;
use axum::http::StatusCode;
use readahead_lab_core::replay::{ReplayError, ReplaySettings};
use serde::Deserialize;
use std::str::FromStr;
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
    /// `kernel.fault_around_kb`. What is left out is taken from the trace.
    #[serde(default)]
    pub set: Vec<String>,
}

impl ReplayRequest {
    /// The settings, checked.
    pub fn settings(&self) -> Result<ReplaySettings, Problem> {
        let mut settings = ReplaySettings::default();
        for text in &self.set {
            let (key, value) =
                text.split_once('=').map(|(key, value)| (key.trim(), value.trim())).unwrap_or((text, ""));
            match key.strip_prefix("kernel.").unwrap_or(key) {
                "read_ahead_kb" => settings.read_ahead_kb = Some(number(key, value)?),
                "max_sectors_kb" => settings.max_sectors_kb = Some(number(key, value)?),
                "max_segments" => settings.max_segments = Some(number(key, value)?),
                "fault_around_kb" => settings.fault_around_kb = Some(number(key, value)?),
                _ => {
                    let shown: String = key.chars().filter(|c| !c.is_control()).take(60).collect();
                    let expected =
                        "kernel.read_ahead_kb, kernel.max_sectors_kb, kernel.max_segments or kernel.fault_around_kb";
                    return Err(bad_setting(&shown, &format!("a replay has no such setting; expected {expected}")));
                }
            }
        }
        Ok(settings)
    }
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, Problem> {
    value.parse().map_err(|_| {
        let shown: String = value.chars().filter(|c| !c.is_control()).take(60).collect();
        bad_setting(key, &format!("`{shown}`; expected a whole number"))
    })
}

fn bad_setting(key: &str, what: &str) -> Problem {
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "replay.settings", format!("{key}: {what}")).at(key)
}

impl From<ReplayError> for Problem {
    fn from(error: ReplayError) -> Self {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.code(), error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(set: &[&str]) -> Result<ReplaySettings, Problem> {
        let set = set.iter().map(|text| (*text).to_owned()).collect();
        ReplayRequest { model: "linux-7.2".to_owned(), patches: Vec::new(), set }.settings()
    }

    #[test]
    fn settings_have_the_names_that_scenarios_have() {
        let set = settings(&["kernel.read_ahead_kb = 256", "max_sectors_kb=1024", "kernel.max_segments=129"]).unwrap();
        assert_eq!((set.read_ahead_kb, set.max_sectors_kb, set.max_segments), (Some(256), Some(1024), Some(129)));
        assert_eq!(settings(&[]).unwrap().read_ahead_kb, None);
    }

    #[test]
    fn what_is_no_setting_is_named() {
        let problem = settings(&["kernel.read_ahead=1"]).unwrap_err();
        assert!(problem.detail.starts_with("kernel.read_ahead: a replay has no such setting"), "{}", problem.detail);
        for bad in [
            "kernel.read_ahead_kb=-1",
            "kernel.read_ahead_kb=128K",
            "kernel.read_ahead_kb",
            "kernel.read_ahead_kb=1e30",
        ] {
            let problem = settings(&[bad]).unwrap_err();
            assert_eq!(problem.code, "replay.settings");
            assert!(problem.detail.contains("expected a whole number"), "{}", problem.detail);
        }
    }
}
