//! The world of vectors and replays: no time, so that decisions alone are compared.

use readahead_policy::{ModelId, Patches};
use readahead_sim::world::{BioBuilder, CpuCosts, DeviceSpec, Extent, FileSpec, KernelSpec, StreamSpec, WorldSpec};
use readahead_types::{Bytes, FileId, Nanos, Order, Pages, Sectors};

/// Settings that matter without time.
pub(crate) struct TimelessWorld {
    pub(crate) model: ModelId,
    pub(crate) patches: Patches,
    pub(crate) ra_pages: u32,
    pub(crate) max_sectors: Sectors,
    pub(crate) max_segments: u32,
    pub(crate) exec_order: u8,
    pub(crate) fault_around_pages: u64,
    pub(crate) files: Vec<FileSpec>,
}

impl TimelessWorld {
    /// The world, with one stream a file.
    pub(crate) fn build(self) -> WorldSpec {
        let none = Nanos(0);
        WorldSpec {
            seed: 0,
            kernel: KernelSpec {
                model: self.model,
                patches: self.patches,
                ra_pages: self.ra_pages,
                max_sectors: self.max_sectors,
                io_pages: None,
                node_memory: None,
                max_segments: self.max_segments,
                memory: None,
                fault_around: Pages(self.fault_around_pages),
                exec_order: Order(self.exec_order),
                queue_depth: 1024,
            },
            cpu: CpuCosts { syscall: none, copy_page: none, fault: none, add_folio: none, submit: none },
            device: DeviceSpec::Instant,
            streams: (0..self.files.len())
                .map(|file| StreamSpec { file: FileId(file as u32), start: none, rate: None, program: Vec::new() })
                .collect(),
            files: self.files,
        }
    }
}

/// A file that lies in one piece at the start of the disk.
pub(crate) fn plain_file(name: &str, bytes: Bytes, min_order: u8, max_order: u8) -> FileSpec {
    FileSpec {
        name: name.into(),
        bytes,
        min_order: Order(min_order),
        max_order: Order(max_order),
        builder: BioBuilder::Iomap,
        extents: whole_extent(bytes),
        block_device: false,
        dev: (259, 0),
        ino: 0,
    }
}

/// One extent for the whole file.
pub(crate) fn whole_extent(bytes: Bytes) -> Vec<Extent> {
    let len = bytes.pages_up().bytes();
    if len.0 == 0 { Vec::new() } else { vec![Extent { file_offset: Bytes(0), sector: Sectors(0), len }] }
}
