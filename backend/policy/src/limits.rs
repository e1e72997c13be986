//! How many pages one window, or one forced range, may have: what each generation lets limit them (specification of the
//! historic kernels, section 4; of the modern kernels, section 7).

use crate::decide::Tunables;
use crate::registry::{Patch, Patches};
use crate::sizes::cap;
use readahead_types::RaState;

/// Pages of the limit of 2014: 2 MiB.
const TWO_MIB_PAGES: u64 = 512;

/// Memory that the limits of some generations look at, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodeMemory {
    /// Inactive file pages of the node that the caller runs on (linux-2.4: the inactive list).
    pub inactive_file: u64,
    /// Free pages of that node.
    pub free: u64,
    /// Inactive file pages of the whole machine.
    pub global_inactive_file: u64,
    /// Free pages of the whole machine.
    pub global_free: u64,
}

/// What limits a generation's windows beyond the handle's ra_pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ceiling {
    /// Half of the inactive file pages and free pages of the node (linux-2.6.33 to 3.14).
    NodeHalf,
    /// 2 MiB (linux-3.15 to 4.3).
    TwoMib,
    /// Nothing: the handle's ra_pages alone (linux-4.4).
    None,
    /// Nothing, and a request above ra_pages may go up to io_pages (linux-4.10 and later).
    IoPages,
}

/// What limits a forced range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceCeiling {
    /// The generation's ceiling (up to linux-4.3).
    Sane,
    /// The device's ra_pages, whatever the handle's (linux-4.4).
    DeviceRaPages,
    /// The larger of io_pages and the handle's ra_pages (linux-4.10 and later).
    IoPages,
}

/// A number of pages cut to the ceiling, or to that of a patch.
pub fn sane(pages: u64, ceiling: Ceiling, tunables: &Tunables) -> u64 {
    let memory = &tunables.memory;
    let node_half = memory.inactive_file.saturating_add(memory.free) / 2;
    let on = |patch| tunables.patches.has(patch);
    if on(Patch::NodeHalf) || on(Patch::RhelRevert) {
        pages.min(node_half)
    } else if on(Patch::Cap2mb) {
        pages.min(TWO_MIB_PAGES)
    } else if on(Patch::AquiniMax) {
        pages.min(node_half.max(TWO_MIB_PAGES))
    } else if on(Patch::GlobalHalf) {
        pages.min(memory.global_inactive_file.saturating_add(memory.global_free) / 2)
    } else {
        match ceiling {
            Ceiling::NodeHalf => pages.min(node_half),
            Ceiling::TwoMib => pages.min(TWO_MIB_PAGES),
            Ceiling::None | Ceiling::IoPages => pages,
        }
    }
}

/// The largest default ra_pages that a patch `small-device-limit-v…` allows a disk of this capacity (in 512-byte sectors);
/// `None` when no such patch is on or it leaves the disk alone (specification of the historic kernels, 3.1).
pub fn small_device_limit(capacity_sectors: u64, patches: Patches) -> Option<u32> {
    let shift = if patches.has(Patch::SmallDeviceLimitV1) {
        12
    } else if patches.has(Patch::SmallDeviceLimitV2) || (patches.has(Patch::SmallDeviceLimitV3) && capacity_sectors > 0)
    {
        9
    } else {
        return None;
    };
    // A capacity of 0 has the logarithm −1, half of which is 0.
    let half_log = (capacity_sectors >> shift).checked_ilog2().unwrap_or(0) / 2;
    Some(1 << half_log)
}

/// The limit of a window for this request.
pub fn window_limit(req: u64, ra: &RaState, ceiling: Ceiling, tunables: &Tunables) -> u64 {
    match ceiling {
        Ceiling::IoPages => cap(req, ra.ra_pages, tunables.io_pages),
        _ => sane(u64::from(ra.ra_pages), ceiling, tunables),
    }
}

/// The limit of a forced range.
pub fn force_limit(ra: &RaState, ceiling: Ceiling, force: ForceCeiling, tunables: &Tunables) -> u64 {
    match force {
        ForceCeiling::Sane => sane(u64::MAX, ceiling, tunables),
        ForceCeiling::DeviceRaPages => u64::from(tunables.device_ra_pages),
        ForceCeiling::IoPages => u64::from(tunables.io_pages.max(ra.ra_pages)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::ModelId;

    #[test]
    fn the_tables_of_small_device_limit() {
        let limit = |patch: &str, sectors: u64| {
            let patches = Patches::parse(ModelId::Linux2_6_33, &[patch]).unwrap();
            small_device_limit(sectors, patches).map(|pages| pages * 4)
        };
        let mib = |n: u64| n * 2048;
        // Rows of the two tables of the series.
        for (size, kib) in [(2, 4), (8, 8), (32, 16), (128, 32), (512, 64), (2048, 128), (131_072, 1024)] {
            assert_eq!(limit("small-device-limit-v1", mib(size)), Some(kib), "{size} MiB");
        }
        for (size, kib) in [(1, 8), (4, 16), (16, 32), (64, 64), (256, 128), (1024, 256), (262_144, 4096)] {
            assert_eq!(limit("small-device-limit-v2", mib(size)), Some(kib), "{size} MiB");
            assert_eq!(limit("small-device-limit-v3", mib(size)), Some(kib), "{size} MiB");
        }
        // What broke device mapper, and what repaired it.
        assert_eq!(limit("small-device-limit-v1", 0), Some(4));
        assert_eq!(limit("small-device-limit-v2", 0), Some(4));
        assert_eq!(limit("small-device-limit-v3", 0), None);
    }
}
