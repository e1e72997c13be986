//! linux-2.4.23, with the patch last-page: a step for each page that a read visits.

use super::{Ladder, nothing, reason, rung};
use readahead_policy::{Patch, Patches};

pub(super) fn ladders(patches: Patches) -> Vec<Ladder> {
    let last = if patches.has(Patch::LastPage) {
        "up to and with the last page of the file"
    } else {
        "short of the last page if that is partial"
    };
    let state = "ralen += size; rawin += ralen; raend = the page behind the last; ramax doubles, up to M";
    let read = Ladder {
        key: "read",
        title: "A page is visited by read(2)",
        about: "A call inside, or next to, what was read ahead is in context; any other sets all four numbers to 0 first. \
                ramax = what the call needs and one page more, 3 at least in context, M at most; 0 for a read of at most \
                2 KiB from the start of the file. A page that is not cached has its own read started before the step."
            .into(),
        rungs: vec![
            rung(
                "Still being read, outside the last window (ralen = 0, or index ≥ raend, or index + rawin < raend), and \
                 before the end of the file, with ramax > 0?",
                reason(
                    "old_sync",
                    format!("ramax pages behind index, {last}; ralen = 1 and rawin = 0 before: {state}"),
                ),
            ),
            rung(
                "Being read?",
                nothing("nothing; outside the last window raend = index + 1, ralen = 1, rawin = 1"),
            ),
            rung(
                "In context, ramax > 0, and index inside the last window (index ≤ raend ≤ index + ralen), which ends \
                 before the end of the file?",
                reason(
                    "old_async",
                    format!("ramax + 1 pages from raend on, {last}; rawin = ralen and ralen = 0 before: {state}"),
                ),
            ),
        ],
        otherwise: nothing("nothing"),
    };
    let fault = Ladder {
        key: "fault",
        title: "A fault",
        about: "Faults have no state but the mapping's own vm_raend. M is rounded up to whole clusters of 8 pages."
            .into(),
        rungs: vec![
            rung(
                "The page is not cached, and no MADV_RANDOM?",
                reason("old_cluster", "the aligned cluster of 8 pages that holds it"),
            ),
            rung(
                "MADV_SEQUENTIAL, and the page lies exactly half a window before vm_raend?",
                reason(
                    "old_cluster_ahead",
                    "the clusters of one window from vm_raend on; vm_raend += M. Asked at every fault",
                ),
            ),
        ],
        otherwise: nothing("nothing; after MADV_RANDOM the page is read by itself"),
    };
    let forced = Ladder {
        key: "forced",
        title: "A range is asked for in advance",
        about: "readahead(2); there is no posix_fadvise. A partial last page of the range does not count.".into(),
        rungs: vec![rung(
            "More pages, inside the file, than half of the inactive list?",
            reason("forced_cut", "as many pages as the limit; the rest is not read"),
        )],
        otherwise: reason("forced", "the range as it is"),
    };
    let single = Ladder {
        key: "single",
        title: "Before all that: is the wanted page there?",
        about: String::new(),
        rungs: vec![rung(
            "The wanted page is not cached?",
            reason("single_page", "one page: its own read is started at once"),
        )],
        otherwise: nothing("the step goes on with the page as it is"),
    };
    vec![read, fault, forced, single]
}
