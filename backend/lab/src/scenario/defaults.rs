//! What each kernel chooses for a device when nobody sets it: read_ahead_kb, max_sectors_kb, io_pages, max_segments and
//! the folio orders of a file, each with the sentence that says why.
//!
//! Pure: kernel, patches and facts in, values out. Follows the specification of the historic kernels, sections 2.1, 3.1,
//! 3.2, 5.4, 6.1 and 8.1, and of the modern ones, sections 2.3, 10.3 and 10.4. Must not know scenarios' texts.

mod read_ahead;

pub(crate) use read_ahead::plain_read_ahead_kb;

use super::file::Filesystem;
use crate::text::units;
use readahead_policy::{ModelId, Patches};
use readahead_types::PAGE_BYTES;

/// Kernels from 5.10 on give this io_pages to file systems without a queue of their own.
const VIRTUAL_IO_PAGES: u32 = 32;
const PAGE_KB: u64 = PAGE_BYTES / 1024;

/// What a kernel learns about a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DeviceFacts {
    /// queue/optimal_io_size in bytes; 0 when the device does not say.
    pub(crate) io_opt: u64,
    /// queue/minimum_io_size in bytes.
    pub(crate) io_min: u64,
    /// queue/max_hw_sectors_kb.
    pub(crate) max_hw_sectors_kb: u64,
    /// The driver's limit on separate pieces of memory in one request.
    pub(crate) max_segments: u64,
    /// It turns.
    pub(crate) rotational: bool,
    /// Bytes that it holds when it is registered; `None` when that is not known, which is not 0.
    pub(crate) capacity: Option<u64>,
    /// It is put together from other devices.
    pub(crate) stack: Option<Stacked>,
}

/// A device on top of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stacked {
    /// Device mapper.
    Mapper,
    /// md.
    Raid {
        /// Its level as people write it.
        level: &'static str,
        /// Bytes of data in one stripe: chunk × data disks.
        stripe: u64,
    },
}

/// Who owns the readahead limit of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backing {
    /// The disk: most file systems, and the block device node.
    Disk,
    /// btrfs over that many devices.
    Btrfs {
        /// Devices of the file system.
        devices: u64,
    },
    /// An NFS mount.
    Nfs {
        /// Bytes of its largest READ; 0 when not known, which only kernels that do not look at it allow.
        rsize: u64,
    },
    /// A FUSE mount.
    Fuse {
        /// What its server negotiates, in bytes.
        max_readahead: Option<u64>,
    },
}

/// Everything that a default depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// The generation.
    pub(crate) model: ModelId,
    /// Patches over it.
    pub(crate) patches: Patches,
    /// The device.
    pub(crate) device: DeviceFacts,
    /// The owner of the limit.
    pub(crate) backing: Backing,
}

/// A value that a kernel chooses, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chosen {
    /// In KiB.
    pub(crate) kb: u64,
    /// The rule with its numbers.
    because: String,
}

impl Chosen {
    /// The value and what it is: "128 KiB: the default of linux-6.12; io_opt is 0".
    pub(crate) fn sentence(&self) -> String {
        format!("{} KiB: {}", self.kb, self.because)
    }

    /// The same for the value that is used, which the scenario may have set. A value that equals the default is called
    /// the default, whoever wrote it: equal scenarios are one run, and their canonical form has every default filled in.
    /// A value that is no whole pages was set for sure.
    pub(crate) fn source(&self, used_kb: u64) -> String {
        let whole_kb = used_kb / PAGE_KB * PAGE_KB;
        let set = match whole_kb == used_kb {
            true => String::from("set by the scenario"),
            false => format!("set by the scenario ({used_kb}, in whole pages)"),
        };
        match (whole_kb == self.kb, whole_kb == used_kb) {
            (true, true) => self.sentence(),
            (true, false) => format!("{whole_kb} KiB: {set}, {}", self.because),
            (false, _) => format!("{whole_kb} KiB: {set}"),
        }
    }
}

/// Whether this kernel's defaults for an NFS mount follow from rsize.
pub(crate) fn needs_rsize(model: ModelId) -> bool {
    (ModelId::Linux2_6_33..=ModelId::Linux5_4).contains(&model)
}

/// The largest folio order that a file of this file system has; 0: no large folios. What btrfs, NFS and FUSE do is not
/// in the captures that the models follow.
pub(crate) fn max_order(model: ModelId, filesystem: Filesystem) -> u64 {
    let since = match filesystem {
        Filesystem::Xfs => Some(ModelId::Linux6_1),
        Filesystem::Ext4 | Filesystem::Blockdev => Some(ModelId::Linux7_2),
        Filesystem::Btrfs | Filesystem::Nfs | Filesystem::Fuse => None,
    };
    if since.is_some_and(|since| model >= since) { 9 } else { 0 }
}

