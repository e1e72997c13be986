//! The scenario file as it is written: keys, types, defaults and their documentation, which is also the schema's.
//!
//! Owns the syntax only. What the values mean together is checked in [`super::check`].

use super::ops::OpPart;
use super::units::{Size, Time};
use super::workload::WorkloadPart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An experiment: a kernel, a device, files, and what programs do with them.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioFile {
    /// What the experiment is called.
    pub title: String,
    /// Where it comes from: a mail, a commit, a measurement.
    #[serde(default)]
    pub source: String,
    /// What it teaches, in a sentence.
    #[serde(default)]
    pub about: String,
    /// Seed of every random draw.
    #[serde(default = "one")]
    pub seed: u64,
    /// The kernel and its settings.
    #[serde(default)]
    pub kernel: KernelPart,
    /// What the processor's work costs. Decisions do not depend on it; times do.
    #[serde(default)]
    pub cpu: CpuPart,
    /// The device that holds the files.
    #[serde(default)]
    pub device: DevicePart,
    /// The files.
    pub file: Vec<FilePart>,
    /// The streams: each is one task with one program.
    pub stream: Vec<StreamPart>,
    /// What a run must give: a field of its summary (dots reach into it) → value, tolerance, what the source measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expect: BTreeMap<String, Expected>,
    /// The same for other settings: `KEY=VALUE` (several separated by `;`) → field → value and tolerance.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expect_with: BTreeMap<String, BTreeMap<String, Expected>>,
    /// Fields that must come out the same with other settings: `KEY=VALUE` → field → tolerance.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expect_same: BTreeMap<String, BTreeMap<String, Same>>,
}

fn one() -> u64 {
    1
}

/// A value that a run must come near, because a source measured it or the model's rules give it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// What the run must give, counted as the lab counts.
    pub value: u64,
    /// How near it must come.
    #[serde(default)]
    pub within: u64,
    /// What the source itself measured. Without it the value is what the lab alone expects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<u64>,
    /// How the source counts, such as "metadata reads included".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// How far a field may differ between two settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Same {
    /// In the field's unit.
    #[serde(default)]
    pub within: u64,
    /// In parts per thousand of the larger side; the wider of the two tolerances counts.
    #[serde(default)]
    pub within_permille: u64,
}

/// The kernel and its settings.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct KernelPart {
    /// The generation, such as `linux-7.2`.
    pub model: String,
    /// Patches on top of it.
    pub patches: Vec<String>,
    /// queue/read_ahead_kb, or the read_ahead_kb of the file system's own bdi. Default: what the kernel chooses for the
    /// device and the file system. A value set here wins, as if it were the last one written; linux-6.12 and later
    /// would raise it to their default again when max_sectors_kb is written after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_ahead_kb: Option<u64>,
    /// queue/max_sectors_kb, the largest request. Default: what the kernel chooses for the device. Raising it on a
    /// rotational disk raises the default of read_ahead_kb in linux-7.2 and later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_sectors_kb: Option<u64>,
    /// queue/max_segments, most separate pieces of memory in one request. Default: what that kernel's driver sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_segments: Option<u64>,
    /// Page cache and free memory together. Default: plenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Size>,
    /// fault_around_bytes in KiB: a power of two, 4 at least.
    pub fault_around_kb: u64,
    /// Folio order that the architecture wants for executable mappings; 0 on most.
    pub exec_order: u64,
    /// Requests that the device takes at a time. Default: the device's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u64>,
}

impl Default for KernelPart {
    fn default() -> Self {
        KernelPart {
            model: "linux-7.2".to_string(),
            patches: Vec::new(),
            read_ahead_kb: None,
            max_sectors_kb: None,
            max_segments: None,
            memory: None,
            fault_around_kb: 64,
            exec_order: 0,
            queue_depth: None,
        }
    }
}

/// What the processor's work costs: durations.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CpuPart {
    /// Entering and leaving a system call.
    pub syscall: Time,
    /// Copying one page to the program.
    pub copy_page: Time,
    /// Handling one page fault.
    pub fault: Time,
    /// Allocating one folio and adding it to the page cache.
    pub add_folio: Time,
    /// Preparing and submitting one request.
    pub submit: Time,
}

impl Default for CpuPart {
    fn default() -> Self {
        CpuPart { syscall: Time(150), copy_page: Time(300), fault: Time(500), add_folio: Time(400), submit: Time(1500) }
    }
}

/// A device by the name of its file, and what is different about this one.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DevicePart {
    /// A file of `scenarios/devices`. Default: `nvme`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// From the start of service to the first byte.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Time>,
    /// Requests served at the same time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channels: Option<u64>,
    /// Bytes per second of the shared link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bandwidth: Option<Size>,
    /// Random spread of the latency, in parts per thousand.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub jitter_permille: Option<u64>,
    /// Requests that it takes at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u64>,
    /// queue/max_hw_sectors_kb, the largest request that it can take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_hw_sectors_kb: Option<u64>,
    /// The driver's limit on separate pieces of memory in one request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_segments: Option<u64>,
    /// queue/optimal_io_size; 0 when the device does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_opt: Option<Size>,
    /// queue/minimum_io_size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_min: Option<Size>,
    /// queue/rotational, by which linux-7.2 and later choose read_ahead_kb when io_opt is 0. A fact for the kernel's
    /// defaults only: the device works as its mechanism does. Default: false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rotational: Option<bool>,
    /// Bytes that the device holds when it is registered, by which `small-device-limit` lowers read_ahead_kb. 0 is a
    /// device that does not know it yet, as a mapped one. Default: not known, which is not 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Size>,
    /// What puts the device together from others: a fact for the kernel's defaults only, requests are not divided
    /// among disks. Default: nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<Stack>,
    /// Bytes of one disk in a stripe of md; a multiple of 4 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunk: Option<Size>,
    /// Disks of an md stripe that hold different data: all of raid0, half of raid10 with two copies, all but one of
    /// raid5, all but two of raid6.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data_disks: Option<u64>,
}

