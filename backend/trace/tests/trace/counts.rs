//! Events by name of whole captures. The right values were counted when the captures were made, by another program.

use crate::fixtures::packed_fixture;
use readahead_trace::inspect;

fn check(name: &str, expected: &[(&str, u64)]) {
    let inspection = inspect(packed_fixture(name).as_slice(), |_| ()).unwrap();
    let mut expected: Vec<(String, u64)> = expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    expected.sort();
    assert_eq!(inspection.events.into_iter().collect::<Vec<_>>(), expected, "{name}");
    assert!(inspection.skipped.is_empty(), "{name}: {:?}", inspection.skipped);
    assert_eq!(inspection.lost_events, 0, "{name}");
}

#[test]
fn of_linux_5_10() {
    check(
        "5.10-xfs-J.gz",
        &[
            ("sys_openat", 1),
            ("block_bio_queue", 4),
            ("block_rq_issue", 4),
            ("block_rq_complete", 4),
            ("sys_lseek", 2),
            ("sys_read", 2),
            ("mm_filemap_add_to_page_cache", 28),
        ],
    );
}

#[test]
fn of_linux_6_1() {
    check(
        "6.1-xfs-J.gz",
        &[
            ("sys_openat", 1),
            ("block_bio_queue", 3),
            ("block_rq_issue", 3),
            ("block_rq_complete", 3),
            ("sys_lseek", 2),
            ("sys_read", 2),
            ("mm_filemap_add_to_page_cache", 7),
        ],
    );
}

#[test]
fn of_linux_6_12() {
    check(
        "6.12-xfs-J.gz",
        &[
            ("sys_openat", 1),
            ("block_bio_queue", 4),
            ("block_rq_issue", 4),
            ("block_rq_complete", 4),
            ("sys_lseek", 2),
            ("sys_read", 2),
            ("mm_filemap_add_to_page_cache", 6),
            ("mm_filemap_get_pages", 2),
        ],
    );
}

#[test]
fn of_linux_7_2() {
    check(
        "7.2-xfs-J.gz",
        &[
            ("sys_openat", 1),
            ("block_bio_queue", 4),
            ("block_rq_issue", 4),
            ("block_rq_complete", 4),
            ("sys_lseek", 2),
            ("sys_read", 2),
            ("page_cache_sync_ra", 1),
            ("page_cache_ra_order", 3),
            ("mm_filemap_add_to_page_cache", 7),
            ("mm_filemap_get_pages", 3),
            ("page_cache_async_ra", 2),
        ],
    );
}

/// The header of a trace file says how many events it holds; 162 and 869 here.
#[test]
fn of_ordinary_programs() {
    for (name, records) in [("6.1-ext4-app-tail.gz", 162), ("7.2-xfs-app-cp.gz", 869)] {
        let inspection = inspect(packed_fixture(name).as_slice(), |_| ()).unwrap();
        assert_eq!(inspection.records, records, "{name}");
        assert_eq!(inspection.header.entries_in_buffer, Some(records), "{name}");
    }
}
