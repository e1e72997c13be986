//! Random workloads, with simple numbers by preference.

use super::workload::{Files, Settings, Workload};
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readahead_policy::ModelId;
use readahead_sim::world::{Advice, MapAdvice, Op};
use readahead_types::{Bytes, PAGE_BYTES, PageIndex, Pages};

/// What is special about a workload; the plain ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    /// Whole pages as a rule, inside the file, default settings.
    Plain,
    /// Other settings.
    Settings,
    /// Small files, ends inside a page, reads that run over the end.
    Edges,
    /// Little memory, for kernels whose limits look at it.
    LittleMemory,
}

impl Flavour {
    pub(super) fn of(a: ModelId, b: ModelId) -> Vec<Flavour> {
        let mut list = vec![Flavour::Plain, Flavour::Settings, Flavour::Edges];
        if a.min(b) <= ModelId::Linux3_18 {
            list.push(Flavour::LittleMemory);
        }
        list
    }

    /// Workloads of this many operations that are tried.
    pub(super) fn workloads(self, operations: usize) -> u64 {
        let all = [400, 1500, 4000, 5000, 5000, 5000][operations.clamp(1, 6) - 1];
        if self == Flavour::Plain { all } else { all / 2 }
    }

    /// What it is, in words.
    pub(super) fn words(self) -> &'static str {
        match self {
            Flavour::Plain => "read_ahead_kb=128, max_sectors_kb=512, memory enough",
            Flavour::Settings => "read_ahead_kb 0 to 4096, max_sectors_kb 64 to 2048",
            Flavour::Edges => "files that end inside a page, reads that run over the end",
            Flavour::LittleMemory => "1 to 4 MiB of memory",
        }
    }
}

/// The draws of a search.
pub(super) struct Draws(Pcg64Mcg);

/// A workload while it is drawn.
struct Drawing<'a> {
    draws: &'a mut Draws,
    flavour: Flavour,
    file_bytes: u64,
    /// Neither side is without posix_fadvise(2); readahead(2) of linux-2.4 depends on a list that settings do not set.
    fadvise: bool,
    /// Both sides know MADV_HUGEPAGE on files.
    hugepage: bool,
    /// The position of each open file, and whether it is mapped.
    handles: Vec<(u64, bool)>,
}

impl Draws {
    pub(super) fn new(seed: u64) -> Self {
        Draws(Pcg64Mcg::seed_from_u64(seed))
    }

    /// A number below `end`; 0 when `end` is 0.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(end)) >> 64) as u64
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len() as u64) as usize]
    }

    pub(super) fn workload(
        &mut self,
        a: ModelId,
        b: ModelId,
        files: Files,
        flavour: Flavour,
        operations: usize,
    ) -> Workload {
        let mut settings = Settings::DEFAULT;
        if matches!(flavour, Flavour::Settings | Flavour::LittleMemory) {
            settings.read_ahead_kb = self.of(&[0, 4, 8, 16, 32, 52, 64, 128, 128, 256, 512, 1024, 2048, 4096]);
            settings.max_sectors_kb = self.of(&[64, 128, 256, 512, 512, 1024, 2048]);
        }
        if flavour == Flavour::LittleMemory {
            settings.memory_kb = Some(self.of(&[1024, 2048, 4096]));
        }
        let pages =
            if flavour == Flavour::Edges { self.below(70) } else { self.of(&[16, 32, 64, 128, 256, 512, 1024, 2048]) };
        let mut file_bytes = pages * PAGE_BYTES;
        if flavour == Flavour::Edges {
            file_bytes += self.of(&[0, 0, 1, 2048, 4095]);
        }
        let mut drawing = Drawing {
            flavour,
            file_bytes,
            fadvise: a.min(b) > ModelId::Linux2_4_23,
            hugepage: a.min(b) >= ModelId::Linux6_1,
            handles: vec![(0, false)],
            draws: self,
        };
        let mut ops = Vec::with_capacity(operations);
        while ops.len() < operations {
            // A fault needs a mapping first.
            let fresh = drawing.handles.iter().all(|(_, mapped)| !mapped);
            let may_map = fresh && ops.len() + 1 < operations && file_bytes > 0;
            ops.push(drawing.op(may_map));
        }
        Workload { file_bytes, files, settings, ops }
    }
}

