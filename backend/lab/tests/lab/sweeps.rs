//! Sequential reads of a 64 MiB file over read_ahead_kb, max_sectors_kb and read size, with and without a first 4 KiB
//! read: the device reads that real kernels needed (6.1.187, 6.12.117 and 7.2.13, XFS on an emulated NVMe; 7.2.13 also
//! with keep-half-window).
//!
//! The captures count one or two metadata reads as well; the lab counts file data only.

use readahead_lab_core::run::run_to_end;
use readahead_lab_core::scenario::Scenario;

const OF_6_1: &str = include_str!("../fixtures/sweep-6.1-xfs.csv");
const OF_6_12: &str = include_str!("../fixtures/sweep-6.12-xfs.csv");
const STOCK: &str = include_str!("../fixtures/sweep-7.2-xfs.csv");
const PATCHED: &str = include_str!("../fixtures/sweep-7.2patch-xfs.csv");

/// In these rows the stock kernel needed one request more than the patched one, which decides the same there and agrees.
/// The first window is 1024 single pages, so its requests hang on which pages are neighbours in memory: a bio that holds
/// more than 256 pages because some are is cut in other places. (read_ahead_kb, max_sectors_kb, first 4 KiB read, read size.)
const ONE_MORE: [[u64; 4]; 2] = [[4096, 512, 0, 2 << 20], [4096, 256, 0, 2 << 20]];

const SCENARIO: &str = r#"
title = "sweep"
[kernel]
model = "linux-7.2"
[[file]]
name = "data"
size = "64M"
[[stream]]
ops = [{ op = "read", len = "64K", until = "eof" }]
"#;

fn device_reads(row: &[u64], model: &str, patches: &str) -> (u64, u64) {
    let [read_ahead_kb, max_sectors_kb, first_4k, read_size, ..] = *row else { panic!("a row has six numbers") };
    let plain = Scenario::from_toml(SCENARIO, "sweep").unwrap();
    let first = if first_4k == 1 { r#"{"op":"read","len":4096},"# } else { "" };
    // The guest's drive took commands of 512 KiB, or of 2 MiB where more was asked of it.
    let hw = if max_sectors_kb <= 512 { 512 } else { 2048 };
    let scenario = plain
        .with(&[
            format!("kernel.model={model}"),
            format!("kernel.patches={patches}"),
            format!("kernel.read_ahead_kb={read_ahead_kb}"),
            format!("kernel.max_sectors_kb={max_sectors_kb}"),
            format!("device.max_hw_sectors_kb={hw}"),
            format!(r#"stream.0.ops=[{first}{{"op":"read","len":{read_size},"until":"eof"}}]"#),
        ])
        .unwrap();
    let summary = run_to_end(&scenario).unwrap().summary().unwrap();
    (summary.device_reads, summary.device_read_bytes)
}

fn check(csv: &str, model: &str, patches: &str) {
    let mut missed = Vec::new();
    let mut rows = 0;
    for line in csv.lines().skip(1) {
        let row: Vec<u64> = line.split(',').map(|field| field.parse().unwrap()).collect();
        let (measured, sectors) = (row[4], row[5]);
        let (reads, bytes) = device_reads(&row, model, patches);
        rows += 1;
        let one_more = i64::from(
            model == "linux-7.2" && patches.is_empty() && ONE_MORE.iter().any(|place| row.starts_with(place)),
        );
        let metadata = measured as i64 - reads as i64 - one_more;
        // A metadata read is 4 to 16 KiB, so the bytes agree to less than that each.
        if !(1..=2).contains(&metadata) || (sectors * 512).abs_diff(bytes) > 32 * 1024 {
            missed.push(format!("{line}: computed {reads} reads, {bytes} bytes"));
        }
    }
    assert!(rows >= 170, "only {rows} rows");
    assert!(missed.is_empty(), "{} of {rows} differ:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn linux_6_1() {
    check(OF_6_1, "linux-6.1", "");
}

#[test]
fn linux_6_12() {
    check(OF_6_12, "linux-6.12", "");
}

#[test]
fn stock_kernel() {
    check(STOCK, "linux-7.2", "");
}

#[test]
fn with_keep_half_window() {
    check(PATCHED, "linux-7.2", "keep-half-window");
}
