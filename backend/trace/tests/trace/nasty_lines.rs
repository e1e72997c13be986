//! Lines that break parsers: odd names, odd columns, odd numbers. Each was seen in a public log, or is one step from one.

use readahead_trace::{Dev, IoClass, Item, Record, Stamp, Syscall, TraceReader, Tracepoint};
use readahead_types::{Bytes, Nanos, Order, PageIndex, Pages, Sectors};

/// Reads one line that holds one event.
fn with_record<T>(line: &str, check: impl FnOnce(Record<'_>) -> T) -> T {
    let mut reader = TraceReader::new(line.as_bytes()).unwrap();
    match reader.next_item().unwrap() {
        Some(Item::Record(record)) => check(record),
        other => panic!("{line}: {other:?}"),
    }
}

/// Reads a line that looks like an event but is none.
fn is_skipped(line: &str) -> bool {
    let mut reader = TraceReader::new(line.as_bytes()).unwrap();
    reader.next_item().unwrap().is_none()
}

#[test]
fn names_with_open_brackets_dashes_and_blanks() {
    with_record(
        " elasticsearch[i-2211    [003] ..... 200001.000001: block_bio_queue: 253,0 RA 1000 + 256 [elasticsearch[i]",
        |record| {
            let Tracepoint::BlockBioQueue(bio) = record.event else { panic!("{record:?}") };
            assert_eq!((record.comm, record.pid, bio.comm), ("elasticsearch[i", Some(2211), "elasticsearch[i"));
        },
    );
    with_record("io_uring-sq-4518-4519  [012] ..... 1.000001: block_plug: [io_uring-sq-4518]", |record| {
        let Tracepoint::BlockPlug(plug) = record.event else { panic!("{record:?}") };
        assert_eq!((record.comm, record.pid, plug.comm), ("io_uring-sq-4518", Some(4519), "io_uring-sq-4518"));
    });
    with_record("    Web Content-77      [001] ..... 1.000001: block_unplug: [Web Content] 3", |record| {
        let Tracepoint::BlockUnplug(unplug) = record.event else { panic!("{record:?}") };
        assert_eq!((record.comm, unplug.comm, unplug.nr_rq), ("Web Content", "Web Content", 3));
    });
    with_record("            a]b-77      [001] ..... 1.000001: block_unplug: [a]b] 3", |record| {
        let Tracepoint::BlockUnplug(unplug) = record.event else { panic!("{record:?}") };
        assert_eq!((unplug.comm, unplug.nr_rq), ("a]b", 3));
    });
}

#[test]
fn process_columns_of_one_file() {
    for (column, tgid) in [("(27176)", Some(27176)), ("(-----)", None), ("( 1322)", Some(1322)), ("(-------)", None)] {
        let line = format!(
            "          <...>-27197 {column} [002] .... 16136.613471: mm_filemap_add_to_page_cache: \
             dev 253:6 ino 7580 page=00000000aca88a97 pfn=743346 ofs=241664"
        );
        with_record(&line, |record| assert_eq!((record.tgid, record.cpu), (tgid, Some(2)), "{column}"));
    }
}

#[test]
fn no_task_then_no_time_either() {
    with_record(
        "1327.539878: page_cache_sync_ra: dev=252:16 ino=e index=0 req_count=8192 order=9 size=0 async_size=0 \
         ra_pages=4096 mmap_miss=0 prev_pos=-1",
        |record| {
            let Tracepoint::PageCacheSyncRa(ra) = record.event else { panic!("{record:?}") };
            assert_eq!((record.pid, record.at), (None, Some(Stamp::Time(Nanos(1_327_539_878_000)))));
            assert_eq!((ra.ino, ra.req_count, ra.order, ra.prev_pos), (14, Pages(8192), 9, -1));
        },
    );
    with_record("page_cache_ra_unbounded: dev=252:16 ino=e index=512 nr_to_read=2048 lookahead_size=0", |record| {
        let Tracepoint::PageCacheRaUnbounded(ra) = record.event else { panic!("{record:?}") };
        assert_eq!((record.at, ra.index, ra.nr_to_read), (None, PageIndex(512), Pages(2048)));
    });
    assert!(is_skipped("Before:"));
    assert!(is_skipped("Note: page_cache_ra_unbounded is called"));
    assert!(is_skipped("..."));
}

#[test]
fn processor_glued_to_the_flags() {
    with_record(
        "test-2991    0.....   119.255974: block_rq_issue:       8,0 R 4096 () 8 + 8 0x0,0,0 [test]",
        |record| {
            assert_eq!((record.comm, record.cpu, record.flags.as_str()), ("test", Some(0), "....."));
            let Tracepoint::BlockRqIssue(request) = record.event else { panic!("{record:?}") };
            assert_eq!(request.ioprio.map(|ioprio| ioprio.class), Some(IoClass::None));
        },
    );
    with_record("      dd-99      47...1. 371173457457us+: sys_read(fd: 3, buf: 7ffd, count: 1000)", |record| {
        assert_eq!((record.cpu, record.at), (Some(47), Some(Stamp::Time(Nanos(371_173_457_457_000)))));
    });
}

#[test]
fn two_times_in_a_line() {
    with_record(
        "[ 1234.567890]       dd-99      [001] .....  1200.000001: mm_filemap_fault: dev=8:1 ino=1a ofs=4096",
        |record| assert_eq!((record.comm, record.at), ("dd", Some(Stamp::Time(Nanos(1_200_000_001_000))))),
    );
}

#[test]
fn forms_of_a_device() {
    for (text, dev) in [
        ("253:6", (253, 6)),
        ("8,13", (8, 13)),
        ("(252,16)", (252, 16)),
        ("259:1048575", (259, 1_048_575)),
        ("0:62", (0, 62)),
        ("129:5", (129, 5)),
    ] {
        with_record(&format!("1.000001: mm_filemap_fault: dev {text} ino 1a ofs=4096"), |record| {
            let Tracepoint::MmFilemapFault(fault) = record.event else { panic!("{record:?}") };
            assert_eq!(fault.dev, Dev { major: dev.0, minor: dev.1 }, "{text}");
        });
    }
}

#[test]
fn inodes_are_hexadecimal() {
    for (text, ino) in [("1002245af9b", 0x100_2245_af9b), ("7580", 0x7580), ("1", 1), ("e", 14), ("0x60ffe", 0x6_0ffe)]
    {
        with_record(&format!("1.000001: mm_filemap_fault: dev=8:1 ino={text} ofs=4096"), |record| {
            let Tracepoint::MmFilemapFault(fault) = record.event else { panic!("{record:?}") };
            assert_eq!(fault.ino, ino, "{text}");
        });
    }
}

#[test]
fn forms_of_an_added_folio() {
    for (text, pfn, page, order) in [
        ("page=0000000060e990c7 pfn=2586272 ofs=8192", 2_586_272, Some(0x60e9_90c7), None),
        ("page=0x2776a0 pfn=2586272 ofs=8192", 2_586_272, Some(0x27_76a0), None),
        ("page=ffffea0000343cc0 pfn=0xd0f3 ofs=8192", 0xd0f3, Some(0xffff_ea00_0034_3cc0), None),
        ("pfn=0x113bad ofs=8192", 0x11_3bad, None, None),
        ("pfn=0x113bad ofs=8192 order=0", 0x11_3bad, None, Some(Order(0))),
        ("page=0x1 pfn=0x113bad ofs=8192 order=9", 0x11_3bad, Some(1), Some(Order(9))),
    ] {
        with_record(&format!("1.000001: mm_filemap_add_to_page_cache: dev 8:1 ino 1a {text}"), |record| {
            let Tracepoint::MmFilemapAddToPageCache(folio) = record.event else { panic!("{record:?}") };
            assert_eq!((folio.frame.pfn, folio.frame.page, folio.order), (pfn, page, order), "{text}");
            assert_eq!(folio.ofs, Bytes(8192));
        });
    }
    assert!(is_skipped("1.000001: mm_filemap_add_to_page_cache: dev 8:1 ino 1a pfn=0x1 ofs=8192 order=64\n\n"));
    with_record("1.000001: mm_filemap_get_pages: dev 253:3 ino 13f730 ofs=0 max_ofs=4096", |record| {
        let Tracepoint::MmFilemapGetPages(range) = record.event else { panic!("{record:?}") };
        assert_eq!((range.ofs.first, range.ofs.last), (Bytes(0), Bytes(8191)));
    });
}

#[test]
fn forms_of_a_request() {
    for (text, priority, alignment) in [
        ("R 65536 () 64 + 128 [fio]", None, None),
        ("RA 65536 () 64 + 128 be,0,6 [fio]", Some((IoClass::BestEffort, 6)), None),
        ("RAM 65536 () 64 + 128 none,0,0 [fio]", Some((IoClass::None, 0)), None),
        ("RSM 65536 () 64 + 128 0x0,0,0 [fio]", Some((IoClass::None, 0)), None),
        ("WFSU 65536 () 64 + 128 rt,0,7 [fio]", Some((IoClass::Realtime, 7)), None),
        ("NS 65536 () 64 + 128 idle,0,0 [fio]", Some((IoClass::Idle, 0)), None),
        ("FN 65536 () 64 + 128 invalid,1023,7 [fio]", Some((IoClass::Invalid, 7)), None),
        ("WS 65536 () 64 + 128 none,0,0 |32768| [fio]", Some((IoClass::None, 0)), Some(32_768)),
        ("R 65536 (12 00 00 00 fe 00) 64 + 128 [fio]", None, None),
    ] {
        with_record(&format!("1.000001: block_rq_issue: 259,0 {text}"), |record| {
            let Tracepoint::BlockRqIssue(request) = record.event else { panic!("{record:?}") };
            let got = request.ioprio.map(|ioprio| (ioprio.class, ioprio.level));
            assert_eq!((got, request.alignment, request.comm), (priority, alignment, "fio"), "{text}");
            assert_eq!((request.sector, request.nr_sector, request.bytes), (Sectors(64), Sectors(128), Bytes(65_536)));
            assert_eq!(request.cmd.is_empty(), !text.contains("fe"));
        });
    }
    for (text, error) in [("[-5]", -5), ("[0]", 0), ("be,0,4 [-121]", -121)] {
        with_record(&format!("1.000001: block_rq_complete: 259,0 WS () 64 + 128 {text}"), |record| {
            let Tracepoint::BlockRqComplete(done) = record.event else { panic!("{record:?}") };
            assert_eq!(done.error, error, "{text}");
        });
    }
}

#[test]
fn large_numbers_and_zero() {
    with_record("1.000001: block_bio_queue: 8,64 RA 35156656120 + 8 [systemd-udevd]", |record| {
        let Tracepoint::BlockBioQueue(bio) = record.event else { panic!("{record:?}") };
        assert_eq!(bio.sector, Sectors(35_156_656_120));
    });
    with_record("1.000001: block_bio_queue: 7,5 R 719672 + 66760 [tiotest]", |record| {
        let Tracepoint::BlockBioQueue(bio) = record.event else { panic!("{record:?}") };
        assert_eq!(bio.nr_sector, Sectors(66_760));
    });
    with_record("1.000001: block_rq_complete: 254,0 FF () 18446744073709551615 + 0 [0]", |record| {
        let Tracepoint::BlockRqComplete(done) = record.event else { panic!("{record:?}") };
        assert_eq!((done.sector, done.nr_sector), (Sectors(u64::MAX), Sectors(0)));
    });
    with_record("1.000001: block_split: 8,80 RSM 10486080 / 10488640 [mount]", |record| {
        let Tracepoint::BlockSplit(split) = record.event else { panic!("{record:?}") };
        assert_eq!(split.new_sector, Sectors(10_488_640));
    });
    with_record("1.000001: block_bio_remap: 259,3 R 578807440 + 8 <- (253,3) 578805392", |record| {
        let Tracepoint::BlockBioRemap(remap) = record.event else { panic!("{record:?}") };
        assert_eq!((remap.old_dev, remap.old_sector), (Dev { major: 253, minor: 3 }, Sectors(578_805_392)));
    });
    assert!(is_skipped("1.000001: block_bio_queue: 7,5 R 719672 + 99999999999999999999 [tiotest]\n\n"));
}

#[test]
fn system_calls_in_every_form() {
    for line in [
        "1.000001: sys_pread64(fd: a, buf: 7ffd12345678, count: 1000, pos: 20000)",
        "1.000001: sys_pread64(fd: 0xa, buf: 0x7ffd12345678, count: 0x1000, pos: 0x20000)",
        "1.000001: sys_pread64(fd: 0xa, buf: 0x7ffd12345678 (61:62:63) \"abc\", count: 0x1000, pos: 0x20000)",
        "1.000001: sys_pread64(unsigned int fd: a, char * buf: 7ffd12345678, size_t count: 1000, loff_t pos: 20000)",
        "1.000001: sys_enter_pread64:    fd: 0x0000000a, buf: 0x7ffd12345678, count: 0x00001000, pos: 0x00020000",
        "1.000001: sys_enter_pread64:    __syscall_nr=17 fd=0x0000000a buf=0x7ffd12345678 count=0x00001000 pos=0x00020000",
        "1.000001: sys_enter: NR 17 (a, 7ffd12345678, 1000, 20000, 0, 0)",
        "1.000001: syscalls:sys_enter_pread64: fd: 0x0000000a, buf: 0x7ffd12345678, count: 0x00001000, pos: 0x00020000",
    ] {
        with_record(line, |record| {
            let call = match record.event {
                Tracepoint::SysEnter(call) => call,
                Tracepoint::RawEnter(raw) => raw.on_x86_64().unwrap(),
                other => panic!("{other:?}"),
            };
            let expected = Syscall::Pread64 { fd: 10, buf: 0x7ffd_1234_5678, count: Bytes(0x1000), pos: 0x2_0000 };
            assert_eq!(call, expected, "{line}");
        });
    }
    for (line, ret) in [
        ("1.000001: sys_read -> 0x1000", 4096),
        ("1.000001: sys_read -> 0xfffffffffffffff5", -11),
        ("1.000001: sys_exit_read:        0x1000", 4096),
        ("1.000001: sys_exit_read:        __syscall_nr=0 ret=4096", 4096),
        ("1.000001: sys_exit_read:        __syscall_nr=0 ret=0xfffffffffffffff5", -11),
        ("1.000001: sys_exit: NR 0 = -11", -11),
    ] {
        with_record(line, |record| match record.event {
            Tracepoint::SysExit(exit) => assert_eq!((exit.name, exit.ret), ("read", ret), "{line}"),
            Tracepoint::RawExit(exit) => assert_eq!((exit.name_on_x86_64(), exit.ret), (Some("read"), ret), "{line}"),
            other => panic!("{other:?}"),
        });
    }
    for line in [
        "1.0: sys_openat(dfd: 4294967196, filename: 140735484494965 \"/a \"b\", flags: c\", flags: O_RDONLY|O_CLOEXEC)",
        "1.0: sys_enter_openat: dfd: 0xffffff9c, filename: 0x7fff7ffcf875 \"/a \"b\", flags: c\", flags: O_RDONLY|O_CLOEXEC",
    ] {
        with_record(line, |record| {
            let Tracepoint::SysEnter(Syscall::Openat(openat)) = record.event else { panic!("{record:?}") };
            assert_eq!((openat.dfd, openat.name), (-100, Some("/a \"b\", flags: c")), "{line}");
        });
    }
}

#[test]
fn texts_that_only_look_like_events() {
    for (line, name) in [
        (
            "     kworker/5:2-1497  [005]   454.414603: thermal: [FAILED TO PARSE] cpumask=ARRAY[0f, 00] freq=0x8",
            "thermal",
        ),
        ("             foo-1     [005] .....   454.4: print: block_rq_issue: 8,0 R 4096 () 0 + 8 [x]", "print"),
        ("             foo-1     [005] .....   454.4: bputs: a=b=c: mm_filemap_fault: dev=1:1", "bputs"),
        ("             foo-1     [005] .....   454.4: sys_write(fd: 1, buf: 7f, count: 5)", "sys_write"),
    ] {
        with_record(line, |record| {
            let Tracepoint::Other(other) = record.event else { panic!("{record:?}") };
            assert_eq!((record.name, other.name), (name, name));
        });
    }
    // The rest of a text of several lines has no prefix; the function tracers have no colon behind the name.
    assert!(is_skipped("second line of what was printed"));
    assert!(is_skipped("a:b:c:d: block_plug: [x]"));
    assert!(is_skipped("            bash-1977    [000] .... 17284.993652: sys_close <-system_call_fastpath"));
    assert!(is_skipped("\t0)   0.911 us    |                  rcu_irq_enter();"));
    assert!(is_skipped("dummy-0000  [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0"));
}
