//! Generated workloads: one operation at a time, from a few numbers and the run's draws.

use crate::program::Surroundings;
use crate::world::{MapAdvice, Op, Workload};
use rand_core::RngCore;
use rand_pcg::Pcg64Mcg;
use readahead_types::{Bytes, FileId, PageIndex, Pages};

/// A workload being generated.
pub(crate) struct Generator {
    workload: Workload,
    /// Operations handed out so far.
    done: u64,
}

/// A whole number below `below` (at least 1), drawn evenly.
fn draw(draws: &mut Pcg64Mcg, below: u64) -> u64 {
    ((u128::from(draws.next_u64()) * u128::from(below.max(1))) >> 64) as u64
}

impl Generator {
    pub(crate) fn new(workload: Workload) -> Self {
        Generator { workload, done: 0 }
    }

    /// The next operation, or `None` when the workload is over.
    pub(crate) fn next(&mut self, around: &mut Surroundings<'_>) -> Option<Op> {
        let number = self.done;
        self.done += 1;
        let bytes = around.file_bytes.0;
        let pread = |pos: u64, len: Bytes| Op::Read { fh: 0, pos: Some(Bytes(pos)), len };
        match self.workload {
            Workload::Sequential { block, start, len } => {
                if number == 0 {
                    return Some(Op::Lseek { fh: 0, pos: start });
                }
                let read = (number - 1).saturating_mul(block.0);
                let left = len.map_or(u64::MAX, |len| len.0.saturating_sub(read));
                let over = left == 0 || (number > 1 && around.at_eof);
                (!over).then_some(Op::Read { fh: 0, pos: None, len: Bytes(block.0.min(left)) })
            }
            Workload::Random { block, count } => {
                let place = draw(around.draws, bytes / block.0.max(1)) * block.0;
                (number < count).then(|| pread(place, block))
            }
            Workload::Strided { block, start, stride, count } => {
                let pos = start.0.saturating_add(number.saturating_mul(stride.0));
                let inside = count.map_or(pos < bytes, |count| number < count);
                inside.then(|| pread(pos, block))
            }
            Workload::Backward { block, count } => {
                let blocks = bytes.div_ceil(block.0.max(1));
                let inside = number < count.unwrap_or(blocks).min(blocks);
                inside.then(|| pread((blocks - 1 - number) * block.0, block))
            }
            Workload::Interleaved { block, streams, count } => {
                let streams = u64::from(streams.max(1));
                let rounds = bytes / streams / block.0.max(1);
                let part = rounds * block.0;
                // Once the others are through, the last reader is alone with what is left.
                let turns = rounds * streams;
                let pos = match number.checked_sub(turns) {
                    None => number % streams * part + number / streams * block.0,
                    Some(rest) => streams * part + rest * block.0,
                };
                (number < count.unwrap_or(u64::MAX) && pos < bytes).then(|| pread(pos, block))
            }
            Workload::MmapSequential { advice, count } => {
                if number == 0 {
                    return Some(Op::Mmap { fh: 0, advice, exec: false });
                }
                let pages = around.file_bytes.pages_up().0;
                let page = number - 1;
                (page < count.unwrap_or(pages).min(pages)).then(|| touch(page))
            }
            Workload::MmapRandom { advice, count } => {
                if number == 0 {
                    return Some(Op::Mmap { fh: 0, advice, exec: false });
                }
                let page = draw(around.draws, around.file_bytes.pages_up().0);
                (number <= count).then(|| touch(page))
            }
            Workload::WholeFiles { block } => self.whole_files(number, block, around),
        }
    }

    /// Opens, reads to its end and closes every file. `done` counts three phases a file; a read phase is repeated until
    /// a read returned nothing.
    fn whole_files(&mut self, number: u64, block: Bytes, around: &Surroundings<'_>) -> Option<Op> {
        let file = (number / 3) as u32;
        if file >= around.files {
            return None;
        }
        match number % 3 {
            0 => Some(Op::Open { fh: 1, file: Some(FileId(file)), direct: false }),
            1 => Some(Op::Read { fh: 1, pos: None, len: block }),
            _ if !around.at_eof => {
                self.done -= 1;
                Some(Op::Read { fh: 1, pos: None, len: block })
            }
            _ => Some(Op::Close { fh: 1 }),
        }
    }
}

fn touch(page: u64) -> Op {
    Op::Touch { fh: 0, page: PageIndex(page), pages: Pages(1) }
}

/// The number of an madvise in events: 0 normal, 1 random, 2 sequential, 3 hugepage.
pub(crate) fn advice_number(advice: MapAdvice) -> u8 {
    match advice {
        MapAdvice::Normal => 0,
        MapAdvice::Random => 1,
        MapAdvice::Sequential => 2,
        MapAdvice::Hugepage => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;

    fn reads(workload: Workload, bytes: u64) -> Vec<(u64, u64)> {
        let mut draws = Pcg64Mcg::seed_from_u64(1);
        let mut generator = Generator::new(workload);
        let mut around = Surroundings { file_bytes: Bytes(bytes), files: 1, draws: &mut draws, at_eof: false };
        let mut reads = Vec::new();
        while let Some(op) = generator.next(&mut around) {
            let Op::Read { pos: Some(pos), len, .. } = op else { panic!("{op:?}") };
            reads.push((pos.0, len.0));
        }
        reads
    }

    #[test]
    fn interleaved_readers_take_turns_and_the_last_reads_the_rest() {
        let places = |streams, bytes, count| -> Vec<u64> {
            let workload = Workload::Interleaved { block: Bytes(10), streams, count };
            reads(workload, bytes).into_iter().map(|(pos, _)| pos).collect()
        };
        assert_eq!(places(2, 40, None), [0, 20, 10, 30]);
        assert_eq!(places(2, 65, None), [0, 30, 10, 40, 20, 50, 60]);
        assert_eq!(places(3, 55, None), [0, 10, 20, 30, 40, 50]);
        assert_eq!(places(2, 65, Some(3)), [0, 30, 10]);
        for (streams, bytes) in [(1, 1), (2, 20), (3, 101), (4, 79), (7, 70), (7, 139)] {
            let mut seen = places(streams, bytes, None);
            seen.sort_unstable();
            let all: Vec<u64> = (0..bytes).step_by(10).collect();
            assert_eq!(seen, all, "{streams} readers of {bytes} bytes");
        }
    }

    #[test]
    fn backward_begins_with_the_last_block_even_a_partial_one() {
        let backward = |bytes, count| reads(Workload::Backward { block: Bytes(10), count }, bytes);
        assert_eq!(backward(25, None), [(20, 10), (10, 10), (0, 10)]);
        assert_eq!(backward(20, None), [(10, 10), (0, 10)]);
        assert_eq!(backward(25, Some(1)), [(20, 10)]);
        assert_eq!(backward(5, None), [(0, 10)]);
        assert_eq!(backward(0, None), []);
    }
}
