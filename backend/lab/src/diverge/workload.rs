//! A small workload: one file, one program, and the settings of a machine; as a world of the engine and as a scenario.

use super::Kernel;
use super::ops::{size, toml_op};
use crate::vectors::world::{TimelessWorld, plain_file};
use readahead_policy::ModelId;
use readahead_sim::WorldSpec;
use readahead_sim::world::{DeviceSpec, Op};
use readahead_types::{Bytes, PAGE_BYTES, Pages, Sectors};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt::Write;

/// queue/max_hw_sectors_kb of the device that a scenario gets when it names none.
const MAX_HW_SECTORS_KB: u32 = 512;

/// Which folios the file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Files {
    /// Single pages on both sides.
    Pages,
    /// What each kernel's XFS gives it.
    Xfs,
}

impl Files {
    /// The kinds of files to try, in this order: where both sides have large folios these come first, where one side has
    /// none they come last, as they always differ then.
    pub(super) fn of(a: ModelId, b: ModelId) -> Vec<Files> {
        match (Files::Xfs.max_order(a) > 0, Files::Xfs.max_order(b) > 0) {
            (true, true) => vec![Files::Xfs, Files::Pages],
            (false, false) => vec![Files::Pages],
            _ => vec![Files::Pages, Files::Xfs],
        }
    }

    fn max_order(self, model: ModelId) -> u8 {
        if self == Files::Xfs && model >= ModelId::Linux6_1 { 9 } else { 0 }
    }

    /// What they are, in words.
    pub fn words(self) -> &'static str {
        match self {
            Files::Pages => "files without large folios",
            Files::Xfs => "files with large folios where that kernel's XFS has them",
        }
    }
}

/// The settings of the machine, the same on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// queue/read_ahead_kb.
    pub read_ahead_kb: u32,
    /// queue/max_sectors_kb.
    pub max_sectors_kb: u32,
    /// Page cache and free memory together in KiB; nothing when memory is plenty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_kb: Option<u64>,
}

impl Settings {
    /// What is tried first and preferred.
    pub const DEFAULT: Settings = Settings { read_ahead_kb: 128, max_sectors_kb: 512, memory_kb: None };
}

/// A workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Workload {
    /// Size of the file.
    pub file_bytes: u64,
    /// Its folios.
    pub files: Files,
    /// The machine.
    #[serde(flatten)]
    pub settings: Settings,
    /// The program, on handle 0 unless an operation says otherwise.
    #[serde(serialize_with = "as_text")]
    pub ops: Vec<Op>,
}

fn as_text<S: Serializer>(ops: &[Op], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(ops.iter().map(super::ops::words))
}

impl Workload {
    /// Pages of the file.
    pub(super) fn pages(&self) -> u64 {
        self.file_bytes.div_ceil(PAGE_BYTES)
    }

    /// The world of this workload under a kernel; its program is pushed operation by operation.
    pub(super) fn world(&self, kernel: Kernel) -> WorldSpec {
        let timeless = TimelessWorld {
            model: kernel.model,
            patches: kernel.patches,
            ra_pages: self.settings.read_ahead_kb / 4,
            max_sectors: Sectors(u64::from(self.settings.max_sectors_kb) * 2),
            max_segments: 256,
            exec_order: 0,
            fault_around_pages: 16,
            files: vec![plain_file("data", Bytes(self.file_bytes), 0, self.files.max_order(kernel.model))],
        };
        let mut world = timeless.build();
        world.kernel.memory = self.settings.memory_kb.map(|kb| Pages(kb / 4));
        if kernel.model == ModelId::Linux2_4_23 {
            world.device = DeviceSpec::OnWait;
        }
        world
    }

