//! What changed in readahead, 2003 to 2026, in the order in which it came: by which commit or mail, who asked, what it
//! cost or gained, and which models and patches carry it.
//!
//! Dates are given as far as they are known here; otherwise the release stands for them. Figures are those that the
//! mails published.

use readahead_policy::{ModelId, Patch};

/// One change.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// When: a date, or the release.
    pub when: &'static str,
    /// In a few words.
    pub title: &'static str,
    /// What changed.
    pub what: &'static str,
    /// The commit, the mail or the release.
    pub by: &'static str,
    /// Who asked for it, or answered; empty when unknown.
    pub who: &'static str,
    /// What it cost or gained, as published; empty when nothing was.
    pub cost: &'static str,
    /// The model that carries it, or to which the patches apply.
    pub model: ModelId,
    /// The patches that carry it; without any it is in the model itself.
    pub patches: &'static [Patch],
    /// It opens a model: the first of its entries.
    pub release: bool,
}

/// A stretch of time.
#[derive(Clone, Copy, Debug)]
pub struct Era {
    /// Its name in links.
    pub key: &'static str,
    /// Its years and what they were about.
    pub title: &'static str,
    /// Its changes, in order.
    pub entries: &'static [Entry],
}

const fn entry(when: &'static str, title: &'static str, model: ModelId, what: &'static str) -> Entry {
    Entry { when, title, what, by: "", who: "", cost: "", model, patches: &[], release: false }
}

/// When the kernels were released, as far as it is known here.
const RELEASES: &[(&str, &str)] = &[
    ("2.4.23", "November 2003"),
    ("2.6.33", "February 2010"),
    ("2.6.34", "May 2010"),
    ("3.10", "June 2013"),
    ("3.12", "November 2013"),
    ("3.15", "June 2014"),
    ("3.18", "December 2014"),
    ("4.4", "January 2016"),
    ("4.10", "February 2017"),
    ("4.14", "November 2017"),
    ("4.18", "August 2018"),
    ("5.4", "November 2019"),
    ("5.10", "December 2020"),
    ("6.1", "December 2022"),
    ("6.12", "November 2024"),
];

/// The month in which a kernel was released, by its number or its model's name; nothing where it is not known here.
pub fn released(kernel: &str) -> Option<&'static str> {
    let number = kernel.strip_prefix("linux-").unwrap_or(kernel);
    RELEASES.iter().find(|(known, _)| *known == number).map(|(_, month)| *month)
}

