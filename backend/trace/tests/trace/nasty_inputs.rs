//! Inputs that break parsers: losses, broken lines, headers, packings, encodings, ends.

use crate::fixtures::{fixture, packed_fixture};
use readahead_trace::inspect::Source;
use readahead_trace::{Inspection, SkipReason, TraceError, inspect};
use readahead_types::Via;

fn of(text: &str) -> Inspection {
    inspect(text.as_bytes(), |_| ()).unwrap()
}

fn error(bytes: &[u8]) -> TraceError {
    inspect(bytes, |_| ()).unwrap_err()
}

const SYNC: &str = "              wl-230     [000] .....     9.375037: page_cache_sync_ra: dev=259:0 ino=85 index=0 \
                    req_count=1 order=0 size=0 async_size=0 ra_pages=32 mmap_miss=0 prev_pos=-1\n";
const ORDER: &str = "              wl-230     [000] .....     9.375119: page_cache_ra_order: dev=259:0 ino=85 index=0 \
                     order=0 size=4 async_size=3 ra_pages=32\n";

fn added(ofs: u64) -> String {
    format!(
        "              wl-230     [000] .....     9.375192: mm_filemap_add_to_page_cache: dev 259:0 ino 85 pfn=0x1 \
         ofs={ofs} order=0\n"
    )
}

#[test]
fn a_gap_is_counted_and_splits_windows() {
    let joined = of(&format!("{SYNC}{ORDER}"));
    assert_eq!(joined.files[0].windows[0].via, Some(Via::Sync));
    for (gap, events) in [
        ("CPU:9 [LOST 4084645 EVENTS]", Some(4_084_645)),
        ("CPU:0 [LOST EVENTS]", None),
        ("\tCPU:0 [LOST 7 EVENTS]", Some(7)),
        ("[ 1234.567890] CPU:3 [LOST 7 EVENTS]", Some(7)),
    ] {
        let split = of(&format!("{gap}\n{SYNC}{gap}\n{ORDER}{gap}"));
        assert_eq!(split.files[0].windows[0].via, Some(Via::Around), "{gap}: the trigger may be another one's");
        assert_eq!((split.gaps_total, split.gaps[1].line, split.gaps[1].events), (3, 3, events), "{gap}");
        assert_eq!(split.lost_events, 3 * events.unwrap_or(0));
        let runs = of(&format!("{}{}{gap}\n{}", added(0), added(4096), added(8192)));
        let sizes: Vec<_> = runs.files[0].windows.iter().map(|window| (window.source, window.size)).collect();
        assert_eq!(sizes, [(Source::Folios, 2), (Source::Folios, 1)], "{gap}");
    }
}

#[test]
fn events_that_a_mail_program_broke() {
    let inspection = of("ftrace log shows every single pair of block_rq_issue and \n\
        block_rq_complete spends 0.07s.\n\n\
        test-2991    0.....   119.255974: block_rq_issue:       8,0 R 1310720 () \n\
        505083904 + 2560 0x0,0,0 [test]\n\
        test-2991    0d..1.   119.255977: ata_qc_issue:         [FAILED TO \n\
        PARSE] ata_port=1 ata_dev=0 tag=19\n\
        \x20    test-2991    0.....   119.255979: block_rq_issue:       8,0 R \n\
        1310720 () 505086464 + 2560\n\
        0x0,0,0\n\
        [test]\n\
        484>\n\
        \x20  test-2991    0.....   119.255979: block_rq_issue:       8,0 R 1310\n");
    assert_eq!(inspection.events["block_rq_issue"], 2);
    assert_eq!(inspection.events["ata_qc_issue"], 1);
    let device = &inspection.devices[0];
    assert_eq!((device.reads, device.read_bytes), (2, 2 * 1_310_720));
    let skipped: Vec<_> = inspection.skipped.iter().map(|s| (s.reason, s.count, s.first_line)).collect();
    assert_eq!(skipped, [(SkipReason::NoEvent, 4, 1), (SkipReason::BadText, 1, 13)]);
    assert!(inspection.skipped[0].first_text.starts_with("ftrace log shows every single pair"));
}

