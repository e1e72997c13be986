//! Random machines with one file, and random programs on it. Sizes are drawn where the rules have their edges: empty
//! files, one byte, whole pages, a byte more or less, more than one 2 MiB chunk.

use crate::limits::Limits;
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readahead_policy::{ModelId, NodeMemory, Patches};
use readahead_sim::WorldSpec;
use readahead_sim::world::{
    Advice, BioBuilder, CpuCosts, DeviceSpec, Extent, FileSpec, KernelSpec, MapAdvice, Op, Step, StreamSpec,
};
use readahead_types::{Bytes, FileId, Nanos, Order, PAGE_BYTES, PageIndex, Pages, Sectors};

/// Random draws.
pub(crate) struct Draws(Pcg64Mcg);

impl Draws {
    pub(crate) fn new(seed: u64) -> Self {
        Draws(Pcg64Mcg::seed_from_u64(seed))
    }

    pub(crate) fn seed(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `end`; 0 when `end` is 0.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }
}

/// A machine: what is random about it.
#[derive(Clone, Debug)]
pub(crate) struct Machine {
    pub(crate) limits: Limits,
    pub(crate) file_bytes: u64,
    pub(crate) min_order: u8,
    pub(crate) max_order: u8,
    pub(crate) exec_order: u8,
    fault_around: u64,
    max_sectors: u64,
    block_device: bool,
}

impl Machine {
    pub(crate) fn draw(model: ModelId, patches: Patches, draws: &mut Draws) -> Self {
        let file_bytes = file_bytes(draws);
        let device_ra_pages = match draws.below(8) {
            0 => draws.below(8),
            1 => draws.below(600),
            2 => draws.of(&[128, 256, 512]),
            3 => draws.of(&[1, 2, 4, 8, 16, 64]),
            _ => 32,
        } as u32;
        let io_pages = match draws.below(4) {
            0 => 0,
            1 => draws.below(400),
            _ => draws.of(&[32, 128, 256, 320]),
        } as u32;
        let plenty =
            NodeMemory { inactive_file: 1 << 20, free: 1 << 20, global_inactive_file: 1 << 21, global_free: 1 << 21 };
        let memory = match draws.below(4) {
            0 => NodeMemory {
                inactive_file: draws.below(300),
                free: draws.below(300),
                global_inactive_file: draws.below(300),
                global_free: draws.below(300),
            },
            _ => plenty,
        };
        let (min_order, max_order) = if model < ModelId::Linux6_1 {
            (0, 0)
        } else if model == ModelId::Linux6_1 {
            draws.of(&[(0, 0), (0, 9)])
        } else {
            draws.of(&[(0, 0), (0, 9), (0, 9), (0, 4), (0, 1), (2, 9), (1, 6), (4, 4)])
        };
        Machine {
            limits: Limits { model, patches, device_ra_pages, io_pages, memory },
            file_bytes,
            min_order,
            max_order,
            exec_order: draws.of(&[0, 0, 4, 2]),
            fault_around: 1 << draws.below(6),
            max_sectors: 8 * if draws.one_in(8) { 1 + draws.below(300) } else { 256 },
            block_device: draws.one_in(8),
        }
    }

    pub(crate) fn file_pages(&self) -> u64 {
        self.file_bytes.div_ceil(PAGE_BYTES)
    }

    pub(crate) fn world(&self, program: &[Op]) -> WorldSpec {
        let none = Nanos(0);
        let len = Pages(self.file_pages()).bytes();
        let extent = Extent { file_offset: Bytes(0), sector: Sectors(0), len };
        let old = self.limits.model == ModelId::Linux2_4_23;
        WorldSpec {
            seed: 0,
            kernel: KernelSpec {
                model: self.limits.model,
                patches: self.limits.patches,
                ra_pages: self.limits.device_ra_pages,
                max_sectors: Sectors(self.max_sectors),
                io_pages: Some(self.limits.io_pages),
                node_memory: Some(self.limits.memory),
                max_segments: 256,
                memory: None,
                fault_around: Pages(self.fault_around),
                exec_order: Order(self.exec_order),
                queue_depth: 1024,
            },
            cpu: CpuCosts { syscall: none, copy_page: none, fault: none, add_folio: none, submit: none },
            device: if old { DeviceSpec::OnWait } else { DeviceSpec::Instant },
            files: vec![FileSpec {
                name: "file".into(),
                bytes: Bytes(self.file_bytes),
                min_order: Order(self.min_order),
                max_order: Order(self.max_order),
                builder: BioBuilder::Iomap,
                extents: if self.file_bytes > 0 { vec![extent] } else { Vec::new() },
                block_device: self.block_device,
                dev: (259, 0),
                ino: 133,
            }],
            streams: vec![StreamSpec {
                file: FileId(0),
                start: none,
                rate: None,
                program: program.iter().copied().map(Step::Op).collect(),
            }],
        }
    }

