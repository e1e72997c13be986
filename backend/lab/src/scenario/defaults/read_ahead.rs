//! read_ahead_kb: the default of each generation for disks, md, btrfs, NFS and FUSE.
//!
//! Specification of the historic kernels, sections 2.1, 3.1, 3.2 and 6.1; of the modern ones, section 10.4.

use super::{Backing, Chosen, Facts, PAGE_KB, Stacked};
use crate::text::units;
use readahead_policy::limits::small_device_limit;
use readahead_policy::{ModelId, Patch, Patches};
use readahead_types::{PAGE_BYTES, SECTOR_BYTES};

/// VM_MAX_READAHEAD in pages.
const DEFAULT_PAGES: u64 = 32;
/// The same with `512k-default`.
const DEFAULT_512K_PAGES: u64 = 128;
/// vm_max_readahead of linux-2.4.
const OLD_24_PAGES: u64 = 31;
/// READ calls of an NFS mount that its window holds, before linux-5.4.
const NFS_CALLS: u64 = 15;
/// btrfs gives itself at least 4 MiB.
const BTRFS_PAGES: u64 = 1024;

/// What a kernel gives a device of which it knows nothing, in pages.
fn plain_pages(model: ModelId, patches: Patches) -> u64 {
    match model {
        ModelId::Linux2_4_23 => OLD_24_PAGES,
        _ if patches.has(Patch::Default512k) => DEFAULT_512K_PAGES,
        _ => DEFAULT_PAGES,
    }
}

/// The same as read_ahead_kb.
pub(crate) fn plain_read_ahead_kb(model: ModelId, patches: Patches) -> u64 {
    plain_pages(model, patches) * PAGE_KB
}

impl Facts {
    /// queue/read_ahead_kb (of the mount's bdi, where the file system has its own), when max_sectors_kb has this value.
    pub(crate) fn read_ahead(&self, max_sectors_kb: u64) -> Chosen {
        let (pages, because) = if self.model == ModelId::Linux2_4_23 {
            (
                plain_pages(self.model, self.patches),
                format!("the default of {}; vm_max_readahead is 31 pages", self.name()),
            )
        } else {
            match self.backing {
                Backing::Disk if self.model >= ModelId::Linux5_10 => self.by_queue(max_sectors_kb),
                Backing::Disk => self.by_disk(),
                Backing::Btrfs { devices } => self.btrfs(devices),
                Backing::Nfs { rsize } => self.nfs(rsize),
                Backing::Fuse { max_readahead } => self.fuse(max_readahead),
            }
        };
        Chosen { kb: pages * PAGE_KB, because }
    }

    /// VM_MAX_READAHEAD and the kernel's name with what changes it.
    fn vm_max_readahead(&self) -> (u64, String) {
        let with = if self.patches.has(Patch::Default512k) { " with 512k-default" } else { "" };
        (plain_pages(self.model, self.patches), format!("the default of {}{with}", self.name()))
    }

    /// linux-2.6.33 to 5.4: VM_MAX_READAHEAD, lowered by the capacity when the disk is registered, raised by md.
    fn by_disk(&self) -> (u64, String) {
        let (mut pages, mut because) = self.vm_max_readahead();
        if let Some((patch, limit, capacity)) = self.small_device_limit() {
            let with = if because.contains(" with ") { "and" } else { "with" };
            because = match limit {
                Some(limit) if limit < pages => {
                    pages = limit;
                    format!("{because} {with} {patch}: {capacity}")
                }
                Some(limit) => {
                    format!("{because}; {capacity}, for which {patch} allows {} KiB", limit * PAGE_KB)
                }
                None => format!("{because}; {capacity}, which {patch} leaves alone"),
            };
        }
        if let Some(Stacked::Raid { level, stripe }) = self.device.stack {
            let two = 2 * stripe / PAGE_BYTES;
            if two > pages {
                return (
                    two,
                    format!("the default of {} for {level}: two stripes of {}", self.name(), units::bytes(stripe)),
                );
            }
            because = format!("{because}; two stripes of {level} are {} KiB", two * PAGE_KB);
        }
        (pages, because)
    }

