//! What a run consists of: kernel, processor costs, device, files and the programs of its streams. Plain data; the
//! engine checks it once, when it is built.

use readahead_policy::{ModelId, NodeMemory, Patches};
use readahead_types::{Bytes, FileId, Nanos, Order, PageIndex, Pages, Sectors};

/// A whole machine with its work.
#[derive(Clone, Debug)]
pub struct WorldSpec {
    /// Seed of every random draw of the run.
    pub seed: u64,
    /// The kernel and its settings.
    pub kernel: KernelSpec,
    /// What the processor's work costs.
    pub cpu: CpuCosts,
    /// The device that holds the files.
    pub device: DeviceSpec,
    /// The files, in the order of their ids.
    pub files: Vec<FileSpec>,
    /// The streams; each is one task.
    pub streams: Vec<StreamSpec>,
}

/// The kernel and its settings.
#[derive(Clone, Debug)]
pub struct KernelSpec {
    /// The generation.
    pub model: ModelId,
    /// Patches on top of it.
    pub patches: Patches,
    /// read_ahead_kb / 4.
    pub ra_pages: u32,
    /// max_sectors_kb as sectors: the largest request.
    pub max_sectors: Sectors,
    /// The device's io_pages, when it is not max_sectors_kb / 4 (network and other virtual file systems; vectors).
    pub io_pages: Option<u32>,
    /// queue/max_segments: most separate pieces of memory in one request.
    pub max_segments: u32,
    /// Pages that the page cache may hold; `None` when memory is plenty.
    pub memory: Option<Pages>,
    /// The memory that some generations let limit their windows, when it is not what the page cache has: constant counts,
    /// as in conformance vectors.
    pub node_memory: Option<NodeMemory>,
    /// fault_around_bytes in pages: a power of two.
    pub fault_around: Pages,
    /// Folio order that the architecture wants for executable mappings (0 on most).
    pub exec_order: Order,
    /// Requests that the device takes at a time; more wait.
    pub queue_depth: u16,
}

/// What the processor's work costs. Virtual time only: decisions do not depend on it, waiting does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuCosts {
    /// Entering and leaving a system call.
    pub syscall: Nanos,
    /// Copying one page to the program.
    pub copy_page: Nanos,
    /// Handling one page fault.
    pub fault: Nanos,
    /// Allocating one folio and adding it to the page cache.
    pub add_folio: Nanos,
    /// Preparing and submitting one request.
    pub submit: Nanos,
}

/// A device, by mechanism, with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeviceSpec {
    /// Completes everything at the moment of submission. For conformance vectors and replay, where time does not exist.
    Instant,
    /// Completes everything that was submitted when somebody waits for any of it. For conformance vectors of linux-2.4,
    /// whose decisions depend on pages still being read.
    OnWait,
    /// An NVMe drive.
    Nvme(NvmeSpec),
}

/// An NVMe drive: a fixed latency for each request, a number of requests served at once, and a shared link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NvmeSpec {
    /// From the start of service to the first byte.
    pub latency: Nanos,
    /// Requests served at the same time.
    pub channels: u16,
    /// Bytes per second of the shared link.
    pub bandwidth: u64,
    /// Random spread of the latency, in parts per thousand (0: none), drawn from the run's seed.
    pub jitter_permille: u32,
}

/// How the file system builds bios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BioBuilder {
    /// ext4, FAT, block device nodes: a bio never grows past the batch.
    Mpage,
    /// XFS: as mpage, and a bio's vector is sized by the extent too.
    Iomap,
}

/// A piece of a file that lies in one piece on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Position in the file; a multiple of a page.
    pub file_offset: Bytes,
    /// Position on the disk.
    pub sector: Sectors,
    /// Length.
    pub len: Bytes,
}

/// A file.
#[derive(Clone, Debug)]
pub struct FileSpec {
    /// Its name in the scenario.
    pub name: String,
    /// Its size.
    pub bytes: Bytes,
    /// Smallest folio order (block size above page size).
    pub min_order: Order,
    /// Largest folio order; 0: no large folios.
    pub max_order: Order,
    /// How its file system builds bios.
    pub builder: BioBuilder,
    /// Where it lies, in ascending order of `file_offset`; what is not covered is a hole.
    pub extents: Vec<Extent>,
    /// It is a block device node.
    pub block_device: bool,
    /// Device number as tracepoints print it.
    pub dev: (u32, u32),
    /// Inode number.
    pub ino: u64,
}

