//! How much work a scenario asks for, estimated before it runs, so that a slip of a zero is an error and not a full disk.

use super::check::{Place, WAIT_NS_MAX};
use crate::LabError;
use readahead_sim::world::{FileSpec, Op, Step, StreamSpec, Workload};
use readahead_types::{Bytes, FileId};

/// Operations and pages of a whole scenario.
const WORK_MAX: u64 = 50_000_000;
/// Steps that a program may be written as, and how deep they may nest.
const STEPS_MAX: usize = 100_000;
const DEPTH_MAX: usize = 8;

/// Refuses programs that are too long, too deep, or too much.
pub(crate) fn check(streams: &[StreamSpec], files: &[FileSpec]) -> Result<(), LabError> {
    let mut total = 0u64;
    for (index, stream) in streams.iter().enumerate() {
        let place = Place::root().key("stream").item(index);
        let written = written(&stream.program, 1).ok_or_else(|| {
            place.error("scenario.too_much", format!("the program nests deeper than {DEPTH_MAX}; expected less"))
        })?;
        if written > STEPS_MAX {
            let message = format!("the program has {written} steps; expected {STEPS_MAX} at most");
            return Err(place.error("scenario.too_much", message));
        }
        let pauses = pauses(&stream.program);
        if pauses > WAIT_NS_MAX {
            let message =
                format!("the program thinks for {pauses} ns in all; expected {WAIT_NS_MAX} ns at most, a day");
            return Err(place.error("scenario.too_much", message));
        }
        let bytes = files.get(stream.file.0 as usize).map_or(0, |file| file.bytes.0);
        total = total.saturating_add(work(&stream.program, bytes, files));
        if total > WORK_MAX {
            let message = format!(
                "about {total} operations and pages up to this stream; expected {WORK_MAX} at most in a scenario"
            );
            return Err(place.error("scenario.too_much", message));
        }
    }
    Ok(())
}

fn written(steps: &[Step], depth: usize) -> Option<usize> {
    if depth > DEPTH_MAX {
        return None;
    }
    steps.iter().try_fold(0, |sum, step| match step {
        Step::Repeat { steps, .. } => Some(sum + 1 + written(steps, depth + 1)?),
        Step::Op(_) | Step::UntilEof(_) | Step::Generate(_) => Some(sum + 1),
    })
}

/// Nanoseconds that the program thinks.
fn pauses(steps: &[Step]) -> u64 {
    let of_step = |step: &Step| match step {
        Step::Op(Op::Think(pause)) => pause.0,
        Step::Repeat { count, steps } => count.saturating_mul(pauses(steps)),
        Step::Op(_) | Step::UntilEof(_) | Step::Generate(_) => 0,
    };
    steps.iter().map(of_step).fold(0, u64::saturating_add)
}

fn work(steps: &[Step], file_bytes: u64, files: &[FileSpec]) -> u64 {
    let of_step = |step: &Step| match step {
        Step::Op(op) => op_work(op, file_bytes, files),
        Step::Repeat { count, steps } => count.saturating_mul(work(steps, file_bytes, files)),
        Step::UntilEof(Op::Read { len, .. }) => read_work(file_bytes.div_ceil(len.0.max(1)), *len, file_bytes),
        Step::UntilEof(op) => op_work(op, file_bytes, files),
        Step::Generate(workload) => workload_work(workload, file_bytes, files),
    };
    steps.iter().map(of_step).fold(0, u64::saturating_add)
}

/// `count` reads of `len`, none of which brings more than the file.
fn read_work(count: u64, len: Bytes, file_bytes: u64) -> u64 {
    count.saturating_mul(1 + Bytes(len.0.min(file_bytes)).pages_up().0)
}

fn op_work(op: &Op, file_bytes: u64, files: &[FileSpec]) -> u64 {
    // An open of another file may make later reads longer than the stream's own file.
    let longest = files.iter().map(|file| file.bytes.0).max().unwrap_or(file_bytes);
    match op {
        Op::Read { len, .. } | Op::Readahead { len, .. } | Op::Fadvise { len, .. } => {
            read_work(1, if len.0 == 0 { Bytes(longest) } else { *len }, longest)
        }
        Op::Touch { pages, .. } | Op::Evict { pages, .. } => 1 + pages.0.min(Bytes(longest).pages_up().0),
        Op::Open { file: Some(FileId(_)), .. }
        | Op::Open { .. }
        | Op::Close { .. }
        | Op::Lseek { .. }
        | Op::LseekEnd { .. }
        | Op::Mmap { .. }
        | Op::Fault { .. }
        | Op::Think(_)
        | Op::DropCaches
        | Op::Settle => 1,
    }
}

fn workload_work(workload: &Workload, file_bytes: u64, files: &[FileSpec]) -> u64 {
    let blocks = |block: &Bytes| file_bytes.div_ceil(block.0.max(1));
    match workload {
        Workload::Sequential { block, len, .. } => {
            read_work(len.map_or(file_bytes, |len| len.0.min(file_bytes)).div_ceil(block.0.max(1)), *block, file_bytes)
        }
        Workload::Random { block, count } => read_work(*count, *block, file_bytes),
        Workload::Strided { block, stride, count, .. } => {
            read_work(count.unwrap_or(file_bytes.div_ceil(stride.0.max(1))), *block, file_bytes)
        }
        Workload::Backward { block, count } | Workload::Interleaved { block, count, .. } => {
            read_work(count.unwrap_or(blocks(block)), *block, file_bytes)
        }
        Workload::MmapSequential { count, .. } => count.unwrap_or(Bytes(file_bytes).pages_up().0).saturating_mul(2),
        Workload::MmapRandom { count, .. } => count.saturating_mul(2),
        Workload::WholeFiles { block } => {
            let of_file = |file: &FileSpec| read_work(file.bytes.0.div_ceil(block.0.max(1)), *block, file.bytes.0);
            files.iter().map(of_file).fold(0, u64::saturating_add)
        }
    }
}
