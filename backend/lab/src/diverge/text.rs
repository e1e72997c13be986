//! A search as plain text: at most 72 columns, but for the scenario in it.

use super::ops::{plain_size, words};
use super::{Divergence, Search, SideDecision};
use crate::text::units;
use crate::text::wrap::wrap;
use std::fmt::Write;

/// Columns of a side in the table.
const SIDE_COLUMNS: usize = 27;

/// The workload, where they part, both decisions, and the scenario.
pub fn text(search: &Search) -> String {
    let Search { a, b, seed, workloads, tried, unreached, found } = search;
    let mut out = String::new();
    let mut put = |text: &str| out.push_str(text);
    put(&wrap(a, "A: ", "   "));
    put(&wrap(b, "B: ", "   "));
    put("\n");
    let tried_count = units::count(*workloads);
    let Some(found) = found else {
        let none = format!(
            "No difference found in {tried_count} workloads of 1 to {} operations (seed {seed}).",
            super::OPERATIONS_MAX
        );
        put(&wrap(&none, "", ""));
        put("Both sides had the same settings:\n");
        for words in tried {
            put(&wrap(words, "  - ", "    "));
        }
        for sentence in unreached {
            put(&wrap(sentence, "", ""));
        }
        return out;
    };
    let count = found.workload.ops.len();
    let plural = if count == 1 { "" } else { "s" };
    let head = format!(
        "They part on {count} operation{plural}, found at workload {tried_count} (seed {seed}): taking an operation out, or halving a number, loses the difference."
    );
    put(&wrap(&head, "", ""));
    put("\n");
    put(&wrap(&found.machine(), "", ""));
    put("\n");
    for (number, op) in found.operations().iter().enumerate() {
        let arrow = if number + 1 == found.operation { "->" } else { "  " };
        put(&format!("{arrow} {}  {}\n", number + 1, op));
    }
    put("\n");
    put(&format!("In operation {}, {}:\n\n", found.operation, found.same()));
    put(&table(found));
    put("\n");
    put(&sentence("A: ", found.a.as_ref()));
    put(&sentence("B: ", found.b.as_ref()));
    if let Some([a, b]) = found.folio_runs() {
        put("\n");
        put(&wrap(&a, "Folios of A: ", "   "));
        put(&wrap(&b, "Folios of B: ", "   "));
    }
    put("\nAs a scenario, for `run` and `compare`:\n\n");
    put(&found.scenario);
    put("\nreadahead-lab compare FILE \\\n");
    put(&format!("    --a \"{}\" \\\n    --b \"{}\"\n", found.compare[0], found.compare[1]));
    out
}

impl Divergence {
    /// The file and the settings, in a sentence.
    pub fn machine(&self) -> String {
        let settings = &self.workload.settings;
        let memory =
            settings.memory_kb.map_or("memory enough".to_owned(), |kb| format!("{} of memory", plain_size(kb * 1024)));
        let file = match self.workload.file_bytes {
            0 => "An empty file".to_owned(),
            bytes => format!("A file of {}", plain_size(bytes)),
        };
        let folios = match self.workload.files {
            super::Files::Pages => "no large folios",
            super::Files::Xfs => "large folios where that kernel's XFS has them",
        };
        format!(
            "{file}, {folios}; read_ahead_kb={}, max_sectors_kb={}, {memory}; no time passes.",
            settings.read_ahead_kb, settings.max_sectors_kb
        )
    }

    /// The operations in words.
    pub fn operations(&self) -> Vec<String> {
        self.workload.ops.iter().map(words).collect()
    }

    /// What came before the windows that differ.
    pub fn same(&self) -> String {
        match self.same_before {
            0 => "before any other window".to_owned(),
            1 => "after 1 window that is the same".to_owned(),
            more => format!("after {} windows that are the same", units::count(more as u64)),
        }
    }

    /// Both decisions side by side: what it is, A, B.
    pub fn rows(&self) -> Vec<(&'static str, String, String)> {
        type Row = (&'static str, fn(&SideDecision) -> String);
        let rows: [Row; 6] = [
            ("via", |side| side.via.name().to_owned()),
            ("window", |side| format!("{}+{}-{}", side.window.start, side.window.size, side.window.async_size)),
            ("marker", |side| match side.marks.as_slice() {
                [] => "none".to_owned(),
                marks => format!("page {}", marks.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")),
            }),
            ("pages added", |side| side.folios.iter().map(|(_, order)| 1u64 << order).sum::<u64>().to_string()),
            ("folios", |side| folios(&side.folios)),
            ("reason", |side| side.reason.to_owned()),
        ];
        let cell = |side: Option<&SideDecision>, row: fn(&SideDecision) -> String| side.map_or("-".to_owned(), row);
        rows.into_iter().map(|(name, row)| (name, cell(self.a.as_ref(), row), cell(self.b.as_ref(), row))).collect()
    }

    /// The folios of A and of B run by run; nothing when the table has room for them.
    pub fn folio_runs(&self) -> Option<[String; 2]> {
        let lists = [&self.a, &self.b].map(|side| side.as_ref().map_or(Vec::new(), |side| runs(&side.folios)));
        let list = |runs: &Vec<(u64, u64, u8)>| match runs.as_slice() {
            [] => "none".to_owned(),
            runs => {
                let words = runs.iter().map(|(first, end, order)| format!("{first}..{end} of order {order}"));
                words.collect::<Vec<_>>().join(", ")
            }
        };
        lists.iter().any(|runs| runs.len() > 1).then(|| lists.each_ref().map(list))
    }
}

fn table(found: &Divergence) -> String {
    let mut out = String::new();
    writeln!(out, "{:<13} {:<SIDE_COLUMNS$} B", "", "A").expect("writing to a string succeeds");
    for (name, a, b) in found.rows() {
        writeln!(out, "{name:<13} {a:<SIDE_COLUMNS$} {b}").expect("writing to a string succeeds");
    }
    out
}

/// Runs of neighbouring folios of one order: first page, page behind the last, order.
fn runs(folios: &[(u64, u8)]) -> Vec<(u64, u64, u8)> {
    let mut runs: Vec<(u64, u64, u8)> = Vec::new();
    for &(first, order) in folios {
        let pages = 1u64 << order;
        match runs.last_mut() {
            Some((_, end, last)) if *end == first && *last == order => *end = first + pages,
            _ => runs.push((first, first + pages, order)),
        }
    }
    runs
}

/// The folios in a cell of the table: `0..32 of order 0`.
fn folios(folios: &[(u64, u8)]) -> String {
    let runs = runs(folios);
    match runs.as_slice() {
        [] => "none".to_owned(),
        [(first, end, order)] => format!("{first}..{end} of order {order}"),
        [(first, ..), .., (_, end, _)] => format!("{first}..{end} in {} runs", runs.len()),
    }
}

fn sentence(name: &str, side: Option<&SideDecision>) -> String {
    match side {
        Some(side) => wrap(&side.sentence, name, "   "),
        None => wrap("no further window in this operation.", name, "   "),
    }
}
