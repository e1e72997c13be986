//! What an inspection says of real captures. The right values are those that were noted when the captures were made:
//! workload, sizes, disk statistics.

use crate::fixtures::packed_fixture;
use readahead_trace::inspect::Source;
use readahead_trace::{Inspection, inspect};
use readahead_types::Via;

fn of(name: &str) -> Inspection {
    inspect(packed_fixture(name).as_slice(), |_| ()).unwrap()
}

#[test]
fn windows_of_linux_7_2() {
    // 4 KiB read at 0, then 1 MiB reads: the worked example of the October 2026 discussion. The fields are those of the
    // page_cache_ra_order lines, in order.
    let inspection = of("7.2-xfs-A1.head.gz");
    let file = &inspection.files[0];
    assert_eq!((file.dev.as_str(), file.ino, file.name.as_deref()), ("259:0", 133, Some("/mnt/data/f64")));
    let windows: Vec<_> = file
        .windows
        .iter()
        .take(4)
        .map(|w| (w.via, w.index, w.req_count, w.start, w.size, w.async_size, w.order, w.ra_pages, w.folios, w.pages))
        .collect();
    let (sync, marker) = (Some(Via::Sync), Some(Via::Async));
    assert_eq!(
        windows,
        [
            (sync, Some(0), Some(1), 0, 4, Some(3), Some(0), Some(32), 4, 4),
            (marker, Some(1), Some(256), 4, 16, Some(16), Some(2), Some(32), 4, 16),
            (marker, Some(4), Some(253), 20, 28, Some(28), Some(4), Some(32), 3, 28),
            (marker, Some(20), Some(237), 48, 16, Some(16), Some(6), Some(32), 1, 16),
        ]
    );
    assert_eq!((file.windows[0].line, file.windows[0].at_ns), (22, Some(9_375_119_000)));
    assert!(file.windows.iter().all(|window| window.source == Source::Events));
    assert_eq!(inspection.kernel.model, Some("linux-7.2"));
    assert_eq!((inspection.format, inspection.packing), ("tracefs", readahead_trace::Packing::Gzip));
}

#[test]
fn fadvise_and_faults_of_linux_7_2() {
    // fadvise WILLNEED of everything brings 128 pages (max_sectors 512 KiB), then a mapping is touched.
    let inspection = of("7.2-xfs-H.head.gz");
    let windows = &inspection.files[0].windows;
    assert_eq!((windows[0].via, windows[0].start, windows[0].size), (Some(Via::Force), 0, 128));
    assert_eq!((windows[1].via, windows[1].fell_back), (Some(Via::Around), true), "four of its pages were cached");
    assert_eq!(windows[2].via, Some(Via::Async));
}

#[test]
fn windows_from_folios_on_older_kernels() {
    // Sequential 64 KiB reads of a 16 MiB file: 128 windows of 32 pages, of which these heads hold the first ones.
    for (name, model, order) in [("5.10-xfs-B64.head.gz", "linux-5.10", 0), ("6.1-ext4-B64.head.gz", "linux-6.1", 0)] {
        let inspection = of(name);
        assert_eq!(inspection.kernel.model, Some(model), "{name}");
        let windows = &inspection.files[0].windows;
        assert!(windows.len() >= 10, "{name}");
        for (at, window) in windows.iter().take(windows.len() - 1).enumerate() {
            assert_eq!((window.source, window.via), (Source::Folios, None), "{name}");
            assert_eq!((window.start, window.size, window.order), (32 * at as u64, 32, Some(order)), "{name}, {at}");
        }
    }
    let inspection = of("6.12-xfs-A1.head.gz");
    assert_eq!((inspection.kernel.model, inspection.kernel.or_later), (Some("linux-6.12"), true));
    let windows = &inspection.files[0].windows;
    assert_eq!((windows[0].start, windows[0].size), (0, 4));
}

#[test]
fn devices() {
    // Disk statistics of the capture: 4 reads, 68 KiB.
    let inspection = of("7.2-xfs-J.gz");
    let [device] = inspection.devices.as_slice() else { panic!("{:?}", inspection.devices) };
    assert_eq!((device.dev.as_str(), device.reads, device.read_bytes), ("259:0", 4, 68 * 1024));
    assert_eq!(device.counted_from, "block_rq_issue");
    let sizes: Vec<_> = device.read_size_histogram.iter().map(|(size, count)| (*size, *count)).collect();
    assert_eq!(sizes, [(4096, 1), (16_384, 2), (32_768, 1)]);
    assert_eq!((device.by_rwbs["RA"].requests, device.by_rwbs["RM"].requests), (3, 1));
    // 66 reads, 16404 KiB.
    let device = &of("7.2-xfs-app-cp.gz").devices[0];
    assert_eq!((device.reads, device.read_bytes), (66, 16_404 * 1024));
}

