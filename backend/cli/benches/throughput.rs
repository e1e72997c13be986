//! How fast the engine and the trace reader are, on one core: page hits, pages read through readahead with everything
//! recorded, and trace text. Prints the median of several rounds; asserts nothing about time.

use readahead_lab_core::run::run_to_end;
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::text;
use readahead_policy::{CacheView, FolioRef, MODELS, ModelId, NodeMemory, Patches, Reader24, Slot, Tunables};
use readahead_sim::VirtualHost;
use readahead_sim::world::{Op, Step};
use readahead_types::{Bytes, RaState};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 5;

fn main() {
    println!("one core, median of {ROUNDS} rounds");
    row("page hits", "M hits/s", 1e6, page_hits);
    row("pages through readahead, everything recorded", "M pages/s", 1e6, recorded_pages);
    row("trace text inspected", "MB/s", 1e6, trace_text);
    println!("ns a decision, a mix of streams, stray markers and random misses:");
    cost("linux-2.4.23", steps_2_4);
    for model in MODELS.iter().filter(|model| model.id != ModelId::Linux2_4_23) {
        cost(model.name, || decisions(model.id, &[]));
    }
    let series = ["512k-default", "ra-flags", "retain-inactive", "thrashing-safe", "patterns", "fast-hole-search"];
    cost("linux-2.6.33 with the 2010 series", || decisions(ModelId::Linux2_6_33, &series));
}

fn cost(name: &str, mut round: impl FnMut() -> (f64, f64)) {
    let mut costs: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let (work, seconds) = round();
            seconds * 1e9 / work
        })
        .collect();
    costs.sort_by(f64::total_cmp);
    println!("  {name:<44} {:>9.1} ns   ({:.1} … {:.1})", costs[ROUNDS / 2], costs[0], costs[ROUNDS - 1]);
}

fn row(name: &str, unit: &str, scale: f64, mut round: impl FnMut() -> (f64, f64)) {
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let (work, seconds) = round();
            work / seconds / scale
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!("{name:<46} {:>9.1} {unit}   ({:.1} … {:.1})", rates[ROUNDS / 2], rates[0], rates[ROUNDS - 1]);
}

fn scenario(toml: &str) -> Scenario {
    Scenario::from_toml(toml, "benchmark").expect("the benchmark's scenario is right")
}

/// 4 KiB reads of a file that is cached, on linux-7.2.
fn page_hits() -> (f64, f64) {
    const PAGES: u64 = 1 << 16;
    const PASSES: u64 = 100;
    let warm = scenario(
        r#"
        title = "hits"
        [kernel]
        model = "linux-7.2"
        [device]
        model = "instant"
        [[file]]
        name = "data"
        size = "256M"
        [[stream]]
        file = "data"
        ops = [ { op = "read", len = "1M", until = "eof" } ]
        "#,
    );
    let mut host = VirtualHost::new(warm.world().clone()).expect("the world can be built");
    host.run(&mut ());
    let read = Op::Read { fh: 0, pos: None, len: Bytes(4096) };
    let pass =
        vec![Step::Op(Op::Lseek { fh: 0, pos: Bytes(0) }), Step::Repeat { count: PAGES, steps: vec![Step::Op(read)] }];
    host.push(readahead_types::TaskId(0), &Step::Repeat { count: PASSES, steps: pass });
    let start = Instant::now();
    host.run(&mut ());
    ((PAGES * PASSES) as f64, start.elapsed().as_secs_f64())
}

/// A sequential read of 4 GiB by 64 KiB through 1 GiB of memory, with every event, decision and metric kept.
fn recorded_pages() -> (f64, f64) {
    let run = scenario(
        r#"
        title = "pages"
        [kernel]
        model = "linux-7.2"
        memory = "1G"
        [device]
        model = "nvme"
        [[file]]
        name = "data"
        size = "4G"
        [[stream]]
        file = "data"
        ops = [ { op = "read", len = "64K", until = "eof" } ]
        "#,
    );
    let start = Instant::now();
    let recording = run_to_end(&run).expect("the run ends");
    let seconds = start.elapsed().as_secs_f64();
    let pages = recording.summary().expect("it is done").pages_read;
    (pages as f64, seconds)
}

