//! linux-2.6.33 with the patch thrashing-safe: a stream that lost pages is sized by its history in the page cache.

use super::on_demand::{afterwards, continued, marker_off, missing_off};
use super::{Ladder, Rung, reason, rung};
use readahead_policy::{ModelId, Patch, Patches};

const INITIAL: &str = "start = 0; size = first_size(req); async = size − req if that is positive, else size";

pub(super) fn ladders(model: ModelId, patches: Patches) -> Vec<Ladder> {
    vec![sync(model, patches), marker(), afterwards(model, patches)]
}

fn after_seek(patches: Patches) -> Option<Rung> {
    patches.has(Patch::LseekFlag).then(|| {
        rung(
            "index = 0, the handle was moved by lseek, and req ≤ max?",
            reason("sync_start_after_seek", "start = 0; size = req; async = 0"),
        )
    })
}

fn sync(model: ModelId, patches: Patches) -> Ladder {
    let mut rungs = missing_off(model, patches);
    rungs.extend(after_seek(patches));
    rungs.push(rung("index = 0?", reason("sync_start_of_file", INITIAL)));
    rungs.push(rung(
        "Never thrashed, and index = start + size − async: where the last window's marker would be?",
        reason("sync_expected", continued(model)),
    ));
    rungs.push(rung(
        "Never thrashed, and index = start + size: the page behind the last window?",
        reason("sync_window_end", continued(model)),
    ));
    rungs.push(rung(
        "Never thrashed, and req > max?",
        reason("sync_oversize", "start = index; size = max; async = max"),
    ));
    rungs.push(rung(
        "history = 0, and index lies in the last window or at most its size in front of it?",
        reason(
            "context_thrashed",
            "start = index; size = the larger of size / 2 and MIN; async = 0; the handle has thrashed, for good",
        ),
    ));
    rungs.push(rung(
        "history = 0?",
        reason("context_random", "start = index; size = the smaller of req and max; async = 0"),
    ));
    Ladder {
        key: "sync",
        title: "A page is missing",
        about: "A read, or a sequential fault, wanted page index and req pages in all; it waits for what is read."
            .into(),
        rungs,
        otherwise: reason(
            "context_miss",
            "start = index; size = history, from MIN up to max; async = 1 + history / 8, at most size",
        ),
    }
}

fn marker() -> Ladder {
    let mut rungs = vec![marker_off()];
    let sizes = "start += size; size = next_size(size); async = size";
    rungs.push(rung(
        "Never thrashed, and index = start + size − async: the marker of the last window?",
        reason("async_expected", sizes),
    ));
    rungs.push(rung(
        "Never thrashed, and index = start + size: the page behind the last window?",
        reason("async_window_end", sizes),
    ));
    rungs.push(rung(
        "No gap within max pages behind index?",
        reason("async_no_gap", "nothing is read; the marker is gone"),
    ));
    rungs.push(rung(
        "history ≤ ahead: as much is still ahead as the history allows?",
        reason("context_enough", "nothing is read; the marker is gone"),
    ));
    Ladder {
        key: "async",
        title: "A marker is met",
        about:
            "The reader came to a page that carries the marker; the marker is cleared. Nobody waits for what is read."
                .into(),
        rungs,
        otherwise: reason(
            "context_marker",
            "h = history − ahead; start = gap; size = h, from MIN up to max; async = 1 + h / 8, at most size",
        ),
    }
}