impl Drawing<'_> {
    fn op(&mut self, may_map: bool) -> Op {
        let at = self.draws.below(self.handles.len() as u64) as usize;
        let fh = at as u32;
        let mapped = self.handles[at].1;
        loop {
            match self.draws.below(22) {
                0..7 if self.flavour == Flavour::Edges || self.handles[at].0 < self.file_bytes => return self.read(at),
                7..13 => return self.pread(at),
                13 => {
                    let pos = self.pos();
                    self.handles[at].0 = pos;
                    return Op::Lseek { fh, pos: Bytes(pos) };
                }
                14 if self.fadvise => {
                    let advice = self.draws.of(&[Advice::Random, Advice::Sequential, Advice::Normal]);
                    return Op::Fadvise { fh, advice, pos: Bytes(0), len: Bytes(0) };
                }
                15 if self.fadvise => {
                    let (pos, len) = self.range();
                    let advice = self.draws.of(&[Advice::Willneed, Advice::Willneed, Advice::Dontneed]);
                    return Op::Fadvise { fh, advice, pos, len };
                }
                16 if self.fadvise => {
                    let (pos, len) = self.range();
                    return Op::Readahead { fh, pos, len };
                }
                17 => {
                    let page = PageIndex(self.page());
                    return Op::Evict { fh, page, pages: Pages(self.count()) };
                }
                18 if self.handles.len() < 2 => {
                    self.handles.push((0, false));
                    return Op::Open { fh: self.handles.len() as u32 - 1, file: None, direct: false };
                }
                19.. if mapped => return Op::Fault { fh, page: PageIndex(self.page()) },
                19.. if may_map => {
                    self.handles[at].1 = true;
                    return self.mmap(fh);
                }
                _ => {}
            }
        }
    }

    fn mmap(&mut self, fh: u32) -> Op {
        let advice = match self.draws.below(8) {
            0 => MapAdvice::Random,
            1 | 2 => MapAdvice::Sequential,
            3 if self.hugepage => MapAdvice::Hugepage,
            _ => MapAdvice::Normal,
        };
        Op::Mmap { fh, advice, exec: self.draws.below(8) == 0 }
    }

    fn read(&mut self, at: usize) -> Op {
        let pos = self.handles[at].0;
        let len = self.len(pos);
        self.handles[at].0 = (pos + len).min(self.file_bytes.max(pos));
        Op::Read { fh: at as u32, pos: None, len: Bytes(len) }
    }

    fn pread(&mut self, at: usize) -> Op {
        let pos = self.pos();
        Op::Read { fh: at as u32, pos: Some(Bytes(pos)), len: Bytes(self.len(pos)) }
    }

    fn range(&mut self) -> (Bytes, Bytes) {
        let pos = if self.draws.below(2) == 0 { 0 } else { self.pos() };
        let len = if self.draws.below(4) == 0 { 0 } else { self.len(pos) };
        (Bytes(pos), Bytes(len))
    }

    /// A page of the file.
    fn page(&mut self) -> u64 {
        let pages = self.file_bytes.div_ceil(PAGE_BYTES);
        let page = match self.draws.below(3) {
            0 => self.draws.below(pages),
            _ => self.draws.of(&[0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 24, 31, 32, 33, 48, 64, 128]),
        };
        page.min(pages.saturating_sub(1))
    }

    fn pos(&mut self) -> u64 {
        let pos = self.page() * PAGE_BYTES;
        let beyond = self.flavour == Flavour::Edges && self.draws.below(6) == 0;
        let pos = if beyond { pos + 2 * PAGE_BYTES } else { pos };
        if self.draws.below(8) == 0 { pos + self.draws.of(&[1, 512, 2048, 4095]) } else { pos }
    }

    fn count(&mut self) -> u64 {
        match self.draws.below(4) {
            0 => 1 + self.draws.below(300),
            _ => self.draws.of(&[1, 1, 2, 3, 4, 8, 16, 32, 33, 64, 128, 256]),
        }
    }

    /// Bytes from `pos`, inside the file as a rule.
    fn len(&mut self, pos: u64) -> u64 {
        let len = self.count() * PAGE_BYTES;
        let len = if self.draws.below(8) == 0 { len - self.draws.of(&[1, 2048, 4095]) } else { len };
        let inside = self.file_bytes.saturating_sub(pos);
        if self.flavour == Flavour::Edges || inside == 0 { len } else { len.min(inside) }
    }
}
