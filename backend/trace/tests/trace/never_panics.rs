//! Whatever the bytes, reading ends with a report or an error. A failing case prints its input; put it into a test.

use crate::fixtures::fixture;
use proptest::prelude::*;
use readahead_trace::{Form, Item, Printer, TraceReader, inspect};

fn read(bytes: &[u8]) {
    let _ = inspect(bytes, |_| ());
    let Ok(mut reader) = TraceReader::new(bytes) else { return };
    let mut printed = Vec::new();
    let _ = reader.for_each(|item| {
        if let Item::Record(record) = item {
            for form in [Form::Linux5_10, Form::Linux6_1, Form::Linux6_12, Form::Linux7_2] {
                Printer::new(form).line(&record, &mut printed);
            }
        }
    });
}

/// Words of trace lines, to reach deep into the parsers.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "mm_filemap_add_to_page_cache:",
            "page_cache_sync_ra:",
            "page_cache_ra_order:",
            "block_rq_issue:",
            "block_bio_queue:",
            "block_rq_complete:",
            "block_bio_remap:",
            "block_unplug:",
            "sys_read(",
            "sys_openat(",
            "sys_read ->",
            "sys_enter:",
            "NR",
            "dev",
            "dev=",
            "259:0",
            "259,0",
            "ino",
            "ino=",
            "1a",
            "pfn=",
            "pfn=0x",
            "page=",
            "ofs=",
            "order=",
            "index=",
            "size=",
            "RA",
            "R",
            "WSM",
            "()",
            "(",
            ")",
            "+",
            "/",
            "<-",
            "be,0,4",
            "0x2,0,4",
            "|8|",
            "[wl]",
            "[",
            "]",
            "[-5]",
            "fd: 3,",
            "buf: 7f,",
            "count: 10)",
            "filename:",
            "\"",
            "flags:",
            "\", flags: O_RDONLY)",
            "CPU:0",
            "[LOST",
            "EVENTS]",
            "#",
            "cpus=",
            "wl-230",
            "[000]",
            ".....",
            "9.375119:",
            "us:",
            ">",
            "=3D",
            "=\n",
            "\n",
            "\r\n",
            "\x1b[m",
            "\t",
            "              wl-230     [000] .....     9.375037: ",
        ])
        .prop_map(str::to_owned),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<i64>().prop_map(|number| format!("{number:x}")),
        "\\PC{0,6}",
    ]
}

proptest! {
    #[test]
    fn on_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        read(&bytes);
    }

    #[test]
    fn on_words_of_trace_lines(words in prop::collection::vec((word(), any::<bool>()), 0..60)) {
        let text: String = words.iter().map(|(word, blank)| if *blank { format!("{word} ") } else { word.clone() }).collect();
        read(text.as_bytes());
    }

    #[test]
    fn on_a_capture_with_bytes_changed(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40)) {
        let mut text = fixture("7.2-xfs-J.gz");
        for (place, byte) in changes {
            let place = place.index(text.len());
            text[place] = byte;
        }
        read(&text);
    }
}