/// The trace of a run, printed and inspected again.
fn trace_text() -> (f64, f64) {
    let run = scenario(
        r#"
        title = "trace"
        [kernel]
        model = "linux-7.2"
        [device]
        model = "nvme"
        [[file]]
        name = "data"
        size = "1G"
        [[stream]]
        file = "data"
        ops = [ { op = "read", len = "4K" }, { op = "read", len = "16K", until = "eof" } ]
        "#,
    );
    let recording = run_to_end(&run).expect("the run ends");
    let mut trace = Vec::new();
    text::write_trace(&recording, &mut trace).expect("memory can be written");
    let start = Instant::now();
    let inspection = readahead_trace::inspect(trace.as_slice(), |_| {}).expect("it is a trace");
    let seconds = start.elapsed().as_secs_f64();
    assert!(inspection.skipped.is_empty(), "every line is understood");
    (trace.len() as f64, seconds)
}

/// Pages of each stretch of 1024 that are cached, as single pages: 0 … 63.
const CACHED: u64 = 64;
const STRETCH: u64 = 1024;

/// A page cache with a run of cached pages every 4 MiB.
struct Runs;

impl CacheView for Runs {
    fn folio(&self, page: u64) -> Option<FolioRef> {
        (page % STRETCH < CACHED).then_some(FolioRef { first: page, order: 0, marked: false })
    }

    fn next_cached(&self, from: u64) -> Option<u64> {
        Some(if from % STRETCH < CACHED { from } else { from.next_multiple_of(STRETCH) })
    }

    fn slot(&self, level: u32, number: u64) -> Slot {
        match level {
            0 if number % STRETCH < CACHED => Slot::Filled,
            0 => Slot::Empty,
            1 if !number.is_multiple_of(STRETCH / 64) => Slot::Empty,
            _ => Slot::Node,
        }
    }

    fn occupied(&self, first: u64, _order: u8) -> bool {
        self.folio(first).is_some()
    }
}

/// What one decision costs a model: of 16 decisions 12 follow a marker as expected, and one each is the start of a file, a
/// stray marker whose search runs to the limit, a miss behind 64 cached pages, and a miss in the open.
fn decisions(model: ModelId, patches: &[&str]) -> (f64, f64) {
    const COUNT: u64 = 1_600_000;
    let tunables = Tunables {
        device_ra_pages: 32,
        io_pages: 128,
        min_order: 0,
        max_order: if model < ModelId::Linux6_1 { 0 } else { 9 },
        eof: Some(1 << 40),
        fault_around_pages: 16,
        exec_order: 0,
        patches: Patches::parse(model, patches).expect("these apply together"),
        memory: NodeMemory { inactive_file: 1 << 20, free: 1 << 20, ..NodeMemory::default() },
    };
    let start = Instant::now();
    let mut state = RaState::opened(32);
    for number in 0..COUNT {
        let far = (number % 1024 + 1) * STRETCH;
        let marker = |index| FolioRef { first: index, order: 0, marked: true };
        let outcome = match number % 16 {
            0 => model.sync_ra(state, 0, 4, &tunables, &Runs),
            4 => model.async_ra(state, marker(far + 10), far + 10, 4, &tunables, &Runs),
            8 => model.sync_ra(state, far + CACHED, 4, &tunables, &Runs),
            12 => model.sync_ra(state, far + 500, 4, &tunables, &Runs),
            _ => {
                let index = state.start + u64::from(state.size) - u64::from(state.async_size);
                model.async_ra(state, marker(index), index, 200, &tunables, &Runs)
            }
        };
        state = black_box(outcome).after;
    }
    (COUNT as f64, start.elapsed().as_secs_f64())
}

/// One step of linux-2.4: pages still being read and pages that are there in turn.
fn steps_2_4() -> (f64, f64) {
    const COUNT: u64 = 1_600_000;
    let model = ModelId::Linux2_4_23;
    let tunables = Tunables {
        device_ra_pages: 31,
        io_pages: 0,
        min_order: 0,
        max_order: 0,
        eof: Some(1 << 30),
        fault_around_pages: 1,
        exec_order: 0,
        patches: Patches::parse::<&str>(model, &[]).expect("none"),
        memory: NodeMemory::default(),
    };
    let start = Instant::now();
    let mut state = RaState::opened(31);
    for number in 0..COUNT {
        let (reader, begun) = Reader24::begin(state, number << 12, 4096);
        state = black_box(reader.step(begun, number, number % 16 == 0, 1 << 42, &tunables)).after;
    }
    (COUNT as f64, start.elapsed().as_secs_f64())
}