/// A device on top of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stack {
    /// Device mapper.
    Dm,
    /// md, striped.
    Raid0,
    /// md, striped and mirrored.
    Raid10,
    /// md with one parity disk.
    Raid5,
    /// md with two parity disks.
    Raid6,
}

impl Stack {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Stack::Dm => "dm",
            Stack::Raid0 => "raid0",
            Stack::Raid10 => "raid10",
            Stack::Raid5 => "raid5",
            Stack::Raid6 => "raid6",
        }
    }
}

/// A file system: how it builds bios, which folios it takes, and which readahead limit it has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Filesystem {
    /// iomap: a bio's vector is sized by the extent too. Large folios from linux-6.1 on.
    #[default]
    Xfs,
    /// mpage: a bio never grows past the batch. Large folios from linux-7.2 on.
    Ext4,
    /// The block device node itself, as `/dev/nvme0n1`. mpage; large folios from linux-7.2 on.
    Blockdev,
    /// A fact for the defaults: 4 MiB of readahead at least. Its bios are built as those of ext4, and it has no large
    /// folios unless `large_folios` says so.
    Btrfs,
    /// A fact for the defaults: 15 READ calls of readahead before linux-5.4. There is no network and no server in it: the
    /// device serves it as a local one. No large folios unless `large_folios` says so.
    Nfs,
    /// A fact for the defaults: what its server negotiates, 128 KiB at most. There is no server in it: the device serves
    /// it as a local one. No large folios unless `large_folios` says so.
    Fuse,
}

impl Filesystem {
    /// As it is written.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Filesystem::Xfs => "xfs",
            Filesystem::Ext4 => "ext4",
            Filesystem::Blockdev => "blockdev",
            Filesystem::Btrfs => "btrfs",
            Filesystem::Nfs => "nfs",
            Filesystem::Fuse => "fuse",
        }
    }
}

/// A file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilePart {
    /// Its name, by which streams refer to it.
    pub name: String,
    /// Its size.
    pub size: Size,
    /// As many files like it, `NAME.0` and so on. `NAME` is the first of them. Default: one, with its plain name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
    /// The file system it lies on.
    #[serde(default)]
    pub filesystem: Filesystem,
    /// Whether it takes large folios. Default: what its file system does in that kernel, and true when `max_order` or
    /// `min_order` is above 0. Kernels before linux-6.1 have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub large_folios: Option<bool>,
    /// Smallest folio order (block size above page size); 0 without large folios, and 0 in linux-6.1.
    #[serde(default)]
    pub min_order: u64,
    /// Largest folio order. Default: 9, or 0 without large folios. linux-6.1 knows no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_order: Option<u64>,
    /// Where it lies. Default: one extent, one file behind the other with 1 MiB between. What no extent covers is a hole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extents: Option<Vec<ExtentPart>>,
    /// nfs: the mount's rsize, 15 of which linux-2.6.33 to 4.14 read ahead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nfs_rsize: Option<Size>,
    /// fuse: max_readahead as the server negotiates it. Default: it takes what the kernel offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuse_max_readahead: Option<Size>,
    /// btrfs: devices of the file system, each of which adds to read_ahead_kb. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub btrfs_devices: Option<u64>,
    /// Device number as tracepoints print it, `MAJOR:MINOR`.
    #[serde(default = "nvme0n1")]
    pub dev: String,
    /// Inode number. Default: 133 for the first file, then one more each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ino: Option<u64>,
}

fn nvme0n1() -> String {
    "259:0".to_string()
}

/// A piece of a file that lies in one piece on the disk.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExtentPart {
    /// Position in the file; a multiple of 4 KiB.
    pub pos: Size,
    /// Length; a multiple of 4 KiB.
    pub len: Size,
    /// Position on the disk, in sectors of 512 bytes; a multiple of 8.
    pub sector: u64,
}

/// A stream: one task that runs `ops` or a `workload`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamPart {
    /// The file that it opens first. Default: the first file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// When it starts.
    #[serde(default)]
    pub start: Time,
    /// As many streams like it. Each takes the next of the file's copies, from the first again when there are fewer. Default: 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<u64>,
    /// How long after one copy the next starts. Default: all at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Time>,
    /// Bytes a second at which it consumes what it reads or touches: it pauses after each call until its bytes are due. One that
    /// falls behind catches up. Default: as fast as it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<Size>,
    /// What it does, step by step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops: Option<Vec<OpPart>>,
    /// Or: a generated workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<WorkloadPart>,
}