#[test]
fn quoted_mail_and_soft_line_breaks() {
    let inspection = of("> >>> On Tuesday somebody wrote:\n\
        >> >>>              wl-230     [000] .....     1.000001: block_bio_queue: 8,64 RA 35156656120 + 8 [systemd-ud=\n\
        > >> evd]\n\
        \x20             wl-230     [000] .....     1.000002: mm_filemap_fault: dev=3D8:1 ino=3D1a ofs=3D4096\n");
    assert_eq!(inspection.events["block_bio_queue"], 1);
    assert_eq!(inspection.events["mm_filemap_fault"], 1);
    assert_eq!(inspection.files[0].ino, 0x1a);
    assert_eq!(inspection.skipped[0].count, 1);
}

#[test]
fn times_in_any_order() {
    let line = |time: &str, cpu: u32| {
        format!("            fio-1     [{cpu:03}] ..... {time}: block_bio_queue: 8,0 R 8 + 8 [fio]\n")
    };
    let text: String =
        [line("5.000001", 0), line("3.000001", 1), line("3.000001", 1), line("3000000.5", 2), line("0.0", 3)].concat();
    let inspection = of(&text);
    assert_eq!(inspection.records, 5);
    assert_eq!((inspection.first_ns, inspection.span_ns), (Some(0), Some(3_000_000_500_000_000)));
    assert!(inspection.notes.iter().any(|note| note == "time runs backwards at 2 lines"), "{:?}", inspection.notes);
}

#[test]
fn header_lines_anywhere() {
    let inspection = of(&format!(
        "{SYNC}version = 6\nCPU 3 is empty\ncpus=6\n# entries-in-buffer/entries-written: 2/9   #P:48\n{ORDER}"
    ));
    assert_eq!((inspection.records, inspection.lines), (2, 6));
    assert_eq!(inspection.header.cpus, Some(48));
    assert_eq!((inspection.overwritten_events, inspection.lost_events), (7, 7));
    assert!(inspection.skipped.is_empty(), "{:?}", inspection.skipped);
}

#[test]
fn nothing_usable() {
    let header = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 0/0   #P:1\n";
    let TraceError::NothingUsable(inspection) = error(header.as_bytes()) else { panic!() };
    assert_eq!((inspection.lines, inspection.records), (3, 0));
    let line = "          <idle>-0     [000] d..2  1136.097253: cpu_idle: state=0 cpu_id=0\n";
    let error = error(line.repeat(1300).as_bytes());
    assert_eq!(error.code(), "trace.nothing_usable");
    assert_eq!(
        error.to_string(),
        "read 1300 lines, but nothing usable in them: expected filemap, readahead, block or read events, found only \
         cpu_idle"
    );
    let prose = "Dear list,\nthis is no trace.\n";
    assert!(matches!(super::nasty_inputs::error(prose.as_bytes()), TraceError::NothingUsable(_)));
}

#[test]
fn empty_binary_and_foreign_inputs() {
    assert!(matches!(error(b""), TraceError::Empty));
    let gzip_of_nothing = {
        let mut out = Vec::new();
        std::io::Read::read_to_end(&mut flate2::read::GzEncoder::new(&b""[..], flate2::Compression::fast()), &mut out)
            .unwrap();
        out
    };
    assert!(matches!(error(&gzip_of_nothing), TraceError::Empty));
    assert!(matches!(error(b"text\0more"), TraceError::Binary { byte: 0, offset: 4 }));
    assert!(matches!(error(&[0u8; 5000]), TraceError::Binary { byte: 0, offset: 0 }));
    for (bytes, what) in [
        (&b"\xfd7zXZ\0\0\x04"[..], "packed with xz"),
        (b"\xff\xfe#\0 \0", "UTF-16 text"),
        (b"\x17\x08\x44tracing6\0", "a trace.dat file of trace-cmd"),
        (b"PERFILE2\x68\0", "a perf.data file"),
    ] {
        let error = error(bytes);
        assert!(error.to_string().contains(what), "{error}");
        assert_eq!(error.code(), "trace.unsupported");
    }
    assert!(matches!(error(b"\x1f\x8b\x08\x00\x00"), TraceError::Read { offset: 0, .. }));
    assert!(matches!(error(b"\x1f\x8bjunk that is no gzip stream"), TraceError::Read { offset: 0, .. }));
}

