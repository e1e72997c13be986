//! linux-6.12, 7.2 and 7.3-rc: misses and markers are decided apart.

use super::on_demand::{marker_off, missing_off};
use super::{Ladder, reason, rung, trim};
use readahead_policy::{ModelId, Patch, Patches};

pub(super) fn ladders(model: ModelId, patches: Patches) -> Vec<Ladder> {
    let mut ladders = vec![sync(model, patches), marker(model)];
    if model >= ModelId::Linux7_2 {
        ladders.push(if patches.has(Patch::AlignInRaOrder) { shrink() } else { align(patches) });
    }
    ladders
}

fn order(model: ModelId) -> &'static str {
    if model >= ModelId::Linux7_2 { "; order = 0" } else { "" }
}

fn sync(model: ModelId, patches: Patches) -> Ladder {
    let initial = format!(
        "start = index; size = first_size(req); async = size − req if that is positive, else size / 2{}",
        order(model)
    );
    let history = |weight: &str| {
        format!("start = index; size = the smaller of {weight} + req and max; async = 1{}", order(model))
    };
    let mut rungs = missing_off(model, patches);
    rungs.push(rung("index = 0?", reason("sync_start_of_file", initial.clone())));
    rungs.push(rung("req > max?", reason("sync_oversize", initial.clone())));
    rungs.push(rung(
        "index − prev_index ≤ 1: the page last read from, or the one behind it?",
        reason("sync_sequential", initial),
    ));
    rungs.push(rung("history ≤ req?", reason("sync_small_random", "req pages at index, as they are; the state stays")));
    rungs.push(rung(
        "Everything from page 0 to index cached?",
        reason("sync_history_from_start", history("2 × history")),
    ));
    Ladder {
        key: "sync",
        title: "A page is missing",
        about:
            "A read, or a sequential fault, wanted page index and req pages in all; it waits for what is read. A miss \
                never continues the last window."
                .into(),
        rungs,
        otherwise: reason("sync_history", history("history")),
    }
}

fn marker(model: ModelId) -> Ladder {
    let new = model >= ModelId::Linux7_2;
    let tail = if new { "; order += 2, then the end is aligned" } else { "; async = size" };
    Ladder {
        key: "async",
        title: "A marker is met",
        about:
            "The reader came to a folio that carries the marker; the marker is cleared. Nobody waits for what is read."
                .into(),
        rungs: vec![
            marker_off(),
            rung(
                "index = start + size − async, rounded down to the marked folio's size: the marker of the last window?",
                reason("async_expected", format!("start += size; size = the larger of size and next_size(size){tail}")),
            ),
            rung(
                "No gap within max pages behind index?",
                reason("async_no_gap", "nothing is read; the marker is gone"),
            ),
        ],
        otherwise: reason("async_unexpected", format!("start = gap; size = next_size(gap − index + req){tail}")),
    }
}

/// linux-7.2's alignment of the end, and keep-half-window's.
fn align(patches: Patches) -> Ladder {
    let mut rungs = Vec::new();
    if patches.has(Patch::KeepHalfWindow) {
        let leaf = trim("halved", "the alignment is halved until at least half is kept: end = t, size = t − start");
        rungs.push(rung("t > start, and cutting to t would take more than half of the window?", leaf));
    }
    rungs.push(rung("t ≤ start?", trim("not_cut", "the window stays as it was decided")));
    rungs.push(rung("t = end?", trim("aligned", "the window stays: its end is on the boundary")));
    Ladder {
        key: "then",
        title: "Before a marker's window is read: the end is aligned",
        about:
            "a = the smaller of order and the trailing zero bits of max; end = start + size; t = end rounded down to a \
                multiple of 2^a. Then async = size."
                .into(),
        rungs,
        otherwise: trim("cut", "end = t: size = t − start"),
    }
}

/// align-in-ra-order: aligned where the folio order used is known.
fn shrink() -> Ladder {
    Ladder {
        key: "then",
        title: "Before a marker's window is read: the end is aligned to the folio order used",
        about:
            "o = order, cut to what the file allows and to the window's size; end = start + size; t = end rounded down \
                to a multiple of 2^o."
                .into(),
        rungs: vec![
            rung("The file has no large folios?", trim("order_not_large", "the window stays as it was decided")),
            rung("t ≤ start?", trim("order_not_cut", "the window stays as it was decided")),
            rung("t = end?", trim("order_aligned", "the window stays: its end is on the boundary")),
        ],
        otherwise: trim("shrunk_to_order", "end = t: size = t − start; async = size"),
    }
}