    /// Every operation has an open file and, where it needs one, a mapping: what a scenario asks for too.
    pub(super) fn is_sound(&self) -> bool {
        // Number of the open file → it is mapped.
        let mut open = BTreeMap::from([(0, false)]);
        self.ops.iter().all(|op| match *op {
            Op::Open { fh, .. } => {
                open.insert(fh, false);
                true
            }
            Op::Mmap { fh, .. } => {
                let handle = open.get_mut(&fh).filter(|_| self.file_bytes > 0);
                handle.map(|mapped| *mapped = true).is_some()
            }
            Op::Fault { fh, page } => page.0 < self.pages() && open.get(&fh) == Some(&true),
            Op::Read { fh, .. }
            | Op::Lseek { fh, .. }
            | Op::Fadvise { fh, .. }
            | Op::Readahead { fh, .. }
            | Op::Evict { fh, .. } => open.contains_key(&fh),
            _ => false,
        })
    }

    /// Where each operation ends, in bytes of the file; nothing for those that have no range.
    fn ends(&self) -> impl Iterator<Item = Option<u64>> {
        let mut positions: BTreeMap<u32, u64> = BTreeMap::new();
        let size = self.file_bytes;
        self.ops.iter().map(move |op| match *op {
            Op::Read { fh, pos: None, len } => {
                let pos = positions.entry(fh).or_default();
                let end = *pos + len.0;
                *pos = end.min(size.max(*pos));
                Some(end)
            }
            Op::Lseek { fh, pos } => {
                positions.insert(fh, pos.0);
                None
            }
            Op::Open { fh, .. } => {
                positions.remove(&fh);
                None
            }
            Op::Read { pos: Some(pos), len, .. } | Op::Readahead { pos, len, .. } => Some(pos.0 + len.0),
            Op::Fadvise { pos, len, .. } => Some(pos.0 + len.0),
            Op::Evict { page, pages, .. } => Some((page.0 + pages.0) * PAGE_BYTES),
            _ => None,
        })
    }

    /// Operations that run over the end of the file.
    pub(super) fn overruns(&self) -> usize {
        let end = self.file_bytes.next_multiple_of(PAGE_BYTES);
        let limit = |op: &Op| if matches!(op, Op::Evict { .. }) { end } else { self.file_bytes };
        self.ops.iter().zip(self.ends()).filter(|(op, ends)| ends.is_some_and(|ends| ends > limit(op))).count()
    }

    /// The size of the file that holds every operation.
    pub(super) fn bytes_needed(&self) -> u64 {
        let whole = Workload { file_bytes: u64::MAX / 2, ..self.clone() };
        whole.ends().flatten().max().unwrap_or(0).next_multiple_of(PAGE_BYTES)
    }

    /// The workload as a scenario with this kernel.
    pub(super) fn scenario(&self, kernel: Kernel, title: &str, source: &str, about: &str) -> String {
        let mut text = String::new();
        let mut line = |line: &str| writeln!(text, "{line}").expect("writing to a string succeeds");
        line(&format!("title = \"{title}\""));
        line(&format!("source = \"{source}\""));
        line(&format!("about = \"{about}\""));
        line("\n[kernel]");
        line(&format!("model = \"{}\"", kernel.model.name()));
        let names: Vec<String> = kernel.patches.names().into_iter().map(|name| format!("\"{name}\"")).collect();
        line(&format!("patches = [{}]", names.join(", ")));
        line(&format!("read_ahead_kb = {}", self.settings.read_ahead_kb));
        line(&format!("max_sectors_kb = {}", self.settings.max_sectors_kb));
        if let Some(kb) = self.settings.memory_kb {
            line(&format!("memory = {}", size(kb * 1024)));
        }
        line("\n[device]");
        line("model = \"nvme\"");
        if self.settings.max_sectors_kb > MAX_HW_SECTORS_KB {
            line(&format!("max_hw_sectors_kb = {}", self.settings.max_sectors_kb));
        }
        line("\n[[file]]");
        line("name = \"data\"");
        line(&format!("size = {}", size(self.file_bytes)));
        match self.files {
            Files::Pages => line("large_folios = false"),
            Files::Xfs => line("filesystem = \"xfs\""),
        }
        line("\n[[stream]]");
        line("file = \"data\"");
        line("ops = [");
        for op in &self.ops {
            line(&format!("    {},", toml_op(op)));
        }
        line("]");
        text
    }
}