#[test]
fn cut_gzip_gives_what_was_read_and_a_note() {
    let packed = packed_fixture("7.2-xfs-A1.head.gz");
    let whole = inspect(packed.as_slice(), |_| ()).unwrap();
    let cut = inspect(&packed[..packed.len() / 2], |_| ()).unwrap();
    assert!(cut.records > 50 && cut.records < whole.records, "{}", cut.records);
    assert!(cut.notes[0].starts_with("the packed input ends before its time"), "{:?}", cut.notes);
    assert!(cut.skipped.iter().all(|skipped| skipped.reason == SkipReason::Cut), "{:?}", cut.skipped);
    let zstd = zstd::encode_all(fixture("7.2-xfs-A1.head.gz").repeat(40).as_slice(), 1).unwrap();
    let cut = inspect(&zstd[..zstd.len() - 100], |_| ()).unwrap();
    assert!(cut.records > 1000);
    assert!(cut.notes.iter().any(|note| note.starts_with("the packed input ends before its time")), "{:?}", cut.notes);
}

#[test]
fn marks_ends_and_colours() {
    let plain = of(&format!("{SYNC}{ORDER}"));
    let expected = serde_json::to_value(&plain.files).unwrap();
    let dos = format!("{SYNC}{ORDER}").replace('\n', "\r\n");
    let marked = format!("\u{feff}{SYNC}{ORDER}");
    let unfinished = format!("{SYNC}{}", ORDER.trim_end());
    let coloured = format!("{SYNC}{ORDER}").replace("page_cache", "\x1b[01;31m\x1b[Kpage_cache\x1b[m\x1b[K");
    let script = format!("{SYNC}{ORDER}").replace('\n', "\\n\\\n");
    for text in [dos, marked, unfinished, coloured, script] {
        let inspection = of(&text);
        assert_eq!(serde_json::to_value(&inspection.files).unwrap(), expected, "{text}");
        assert!(inspection.skipped.is_empty(), "{text}: {:?}", inspection.skipped);
    }
    let cut = of(&format!("{SYNC}{}", &ORDER[..ORDER.len() - 12]));
    assert_eq!((cut.skipped[0].reason, cut.skipped[0].first_line), (SkipReason::Cut, 2));
}

#[test]
fn lines_that_are_too_long_are_skipped() {
    let long = format!("{SYNC}{}\n{ORDER}{}", "x".repeat(300_000), "y".repeat(70_000));
    let inspection = of(&long);
    assert_eq!((inspection.records, inspection.lines), (2, 4));
    let skipped = &inspection.skipped[0];
    assert_eq!((skipped.reason, skipped.count, skipped.first_line), (SkipReason::TooLong, 2, 2));
    assert_eq!(skipped.first_text, "x".repeat(120));
    assert_eq!(inspection.text_bytes, long.len() as u64);
}

#[test]
fn bytes_that_are_no_utf8_are_shown_as_such() {
    let mut text = b"caf\xe9 in Latin-1\n".to_vec();
    text.extend_from_slice(SYNC.as_bytes());
    text.extend_from_slice(b"          caf\xe9 x-77      [000] .....     9.4: mm_filemap_fault: dev=8:1 ino=1 ofs=0\n");
    let inspection = inspect(text.as_slice(), |_| ()).unwrap();
    assert_eq!(inspection.records, 2);
    assert_eq!(inspection.skipped[0].first_text, "caf\u{fffd} in Latin-1");
    assert!(inspection.tasks.iter().any(|task| task.comm == "caf" && task.pid == Some(77)), "{:?}", inspection.tasks);
}

/// An input whose reading fails half-way.
struct Failing<'a>(&'a [u8]);

impl std::io::Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer)? {
            0 => Err(std::io::Error::from_raw_os_error(5)),
            bytes => Ok(bytes),
        }
    }
}

#[test]
fn a_disk_error_is_not_an_end() {
    let text = format!("{SYNC}{ORDER}").repeat(5000);
    let error = inspect(Failing(text.as_bytes()), |_| ()).unwrap_err();
    assert_eq!(error.code(), "trace.unreadable");
    let error = inspect(Failing(&packed_fixture("7.2-xfs-A1.head.gz")[..5000]), |_| ()).unwrap_err();
    assert_eq!(error.code(), "trace.unreadable", "also behind a decoder");
}
