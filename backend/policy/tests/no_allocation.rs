//! No model allocates: decisions and the layout of their windows, over a cache with runs and gaps.

use allocation_counter::measure;
use readahead_policy::{
    Action, CacheView, FolioRef, LayoutStep, MODELS, Mapping, ModelId, NodeMemory, Outcome, Patches, Reader24, Slot,
    Tunables,
};
use readahead_types::RaState;

/// Single pages: 40 of each 100 are cached.
struct Runs;

impl CacheView for Runs {
    fn folio(&self, page: u64) -> Option<FolioRef> {
        (page % 100 < 40).then_some(FolioRef { first: page, order: 0, marked: page % 100 == 20 })
    }

    fn next_cached(&self, from: u64) -> Option<u64> {
        Some(if from % 100 < 40 { from } else { from.next_multiple_of(100) })
    }

    fn slot(&self, level: u32, number: u64) -> Slot {
        match level {
            0 if number % 100 < 40 => Slot::Filled,
            0 => Slot::Empty,
            _ => Slot::Node,
        }
    }

    fn occupied(&self, first: u64, order: u8) -> bool {
        (first..first + (1 << order)).any(|page| self.folio(page).is_some())
    }
}

fn lay_out(outcome: &Outcome, tunables: &Tunables) {
    let run = |mut layout: readahead_policy::Layout| {
        let mut steps = 0u32;
        while layout.next(&Runs) != LayoutStep::Done {
            steps += 1;
            if steps.is_multiple_of(7) {
                layout.refused();
            }
        }
    };
    match outcome.action {
        Action::Nothing => {}
        Action::Run(layout) => run(layout),
        Action::Force(mut range) => {
            while let Some((at, pages)) = range.chunk() {
                run(range.layout(at, pages, tunables));
                range.advance(at + pages);
            }
        }
    }
}

/// Every call into the model, from states as they come.
fn decide(model: ModelId, tunables: &Tunables) {
    let mut ra = RaState::opened(32);
    let plain = Mapping { pages: 1 << 20, ..Mapping::default() };
    for number in 0..2000u64 {
        ra.random = number % 50 == 49;
        let index = number * 37 % 5000;
        let folio = FolioRef { first: index, order: 0, marked: true };
        let mapping = Mapping { sequential: number % 3 == 1, huge: number % 7 == 2, ..plain };
        let outcome = match number % 5 {
            0 => model.sync_ra(ra, index, number % 300, tunables, &Runs),
            1 => model.async_ra(ra, folio, index, number % 300, tunables, &Runs),
            2 => model.fault_sync(ra, index, &mapping, tunables, &Runs),
            3 => {
                let (after, outcome) = model.fault_async(ra, folio, false, index, &mapping, tunables, &Runs);
                ra = after;
                let Some(outcome) = outcome else { continue };
                outcome
            }
            _ => model.will_need(ra, index, number % 3000, tunables),
        };
        ra = outcome.after;
        lay_out(&outcome, tunables);
        if model == ModelId::Linux2_4_23 {
            let (reader, begun) = Reader24::begin(ra, index << 12, 8192);
            let step = reader.step(begun, index, number % 2 == 0, 1 << 32, tunables);
            ra = step.after;
            step.outcome.inspect(|outcome| lay_out(outcome, tunables));
        }
    }
}

#[test]
fn no_model_allocates() {
    // What would be counted is.
    assert_eq!(measure(|| drop(std::hint::black_box(Box::new(1u8)))).count_total, 1);
    let series: &[&str] =
        &["ra-flags", "retain-inactive", "thrashing-safe", "patterns", "lseek-flag", "fast-hole-search"];
    for info in MODELS {
        let sets: &[&[&str]] = match info.id {
            ModelId::Linux2_6_33 => &[&[], series, &["fmode-random", "aquini-max"]],
            ModelId::Linux7_2 => &[&[], &["keep-half-window", "mmap-floor-order"], &["align-in-ra-order"]],
            _ => &[&[]],
        };
        for names in sets {
            let tunables = Tunables {
                device_ra_pages: 32,
                io_pages: 128,
                min_order: 0,
                max_order: if info.id < ModelId::Linux6_1 { 0 } else { 9 },
                eof: Some(6000),
                fault_around_pages: 16,
                exec_order: 0,
                patches: Patches::parse(info.id, names).expect("these apply together"),
                memory: NodeMemory { inactive_file: 4000, free: 4000, global_inactive_file: 4000, global_free: 4000 },
            };
            let allocated = measure(|| decide(info.id, &tunables));
            assert_eq!(allocated.count_total, 0, "{} with {names:?}", info.name);
        }
    }
}
