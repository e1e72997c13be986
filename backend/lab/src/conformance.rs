//! The models of this very program against facts about the kernels: the conformance vectors, random workloads and traces
//! that are in the program, run by it.
//!
//! Nothing here is remembered from elsewhere: each count is what this build got. Must not know HTTP or who shows it.

use crate::replay::{self, ReplaySettings};
use crate::vectors;
use flate2::read::MultiGzDecoder;
use include_dir::{Dir, include_dir};
use readahead_policy::MODELS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::Read;

static VECTORS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/fixtures/vectors");
static CAPTURES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/tests/fixtures/captures");

/// Cases that are run between two reports of progress.
const CHUNK: usize = 8;
/// Differences that a file's report lists.
const FAILURES_LISTED: usize = 20;
/// The suffix of a capture's kernel release, and of a trace's name, that has keep-half-window.
const PATCHED: &str = "keep-half-window";

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Cases made by the kernels' own code.
    Vectors,
    /// Random workloads on real kernels.
    RandomWorkloads,
    /// The trace of one workload on a real kernel.
    Trace,
}

impl Kind {
    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Vectors => "vectors made by the kernels' own code",
            Kind::RandomWorkloads => "random workloads on real kernels",
            Kind::Trace => "traces of real kernels",
        }
    }
}

/// A file that is in the program.
#[derive(Clone, Copy, Debug)]
pub struct Fixture {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    contents: &'static [u8],
}

/// Cases of one model, with its patches, in one file.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ModelRow {
    /// The model, with its patches behind plus signs.
    pub model: String,
    /// Cases that gave the same.
    pub passed: u64,
    /// Cases that did not.
    pub failed: u64,
    /// Cases that were not run.
    pub not_run: u64,
}

/// A case that differs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The case.
    pub id: String,
    /// Where in it.
    pub place: String,
    /// What the kernel did.
    pub expected: String,
    /// What the model does.
    pub got: String,
    /// Why it is known to differ; empty when it should not.
    pub known: &'static str,
}

/// What a file came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FileReport {
    /// The file.
    pub name: String,
    /// What it holds.
    pub kind: Kind,
    /// Cases that gave the same.
    pub passed: u64,
    /// Cases that did not.
    pub failed: u64,
    /// Those of them that are known to, and why.
    pub known: u64,
    /// Cases that were not run.
    pub not_run: u64,
    /// The same by model.
    pub models: Vec<ModelRow>,
    /// The first cases that differ.
    pub failures: Vec<Failure>,
    /// For a trace: how many decisions, folios and requests were compared.
    pub compared: String,
}

/// Random workloads in which khugepaged reads the file: file of the capture, and its case.
const KHUGEPAGED: &[(&str, &str)] =
    &[("fuzz-7.2-ext4", "ext4 20"), ("fuzz-7.2-ext4", "ext4 117"), ("fuzz-7.2-ext4", "ext4 118")];
const KHUGEPAGED_READS: &str =
    "khugepaged reads the file in it, which the workload does not tell of; it does not exist here";

/// Traces with differences that are the machine's: name, decisions, those that agree, and why the others do not. With
/// other counts a trace is not excused.
const RACES: &[(&str, u64, u64, &str)] = &[("6.12-ext4-app-cat2", 133, 127, TWO_READERS)];
const TWO_READERS: &str = "two readers of one file on two processors added the same window at the same time";

/// Every file, vectors first, then random workloads, then traces, each by name.
pub fn fixtures() -> Vec<Fixture> {
    let of = |folder: &'static Dir<'static>| {
        folder.files().filter_map(move |file| {
            let name = file.path().file_name()?.to_str()?;
            let kind = match name {
                _ if std::ptr::eq(folder, &VECTORS) => Kind::Vectors,
                _ if name.contains(".jsonl") => Kind::RandomWorkloads,
                _ => Kind::Trace,
            };
            Some(Fixture { name, kind, contents: file.contents() })
        })
    };
    let mut fixtures: Vec<Fixture> = of(&VECTORS).chain(of(&CAPTURES)).collect();
    fixtures.sort_by_key(|fixture| (fixture.kind, fixture.name));
    fixtures
}

