//! trace.dat files: what is written can be taken apart by the file's own descriptions, and trace-cmd, where it is
//! installed, prints the events that went in.

use crate::fixtures::fixture;
use readahead_trace::{DatWriter, Folio, Form, Frame, Item, Printer, Record, Stamp, TraceReader, Tracepoint};
use readahead_types::Nanos;
use std::process::Command;

/// Kernel generation of a fixture, by its name.
fn form(name: &str) -> Form {
    match name.split('-').next() {
        Some("5.10") => Form::Linux5_10,
        Some("6.1") => Form::Linux6_1,
        Some("6.12") => Form::Linux6_12,
        _ => Form::Linux7_2,
    }
}

/// A file of all events of a fixture, and the events.
fn written(name: &str) -> (Vec<u8>, Vec<String>) {
    let text = fixture(name);
    let mut reader = TraceReader::new(text.as_slice()).unwrap();
    let mut writer = DatWriter::new(form(name), 2, "Linux lab x86_64");
    let mut events = Vec::new();
    reader
        .for_each(|item| {
            let Item::Record(record) = item else { return };
            assert!(writer.push(&record), "{name}: {record:?}");
            events.push(comparable(&record));
        })
        .unwrap();
    assert_eq!(writer.left_out(), 0, "{name}");
    let mut file = Vec::new();
    writer.finish(&mut file).unwrap();
    (file, events)
}

/// An event and what surrounds it, without what the two texts show differently: names of flags, the permissions of an
/// open that makes no file, and flag characters.
fn comparable(record: &Record<'_>) -> String {
    let event = match record.event {
        Tracepoint::SysEnter(readahead_trace::Syscall::Openat(openat)) => {
            format!("openat {} {:?} {:?} {}", openat.dfd, openat.name, openat.flags.bits(), openat.mode.unwrap_or(0))
        }
        Tracepoint::MmFilemapAddToPageCache(folio) => format!("add {:?}", without_page(folio)),
        Tracepoint::MmFilemapDeleteFromPageCache(folio) => format!("delete {:?}", without_page(folio)),
        event => format!("{event:?}"),
    };
    format!("{} {:?} {:?} {:?} {event}", record.comm, record.pid, record.cpu, record.at)
}

/// The address of a page's structure follows from its number and is not kept.
fn without_page(folio: Folio) -> Folio {
    Folio { frame: Frame { page: None, ..folio.frame }, ..folio }
}

const FIXTURES: [&str; 9] = [
    "7.2-xfs-A1.head.gz",
    "7.2-xfs-vExit.head.gz",
    "7.2-xfs-H.head.gz",
    "7.2-xfs-app-cp.gz",
    "7.2-xfs-J.gz",
    "5.10-xfs-B64.head.gz",
    "6.1-ext4-B64.head.gz",
    "6.12-xfs-A1.head.gz",
    "6.12-xfs-J.gz",
];

/// Reads numbers of a file, least byte first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Goes through the sections to the pages of processor 0: their bytes.
fn pages_of_first_cpu(file: &[u8]) -> &[u8] {
    let mut at = b"\x17\x08\x44tracing6\0".len();
    assert_eq!(&file[..at], b"\x17\x08\x44tracing6\0");
    assert_eq!(file[at..at + 6], [0, 8, 0, 16, 0, 0], "little endian, longs of 8 bytes, pages of 4096");
    at += 6;
    for name in [&b"header_page\0"[..], b"header_event\0"] {
        assert_eq!(&file[at..at + name.len()], name);
        at += name.len();
        at += 8 + number(&file[at..at + 8]) as usize;
    }
    assert_eq!(number(&file[at..at + 4]), 0);
    let systems = number(&file[at + 4..at + 8]);
    at += 8;
    for _ in 0..systems {
        at += file[at..].iter().position(|byte| *byte == 0).unwrap() + 1;
        let layouts = number(&file[at..at + 4]);
        at += 4;
        for _ in 0..layouts {
            let bytes = number(&file[at..at + 8]) as usize;
            assert!(file[at + 8..].starts_with(b"name: "));
            at += 8 + bytes;
        }
    }
    at += 8;
    at += 8 + number(&file[at..at + 8]) as usize;
    assert_eq!(number(&file[at..at + 4]), 2, "processors");
    at += 4;
    assert_eq!(&file[at..at + 10], b"options  \0");
    at += 10;
    while number(&file[at..at + 2]) != 0 {
        at += 6 + number(&file[at + 2..at + 6]) as usize;
    }
    at += 2;
    assert_eq!(&file[at..at + 10], b"flyrecord\0");
    at += 10;
    let (offset, bytes) = (number(&file[at..at + 8]) as usize, number(&file[at + 8..at + 16]) as usize);
    assert_eq!((offset % 4096, bytes % 4096), (0, 0));
    &file[offset..offset + bytes]
}

/// Times and lengths of the events on the pages.
fn events_on(pages: &[u8]) -> Vec<(u64, usize)> {
    let mut events = Vec::new();
    for page in pages.chunks(4096) {
        let (mut time, used) = (number(&page[..8]), number(&page[8..16]) as usize);
        let mut data = &page[16..16 + used];
        while !data.is_empty() {
            let header = number(&data[..4]);
            time += header >> 5;
            let (skip, bytes) = match header & 31 {
                30 => {
                    time += number(&data[4..8]) << 27;
                    data = &data[8..];
                    continue;
                }
                0 => (8, number(&data[4..8]) as usize - 4),
                words => (4, 4 * words as usize),
            };
            events.push((time, bytes));
            data = &data[skip + bytes..];
        }
    }
    events
}

