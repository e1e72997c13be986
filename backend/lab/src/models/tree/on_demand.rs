//! linux-2.6.33 to 6.1: one decision for misses and markers alike.

use super::{Ladder, Leaf, Rung, reason, rung, trim};
use readahead_policy::{ModelId, Patch, Patches};

/// What begins both ladders of these kernels: readahead switched off, random mode.
pub(super) fn missing_off(model: ModelId, patches: Patches) -> Vec<Rung> {
    let mut rungs = Vec::new();
    if model >= ModelId::Linux5_10 {
        let leaf = reason("sync_readahead_off", "one page forced in, if the forced limit allows one");
        rungs.push(rung("ra_pages = 0?", leaf));
    } else if model == ModelId::Linux2_6_33 && !patches.has(Patch::FmodeRandom) {
        let leaf = reason("sync_no_readahead", "nothing; the caller reads the page by itself");
        rungs.push(rung("ra_pages = 0? POSIX_FADV_RANDOM sets it so.", leaf));
    } else {
        rungs.push(rung("ra_pages = 0?", reason("sync_no_readahead", "nothing; the caller reads the page by itself")));
    }
    if model >= ModelId::Linux3_10 || patches.has(Patch::FmodeRandom) {
        let leaf = reason("sync_random_file", "req pages forced in as they are; no window, no marker");
        rungs.push(rung("POSIX_FADV_RANDOM given?", leaf));
    }
    rungs
}

pub(super) fn marker_off() -> Rung {
    rung("ra_pages = 0?", reason("async_readahead_off", "nothing; the marker stays"))
}

/// How the sizes of a continued window go on.
pub(super) fn continued(model: ModelId) -> &'static str {
    if model == ModelId::Linux6_1 {
        "start += size; size = the larger of size and next_size(size); async = size"
    } else {
        "start += size; size = next_size(size); async = size"
    }
}

fn initial() -> &'static str {
    "start = index; size = first_size(req); async = size − req if that is positive, else size"
}

pub(super) fn ladders(model: ModelId, patches: Patches) -> Vec<Ladder> {
    let mut ladders = vec![sync(model, patches), marker(model)];
    ladders.push(afterwards(model, patches));
    ladders
}

fn sync(model: ModelId, patches: Patches) -> Ladder {
    let mut rungs = missing_off(model, patches);
    rungs.push(rung("index = 0?", reason("sync_start_of_file", initial())));
    rungs.push(rung(
        "index = start + size − async: the page that would carry the last window's marker?",
        reason("sync_expected", continued(model)),
    ));
    rungs.push(rung(
        "index = start + size: the page behind the last window?",
        reason("sync_window_end", continued(model)),
    ));
    rungs.push(rung("req > max?", reason("sync_oversize", initial())));
    rungs.push(rung(
        "index − prev_index ≤ 1: the page last read from, or the one behind it?",
        reason("sync_sequential", initial()),
    ));
    let any = model <= ModelId::Linux3_10;
    if any {
        rungs.push(rung("history = 0?", reason("sync_no_history", "req pages at index, as they are; the state stays")));
        rungs.push(rung(
            "history reaches page 0 (history ≥ index)?",
            reason("sync_history_from_start", "start = index; size = first_size(2 × history + req); async = size"),
        ));
    } else {
        rungs.push(rung(
            "history ≤ req?",
            reason("sync_small_random", "req pages at index, as they are; the state stays"),
        ));
        rungs.push(rung(
            "history reaches page 0 (history ≥ index)?",
            reason(
                "sync_history_from_start",
                "start = index; size = the smaller of 2 × history + req and max; async = 1",
            ),
        ));
    }
    let otherwise = if any {
        reason("sync_history", "start = index; size = first_size(history + req); async = size")
    } else {
        reason("sync_history", "start = index; size = the smaller of history + req and max; async = 1")
    };
    Ladder {
        key: "sync",
        title: "A page is missing",
        about: "A read, or a sequential fault, wanted page index and req pages in all; it waits for what is read."
            .into(),
        rungs,
        otherwise,
    }
}

fn marker(model: ModelId) -> Ladder {
    let mut rungs = vec![marker_off()];
    if model >= ModelId::Linux5_10 {
        let told = "index = 0? The end of the file can move a marker there.";
        rungs.push(rung(told, reason("async_start_of_file", initial())));
    }
    let expected = if model == ModelId::Linux6_1 {
        "index = start + size − async, rounded down to the marked folio's size: the marker of the last window?"
    } else {
        "index = start + size − async: the marker of the last window?"
    };
    rungs.push(rung(expected, reason("async_expected", continued(model))));
    rungs.push(rung(
        "index = start + size: the page behind the last window?",
        reason("async_window_end", continued(model)),
    ));
    let gap = "start = gap; size = next_size(gap − index + req); async = size";
    if model >= ModelId::Linux5_4 {
        rungs.push(rung(
            "All max pages behind index cached, so that the search ends on a cached page?",
            reason("async_past_cached", format!("{gap}; gap is the last page looked at")),
        ));
    } else {
        rungs.push(rung(
            "No gap within max pages behind index?",
            reason("async_no_gap", "nothing is read; the marker is gone"),
        ));
    }
    Ladder {
        key: "async",
        title: "A marker is met",
        about:
            "The reader came to a page that carries the marker; the marker is cleared. Nobody waits for what is read."
                .into(),
        rungs,
        otherwise: reason("async_unexpected", gap),
    }
}

/// What becomes of a decided window.
pub(super) fn afterwards(model: ModelId, patches: Patches) -> Ladder {
    let own = "The window begins at index and all of it lies behind its marker (start = index, size = async)";
    let within = model >= ModelId::Linux5_4 || patches.has(Patch::StableIoPages);
    let mut rungs = Vec::new();
    if model == ModelId::Linux6_1 {
        let leaf = trim("grown_past_end", "size and async grow by the distance; nothing is read");
        rungs.push(rung("The window begins more than a page behind the end of a file with large folios?", leaf));
    }
    if within {
        rungs.push(rung(
            format!("{own}, and size + next_size(size) > max?"),
            trim("merged_to_limit", "size = max; async = max / 2"),
        ));
    }
    let merged: Leaf = trim("merged", "async = next_size(size); size += async");
    rungs.push(rung(format!("{own}?"), merged));
    Ladder {
        key: "then",
        title: "Before the window is read",
        about: "A window that would meet its own marker at once is read together with the next one.".into(),
        rungs,
        otherwise: trim("none", "the window stays as it was decided"),
    }
}
