//! Device parameters by name: the files of `scenarios/devices`, and the limits that a kernel derives from them.
//!
//! Must not know how a device works; that is the engine's mechanism of the same name.

use crate::LabError;
use crate::scenario::parse::from_toml;
use crate::scenario::{DevicePart, Place};
use readahead_sim::world::{DeviceSpec, NvmeSpec};
use readahead_types::Nanos;
use serde::{Deserialize, Serialize};

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
    /// queue/max_hw_sectors_kb.
    pub(crate) max_hw_sectors_kb: u64,
    /// The driver's limit on segments.
    pub(crate) max_segments: u64,
    /// queue/optimal_io_size.
    pub(crate) io_opt: u64,
    /// queue/minimum_io_size.
    pub(crate) io_min: u64,
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
    Ok(Settled {
        spec,
        queue_depth: within("queue_depth", settled.queue_depth, 1, u64::from(u16::MAX))? as u16,
        max_hw_sectors_kb: within("max_hw_sectors_kb", settled.max_hw_sectors_kb, 4, 1 << 20)?,
        max_segments: within("max_segments", settled.max_segments, 1, u64::from(u16::MAX))?,
        io_opt: within("io_opt", settled.io_opt.map(|size| size.0), 0, 1 << 30)?,
        io_min: within("io_min", settled.io_min.map(|size| size.0), 0, 1 << 30)?,
        part: settled,
    })
}

impl Settled {
    /// queue/max_sectors_kb as linux-7.2 sets it: at most 4 MiB, unless the device's own I/O sizes are larger.
    pub(crate) fn max_sectors_kb(&self) -> u64 {
        let cap = self.max_hw_sectors_kb.min(4096);
        let (io_opt_kb, io_min_kb) = (self.io_opt / 1024, self.io_min / 1024);
        if io_opt_kb > cap {
            self.max_hw_sectors_kb.min(io_opt_kb)
        } else if io_min_kb > cap {
            self.max_hw_sectors_kb.min(io_min_kb)
        } else {
            cap
        }
    }

    /// queue/max_segments as the NVMe driver of linux-7.2 sets it: one more than the pages of the largest request.
    pub(crate) fn max_segments(&self) -> u64 {
        self.max_segments.min(self.max_hw_sectors_kb / 4 + 1)
    }

    /// queue/read_ahead_kb as linux-7.2 sets it: twice the optimal I/O size, 128 KiB at least.
    pub(crate) fn read_ahead_kb(&self) -> u64 {
        (2 * self.io_opt / 4096).max(32) * 4
    }
}
