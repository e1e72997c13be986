//! What a model is, in words: its fixed numbers, what it changed against the one before, what of that kernel is not
//! modelled. The code around its decisions is described from the model's own table of callers.
//!
//! Follows the specification of the historic and of the modern kernels; LIMITATIONS.md says what holds for all models.

use readahead_policy::callers::{FaultAround, HugeEntry, PartialPage, PlugTest, ReadLoop, ReadaheadCall};
use readahead_policy::{ModelId, Patch, Patches};

/// A number, or a rule, with its name.
pub type Named = (&'static str, String);

/// The state that an open file keeps and the numbers that the rules use.
pub fn constants(model: ModelId, patches: Patches) -> Vec<Named> {
    let on = |patch| patches.has(patch);
    let mut list: Vec<Named> = Vec::new();
    if model == ModelId::Linux2_4_23 {
        list.push(("largest readahead", "31 pages (vm_max_readahead), or what the disk's driver sets".into()));
        list.push(("smallest readahead", "3 pages (vm_min_readahead)".into()));
        list.push(("cluster of a fault", "8 pages (2^page_cluster)".into()));
        list.push(("state of an open file", "raend, ralen, ramax, rawin, reada".into()));
        return list;
    }
    let default = if on(Patch::Default512k) { "512 KiB = 128 pages" } else { "128 KiB = 32 pages" };
    list.push(("default of read_ahead_kb", default.into()));
    if model == ModelId::Linux2_6_33 {
        let min = if on(Patch::Default512k) { "8 pages" } else { "4 pages" };
        let used = if on(Patch::ThrashingSafe) { "" } else { "; no decision uses it without thrashing-safe" };
        list.push(("smallest readahead", format!("{min}{used}")));
        list.push(("NFS", "15 × rsize".into()));
    } else if model < ModelId::Linux5_4 {
        list.push(("NFS", "15 × rsize".into()));
    } else {
        list.push(("NFS", "128 KiB".into()));
    }
    list.push(("chunk of a forced range", "512 pages = 2 MiB".into()));
    list.push(("fault misses before read-around stops", "100".into()));
    let miss = match model {
        ModelId::Linux2_6_33 if on(Patch::RaFlags) => "65,535",
        ModelId::Linux2_6_33 => "2,147,483,647",
        _ => "1,000",
    };
    list.push(("mmap_miss at most", miss.into()));
    let state = match model {
        ModelId::Linux7_2 | ModelId::Linux7_3Rc => "start, size, async_size, ra_pages, mmap_miss, prev_pos, order",
        _ => "start, size, async_size, ra_pages, mmap_miss, prev_pos",
    };
    let flags = if on(Patch::LseekFlag) {
        "; flags thrashed, mmap, lseek"
    } else if on(Patch::ThrashingSafe) {
        "; flag thrashed"
    } else {
        ""
    };
    list.push(("state of an open file", format!("{state}{flags}")));
    if model >= ModelId::Linux6_1 {
        let files = match model {
            ModelId::Linux6_1 => "on XFS and a few others, up to order 9 (2 MiB), never order 1",
            ModelId::Linux6_12 => "on XFS, up to order 9 (2 MiB)",
            _ => "on XFS, ext4 and the device node, up to order 9 (2 MiB)",
        };
        list.push(("large folios", files.into()));
    }
    list
}

/// The code around the decisions, from the model's own table.
pub fn callers(model: ModelId, patches: Patches) -> Vec<Named> {
    let callers = model.callers(patches);
    let mut list: Vec<Named> = Vec::new();
    let read = match callers.read {
        ReadLoop::Old24 => "page by page, a step after each page is found or its read started".to_owned(),
        ReadLoop::PageByPage => {
            "page by page; the size of the file is looked at after the page, so reads at the end of a \
                                 file call readahead too"
                .to_owned()
        }
        ReadLoop::Batches { folios, prev_pos_at_once, .. } => format!(
            "in batches of up to {folios} folios; a marked folio ends its batch, and its window is started before the batch is \
             copied{}",
            if prev_pos_at_once { "; the position is stored after each copy" } else { "" }
        ),
    };
    list.push(("read(2)", read));
    let random = match (callers.fadvise, callers.random_mode) {
        (false, _) => "does not exist",
        (true, false) => "sets ra_pages to 0: every miss reads one page",
        (true, true) => "a mode of the open file: a miss reads what was asked for",
    };
    list.push(("POSIX_FADV_RANDOM", random.into()));
    if callers.fadvise {
        list.push(("POSIX_FADV_SEQUENTIAL", "doubles the open file's ra_pages".into()));
        let partial = match callers.partial_page {
            PartialPage::Dropped => "drops a partial last page of the range too",
            PartialPage::Kept => "keeps a partial last page of the range",
            PartialPage::KeptUnlessLast => "keeps a partial last page unless the range ends with the file",
        };
        list.push(("POSIX_FADV_DONTNEED", partial.into()));
    }
    let call = match callers.readahead_call {
        ReadaheadCall::Old24 => "whole pages of the range, at most half of the inactive list",
        ReadaheadCall::ByBytes => "from the first to the last byte; a length of 0 is what the arithmetic makes of it",
        ReadaheadCall::WillNeed => "the same as POSIX_FADV_WILLNEED; a length of 0 goes to the end",
    };
    list.push(("readahead(2)", call.into()));
    let around = match callers.fault_around {
        FaultAround::None => "none",
        FaultAround::EachPage => "lowers mmap_miss by 1 for each cached page of its block of 16",
        FaultAround::EachPageNotWorkingset => {
            "lowers mmap_miss by 1 for each cached page of its block of 16, refaulted ones apart"
        }
        FaultAround::Once => "lowers mmap_miss by 1 for the page that faulted, and maps whole folios",
    };
    list.push(("fault-around", around.into()));
    let huge = match callers.huge_entry {
        HugeEntry::Never => None,
        HugeEntry::Always => Some("a folio of order 9, always"),
        HugeEntry::BeforeLastPage => Some("a folio of order 9 that ends before the file's last page"),
    };
    list.extend(huge.map(|huge| ("mapped by one huge entry", huge.to_owned())));
    list.push(("largest request to the device", format!("{} KiB, or what the device allows", callers.max_sectors_kb)));
    list.push((
        "separate pieces of memory in a request",
        format!("{}, or what the device allows", callers.max_segments),
    ));
    let waiting = match model {
        ModelId::Linux2_4_23 => "an idle queue is plugged, and unplugged when a task waits for a buffer or page",
        ModelId::Linux2_6_33 => {
            "an idle queue is plugged, and unplugged when 4 requests wait, after 3 ms, or when a task waits"
        }
        _ => "a plug of the task: each batch of pages is collected, merged, and sent when the batch ends",
    };
    list.push(("requests are held back by", waiting.into()));
    let merge = match model {
        ModelId::Linux2_4_23 => "single buffer heads, merged by the elevator into requests of up to 255 sectors",
        ModelId::Linux2_6_33 => "a bio merges with a request that waits in the queue and ends or begins where it does",
        _ if callers.merges_with_any => "a bio merges with any request of the plug",
        _ => "a bio merges with the last request of the plug",
    };
    list.push(("merging", merge.into()));
    if has_flush_test(model) {
        let plug = match callers.plug_test {
            PlugTest::Newest => "the request added last",
            PlugTest::Oldest => "the first request",
        };
        list.push(("a plug is flushed early by the size of", plug.into()));
    }
    list
}

/// The kernel's plug looks at the size of a request to send early. What older ones do is described as theirs.
fn has_flush_test(model: ModelId) -> bool {
    model >= ModelId::Linux5_10
}

/// What a model changed against the one before it, rule by rule.
pub fn changes(model: ModelId) -> &'static [&'static str] {
    match model {
        ModelId::Linux2_4_23 => &[
            "The first model. A step for each page that read(2) visits: synchronous when the page is still being read, asynchronous when it is there and lies in the last window.",
            "The next step may read twice as many pages, up to 31.",
            "The page that ends the loop at the end of the file is counted although it was not read.",
            "Faults read an aligned cluster of 8 pages; a sequential mapping reads the next window of clusters half a window before it is needed.",
        ],
        ModelId::Linux2_6_33 => &[
            "Windows with a marker in place of steps: reaching the marked page starts the next window.",
            "Sizes come from two series, first_size and next_size, under a limit of read_ahead_kb and half of the node's free and inactive memory.",
            "The page cache is asked for history: pages cached in front of a miss make it part of a stream.",
            "A fault reads the pages around it; behind the last position it is sequential.",
        ],
        ModelId::Linux3_10 => &[
            "POSIX_FADV_RANDOM is a mode of the open file and no longer sets ra_pages to 0.",
            "Faults neither look at nor set the last position.",
            "Read-around leaves a marker at three quarters of its window.",
            "mmap_miss stops at 1,000.",
            "The plug belongs to the task: a window's requests are sent when it ends.",
        ],
        ModelId::Linux3_18 => &[
            "No window and no forced range above 512 pages, whatever the memory.",
            "History counts only when it is longer than the request; its window has one page behind the marker.",
            "Fault-around exists and lowers mmap_miss.",
        ],
        ModelId::Linux4_4 => &[
            "No limit but the open file's ra_pages for windows.",
            "Forced ranges are limited by the device's ra_pages, whatever fadvise did to the open file.",
            "Requests to the device of up to 1,280 KiB.",
        ],
        ModelId::Linux4_14 => &[
            "A request above ra_pages lifts its limit to the smaller of itself and io_pages.",
            "Forced ranges are limited by the larger of io_pages and the open file's ra_pages.",
            "POSIX_FADV_DONTNEED keeps a partial last page.",
        ],
        ModelId::Linux5_4 => &[
            "A merged window stays within its limit (stable-io-pages is built in).",
            "A search that finds no gap returns the last page it looked at, which is cached.",
            "A cached page inside a window ends its batch of I/O.",
            "readahead(2) is POSIX_FADV_WILLNEED; POSIX_FADV_DONTNEED drops a partial page at the end of the file.",
        ],
        ModelId::Linux5_10 => &[
            "With ra_pages 0 a missing page is forced in, if the forced limit allows a page.",
            "The marker of a window that the end of the file cuts moves to the left.",
            "A fault on a cached page leaves mmap_miss alone while ra_pages is 0.",
        ],
        ModelId::Linux6_1 => &[
            "Folios: windows of 4 pages and more on files with large folios are laid out in folios two orders larger than the one whose marker was met.",
            "The marker's place is compared after rounding down to the marked folio's size.",
            "A window that is continued does not shrink.",
            "read(2) works in batches of up to 15 folios and stores the position after each copy.",
            "MADV_HUGEPAGE reads 2 MiB or 4 MiB in huge folios.",
            "A window that starts behind the end of the file grows by the distance.",
        ],
        ModelId::Linux6_12 => &[
            "Misses and markers have rules of their own: a miss never continues the last window, and no window is merged with the next.",
            "A first window no larger than the request has half of it behind the marker.",
            "A strange marker with no gap within the limit reads nothing.",
            "Smallest and largest folio order come from the file system; order 1 is used.",
            "Batches of up to 31 folios; the position is stored at the end of the call.",
        ],
        ModelId::Linux7_2 => &[
            "The open file keeps a folio order: 0 after a miss, raised by 2 at each marker, cut to the window's size.",
            "The end of a marker's window is cut to a multiple of the order aimed at, or of the largest power of two in the limit.",
            "A window that reaches the end of the file has no marker.",
            "A run cut short by cached pages reads what is left of the window, not its whole size again.",
            "Executable mappings have a window of their own; sequential and executable mappings do not count misses.",
            "Fault-around maps whole folios and counts once. Requests to the device of up to 4 MiB.",
        ],
        ModelId::Linux7_3Rc => &["Nothing that is known: it decides exactly as linux-7.2."],
    }
}

