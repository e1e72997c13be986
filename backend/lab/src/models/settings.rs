//! What the tables of a model are computed for: the device's limits, the file's folios, the memory of the node.
//!
//! Must not know how a form sends them.

use crate::scenario::{Filesystem, defaults};
use readahead_policy::{ModelId, NodeMemory, Patch, Patches, Tunables};
use serde::Serialize;

/// Bytes of a page in KiB.
const PAGE_KB: u64 = 4;
/// The largest value that the tables take for `read_ahead_kb` and `max_sectors_kb`: 16 MiB.
pub const KB_MOST: u64 = 16 << 10;
/// The largest value that the tables take for the memory of the node, in MiB: 1 TiB.
pub const MEMORY_MB_MOST: u64 = 1 << 20;
/// max_sectors_kb when nothing is said: that of most captures and of the mail of 2026.
const MAX_SECTORS_KB: u64 = 512;
/// Free and inactive memory when nothing is said.
const MEMORY_MB: u64 = 1024;
/// Largest folio order of a file with large folios.
const LARGEST_ORDER: u8 = 9;

/// The settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// queue/read_ahead_kb.
    pub read_ahead_kb: u64,
    /// queue/max_sectors_kb.
    pub max_sectors_kb: u64,
    /// The file may have large folios.
    pub large_folios: bool,
    /// Free and inactive file memory of the node, in MiB.
    pub memory_mb: u64,
}

impl Settings {
    /// The model's own default of `read_ahead_kb`, and usual values for the rest.
    pub fn usual(model: ModelId, patches: Patches) -> Self {
        Settings {
            read_ahead_kb: defaults::plain_read_ahead_kb(model, patches),
            max_sectors_kb: MAX_SECTORS_KB,
            large_folios: has_large_folios(model),
            memory_mb: MEMORY_MB,
        }
    }

    /// What a decision reads.
    pub(super) fn tunables(&self, model: ModelId, patches: Patches, eof: Option<u64>) -> Tunables {
        let pages = self.memory_mb << 8;
        Tunables {
            device_ra_pages: (self.read_ahead_kb / PAGE_KB) as u32,
            io_pages: (self.max_sectors_kb / PAGE_KB) as u32,
            min_order: 0,
            max_order: if self.large_folios && has_large_folios(model) { LARGEST_ORDER } else { 0 },
            eof,
            fault_around_pages: 16,
            exec_order: 0,
            patches,
            memory: NodeMemory {
                inactive_file: pages / 2,
                free: pages - pages / 2,
                global_inactive_file: pages / 2,
                global_free: pages - pages / 2,
            },
        }
    }
}

/// The kernel has files with large folios.
pub fn has_large_folios(model: ModelId) -> bool {
    defaults::max_order(model, Filesystem::Xfs) > 0
}

/// A request above `read_ahead_kb` may lift the limit to `max_sectors_kb`, or a forced range may.
pub fn uses_max_sectors(model: ModelId) -> bool {
    model >= ModelId::Linux4_14
}

/// The memory of the node, or of the machine, limits windows or forced ranges.
pub fn uses_memory(model: ModelId, patches: Patches) -> bool {
    let limits = [Patch::NodeHalf, Patch::RhelRevert, Patch::AquiniMax, Patch::GlobalHalf];
    let capped = patches.has(Patch::Cap2mb);
    model <= ModelId::Linux3_10 && !capped || limits.iter().any(|patch| patches.has(*patch))
}