/// A stream: one task with one program.
#[derive(Clone, Debug)]
pub struct StreamSpec {
    /// The file that handle 0 opens.
    pub file: FileId,
    /// When it starts.
    pub start: Nanos,
    /// Bytes a second at which it consumes what it reads or touches; `None`: as fast as it can.
    pub rate: Option<u64>,
    /// What it does.
    pub program: Vec<Step>,
}

/// One step of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// One operation.
    Op(Op),
    /// The steps, this many times over.
    Repeat {
        /// How often.
        count: u64,
        /// What.
        steps: Vec<Step>,
    },
    /// The operation again and again, until a read returns nothing (or a touch reaches the end of the file).
    UntilEof(Op),
    /// A generated workload.
    Generate(Workload),
}

/// madvise on a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapAdvice {
    /// None.
    Normal,
    /// MADV_RANDOM.
    Random,
    /// MADV_SEQUENTIAL.
    Sequential,
    /// MADV_HUGEPAGE.
    Hugepage,
}

/// posix_fadvise advice; the discriminants are the system call's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Back to the defaults.
    Normal = 0,
    /// No readahead windows: reads are forced in as they are.
    Random = 1,
    /// Twice the readahead limit.
    Sequential = 2,
    /// Read the range now.
    Willneed = 3,
    /// Drop the range from the page cache.
    Dontneed = 4,
    /// Reclaim ignores accesses through mappings.
    Noreuse = 5,
}

/// One operation. `fh` is the stream's own number of an open file; 0 is open from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of the system calls")]
pub enum Op {
    /// open(2): `fh` becomes a fresh open file of `file` (or of the stream's file). `direct`: with O_DIRECT, so that its reads
    /// pass by the page cache.
    Open { fh: u32, file: Option<FileId>, direct: bool },
    /// close(2).
    Close { fh: u32 },
    /// read(2) at the file position, or pread(2) when `pos` is given.
    Read { fh: u32, pos: Option<Bytes>, len: Bytes },
    /// lseek(2), from the start of the file.
    Lseek { fh: u32, pos: Bytes },
    /// lseek(2) to the end of the file.
    LseekEnd { fh: u32 },
    /// posix_fadvise(2); `len` 0 is "to the end".
    Fadvise { fh: u32, advice: Advice, pos: Bytes, len: Bytes },
    /// readahead(2); `len` 0 is "to the end".
    Readahead { fh: u32, pos: Bytes, len: Bytes },
    /// mmap(2) of the whole file, replacing an earlier mapping of the handle, then madvise(2).
    Mmap { fh: u32, advice: MapAdvice, exec: bool },
    /// A page fault on this page, without fault-around; nothing stays mapped (as in the conformance vectors).
    Fault { fh: u32, page: PageIndex },
    /// One byte of each of these pages is touched through the mapping; mapped pages do not fault.
    Touch { fh: u32, page: PageIndex, pages: Pages },
    /// These pages leave the page cache, whole folios that overlap.
    Evict { fh: u32, page: PageIndex, pages: Pages },
    /// Processor work, or a pause, of the program.
    Think(Nanos),
    /// Everything clean leaves the page cache.
    DropCaches,
    /// Reads in flight complete now ([`DeviceSpec::OnWait`] only).
    Settle,
}

/// A generated workload on the stream's handle 0. Sizes that are `None` mean "to the end of the file".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are named in the variants' texts")]
pub enum Workload {
    /// `read(block)` from `start` for `len` bytes.
    Sequential { block: Bytes, start: Bytes, len: Option<Bytes> },
    /// `count` preads of `block` at block-aligned places drawn from the run's seed.
    Random { block: Bytes, count: u64 },
    /// Preads of `block` at `start`, `start + stride`, …
    Strided { block: Bytes, start: Bytes, stride: Bytes, count: Option<u64> },
    /// Preads of `block` from the end of the file backwards, beginning with the last block, whole or not.
    Backward { block: Bytes, count: Option<u64> },
    /// `streams` sequential readers of equal parts of the file, in whole blocks, take turns on one open file; the last
    /// part is the rest.
    Interleaved { block: Bytes, streams: u32, count: Option<u64> },
    /// One byte of every page through a mapping, in order.
    MmapSequential { advice: MapAdvice, count: Option<u64> },
    /// `count` touches of pages drawn from the run's seed.
    MmapRandom { advice: MapAdvice, count: u64 },
    /// Every file of the scenario, opened, read to its end in `block`s, closed.
    WholeFiles { block: Bytes },
}