/// The fields of a line that say whose case it is.
#[derive(Deserialize)]
struct Whose {
    #[serde(default)]
    model: String,
    #[serde(default)]
    patches: Vec<String>,
    #[serde(default)]
    kernel: String,
}

impl Whose {
    fn label(&self) -> String {
        if self.model.is_empty() {
            let (model, patches) = kernel(&self.kernel);
            return labelled(model.unwrap_or(&self.kernel), patches);
        }
        labelled(&self.model, &self.patches)
    }
}

fn labelled<S: AsRef<str>>(model: &str, patches: &[S]) -> String {
    patches.iter().fold(model.to_owned(), |label, patch| label + " + " + patch.as_ref())
}

/// The model of a kernel's release (`7.2.13…`) or of a trace's name (`7.2-xfs-A1`), with the patches of it.
fn kernel(release: &str) -> (Option<&'static str>, &'static [&'static str]) {
    let patched = release.starts_with("7.2patch") || release.ends_with("-lab-patch");
    let of_series = |name: &&str| {
        let series = name.trim_start_matches("linux-");
        let rest = release.strip_prefix(series);
        rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_digit()))
    };
    let model = MODELS.iter().map(|info| info.name).find(of_series);
    (model, if patched { &[PATCHED] } else { &[] })
}

impl Fixture {
    /// Cases in it, for progress: lines, or one for a trace.
    pub fn cases(&self) -> u64 {
        match self.kind {
            Kind::Trace => 1,
            _ => self.text().map_or(1, |text| text.lines().filter(|line| !line.trim().is_empty()).count() as u64),
        }
    }

    fn text(&self) -> Result<String, String> {
        let mut text = String::new();
        let read = if self.contents.starts_with(&[0x1f, 0x8b]) {
            MultiGzDecoder::new(self.contents).read_to_string(&mut text)
        } else {
            let mut contents = self.contents;
            contents.read_to_string(&mut text)
        };
        read.map(|_| text).map_err(|error| error.to_string())
    }

    /// Runs all of it. `done` is told of each stretch of cases.
    pub fn run(&self, mut done: impl FnMut(u64)) -> FileReport {
        let mut report = self.empty();
        if self.kind == Kind::Trace {
            self.run_trace(&mut report);
            done(1);
        } else {
            match self.text() {
                Ok(text) => self.run_cases(&text, &mut report, &mut done),
                Err(error) => {
                    report.count("unreadable", Tally { failed: 1, ..Tally::default() }, vec![unreadable(error)])
                }
            }
        }
        report
    }

    /// The report of a file that could not be run at all.
    pub fn broken(&self, message: &str) -> FileReport {
        let mut report = self.empty();
        report.count(
            "unreadable",
            Tally { failed: self.cases(), ..Tally::default() },
            vec![unreadable(message.into())],
        );
        report
    }

    fn empty(&self) -> FileReport {
        FileReport {
            name: self.name.to_owned(),
            kind: self.kind,
            passed: 0,
            failed: 0,
            known: 0,
            not_run: 0,
            models: Vec::new(),
            failures: Vec::new(),
            compared: String::new(),
        }
    }

