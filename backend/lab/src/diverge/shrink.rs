//! Cutting a workload down while the two kernels still part on it.
//!
//! The order of workloads: fewer operations first; then those where other pages are read, not the same ones in another
//! way; then fewer operations, and windows where the two part, that run over the end of the file; then default settings
//! and the kind of file that is tried first; then plainer operations; then more numbers that are whole pages; then smaller
//! numbers. The result cannot be made smaller by taking one operation out or by halving one number of it: a number of
//! whole pages counts in pages, and a file never becomes smaller than what is done inside it.

use super::ops::{Number, numbers, on_handle, with_number};
use super::trial::Trial;
use super::workload::{Files, Settings, Workload};
use readahead_sim::world::{Advice, MapAdvice, Op};
use readahead_types::{Bytes, PAGE_BYTES};

/// Smallest memory of a scenario.
const MEMORY_KB_MIN: u64 = 1024;

/// Largest file that a workload gets.
const FILE_BYTES_MAX: u64 = 1 << 30;

/// Rounds of all cuts. Each that changes something makes the workload smaller, so there is an end long before.
const ROUNDS_MAX: usize = 200;

/// The workload, cut down.
pub(super) fn shrink(trial: &mut Trial, mut workload: Workload) -> Workload {
    for _ in 0..ROUNDS_MAX {
        let before = workload.clone();
        operations(trial, &mut workload);
        settings(trial, &mut workload);
        holding(trial, &mut workload);
        plainer(trial, &mut workload);
        all_numbers(trial, &mut workload);
        if workload == before {
            break;
        }
    }
    workload
}

/// What counts before everything but the number of operations, the smaller the better: the same pages are read, only in
/// another way; operations, and windows where the two part, that run over the end of the file. Nothing when the two do not
/// part.
fn rank(trial: &mut Trial, workload: &Workload) -> Option<(bool, usize)> {
    let parting = trial.parting(workload)?;
    let over = parting.ends.iter().filter(|end| **end > workload.pages()).count();
    Some((parting.only_way, workload.overruns() + over))
}

/// Takes the change when the two still part.
fn accept(trial: &mut Trial, workload: &mut Workload, changed: Workload) -> bool {
    if changed == *workload {
        return false;
    }
    let Some(after) = rank(trial, &changed) else { return false };
    let shorter = changed.ops.len() < workload.ops.len();
    let taken = shorter || rank(trial, workload).is_none_or(|before| after <= before);
    if taken {
        *workload = changed;
    }
    taken
}

fn operations(trial: &mut Trial, workload: &mut Workload) {
    let mut at = workload.ops.len();
    while at > 0 {
        at -= 1;
        let mut fewer = workload.clone();
        fewer.ops.remove(at);
        accept(trial, workload, fewer);
    }
}

fn settings(trial: &mut Trial, workload: &mut Workload) {
    let default = Settings::DEFAULT;
    let now = workload.settings;
    for settings in [
        default,
        Settings { memory_kb: None, ..now },
        Settings { read_ahead_kb: default.read_ahead_kb, ..now },
        Settings { max_sectors_kb: default.max_sectors_kb, ..now },
    ] {
        let changed = Workload { settings, ..workload.clone() };
        if accept(trial, workload, changed) {
            // The others start from what is left.
            return self::settings(trial, workload);
        }
    }
    let [a, b] = trial.models();
    if let Some(&files) = Files::of(a, b).first() {
        let changed = Workload { files, ..workload.clone() };
        accept(trial, workload, changed);
    }
    // What is not at its default is as small as it can be.
    while workload.settings.read_ahead_kb != default.read_ahead_kb {
        let read_ahead_kb = workload.settings.read_ahead_kb / 8 * 4;
        let changed = Workload { settings: Settings { read_ahead_kb, ..workload.settings }, ..workload.clone() };
        if !accept(trial, workload, changed) {
            break;
        }
    }
    while workload.settings.max_sectors_kb != default.max_sectors_kb {
        let max_sectors_kb = (workload.settings.max_sectors_kb / 8 * 4).max(4);
        let changed = Workload { settings: Settings { max_sectors_kb, ..workload.settings }, ..workload.clone() };
        if !accept(trial, workload, changed) {
            break;
        }
    }
    while let Some(kb) = workload.settings.memory_kb {
        let memory_kb = Some((kb / 2).max(MEMORY_KB_MIN));
        let changed = Workload { settings: Settings { memory_kb, ..workload.settings }, ..workload.clone() };
        if !accept(trial, workload, changed) {
            break;
        }
    }
}

/// A file that holds all that is done, and the windows where the two part, where some of it runs over the end.
fn holding(trial: &mut Trial, workload: &mut Workload) {
    let Some(before) = rank(trial, workload).filter(|(_, over)| *over > 0) else { return };
    let windows = trial.parting(workload).and_then(|parting| parting.ends.into_iter().max()).unwrap_or(0);
    let needed = workload.bytes_needed();
    for file_bytes in [needed.max(windows.saturating_mul(PAGE_BYTES)), needed] {
        let changed = Workload { file_bytes, ..workload.clone() };
        // A file grows only for this.
        if file_bytes < FILE_BYTES_MAX
            && rank(trial, &changed).is_some_and(|after| after < before)
            && accept(trial, workload, changed)
        {
            return;
        }
    }
}