    /// A random program.
    pub(crate) fn program(&self, operations: u64, draws: &mut Draws) -> Vec<Op> {
        (0..operations).map(|_| self.op(draws)).collect()
    }

    /// Most operations are reads of a few pages: they are what readahead is about.
    fn op(&self, draws: &mut Draws) -> Op {
        let fh = u32::from(draws.one_in(6));
        let page = PageIndex(draws.below(self.file_pages() + 3));
        match draws.below(64) {
            0..24 => Op::Read { fh, pos: None, len: self.len(draws) },
            24..40 => Op::Read { fh, pos: Some(self.pos(draws)), len: self.len(draws) },
            40..42 => Op::Lseek { fh, pos: self.pos(draws) },
            42..49 => Op::Fault { fh, page },
            49..52 => Op::Touch { fh, page, pages: Pages(1 + draws.below(4)) },
            52 => Op::Mmap {
                fh,
                advice: draws.of(&[
                    MapAdvice::Normal,
                    MapAdvice::Normal,
                    MapAdvice::Random,
                    MapAdvice::Sequential,
                    MapAdvice::Hugepage,
                ]),
                exec: draws.one_in(4),
            },
            53..57 => Op::Evict { fh, page, pages: Pages(1 + self.count(draws)) },
            57 => Op::Fadvise {
                fh,
                advice: draws.of(&[
                    Advice::Normal,
                    Advice::Normal,
                    Advice::Sequential,
                    Advice::Random,
                    Advice::Noreuse,
                ]),
                pos: Bytes(0),
                len: Bytes(0),
            },
            58 => Op::Fadvise { fh, advice: Advice::Dontneed, pos: self.pos(draws), len: self.range(draws) },
            59 => Op::Fadvise { fh, advice: Advice::Willneed, pos: self.pos(draws), len: self.range(draws) },
            60 => Op::Readahead { fh, pos: self.pos(draws), len: self.range(draws) },
            61 => Op::Open { fh, file: None, direct: false },
            62 => Op::Settle,
            _ if draws.one_in(3) => Op::DropCaches,
            _ => Op::LseekEnd { fh },
        }
    }

    fn pos(&self, draws: &mut Draws) -> Bytes {
        let page = draws.below(self.file_pages() + 2) * PAGE_BYTES;
        match draws.below(32) {
            0..16 => Bytes(page),
            16..20 => Bytes(page + draws.of(&[1, 2048, 4095])),
            20..30 => Bytes(page + draws.below(PAGE_BYTES)),
            30 => Bytes(self.file_bytes.saturating_sub(draws.below(3))),
            _ => Bytes(draws.below(1 << 40)),
        }
    }

    fn len(&self, draws: &mut Draws) -> Bytes {
        match draws.below(32) {
            0..16 => Bytes(PAGE_BYTES * (1 + draws.below(4))),
            16..24 => Bytes(1 + draws.below(3 * PAGE_BYTES)),
            24..28 => Bytes(PAGE_BYTES * (1 + self.count(draws))),
            28 => Bytes(1 + draws.below(64 * PAGE_BYTES)),
            29 => Bytes(draws.below(2)),
            _ => Bytes(PAGE_BYTES),
        }
    }

    fn range(&self, draws: &mut Draws) -> Bytes {
        match draws.below(8) {
            0 => Bytes(0),
            1 => Bytes(1 + draws.below(self.file_bytes + 2 * PAGE_BYTES)),
            2 => Bytes(draws.below(1 << 40)),
            _ => Bytes(1 + draws.below(40 * PAGE_BYTES)),
        }
    }

    /// Pages: few as a rule, sometimes as many as the file has.
    fn count(&self, draws: &mut Draws) -> u64 {
        if draws.one_in(8) { draws.below(self.file_pages() + 2) } else { draws.below(20) }
    }
}

fn file_bytes(draws: &mut Draws) -> u64 {
    let pages = match draws.below(16) {
        0 => return draws.of(&[0, 0, 1, 2048, 4095, 4096, 4097]),
        1 => 1024 + draws.below(600),
        2..5 => draws.below(8),
        5..8 => 64 + draws.below(200),
        _ => 8 + draws.below(120),
    };
    let whole = pages * PAGE_BYTES;
    match draws.below(4) {
        0 | 1 => whole,
        2 => whole + draws.of(&[1, 2048, 4095]),
        _ => whole + draws.below(PAGE_BYTES),
    }
}
