//! Recordings and their control: followers, pause, step, pace, cancel, saving and loading.

use readahead_lab_core::library;
use readahead_lab_core::run::{Control, Recording, RunId, RunState, execute, run_to_end};
use readahead_lab_core::scenario::Scenario;
use readahead_types::EventKind;
use std::time::{Duration, Instant};

fn scenario() -> Scenario {
    library::scenario("first-sequential-read").unwrap()
}

/// Starts a run on a thread of its own.
fn start(scenario: &Scenario, control: &Control) -> (Recording, std::thread::JoinHandle<Result<(), &'static str>>) {
    let recording = Recording::new(scenario);
    let (scenario, control, writer) = (scenario.clone(), control.clone(), recording.clone());
    let run = move || execute(&scenario, &control, &writer).map(|_| ()).map_err(|error| error.code);
    (recording, std::thread::spawn(run))
}

fn until(what: &str, mut met: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !met() {
        assert!(Instant::now() < deadline, "still waiting until {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_follower_sees_every_event_once_and_in_order() {
    let control = Control::new();
    control.pace(Some(0.05));
    let (recording, run) = start(&scenario(), &control);
    let mut seen = Vec::new();
    loop {
        let len = recording.wait_for(seen.len(), Duration::from_secs(20));
        seen.extend(recording.events(seen.len()..len));
        if recording.state().is_final() && seen.len() == recording.len() {
            break;
        }
    }
    run.join().unwrap().unwrap();
    let whole = run_to_end(&scenario()).unwrap();
    assert_eq!(seen, whole.events(0..usize::MAX));
    assert_eq!(recording.summary(), whole.summary(), "pace changes nothing but real time");
    assert!(seen.windows(2).all(|pair| pair[0].at <= pair[1].at));
}

#[test]
fn ranges_are_parts_of_the_whole() {
    let run = run_to_end(&scenario()).unwrap();
    let all = run.events(0..usize::MAX);
    assert_eq!(run.len(), all.len());
    for (from, to) in [(0, 1), (5, 9), (all.len() - 3, all.len() + 50), (all.len(), all.len() + 1)] {
        assert_eq!(run.events(from..to), all[from.min(all.len())..to.min(all.len())]);
    }
    assert_eq!(run.decisions(0..usize::MAX).len(), run.decision_count());
    assert_eq!(run.decision(1), run.decisions(0..2).pop());
    let decided = all.iter().filter(|event| matches!(event.kind, EventKind::Decided { .. })).count();
    assert_eq!(decided, run.decision_count());
}

#[test]
fn step_by_step_a_run_stops_at_each_decision() {
    let control = Control::new();
    control.pause();
    let (recording, run) = start(&scenario(), &control);
    until("the run is paused", || recording.state() == RunState::Paused);
    assert_eq!(recording.decision_count(), 0);
    let mut before = 0;
    for _ in 0..3 {
        control.step();
        until("a decision was taken and the run stands", || {
            recording.decision_count() > before && recording.state() == RunState::Paused
        });
        before = recording.decision_count();
    }
    control.resume();
    run.join().unwrap().unwrap();
    assert_eq!(recording.state(), RunState::Done);
    assert_eq!(recording.summary(), run_to_end(&scenario()).unwrap().summary(), "stopping changes nothing");
}

#[test]
fn a_cancelled_run_keeps_what_it_has() {
    let control = Control::new();
    control.pace(Some(0.001));
    let (recording, run) = start(&scenario(), &control);
    until("something is recorded", || recording.len() > 10);
    control.cancel();
    assert_eq!(run.join().unwrap(), Err("run.cancelled"));
    assert_eq!(recording.state(), RunState::Cancelled);
    assert!(recording.len() > 10 && recording.summary().is_none());
    assert_eq!(recording.need_summary().unwrap_err().code, "run.not_done");
}

#[test]
fn a_paused_run_can_be_cancelled() {
    let control = Control::new();
    control.pause();
    let (recording, run) = start(&scenario(), &control);
    until("the run is paused", || recording.state() == RunState::Paused);
    control.cancel();
    assert_eq!(run.join().unwrap(), Err("run.cancelled"));
    assert!(recording.is_empty());
}

#[test]
fn a_saved_recording_comes_back_whole() {
    let folder = std::env::temp_dir().join(format!("readahead-lab-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("run.recording");
    let run = run_to_end(&library::scenario("mm-2026-keep-half-window-256").unwrap()).unwrap();
    run.save(&path).unwrap();
    let loaded = Recording::load(&path).unwrap();
    assert_eq!(loaded.id(), run.id());
    assert_eq!(loaded.summary(), run.summary());
    assert_eq!(loaded.state(), RunState::Done);
    assert_eq!(loaded.events(0..usize::MAX), run.events(0..usize::MAX));
    assert_eq!(loaded.decisions(0..usize::MAX), run.decisions(0..usize::MAX));
    assert_eq!(loaded.now(), run.now());

    let good = std::fs::read(&path).unwrap();
    let fails = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Recording::load(&path).expect_err("damaged").code
    };
    assert_eq!(fails(b""), "recording.damaged");
    assert_eq!(fails(b"something else entirely, and longer than the magic"), "recording.damaged");
    for cut in [30, good.len() / 2, good.len() - 1] {
        assert_eq!(fails(&good[..cut]), "recording.damaged", "cut at {cut}");
    }
    for place in (26..good.len()).step_by(good.len() / 40) {
        let mut flipped = good.clone();
        flipped[place] ^= 0x10;
        std::fs::write(&path, flipped).unwrap();
        // Whatever happened to the bytes, loading ends with an error or with a recording that reads.
        if let Ok(recording) = Recording::load(&path) {
            recording.visit_events(0..usize::MAX, |_, _| {});
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(Recording::load(&path).expect_err("gone").code, "recording.cannot_read");
    assert_eq!(run.save(&folder.join("nowhere/x")).expect_err("no folder").code, "recording.cannot_save");
}

#[test]
fn ids_are_names_of_experiments() {
    let scenario = scenario();
    let id = RunId::of(&scenario);
    assert_eq!(RunId::parse(id.as_str()).unwrap(), id);
    assert_ne!(RunId::of(&scenario.set("seed=2").unwrap()), id);
    assert_eq!(RunId::of(&scenario.set("kernel.read_ahead_kb=128").unwrap()), id, "a default written out");
    for bad in ["", "xyz", "../../../../etc/passwd", "ABCDEF0123456789ABCD"] {
        assert_eq!(RunId::parse(bad).unwrap_err().code, "run.bad_id");
    }
}