/// Plainer operations: the first open file, reads at the file position, mappings without advice, ranges with an end.
fn plainer(trial: &mut Trial, workload: &mut Workload) {
    for at in 0..workload.ops.len() {
        let op = workload.ops[at];
        let mut forms = Vec::new();
        match op {
            Op::Open { .. } => {}
            Op::Read { fh, pos: Some(_), len } => forms.push(Op::Read { fh, pos: None, len }),
            Op::Mmap { fh, advice, exec } => {
                forms.push(Op::Mmap { fh, advice: MapAdvice::Normal, exec: false });
                forms.push(Op::Mmap { fh, advice, exec: false });
                forms.push(Op::Mmap { fh, advice: MapAdvice::Normal, exec });
            }
            _ => {}
        }
        if let Op::Fadvise { fh, advice: advice @ (Advice::Willneed | Advice::Dontneed), pos, len: Bytes(0) } = op {
            let len = Bytes(workload.file_bytes.saturating_sub(pos.0).max(1));
            forms.push(Op::Fadvise { fh, advice, pos, len });
        }
        if let Op::Readahead { fh, pos, len: Bytes(0) } = op {
            forms.push(Op::Readahead { fh, pos, len: Bytes(workload.file_bytes.saturating_sub(pos.0).max(1)) });
        }
        for form in forms {
            let mut changed = workload.clone();
            changed.ops[at] = form;
            if accept(trial, workload, changed) {
                break;
            }
        }
        if !matches!(op, Op::Open { .. }) {
            let mut changed = workload.clone();
            changed.ops[at] = on_handle(&workload.ops[at], 0);
            accept(trial, workload, changed);
        }
    }
}

fn all_numbers(trial: &mut Trial, workload: &mut Workload) {
    let file = |workload: &Workload| Number { value: workload.file_bytes, unit: PAGE_BYTES, min: 0 };
    reduce(trial, workload, file, |workload, value| workload.file_bytes = value);
    for at in 0..workload.ops.len() {
        for place in 0..numbers(&workload.ops[at]).len() {
            reduce(
                trial,
                workload,
                |workload| numbers(&workload.ops[at])[place],
                |workload, value| workload.ops[at] = with_number(&workload.ops[at], place, value),
            );
        }
    }
}

/// Makes one number simpler and smaller, by halves and by what is left of them.
fn reduce(
    trial: &mut Trial,
    workload: &mut Workload,
    get: impl Fn(&Workload) -> Number,
    set: impl Fn(&mut Workload, u64),
) {
    let mut attempt = |workload: &mut Workload, value: u64| {
        let mut changed = workload.clone();
        set(&mut changed, value);
        accept(trial, workload, changed)
    };
    let Number { value, unit, min } = get(workload);
    if !value.is_multiple_of(unit) {
        let whole = [value / unit * unit, value.next_multiple_of(unit)];
        let _ = whole.into_iter().any(|whole| whole >= min && attempt(workload, whole));
    }
    let now = get(workload).value;
    // A number of whole pages stays one.
    let unit = if now.is_multiple_of(unit) { unit } else { 1 };
    let mut step = (now / unit).div_ceil(2);
    while step > 0 {
        let value = get(workload).value;
        match value.checked_sub(step * unit) {
            Some(smaller) if smaller >= min && attempt(workload, smaller) => {}
            _ => step /= 2,
        }
    }
}

#[cfg(test)]
pub(super) fn smaller_by_one(trial: &mut Trial, workload: &Workload) -> Vec<Workload> {
    let mut list = Vec::new();
    let before = rank(trial, workload);
    // What is not as good is not smaller.
    let mut fits = |smaller: &Workload| rank(trial, smaller) <= before;
    for at in 0..workload.ops.len() {
        let mut fewer = workload.clone();
        fewer.ops.remove(at);
        list.push(fewer);
        for (place, number) in numbers(&workload.ops[at]).into_iter().enumerate() {
            let unit = if number.value.is_multiple_of(number.unit) { number.unit } else { 1 };
            let half = number.value / unit / 2 * unit;
            if half >= number.min && half != number.value {
                let mut smaller = workload.clone();
                smaller.ops[at] = with_number(&workload.ops[at], place, half);
                list.extend(fits(&smaller).then_some(smaller));
            }
        }
    }
    let unit = if workload.file_bytes.is_multiple_of(PAGE_BYTES) { PAGE_BYTES } else { 1 };
    let half = workload.file_bytes / unit / 2 * unit;
    if half != workload.file_bytes {
        let smaller = Workload { file_bytes: half, ..workload.clone() };
        list.extend(fits(&smaller).then_some(smaller));
    }
    list
}
