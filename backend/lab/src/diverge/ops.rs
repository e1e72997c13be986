//! The operations of a workload: as people say them, as a scenario writes them, and the numbers in them.

use readahead_sim::world::{Advice, MapAdvice, Op};
use readahead_types::{Bytes, PAGE_BYTES, PageIndex, Pages};

/// A size as a scenario writes it.
pub(super) fn size(bytes: u64) -> String {
    match plain_size(bytes) {
        text if text.ends_with(['K', 'M', 'G']) => format!("\"{text}\""),
        text => text,
    }
}

/// A size as people write it: 4K, 1M, 4097.
pub(super) fn plain_size(bytes: u64) -> String {
    let units = [(30, 'G'), (20, 'M'), (10, 'K')];
    match units.iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift)) {
        Some((shift, unit)) => format!("{}{unit}", bytes >> shift),
        None => bytes.to_string(),
    }
}

fn advice_name(advice: Advice) -> &'static str {
    match advice {
        Advice::Normal => "normal",
        Advice::Random => "random",
        Advice::Sequential => "sequential",
        Advice::Willneed => "willneed",
        Advice::Dontneed => "dontneed",
        Advice::Noreuse => "noreuse",
    }
}

fn map_advice_name(advice: MapAdvice) -> &'static str {
    match advice {
        MapAdvice::Normal => "normal",
        MapAdvice::Random => "random",
        MapAdvice::Sequential => "sequential",
        MapAdvice::Hugepage => "hugepage",
    }
}

/// The open file that an operation works on.
fn handle(op: &Op) -> u32 {
    match *op {
        Op::Open { fh, .. }
        | Op::Read { fh, .. }
        | Op::Lseek { fh, .. }
        | Op::Fadvise { fh, .. }
        | Op::Readahead { fh, .. }
        | Op::Mmap { fh, .. }
        | Op::Fault { fh, .. }
        | Op::Evict { fh, .. } => fh,
        _ => 0,
    }
}

/// The same operation on another open file.
pub(super) fn on_handle(op: &Op, to: u32) -> Op {
    let mut op = *op;
    match &mut op {
        Op::Open { fh, .. }
        | Op::Read { fh, .. }
        | Op::Lseek { fh, .. }
        | Op::Fadvise { fh, .. }
        | Op::Readahead { fh, .. }
        | Op::Mmap { fh, .. }
        | Op::Fault { fh, .. }
        | Op::Evict { fh, .. } => *fh = to,
        _ => {}
    }
    op
}

/// The operation in words.
pub(super) fn words(op: &Op) -> String {
    let range = |pos: Bytes, len: Bytes| match len.0 {
        0 => format!("from {} to the end", plain_size(pos.0)),
        len => format!("{} at {}", plain_size(len), plain_size(pos.0)),
    };
    let text = match *op {
        Op::Open { fh, .. } => return format!("open the file again as fh {fh}"),
        Op::Read { pos: None, len, .. } => format!("read {}", plain_size(len.0)),
        Op::Read { pos: Some(pos), len, .. } => format!("pread {}", range(pos, len)),
        Op::Lseek { pos, .. } => format!("lseek to {}", plain_size(pos.0)),
        Op::Fadvise { advice, pos, len, .. } => match advice {
            Advice::Willneed | Advice::Dontneed => format!("fadvise {} {}", advice_name(advice), range(pos, len)),
            _ => format!("fadvise {}", advice_name(advice)),
        },
        Op::Readahead { pos, len, .. } => format!("readahead {}", range(pos, len)),
        Op::Mmap { advice: MapAdvice::Normal, exec: false, .. } => "mmap".to_owned(),
        Op::Mmap { advice, exec: false, .. } => format!("mmap, madvise {}", map_advice_name(advice)),
        Op::Mmap { advice: MapAdvice::Normal, .. } => "mmap executable".to_owned(),
        Op::Mmap { advice, .. } => format!("mmap executable, madvise {}", map_advice_name(advice)),
        Op::Fault { page, .. } => format!("fault on page {}", page.0),
        Op::Evict { page, pages, .. } => format!("evict {} pages from page {}", pages.0, page.0),
        ref other => format!("{other:?}"),
    };
    match handle(op) {
        0 => text,
        fh => format!("{text} (fh {fh})"),
    }
}

