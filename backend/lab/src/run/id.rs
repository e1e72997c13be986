//! The name of a run: a hash of all that decides its outcome.

use crate::LabError;
use crate::scenario::Scenario;
use serde::{Deserialize, Serialize};
use std::fmt;

/// BLAKE3 of the engine's version and the canonical scenario, cut to 20 hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(String);

const DIGITS: usize = 20;

impl RunId {
    /// The id of the scenario's run.
    pub fn of(scenario: &Scenario) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(crate::ENGINE_VERSION.as_bytes());
        hasher.update(b"\n");
        hasher.update(scenario.canonical_json().as_bytes());
        RunId(hasher.finalize().to_hex()[..DIGITS].to_string())
    }

    /// The id with these digits.
    pub fn parse(text: &str) -> Result<Self, LabError> {
        if text.len() == DIGITS && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            Ok(RunId(text.to_string()))
        } else {
            Err(LabError::new("run.bad_id", format!("`{text}` is not a run id: expected {DIGITS} hexadecimal digits")))
        }
    }

    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