/// Every change.
pub const ERAS: &[Era] = &[
    Era {
        key: "2003",
        title: "2003: the window of linux-2.4",
        entries: &[
            Entry {
                by: "release 2.4.23",
                release: true,
                ..entry(
                    "2.4.23",
                    "A window that grows while the reader catches up",
                    ModelId::Linux2_4_23,
                    "Each page visited takes a step. If the page is still being read, the pages behind it are read too; if the \
                     reader is inside the last window, the next one is read. The number of pages doubles with each step, up to \
                     31. A last page that is only partly filled is never read ahead.",
                )
            },
            Entry {
                by: "Chuck Lever's patch against 2.4.23",
                who: "Measured by Willy Tarreau over NFS.",
                cost: "One READ less for each small file. md5sum of 7,346 files (29,952 KB) over NFS: 11.5 → 11.45 s with one \
                       process, 25.7 → 25.0 s with six.",
                patches: &[Patch::LastPage],
                ..entry(
                    "2003",
                    "The last partial page is read ahead too",
                    ModelId::Linux2_4_23,
                    "The step counts the pages that it really tried, and tries the last page even if it is partial. Where the size \
                     is a multiple of the page, the patch also asks for the empty page behind the end.",
                )
            },
        ],
    },
    Era {
        key: "2010",
        title: "2010: on-demand readahead, and the series on linux-2.6.33",
        entries: &[
            Entry {
                by: "release 2.6.33",
                release: true,
                cost: "On an ideal disk of 8 ms and 100 MB/s the default of 128 KiB keeps the disk busy with data 13.5 % of the \
                       time; 512 KiB would be 38.5 %.",
                ..entry(
                    "2.6.33",
                    "One decision for misses and markers",
                    ModelId::Linux2_6_33,
                    "A page of each window carries a marker; reaching it starts the next window. One list of rules serves missing \
                     pages and markers. No window is larger than half of the node's inactive file pages and free pages.",
                )
            },
            Entry {
                by: "2.6.34, and 2.6.33.3 of the stable series",
                patches: &[Patch::FmodeRandom],
                ..entry(
                    "2.6.34",
                    "POSIX_FADV_RANDOM becomes a mode of the open file",
                    ModelId::Linux2_6_33,
                    "Before, the advice set ra_pages to 0, and a read of many pages went to the device page by page. Now the read \
                     is forced in as it was asked for.",
                )
            },
            Entry {
                by: "Wu Fengguang's series of February 2010: first posting (v1), second (v2), as repaired (v3)",
                who: "Vivek found v1's fault on an HP EVA behind device mapper. Clemens Ladisch measured a 64 MB USB stick, which \
                      64 KB serve.",
                cost: "v1 and v2 take a capacity of 0, which device mapper reports at first, for the smallest disk: read_ahead_kb \
                       came out at 4. One reader of the HP EVA: 141,768 KB/s without the series (one path), 84,749 KB/s with v1, \
                       190,302 KB/s with 512 KB set by hand (two paths).",
                patches: &[Patch::SmallDeviceLimitV1, Patch::SmallDeviceLimitV2, Patch::SmallDeviceLimitV3],
                ..entry(
                    "February 2010",
                    "A smaller default for small disks",
                    ModelId::Linux2_6_33,
                    "The default read_ahead_kb is limited by the capacity of the disk: with v1 128 KB from 2 GB on, with v2 and v3 \
                     from 256 MB on. v3 leaves disks of capacity 0 alone.",
                )
            },
            Entry {
                by: "Wu Fengguang's series of February 2010",
                who: "Vivek measured striped SATA disks with the series.",
                cost: "128 → 512 KB: 217 → 251 MB/s on an Intel X25-M (first posting), 23.3 → 23.8 MB/s on a USB stick. Five or six \
                       striped SATA disks with the series, one reader: 147,569 → 160,191 KB/s. On a desktop the share of pages \
                       read ahead that were used fell from 62 to 55 %.",
                patches: &[Patch::Default512k],
                ..entry(
                    "February 2010",
                    "512 KiB by default",
                    ModelId::Linux2_6_33,
                    "read_ahead_kb is 512 instead of 128; a window sized by the page cache has at least 32 KiB instead of 16.",
                )
            },
            Entry {
                by: "Wu Fengguang's series of February 2010",
                cost: "300 streams in 128 MB: 2,031 windows after a loss, 61,325 sized by history. The mail calls the first 3.3 % of \
                       the second.",
                patches: &[Patch::RaFlags, Patch::RetainInactive, Patch::ThrashingSafe],
                ..entry(
                    "February 2010",
                    "Streams that lose pages are sized by the page cache",
                    ModelId::Linux2_6_33,
                    "A page of the last window that is gone before it was used shows that the stream thrashes. From then on the \
                     unbroken run of cached pages behind the reader, an estimate of how long pages live, gives the size of its \
                     windows. Pages of a window that are cached already are moved to the head of the inactive list.",
                )
            },
            Entry {
                by: "Wu Fengguang's series of February 2010",
                patches: &[Patch::Patterns, Patch::TraceEvent, Patch::Stats],
                ..entry(
                    "February 2010",
                    "Windows say why they were made",
                    ModelId::Linux2_6_33,
                    "Each window carries its pattern: initial, subsequent, context, thrash, around, fadvise or random. A trace line \
                     a window and the counters of /debug/readahead/stats show it. Decisions stay as they are.",
                )
            },
            Entry {
                by: "Wu Fengguang's series of February 2010",
                cost: "blkid on a device of 505 KB that gives 15 KB/s took 7 s where 0.25 s would do. The patch as posted does not \
                       reach the device node, which has an lseek of its own, so this case stays as it was.",
                patches: &[Patch::LseekFlag],
                ..entry(
                    "February 2010",
                    "A probe of the header reads what it asks for",
                    ModelId::Linux2_6_33,
                    "The start of a file read on a handle that was moved by lseek is read as asked, without a window.",
                )
            },
            Entry {
                by: "Wu Fengguang's series of February 2010",
                cost: "512 slots looked at in one scan of the history before; 32 slots and 8 nodes after. The run found may be up to \
                       63 pages longer than the limit, so it is not quite the same search.",
                patches: &[Patch::FastHoleSearch],
                ..entry(
                    "February 2010",
                    "The cache is searched by groups of 64",
                    ModelId::Linux2_6_33,
                    "Full nodes of the page cache's tree are passed in one step.",
                )
            },
        ],
    },
    Era {
        key: "limits",
        title: "3.10 to 4.4, and the mails of 2014 to 2016: how large may a window be?",
        entries: &[
            Entry {
                by: "release 3.10; the faults changed in 3.0 and 3.1, the plug in 2.6.39",
                release: true,
                ..entry(
                    "3.10",
                    "Read-around leaves a marker",
                    ModelId::Linux3_10,
                    "Faults no longer look at the last position. Read-around puts a marker at three quarters of its window, so \
                     walking through a mapping becomes sequential readahead. POSIX_FADV_RANDOM is a mode of the open file. Each \
                     window's requests are collected and sent when it ends.",
                )
            },
            Entry {
                by: "3.12 and 3.13, in the model of 3.18",
                ..entry(
                    "3.12",
                    "History must be longer than the request",
                    ModelId::Linux3_18,
                    "A miss belongs to a stream only if more pages than it asks for are cached in front of it. Its window is history \
                     plus request, with one page behind the marker.",
                )
            },
            Entry {
                by: "commit 6d2be915e589, first released in 3.15; in RHEL 6.6 and later by backport",
                who: "A customer of RHEL 6 found the loss and reverted the change.",
                cost: "WILLNEED of a file of 1,048,576,000 bytes, then reading it through a mapping, read_ahead_kb 32: 21.1 s in \
                       32 KB requests, 6.3 s in 512 KB requests with the change reverted.",
                release: true,
                patches: &[Patch::NodeHalf, Patch::Cap2mb, Patch::RhelRevert],
                ..entry(
                    "3.15",
                    "No window and no forced range above 2 MiB",
                    ModelId::Linux3_18,
                    "The limit of half the node's memory, which stopped all readahead on nodes without memory, is replaced by 512 \
                     pages. WILLNEED of a whole file now brings its first 2 MiB only.",
                )
            },
            Entry {
                by: "a mail of February 2015, refused",
                patches: &[Patch::AquiniMax],
                ..entry(
                    "February 2015",
                    "Half of the node's memory, but 2 MiB at least",
                    ModelId::Linux3_18,
                    "The text of the patch speaks of a ceiling of 2 MiB; what it does is make 2 MiB a floor.",
                )
            },
            Entry {
                by: "the discussion of 2014 to 2016; answered \u{201c}maybe\u{201d}",
                patches: &[Patch::GlobalHalf],
                ..entry(
                    "2014 to 2016",
                    "Half of the whole machine's memory",
                    ModelId::Linux3_18,
                    "What was offered in place of the state of one node.",
                )
            },
            Entry {
                by: "commit 600e19afc5f8, 4.4",
                release: true,
                ..entry(
                    "4.4",
                    "The limit is read_ahead_kb, whatever the memory",
                    ModelId::Linux4_4,
                    "Windows follow the open file's ra_pages, forced ranges the device's. Since 4.3 a request to the device may have \
                     1,280 KiB instead of 512.",
                )
            },
        ],
    },
    Era {
        key: "requests",
        title: "4.10 to 5.10: larger requests, another tree",
        entries: &[
            Entry {
                by: "commit 9491ae4aade6, 4.10; POSIX_FADV_DONTNEED changed in 4.8; the model is 4.14",
                release: true,
                ..entry(
                    "4.10",
                    "A large request reaches the device's request size",
                    ModelId::Linux4_14,
                    "A request above ra_pages lifts its own limit up to io_pages, which is max_sectors_kb. Forced ranges are limited by \
                     the larger of the two. POSIX_FADV_DONTNEED keeps a partial last page.",
                )
            },
            Entry {
                by: "commit dc30b96ab6d5, 4.18; in 4.14.y later",
                patches: &[Patch::StableIoPages],
                ..entry(
                    "4.18",
                    "A merged window stays within its limit",
                    ModelId::Linux4_14,
                    "A window that would meet its own marker at once is read with the next one. Both together could have twice the \
                     limit; now they have the limit, half of it behind the marker.",
                )
            },
            Entry {
                by: "release 5.4",
                release: true,
                ..entry(
                    "5.4",
                    "Searches by the XArray's cursor",
                    ModelId::Linux5_4,
                    "A search that finds no gap ends on the last page it looked at, which is cached. A strange marker with everything \
                     cached behind it therefore starts a window over cached pages. readahead(2) becomes fadvise WILLNEED.",
                )
            },
            Entry {
                by: "release 5.10; the model is 5.10.223",
                release: true,
                ..entry(
                    "5.10",
                    "The last kernel that reads page by page",
                    ModelId::Linux5_10,
                    "With ra_pages 0 a missing page is forced in. The marker of a window that the end of the file cuts moves to the \
                     left.",
                )
            },
        ],
    },
    Era {
        key: "folios",
        title: "6.1 to 7.2: folios",
        entries: &[
            Entry {
                by: "release 6.1; the model is 6.1.187",
                release: true,
                ..entry(
                    "6.1",
                    "Large folios on XFS",
                    ModelId::Linux6_1,
                    "Reads go through the cache in batches of folios. A window's folios are two orders larger than the one whose \
                     marker was met. A window that is continued no longer shrinks. MADV_HUGEPAGE reads huge pages.",
                )
            },
            Entry {
                by: "release 6.12; the model is 6.12.117",
                release: true,
                ..entry(
                    "6.12",
                    "Misses and markers are decided apart",
                    ModelId::Linux6_12,
                    "A miss never continues the last window: it starts over unless history says otherwise. The file system says \
                     which folio orders a file may have.",
                )
            },
            Entry {
                by: "release 7.2; the model is 7.2.13",
                release: true,
                cost: "One 4 KiB read, then 1 MiB reads of 512 MiB at read_ahead_kb 128: 3,329 device reads (mail of 30 October 2026).",
                ..entry(
                    "7.2",
                    "The end of a marker's window is aligned",
                    ModelId::Linux7_2,
                    "The open file remembers a folio order, raised by 2 with each marker. The end of the window is cut to a multiple of \
                     that size, however much is left. ext4 and the device node have large folios too.",
                )
            },
        ],
    },
    Era {
        key: "2026",
        title: "2026: under review",
        entries: &[
            Entry {
                by: "\u{201c}use high-order folios in mmap sync RA\u{201d}; applied on a test branch, in no release known here",
                patches: &[Patch::MmapFloorOrder],
                ..entry(
                    "spring 2026",
                    "Read-around with folios that fault-around maps at once",
                    ModelId::Linux7_2,
                    "mmap read-around uses folios of at least the size that one fault-around maps, order 4 by default.",
                )
            },
            Entry {
                by: "\u{201c}mm/readahead: keep at least half of the async window when aligning it\u{201d}, linux-mm, Daejun Park",
                cost: "1 MiB reads after one of 4 KiB: 3,329 → 1,032 device reads, 0.247 → 0.180 s. 512 KiB reads with max_sectors_kb \
                       256: 6,147 → 2,056, 0.626 → 0.322 s. 3 MiB reads with 2,048: 271 → 343 reads, 0.118 → 0.120 s.",
                patches: &[Patch::KeepHalfWindow],
                ..entry(
                    "30 October 2026",
                    "Keep at least half of the window when aligning it",
                    ModelId::Linux7_2,
                    "The alignment is halved until the cut leaves at least half of the window.",
                )
            },
            Entry {
                by: "the answer on linux-mm; an idea without code, for which the lab has an exact rule",
                who: "Jan Kara proposed it.",
                cost: "By the model, on the mail's first workload: 1,029 windows, against 1,030 with keep-half-window and 3,327 without.",
                patches: &[Patch::AlignInRaOrder],
                ..entry(
                    "autumn 2026",
                    "Align where the folio order is known",
                    ModelId::Linux7_2,
                    "The end is aligned in page_cache_ra_order, to the order really used, and only for files with large folios.",
                )
            },
            Entry {
                by: "the memory-management tree of autumn 2026 (7.3-rc5)",
                release: true,
                ..entry(
                    "7.3-rc",
                    "Decides exactly as 7.2",
                    ModelId::Linux7_3Rc,
                    "No difference in the readahead code or in the read and fault paths is known.",
                )
            },
        ],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use readahead_policy::{MODELS, PATCHES};

    fn entries() -> impl Iterator<Item = &'static Entry> {
        ERAS.iter().flat_map(|era| era.entries)
    }

    #[test]
    fn every_model_and_every_patch_has_its_place() {
        for info in MODELS {
            assert_eq!(entries().filter(|entry| entry.release && entry.model == info.id).count(), 1, "{}", info.name);
        }
        for info in PATCHES {
            let count = entries().filter(|entry| entry.patches.contains(&info.id)).count();
            assert_eq!(count, 1, "{}", info.name);
        }
    }

    #[test]
    fn releases_that_are_public_have_a_month() {
        for info in MODELS {
            assert_eq!(released(info.name).is_some(), info.id < ModelId::Linux7_2, "{}", info.name);
        }
        assert_eq!(released("linux-2.6.33"), Some("February 2010"));
        assert_eq!(released("3.15"), Some("June 2014"));
        assert_eq!(released("2010"), None);
    }

    #[test]
    fn patches_stand_at_a_model_to_which_they_apply_and_models_in_their_order() {
        for entry in entries() {
            for patch in entry.patches {
                assert!(entry.model.info().patches.contains(patch), "{:?} at {}", patch, entry.model.name());
            }
            assert!(!entry.by.is_empty() && !entry.what.is_empty(), "{}", entry.title);
        }
        let order: Vec<ModelId> = entries().filter(|entry| entry.release).map(|entry| entry.model).collect();
        assert!(order.is_sorted());
    }
}
