//! Texts: trace lines as the kernel that was run prints them, the stats table, and the comparison for a mail.

use crate::golden;
use flate2::read::MultiGzDecoder;
use readahead_lab_core::run::{Recording, run_to_end};
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::{compare, library, rows, text};
use readahead_types::{Trim, Via};
use std::io::Read;

fn recording(name: &str) -> Recording {
    run_to_end(&library::scenario(name).unwrap()).unwrap()
}

/// What a line says, without its prefix and without what no model can know: where folios lie in memory.
fn said(line: &str) -> Option<String> {
    let (_, event) = line.split_once(": ").filter(|(prefix, _)| prefix.contains('['))?;
    let kept = ["page_cache_", "mm_filemap_add", "block_bio_queue", "block_rq_issue"];
    // Metadata reads are no business of the page cache of a file; task names are the capture's own.
    if !kept.iter().any(|name| event.starts_with(name)) || event.contains(" RM ") {
        return None;
    }
    let words = event.split(' ').filter(|word| !word.starts_with("pfn=") && !word.starts_with('['));
    Some(words.collect::<Vec<_>>().join(" "))
}

/// The program of the capture: one 4 KiB read, then 1 MiB reads of a 64 MiB file on XFS, 7.2.13. Every readahead event
/// with all its fields, every folio, bio and request of file data, in the kernel's own text and order.
#[test]
fn trace_text_says_what_a_real_kernel_said() {
    let mut capture = String::new();
    let packed = include_bytes!("../fixtures/captures/7.2-xfs-A1.trace.gz");
    MultiGzDecoder::new(&packed[..]).read_to_string(&mut capture).unwrap();
    let scenario = Scenario::from_toml(
        r#"
        title = "A1"
        [[file]]
        name = "f64"
        size = "64M"
        extents = [{ pos = 0, len = "64M", sector = 524352 }]
        [[stream]]
        ops = [{ op = "read", len = "4K" }, { op = "read", len = "1M", until = "eof" }]
        "#,
        "A1",
    )
    .unwrap();
    let run = run_to_end(&scenario).unwrap();
    let mine: Vec<String> = text::trace_text(&run, 0..run.len()).lines().filter_map(said).collect();
    let theirs: Vec<String> = capture.lines().filter_map(said).collect();
    assert!(theirs.len() > 2000, "the capture has {} lines to hold against", theirs.len());
    for (place, (mine, theirs)) in mine.iter().zip(&theirs).enumerate() {
        assert_eq!(mine, theirs, "event {place}");
    }
    assert_eq!(mine.len(), theirs.len());
}

#[test]
fn trace_text_reads_back_without_a_line_left_over() {
    for name in ["first-sequential-read", "mmap-random", "small-memory", "willneed"] {
        let run = recording(name);
        let mut bytes = Vec::new();
        text::write_trace(&run, &mut bytes).unwrap();
        let inspection = readahead_lab_core::inspect::inspect(&bytes[..], |_| {}).unwrap();
        assert!(inspection.skipped.is_empty(), "{name}: {:?}", inspection.skipped);
        let summary = run.summary().unwrap();
        let issued: u64 = inspection.devices.iter().map(|device| device.reads).sum();
        assert_eq!(issued, summary.device_reads, "{name}");
    }
}

/// align-in-ra-order shrinks the window inside page_cache_ra_order, after its event: the line says what came in.
#[test]
fn a_window_is_printed_as_it_was_handed_over() {
    let scenario = library::scenario("mm-2026-keep-half-window").unwrap();
    let run = run_to_end(&scenario.set("kernel.patches=align-in-ra-order").unwrap()).unwrap();
    let lines = text::trace_text(&run, 0..run.len());
    let printed: Vec<&str> = lines.lines().filter(|line| line.contains("page_cache_ra_order: ")).collect();
    let decisions = run.decisions(0..usize::MAX);
    let windows = decisions
        .iter()
        .filter(|decision| decision.window.is_some() && matches!(decision.via, Via::Sync | Via::Async | Via::Around));
    let mut shrunk = 0;
    let mut count = 0;
    for (decision, line) in windows.zip(&printed) {
        let window = decision.window.unwrap();
        let (mut size, mut async_size) = (window.size, window.async_size);
        if let Trim::ShrunkToOrder { from_size, size: left, .. } = decision.trim {
            assert_eq!((size, async_size), (left, left), "the decision says what was left");
            (size, async_size) = (from_size, from_size);
            shrunk += 1;
        }
        let said = format!("index={} order={} size={size} async_size={async_size} ", window.start, window.order);
        assert!(line.contains(&said), "{line}: {said}");
        count += 1;
    }
    assert_eq!(count, printed.len());
    assert!(shrunk > 0, "the patch shrinks a window of this scenario");
}