/// Which folio orders a kernel lets a file system choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolioChoice {
    /// None: single pages only.
    Pages,
    /// Large folios or not; the largest is of order 9, the smallest of order 0.
    OnOrOff,
    /// The smallest and the largest.
    Orders,
}

/// What this kernel lets a file system choose.
pub(crate) fn folio_choice(model: ModelId) -> FolioChoice {
    if model < ModelId::Linux6_1 {
        FolioChoice::Pages
    } else if model < ModelId::Linux6_12 {
        FolioChoice::OnOrOff
    } else {
        FolioChoice::Orders
    }
}

impl Facts {
    fn name(&self) -> &'static str {
        self.model.name()
    }

    /// The device's optimal I/O size; md says a stripe.
    fn io_opt(&self) -> u64 {
        match self.device.stack {
            Some(Stacked::Raid { stripe, .. }) if self.device.io_opt == 0 => stripe,
            _ => self.device.io_opt,
        }
    }

    /// queue/max_sectors_kb.
    pub(crate) fn max_sectors(&self) -> Chosen {
        let DeviceFacts { io_min, max_hw_sectors_kb: hardware, .. } = self.device;
        let io_opt = self.io_opt();
        let cap = self.model.callers(self.patches).max_sectors_kb;
        let name = self.name();
        let own_sizes = self.model >= ModelId::Linux6_12;
        // A size of the device's own takes the place of the kernel's cap, and never exceeds what the hardware takes.
        let own = [("io_opt", io_opt), ("io_min", io_min)];
        let own = own.into_iter().find(|(_, bytes)| own_sizes && bytes / 1024 > cap);
        let (kb, because) = match own {
            Some((what, bytes)) if bytes / 1024 <= hardware => {
                (bytes / 1024, format!("{what} is {}, above {cap} KiB", units::bytes(bytes)))
            }
            Some((what, bytes)) => {
                (hardware, format!("max_hw_sectors_kb is {hardware}, less than {what}, {}", units::bytes(bytes)))
            }
            None if hardware > cap => (cap, format!("max_hw_sectors_kb allows {hardware}")),
            None => (hardware, format!("max_hw_sectors_kb is {hardware}")),
        };
        // Requests are of whole pages here: the 255 sectors of linux-2.4, whose buffers are pages too, hold 31 of them.
        let whole = kb / PAGE_KB * PAGE_KB;
        let pages = if whole == kb { "" } else { ", in whole pages" };
        Chosen { kb: whole, because: format!("the default of {name}{pages}; {because}") }
    }

    /// Where the read_ahead_kb that is used comes from, beside a max_sectors_kb that is used. linux-6.12 and later raise
    /// read_ahead_kb to their default whenever max_sectors_kb is written; a smaller one was written after it.
    pub(crate) fn read_ahead_source(&self, used_kb: u64, max_sectors_kb: u64) -> String {
        let default = self.read_ahead(max_sectors_kb);
        let source = default.source(used_kb);
        let raises = self.model >= ModelId::Linux6_12 && max_sectors_kb != self.max_sectors().kb;
        // What sysfs shows: whole pages.
        let lowered = used_kb / PAGE_KB * PAGE_KB < default.kb;
        if raises && lowered { format!("{source} after max_sectors_kb") } else { source }
    }

    /// queue/max_segments: the driver's own limit in that kernel, and one more than the pages of the largest request.
    pub(crate) fn max_segments(&self) -> u64 {
        let limit = u64::from(self.model.callers(self.patches).max_segments);
        self.device.max_segments.min(limit).min(self.device.max_hw_sectors_kb / PAGE_KB + 1)
    }

    /// The bdi's io_pages where it is not max_sectors_kb / 4.
    pub(crate) fn io_pages(&self) -> Option<u32> {
        if self.model < ModelId::Linux4_14 {
            return Some(0);
        }
        let virtual_fs = self.model >= ModelId::Linux5_10;
        match self.backing {
            Backing::Disk => None,
            _ if virtual_fs => Some(VIRTUAL_IO_PAGES),
            Backing::Nfs { rsize } => Some(rsize.div_ceil(PAGE_BYTES) as u32),
            Backing::Btrfs { .. } | Backing::Fuse { .. } => Some(0),
        }
    }
}

#[cfg(test)]
mod tests;
