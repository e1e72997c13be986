//! Lines of real captures, read and printed again, come out byte for byte. The captures were made on stock kernels; each
//! fixture is the head of one.

use crate::fixtures::{fixture, fixture_names};
use readahead_trace::{Columns, Form, Item, Printer, TimeDigits, TraceReader};

/// Kernel generation of a fixture, by its name.
fn form(name: &str) -> Form {
    match name.split('-').next() {
        Some("5.10") => Form::Linux5_10,
        Some("6.1") => Form::Linux6_1,
        Some("6.12") => Form::Linux6_12,
        Some("7.2") => Form::Linux7_2,
        other => panic!("fixture of an unknown kernel: {other:?}"),
    }
}

/// The printer whose options are those of the capture. `None`: a layout that is only read.
fn printer(name: &str) -> Option<Printer> {
    let mut printer = Printer { form: form(name), columns: Columns::default() };
    if name.contains("vTgid") {
        printer.columns.tgid = true;
    } else if name.contains("vNoirq") {
        printer.columns.flags = false;
    } else if name.contains("vLat") || name.contains("report") || name.contains("script") {
        return None;
    }
    Some(printer)
}

#[test]
fn every_line_of_a_trace_file_comes_out_as_it_was() {
    let mut files = 0;
    for name in fixture_names() {
        let Some(printer) = printer(&name) else { continue };
        check(&name, printer, &fixture(&name));
        files += 1;
    }
    assert!(files >= 18, "only {files} fixtures were checked");
}

fn check(name: &str, printer: Printer, text: &[u8]) {
    let mut reader = TraceReader::new(text).unwrap();
    let mut printed = Vec::new();
    while let Some(item) = reader.next_item().unwrap() {
        match item {
            Item::Record(record) => printer.line(&record, &mut printed),
            Item::Lost(lost) => printer.lost(&lost, &mut printed),
        }
    }
    assert!(reader.skipped().is_empty(), "{name}: {:?}", reader.skipped());
    let mut whole = Vec::new();
    let header = reader.header();
    if let (Some(in_buffer), Some(written), Some(cpus)) =
        (header.entries_in_buffer, header.entries_written, header.cpus)
    {
        printer.header(in_buffer, written, cpus, &mut whole);
    }
    whole.extend_from_slice(&printed);
    let (left, right) = (text.split(|byte| *byte == b'\n'), whole.split(|byte| *byte == b'\n'));
    for (number, (left, right)) in left.zip(right).enumerate() {
        let (left, right) = (String::from_utf8_lossy(left), String::from_utf8_lossy(right));
        assert_eq!(left, right, "{name}, line {}", number + 1);
    }
    assert_eq!(text.len(), whole.len(), "{name}");
}

/// The texts of trace-cmd and perf differ in the padding behind the event's name and in priorities; printed by us they must be
/// readable again as the same events.
#[test]
fn what_is_read_from_other_layouts_can_be_printed_and_read_again() {
    for name in fixture_names().into_iter().filter(|name| printer(name).is_none()) {
        let text = fixture(&name);
        let printer = Printer { form: form(&name), columns: Columns { time: TimeDigits::Nanos, ..Columns::default() } };
        let mut reader = TraceReader::new(text.as_slice()).unwrap();
        let mut count = 0;
        reader
            .for_each(|item| {
                let Item::Record(record) = item else { panic!("{name}: a gap") };
                let mut line = Vec::new();
                printer.line(&record, &mut line);
                let mut again = TraceReader::new(line.as_slice()).unwrap();
                let Some(Item::Record(again)) = again.next_item().unwrap() else {
                    panic!("{name}: {}", String::from_utf8_lossy(&line));
                };
                assert_eq!(again.event, record.event, "{name}: {}", String::from_utf8_lossy(&line));
                assert_eq!((again.comm, again.pid, again.at), (record.comm, record.pid, record.at));
                count += 1;
            })
            .unwrap();
        assert!(reader.skipped().is_empty(), "{name}: {:?}", reader.skipped());
        assert!(count >= 200, "{name}: {count}");
    }
}
