//! Listings of mails, line by line, and other facts that a whole run must show.

use readahead_lab_core::library;
use readahead_lab_core::run::run_to_end;
use readahead_lab_core::scenario::Scenario;
use readahead_lab_core::text::write_trace;

/// A run's trace file.
fn trace_of(scenario: &Scenario) -> String {
    let recording = run_to_end(scenario).expect("the run ends");
    let mut trace = Vec::new();
    write_trace(&recording, &mut trace).expect("memory can be written");
    String::from_utf8(trace).expect("it is text")
}

/// Its requests to the device.
fn block_lines(scenario: &Scenario) -> impl Iterator<Item = String> {
    let issued: Vec<String> =
        trace_of(scenario).lines().filter(|line| line.contains("block_rq_issue:")).map(String::from).collect();
    issued.into_iter()
}

/// Its lines of the 2010 series, without the prefix.
fn lines(scenario: &Scenario) -> Vec<String> {
    let trace = trace_of(scenario);
    let event = |line: &str| line.split_once("readahead: ").map(|(_, event)| event.to_owned());
    trace.lines().filter(|line| !line.starts_with('#')).filter_map(event).collect()
}

#[test]
fn cp_test_file_prints_the_listing_of_the_2010_mail() {
    // "cp test-file /dev/null" of the series' introduction: pattern, req, ra, async, pages read.
    let scenario = library::scenario("series-2010-cp-test-file").unwrap();
    assert_eq!(
        lines(&scenario),
        [
            "readahead-initial(dev=0:15, ino=100177, req=0+2, ra=0+4-2, async=0) = 4",
            "readahead-subsequent(dev=0:15, ino=100177, req=2+2, ra=4+8-8, async=1) = 8",
            "readahead-subsequent(dev=0:15, ino=100177, req=4+2, ra=12+16-16, async=1) = 16",
            "readahead-subsequent(dev=0:15, ino=100177, req=12+2, ra=28+32-32, async=1) = 32",
            "readahead-subsequent(dev=0:15, ino=100177, req=28+2, ra=60+60-60, async=1) = 24",
            "readahead-subsequent(dev=0:15, ino=100177, req=60+2, ra=120+60-60, async=1) = 0",
        ]
    );
}

#[test]
fn the_lseek_patch_spares_the_probe_of_a_file_but_not_of_a_device_node() {
    let series = "kernel.patches=ra-flags,retain-inactive,thrashing-safe,patterns,lseek-flag";
    let pages = |settings: &[&str]| {
        let scenario = library::scenario("series-2010-blkid").and_then(|scenario| scenario.with(settings)).unwrap();
        run_to_end(&scenario).unwrap().summary().unwrap().pages_read
    };
    // Stock: 4 + 8 + 16 pages. With the patch page 0 comes alone, and the second read, behind it, brings its window and the next.
    assert_eq!(pages(&[]), 28);
    assert!(pages(&[series]) < 28);
    assert_eq!(pages(&[series, "file.0.filesystem=blockdev"]), pages(&["file.0.filesystem=blockdev"]));
}

#[test]
fn direct_reads_pass_by_the_page_cache_and_the_readahead_code() {
    let text = r#"
        title = "direct"
        [kernel]
        model = "linux-5.10"
        max_sectors_kb = 512
        [[file]]
        name = "data"
        size = "4M"
        [[stream]]
        ops = [
            { op = "open", fh = 1, direct = true },
            { op = "read", fh = 1, len = "1M", until = "eof" },
            { op = "read", len = "4K" },
        ]
    "#;
    let scenario = Scenario::from_toml(text, "test").unwrap();
    let summary = run_to_end(&scenario).unwrap().summary().unwrap();
    // 4 MiB in requests of 512 KiB, then one window of 4 pages for the buffered read: nothing was cached before it.
    assert_eq!((summary.device_reads, summary.windows, summary.pages_read), (8 + 1, 1, 4));
    assert_eq!(summary.requested_bytes, (4 << 20) + 4096);
    // Specification of the block events: direct I/O is RS.
    let direct = block_lines(&scenario).filter(|line| line.contains(" RS ")).count();
    assert_eq!(direct, 8);
}
