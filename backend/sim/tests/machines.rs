//! Random machines with random programs: what must hold whatever they are.

use proptest::prelude::*;
use readahead_policy::{ModelId, Patches};
use readahead_sim::world::{
    Advice, BioBuilder, CpuCosts, DeviceSpec, Extent, FileSpec, KernelSpec, MapAdvice, NvmeSpec, Op, Step, StreamSpec,
};
use readahead_sim::{Observer, Progress, VirtualHost, WorldSpec};
use readahead_types::{
    Bytes, Decision, Event, EventKind, FileId, Nanos, Order, PAGE_BYTES, PageIndex, Pages, Sectors, TaskId, Trim,
};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Checks every event as it comes.
#[derive(Default)]
struct Auditor {
    last_at: u64,
    file_pages: u64,
    min_pages: u64,
    memory: Option<u64>,
    /// Folios in the page cache: first page → pages.
    cached: BTreeMap<u64, u64>,
    resident: u64,
    /// Requests in the device.
    in_device: HashSet<u32>,
    issued_bytes: u64,
    completed_bytes: u64,
    reads: HashMap<u32, u64>,
    tasks_done: u32,
    window: Option<(u64, u64)>,
    /// Everything that happened, as one number.
    digest: DefaultHasher,
}

impl Observer for Auditor {
    fn decided(&mut self, _at: Nanos, _task: TaskId, decision: &Decision) {
        if let Some(window) = decision.window {
            self.window = Some((window.start, window.size));
            if decision.max > 0 && decision.via == readahead_types::Via::Sync {
                assert!(window.size <= decision.max, "a sync window is at most its limit: {decision:?}");
            }
        }
        if let Trim::Cut { from_size, size, .. } | Trim::Halved { from_size, size, .. } = decision.trim {
            assert!(0 < size && size < from_size || matches!(decision.trim, Trim::Halved { .. }), "{decision:?}");
        }
        format!("{decision:?}").hash(&mut self.digest);
    }

    fn event(&mut self, event: &Event) {
        assert!(event.at.0 >= self.last_at, "time runs back: {event:?}");
        self.last_at = event.at.0;
        format!("{event:?}").hash(&mut self.digest);
        match event.kind {
            EventKind::FolioAdded { first, order, marked, .. } => {
                let pages = order.pages();
                assert_eq!(first.0 % pages, 0, "a folio is aligned: {event:?}");
                let before = self.cached.range(..first.0 + pages).next_back();
                assert!(before.is_none_or(|(start, pages)| start + pages <= first.0), "cached twice: {event:?}");
                assert!(
                    first.0 + pages <= self.file_pages.next_multiple_of(self.min_pages),
                    "beyond the end: {event:?}"
                );
                if marked {
                    let (start, size) = self.window.expect("a marker belongs to a window");
                    assert!(first.0 < start + size && start < first.0 + pages, "marker outside its window: {event:?}");
                }
                self.cached.insert(first.0, pages);
                self.resident += pages;
                assert!(self.memory.is_none_or(|memory| self.resident <= memory), "over the limit: {event:?}");
            }
            EventKind::FolioRemoved { first, order, used, .. } => {
                assert_eq!(self.cached.remove(&first.0), Some(order.pages()), "not cached: {event:?}");
                assert!(used.0 <= order.pages());
                self.resident -= order.pages();
            }
            EventKind::Used { first, pages, fresh, .. } => {
                assert!(fresh <= pages);
                let (start, folio) = self.cached.range(..=first.0).next_back().expect("used pages are cached");
                assert!(first.0 + pages.0 <= start + folio, "used pages are cached: {event:?}");
            }
            EventKind::Issued { request, sectors, depth, .. } => {
                assert!(self.in_device.insert(request.0), "issued twice: {event:?}");
                assert_eq!(self.in_device.len(), usize::from(depth));
                self.issued_bytes += sectors.bytes().0;
            }
            EventKind::Completed { request, sectors, depth, .. } => {
                assert!(self.in_device.remove(&request.0), "completed but not issued: {event:?}");
                assert_eq!(self.in_device.len(), usize::from(depth));
                self.completed_bytes += sectors.bytes().0;
            }
            EventKind::ReadDone { pos, len, .. } => {
                let size = self.file_pages * PAGE_BYTES;
                assert!(len.0 == 0 || pos.0 + len.0 <= size, "read beyond the end: {event:?}");
                *self.reads.entry(event.task.0).or_default() += 1;
            }
            EventKind::TaskDone => self.tasks_done += 1,
            _ => {}
        }
    }
}

fn op() -> impl Strategy<Value = Op> {
    let bytes = 0u64..3 << 20;
    prop_oneof![
        6 => (bytes.clone(), 1u64..600_000).prop_map(|(pos, len)| Op::Read {
            fh: 0, pos: Some(Bytes(pos)), len: Bytes(len)
        }),
        6 => (1u64..300_000).prop_map(|len| Op::Read { fh: 0, pos: None, len: Bytes(len) }),
        1 => bytes.clone().prop_map(|pos| Op::Lseek { fh: 0, pos: Bytes(pos) }),
        1 => (0u8..6, bytes.clone(), bytes.clone()).prop_map(|(advice, pos, len)| Op::Fadvise {
            fh: 0,
            advice: [
                Advice::Normal, Advice::Random, Advice::Sequential, Advice::Willneed, Advice::Dontneed, Advice::Noreuse,
            ][usize::from(advice)],
            pos: Bytes(pos),
            len: Bytes(len),
        }),
        1 => (bytes.clone(), bytes).prop_map(|(pos, len)| Op::Readahead { fh: 0, pos: Bytes(pos), len: Bytes(len) }),
        1 => (0u8..4, any::<bool>()).prop_map(|(advice, exec)| Op::Mmap {
            fh: 0,
            advice: [MapAdvice::Normal, MapAdvice::Random, MapAdvice::Sequential, MapAdvice::Hugepage]
                [usize::from(advice)],
            exec,
        }),
        3 => (0u64..800, 1u64..40).prop_map(|(page, pages)| Op::Touch {
            fh: 0, page: PageIndex(page), pages: Pages(pages)
        }),
        1 => (0u64..800, 0u64..200).prop_map(|(page, pages)| Op::Evict {
            fh: 0, page: PageIndex(page), pages: Pages(pages)
        }),
        1 => Just(Op::DropCaches),
        1 => (0u64..1_000_000).prop_map(|ns| Op::Think(Nanos(ns))),
        1 => Just(Op::Open { fh: 0, file: None, direct: false }),
    ]
}

