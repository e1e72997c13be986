//! A conformance case: operations on one file and the events that the kernel's own code gave.

use super::world::{TimelessWorld, plain_file};
use super::{VectorFailure, VectorReport, Verdict};
use crate::series::Series;
use readahead_policy::limits::small_device_limit;
use readahead_policy::{ModelId, NodeMemory, Patches, RegistryError};
use readahead_sim::world::{Advice, DeviceSpec, MapAdvice, Op, Step};
use readahead_sim::{Observer, VirtualHost};
use readahead_types::{Bytes, Decision, Event, EventKind, Nanos, PageIndex, Pages, Sectors, TaskId, Via};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
pub(super) struct Case {
    id: String,
    model: String,
    #[serde(default)]
    patches: Vec<String>,
    dev: Device,
    file: File,
    mem: Option<Memory>,
    ops: Vec<CaseOp>,
    expect: Vec<Vec<CaseEvent>>,
    /// ra_pages after small-device-limit.
    expect_ra_pages: Option<u32>,
    /// The lines of trace-event for the whole case.
    expect_trace: Option<Vec<String>>,
    /// The lines of /debug/readahead/stats after the whole case.
    expect_stats: Option<Vec<String>>,
}

/// Page counts that the limits of old generations read; the global ones are the node's when they are not given.
#[derive(Deserialize)]
struct Memory {
    inactive_file: u64,
    #[serde(default)]
    free: u64,
    global_inactive_file: Option<u64>,
    global_free: Option<u64>,
}

#[derive(Deserialize)]
struct Device {
    ra_pages: u32,
    io_pages: u32,
    /// Size of the disk in 512-byte sectors, for small-device-limit.
    capacity_sectors: Option<u64>,
    #[serde(default)]
    exec_order: u8,
    #[serde(default = "sixteen")]
    fault_around_pages: u64,
}

fn sixteen() -> u64 {
    16
}

#[derive(Deserialize)]
struct File {
    bytes: u64,
    #[serde(default)]
    min_order: u8,
    #[serde(default)]
    max_order: u8,
    #[serde(default)]
    blockdev: bool,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "op", rename_all = "lowercase")]
enum CaseOp {
    Open {
        fh: u32,
    },
    Read {
        fh: u32,
        pos: u64,
        len: u64,
    },
    Lseek {
        fh: u32,
        pos: u64,
    },
    Fadvise {
        fh: u32,
        advice: CaseAdvice,
        pos: u64,
        len: u64,
    },
    Readahead {
        fh: u32,
        pos: u64,
        len: u64,
    },
    Mmap {
        fh: u32,
        advice: CaseMapAdvice,
        #[serde(default)]
        exec: bool,
    },
    Fault {
        fh: u32,
        index: u64,
    },
    Evict {
        index: u64,
        count: u64,
    },
    /// linux-2.4 only: reads in flight complete.
    Settle,
    /// In our own cases: somebody writes read_ahead_kb. Files that are open keep theirs until fadvise takes it over.
    #[serde(rename = "read_ahead")]
    ReadAhead {
        pages: u32,
    },
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum CaseAdvice {
    Normal,
    Random,
    Sequential,
    Willneed,
    Dontneed,
    Noreuse,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum CaseMapAdvice {
    Normal,
    Random,
    Sequential,
    Hugepage,
}

/// One window or run of pages, as the vectors write it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct CaseEvent {
    via: String,
    index: u64,
    req: u64,
    start: u64,
    size: u64,
    r#async: u64,
    order: u64,
    mark: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<u64>,
    folios: Vec<(u64, u64)>,
    actual: u64,
    /// The 2010 series: why the window was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pattern: Option<String>,
    /// linux-2.4: raend, ralen, ramax and rawin afterwards.
    #[serde(skip_serializing_if = "Option::is_none")]
    ra24: Option<[u64; 4]>,
    /// retain-inactive: pages moved to the head of the inactive list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    retained: Vec<u64>,
}

/// Collects the events of the operation being run.
#[derive(Default)]
struct Collector {
    /// Last page of the file.
    eof: Option<u64>,
    /// By the rules of the historic vectors.
    old_events: bool,
    events: Vec<CaseEvent>,
    branches: Vec<(&'static str, &'static str)>,
    /// What the 2010 series would print.
    series: Option<Series>,
}

impl Observer for Collector {
    fn decided(&mut self, at: Nanos, task: TaskId, decision: &Decision) {
        if let Some(series) = &mut self.series {
            series.decided(at, task, decision);
        }
        self.branches.push((decision.reason.code(), decision.trim.code()));
        let Some(window) = decision.window else { return };
        // Force chunks and random runs that begin beyond the end of the file make no event; nor does anything of size 0
        // up to linux-5.4.
        let plain = matches!(decision.via, Via::Force | Via::Random);
        let beyond = self.eof.is_none_or(|eof| window.start > eof);
        if (plain && beyond) || (window.size == 0 && self.old_events) {
            return;
        }
        self.events.push(CaseEvent {
            via: decision.via.name().into(),
            index: decision.index,
            req: decision.req,
            start: window.start,
            size: window.size,
            r#async: window.async_size,
            order: u64::from(window.order),
            pattern: decision.pattern.map(|pattern| pattern.name().to_owned()),
            ra24: (decision.via == Via::Legacy).then(|| {
                let old = decision.after.old;
                [old.raend, old.ralen, old.ramax, old.rawin]
            }),
            ..CaseEvent::default()
        });
    }

