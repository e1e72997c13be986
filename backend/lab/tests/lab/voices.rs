//! What each kernel generation prints of a run: its own events in its own text, and nothing that it did not have.

use crate::golden;
use readahead_lab_core::run::{Recording, run_to_end};
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::series::Posting;
use readahead_lab_core::{inspect, text};
use std::collections::BTreeMap;

const SERIES: &str = "small-device-limit-v3,512k-default,ra-flags,retain-inactive,thrashing-safe,patterns,trace-event,\
                      stats,lseek-flag,fast-hole-search";

/// Reads of every kind, fadvise, readahead(2) and faults of a file of 2 MiB and a bit, by a kernel of choice.
fn run(model: &str, patches: &str) -> Recording {
    let patches: Vec<String> =
        patches.split(',').filter(|name| !name.is_empty()).map(|name| format!("{name:?}")).collect();
    let scenario = format!(
        r#"
        title = "voices"
        [kernel]
        model = "{model}"
        patches = [{}]
        read_ahead_kb = 128
        [[file]]
        name = "data"
        size = "2100K"
        [[stream]]
        file = "data"
        ops = [
            {{ op = "read", len = "8K", count = 20 }},
            {{ op = "read", pos = "1M", len = "4K" }},
            {{ op = "fadvise", advice = "willneed", pos = "1200K", len = "100K" }},
            {{ op = "readahead", pos = "1800K", len = "64K" }},
            {{ op = "lseek", pos = "2048K" }},
            {{ op = "read", len = "8K", until = "eof" }},
            {{ op = "mmap" }},
            {{ op = "touch", index = 400, count = 4 }},
            {{ op = "read", pos = "1940K", len = "4K" }},
        ]
        "#,
        patches.join(", ")
    );
    run_to_end(&Scenario::from_toml(&scenario, "voices").unwrap()).unwrap()
}

