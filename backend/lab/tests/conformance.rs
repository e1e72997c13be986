//! The models against facts about the kernels: conformance vectors made by the kernels' own code, traces of real
//! kernels, and random workloads on real kernels.

use readahead_lab_core::library;
use readahead_lab_core::models::reachable;
use readahead_lab_core::replay::{self, ReplaySettings};
use readahead_lab_core::run::run_to_end;
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::text::write_trace;
use readahead_lab_core::vectors;
use readahead_policy::{MODELS, Patch, Patches};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};

fn fixtures(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder)
}

fn vectors_of(path: &Path) -> vectors::VectorReport {
    vectors::run(File::open(path).expect("the fixture is there")).expect("the fixture is readable")
}

/// Traces among the captures of the fixtures.
const TRACES: usize = 84;

/// Every vector file of the fixtures.
const VECTORS: [&str; 3] = ["vectors/historic.jsonl.gz", "vectors/modern.jsonl.gz", "vectors/own.jsonl"];

#[test]
fn every_case_gives_the_kernels_own_events() {
    // Cases a file: 12 models, and 23 patches alone and together.
    for (name, cases) in [("vectors/historic.jsonl.gz", 241), ("vectors/modern.jsonl.gz", 488)] {
        let report = vectors_of(&fixtures(name));
        let failures: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
        assert!(report.not_run.is_empty(), "{:?}", report.not_run);
        assert_eq!(report.passed, cases, "{name}");
    }
}

/// The patch, behind those that it needs.
fn with_needs(patch: Patch) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = patch.info().needs.iter().flat_map(|other| with_needs(*other)).collect();
    names.push(patch.info().name);
    names
}

#[test]
fn every_branch_of_every_model_and_patch_is_reached_by_a_vector() {
    let reports: Vec<vectors::VectorReport> = VECTORS.iter().map(|name| vectors_of(&fixtures(name))).collect();
    // What the cases of a model took: those without patches, or those with this patch.
    let taken = |model: &str, patch: Option<&str>| -> BTreeSet<&'static str> {
        let whose = |name: &str| {
            let (of, patches) = name.split_once('+').unwrap_or((name, ""));
            of == model && patch.map_or(patches.is_empty(), |patch| patches.split('+').any(|other| other == patch))
        };
        let sets = reports.iter().flat_map(|report| &report.branches_of).filter(|(name, _)| whose(name));
        sets.flat_map(|(_, codes)| codes.iter().copied()).collect()
    };
    let mut missing = Vec::new();
    for info in MODELS {
        let taken_plain = taken(info.name, None);
        for code in reachable(info.id, Patches::default()) {
            if !taken_plain.contains(code) {
                missing.push(format!("{}: {code}", info.name));
            }
        }
        for patch in info.patches {
            let names = with_needs(*patch);
            let set = |names: &[&str]| Patches::parse(info.id, names).expect("a patch with its needs applies");
            let before = reachable(info.id, set(&names[..names.len() - 1]));
            let taken = taken(info.name, names.last().copied());
            if taken.is_empty() {
                missing.push(format!("{} + {}: no case at all", info.name, patch.info().name));
            }
            for code in reachable(info.id, set(&names)) {
                if !before.contains(&code) && !taken.contains(code) {
                    missing.push(format!("{} + {}: {code}", info.name, patch.info().name));
                }
            }
        }
    }
    assert!(missing.is_empty(), "no vector reaches\n{}", missing.join("\n"));
}

