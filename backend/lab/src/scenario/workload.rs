//! Generated workloads: their keys, and how each becomes one of the engine's.

use super::check::{POS_MAX, Place, range};
use super::ops::{AdviceName, map_advice};
use super::units::Size;
use crate::LabError;
use readahead_sim::world::Workload;
use readahead_types::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a workload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkloadKind {
    /// Reads of `block` from `start` for `len` bytes.
    Sequential,
    /// `count` preads of `block` at block-aligned places drawn from the seed.
    Random,
    /// Preads of `block` at `start`, `start + stride`, …
    Strided,
    /// Preads of `block` from the end of the file backwards.
    Backward,
    /// `streams` sequential readers of equal parts of the file take turns on one open file; the last part is the rest.
    Interleaved,
    /// One byte of every page through a mapping, in order.
    MmapSequential,
    /// `count` touches of pages drawn from the seed.
    MmapRandom,
    /// Every file of the scenario, opened, read to its end in `block`s, closed.
    WholeFiles,
}

/// A generated workload. Which keys it takes depends on `kind`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorkloadPart {
    /// What it is.
    pub kind: WorkloadKind,
    /// Bytes of each read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<Size>,
    /// Where it begins. Default: 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Size>,
    /// Bytes in all. Default: to the end of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub len: Option<Size>,
    /// Bytes from one read's start to the next one's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride: Option<Size>,
    /// How many. Default, where there is one: to the end of the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// How many readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub streams: Option<u32>,
    /// Advice on the mapping.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<AdviceName>,
}

/// Every kind: name, keys that must be there, keys that may be there, what it does.
pub const WORKLOADS: &[(&str, &[&str], &[&str], &str)] = &[
    ("sequential", &["block"], &["start", "len"], "Reads of `block` from `start` for `len` bytes."),
    ("random", &["block", "count"], &[], "`count` preads of `block` at block-aligned places drawn from the seed."),
    ("strided", &["block", "stride"], &["start", "count"], "Preads of `block` at `start`, `start + stride`, …"),
    ("backward", &["block"], &["count"], "Preads of `block` from the end of the file backwards."),
    (
        "interleaved",
        &["block", "streams"],
        &["count"],
        "`streams` sequential readers of equal parts of the file take turns on one open file; the last part is the rest.",
    ),
    ("mmap_sequential", &[], &["advice", "count"], "One byte of every page through a mapping, in order."),
    ("mmap_random", &["count"], &["advice"], "`count` touches of pages drawn from the seed."),
    ("whole_files", &["block"], &[], "Every file of the scenario, opened, read to its end in `block`s, closed."),
];

impl WorkloadPart {
    fn given(&self) -> [(&'static str, bool); 7] {
        [
            ("block", self.block.is_some()),
            ("start", self.start.is_some()),
            ("len", self.len.is_some()),
            ("stride", self.stride.is_some()),
            ("count", self.count.is_some()),
            ("streams", self.streams.is_some()),
            ("advice", self.advice.is_some()),
        ]
    }

    /// The engine's workload on a file of this size, its keys checked.
    pub(crate) fn workload(&self, file: Bytes, place: &Place) -> Result<Workload, LabError> {
        let (name, must, may, _) = WORKLOADS[self.kind as usize];
        for (key, given) in self.given() {
            if given && !must.contains(&key) && !may.contains(&key) {
                let all = [must, may].concat().join(", ");
                let message = format!("`{name}` does not take `{key}`; expected only {all}");
                return Err(place.key(key).error("scenario.unknown_key", message));
            }
            if !given && must.contains(&key) {
                return Err(place.error("scenario.missing_key", format!("`{name}` needs `{key}`")));
            }
        }
        let zero = |key: &str| place.key(key).error("scenario.out_of_range", "0 does nothing; expected 1 at least");
        for (key, is_zero) in [
            ("block", self.block == Some(Size(0))),
            ("stride", self.stride == Some(Size(0))),
            ("count", self.count == Some(0)),
            ("streams", self.streams == Some(0)),
            ("len", self.len == Some(Size(0))),
        ] {
            if is_zero {
                return Err(zero(key));
            }
        }
        for (key, size) in [("block", self.block), ("start", self.start), ("len", self.len), ("stride", self.stride)] {
            range(&place.key(key), size.unwrap_or_default().0, 0, POS_MAX)?;
        }
        self.check_file(file, place)?;
        let block = Bytes(self.block.unwrap_or_default().0);
        let start = Bytes(self.start.unwrap_or_default().0);
        let count = self.count.unwrap_or(0);
        let advice = map_advice(self.advice, place)?;
        Ok(match self.kind {
            WorkloadKind::Sequential => Workload::Sequential { block, start, len: self.len.map(|len| Bytes(len.0)) },
            WorkloadKind::Random => Workload::Random { block, count },
            WorkloadKind::Strided => {
                Workload::Strided { block, start, stride: Bytes(self.stride.unwrap_or_default().0), count: self.count }
            }
            WorkloadKind::Backward => Workload::Backward { block, count: self.count },
            WorkloadKind::Interleaved => {
                Workload::Interleaved { block, streams: self.streams.unwrap_or(1), count: self.count }
            }
            WorkloadKind::MmapSequential => Workload::MmapSequential { advice, count: self.count },
            WorkloadKind::MmapRandom => Workload::MmapRandom { advice, count },
            WorkloadKind::WholeFiles => Workload::WholeFiles { block },
        })
    }

    /// Refuses what would do nothing on a file of this size.
    fn check_file(&self, file: Bytes, place: &Place) -> Result<(), LabError> {
        match self.kind {
            WorkloadKind::Interleaved => {
                let (block, streams) = (self.block.unwrap_or_default().0, u64::from(self.streams.unwrap_or(1)));
                let most = file.0 / block.max(1);
                if streams > most {
                    let message = format!(
                        "{streams} readers of {block} bytes each in a file of {} bytes; expected a block for every reader, so {most} readers at most",
                        file.0
                    );
                    return Err(place.key("streams").error("scenario.out_of_range", message));
                }
            }
            WorkloadKind::MmapSequential | WorkloadKind::MmapRandom if file.0 == 0 => {
                let message = "the file has 0 bytes, and no mapping of it; expected 1 at least";
                return Err(place.error("scenario.cannot_map", message));
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_the_kinds_in_their_order() {
        for (place, (name, ..)) in WORKLOADS.iter().enumerate() {
            let kind: WorkloadKind = serde_json::from_str(&format!("\"{name}\"")).unwrap();
            assert_eq!(kind as usize, place, "{name}");
        }
    }
}
