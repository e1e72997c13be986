//! What a search promises: which pairs part, on how few operations, and that the answer is the smallest of its kind.

use super::shrink::smaller_by_one;
use super::trial::Trial;
use super::{Kernel, Search, diverge, text};
use crate::scenario::Scenario;
use readahead_policy::{MODELS, ModelId};

fn kernel(name: &str) -> Kernel {
    Kernel::parse(name, "--a").unwrap()
}

fn search(a: &str, b: &str) -> Search {
    diverge(kernel(a), kernel(b), 1)
}

/// They part; the scenario is one; nothing of the workload can be left out.
fn part(a: &str, b: &str, operations_most: usize) {
    let search = search(a, b);
    let found = search.found.as_ref().unwrap_or_else(|| panic!("{a} and {b} decide the same"));
    let workload = &found.workload;
    assert!(workload.ops.len() <= operations_most, "{a} and {b}: {workload:?}");
    assert!(found.a.is_some() || found.b.is_some());

    let scenario =
        Scenario::from_toml(&found.scenario, "diverge").unwrap_or_else(|error| panic!("{error}\n{}", found.scenario));
    assert_eq!(scenario.world().streams[0].program.len(), workload.ops.len());
    let [left, right] = &found.compare;
    for (settings, kernel) in [(left, kernel(a)), (right, kernel(b))] {
        let side = scenario.with(&crate::scenario::split_settings(settings)).unwrap_or_else(|error| panic!("{error}"));
        let world = side.world();
        assert_eq!((world.kernel.model, world.kernel.patches), (kernel.model, kernel.patches));
        // What is read in the scenario is read from the machine that the search had.
        let searched = workload.world(kernel);
        assert_eq!(world.kernel.ra_pages, searched.kernel.ra_pages);
        assert_eq!(world.kernel.max_sectors, searched.kernel.max_sectors);
        assert_eq!(world.kernel.memory, searched.kernel.memory);
        assert_eq!(world.files[0].max_order, searched.files[0].max_order);
        assert_eq!(world.files[0].bytes, searched.files[0].bytes);
    }

    let trial = &mut Trial::new(kernel(a), kernel(b));
    for smaller in smaller_by_one(trial, workload) {
        assert!(!trial.differs(&smaller), "{a} and {b} part on less than {workload:?}: {smaller:?}");
    }
}

#[test]
fn every_generation_differs_from_the_one_before_it() {
    for pair in MODELS.windows(2) {
        if pair[1].id != ModelId::Linux7_3Rc {
            part(pair[0].name, pair[1].name, 3);
        }
    }
}

#[test]
fn patches_that_change_decisions_are_told_from_their_model() {
    part("linux-7.2", "linux-7.2+keep-half-window", 3);
    part("linux-7.2", "linux-7.2+align-in-ra-order", 3);
    part("linux-7.2", "linux-7.2+mmap-floor-order", 3);
    part("linux-7.2+keep-half-window", "linux-7.2+align-in-ra-order", 3);
    part("linux-4.14", "linux-4.14+stable-io-pages", 2);
    part("linux-2.6.33", "linux-2.6.33+fmode-random", 2);
    part("linux-2.6.33", "linux-2.6.33+2mb-cap", 2);
    part("linux-2.4.23", "linux-2.4.23+last-page", 2);
    let series = "linux-2.6.33+ra-flags+retain-inactive+thrashing-safe+patterns";
    part("linux-2.6.33", series, 4);
    part(series, &format!("{series}+lseek-flag"), 3);
    part("linux-5.10", "linux-6.12", 2);
}

#[test]
fn kernels_that_decide_the_same_are_not_told_apart() {
    for (a, b, why) in [
        ("linux-7.2", "linux-7.3-rc", "linux-7.3-rc decides exactly as linux-7.2."),
        // A flags word and another default change no decision where the settings are the same.
        ("linux-2.6.33", "linux-2.6.33+ra-flags+512k-default", "ra-flags: mmap_miss ends at 65,535"),
    ] {
        let search = search(a, b);
        assert!(search.found.is_none(), "{}", text(&search));
        assert!(search.workloads > 40_000);
        assert!(text(&search).contains("No difference found") && text(&search).contains(why), "{}", text(&search));
    }
}

#[test]
fn the_same_seed_gives_the_same_text() {
    let once = text(&search("linux-6.1", "linux-6.12"));
    assert_eq!(once, text(&search("linux-6.1", "linux-6.12")));
    assert!(once.lines().take_while(|line| !line.starts_with("As a scenario")).all(|line| line.chars().count() <= 72));
}

#[test]
fn a_kernel_that_does_not_exist_is_refused_with_the_argument() {
    let error = Kernel::parse("linux-1.0", "--b").unwrap_err();
    assert!(error.message.starts_with("--b: unknown model `linux-1.0`; expected one of"), "{error}");
    let error = Kernel::parse("linux-7.2+keep-half-window+align-in-ra-order", "--a").unwrap_err();
    assert_eq!(error.message, "--a: patches `keep-half-window` and `align-in-ra-order` are alternatives; choose one");
    assert_eq!(kernel("linux-7.2 + keep-half-window").name(), "linux-7.2+keep-half-window");
}

#[test]
fn the_patch_of_october_2026_and_why() {
    let golden = include_str!("keep-half-window.golden.txt");
    assert_eq!(text(&search("linux-7.2", "linux-7.2+keep-half-window")), golden);
}
