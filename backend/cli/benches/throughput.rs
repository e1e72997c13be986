//! How fast the engine and the trace reader are, on one core: page hits, pages read through readahead with everything
//! recorded, and trace text. Prints the median of several rounds; asserts nothing about time.

use readahead_lab_core::run::run_to_end;
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::text;
use readahead_policy::{CacheView, FolioRef, ModelId, NodeMemory, Patches, Slot, Tunables};
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
    row("decisions of linux-7.2", "M decisions/s", 1e6, decisions);
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

/// A page cache whose every page is missing: what a decision costs by itself.
struct Empty;

impl CacheView for Empty {
    fn folio(&self, _page: u64) -> Option<FolioRef> {
        None
    }

    fn next_cached(&self, _from: u64) -> Option<u64> {
        None
    }

    fn slot(&self, _level: u32, _number: u64) -> Slot {
        Slot::Empty
    }

    fn occupied(&self, _first: u64, _order: u8) -> bool {
        false
    }
}

/// Synchronous and asynchronous decisions of a stream, taken in turn.
fn decisions() -> (f64, f64) {
    const COUNT: u64 = 2_000_000;
    let model = ModelId::Linux7_2;
    let tunables = Tunables {
        device_ra_pages: 32,
        io_pages: 128,
        min_order: 0,
        max_order: 9,
        eof: Some(1 << 40),
        fault_around_pages: 16,
        exec_order: 0,
        patches: Patches::default(),
        memory: NodeMemory::default(),
    };
    let start = Instant::now();
    let mut state = RaState::opened(32);
    for number in 0..COUNT {
        let outcome = if number % 8 == 0 {
            model.sync_ra(state, number * 1000, 4, &tunables, &Empty)
        } else {
            let index = state.start + u64::from(state.size) - u64::from(state.async_size);
            let folio = FolioRef { first: index, order: 0, marked: true };
            model.async_ra(state, folio, index, 200, &tunables, &Empty)
        };
        state = black_box(outcome).after;
    }
    (COUNT as f64, start.elapsed().as_secs_f64())
}
