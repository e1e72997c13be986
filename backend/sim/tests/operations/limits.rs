//! The limits of windows and forced ranges, and the ranges of the calls, written a second time from the specification, so
//! that the models are not held against themselves. Must not use the arithmetic of the policy crate.

use readahead_policy::{ModelId, NodeMemory, Patch, Patches};

/// Pages of 2 MiB.
const TWO_MIB: u64 = 512;

/// What the limits depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) model: ModelId,
    pub(crate) patches: Patches,
    pub(crate) device_ra_pages: u32,
    pub(crate) io_pages: u32,
    pub(crate) memory: NodeMemory,
}

impl Limits {
    /// The specification's `sane` (historic kernels, section 4).
    fn sane(&self, pages: u64) -> u64 {
        let has = |patch| self.patches.has(patch);
        let node = (self.memory.inactive_file + self.memory.free) / 2;
        let global = (self.memory.global_inactive_file + self.memory.global_free) / 2;
        if has(Patch::Cap2mb) {
            pages.min(TWO_MIB)
        } else if has(Patch::AquiniMax) {
            pages.min(node.max(TWO_MIB))
        } else if has(Patch::GlobalHalf) {
            pages.min(global)
        } else if has(Patch::NodeHalf) || has(Patch::RhelRevert) || self.model <= ModelId::Linux3_10 {
            pages.min(node)
        } else if self.model == ModelId::Linux3_18 {
            pages.min(TWO_MIB)
        } else {
            pages
        }
    }

    /// Largest ordinary window of a handle for a request.
    pub(crate) fn window(&self, ra_pages: u32, req: u64) -> u64 {
        let ra_pages = u64::from(ra_pages);
        if self.model < ModelId::Linux4_14 {
            self.sane(ra_pages)
        } else {
            ra_pages.max(req.min(u64::from(self.io_pages)))
        }
    }

    /// Largest read-around.
    pub(crate) fn around(&self, ra_pages: u32) -> u64 {
        self.sane(u64::from(ra_pages))
    }

    /// Pages of a forced range that are read.
    pub(crate) fn forced(&self, ra_pages: u32, pages: u64) -> u64 {
        match self.model {
            ModelId::Linux2_4_23 => pages.min(self.memory.inactive_file / 2),
            ModelId::Linux2_6_33 | ModelId::Linux3_10 | ModelId::Linux3_18 => self.sane(pages),
            ModelId::Linux4_4 => pages.min(u64::from(self.device_ra_pages)),
            _ => pages.min(u64::from(self.io_pages.max(ra_pages))),
        }
    }

    /// readahead(2): first page and pages, before any limit.
    pub(crate) fn readahead(&self, pos: u64, len: u64) -> (u64, u64) {
        if self.model == ModelId::Linux2_4_23 {
            (pos >> 12, (len + pos % 4096) >> 12)
        } else if self.model < ModelId::Linux5_4 {
            let last = pos.wrapping_add(len).wrapping_sub(1) >> 12;
            (pos >> 12, last.wrapping_sub(pos >> 12).wrapping_add(1))
        } else {
            self.will_need(pos, len)
        }
    }

    /// fadvise WILLNEED: first page and pages, before any limit.
    pub(crate) fn will_need(&self, pos: u64, len: u64) -> (u64, u64) {
        let to_the_end = if self.model < ModelId::Linux6_12 { u64::MAX } else { i64::MAX as u64 };
        let last = if len == 0 { to_the_end } else { pos + len - 1 };
        let pages = ((last as i64 >> 12) - (pos as i64 >> 12) + 1) as u64;
        (pos >> 12, if pages == 0 { u64::MAX } else { pages })
    }
}
