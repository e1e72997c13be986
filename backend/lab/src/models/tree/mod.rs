//! The decision tree of a model, as data: questions in the order in which the code asks them, each with the branch that
//! a yes leads to. Pages draw it and tests hold it against the branches that the model can take.
//!
//! Every way into readahead is one ladder: a yes leaves it, a no goes on to the next question. Follows the specification
//! of the historic kernels, sections 2 to 6, and of the modern kernels, 6 to 9a.

mod faults;
mod linux_2_4;
mod on_demand;
mod since_6_12;
mod thrashing_safe;

use readahead_policy::{ModelId, Patch, Patches};
use serde::Serialize;

/// What a leaf is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", content = "code", rename_all = "snake_case")]
pub enum Branch {
    /// The branch of a decision, by the code of its Reason.
    Reason(&'static str),
    /// What is done to a window afterwards, by its code.
    Trim(&'static str),
    /// Another ladder, by its key.
    Ladder(&'static str),
    /// Nothing is recorded.
    Nothing,
}

/// Where a question leads.
#[derive(Clone, Debug, Serialize)]
pub struct Leaf {
    /// The branch.
    #[serde(flatten)]
    pub branch: Branch,
    /// What comes of it: the window, as a formula.
    pub then: String,
}

/// A question.
#[derive(Clone, Debug, Serialize)]
pub struct Rung {
    /// What is asked.
    pub ask: String,
    /// Where a yes leads.
    pub yes: Leaf,
}

/// The questions of one way into readahead.
#[derive(Clone, Debug, Serialize)]
pub struct Ladder {
    /// Its name in links.
    pub key: &'static str,
    /// What happened.
    pub title: &'static str,
    /// What holds for all of it.
    pub about: String,
    /// The questions, in order.
    pub rungs: Vec<Rung>,
    /// Where the last no leads.
    pub otherwise: Leaf,
}

impl Ladder {
    /// Every leaf, in order.
    pub fn leaves(&self) -> impl Iterator<Item = &Leaf> {
        self.rungs.iter().map(|rung| &rung.yes).chain([&self.otherwise])
    }
}

fn reason(code: &'static str, then: impl Into<String>) -> Leaf {
    Leaf { branch: Branch::Reason(code), then: then.into() }
}

fn trim(code: &'static str, then: impl Into<String>) -> Leaf {
    Leaf { branch: Branch::Trim(code), then: then.into() }
}

fn ladder(key: &'static str, then: impl Into<String>) -> Leaf {
    Leaf { branch: Branch::Ladder(key), then: then.into() }
}

fn nothing(then: impl Into<String>) -> Leaf {
    Leaf { branch: Branch::Nothing, then: then.into() }
}

fn rung(ask: impl Into<String>, yes: Leaf) -> Rung {
    Rung { ask: ask.into(), yes }
}

/// The ladders of a model with these patches.
pub fn tree(model: ModelId, patches: Patches) -> Vec<Ladder> {
    let mut ladders = match model {
        ModelId::Linux2_4_23 => return linux_2_4::ladders(patches),
        ModelId::Linux6_12 | ModelId::Linux7_2 | ModelId::Linux7_3Rc => since_6_12::ladders(model, patches),
        _ if patches.has(Patch::ThrashingSafe) => thrashing_safe::ladders(model, patches),
        _ => on_demand::ladders(model, patches),
    };
    ladders.push(faults::miss(model, patches));
    ladders.push(faults::hit(model));
    ladders.push(forced(model, patches));
    ladders.push(single_page(model));
    ladders
}

/// What the names in the formulas mean: the limit, and the two series of sizes.
pub fn names(model: ModelId, patches: Patches) -> Vec<(&'static str, String)> {
    let mut names = Vec::new();
    if model == ModelId::Linux2_4_23 {
        names.push(("M", "read_ahead_kb / 4: vm_max_readahead, 31 pages, or what the disk's driver sets".into()));
        names.push(("end", "index of the page that holds the byte behind the last one: file bytes / 4096".into()));
        names.push(("raend, ralen, ramax, rawin", "the open file's own numbers, all 0 at open".into()));
        return names;
    }
    names.push((
        "index, req",
        "the page that is wanted or marked, and how many pages the call still wants from there".into(),
    ));
    names.push(("max", limit(model, patches)));
    let first = "n = req rounded up to a power of two; 4n up to max/32, 2n up to max/4, else max";
    names.push(("first_size(req)", first.into()));
    names.push(("next_size(size)", "4 × size below max/16, else 2 × size, at most max".into()));
    if patches.has(Patch::ThrashingSafe) {
        let min = if patches.has(Patch::Default512k) { 8 } else { 4 };
        names.push(("MIN", format!("{min} pages")));
        names.push((
            "history",
            "cached pages directly before index, at most 8 × max; doubled when they reach page 0".into(),
        ));
        names.push(("ahead", "pages from the marker to the first gap".into()));
    } else {
        names.push(("history", history(model)));
    }
    names
}

fn history(model: ModelId) -> String {
    match model {
        ModelId::Linux5_4 | ModelId::Linux5_10 | ModelId::Linux6_1 => {
            "cached pages directly before index, as the tree's cursor counts them: at most max − 1".into()
        }
        ModelId::Linux6_12 => {
            "cached pages directly before index, as the tree's cursor counts them: at most max − 1".into()
        }
        ModelId::Linux7_2 | ModelId::Linux7_3Rc => {
            "cached pages directly before index, as the tree's cursor counts them: at most max".into()
        }
        _ => "cached pages directly before index, at most max".into(),
    }
}

/// The limit of a window in words.
fn limit(model: ModelId, patches: Patches) -> String {
    let on = |patch| patches.has(patch);
    if model >= ModelId::Linux4_14 {
        return "ra_pages; for a request above it, the smaller of req and io_pages (max_sectors_kb / 4) if that is larger".into();
    }
    let half = "half of the node's inactive file pages and free pages";
    if on(Patch::NodeHalf) || on(Patch::RhelRevert) {
        format!("the smaller of ra_pages and {half}")
    } else if on(Patch::Cap2mb) {
        "the smaller of ra_pages and 512 pages".into()
    } else if on(Patch::AquiniMax) {
        format!("the smaller of ra_pages and {half}, the latter counted as 512 pages at least")
    } else if on(Patch::GlobalHalf) {
        "the smaller of ra_pages and half of the machine's inactive file pages and free pages".into()
    } else {
        match model {
            ModelId::Linux2_6_33 | ModelId::Linux3_10 => format!("the smaller of ra_pages and {half}"),
            ModelId::Linux3_18 => "the smaller of ra_pages and 512 pages".into(),
            _ => "ra_pages".into(),
        }
    }
}

/// The largest forced range in words.
fn force_limit(model: ModelId, patches: Patches) -> &'static str {
    let on = |patch| patches.has(patch);
    match model {
        ModelId::Linux4_4 => "the device's ra_pages",
        _ if model >= ModelId::Linux4_14 => "the larger of io_pages and ra_pages",
        _ if on(Patch::Cap2mb) => "512 pages",
        _ if on(Patch::AquiniMax) => "half of the node's inactive and free pages, or 512 pages if that is more",
        _ if on(Patch::GlobalHalf) => "half of the machine's inactive and free pages",
        ModelId::Linux3_18 if !on(Patch::NodeHalf) && !on(Patch::RhelRevert) => "512 pages",
        _ => "half of the node's inactive and free pages",
    }
}

fn forced(model: ModelId, patches: Patches) -> Ladder {
    let limit = force_limit(model, patches);
    Ladder {
        key: "forced",
        title: "A range is asked for in advance",
        about: "posix_fadvise WILLNEED and readahead(2). The open file's state is neither looked at nor changed."
            .into(),
        rungs: vec![rung(
            format!("More pages than {limit}?"),
            reason("forced_cut", "as many pages as the limit, in chunks of 512; the rest is not read"),
        )],
        otherwise: reason("forced", "the range as it is, in chunks of 512, without a marker"),
    }
}

fn single_page(model: ModelId) -> Ladder {
    let page = if model >= ModelId::Linux6_12 { "one folio of the smallest order" } else { "one page" };
    let mut rungs = Vec::new();
    if model <= ModelId::Linux5_10 {
        rungs.push(rung(
            "The wanted page is still not cached, and lies behind the end of the file?",
            reason("page_past_end", "one page of zeroes, without a read; the call ends there"),
        ));
    }
    rungs.push(rung(
        "The wanted page is still not cached?",
        reason("single_page", format!("{page}, read by itself, and waited for")),
    ));
    Ladder {
        key: "single",
        title: "After all that: is the wanted page there?",
        about: String::new(),
        rungs,
        otherwise: nothing("the program goes on, or waits until the page is uptodate"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::reach::reachable;
    use readahead_policy::{MODELS, PATCHES};
    use readahead_types::{Reason, Trim};
    use std::collections::BTreeSet;

    /// Sets of patches that reach every condition of the ladders.
    fn sets(model: ModelId) -> Vec<Patches> {
        let own = model.info().patches;
        let mut sets = vec![Patches::default()];
        let all = PATCHES.iter().filter(|info| own.contains(&info.id)).map(|info| info.name);
        let names: Vec<&str> = all.collect();
        for name in &names {
            sets.extend(Patches::parse(model, &[name]));
        }
        let series = ["ra-flags", "retain-inactive", "thrashing-safe", "patterns", "lseek-flag", "fmode-random"];
        for length in 1..=series.len() {
            sets.extend(Patches::parse(model, &series[..length]));
        }
        sets.extend(Patches::parse(model, &["keep-half-window", "mmap-floor-order"]));
        sets.extend(Patches::parse(model, &["align-in-ra-order", "mmap-floor-order"]));
        sets
    }

    #[test]
    fn every_leaf_is_a_branch_and_every_branch_of_the_model_has_a_leaf() {
        for info in MODELS {
            for patches in sets(info.id) {
                let ladders = tree(info.id, patches);
                let mut found = BTreeSet::new();
                for leaf in ladders.iter().flat_map(Ladder::leaves) {
                    match leaf.branch {
                        Branch::Reason(code) => {
                            assert!(Reason::CODES.contains(&code), "{code}");
                            found.insert(code);
                        }
                        Branch::Trim(code) => {
                            assert!(Trim::CODES.contains(&code), "{code}");
                            found.insert(code);
                        }
                        Branch::Ladder(key) => assert!(ladders.iter().any(|ladder| ladder.key == key), "{key}"),
                        Branch::Nothing => {}
                    }
                    assert!(!leaf.then.is_empty());
                }
                found.remove("none");
                let known: BTreeSet<&str> = reachable(info.id, patches).into_iter().collect();
                assert_eq!(found, known, "{} with {:?}", info.name, patches.names());
            }
        }
    }

    #[test]
    fn no_branch_of_any_model_is_left_out() {
        let mut found = BTreeSet::new();
        for info in MODELS {
            for patches in sets(info.id) {
                found.extend(reachable(info.id, patches));
            }
        }
        let all: BTreeSet<&str> =
            Reason::CODES.iter().chain(Trim::CODES).copied().filter(|code| *code != "none").collect();
        assert_eq!(found, all);
    }
}