    fn run_cases(&self, text: &str, report: &mut FileReport, done: &mut impl FnMut(u64)) {
        let mut by_model: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let label = serde_json::from_str::<Whose>(line).map_or_else(|_| "unreadable".into(), |whose| whose.label());
            by_model.entry(label).or_default().push(line);
        }
        for (label, lines) in by_model {
            for chunk in lines.chunks(CHUNK) {
                let (tally, failures) = match vectors::run(chunk.join("\n").as_bytes()) {
                    Ok(got) => {
                        let tally = Tally {
                            passed: got.passed,
                            failed: got.failed.len() as u64,
                            not_run: got.not_run.values().sum(),
                        };
                        let failures: Vec<Failure> =
                            got.failed.into_iter().map(|failure| self.failure(failure)).collect();
                        report.known += failures.iter().filter(|failure| !failure.known.is_empty()).count() as u64;
                        (tally, failures)
                    }
                    Err(error) => {
                        let tally = Tally { failed: chunk.len() as u64, ..Tally::default() };
                        (tally, vec![unreadable(error.to_string())])
                    }
                };
                report.count(&label, tally, failures);
                done(chunk.len() as u64);
            }
        }
        report.models.sort_by_key(|row| {
            let name = row.model.split(' ').next().unwrap_or_default();
            (MODELS.iter().position(|info| info.name == name), row.model.clone())
        });
    }

    fn failure(&self, failure: vectors::VectorFailure) -> Failure {
        let is = |(file, case): &&(&str, &str)| self.name.starts_with(file) && failure.id.ends_with(case);
        let known = KHUGEPAGED.iter().find(is).map_or("", |_| KHUGEPAGED_READS);
        let vectors::VectorFailure { id, operation, expected, got } = failure;
        Failure { id, place: operation, expected, got, known }
    }

    fn run_trace(&self, report: &mut FileReport) {
        let (model, patches) = kernel(self.name);
        let Some(model) = model else {
            report.count(self.name, Tally { not_run: 1, ..Tally::default() }, Vec::new());
            return;
        };
        let label = labelled(model, patches);
        match replay::replay(self.contents, model, patches, &ReplaySettings::default()) {
            Ok(got) => {
                report.compared =
                    format!("{} decisions, {} folios, {} requests", got.decisions, got.folios, got.requests);
                let is = |race: &&(&str, u64, u64, &str)| {
                    self.name.starts_with(race.0) && (race.1, race.2) == (got.decisions, got.agree)
                };
                let known = RACES.iter().find(is).map_or("", |race| race.3);
                let failures: Vec<Failure> = got.mismatches.into_iter().map(|one| self.mismatch(one, known)).collect();
                report.known += u64::from(!failures.is_empty() && !known.is_empty());
                let tally = Tally {
                    passed: u64::from(failures.is_empty()),
                    failed: u64::from(!failures.is_empty()),
                    not_run: 0,
                };
                report.count(&label, tally, failures);
            }
            Err(error) => {
                report.count(&label, Tally { failed: 1, ..Tally::default() }, vec![unreadable(error.to_string())]);
            }
        }
    }

    fn mismatch(&self, one: replay::Mismatch, known: &'static str) -> Failure {
        Failure {
            id: self.name.to_owned(),
            place: format!("line {}: {}, {} in all", one.first_line, one.title, one.count),
            expected: one.recorded,
            got: one.predicted,
            known,
        }
    }
}

fn unreadable(message: String) -> Failure {
    Failure { id: "the file".into(), place: message, expected: "cases".into(), got: "none".into(), known: "" }
}

#[derive(Clone, Copy, Default)]
struct Tally {
    passed: u64,
    failed: u64,
    not_run: u64,
}

impl FileReport {
    fn count(&mut self, model: &str, tally: Tally, failures: Vec<Failure>) {
        let place = self.models.iter().position(|row| row.model == model).unwrap_or_else(|| {
            self.models.push(ModelRow { model: model.to_owned(), ..ModelRow::default() });
            self.models.len() - 1
        });
        let row = &mut self.models[place];
        for (total, more) in [
            (&mut row.passed, tally.passed),
            (&mut row.failed, tally.failed),
            (&mut row.not_run, tally.not_run),
            (&mut self.passed, tally.passed),
            (&mut self.failed, tally.failed),
            (&mut self.not_run, tally.not_run),
        ] {
            *total += more;
        }
        let room = FAILURES_LISTED - self.failures.len();
        self.failures.extend(failures.into_iter().take(room));
    }