#[test]
fn names_of_files() {
    // With the line of the return, the descriptor is known.
    let file = &of("7.2-xfs-vExit.head.gz").files[0];
    assert_eq!((file.name.as_deref(), file.name_guessed), (Some("/mnt/data/f16"), false));
    // GNU cp opens its target as a folder, the source, then the target for writing.
    let file = &of("7.2-xfs-app-cp.gz").files[0];
    assert_eq!((file.name.as_deref(), file.name_guessed), (Some("/mnt/data/f16"), true));
    // A mapping's faults are of the file that was mapped.
    assert_eq!(of("7.2-xfs-Gseq.head.gz").files[0].name.as_deref(), Some("/mnt/data/f16"));
    // Up to linux-6.12 the trace shows only the address of the name.
    assert_eq!(of("6.12-xfs-J.gz").files[0].name, None);
}

#[test]
fn losses() {
    // The header says 236/9002.
    let inspection = of("7.2-xfs-vLost.gz");
    assert_eq!((inspection.records, inspection.overwritten_events, inspection.lost_events), (236, 8766, 8766));
    // trace_pipe: the first two gaps of the file stand in its first 1000 lines.
    let inspection = of("6.12-xfs-vPipe.head.gz");
    let gaps: Vec<_> = inspection.gaps.iter().map(|gap| (gap.line, gap.cpu, gap.events)).collect();
    assert_eq!(gaps, [(91, Some(0), Some(86)), (912, Some(0), Some(363))]);
    assert_eq!((inspection.lost_events, inspection.lines), (449, 1000));
}

#[test]
fn formats_and_clocks() {
    let counter = of("6.1-xfs-vCounter.gz");
    assert_eq!((counter.span_ns, counter.records), (None, 115));
    assert!(counter.notes.iter().any(|note| note.starts_with("the clock counts events")));
    let latency = of("7.2-xfs-vLat.head.gz");
    assert_eq!(latency.kernel.release.as_deref(), Some("7.2.13+deb14-cloud-amd64"));
    assert_eq!((latency.kernel.model, latency.header.entries_written), (Some("linux-7.2"), Some(1329)));
    for name in ["6.12-xfs-tcB64.report.head.gz", "7.2-xfs-tcA1.report-raw.gz", "7.2-xfs-tcA1.report-latency.gz"] {
        assert_eq!(of(name).format, "trace-cmd", "{name}");
    }
    // Raw fields and formatted text of one recording tell the same, but for the flags that only the latency form shows.
    let raw = of("7.2-xfs-tcA1.report-raw.gz");
    let latency = of("7.2-xfs-tcA1.report-latency.gz");
    assert_eq!(raw.events, latency.events);
    assert_eq!(serde_json::to_value(&raw.devices).unwrap(), serde_json::to_value(&latency.devices).unwrap());
    assert_eq!(serde_json::to_value(&raw.files).unwrap(), serde_json::to_value(&latency.files).unwrap());
    let (raw, text) = (of("7.2-xfs-tcA1.report-raw-reads.gz"), of("7.2-xfs-tcA1.report-reads.gz"));
    assert_eq!((raw.records, raw.skipped.len()), (300, 0));
    assert_eq!(raw.events, text.events);
    assert_eq!(serde_json::to_value(&raw.devices).unwrap(), serde_json::to_value(&text.devices).unwrap());
    assert_eq!(serde_json::to_value(&raw.files).unwrap(), serde_json::to_value(&text.files).unwrap());
    for (name, records, model) in [
        ("7.2-xfs-perfD.script.reads.gz", 400, "linux-7.2"),
        ("7.2-xfs-perfD.script-ns.head.gz", 200, "linux-6.12"), // its readahead events come later
    ] {
        let perf = of(name);
        assert_eq!((perf.format, perf.records, perf.kernel.model), ("perf-script", records, Some(model)), "{name}");
        assert!(perf.skipped.is_empty(), "{:?}", perf.skipped);
    }
    let raw = of("6.12-xfs-vRaw.gz");
    assert!(raw.notes.iter().any(|note| note.contains("x86-64")));
}