/// The whole trace file.
fn file(run: &Recording) -> String {
    let mut bytes = Vec::new();
    text::write_trace(run, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Lines of each event, by name; system calls by theirs.
fn names(file: &str) -> BTreeMap<String, usize> {
    let mut names = BTreeMap::new();
    for line in file.lines().filter(|line| !line.starts_with('#')) {
        let (_, event) = line.split_once(": ").unwrap();
        let name = event.split([':', '(', ' ']).next().unwrap();
        *names.entry(name.to_owned()).or_default() += 1;
    }
    names
}

/// Sections 12.2 to 12.5 of the specification of the modern kernels.
#[test]
fn each_kernel_prints_the_events_that_it_had() {
    let common =
        ["mm_filemap_add_to_page_cache", "block_bio_queue", "block_getrq", "block_rq_issue", "block_rq_complete"];
    let since_6_12 = ["mm_filemap_get_pages", "mm_filemap_map_pages", "mm_filemap_fault"];
    let since_7_2 = ["page_cache_sync_ra", "page_cache_async_ra", "page_cache_ra_order", "page_cache_ra_unbounded"];
    for (model, has_6_12, has_7_2) in [
        ("linux-5.10", false, false),
        ("linux-6.1", false, false),
        ("linux-6.12", true, false),
        ("linux-7.2", true, true),
        ("linux-7.3-rc", true, true),
    ] {
        let names = names(&file(&run(model, "")));
        for name in common.into_iter().chain(["sys_read", "sys_fadvise64", "sys_readahead", "sys_lseek", "sys_mmap"]) {
            assert!(names.contains_key(name), "{model}: {name}");
        }
        for name in since_6_12 {
            assert_eq!(names.contains_key(name), has_6_12, "{model}: {name}");
        }
        for name in since_7_2 {
            assert_eq!(names.contains_key(name), has_7_2, "{model}: {name}");
        }
        assert!(!names.contains_key("readahead"), "{model}");
    }
}

/// Sections 12.1, 12.3, 12.4 and 12.5: what changed in the texts.
#[test]
fn each_kernel_prints_in_its_own_text() {
    let line = |model: &str, wanted: &str| {
        let file = file(&run(model, ""));
        let mut lines = file.lines().filter(|line| !line.starts_with('#'));
        lines.find(|line| line.contains(wanted)).unwrap_or_else(|| panic!("{model}: {wanted}")).to_owned()
    };
    let added = "mm_filemap_add_to_page_cache: dev 259:0 ino ";
    let old = line("linux-5.10", added);
    assert!(
        old.contains(" page=") && old.contains(" pfn=") && !old.contains("pfn=0x") && !old.contains("order="),
        "{old}"
    );
    assert!(old.contains("] ....     "), "four flags: {old}");
    for model in ["linux-6.1", "linux-6.12", "linux-7.2"] {
        let new = line(model, added);
        assert!(!new.contains(" page=") && new.contains(" pfn=0x") && new.contains(" order="), "{new}");
        assert!(new.contains("] .....     "), "five flags: {new}");
    }
    for (model, priority) in
        [("linux-5.10", ""), ("linux-6.1", ""), ("linux-6.12", " be,0,4"), ("linux-7.2", " be,0,4")]
    {
        let issue = line(model, "block_rq_issue: ");
        assert!(issue.ends_with(&format!("{priority} [stream0]")), "{issue}");
        assert_eq!(issue.contains("be,0,4"), !priority.is_empty(), "{issue}");
        let done = line(model, "block_rq_complete: ");
        assert!(done.ends_with(&format!("{priority} [0]")) && done.contains("be,") != priority.is_empty(), "{done}");
    }
    for model in ["linux-4.14", "linux-5.10", "linux-6.1", "linux-6.12"] {
        assert!(line(model, "sys_read(").ends_with("sys_read(fd: 3, buf: 7f0000000000, count: 2000)"), "{model}");
    }
    assert!(line("linux-7.2", "sys_read(").ends_with("sys_read(fd: 3, buf: 0x7f0000000000, count: 0x2000)"));
}

/// What is printed for a generation is read back as events of that generation, without a line left over.
#[test]
fn the_trace_of_each_generation_reads_back() {
    let models = ["linux-3.10", "linux-4.14", "linux-5.4", "linux-5.10", "linux-6.1", "linux-6.12", "linux-7.2"];
    for (model, patches) in models.into_iter().map(|model| (model, "")).chain([("linux-2.6.33", SERIES)]) {
        let run = run(model, patches);
        let file = file(&run);
        let inspection = inspect::inspect(file.as_bytes(), |_| {}).unwrap();
        assert!(inspection.skipped.is_empty(), "{model}: {:?}", inspection.skipped);
        assert!(!inspection.notes.iter().any(|note| note.contains("announces")), "{model}: {:?}", inspection.notes);
        let lines = file.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(inspection.records as usize, lines, "{model}");
        assert!(lines > 10, "{model}: {lines} lines");
        if ["linux-5.10", "linux-6.1", "linux-6.12", "linux-7.2", "linux-2.6.33"].contains(&model) {
            assert_eq!(inspection.kernel.model, Some(model), "{}", inspection.kernel.why);
        }
        if !patches.is_empty() || model.starts_with("linux-3") || model.starts_with("linux-4") || model == "linux-5.4" {
            continue;
        }
        let issued: u64 = inspection.devices.iter().map(|device| device.reads).sum();
        assert_eq!(issued, run.summary().unwrap().device_reads, "{model}");
    }
}

/// What a kernel could not print is said in the header, and nothing else is in the file.
#[test]
fn kernels_without_events_say_so() {
    for (model, said) in [
        ("linux-2.4.23", "# linux-2.4.23 has no tracepoints: there are no lines"),
        (
            "linux-2.6.33",
            "# linux-2.6.33 has no readahead events; with the patch trace-event it prints one line a window",
        ),
    ] {
        let file = file(&run(model, ""));
        assert!(file.lines().any(|line| line == said), "{file}");
        assert!(file.lines().all(|line| line.starts_with('#')), "{file}");
    }
    for model in ["linux-3.10", "linux-3.18", "linux-4.4", "linux-4.14", "linux-5.4"] {
        let file = file(&run(model, ""));
        assert!(file.contains(&format!(
            "# system calls only, as linux-5.10 prints them: the texts of other events of {model}"
        )));
        assert!(names(&file).keys().all(|name| name.starts_with("sys_")), "{file}");
    }
    assert!(
        file(&run("linux-6.1", "")).contains("# linux-6.1 has no readahead events, and none of get_pages, map_pages")
    );
}

/// Sections 9.1 and 9.2 of the specification of the historic kernels.
#[test]
fn the_series_prints_its_windows_and_its_table() {
    let run = run("linux-2.6.33", SERIES);
    let file = file(&run);
    golden::check("voices-2010-series.trace", &file.replace(&run.id().to_string(), "RUN"));
    golden::check("voices-2010-series.stats", &text::stats_table(&run).unwrap());
    let raw = |posting| {
        let mut bytes = Vec::new();
        text::write_trace_as(&run, posting, &mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let lines =
        |file: &str| -> Vec<String> { file.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect() };
    assert_eq!(lines(&raw(Posting::First)), lines(&file));
    assert!(!raw(Posting::First).contains("__print_symbolic") && file.contains("__print_symbolic"));
    for (name, line) in lines(&file).iter().zip(lines(&raw(Posting::Second { raw: true }))) {
        let number =
            readahead_trace::PATTERN_NAMES.iter().position(|known| name.contains(&format!("readahead-{known}(")));
        let start = name.find("readahead-").unwrap();
        assert!(line[start..].starts_with(&format!("readahead-{}(", number.unwrap())), "{line}");
        assert_eq!(line.split_once('(').unwrap().1, name.split_once('(').unwrap().1);
    }
    // The table's rows add up from the lines.
    let stats = run.summary().unwrap().stats;
    for (pattern, row) in stats.rows() {
        let count = lines(&file)
            .iter()
            .filter(|line| pattern == "all" || line.contains(&format!("readahead-{pattern}(")))
            .count();
        assert_eq!(row.readahead, count as u64, "{pattern}");
    }
    // The inspection counts the pages that the lines say came in, and shows the inode as they do.
    let inspection = inspect::inspect(file.as_bytes(), |_| {}).unwrap();
    let pages = lines(&file).iter().map(|line| line.rsplit_once("= ").unwrap().1.parse::<u64>().unwrap()).sum::<u64>();
    let seen = &inspection.files[0];
    assert!(pages > 0 && inspection.files.len() == 1);
    assert_eq!((seen.pages_added, seen.windows_total), (pages, lines(&file).len() as u64));
    assert!(lines(&file)[0].contains(&format!("ino={},", seen.ino_shown)), "{}", seen.ino_shown);
}

/// Writing to the file resets all counters: what is counted from an event on is what comes after it, and two halves make
/// a whole.
#[test]
fn a_reset_counts_from_there_on() {
    for (model, patches) in [("linux-2.6.33", SERIES), ("linux-7.2", "")] {
        let run = run(model, patches);
        let whole = run.summary().unwrap().stats;
        assert_eq!(text::stats_from(&run, 0), whole, "{model}");
        let none = text::stats_from(&run, run.len());
        assert!(none.rows().iter().all(|(_, row)| row.readahead == 0 && row.io == 0), "{model}: {none:?}");
        let mut last = whole.all.readahead;
        let mut steps = 0;
        for from in 0..=run.len() {
            let now = text::stats_from(&run, from).all.readahead;
            assert!(now == last || now + 1 == last, "{model}: {last} windows, then {now} at event {from}");
            steps += u64::from(now < last);
            last = now;
        }
        assert_eq!((last, steps), (0, whole.all.readahead), "{model}");
    }
}