    fn event(&mut self, event: &Event) {
        if let Some(series) = &mut self.series {
            series.event(event);
        }
        let last = self.events.last_mut();
        match (event.kind, last) {
            (EventKind::FolioAdded { first, order, marked, .. }, Some(event)) => {
                event.folios.push((first.0, u64::from(order.0)));
                event.actual += order.pages();
                if marked {
                    event.marks.push(first.0);
                }
            }
            (EventKind::Retained { first, pages, .. }, Some(event)) => {
                event.retained.extend(first.0..first.0 + pages.0);
            }
            _ => {}
        }
    }
}

pub(super) fn run(case: &Case, report: &mut VectorReport) -> Verdict {
    let parsed = ModelId::parse(&case.model)
        .and_then(|model| Patches::parse(model, &case.patches).map(|patches| (model, patches)));
    let (model, patches) = match parsed {
        Ok(parsed) => parsed,
        Err(RegistryError::UnknownModel(_) | RegistryError::UnknownPatch(_)) => {
            let mut name = case.model.clone();
            for patch in &case.patches {
                name.push('+');
                name.push_str(patch);
            }
            return Verdict::NotRun(name);
        }
        Err(error) => return failure(case, 0, "a set of patches that applies", &error.to_string()),
    };
    let limit = case.dev.capacity_sectors.and_then(|sectors| small_device_limit(sectors, patches));
    let ra_pages = limit.map_or(case.dev.ra_pages, |limit| case.dev.ra_pages.min(limit));
    if let Some(expected) = case.expect_ra_pages
        && ra_pages != expected
    {
        return failure(case, 0, &format!("ra_pages {expected}"), &format!("ra_pages {ra_pages}"));
    }
    let world = TimelessWorld {
        model,
        patches,
        ra_pages,
        // max_sectors of a device without the limit: io_pages decides nothing then, and no read is split.
        max_sectors: Sectors(u64::from(case.dev.io_pages.max(1)) * 8),
        max_segments: 256,
        exec_order: case.dev.exec_order,
        fault_around_pages: case.dev.fault_around_pages,
        files: vec![plain_file("case", Bytes(case.file.bytes), case.file.min_order, case.file.max_order)],
    };
    let mut spec = world.build();
    spec.kernel.io_pages = Some(case.dev.io_pages);
    spec.kernel.node_memory = case.mem.as_ref().map(|mem| NodeMemory {
        inactive_file: mem.inactive_file,
        free: mem.free,
        global_inactive_file: mem.global_inactive_file.unwrap_or(mem.inactive_file),
        global_free: mem.global_free.unwrap_or(mem.free),
    });
    spec.files[0].block_device = case.file.blockdev;
    if model == ModelId::Linux2_4_23 {
        spec.device = DeviceSpec::OnWait;
    }
    let mut host = match VirtualHost::new(spec) {
        Ok(host) => host,
        Err(error) => return failure(case, 0, "a world that can be built", &error.to_string()),
    };
    let pages = Bytes(case.file.bytes).pages_up().0;
    let tells = case.expect_trace.is_some() || case.expect_stats.is_some();
    let mut collector = Collector {
        eof: pages.checked_sub(1),
        old_events: model < ModelId::Linux5_10,
        series: tells.then(|| Series::new(&[(case.file.bytes, TOLD_DEV, TOLD_INO)])),
        ..Collector::default()
    };
    host.run(&mut collector);
    for (number, op) in case.ops.iter().enumerate() {
        if let CaseOp::ReadAhead { pages } = *op {
            host.engine().set_ra_pages(pages);
        } else if let Some(step) = step(op) {
            host.push(TaskId(0), &step);
            host.run(&mut collector);
        }
        let name = std::iter::once(case.model.as_str()).chain(case.patches.iter().map(String::as_str));
        let branches = report.branches_of.entry(name.collect::<Vec<_>>().join("+")).or_default();
        branches.extend(collector.branches.iter().flat_map(|(reason, trim)| [*reason, *trim]));
        for (reason, trim) in collector.branches.drain(..) {
            *report.reasons.entry(reason).or_default() += 1;
            *report.trims.entry(trim).or_default() += 1;
        }
        let mut got = std::mem::take(&mut collector.events);
        for event in &mut got {
            event.mark = event.marks.first().copied();
            if event.marks.len() < 2 {
                event.marks.clear();
            }
        }
        let none = Vec::new();
        let expected = case.expect.get(number).unwrap_or(&none);
        if &got != expected {
            let first = got.iter().zip(expected).take_while(|(got, expected)| got == expected).count();
            let show = |events: &[CaseEvent]| events.get(first).map_or("no event".into(), json);
            return failure(case, number, &show(expected), &show(&got));
        }
    }
    if let Some(series) = &collector.series {
        let told = [(&case.expect_trace, series.trace_text()), (&case.expect_stats, series.stats_text())];
        for (expected, got) in told {
            let Some(expected) = expected else { continue };
            let got: Vec<&str> = got.lines().collect();
            if &got != expected {
                let first = got.iter().zip(expected).take_while(|(got, expected)| got == expected).count();
                let of_got = got.get(first).copied().unwrap_or("no line");
                let wanted = expected.get(first).map_or("no line", String::as_str);
                return failure(case, case.ops.len(), wanted, of_got);
            }
        }
    }
    Verdict::Passed
}

/// Device and inode that the expected lines of the 2010 series name.
const TOLD_DEV: (u32, u32) = (0, 15);
const TOLD_INO: u64 = 100_177;

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain data has a JSON form")
}

