//! Device parameters by name: the files of `scenarios/devices`, and what a kernel learns about such a device.
//!
//! Must not know how a device works; that is the engine's mechanism of the same name.

use crate::LabError;
use crate::scenario::defaults::{DeviceFacts, Stacked};
use crate::scenario::parse::from_toml;
use crate::scenario::{DevicePart, Place, Stack};
use readahead_sim::world::{DeviceSpec, NvmeSpec};
use readahead_types::{Nanos, PAGE_BYTES};
use serde::{Deserialize, Serialize};

const CAPACITY_BYTES_MAX: u64 = 1 << 60;
const CHUNK_BYTES_MAX: u64 = 16 << 20;
const DATA_DISKS_MAX: u64 = 64;

/// How a device works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mechanism {
    /// A latency for each request, channels, and a shared link.
    Nvme,
    /// Completes everything at once.
    Instant,
}

/// A device of the library.
#[derive(Clone, Debug, Serialize)]
pub struct DeviceEntry {
    /// Its name in scenarios.
    pub name: String,
    /// What it is.
    pub title: String,
    /// How it works.
    pub mechanism: Mechanism,
    /// Where its parameters come from.
    pub source: String,
    /// What it models and what not.
    pub about: String,
    /// Its parameters.
    pub parameters: DevicePart,
    /// The file.
    #[serde(skip)]
    pub toml: String,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceFile {
    title: String,
    mechanism: Mechanism,
    source: String,
    about: String,
    #[serde(default)]
    parameters: DevicePart,
}

impl DeviceEntry {
    /// The device of that file.
    pub fn from_toml(name: &str, text: &str) -> Result<Self, LabError> {
        let DeviceFile { title, mechanism, source, about, parameters } = from_toml(text, name)?;
        Ok(DeviceEntry { name: name.to_string(), title, mechanism, source, about, parameters, toml: text.to_string() })
    }
}

/// A device with every parameter settled.
pub(crate) struct Settled {
    /// What the scenario says, completed.
    pub(crate) part: DevicePart,
    /// What the engine gets.
    pub(crate) spec: DeviceSpec,
    /// Requests at a time.
    pub(crate) queue_depth: u16,
    /// What a kernel learns about it.
    pub(crate) facts: DeviceFacts,
}

/// The scenario's device: its file's parameters with the scenario's over them.
pub(crate) fn settle(part: &DevicePart, place: &Place) -> Result<Settled, LabError> {
    let name = part.model.as_deref().unwrap_or("nvme");
    let entry = crate::library::device(name).map_err(|error| place.key("model").error(error.code, error.message))?;
    let base = &entry.parameters;
    let mut settled = part.clone();
    settled.model = Some(name.to_string());
    settled.queue_depth = part.queue_depth.or(base.queue_depth).or(Some(1023));
    settled.max_hw_sectors_kb = part.max_hw_sectors_kb.or(base.max_hw_sectors_kb).or(Some(512));
    settled.max_segments = part.max_segments.or(base.max_segments).or(Some(256));
    settled.io_opt = part.io_opt.or(base.io_opt).or(Some(Default::default()));
    settled.io_min = part.io_min.or(base.io_min).or(Some(crate::scenario::Size(512)));
    settled.stack = part.stack.or(base.stack);
    settled.chunk = part.chunk.or(base.chunk);
    settled.data_disks = part.data_disks.or(base.data_disks);
    settled.capacity = part.capacity.or(base.capacity);
    let rotational = part.rotational.or(base.rotational).unwrap_or(false);
    // Said or not, a device that does not turn is the same device.
    settled.rotational = (rotational || base.rotational.is_some()).then_some(rotational);
    let within = |key: &str, value: Option<u64>, min: u64, max: u64| match value {
        Some(value) if (min..=max).contains(&value) => Ok(value),
        Some(value) => {
            let message = format!("{value} is out of range; expected {min} to {max}");
            Err(place.key(key).error("scenario.out_of_range", message))
        }
        None => Err(place.key(key).error("scenario.missing_key", format!("device `{name}` needs `{key}`"))),
    };
    let spec = match entry.mechanism {
        Mechanism::Nvme => {
            settled.latency = part.latency.or(base.latency);
            settled.channels = part.channels.or(base.channels);
            settled.bandwidth = part.bandwidth.or(base.bandwidth);
            settled.jitter_permille = part.jitter_permille.or(base.jitter_permille).or(Some(0));
            DeviceSpec::Nvme(NvmeSpec {
                latency: Nanos(within("latency", settled.latency.map(|time| time.0), 0, 3_600_000_000_000)?),
                channels: within("channels", settled.channels, 1, 4096)? as u16,
                bandwidth: within("bandwidth", settled.bandwidth.map(|size| size.0), 1024, 1 << 50)?,
                jitter_permille: within("jitter_permille", settled.jitter_permille, 0, 1000)? as u32,
            })
        }
        Mechanism::Instant => {
            let given = [
                ("latency", part.latency.is_some()),
                ("channels", part.channels.is_some()),
                ("bandwidth", part.bandwidth.is_some()),
                ("jitter_permille", part.jitter_permille.is_some()),
            ];
            if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                let message = format!("device `{name}` has no `{key}`; expected only limits of its queue");
                return Err(place.key(key).error("scenario.unknown_key", message));
            }
            DeviceSpec::Instant
        }
    };
    let facts = DeviceFacts {
        io_opt: within("io_opt", settled.io_opt.map(|size| size.0), 0, 1 << 30)?,
        io_min: within("io_min", settled.io_min.map(|size| size.0), 0, 1 << 30)?,
        max_hw_sectors_kb: within("max_hw_sectors_kb", settled.max_hw_sectors_kb, 4, 1 << 20)?,
        max_segments: within("max_segments", settled.max_segments, 1, u64::from(u16::MAX))?,
        rotational,
        capacity: settled.capacity.map(|size| within("capacity", Some(size.0), 0, CAPACITY_BYTES_MAX)).transpose()?,
        stack: stacked(&settled, place)?,
    };
    Ok(Settled {
        spec,
        queue_depth: within("queue_depth", settled.queue_depth, 1, u64::from(u16::MAX))? as u16,
        facts,
        part: settled,
    })
}

