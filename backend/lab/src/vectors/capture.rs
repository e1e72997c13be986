//! A random workload captured on a real kernel: the folios that it added to the page cache and the data requests that
//! it made, call by call, against what the model does with the same calls.

use super::world::{TimelessWorld, whole_extent};
use super::{VectorFailure, Verdict};
use crate::scenario::Filesystem;
use crate::scenario::defaults::max_order;
use readahead_policy::{ModelId, Patches};
use readahead_sim::world::{Advice, BioBuilder, Extent, FileSpec, MapAdvice, Op, Step};
use readahead_sim::{Observer, VirtualHost};
use readahead_types::{
    Bytes, Decision, Event, EventKind, FileId, Nanos, Order, PAGE_BYTES, PageIndex, Pages, Sectors, TaskId,
};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Capture {
    id: u64,
    kernel: String,
    fs: String,
    read_ahead_kb: u32,
    max_sectors_kb: u64,
    file_size: u64,
    ops: Vec<String>,
    /// Call, byte offset in the file, bytes; in the order of issue.
    file_reads: Vec<(u64, u64, u64)>,
    /// Call, byte offset, order, page frame.
    folio_adds: Vec<(u64, u64, u8, u64)>,
}

/// What a call brought about: folios added, or data requests made.
#[derive(Default)]
struct Collector {
    call: u64,
    adds: Vec<(u64, u64, u8)>,
    reads: Vec<(u64, u64, u64)>,
    last_read: Bytes,
}

impl Observer for Collector {
    fn decided(&mut self, _at: Nanos, _task: TaskId, _decision: &Decision) {}

    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::FolioAdded { first, order, .. } => self.adds.push((self.call, first.0 * PAGE_BYTES, order.0)),
            EventKind::Issued { offset, sectors, .. } => self.reads.push((self.call, offset.0, sectors.bytes().0)),
            EventKind::ReadDone { len, .. } => self.last_read = len,
            _ => {}
        }
    }
}

/// The model of a kernel release, with what differs between its devices.
fn model_of(kernel: &str) -> Option<(ModelId, &'static [&'static str])> {
    let patches: &[&str] = if kernel.ends_with("-lab-patch") { &["keep-half-window"] } else { &[] };
    const RELEASES: &[(&str, ModelId)] = &[
        ("5.10.", ModelId::Linux5_10),
        ("6.1.", ModelId::Linux6_1),
        ("6.12.", ModelId::Linux6_12),
        ("7.2.", ModelId::Linux7_2),
    ];
    RELEASES.iter().find(|(release, _)| kernel.starts_with(release)).map(|(_, model)| (*model, patches))
}

pub(super) fn run(capture: &Capture) -> Verdict {
    let Some((model, patches)) = model_of(&capture.kernel) else {
        return Verdict::NotRun(format!("a capture of {}", capture.kernel));
    };
    let id = format!("{} {} {}", capture.kernel, capture.fs, capture.id);
    match replay(capture, model, patches) {
        Ok(None) => Verdict::Passed,
        Ok(Some((operation, expected, got))) => Verdict::Failed(VectorFailure { id, operation, expected, got }),
        Err(message) => Verdict::Failed(VectorFailure {
            id,
            operation: message,
            expected: "an operation of the captures".into(),
            got: "something else".into(),
        }),
    }
}