    /// The patch, its limit in pages (`None`: no limit), and the capacity in words.
    fn small_device_limit(&self) -> Option<(&'static str, Option<u64>, String)> {
        let patch = [Patch::SmallDeviceLimitV1, Patch::SmallDeviceLimitV2, Patch::SmallDeviceLimitV3]
            .into_iter()
            .find(|patch| self.patches.has(*patch))?;
        // A mapped device is registered before it has a table.
        let mapped = self.device.stack == Some(Stacked::Mapper);
        let capacity = self.device.capacity.or(mapped.then_some(0));
        let Some(capacity) = capacity else { return Some((patch.info().name, None, "capacity is not known".into())) };
        let said =
            if capacity == 0 { "capacity is 0".into() } else { format!("capacity is {}", units::bytes(capacity)) };
        let limit = small_device_limit(capacity / SECTOR_BYTES, self.patches).map(u64::from);
        Some((patch.info().name, limit, said))
    }

    /// linux-5.10 and later: from the queue's limits.
    fn by_queue(&self, max_sectors_kb: u64) -> (u64, String) {
        let name = self.name();
        let io_opt = self.io_opt();
        let pages = |bytes: u64| 2 * bytes / PAGE_BYTES;
        let by_requests = self.model >= ModelId::Linux7_2 && self.device.rotational && self.device.stack.is_none();
        if io_opt == 0 && by_requests {
            // Each change of the limits raises it again and never lowers it: the larger of both moments counts.
            let largest_kb = max_sectors_kb.max(self.max_sectors().kb);
            let requests = if largest_kb == max_sectors_kb {
                format!("max_sectors_kb is {largest_kb}")
            } else {
                format!("max_sectors_kb was {largest_kb} until {max_sectors_kb} was set, which lowers nothing")
            };
            let because = format!("io_opt is 0, the disk is rotational, and {requests}");
            return (pages(largest_kb * 1024).max(DEFAULT_PAGES), format!("the default of {name}; {because}"));
        }
        let said = match self.device.stack {
            _ if io_opt == 0 => "io_opt is 0".to_string(),
            Some(Stacked::Raid { level, stripe }) if self.device.io_opt == 0 => {
                format!("io_opt is {}, a stripe of {level}", units::bytes(stripe))
            }
            _ => format!("io_opt is {}", units::bytes(io_opt)),
        };
        (pages(io_opt).max(DEFAULT_PAGES), format!("the default of {name}; {said}"))
    }

    fn btrfs(&self, devices: u64) -> (u64, String) {
        let (pages, because) = self.vm_max_readahead();
        let all = pages * devices;
        let said = format!("{} KiB for each of its devices ({devices}), 4 MiB at least", pages * PAGE_KB);
        (all.max(BTRFS_PAGES), format!("{because} for btrfs: {said}"))
    }

    fn nfs(&self, rsize: u64) -> (u64, String) {
        let name = self.name();
        if self.model >= ModelId::Linux5_4 {
            return (DEFAULT_PAGES, format!("the default of {name} for NFS, whatever rsize is"));
        }
        let pages = NFS_CALLS * rsize.div_ceil(PAGE_BYTES);
        (pages, format!("the default of {name} for NFS: 15 times rsize, {}", units::bytes(rsize)))
    }

    fn fuse(&self, max_readahead: Option<u64>) -> (u64, String) {
        let because = format!("the default of {} for FUSE", self.name());
        match max_readahead {
            Some(bytes) if bytes / PAGE_BYTES < DEFAULT_PAGES => {
                (bytes / PAGE_BYTES, format!("{because}: its server negotiates {}", units::bytes(bytes)))
            }
            _ => (DEFAULT_PAGES, because),
        }
    }
}
