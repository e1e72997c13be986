//! Two kernels, and the shortest workload on which they decide differently.
//!
//! Random workloads of one operation, then of two, and so on, run on both kernels in a world without time, until the
//! windows differ; then the workload is cut down. The count of workloads bounds the search, no clock does: the same
//! arguments give the same answer on every machine.
//!
//! Must not know scenarios' files, HTTP or the terminal.

mod draw;
mod ops;
mod shrink;
#[cfg(test)]
mod tests;
mod text;
mod trial;
mod unreached;
mod workload;

pub use text::text;
pub use trial::SideDecision;
pub use workload::{Files, Settings, Workload};

use crate::LabError;
use draw::{Draws, Flavour};
use readahead_policy::{ModelId, Patches};
use serde::Serialize;
use trial::Trial;

/// Most operations of a workload.
pub const OPERATIONS_MAX: usize = 6;

/// One of the two kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The model.
    pub model: ModelId,
    /// Patches on it.
    pub patches: Patches,
}

impl Kernel {
    /// A kernel written as `MODEL` or `MODEL+PATCH+PATCH`. `argument` names it in errors.
    pub fn parse(text: &str, argument: &str) -> Result<Self, LabError> {
        let mut names = text.split('+').map(str::trim);
        let model = ModelId::parse(names.next().unwrap_or_default())
            .map_err(|error| LabError::at("diverge.unknown_model", argument, error.to_string()))?;
        let patches = Patches::parse(model, &names.collect::<Vec<_>>())
            .map_err(|error| LabError::at("diverge.unknown_patch", argument, error.to_string()))?;
        Ok(Kernel { model, patches })
    }

    /// As it is written.
    pub fn name(self) -> String {
        let mut name = self.model.name().to_owned();
        for patch in self.patches.names() {
            name.push('+');
            name.push_str(patch);
        }
        name
    }

    /// The settings that make a scenario's kernel this one.
    fn settings(self) -> String {
        format!("kernel.model={};kernel.patches={}", self.model.name(), self.patches.names().join(","))
    }
}

/// What a search gave.
#[derive(Clone, Debug, Serialize)]
pub struct Search {
    /// Side A.
    pub a: String,
    /// Side B.
    pub b: String,
    /// The seed of the draws.
    pub seed: u64,
    /// Workloads that were tried until one was found, or in all.
    pub workloads: u64,
    /// Settings that were tried, the same on both sides.
    pub tried: Vec<String>,
    /// When none was found: what the two differ in that the search does not reach, in sentences.
    pub unreached: Vec<String>,
    /// The shortest workload on which they decide differently.
    pub found: Option<Divergence>,
}

/// A workload on which two kernels part.
#[derive(Clone, Debug, Serialize)]
pub struct Divergence {
    /// The workload.
    #[serde(flatten)]
    pub workload: Workload,
    /// The operation at which they part, counted from 1.
    pub operation: usize,
    /// Windows before it that are the same.
    pub same_before: usize,
    /// What A decides there; nothing when it makes no further window in this operation.
    pub a: Option<SideDecision>,
    /// What B decides there.
    pub b: Option<SideDecision>,
    /// The workload as a scenario, in TOML, with A as its kernel.
    pub scenario: String,
    /// The arguments of `compare` that show both on that scenario.
    pub compare: [String; 2],
}

/// Looks for the shortest workload on which the two decide differently.
pub fn diverge(a: Kernel, b: Kernel, seed: u64) -> Search {
    let mut trial = Trial::new(a, b);
    let mut draws = Draws::new(seed);
    let mut workloads = 0;
    let mut found = None;
    'search: for files in Files::of(a.model, b.model) {
        for operations in 1..=OPERATIONS_MAX {
            for flavour in Flavour::of(a.model, b.model) {
                for _ in 0..flavour.workloads(operations) {
                    workloads += 1;
                    let workload = draws.workload(a.model, b.model, files, flavour, operations);
                    if trial.differs(&workload) {
                        found = Some(shrink::shrink(&mut trial, workload));
                        break 'search;
                    }
                }
            }
        }
    }
    let tried = Files::of(a.model, b.model).into_iter().map(|files| files.words().to_owned());
    let tried = tried.chain(Flavour::of(a.model, b.model).into_iter().map(|flavour| flavour.words().to_owned()));
    Search {
        a: a.name(),
        b: b.name(),
        seed,
        workloads,
        tried: tried.collect(),
        unreached: if found.is_none() { unreached::unreached(a, b) } else { Vec::new() },
        found: found.map(|workload| trial.explain(workload, seed)),
    }
}