/// The operation as an inline table of a scenario.
pub(super) fn toml_op(op: &Op) -> String {
    let mut keys: Vec<(&str, String)> = Vec::new();
    let name = match *op {
        Op::Open { .. } => "open",
        Op::Read { pos, len, .. } => {
            keys.extend(pos.map(|pos| ("pos", size(pos.0))));
            keys.push(("len", size(len.0)));
            "read"
        }
        Op::Lseek { pos, .. } => {
            keys.push(("pos", size(pos.0)));
            "lseek"
        }
        Op::Fadvise { advice, pos, len, .. } => {
            keys.push(("advice", format!("\"{}\"", advice_name(advice))));
            if matches!(advice, Advice::Willneed | Advice::Dontneed) {
                keys.extend([("pos", size(pos.0)), ("len", size(len.0))]);
            }
            "fadvise"
        }
        Op::Readahead { pos, len, .. } => {
            keys.extend([("pos", size(pos.0)), ("len", size(len.0))]);
            "readahead"
        }
        Op::Mmap { advice, exec, .. } => {
            keys.push(("advice", format!("\"{}\"", map_advice_name(advice))));
            if exec {
                keys.push(("exec", "true".to_owned()));
            }
            "mmap"
        }
        Op::Fault { page, .. } => {
            keys.push(("index", page.0.to_string()));
            "fault"
        }
        Op::Evict { page, pages, .. } => {
            keys.extend([("index", page.0.to_string()), ("count", pages.0.to_string())]);
            "evict"
        }
        _ => unreachable!("a workload holds no other operation"),
    };
    if handle(op) > 0 || matches!(op, Op::Open { .. }) {
        keys.insert(0, ("fh", handle(op).to_string()));
    }
    let keys: String = keys.iter().map(|(key, value)| format!(", {key} = {value}")).collect();
    format!("{{ op = \"{name}\"{keys} }}")
}

/// A number of an operation: its value, the unit that it is counted in while it is a multiple of it, its smallest value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) value: u64,
    pub(super) unit: u64,
    pub(super) min: u64,
}

/// How many numbers an operation has, and each of them.
pub(super) fn numbers(op: &Op) -> Vec<Number> {
    let bytes = |value: Bytes, min| Number { value: value.0, unit: PAGE_BYTES, min };
    let count = |value, min| Number { value, unit: 1, min };
    match *op {
        Op::Read { pos, len, .. } => pos.map(|pos| bytes(pos, 0)).into_iter().chain([bytes(len, 1)]).collect(),
        Op::Lseek { pos, .. } => vec![bytes(pos, 0)],
        // A length of 0 is the longest of all.
        Op::Fadvise { advice: Advice::Willneed | Advice::Dontneed, pos, len, .. } | Op::Readahead { pos, len, .. } => {
            vec![bytes(pos, 0), bytes(len, 1)]
        }
        Op::Fault { page, .. } => vec![count(page.0, 0)],
        Op::Evict { page, pages, .. } => vec![count(page.0, 0), count(pages.0, 1)],
        _ => Vec::new(),
    }
}

/// The operation with another value in one of its places.
pub(super) fn with_number(op: &Op, place: usize, value: u64) -> Op {
    let mut op = *op;
    match (&mut op, place) {
        (Op::Read { pos: Some(pos), .. }, 0)
        | (Op::Lseek { pos, .. } | Op::Fadvise { pos, .. } | Op::Readahead { pos, .. }, 0) => *pos = Bytes(value),
        (Op::Read { len, .. } | Op::Fadvise { len, .. } | Op::Readahead { len, .. }, _) => *len = Bytes(value),
        (Op::Fault { page, .. } | Op::Evict { page, .. }, 0) => *page = PageIndex(value),
        (Op::Evict { pages, .. }, _) => *pages = Pages(value),
        _ => {}
    }
    op
}
