//! A canonical scenario as a person would have written it: without what follows from the rest, sizes and times with units.
//!
//! A form that changes a key must start from this, or the old consequences of that key stay (extents of the old file
//! size, parameters of the old device). Must not know forms.

use readahead_lab_core::scenario::Scenario;
use serde_json::Value;

/// Keys of a file that follow from its size, its place, its file system and the kernel.
const FILE_KEYS: [&str; 5] = ["extents", "ino", "max_order", "min_order", "large_folios"];
/// What a scenario's kernel says in any case.
const KERNEL_KEPT: [&str; 2] = ["model", "patches"];

const SIZES: [(&str, u64); 4] = [("T", 1 << 40), ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)];
const TIMES: [(&str, u64); 3] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000)];

/// The scenario without the keys whose values it would have anyway. It runs the same experiment.
pub(super) fn as_written(canonical: &Value) -> Value {
    let Some(wanted) = experiment(canonical) else { return canonical.clone() };
    let mut document = canonical.clone();
    with_units(&mut document);
    let keys = derived_keys(canonical);
    let mut short = document.clone();
    keys.iter().for_each(|key| drop_key(&mut short, key));
    if experiment(&short).as_ref() == Some(&wanted) {
        return short;
    }
    // Some of them were written: keep those that make a difference.
    for key in &keys {
        let mut shorter = document.clone();
        drop_key(&mut shorter, key);
        if experiment(&shorter).as_ref() == Some(&wanted) {
            document = shorter;
        }
    }
    document
}

fn experiment(document: &Value) -> Option<String> {
    Scenario::from_value(document.clone()).ok().map(|scenario| scenario.canonical_json().to_owned())
}

fn derived_keys(canonical: &Value) -> Vec<String> {
    let pointers = |part: &str, kept: &[&str]| -> Vec<String> {
        let names = canonical[part].as_object().into_iter().flat_map(|map| map.keys());
        names.filter(|name| !kept.contains(&name.as_str())).map(|name| format!("/{part}/{name}")).collect()
    };
    let mut keys = pointers("kernel", &KERNEL_KEPT);
    keys.extend(pointers("device", &["model"]));
    for place in 0..canonical["file"].as_array().map_or(0, Vec::len) {
        keys.extend(FILE_KEYS.iter().map(|name| format!("/file/{place}/{name}")));
    }
    keys
}

fn drop_key(document: &mut Value, pointer: &str) {
    if let Some((parent, name)) = pointer.rsplit_once('/')
        && let Some(map) = document.pointer_mut(parent).and_then(Value::as_object_mut)
    {
        map.remove(name);
    }
}

fn with_units(document: &mut Value) {
    let mut put = |pointer: &str, units: &[(&str, u64)]| {
        if let Some(value) = document.pointer_mut(pointer)
            && let Some(number) = value.as_u64()
        {
            *value = Value::String(in_units(number, units));
        }
    };
    put("/kernel/memory", &SIZES);
    put("/device/bandwidth", &SIZES);
    put("/device/capacity", &SIZES);
    put("/device/chunk", &SIZES);
    put("/device/latency", &TIMES);
    let files = document["file"].as_array_mut().into_iter().flatten();
    for file in files {
        for key in ["size", "nfs_rsize", "fuse_max_readahead"] {
            if let Some(size) = file.get(key).and_then(Value::as_u64) {
                file[key] = Value::String(in_units(size, &SIZES));
            }
        }
    }
}

/// The number in the largest unit of which it is a whole multiple.
fn in_units(number: u64, units: &[(&str, u64)]) -> String {
    match units.iter().find(|(_, factor)| number > 0 && number.is_multiple_of(*factor)) {
        Some((unit, factor)) => format!("{}{unit}", number / factor),
        None => number.to_string(),
    }
}

/// The value of a key as a person would type it, for keys that are sizes or times; the plain number for others.
pub(super) fn typed(key: &str, value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match (key.rsplit('.').next(), number.as_u64()) {
            (Some("memory" | "size" | "bandwidth"), Some(number)) => in_units(number, &SIZES),
            (Some("latency"), Some(number)) => in_units(number, &TIMES),
            _ => number.to_string(),
        },
        Value::Bool(value) => value.to_string(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use readahead_lab_core::library;

    #[test]
    fn every_scenario_of_the_library_is_written_shorter_and_runs_the_same() {
        for entry in library::scenarios() {
            let scenario = library::scenario(&entry.name).unwrap();
            let written = as_written(scenario.canonical_value());
            assert!(written["file"][0].get("extents").is_none(), "{}: {written}", entry.name);
            assert!(written["device"].get("latency").is_none(), "{}: {written}", entry.name);
            let again = Scenario::from_value(written).unwrap();
            assert_eq!(again.canonical_json(), scenario.canonical_json(), "{}", entry.name);
        }
    }

    #[test]
    fn what_was_written_stays() {
        let settings = ["kernel.max_sectors_kb=256", "device.latency=200us", "kernel.memory=64M"];
        let scenario = library::scenario("mm-2026-keep-half-window").unwrap().with(&settings).unwrap();
        let written = as_written(scenario.canonical_value());
        assert_eq!(written["kernel"]["max_sectors_kb"], 256);
        assert_eq!(written["kernel"]["memory"], "64M");
        assert_eq!(written["device"]["latency"], "200us");
        assert_eq!(written["file"][0]["size"], "512M");
        assert!(written["device"].get("channels").is_none());
    }

    #[test]
    fn another_kernel_takes_its_own_defaults() {
        for entry in library::scenarios() {
            let scenario = library::scenario(&entry.name).unwrap();
            let written = as_written(scenario.canonical_value());
            for model in library::models() {
                let settings = [format!("kernel.model={}", model.name), "kernel.patches=".to_owned()];
                let from_form = Scenario::from_value(written.clone()).unwrap().with(&settings);
                let plain = scenario.with(&settings);
                let orders = |scenario: &Scenario| scenario.world().files[0].max_order;
                let (from_form, plain) = (from_form.unwrap(), plain.unwrap());
                assert_eq!(orders(&from_form), orders(&plain), "{} on {}", entry.name, model.name);
            }
        }
    }

    #[test]
    fn facts_for_the_defaults_keep_their_units() {
        let settings =
            ["kernel.model=linux-2.6.33", "file.0.filesystem=nfs", "file.0.nfs_rsize=16K", "device.capacity=1T"];
        let scenario = library::scenario("first-sequential-read").unwrap().with(&settings).unwrap();
        let written = as_written(scenario.canonical_value());
        assert_eq!((&written["file"][0]["nfs_rsize"], &written["device"]["capacity"]), (&"16K".into(), &"1T".into()));
        assert!(written["kernel"].get("read_ahead_kb").is_none() && written["file"][0].get("large_folios").is_none());
    }

    #[test]
    fn numbers_take_the_largest_unit_that_keeps_them_whole() {
        assert_eq!(in_units(536_870_912, &SIZES), "512M");
        assert_eq!(in_units(1_536, &SIZES), "1536");
        assert_eq!(in_units(0, &SIZES), "0");
        assert_eq!(in_units(70_000, &TIMES), "70us");
    }
}