/// What of that kernel is not modelled.
pub fn limits(model: ModelId) -> Vec<&'static str> {
    let mut list = Vec::new();
    match model {
        ModelId::Linux2_4_23 => {
            list.push("The page locks that steps depend on follow the device's emulated times; the tables here take a read as finished as soon as someone waits.");
            list.push("The two lists of reclaim, swapping of anonymous pages and the elevator with its 255-sector requests are not the kernel's own code.");
            list.push("Mappings with a file offset, whose start that kernel counts twice, and machines under 16 MB with clusters of 4 pages are left out.");
        }
        ModelId::Linux2_6_33 => {
            list.push("A read-congested device loses markers (7/8 of nr_requests in use); the decision code never sees congestion.");
            list.push("The schedulers of its time, CFQ and anticipatory, and the plug of the queue with its 3 ms timer are not modelled as code of that kernel.");
        }
        ModelId::Linux3_10 | ModelId::Linux3_18 | ModelId::Linux4_4 | ModelId::Linux4_14 | ModelId::Linux5_4 => {
            list.push("A read-congested device loses markers in this kernel; the decision code never sees congestion.");
            list.push("CFQ, deadline and the single-queue block layer of its time are not modelled.");
        }
        ModelId::Linux5_10 => {
            list.push("A read-congested device loses markers in this kernel; the decision code never sees congestion.");
            list.push("mq-deadline sorts and merges queued reads; the scheduler here is \u{201c}none\u{201d}.");
        }
        ModelId::Linux6_1 => {
            list.push("6.1.20 and earlier place the marker's folio differently; the model is the end of the series.");
            list.push("mq-deadline sorts and merges queued reads; the scheduler here is \u{201c}none\u{201d}.");
        }
        ModelId::Linux6_12 => {
            list.push("6.12.0 and 6.12.19 search and continue windows differently; the model is 6.12.117.")
        }
        ModelId::Linux7_2 | ModelId::Linux7_3Rc => {
            list.push("6.18, 6.19 and 7.1.5 place markers at the end of a file differently; they are no models.");
        }
    }
    if model >= ModelId::Linux5_10 {
        list.push("A folio under writeback that carries the marker's bit is not a marker in the kernel; nothing is written here.");
    }
    if model >= ModelId::Linux6_1 {
        list.push("Memory is not fragmented: a large folio can be had whenever there is room. On the real kernel its allocation may fail, and the rest of the window comes in single pages.");
        list.push("MGLRU, the default of many distributions of this age, is not modelled.");
    }
    if model >= ModelId::Linux7_2 {
        list.push("khugepaged, which collapses file mappings and reads what is missing through the same state, does not exist.");
        list.push("mmap_miss while a folio is in flight depends on the moment; the real value may differ by 1 or 2.");
    }
    if !has_flush_test(model) {
        list.push(match model {
            ModelId::Linux2_4_23 | ModelId::Linux2_6_33 => {
                "The lab holds requests back by the task's plug of later kernels: sent when the window is read, not by the queue's own plug."
            }
            _ => "The lab sends a plug early when a request in it is large, by the rule of later kernels.",
        });
    }
    if model == ModelId::Linux2_4_23 {
        list.push(
            "There are no buffer heads: pages that lie together on the device reach the request queue as one bio.",
        );
        list.push("Reads do not fail here.");
    } else {
        list.push("An I/O error divides ra_pages by 4 in the kernel; reads do not fail here.");
    }
    list.push("Writes, truncation, compressed and network file systems that expand or shorten windows are left out.");
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use readahead_policy::MODELS;

    #[test]
    fn a_kernel_is_not_said_to_have_the_plug_or_the_bios_of_a_later_one() {
        let flush = "a plug is flushed early by the size of";
        for info in MODELS {
            let callers = callers(info.id, Patches::default());
            let words = |name: &str| callers.iter().find(|(key, _)| *key == name).map(|(_, words)| words.as_str());
            assert_eq!(words(flush).is_some(), info.id >= ModelId::Linux5_10, "{}", info.name);
            let held = words("requests are held back by").unwrap();
            assert_eq!(held.starts_with("an idle queue"), info.id <= ModelId::Linux2_6_33, "{}", info.name);
            assert_eq!(words("merging").unwrap().contains("buffer heads"), info.id == ModelId::Linux2_4_23);
            let limits = limits(info.id).join(" ");
            assert_eq!(limits.contains("divides ra_pages by 4"), info.id > ModelId::Linux2_4_23, "{}", info.name);
            assert_eq!(limits.contains("of later kernels"), info.id < ModelId::Linux5_10, "{}", info.name);
        }
    }
}
