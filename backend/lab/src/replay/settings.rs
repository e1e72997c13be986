//! Settings of a replay that a person gives as `key=value`; what is not given is taken from the trace.

use super::ReplayError;
use std::collections::BTreeMap;
use std::str::FromStr;

/// Settings that the person gives; the others are taken from the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReplaySettings {
    /// read_ahead_kb.
    pub read_ahead_kb: Option<u32>,
    /// max_sectors_kb.
    pub max_sectors_kb: Option<u64>,
    /// max_segments.
    pub max_segments: Option<u32>,
    /// fault_around_bytes in KiB.
    pub fault_around_kb: Option<u64>,
    /// Sizes of files in bytes, by their place in the report.
    pub file_bytes: BTreeMap<usize, u64>,
    /// Smallest folio order of files, by their place in the report. Default 0.
    pub file_min_order: BTreeMap<usize, u8>,
    /// Largest folio order of files, by their place in the report. Default 9; 0: no large folios.
    pub file_max_order: BTreeMap<usize, u8>,
}

const EXPECTED: &str = "kernel.read_ahead_kb, kernel.max_sectors_kb, kernel.max_segments, kernel.fault_around_kb or \
                        file.NUMBER.{bytes,min_order,max_order}";

impl ReplaySettings {
    /// Reads a list of `key=value`, with the keys of scenarios. `kernel.` may be left out.
    pub fn parse<S: AsRef<str>>(list: &[S]) -> Result<Self, ReplayError> {
        let mut settings = ReplaySettings::default();
        for text in list {
            let text = text.as_ref();
            let (key, value) = text.split_once('=').map_or((text, ""), |(key, value)| (key.trim(), value.trim()));
            let name = key.strip_prefix("kernel.").unwrap_or(key);
            match name {
                "read_ahead_kb" => settings.read_ahead_kb = Some(number(key, value)?),
                "max_sectors_kb" => settings.max_sectors_kb = Some(number(key, value)?),
                "max_segments" => settings.max_segments = Some(number(key, value)?),
                "fault_around_kb" => settings.fault_around_kb = Some(number(key, value)?),
                _ => {
                    let of_file = key.strip_prefix("file.").and_then(|rest| rest.split_once('.'));
                    match of_file.and_then(|(file, field)| Some((file.parse::<usize>().ok()?, field))) {
                        Some((file, "bytes")) => {
                            settings.file_bytes.insert(file, number(key, value)?);
                        }
                        Some((file, "min_order")) => {
                            settings.file_min_order.insert(file, number(key, value)?);
                        }
                        Some((file, "max_order")) => {
                            settings.file_max_order.insert(file, number(key, value)?);
                        }
                        _ => {
                            let message = format!("a replay has no such setting; expected {EXPECTED}");
                            return Err(bad(key, &message));
                        }
                    }
                }
            }
        }
        Ok(settings)
    }

    /// Refuses settings of files that the trace does not have.
    pub(super) fn check_files(&self, files: usize) -> Result<(), ReplayError> {
        let lists = [
            ("bytes", self.file_bytes.last_key_value().map(|(file, bytes)| (*file, *bytes))),
            ("min_order", self.file_min_order.last_key_value().map(|(file, order)| (*file, u64::from(*order)))),
            ("max_order", self.file_max_order.last_key_value().map(|(file, order)| (*file, u64::from(*order)))),
        ];
        for (field, last) in lists {
            if let Some((file, value)) = last.filter(|(file, _)| *file >= files) {
                let known = match files {
                    0 => "no such key, it shows none".to_owned(),
                    1 => "file.0".to_owned(),
                    _ => format!("file.0 to file.{}", files - 1),
                };
                let message = format!("`{value}` for a file that the trace does not have; expected {known}");
                return Err(bad(&format!("file.{file}.{field}"), &message));
            }
        }
        Ok(())
    }
}

fn number<T: FromStr>(key: &str, value: &str) -> Result<T, ReplayError> {
    value.parse().map_err(|_| bad(key, &format!("`{}`; expected a whole number", shown(value))))
}

fn bad(key: &str, what: &str) -> ReplayError {
    ReplayError::Setting { key: shown(key), message: what.into() }
}

fn shown(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_the_names_that_scenarios_have() {
        let list = ["kernel.read_ahead_kb = 256", "max_sectors_kb=1024", "file.1.bytes=4096"];
        let settings = ReplaySettings::parse(&list).unwrap();
        assert_eq!((settings.read_ahead_kb, settings.max_sectors_kb), (Some(256), Some(1024)));
        assert_eq!(settings.file_bytes.get(&1), Some(&4096));
    }

    #[test]
    fn a_file_that_the_trace_does_not_have_is_named() {
        let settings = ReplaySettings::parse(&["file.0.max_order=0", "file.99.bytes=4096"]).unwrap();
        assert!(settings.check_files(100).is_ok());
        assert_eq!(
            settings.check_files(3).unwrap_err().to_string(),
            "file.99.bytes: `4096` for a file that the trace does not have; expected file.0 to file.2"
        );
        let settings = ReplaySettings::parse(&["file.1.min_order=2"]).unwrap();
        assert_eq!(
            settings.check_files(1).unwrap_err().to_string(),
            "file.1.min_order: `2` for a file that the trace does not have; expected file.0"
        );
    }

    #[test]
    fn what_is_no_setting_is_named_with_what_was_expected() {
        for (bad, expected) in [
            ("kernel.read_ahead=1", "kernel.read_ahead: a replay has no such setting"),
            ("kernel.read_ahead_kb=-1", "kernel.read_ahead_kb: `-1`; expected a whole number"),
            ("kernel.max_sectors_kb", "kernel.max_sectors_kb: ``; expected a whole number"),
            ("file.x.bytes=1", "file.x.bytes: a replay has no such setting"),
        ] {
            let error = ReplaySettings::parse(&[bad]).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
