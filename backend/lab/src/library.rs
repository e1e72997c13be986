//! The scenarios and devices that come with the lab: `scenarios/*.toml` and `scenarios/devices/*.toml`, embedded.
//!
//! Must not know what they mean; a file is looked at when it is asked for by name.

use crate::LabError;
use crate::device::DeviceEntry;
use crate::scenario::Scenario;
use include_dir::{Dir, include_dir};
use serde::Serialize;
use std::sync::LazyLock;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../scenarios");

/// A scenario of the library.
#[derive(Clone, Debug, Serialize)]
pub struct ScenarioEntry {
    /// The file's name without `.toml`.
    pub name: String,
    /// What the experiment is called.
    pub title: String,
    /// Where it comes from.
    pub source: String,
    /// What it teaches.
    pub about: String,
    /// The file.
    #[serde(skip)]
    pub toml: String,
}

/// Every scenario, by name.
pub fn scenarios() -> &'static [ScenarioEntry] {
    static ENTRIES: LazyLock<Vec<ScenarioEntry>> = LazyLock::new(|| {
        let entry = |(name, toml): (String, String)| {
            let scenario = Scenario::from_toml(&toml, &name).expect("a test reads every embedded scenario");
            let (title, source, about) = (scenario.title(), scenario.source(), scenario.about());
            ScenarioEntry { title: title.into(), source: source.into(), about: about.into(), name, toml }
        };
        toml_files(&FILES).into_iter().map(entry).collect()
    });
    &ENTRIES
}

/// The scenario of that name.
pub fn scenario(name: &str) -> Result<Scenario, LabError> {
    let found = scenarios().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = scenarios().iter().map(|entry| entry.name.as_str());
        LabError::new("library.unknown_scenario", unknown("scenario", name, names))
    })?;
    Scenario::from_toml(&found.toml, name)
}

/// Every device, by name.
pub fn devices() -> &'static [DeviceEntry] {
    static ENTRIES: LazyLock<Vec<DeviceEntry>> = LazyLock::new(|| {
        let folder = FILES.get_dir("devices").expect("the folder exists in the repository");
        let entry = |(name, toml): (String, String)| {
            DeviceEntry::from_toml(&name, &toml).expect("a test reads every embedded device")
        };
        toml_files(folder).into_iter().map(entry).collect()
    });
    &ENTRIES
}

/// The device of that name.
pub fn device(name: &str) -> Result<&'static DeviceEntry, LabError> {
    devices().iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names = devices().iter().map(|entry| entry.name.as_str());
        LabError::new("library.unknown_device", unknown("device", name, names))
    })
}

/// A kernel generation, as lists show it.
#[derive(Clone, Debug, Serialize)]
pub struct ModelEntry {
    /// The name used everywhere.
    pub name: &'static str,
    /// The exact source it follows.
    pub source: &'static str,
    /// What is special about it.
    pub about: &'static str,
    /// The patches that apply to it.
    pub patches: Vec<&'static str>,
}

/// A patch, as lists show it.
#[derive(Clone, Debug, Serialize)]
pub struct PatchEntry {
    /// The name used everywhere.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it changes.
    pub about: &'static str,
    /// Patches that it cannot be combined with.
    pub conflicts: Vec<&'static str>,
}

/// Every kernel generation, oldest first.
pub fn models() -> Vec<ModelEntry> {
    let entry = |model: &readahead_policy::ModelInfo| ModelEntry {
        name: model.name,
        source: model.source,
        about: model.about,
        patches: model.patches.iter().map(|patch| patch.info().name).collect(),
    };
    readahead_policy::MODELS.iter().map(entry).collect()
}

/// Every patch.
pub fn patches() -> Vec<PatchEntry> {
    let entry = |patch: &readahead_policy::PatchInfo| PatchEntry {
        name: patch.name,
        source: patch.source,
        about: patch.about,
        conflicts: patch.conflicts.iter().map(|patch| patch.info().name).collect(),
    };
    readahead_policy::PATCHES.iter().map(entry).collect()
}

fn toml_files(folder: &Dir<'_>) -> Vec<(String, String)> {
    let name_and_text = |file: &include_dir::File<'_>| {
        let name = file.path().file_name()?.to_str()?.strip_suffix(".toml")?;
        Some((name.to_string(), file.contents_utf8()?.to_string()))
    };
    let mut files: Vec<_> = folder.files().filter_map(name_and_text).collect();
    files.sort();
    files
}

/// "unknown device `x`; did you mean `y`? expected one of …".
pub(crate) fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    let hint = match crate::scenario::parse::nearest(name, &names) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    format!("unknown {what} `{name}`; {hint}expected one of {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_embedded_file_reads() {
        for (name, toml) in toml_files(FILES.get_dir("devices").unwrap()) {
            DeviceEntry::from_toml(&name, &toml).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        for (name, toml) in toml_files(&FILES) {
            Scenario::from_toml(&toml, &name).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        assert!(!scenarios().is_empty() && !devices().is_empty());
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_nearest() {
        let error = device("nvmee").unwrap_err();
        assert_eq!(error.code, "library.unknown_device");
        assert!(error.message.contains("did you mean `nvme`?"), "{error}");
    }
}