#[test]
fn our_own_cases_pass_too() {
    let report = vectors_of(&fixtures("vectors/own.jsonl"));
    let failures: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
    assert!(failures.is_empty() && report.not_run.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn real_kernels_did_the_same_in_random_workloads_call_by_call() {
    let files = [
        ("fuzz-5.10-xfs", 40),
        ("fuzz-6.1-xfs", 40),
        ("fuzz-6.1-ext4", 40),
        ("fuzz-6.12-xfs", 40),
        ("fuzz-6.12-ext4", 40),
        ("fuzz-7.2-xfs", 40),
        ("fuzz-7.2patch-xfs", 40),
        ("fuzz-7.2-ext4", 39),
    ];
    for (name, cases) in files {
        let report = vectors_of(&fixtures(&format!("captures/{name}.jsonl.gz")));
        let failures: Vec<String> = report.failed.iter().map(ToString::to_string).collect();
        assert_eq!(report.passed, cases, "{name}: {}", failures.join("\n"));
        if name == "fuzz-7.2-ext4" {
            // In case 20 khugepaged reads the file, which the workload does not tell of.
            assert_eq!(failures.len(), 1);
            assert!(failures[0].contains("ext4 20:"), "{}", failures[0]);
        }
    }
}

/// The model and the patches of the kernel that made a capture, by the capture's name.
fn kernel_of(name: &str) -> (&'static str, &'static [&'static str]) {
    match name.split('-').next() {
        Some("5.10") => ("linux-5.10", &[]),
        Some("6.1") => ("linux-6.1", &[]),
        Some("6.12") => ("linux-6.12", &[]),
        Some("7.2patch") => ("linux-7.2", &["keep-half-window"]),
        _ => ("linux-7.2", &[]),
    }
}

/// Captures with differences that are the machine's, not the model's: (decisions, those that agree).
const RACES: [(&str, u64, u64); 1] = [
    // Two readers of one file on two processors: which of them came to a marker first is a matter of the device's time.
    ("6.12-ext4-app-cat2", 133, 127),
];

#[test]
fn traces_of_real_kernels_agree_in_every_decision_folio_and_request() {
    let mut traces: Vec<PathBuf> = std::fs::read_dir(fixtures("captures"))
        .expect("the fixtures are there")
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.to_string_lossy().ends_with(".gz") && !path.to_string_lossy().contains("fuzz-"))
        .collect();
    traces.sort();
    assert_eq!(traces.len(), TRACES);
    for path in traces {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let (model, patches) = kernel_of(&name);
        let trace = File::open(&path).expect("the fixture is there");
        let report = replay::replay(trace, model, patches, &ReplaySettings::default())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let text = replay::text(&report);
        if let Some((_, decisions, agree)) = RACES.iter().find(|(race, ..)| name.starts_with(race)) {
            assert_eq!((report.decisions, report.agree), (*decisions, *agree), "{name}\n{text}");
            // No difference is left without its cause.
            use replay::MismatchKind::{AfterRace, ExtraRequestOfDifferent, Race, RequestOfDifferent};
            let named = [Race, AfterRace, RequestOfDifferent, ExtraRequestOfDifferent];
            assert!(report.mismatches.iter().all(|mismatch| named.contains(&mismatch.kind)), "{name}\n{text}");
            continue;
        }
        assert!(report.mismatches.is_empty(), "{name}\n{text}");
        assert_eq!(report.agree, report.decisions, "{name}\n{text}");
        assert_eq!(report.folios_agree, report.folios, "{name}\n{text}");
        assert_eq!(report.requests_agree, report.requests, "{name}\n{text}");
        assert!(report.decisions > 0, "{name}\n{text}");
    }
}

#[test]
fn what_no_line_of_the_trace_prints_is_found_by_agreement() {
    // The captures' own records: read_ahead_kb 32 and 1024.
    for (name, read_ahead_kb) in [("6.1-xfs-H", 32), ("6.1-ext4-M1024", 1024)] {
        let trace = File::open(fixtures(&format!("captures/{name}.trace.gz"))).expect("the fixture is there");
        let (model, patches) = kernel_of(name);
        let report = replay::replay(trace, model, patches, &ReplaySettings::default()).expect("it is a trace");
        assert_eq!(report.read_ahead_kb, read_ahead_kb, "{name}");
    }
}

#[test]
fn the_capture_of_the_mail_has_its_known_counts() {
    // The capture's own record: 415 windows, 1209 folios, 415 reads of file data.
    let trace = File::open(fixtures("captures/7.2-xfs-A1.trace.gz")).expect("the fixture is there");
    let none: &[&str] = &[];
    let report = replay::replay(trace, "linux-7.2", none, &ReplaySettings::default()).expect("it is a trace");
    assert_eq!((report.decisions, report.folios, report.requests), (415, 1209, 415));
    assert_eq!((report.read_ahead_kb, report.max_sectors_kb), (128, 512));
}

#[test]
fn another_model_does_not_agree_with_the_capture() {
    // The plain capture against the patch: they part at the window at page 48.
    let trace = File::open(fixtures("captures/7.2-xfs-A1.trace.gz")).expect("the fixture is there");
    let report =
        replay::replay(trace, "linux-7.2", &["keep-half-window"], &ReplaySettings::default()).expect("it is a trace");
    assert!(report.agreement < 0.9, "{}", replay::text(&report));
    let window = report.mismatches.iter().find(|mismatch| mismatch.kind == replay::MismatchKind::Window);
    let first = window.expect("windows differ");
    assert!(first.recorded.contains("start=48 order=6 size=16"), "{}", first.recorded);
    assert!(first.predicted.contains("start=48 order=6 size=48"), "{}", first.predicted);
    assert!(first.reason.as_deref().is_some_and(|reason| reason.contains("halved to 32")));
}

/// The trace of a run of ours, replayed against the model that ran.
fn replay_of(scenario: &Scenario, patches: &[&str]) -> replay::ReplayReport {
    replay_on(scenario, "linux-7.2", patches)
}

fn replay_on(scenario: &Scenario, model: &str, patches: &[&str]) -> replay::ReplayReport {
    let recording = run_to_end(scenario).expect("the run ends");
    let mut trace = Vec::new();
    write_trace(&recording, &mut trace).expect("memory can be written");
    replay::replay(trace.as_slice(), model, patches, &ReplaySettings::default()).expect("it is a trace")
}

#[test]
fn a_replay_of_our_own_runs_on_older_kernels_agrees_too() {
    for model in ["linux-5.10", "linux-6.1", "linux-6.12"] {
        for name in ["first-sequential-read", "mmap-sequential", "willneed", "mm-2026-keep-half-window-random-64k"] {
            let scenario = library::scenario(name)
                .and_then(|scenario| scenario.with(&[format!("kernel.model={model}"), "kernel.patches=".into()]))
                .expect("the scenario exists and takes the model");
            let report = replay_on(&scenario, model, &[]);
            assert!(
                report.mismatches.is_empty() && report.decisions > 0,
                "{name} on {model}\n{}",
                replay::text(&report)
            );
        }
    }
}

#[test]
fn a_replay_of_our_own_runs_finds_what_was_run() {
    let names = [
        "first-sequential-read",
        "mmap-random",
        "mmap-sequential",
        "willneed",
        "mm-2026-keep-half-window",
        "mm-2026-keep-half-window-interleaved",
        "mm-2026-keep-half-window-random-64k",
    ];
    for name in names {
        for patch in ["", "keep-half-window", "align-in-ra-order", "mmap-floor-order"] {
            let scenario = library::scenario(name)
                .and_then(|scenario| scenario.set(&format!("kernel.patches={patch}")))
                .expect("the scenario exists and takes the patch");
            let patches: Vec<&str> = [patch].into_iter().filter(|patch| !patch.is_empty()).collect();
            let report = replay_of(&scenario, &patches);
            assert!(report.mismatches.is_empty(), "{name} + {patch}\n{}", replay::text(&report));
        }
    }
}

#[test]
fn a_file_that_ends_inside_a_page_is_seen_to_the_byte_by_what_reads_returned() {
    let scenario = Scenario::from_toml(
        r#"
        title = "an odd size"
        [kernel]
        model = "linux-7.2"
        [device]
        model = "nvme"
        [[file]]
        name = "data"
        size = 1000001
        [[stream]]
        file = "data"
        ops = [
            { op = "read", len = "64K", until = "eof" },
            { op = "drop_caches" },
            { op = "lseek", pos = 0 },
            { op = "read", len = "64K", until = "eof" },
        ]
        "#,
        "test",
    )
    .expect("the scenario is right");
    let report = replay_of(&scenario, &[]);
    assert!(report.mismatches.is_empty(), "{}", replay::text(&report));
    assert_eq!(report.files[0].bytes, Some(1_000_001));
}

#[test]
fn a_forced_range_of_several_chunks_is_one_call_in_the_trace() {
    // Specification of the tracepoints: page_cache_sync_ra is printed at entry to sync, page_cache_ra_unbounded for each
    // chunk of 512 pages. A random file and a limit of 1024 pages: 2 chunks for one missing page.
    let scenario = Scenario::from_toml(
        r#"
        title = "a forced range"
        [kernel]
        model = "linux-7.2"
        read_ahead_kb = 4096
        [device]
        model = "nvme"
        [[file]]
        name = "data"
        size = "4M"
        [[stream]]
        file = "data"
        ops = [ { op = "fadvise", advice = "random" }, { op = "read", pos = 0, len = "4M" } ]
        "#,
        "test",
    )
    .expect("the scenario is right");
    let recording = run_to_end(&scenario).expect("the run ends");
    let mut trace = Vec::new();
    write_trace(&recording, &mut trace).expect("memory can be written");
    let trace = String::from_utf8(trace).expect("it is text");
    let count = |name: &str| trace.lines().filter(|line| line.contains(name)).count();
    assert_eq!((count("page_cache_sync_ra:"), count("page_cache_ra_unbounded:")), (1, 2));
    let report = replay_of(&scenario, &[]);
    assert!(report.mismatches.is_empty(), "{}", replay::text(&report));
}
