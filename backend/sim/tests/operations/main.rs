//! Millions of random operations on every model and every patch: what the specification promises of any of them.
//!
//! A model gets 10^6 operations, and where it has patches 10^6 more with them; `READAHEAD_OPERATIONS=100000000` makes that
//! 10^8. A world that breaks an invariant is cut down to the operations that it needs and shown.

mod checker;
mod limits;
mod worlds;

use checker::Checker;
use readahead_policy::{ModelId, Patch, Patches};
use readahead_sim::VirtualHost;
use readahead_sim::world::{MapAdvice, Op};
use worlds::{Draws, Machine};

/// Operations a model, unless the environment says otherwise.
const OPERATIONS: u64 = 1_000_000;
/// Operations a world.
const WORLD_OPERATIONS: u64 = 400;
/// The patches of 2010 that change decisions, all together.
const SERIES: &[Patch] = &[
    Patch::FmodeRandom,
    Patch::Default512k,
    Patch::RaFlags,
    Patch::RetainInactive,
    Patch::ThrashingSafe,
    Patch::Patterns,
    Patch::TraceEvent,
    Patch::Stats,
    Patch::LseekFlag,
    Patch::FastHoleSearch,
];

fn operations() -> u64 {
    match std::env::var("READAHEAD_OPERATIONS") {
        Ok(text) => text.parse().expect("READAHEAD_OPERATIONS is a number of operations a model"),
        Err(_) => OPERATIONS,
    }
}

/// A patch with all that it needs.
fn with_needs(patch: Patch) -> Vec<&'static str> {
    let mut names = vec![patch.info().name];
    for needed in patch.info().needs {
        names.extend(with_needs(*needed));
    }
    names
}

/// Every set of patches that is tried on a model.
fn patch_sets(model: ModelId) -> Vec<Patches> {
    let parse = |names: &[&str]| Patches::parse(model, names).expect("these go together");
    let own = model.info().patches;
    let mut sets: Vec<Patches> = own.iter().map(|patch| parse(&with_needs(*patch))).collect();
    if own.contains(&Patch::ThrashingSafe) {
        sets.push(parse(&SERIES.iter().map(|patch| patch.info().name).collect::<Vec<_>>()));
    }
    if own.contains(&Patch::MmapFloorOrder) {
        sets.push(parse(&["keep-half-window", "mmap-floor-order"]));
        sets.push(parse(&["align-in-ra-order", "mmap-floor-order"]));
    }
    sets
}

/// Runs a program and says which invariant it breaks; counts its decisions.
fn run(machine: &Machine, program: &[Op]) -> (Option<String>, u64) {
    let mut host = VirtualHost::new(machine.world(program)).expect("the world can be built");
    let mut checker = Checker::new(machine);
    host.run(&mut checker);
    (checker.violation, checker.decisions)
}

/// The operations without those that the violation does not need.
fn cut_down(machine: &Machine, mut program: Vec<Op>) -> Vec<Op> {
    let mut part = program.len() / 2;
    while part > 0 {
        let mut at = 0;
        while at < program.len() {
            let mut fewer = program.clone();
            fewer.drain(at..program.len().min(at + part));
            if run(machine, &fewer).0.is_some() {
                program = fewer;
            } else {
                at += part;
            }
        }
        part /= 2;
    }
    program
}

/// Random worlds of a model with these patches.
fn explore(model: ModelId, patches: Patches, operations: u64, seeds: &mut Draws) -> u64 {
    let mut decisions = 0;
    for _ in 0..operations.div_ceil(WORLD_OPERATIONS) {
        let draws = &mut Draws::new(seeds.seed());
        let machine = Machine::draw(model, patches, draws);
        let mut program = vec![
            Op::Open { fh: 1, file: None, direct: false },
            Op::Mmap { fh: 0, advice: MapAdvice::Normal, exec: false },
            Op::Mmap { fh: 1, advice: MapAdvice::Normal, exec: false },
        ];
        program.extend(machine.program(WORLD_OPERATIONS, draws));
        let (violation, decided) = run(&machine, &program);
        decisions += decided;
        if violation.is_some() {
            let program = cut_down(&machine, program);
            let violation = run(&machine, &program).0.unwrap_or_default();
            panic!("{} {:?}: {violation}\n{machine:#?}\n{program:#?}", model.name(), patches.names());
        }
    }
    decisions
}

fn check(model: ModelId) {
    let operations = operations();
    let seeds = &mut Draws::new(model as u64);
    let sets = patch_sets(model);
    let mut decisions = explore(model, Patches::default(), operations, seeds);
    for patches in &sets {
        decisions += explore(model, *patches, operations.div_ceil(sets.len() as u64), seeds);
    }
    // Programs that decide nothing would prove nothing.
    assert!(decisions > operations / 10, "only {decisions} decisions in {operations} operations");
}

macro_rules! models {
    ($($name:ident: $model:ident,)+) => {
        $(
            #[test]
            fn $name() {
                check(ModelId::$model);
            }
        )+

        #[test]
        fn no_model_is_left_out() {
            let tried = [$(ModelId::$model),+];
            assert!(readahead_policy::MODELS.iter().all(|model| tried.contains(&model.id)));
        }
    };
}

models! {
    linux_2_4_23: Linux2_4_23,
    linux_2_6_33: Linux2_6_33,
    linux_3_10: Linux3_10,
    linux_3_18: Linux3_18,
    linux_4_4: Linux4_4,
    linux_4_14: Linux4_14,
    linux_5_4: Linux5_4,
    linux_5_10: Linux5_10,
    linux_6_1: Linux6_1,
    linux_6_12: Linux6_12,
    linux_7_2: Linux7_2,
    linux_7_3_rc: Linux7_3Rc,
}