#[test]
fn pages_hold_the_events_at_their_times() {
    let text = fixture("7.2-xfs-A1.head.gz");
    let mut times = Vec::new();
    TraceReader::new(text.as_slice())
        .unwrap()
        .for_each(|item| {
            if let Item::Record(Record { at: Some(Stamp::Time(at)), .. }) = item {
                times.push(at.0);
            }
        })
        .unwrap();
    let (file, _) = written("7.2-xfs-A1.head.gz");
    let events = events_on(pages_of_first_cpu(&file));
    assert_eq!(events.iter().map(|(time, _)| *time).collect::<Vec<_>>(), times);
    assert!(events.iter().all(|(_, bytes)| (12..=120).contains(bytes)));
}

#[test]
fn long_pauses_long_events_and_times_that_run_backwards() {
    let name = "x".repeat(500);
    let line = format!(
        "             a-1       [000] .....     1.000001: sys_openat(dfd: 4294967196, filename: 1 \"{name}\", flags: O_RDONLY)"
    );
    let mut reader = TraceReader::new(line.as_bytes()).unwrap();
    let Some(Item::Record(record)) = reader.next_item().unwrap() else { panic!() };
    let mut writer = DatWriter::new(Form::Linux7_2, 2, "x");
    let day = 86_400_000_000_000u64;
    for at in [5, 5 + day, 7 + day, 3, 8 + day] {
        assert!(writer.push(&Record { at: Some(Stamp::Time(Nanos(at))), ..record }));
    }
    assert!(!writer.push(&Record { at: None, ..record }), "without a time");
    assert!(!writer.push(&Record { cpu: Some(2), ..record }), "on a processor that is not there");
    assert_eq!(writer.left_out(), 2);
    let mut file = Vec::new();
    writer.finish(&mut file).unwrap();
    let events = events_on(pages_of_first_cpu(&file));
    let times: Vec<_> = events.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [5, 5 + day, 7 + day, 7 + day, 8 + day]);
    assert!(events.iter().all(|(_, bytes)| *bytes > 500));
}

/// The events that trace-cmd prints of a file.
fn reported(name: &str, file: &[u8]) -> Vec<String> {
    let path = std::env::temp_dir().join(format!("readahead-trace-{}-{name}.dat", std::process::id()));
    std::fs::write(&path, file).unwrap();
    let output = Command::new("trace-cmd").args(["report", "-t", "-i"]).arg(&path).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let mut reader = TraceReader::new(output.stdout.as_slice()).unwrap();
    let mut printed = Vec::new();
    reader
        .for_each(|item| {
            if let Item::Record(record) = item {
                printed.push(comparable(&record));
            }
        })
        .unwrap();
    assert!(reader.skipped().is_empty(), "{name}: {:?}", reader.skipped());
    printed
}

#[test]
fn trace_cmd_prints_what_went_in() {
    if Command::new("trace-cmd").arg("--version").output().is_err() {
        eprintln!("trace-cmd is not installed: not checked");
        return;
    }
    for name in FIXTURES {
        let (file, mut events) = written(name);
        let mut printed = reported(name, &file);
        // trace-cmd merges the processors by time and keeps no order between equal times.
        events.sort();
        printed.sort();
        assert_eq!(printed, events, "{name}");
    }
}

/// The event of the 2010 series, as its second posting stores it: a number that is named when it is printed.
#[test]
fn the_window_of_the_2010_series_keeps_its_number() {
    let text = concat!(
        "          <idle>-0     [000]     1.000001: readahead: ",
        "readahead-random(dev=0:15, ino=100177, req=300+4, ra=300+4-0, async=0) = 4\n",
        "              cp-77    [001]     1.000002: readahead: ",
        "readahead-subsequent(dev=0:15, ino=100177, req=312+4, ra=328+48-48, async=1) = 20\n",
    );
    let mut reader = TraceReader::new(text.as_bytes()).unwrap();
    let (mut writer, mut printed) = (DatWriter::new(Form::Linux2_6_33, 2, "x"), Vec::new());
    let mut later = DatWriter::new(Form::Linux7_2, 2, "x");
    let mut windows = Vec::new();
    reader
        .for_each(|item| {
            let Item::Record(record) = item else { panic!("{item:?}") };
            assert!(writer.push(&record) && !later.push(&record), "an event of its own generation only");
            Printer::new(Form::Linux2_6_33).line(&record, &mut printed);
            windows.push(comparable(&record));
        })
        .unwrap();
    assert_eq!(String::from_utf8(printed).unwrap(), text);
    let mut file = Vec::new();
    writer.finish(&mut file).unwrap();
    let described = String::from_utf8_lossy(&file);
    assert!(described.contains("{ 6, \"random\" }, { 7, \"all\" })"));
    assert!(!described.contains("name: block_rq_issue\n"));
    // The pattern is the first field behind those that all events have.
    let event = &pages_of_first_cpu(&file)[16 + 4 + 8..];
    assert_eq!(number(&event[..4]), 6);
    if Command::new("trace-cmd").arg("--version").output().is_ok() {
        assert_eq!(reported("series", &file), windows);
    }
}
