//! Page faults, linux-2.6.33 to 7.3-rc.

use super::{Ladder, ladder, nothing, reason, rung};
use readahead_policy::{ModelId, Patch, Patches};

/// A fault on a page that is not cached.
pub(super) fn miss(model: ModelId, patches: Patches) -> Ladder {
    if model >= ModelId::Linux7_2 { miss_7_2(patches) } else { miss_before(model, patches) }
}

fn miss_before(model: ModelId, patches: Patches) -> Ladder {
    let old = model == ModelId::Linux2_6_33;
    let mut rungs = Vec::new();
    if model >= ModelId::Linux6_1 {
        rungs.push(rung(
            "MADV_HUGEPAGE?",
            reason(
                "fault_huge",
                "from the 2 MiB boundary: size = 1024, or 512 after MADV_RANDOM; async = 512; order 9",
            ),
        ));
    }
    rungs.push(rung("MADV_RANDOM?", reason("fault_random", "nothing; the page is read by itself")));
    if !old {
        rungs.push(rung("ra_pages = 0?", reason("fault_readahead_off", "nothing; the page is read by itself")));
    }
    let sequential = if old {
        "MADV_SEQUENTIAL, or the page behind the one read or faulted last (page − 1 = prev_index)?"
    } else {
        "MADV_SEQUENTIAL?"
    };
    rungs.push(rung(sequential, ladder("sync", "as a missing page, with req = ra_pages")));
    rungs.push(rung(
        "mmap_miss, raised by 1, above 100?",
        reason("fault_too_many_misses", "nothing; the page is read by itself"),
    ));
    if may_have_no_memory(model, patches) {
        rungs.push(rung("max = 0?", reason("fault_no_memory", "nothing is read around the page")));
    }
    let (size, part) = match model {
        ModelId::Linux2_6_33 => ("max", "0"),
        ModelId::Linux3_10 | ModelId::Linux3_18 => ("max", "size / 4"),
        _ => ("ra_pages", "size / 4"),
    };
    let order = if model >= ModelId::Linux6_1 { "; folios of order 2" } else { "" };
    let after = if old { " Each fault sets prev_pos to its page." } else { "" };
    Ladder {
        key: "fault",
        title: "A fault: the page is not cached",
        about: format!("The mapping uses the readahead state of its open file.{after}"),
        rungs,
        otherwise: reason(
            "fault_around",
            format!("start = page − {size} / 2, at least 0; size = {size}; async = {part}{order}"),
        ),
    }
}

/// Memory, or a limit made of it, can be 0 while ra_pages is not; in linux-2.6.33 ra_pages itself comes as far.
fn may_have_no_memory(model: ModelId, patches: Patches) -> bool {
    let on = |patch| patches.has(patch);
    let made_of_memory = on(Patch::NodeHalf) || on(Patch::RhelRevert) || on(Patch::GlobalHalf);
    match model {
        ModelId::Linux2_6_33 => true,
        ModelId::Linux3_10 => !on(Patch::Cap2mb) && !on(Patch::AquiniMax),
        ModelId::Linux3_18 => made_of_memory,
        _ => false,
    }
}

fn miss_7_2(patches: Patches) -> Ladder {
    let mut rungs = vec![
        rung(
            "MADV_RANDOM, and neither huge nor executable?",
            reason("fault_random", "nothing; the page is read by itself"),
        ),
        rung("ra_pages = 0, and not huge?", reason("fault_readahead_off", "nothing; the page is read by itself")),
        rung("MADV_SEQUENTIAL, and not huge?", ladder("sync", "as a missing page, with req = ra_pages")),
        rung(
            "mmap_miss, raised by 1, above 100? Not asked after MADV_SEQUENTIAL, nor if executable.",
            reason("fault_too_many_misses", "nothing; the page is read by itself"),
        ),
        rung(
            "Huge?",
            reason(
                "fault_huge",
                "t = the file's largest order; from the 2^t boundary: size = 2 × 2^t, or 2^t after MADV_RANDOM; async = 2^t",
            ),
        ),
        rung(
            "Mapped executable?",
            reason(
                "fault_exec",
                "ra_pages from the page on, inside the mapping; async = 0; the architecture's folio order",
            ),
        ),
    ];
    let around = "start = page − ra_pages / 2, at least 0; size = ra_pages; async = size / 4; order = 0";
    if patches.has(Patch::MmapFloorOrder) {
        rungs.push(rung(
            "fault_around_bytes is more than a page?",
            reason(
                "fault_around_floor",
                format!("{around}, but folios of what fault-around maps (order 4) where they fit"),
            ),
        ));
    }
    Ladder {
        key: "fault",
        title: "A fault: the page is not cached",
        about:
            "The mapping uses the readahead state of its open file. Huge: MADV_HUGEPAGE on a file with large folios."
                .into(),
        rungs,
        otherwise: reason("fault_around", around),
    }
}

/// A fault on a page that is cached.
pub(super) fn hit(model: ModelId) -> Ladder {
    let mut rungs = vec![rung(
        "MADV_RANDOM?",
        reason("fault_marker_random", "nothing; a marker stays. Recorded only when there is one"),
    )];
    if model >= ModelId::Linux5_10 {
        rungs.push(rung(
            "ra_pages = 0?",
            reason("fault_marker_readahead_off", "nothing; a marker stays. Recorded only when there is one"),
        ));
    }
    let lowered = if model >= ModelId::Linux7_2 {
        "mmap_miss falls by 1 first, except after MADV_SEQUENTIAL, if executable, or while the folio is being read."
    } else {
        "mmap_miss falls by 1 first."
    };
    rungs.push(rung(
        format!("The page carries the marker? {lowered}"),
        ladder("async", "as a marker met, with req = ra_pages"),
    ));
    Ladder {
        key: "fault-cached",
        title: "A fault: the page is cached",
        about: String::new(),
        rungs,
        otherwise: nothing("the page is mapped"),
    }
}
