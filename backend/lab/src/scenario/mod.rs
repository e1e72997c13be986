//! Scenarios: an experiment as text, checked, canonical, and as the world that the engine runs.
//!
//! Must not know files on disk or HTTP. The document stays as it was written beside its canonical form, so that
//! overrides act before defaults do.

mod backing;
pub(crate) mod check;
pub(crate) mod defaults;
mod document;
mod expect;
mod file;
mod handles;
mod ops;
pub(crate) mod parse;
mod set;
mod shape;
mod units;
mod work;
mod workload;

pub use check::Place;
pub use expect::ExpectCheck;
pub use file::{DevicePart, Expected, Filesystem, Same, ScenarioFile, Stack};
pub use set::split_settings;
pub use units::{Size, Time};
pub use workload::WORKLOADS;

use crate::LabError;
use crate::metrics::Summary;
use readahead_sim::WorldSpec;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is said about an experiment, and is no part of it.
const EXPECTATIONS: [&str; 3] = ["expect", "expect_with", "expect_same"];

/// An experiment, parsed, checked and canonical. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct Scenario {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// As it was written, with overrides.
    document: Value,
    /// With every default filled in.
    file: ScenarioFile,
    canonical: Value,
    canonical_json: String,
    world: WorldSpec,
    sources: check::Sources,
}

impl Scenario {
    /// Reads a scenario in TOML. `origin` names it in errors.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self, LabError> {
        Self::from_document(parse::toml_value(text, origin)?)
    }

    /// Reads a scenario in JSON.
    pub fn from_json(text: &str, origin: &str) -> Result<Self, LabError> {
        Self::from_document(parse::json_value(text, origin)?)
    }

    /// Reads a scenario that is a JSON value already.
    pub fn from_value(document: Value) -> Result<Self, LabError> {
        Self::from_document(document)
    }

    fn from_document(document: Value) -> Result<Self, LabError> {
        shape::check(&document)?;
        let check::Checked { file, world, sources } = check::check(parse::typed(&document)?)?;
        let root = Place::root();
        for field in file.expect.keys() {
            expect::check_field(&root.key("expect"), field)?;
        }
        for (setting, fields) in &file.expect_with {
            fields.keys().try_for_each(|field| expect::check_field(&root.key("expect_with").key(setting), field))?;
        }
        for (setting, fields) in &file.expect_same {
            fields.keys().try_for_each(|field| expect::check_field(&root.key("expect_same").key(setting), field))?;
        }
        let canonical = sorted(serde_json::to_value(&file).expect("a scenario is plain data"));
        let canonical_json = canonical.to_string();
        Ok(Scenario { inner: Arc::new(Inner { document, file, canonical, canonical_json, world, sources }) })
    }

    /// The scenario with one key set: `kernel.patches=keep-half-window`, `file.0.size=64M`. An empty value goes back to
    /// the default (and empties a list).
    pub fn set(&self, setting: &str) -> Result<Self, LabError> {
        self.with(&[setting])
    }

    /// The scenario with several keys set, one after the other. What the source measured follows the settings: the new
    /// scenario's `expect` is what `expect_with` says of it, or nothing.
    pub fn with<S: AsRef<str>>(&self, settings: &[S]) -> Result<Self, LabError> {
        let changed = self.with_plain(settings)?;
        if changed.experiment() == self.experiment() {
            return Ok(changed);
        }
        let measured = self.inner.file.expect_with.iter().find(|(other, _)| {
            self.with_plain(&split_settings(other)).is_ok_and(|other| other.experiment() == changed.experiment())
        });
        let mut document = changed.inner.document.clone();
        if let Some(map) = document.as_object_mut() {
            EXPECTATIONS.iter().for_each(|key| drop(map.remove(*key)));
            if let Some((_, expected)) = measured {
                map.insert("expect".to_string(), serde_json::to_value(expected).expect("expectations are plain data"));
            }
        }
        Self::from_document(document)
    }

    fn with_plain<S: AsRef<str>>(&self, settings: &[S]) -> Result<Self, LabError> {
        let mut document = self.inner.document.clone();
        for setting in settings {
            set::apply(&mut document, &self.inner.canonical, setting.as_ref())?;
        }
        Self::from_document(document)
    }

    /// What is run, without what is said about it.
    fn experiment(&self) -> String {
        let mut value = self.inner.canonical.clone();
        if let Some(map) = value.as_object_mut() {
            map.retain(|key, _| {
                !EXPECTATIONS.contains(&key.as_str()) && !["title", "source", "about"].contains(&key.as_str())
            });
        }
        value.to_string()
    }

    /// Every default filled in, keys sorted, no spaces: equal for equal experiments.
    pub fn canonical_json(&self) -> &str {
        &self.inner.canonical_json
    }

    /// The same as a value.
    pub fn canonical_value(&self) -> &Value {
        &self.inner.canonical
    }

    /// What the engine runs.
    pub fn world(&self) -> &WorldSpec {
        &self.inner.world
    }

    /// The parts, with every default filled in.
    pub fn parts(&self) -> &ScenarioFile {
        &self.inner.file
    }

    /// What the experiment is called.
    pub fn title(&self) -> &str {
        &self.inner.file.title
    }

    /// Where it comes from.
    pub fn source(&self) -> &str {
        &self.inner.file.source
    }

    /// What it teaches.
    pub fn about(&self) -> &str {
        &self.inner.file.about
    }

    /// The device's name.
    pub fn device_name(&self) -> &str {
        self.inner.file.device.model.as_deref().unwrap_or_default()
    }

    /// Where the value of read_ahead_kb comes from: "128 KiB: the default of linux-6.12; io_opt is 0".
    pub fn read_ahead_source(&self) -> &str {
        &self.inner.sources.read_ahead
    }

    /// Where the value of max_sectors_kb comes from.
    pub fn max_sectors_source(&self) -> &str {
        &self.inner.sources.max_sectors
    }

    /// What the source measured for this scenario.
    pub fn expect(&self) -> &BTreeMap<String, Expected> {
        &self.inner.file.expect
    }

    /// Settings other than the scenario's own for which the source measured something.
    pub fn expected_settings(&self) -> Vec<Vec<String>> {
        self.inner.file.expect_with.keys().map(|settings| split_settings(settings)).collect()
    }

    /// Settings that must leave fields as they are, with these fields.
    pub fn expected_same(&self) -> Vec<(Vec<String>, BTreeMap<String, Same>)> {
        let same = &self.inner.file.expect_same;
        same.iter().map(|(settings, fields)| (split_settings(settings), fields.clone())).collect()
    }

    /// Holds what the source measured against a run of this scenario.
    pub fn check_expected(&self, summary: &Summary) -> Vec<ExpectCheck> {
        expect::check(self.expect(), summary)
    }

    /// Holds two runs against each other.
    pub fn check_same(fields: &BTreeMap<String, Same>, a: &Summary, b: &Summary) -> Vec<ExpectCheck> {
        expect::check_same(fields, a, b)
    }

    /// The JSON Schema of a scenario.
    pub fn schema() -> Value {
        let mut schema = serde_json::to_value(schemars::schema_for!(ScenarioFile)).expect("a schema is plain data");
        schema["title"] = Value::String("Readahead Lab scenario".to_string());
        schema
    }
}

/// The JSON Schema of a scenario.
pub fn schema() -> Value {
    Scenario::schema()
}

/// The value with the keys of every object in order, whatever order the map type keeps.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(String, Value)> = map.into_iter().collect();
            entries.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(entries.into_iter().map(|(key, value)| (key, sorted(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(sorted).collect()),
        plain => plain,
    }
}