/// What the device is put together from, with the size of an md stripe.
fn stacked(part: &DevicePart, place: &Place) -> Result<Option<Stacked>, LabError> {
    let Some(stack) = part.stack.filter(|stack| *stack != Stack::Dm) else {
        for (key, given) in [("chunk", part.chunk.is_some()), ("data_disks", part.data_disks.is_some())] {
            if given {
                let message = "given without md; expected only with `stack` = raid0, raid10, raid5 or raid6";
                return Err(place.key(key).error("scenario.contradiction", message));
            }
        }
        return Ok(part.stack.map(|_| Stacked::Mapper));
    };
    let level = stack.name();
    let needed = |key: &str, value: Option<u64>, expected: &str| {
        let message = || format!("not given; {level} needs it, expected {expected}");
        value.ok_or_else(|| place.key(key).error("scenario.missing_key", message()))
    };
    let chunk = needed("chunk", part.chunk.map(|size| size.0), "a size such as \"512K\"")?;
    let disks = needed("data_disks", part.data_disks, "how many disks of a stripe hold different data")?;
    if !(PAGE_BYTES..=CHUNK_BYTES_MAX).contains(&chunk) || !chunk.is_multiple_of(PAGE_BYTES) {
        let message = format!("{chunk} bytes; expected a multiple of {PAGE_BYTES}, up to {CHUNK_BYTES_MAX}");
        return Err(place.key("chunk").error("scenario.out_of_range", message));
    }
    if !(1..=DATA_DISKS_MAX).contains(&disks) {
        let message = format!("{disks} is out of range; expected 1 to {DATA_DISKS_MAX}");
        return Err(place.key("data_disks").error("scenario.out_of_range", message));
    }
    Ok(Some(Stacked::Raid { level, stripe: chunk * disks }))
}
