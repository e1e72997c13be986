//! Forms: what a page posts, as submissions; and the settings form of a run or a compare, filled from its scenario.
//!
//! A field whose name has a dot is a setting, by the scenario's own dotted keys. Must not know what a setting means.

use crate::problem::Problem;
use crate::runs::Source;
use axum::http::StatusCode;
use readahead_lab_core::library;
use serde_json::Value;

/// The fields of a form in the order in which they came.
pub(super) type Fields = Vec<(String, String)>;

/// The value of the first field of that name, without spaces around it; empty fields count as absent.
pub(super) fn field<'a>(fields: &'a Fields, name: &str) -> Option<&'a str> {
    fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
}

/// Where the scenario of a form comes from: `name`, or `scenario` as JSON or TOML text.
pub(super) fn source(fields: &Fields) -> Result<Source, Problem> {
    if let Some(text) = field(fields, "scenario") {
        return Ok(if text.starts_with('{') { Source::Json(json(text)?) } else { Source::Toml(text.to_owned()) });
    }
    match field(fields, "name") {
        Some(name) => Ok(Source::Name(name.to_owned())),
        None => {
            let detail = "the form has neither `name` nor `scenario`; expected the name of a scenario, or its text";
            Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "form.no_scenario", detail).at("scenario"))
        }
    }
}

fn json(text: &str) -> Result<Value, Problem> {
    serde_json::from_str(text).map_err(|error| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "scenario.syntax", format!("scenario: {error}; expected JSON"))
            .at("scenario")
    })
}

/// The settings of a form: fields with a dot in their names. Several of one name become one list.
pub(super) fn settings(fields: &Fields) -> Vec<String> {
    let mut settings: Vec<(&str, Vec<&str>)> = Vec::new();
    for (key, value) in fields.iter().filter(|(key, _)| key.contains('.')) {
        match settings.iter_mut().find(|(known, _)| known == key) {
            Some((_, values)) => values.push(value.trim()),
            None => settings.push((key, vec![value.trim()])),
        }
    }
    let joined = |values: Vec<&str>| values.into_iter().filter(|value| !value.is_empty()).collect::<Vec<_>>().join(",");
    settings.into_iter().map(|(key, values)| format!("{key}={}", joined(values))).collect()
}

/// One choice of a list.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// What is sent.
    pub(super) value: String,
    /// What it is.
    pub(super) about: String,
    /// Whether it is chosen.
    pub(super) chosen: bool,
}

/// A field of the settings form that takes text.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    /// Its key.
    pub(super) key: &'static str,
    /// What it is called.
    pub(super) label: &'static str,
    /// Its value; empty for the default.
    pub(super) value: String,
    /// Shown while it is empty.
    pub(super) hint: &'static str,
}

/// The settings form, filled from a scenario.
#[derive(Clone, Debug)]
pub(super) struct SettingsForm {
    /// The scenario as it is, sent along.
    pub(super) scenario: String,
    /// The same to read and edit.
    pub(super) pretty: String,
    /// Kernel models.
    pub(super) models: Vec<Choice>,
    /// Patches.
    pub(super) patches: Vec<Choice>,
    /// Devices.
    pub(super) devices: Vec<Choice>,
    /// The rest.
    pub(super) settings: Vec<Setting>,
}

impl SettingsForm {
    /// The form for this scenario, canonical JSON.
    pub(super) fn of(scenario: &Value) -> Self {
        let kernel = &scenario["kernel"];
        let chosen = |names: &Value, name: &str| match names {
            Value::Array(items) => items.iter().any(|item| item == name),
            other => other == name,
        };
        let models = library::models().into_iter().map(|model| Choice {
            value: model.name.to_owned(),
            about: model.about.to_owned(),
            chosen: chosen(&kernel["model"], model.name),
        });
        let patches = library::patches().into_iter().map(|patch| Choice {
            value: patch.name.to_owned(),
            about: patch.about.to_owned(),
            chosen: chosen(&kernel["patches"], patch.name),
        });
        let devices = library::devices().iter().map(|device| Choice {
            value: device.name.clone(),
            about: device.title.clone(),
            chosen: chosen(&scenario["device"]["model"], &device.name),
        });
        let setting = |key: &'static str, label, hint| Setting { key, label, value: text_at(scenario, key), hint };
        SettingsForm {
            models: models.collect(),
            patches: patches.collect(),
            devices: devices.collect(),
            settings: vec![
                setting("kernel.read_ahead_kb", "read_ahead_kb", "the kernel's choice"),
                setting("kernel.max_sectors_kb", "max_sectors_kb", "the kernel's choice"),
                setting("kernel.memory", "memory", "plenty"),
                setting("file.0.size", "size of the first file", "512M"),
                setting("device.latency", "device latency", "the device's"),
                setting("device.channels", "requests served at once", "the device's"),
                setting("device.bandwidth", "bytes per second", "the device's"),
                setting("device.queue_depth", "queue depth", "the device's"),
            ],
            scenario: scenario.to_string(),
            pretty: serde_json::to_string_pretty(scenario).unwrap_or_default(),
        }
    }
}

/// The value at a dotted key as a person would type it.
fn text_at(scenario: &Value, key: &str) -> String {
    let found = key.split('.').try_fold(scenario, |value, part| match part.parse::<usize>() {
        Ok(place) => value.get(place),
        Err(_) => value.get(part),
    });
    match found {
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &str)]) -> Fields {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn fields_with_a_dot_are_settings_and_repeated_ones_are_lists() {
        let form = fields(&[
            ("name", "x"),
            ("kernel.patches", ""),
            ("kernel.patches", "keep-half-window"),
            ("kernel.patches", "mmap-floor-order"),
            ("kernel.memory", " 1G "),
            ("device.latency", ""),
        ]);
        assert_eq!(
            settings(&form),
            ["kernel.patches=keep-half-window,mmap-floor-order", "kernel.memory=1G", "device.latency="]
        );
    }

    #[test]
    fn text_is_json_or_toml_and_wins_over_a_name() {
        assert!(matches!(source(&fields(&[("name", "x")])), Ok(Source::Name(name)) if name == "x"));
        assert!(matches!(source(&fields(&[("scenario", " {\"title\":1}"), ("name", "x")])), Ok(Source::Json(_))));
        assert!(matches!(source(&fields(&[("scenario", "title = 1")])), Ok(Source::Toml(_))));
        assert_eq!(source(&fields(&[("scenario", "{")])).unwrap_err().code, "scenario.syntax");
        assert_eq!(source(&fields(&[("name", " ")])).unwrap_err().code, "form.no_scenario");
    }
}