    /// The command that does the same.
    pub fn command(&self) -> String {
        let folder = if self.kind == Kind::Vectors { "vectors" } else { "captures" };
        let path = format!("backend/lab/tests/fixtures/{folder}/{}", self.name);
        if self.kind != Kind::Trace {
            return format!("readahead-lab vectors {path}");
        }
        let (model, patches) = kernel(&self.name);
        let patches: String = patches.iter().map(|patch| format!(" --patch {patch}")).collect();
        format!("readahead-lab replay {path} --model {}{patches}", model.unwrap_or("MODEL"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_and_traces_are_known_by_their_series() {
        assert_eq!(kernel("7.2.13+deb14-cloud-amd64"), (Some("linux-7.2"), [].as_slice()));
        assert_eq!(kernel("7.2.13-lab-patch"), (Some("linux-7.2"), [PATCHED].as_slice()));
        assert_eq!(kernel("7.2patch-xfs-A1.trace.gz"), (Some("linux-7.2"), [PATCHED].as_slice()));
        assert_eq!(kernel("5.10-xfs-J.trace.gz").0, Some("linux-5.10"));
        assert_eq!(kernel("6.12-xfs-J.trace.gz").0, Some("linux-6.12"));
        assert_eq!(kernel("6.19-xfs-J.trace.gz").0, None);
    }

    #[test]
    fn each_kind_is_in_the_program_and_its_counts_add_up() {
        let fixtures = fixtures();
        for kind in [Kind::Vectors, Kind::RandomWorkloads, Kind::Trace] {
            assert!(fixtures.iter().any(|fixture| fixture.kind == kind), "{kind:?}");
        }
        let own = fixtures.iter().find(|fixture| fixture.name == "own.jsonl").unwrap();
        let mut told = 0;
        let report = own.run(|cases| told += cases);
        assert_eq!(told, own.cases());
        assert_eq!(report.passed + report.failed + report.not_run, own.cases());
        assert_eq!(report.models.iter().map(|row| row.passed).sum::<u64>(), report.passed);
        assert!(report.passed > 0 && report.failures.is_empty(), "{report:?}");
    }

    #[test]
    fn a_case_that_differs_is_counted_and_shown() {
        // The first case of ours with another expectation: its first window is said to have one page more.
        let text = Fixture {
            name: "own.jsonl",
            kind: Kind::Vectors,
            contents: VECTORS.get_file("own.jsonl").unwrap().contents(),
        }
        .text()
        .unwrap();
        let line = text.lines().next().unwrap();
        let at = line.find("\"actual\":").unwrap() + "\"actual\":".len();
        let wrong: &'static str = format!("{}9{}", &line[..at], line[at..].trim_start()).leak();
        let report = Fixture { name: "wrong.jsonl", kind: Kind::Vectors, contents: wrong.as_bytes() }.run(|_| {});
        assert_eq!((report.passed, report.failed, report.failures.len()), (0, 1, 1), "{report:?}");
        assert_ne!(report.failures[0].expected, report.failures[0].got);
    }

    #[test]
    fn the_vectors_take_no_branch_that_a_models_tree_does_not_have() {
        let mut cases = 0;
        for fixture in fixtures().iter().filter(|fixture| fixture.kind == Kind::Vectors) {
            let text = fixture.text().unwrap();
            let mut by_model: BTreeMap<(String, Vec<String>), Vec<&str>> = BTreeMap::new();
            for line in text.lines() {
                let whose: Whose = serde_json::from_str(line).unwrap();
                by_model.entry((whose.model, whose.patches)).or_default().push(line);
            }
            for ((name, patches), lines) in by_model {
                let model = readahead_policy::ModelId::parse(&name).unwrap();
                let set = readahead_policy::Patches::parse(model, &patches).unwrap();
                let known = crate::models::reachable(model, set);
                let report = vectors::run(lines.join("\n").as_bytes()).unwrap();
                let taken = report.reasons.keys().chain(report.trims.keys()).filter(|code| **code != "none");
                let strange: Vec<_> = taken.filter(|code| !known.contains(code)).collect();
                assert!(strange.is_empty(), "{name} {patches:?}: {strange:?}");
                cases += lines.len();
            }
        }
        assert!(cases > 400, "{cases}");
    }
}
