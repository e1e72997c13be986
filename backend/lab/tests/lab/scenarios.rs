//! Every scenario of the library: runs twice to the same digest, comes back from its canonical form, and gives what its
//! source measured.

use readahead_lab_core::run::{Recording, RunId, run_to_end};
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::{Summary, library};

fn run(scenario: &Scenario) -> (Recording, Summary) {
    let recording = run_to_end(scenario).unwrap_or_else(|error| panic!("{}: {error}", scenario.title()));
    let summary = recording.summary().expect("a run that ended well has a summary");
    (recording, summary)
}

#[test]
fn the_same_scenario_twice_is_the_same_run() {
    for entry in library::scenarios() {
        let scenario = library::scenario(&entry.name).unwrap();
        let (first, second) = (run(&scenario).1, run(&scenario).1);
        assert_eq!(first.digest, second.digest, "{}", entry.name);
        assert_eq!(first, second, "{}", entry.name);
    }
}

#[test]
fn the_canonical_form_is_the_same_scenario() {
    for entry in library::scenarios() {
        let scenario = library::scenario(&entry.name).unwrap();
        let again = Scenario::from_json(scenario.canonical_json(), "canonical").unwrap();
        assert_eq!(again.canonical_json(), scenario.canonical_json(), "{}", entry.name);
        assert_eq!(RunId::of(&again), RunId::of(&scenario), "{}", entry.name);
        assert_eq!(again.read_ahead_source(), scenario.read_ahead_source(), "{}", entry.name);
        assert_eq!(again.max_sectors_source(), scenario.max_sectors_source(), "{}", entry.name);
    }
}

#[test]
fn runs_give_what_their_sources_measured() {
    let mut missed = Vec::new();
    let mut checked = 0;
    for entry in library::scenarios() {
        let scenario = library::scenario(&entry.name).unwrap();
        let (_, plain) = run(&scenario);
        let mut note = |settings: &[String], checks: Vec<readahead_lab_core::scenario::ExpectCheck>| {
            checked += checks.len();
            missed.extend(
                checks.iter().filter(|check| !check.met).map(|check| format!("{} {settings:?}: {check:?}", entry.name)),
            );
        };
        note(&[], scenario.check_expected(&plain));
        for settings in scenario.expected_settings() {
            let other = scenario.with(&settings).unwrap();
            assert!(!other.expect().is_empty(), "{}: expect_with is found again", entry.name);
            note(&settings, other.check_expected(&run(&other).1));
        }
        for (settings, fields) in scenario.expected_same() {
            let (_, other) = run(&scenario.with(&settings).unwrap());
            note(&settings, Scenario::check_same(&fields, &plain, &other));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
    assert!(checked >= 20, "only {checked} figures were checked");
}

#[test]
fn counts_of_decisions_and_of_windows_add_up() {
    for name in ["mmap-random", "willneed", "mm-2026-keep-half-window"] {
        let summary = run(&library::scenario(name).unwrap()).1;
        assert_eq!(summary.decisions_per_via.values().sum::<u64>(), summary.decisions, "{name}");
        assert_eq!(summary.decisions_per_reason.values().sum::<u64>(), summary.decisions, "{name}");
        assert_eq!(summary.windows_per_trim.values().sum::<u64>(), summary.windows, "{name}");
        assert!(summary.decisions >= summary.windows, "{name}");
    }
    // The mapping of mmap-random is given up after a while: faults are decided without a window.
    let summary = run(&library::scenario("mmap-random").unwrap()).1;
    assert!(summary.decisions > summary.windows);
}

#[test]
fn a_touch_goes_on_to_the_end_of_the_file_that_is_mapped() {
    let text = r#"
        title = "t"
        file = [{ name = "small", size = "8K" }, { name = "large", size = "400K" }]
        [[stream]]
        ops = [
            { op = "open", fh = 1, file = "large" },
            { op = "mmap", fh = 1 },
            { op = "touch", fh = 1, index = 3, until = "eof" },
        ]
    "#;
    let (_, summary) = run(&Scenario::from_toml(text, "test").unwrap());
    assert_eq!(summary.requested_bytes, 97 * 4096);
}