#[test]
fn the_header_announces_the_lines_that_follow() {
    for name in ["first-sequential-read", "mmap-random", "mm-2026-keep-half-window"] {
        let run = recording(name);
        let lines = text::trace_text(&run, 0..run.len()).lines().count();
        assert_ne!(lines, run.len(), "{name}: some events have no line");
        let said = format!("# entries-in-buffer/entries-written: {lines}/{lines} ");
        assert!(text::trace_header(&run).contains(&said), "{name}: {}", text::trace_header(&run));
        let mut bytes = Vec::new();
        text::write_trace(&run, &mut bytes).unwrap();
        let inspection = readahead_lab_core::inspect::inspect(&bytes[..], |_| {}).unwrap();
        assert!(!inspection.notes.iter().any(|note| note.contains("announces")), "{name}: {:?}", inspection.notes);
    }
}

#[test]
fn a_short_run_as_the_kernel_prints_it() {
    let run = recording("first-sequential-read");
    golden::check("first-sequential-read.trace", &text::trace_text(&run, 0..run.len()));
    golden::check("first-sequential-read.stats", &text::stats_table(&run).unwrap());
    golden::check("first-sequential-read.txt", &text::summary(&run.summary().unwrap()));
    let mut rows = Vec::new();
    rows::write_rows(&run, 0..run.len(), &mut rows).unwrap();
    golden::check("first-sequential-read.jsonl", &String::from_utf8(rows).unwrap());
}

#[test]
fn a_comparison_fits_a_mail_and_says_why_the_sides_part() {
    let a = library::scenario("mm-2026-keep-half-window").unwrap();
    let b = a.set("kernel.patches=keep-half-window").unwrap();
    let (a, b) = (run_to_end(&a).unwrap(), run_to_end(&b).unwrap());
    let comparison = compare::compare(&a, &b).unwrap();
    let mail = compare::text(&comparison);
    assert!(mail.lines().all(|line| line.chars().count() <= 72), "{mail}");
    // The window at page 48 is the fourth decision of the worked example of this case, and the first that differs.
    let found = comparison.first_divergence.as_ref().unwrap();
    assert_eq!((found.stream, found.ordinal), (0, 3));
    let window = |side: &Option<compare::Side>| side.as_ref().unwrap().decision["window"].clone();
    assert_eq!(window(&found.a)["size"], 16);
    assert_eq!(window(&found.b)["size"], 48);
    golden::check("mm-2026-keep-half-window.compare.txt", &mail);
    let same = compare::compare(&a, &a).unwrap();
    assert!(same.first_divergence.is_none() && compare::text(&same).contains("Every decision is the same"));
}

#[test]
fn every_summary_fits_a_mail() {
    for entry in library::scenarios() {
        let run = recording(&entry.name);
        let mail = text::lkml(&run.summary().unwrap());
        assert!(mail.lines().all(|line| line.chars().count() <= 72), "{}:\n{mail}", entry.name);
    }
}

#[test]
fn the_report_stands_alone() {
    let page = text::report_html(&recording("mm-2026-keep-half-window")).unwrap();
    assert!(page.contains("SIMULATED") && page.contains("<svg") && page.contains("agrees"));
    for outside in ["<script", "http-equiv", "src=", "href="] {
        assert!(!page.contains(outside), "{outside}");
    }
}
