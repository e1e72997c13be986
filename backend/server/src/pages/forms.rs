//! Forms: what a page posts, as submissions; and the settings form of a run or a compare, filled from its scenario.
//!
//! A field whose name has a dot is a setting, by the scenario's own dotted keys. Must not know what a setting means.

mod written;

use super::patches::{PatchBoxes, kernel_of};
use crate::problem::Problem;
use crate::runs::Source;
use axum::http::StatusCode;
use readahead_lab_core::library;
use serde_json::Value;
use written::{as_written, typed};

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
    let mut settings: Vec<(String, String)> =
        settings.into_iter().map(|(key, values)| (key.to_owned(), joined(values))).collect();
    fit_device(fields, &mut settings);
    settings.into_iter().map(|(key, value)| format!("{key}={value}")).collect()
}

/// When another device is chosen, drops what was set for the one before, and what the new one does not have.
fn fit_device(fields: &Fields, settings: &mut Vec<(String, String)>) {
    let scenario = field(fields, "scenario").and_then(|text| serde_json::from_str::<Value>(text).ok());
    let before = scenario.as_ref().map(|scenario| &scenario["device"]);
    let Some(chosen) = settings.iter().find(|(key, _)| key == "device.model").map(|(_, name)| name.clone()) else {
        return;
    };
    let Ok(device) = library::device(&chosen) else { return };
    let has = serde_json::to_value(&device.parameters).unwrap_or_default();
    let old = before.and_then(Value::as_object);
    let same_device = old.is_none_or(|old| old.get("model").and_then(Value::as_str).unwrap_or("nvme") == chosen);
    for (key, value) in settings.iter_mut() {
        let Some(name) = key.strip_prefix("device.").filter(|name| *name != "model") else { continue };
        let left_over = !same_device && old.and_then(|old| old.get(name)).is_some_and(|old| typed(name, old) == *value);
        if left_over || has.get(name).is_none_or(Value::is_null) {
            value.clear();
        }
    }
    if !same_device {
        for name in old.into_iter().flat_map(|old| old.keys()).filter(|name| *name != "model") {
            let key = format!("device.{name}");
            if !settings.iter().any(|(known, _)| *known == key) {
                settings.push((key, String::new()));
            }
        }
    }
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
    /// Shown while it is empty: what it is then.
    pub(super) hint: String,
}

/// The settings form, filled from a scenario.
#[derive(Clone, Debug)]
pub(super) struct SettingsForm {
    /// The scenario as a person would have written it, sent along.
    pub(super) scenario: String,
    /// The same to read and edit.
    pub(super) pretty: String,
    /// Kernel models.
    pub(super) models: Vec<Choice>,
    /// Patches of the chosen one.
    pub(super) patches: PatchBoxes,
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
        let (model, own) = kernel_of(scenario);
        let devices = library::devices().iter().map(|device| Choice {
            value: device.name.clone(),
            about: device.title.clone(),
            chosen: chosen(&scenario["device"]["model"], &device.name),
        });
        let written = as_written(scenario);
        let setting = |key: &'static str, label, hint: &str| {
            let hint = match text_at(scenario, key) {
                now if now.is_empty() => hint.to_owned(),
                now => format!("{now}: {hint}"),
            };
            Setting { key, label, value: text_at(&written, key), hint }
        };
        SettingsForm {
            models: models.collect(),
            patches: PatchBoxes::of("kernel.patches", &model, &own),
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
            scenario: written.to_string(),
            pretty: serde_json::to_string_pretty(&written).unwrap_or_default(),
        }
    }
}

/// The value at a dotted key as a person would type it.
fn text_at(scenario: &Value, key: &str) -> String {
    let found = key.split('.').try_fold(scenario, |value, part| match part.parse::<usize>() {
        Ok(place) => value.get(place),
        Err(_) => value.get(part),
    });
    found.map(|value| typed(key, value)).unwrap_or_default()
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
    fn another_device_starts_without_what_was_set_for_the_one_before() {
        let scenario = r#"{"device":{"model":"nvme","latency":"200us","jitter_permille":5,"queue_depth":64}}"#;
        let form = |model| {
            let fields = fields(&[
                ("scenario", scenario),
                ("device.model", model),
                ("device.latency", "200us"),
                ("device.channels", "4"),
                ("device.queue_depth", "32"),
            ]);
            settings(&fields)
        };
        assert_eq!(
            form("instant"),
            [
                "device.model=instant",
                "device.latency=",
                "device.channels=",
                "device.queue_depth=32",
                "device.jitter_permille="
            ]
        );
        assert_eq!(
            form("nvme"),
            ["device.model=nvme", "device.latency=200us", "device.channels=4", "device.queue_depth=32"]
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