/// File system, operation that opens the file, and its extents: byte offset, sector, bytes.
type Place = (&'static str, &'static str, &'static [(u64, u64, u64)]);

/// Where the files of the captures' disk lie. The captures do not repeat it; other captures
/// of the same disk list it.
const DISK: &[Place] = &[
    ("ext4", "open:f16", &[(0, 573_440, 8 << 20), (8 << 20, 606_208, 8 << 20)]),
    (
        "ext4",
        "open:f32",
        &[
            (0, 335_872, 4 << 20),
            (4 << 20, 475_136, 4 << 20),
            (8 << 20, 557_056, 8 << 20),
            (16 << 20, 589_824, 8 << 20),
            (24 << 20, 622_592, 8 << 20),
        ],
    ),
    ("xfs", "open:f32", &[(0, 655_424, 33_488_896), (33_488_896, 753_600, 65_536)]),
];

fn extents_of(fs: &str, first_op: &str, bytes: Bytes) -> Vec<Extent> {
    match DISK.iter().find(|(disk, open, _)| *disk == fs && *open == first_op) {
        Some((.., extents)) => extents
            .iter()
            .map(|&(offset, sector, len)| Extent {
                file_offset: Bytes(offset),
                sector: Sectors(sector),
                len: Bytes(len),
            })
            .collect(),
        None => whole_extent(bytes),
    }
}

/// Largest folio order of a file on this file system.
fn largest_folio(model: ModelId, fs: &str) -> u8 {
    let filesystem = if fs == "xfs" { Filesystem::Xfs } else { Filesystem::Ext4 };
    max_order(model, filesystem) as u8
}

/// Pages of the largest request of the captures' disk, unless max_sectors_kb says that it takes larger ones.
const DISK_PAGES: u32 = 128;

/// Separate pieces of memory in one request: the kernel's limit, or one more than the device's pages (NVMe).
fn max_segments(model: ModelId, max_sectors_kb: u64) -> u32 {
    let device = if max_sectors_kb > 512 { u32::MAX } else { DISK_PAGES + 1 };
    model.callers(Patches::default()).max_segments.min(device)
}

type Difference = (String, String, String);

fn replay(capture: &Capture, model: ModelId, patches: &[&str]) -> Result<Option<Difference>, String> {
    let patches = Patches::parse(model, patches).map_err(|error| error.to_string())?;
    let file = FileSpec {
        name: "file".into(),
        bytes: Bytes(capture.file_size),
        min_order: Order(0),
        max_order: Order(largest_folio(model, &capture.fs)),
        builder: if capture.fs == "xfs" { BioBuilder::Iomap } else { BioBuilder::Mpage },
        extents: extents_of(&capture.fs, capture.ops.first().map_or("", String::as_str), Bytes(capture.file_size)),
        block_device: false,
        dev: (259, 0),
        ino: 0,
    };
    let world = TimelessWorld {
        model,
        patches,
        ra_pages: capture.read_ahead_kb / 4,
        max_sectors: Sectors(capture.max_sectors_kb * 2),
        max_segments: max_segments(model, capture.max_sectors_kb),
        exec_order: 0,
        fault_around_pages: 16,
        files: vec![file],
    };
    let mut host = VirtualHost::new(world.build()).map_err(|error| error.to_string())?;
    for (_, offset, _, pfn) in &capture.folio_adds {
        host.know_frame(FileId(0), PageIndex(offset / PAGE_BYTES), *pfn);
    }
    let mut collector = Collector::default();
    host.run(&mut collector);
    let mut calls = 0u64;
    let mut opened = 0u32;
    for text in &capture.ops {
        run_op(text, &mut host, &mut collector, &mut calls, &mut opened)?;
    }
    let adds: Vec<(u64, u64, u8)> =
        capture.folio_adds.iter().map(|(call, offset, order, _)| (*call, *offset, *order)).collect();
    if let Some((at, expected, got)) = first_difference(&adds, &collector.adds) {
        let text = |(call, byte, order): (u64, u64, u8)| format!("call {call}: byte {byte}, order {order}");
        return Ok(Some((format!("folio {at}"), shown(expected, text), shown(got, text))));
    }
    if let Some((at, expected, got)) = first_difference(&capture.file_reads, &collector.reads) {
        let text = |(call, byte, bytes): (u64, u64, u64)| format!("call {call}: byte {byte}, {bytes} bytes");
        return Ok(Some((format!("data request {at}"), shown(expected, text), shown(got, text))));
    }
    Ok(None)
}

/// One side of a difference, for people.
fn shown<T>(one: Option<T>, text: impl Fn(T) -> String) -> String {
    one.map_or_else(|| "nothing".into(), text)
}

fn first_difference<T: Copy + PartialEq>(expected: &[T], got: &[T]) -> Option<(usize, Option<T>, Option<T>)> {
    let same = expected.iter().zip(got).take_while(|(expected, got)| expected == got).count();
    (same < expected.len().max(got.len())).then(|| (same, expected.get(same).copied(), got.get(same).copied()))
}

/// Carries out one operation of a capture's own language, e.g. `pread:0:4096:65536`.
fn run_op(
    text: &str,
    host: &mut VirtualHost,
    collector: &mut Collector,
    calls: &mut u64,
    opened: &mut u32,
) -> Result<(), String> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let words: Vec<&str> = parts.collect();
    let number = |at: usize| -> Result<u64, String> {
        words.get(at).and_then(|word| word.parse().ok()).ok_or_else(|| format!("`{text}`: no number in place {at}"))
    };
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let mut call = |op: Op, counted: bool| {
        if counted {
            collector.call = *calls;
            *calls += 1;
        }
        host.push(TaskId(0), &Step::Op(op));
        host.run(collector);
        collector.last_read
    };
    match name {
        "open" => {
            call(Op::Open { fh: *opened, file: Some(FileId(0)), direct: false }, true);
            *opened += 1;
        }
        "seek" => {
            call(Op::Lseek { fh: number(0)? as u32, pos: Bytes(number(1)?) }, true);
        }
        "read" => {
            let (fh, len, count) = (number(0)? as u32, Bytes(number(1)?), number(2)?);
            let mut done = 0;
            while count == 0 || done < count {
                let read = call(Op::Read { fh, pos: None, len }, true);
                done += 1;
                if read.0 == 0 {
                    break;
                }
            }
        }
        "pread" => {
            call(Op::Read { fh: number(0)? as u32, pos: Some(Bytes(number(1)?)), len: Bytes(number(2)?) }, true);
        }
        "fadv" => {
            let advice = match word(1) {
                "normal" => Advice::Normal,
                "random" => Advice::Random,
                "sequential" => Advice::Sequential,
                "willneed" => Advice::Willneed,
                "dontneed" => Advice::Dontneed,
                "noreuse" => Advice::Noreuse,
                other => return Err(format!("`{text}`: unknown advice {other}")),
            };
            call(Op::Fadvise { fh: number(0)? as u32, advice, pos: Bytes(number(2)?), len: Bytes(number(3)?) }, true);
        }
        "readahead" => {
            call(Op::Readahead { fh: number(0)? as u32, pos: Bytes(number(1)?), len: Bytes(number(2)?) }, true);
        }
        "map" => {
            let advice = match word(1) {
                "none" => MapAdvice::Normal,
                "random" => MapAdvice::Random,
                "sequential" => MapAdvice::Sequential,
                "hugepage" => MapAdvice::Hugepage,
                other => return Err(format!("`{text}`: unknown advice {other}")),
            };
            call(Op::Mmap { fh: number(0)? as u32, advice, exec: false }, true);
            if advice != MapAdvice::Normal {
                // The madvise call.
                call(Op::Think(Nanos(0)), true);
            }
        }
        "touch" => {
            let (page, pages) = (PageIndex(number(1)?), Pages(number(2)?));
            call(Op::Touch { fh: number(0)? as u32, page, pages }, false);
        }
        _ => return Err(format!("`{text}`: unknown operation")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_in_words() {
        let mut capture = Capture {
            id: 7,
            kernel: "6.12.38".into(),
            fs: "ext4".into(),
            read_ahead_kb: 128,
            max_sectors_kb: 512,
            file_size: 4096,
            ops: vec!["open:f".into(), "pread:0:0:4096".into()],
            file_reads: vec![(1, 0, 4096)],
            folio_adds: vec![(1, 0, 0, 100)],
        };
        assert!(matches!(run(&capture), Verdict::Passed));
        let failure = |capture: &Capture| match run(capture) {
            Verdict::Failed(failure) => failure.to_string(),
            _ => "no failure".into(),
        };
        capture.file_reads = vec![(1, 0, 512)];
        let text = "6.12.38 ext4 7: data request 0\n  expected call 1: byte 0, 512 bytes\n  got      call 1: byte 0, 4096 bytes";
        assert_eq!(failure(&capture), text);
        capture.folio_adds.push((2, 4096, 0, 101));
        assert_eq!(
            failure(&capture),
            "6.12.38 ext4 7: folio 1\n  expected call 2: byte 4096, order 0\n  got      nothing"
        );
        capture.kernel = "4.19.1".into();
        assert!(matches!(run(&capture), Verdict::NotRun(name) if name == "a capture of 4.19.1"));
    }
}