fn failure(case: &Case, number: usize, expected: &str, got: &str) -> Verdict {
    let operation = case.ops.get(number).map_or_else(|| "text of the whole case".into(), json);
    Verdict::Failed(VectorFailure {
        id: case.id.clone(),
        operation: format!("operation {number} {operation}"),
        expected: expected.into(),
        got: got.into(),
    })
}

/// The operation as a step of the program; `None` for what a program does not do.
fn step(op: &CaseOp) -> Option<Step> {
    Some(Step::Op(match *op {
        CaseOp::Open { fh } => Op::Open { fh, file: None, direct: false },
        CaseOp::Read { fh, pos, len } => Op::Read { fh, pos: Some(Bytes(pos)), len: Bytes(len) },
        CaseOp::Lseek { fh, pos } => Op::Lseek { fh, pos: Bytes(pos) },
        CaseOp::Fadvise { fh, advice, pos, len } => {
            let advice = match advice {
                CaseAdvice::Normal => Advice::Normal,
                CaseAdvice::Random => Advice::Random,
                CaseAdvice::Sequential => Advice::Sequential,
                CaseAdvice::Willneed => Advice::Willneed,
                CaseAdvice::Dontneed => Advice::Dontneed,
                CaseAdvice::Noreuse => Advice::Noreuse,
            };
            Op::Fadvise { fh, advice, pos: Bytes(pos), len: Bytes(len) }
        }
        CaseOp::Readahead { fh, pos, len } => Op::Readahead { fh, pos: Bytes(pos), len: Bytes(len) },
        CaseOp::Mmap { fh, advice, exec } => {
            let advice = match advice {
                CaseMapAdvice::Normal => MapAdvice::Normal,
                CaseMapAdvice::Random => MapAdvice::Random,
                CaseMapAdvice::Sequential => MapAdvice::Sequential,
                CaseMapAdvice::Hugepage => MapAdvice::Hugepage,
            };
            Op::Mmap { fh, advice, exec }
        }
        CaseOp::Fault { fh, index } => Op::Fault { fh, page: PageIndex(index) },
        CaseOp::Evict { index, count } => Op::Evict { fh: 0, page: PageIndex(index), pages: Pages(count) },
        CaseOp::Settle => Op::Settle,
        CaseOp::ReadAhead { .. } => return None,
    }))
}