prop_compose! {
    fn world()(
        patches in prop_oneof![
            Just(&[] as &[&str]), Just(&["keep-half-window"] as &[&str]), Just(&["align-in-ra-order"] as &[&str]),
            Just(&["mmap-floor-order"] as &[&str]),
        ],
        ra_pages in prop_oneof![Just(0u32), 1u32..64, 64u32..600],
        max_sectors in (1u64..300).prop_map(|pages| pages * 8),
        max_segments in 1u32..256,
        memory in prop_oneof![Just(None), (16u64..400).prop_map(|pages| Some(Pages(pages)))],
        queue_depth in 1u16..40,
        fault_around in (0u32..6).prop_map(|order| Pages(1 << order)),
        exec_order in 0u8..5,
        bytes in 0u64..3 << 20,
        orders in prop_oneof![Just((0u8, 0u8)), Just((0, 9)), Just((0, 3)), Just((2, 9)), Just((4, 4))],
        iomap in any::<bool>(),
        cut in 1u64..512,
        latency in 0u64..200_000,
        channels in 1u16..8,
        jitter_permille in 0u32..500,
        seed in any::<u64>(),
        programs in prop::collection::vec(prop::collection::vec(op(), 1..40), 1..4),
    ) -> WorldSpec {
        let model = ModelId::Linux7_2;
        let pages = Bytes(bytes).pages_up().0;
        let cut = cut.min(pages);
        let extents = [(0, 4096, cut), (cut, 1 << 20, pages - cut)]
            .into_iter()
            .filter(|(.., pages)| *pages > 0)
            .map(|(first, sector, pages)| Extent {
                file_offset: Pages(first).bytes(), sector: Sectors(sector), len: Pages(pages).bytes(),
            })
            .collect();
        WorldSpec {
            seed,
            kernel: KernelSpec {
                model,
                patches: Patches::parse(model, patches).expect("these apply"),
                ra_pages,
                max_sectors: Sectors(max_sectors),
                io_pages: None,
                node_memory: None,
                max_segments,
                memory,
                fault_around,
                exec_order: Order(exec_order),
                queue_depth,
            },
            cpu: CpuCosts {
                syscall: Nanos(150), copy_page: Nanos(100), fault: Nanos(300), add_folio: Nanos(50), submit: Nanos(700),
            },
            device: DeviceSpec::Nvme(NvmeSpec {
                latency: Nanos(latency), channels, bandwidth: 2_000_000_000, jitter_permille,
            }),
            files: vec![FileSpec {
                name: "data".into(),
                bytes: Bytes(bytes),
                min_order: Order(orders.0),
                max_order: Order(orders.1),
                builder: if iomap { BioBuilder::Iomap } else { BioBuilder::Mpage },
                extents,
                block_device: false,
                dev: (259, 0),
                ino: 133,
            }],
            streams: programs
                .into_iter()
                .map(|ops| StreamSpec {
                    file: FileId(0), start: Nanos(0), rate: None, program: ops.into_iter().map(Step::Op).collect(),
                })
                .collect(),
        }
    }
}

fn audit(spec: &WorldSpec) -> Auditor {
    let mut auditor = Auditor {
        file_pages: spec.files[0].bytes.pages_up().0,
        min_pages: 1 << spec.files[0].min_order.0,
        memory: spec.kernel.memory.map(|pages| pages.0),
        ..Auditor::default()
    };
    let mut host = VirtualHost::new(spec.clone()).expect("the world can be built");
    // Each step either handles an event of these small programs or lets a task run: far fewer are ever needed.
    let ended = (0..20_000).any(|_| host.step(&mut auditor) == Progress::Done);
    assert!(ended, "the run does not end");
    auditor
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 400, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn what_is_submitted_completes_once_and_nothing_is_cached_twice(spec in world()) {
        let auditor = audit(&spec);
        prop_assert!(auditor.in_device.is_empty(), "requests are left in the device");
        prop_assert_eq!(auditor.issued_bytes, auditor.completed_bytes);
        prop_assert_eq!(auditor.tasks_done as usize, spec.streams.len(), "a task never ended");
        for (task, stream) in spec.streams.iter().enumerate() {
            let reads = stream.program.iter().filter(|step| matches!(step, Step::Op(Op::Read { .. }))).count() as u64;
            prop_assert_eq!(auditor.reads.get(&(task as u32)).copied().unwrap_or(0), reads, "a read never returned");
        }
    }

    #[test]
    fn the_same_world_runs_the_same_way_twice(spec in world()) {
        prop_assert_eq!(audit(&spec).digest.finish(), audit(&spec).digest.finish());
    }
}
