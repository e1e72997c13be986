//! The cursor through a stream's program: which operation comes next. Programs are small trees; the operations of a
//! loop or of a generated workload are never listed.

use crate::workload::Generator;
use crate::world::{Op, Step, Workload};
use rand_pcg::Pcg64Mcg;
use readahead_types::{Bytes, PageIndex};

/// What a program may look at when it chooses its next operation.
pub(crate) struct Surroundings<'a> {
    /// Size of the stream's file.
    pub(crate) file_bytes: Bytes,
    /// Number of files of the run.
    pub(crate) files: u32,
    /// The stream's draws.
    pub(crate) draws: &'a mut Pcg64Mcg,
    /// The last read returned nothing.
    pub(crate) at_eof: bool,
}

enum Instruction {
    Op(Op),
    UntilEof(Op),
    Generate(Workload),
    /// Jumps behind `end` when the count is 0.
    Loop {
        count: u64,
        end: usize,
    },
    End {
        start: usize,
    },
}

/// A program being carried out.
pub(crate) struct Program {
    instructions: Vec<Instruction>,
    at: usize,
    /// Rounds left of the loops that are open.
    rounds: Vec<u64>,
    generator: Option<Generator>,
    /// An operation repeated until the end of the file has been started; for touches, the next page.
    repeating: Option<u64>,
}

impl Program {
    pub(crate) fn new(steps: &[Step]) -> Self {
        let mut instructions = Vec::new();
        compile(steps, &mut instructions);
        Program { instructions, at: 0, rounds: Vec::new(), generator: None, repeating: None }
    }

    /// Adds a step at the end.
    pub(crate) fn push(&mut self, step: &Step) {
        compile(std::slice::from_ref(step), &mut self.instructions);
    }

    /// The next operation, or `None` at the end of the program.
    pub(crate) fn next(&mut self, around: &mut Surroundings<'_>) -> Option<Op> {
        loop {
            match self.instructions.get(self.at)? {
                Instruction::Op(op) => {
                    self.at += 1;
                    return Some(*op);
                }
                Instruction::UntilEof(op) => match repeat_until_eof(*op, &mut self.repeating, around) {
                    Some(op) => return Some(op),
                    None => {
                        self.repeating = None;
                        self.at += 1;
                    }
                },
                Instruction::Generate(workload) => {
                    let generator = self.generator.get_or_insert_with(|| Generator::new(*workload));
                    match generator.next(around) {
                        Some(op) => return Some(op),
                        None => {
                            self.generator = None;
                            self.at += 1;
                        }
                    }
                }
                Instruction::Loop { count: 0, end } => self.at = *end,
                Instruction::Loop { count, .. } => {
                    self.rounds.push(*count);
                    self.at += 1;
                }
                Instruction::End { start } => {
                    let left = self.rounds.last_mut().expect("every end follows its loop");
                    *left -= 1;
                    if *left > 0 {
                        self.at = start + 1;
                    } else {
                        self.rounds.pop();
                        self.at += 1;
                    }
                }
            }
        }
    }
}

/// The next round of an operation that is repeated to the end of the file. `state` is `None` before the first.
fn repeat_until_eof(op: Op, state: &mut Option<u64>, around: &Surroundings<'_>) -> Option<Op> {
    match op {
        Op::Read { fh, pos, len } => {
            let round = *state.get_or_insert(0);
            if round > 0 && around.at_eof {
                return None;
            }
            *state = Some(round + 1);
            let pos = pos.map(|pos| Bytes(pos.0.saturating_add(round.saturating_mul(len.0))));
            (len.0 > 0).then_some(Op::Read { fh, pos, len })
        }
        Op::Touch { fh, page, pages } => {
            let next = *state.get_or_insert(page.0);
            *state = Some(next.saturating_add(pages.0));
            let inside = next < around.file_bytes.pages_up().0 && pages.0 > 0;
            inside.then_some(Op::Touch { fh, page: PageIndex(next), pages })
        }
        Op::Fault { fh, page } => {
            let next = *state.get_or_insert(page.0);
            *state = Some(next + 1);
            (next < around.file_bytes.pages_up().0).then_some(Op::Fault { fh, page: PageIndex(next) })
        }
        // Other calls have no end of file to reach: once.
        op => state.replace(1).is_none().then_some(op),
    }
}

fn compile(steps: &[Step], out: &mut Vec<Instruction>) {
    for step in steps {
        match step {
            Step::Op(op) => out.push(Instruction::Op(*op)),
            Step::UntilEof(op) => out.push(Instruction::UntilEof(*op)),
            Step::Generate(workload) => out.push(Instruction::Generate(*workload)),
            Step::Repeat { count, steps } => {
                let start = out.len();
                out.push(Instruction::Loop { count: *count, end: 0 });
                compile(steps, out);
                out.push(Instruction::End { start });
                out[start] = Instruction::Loop { count: *count, end: out.len() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::SeedableRng;
    use readahead_types::Nanos;

    fn run(steps: &[Step], eof_after: usize) -> Vec<Op> {
        let mut program = Program::new(steps);
        let mut draws = Pcg64Mcg::seed_from_u64(1);
        let mut ops = Vec::new();
        loop {
            let mut around = Surroundings {
                file_bytes: Bytes(3 * 4096),
                files: 1,
                draws: &mut draws,
                at_eof: ops.len() >= eof_after,
            };
            match program.next(&mut around) {
                Some(op) => ops.push(op),
                None => return ops,
            }
        }
    }

    #[test]
    fn loops_nest_and_a_count_of_zero_skips() {
        let think = |ns| Step::Op(Op::Think(Nanos(ns)));
        let steps = [
            Step::Repeat { count: 2, steps: vec![think(1), Step::Repeat { count: 3, steps: vec![think(2)] }] },
            Step::Repeat { count: 0, steps: vec![think(9)] },
            think(4),
        ];
        let costs: Vec<u64> = run(&steps, 0)
            .iter()
            .map(|op| match op {
                Op::Think(ns) => ns.0,
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(costs, [1, 2, 2, 2, 1, 2, 2, 2, 4]);
    }

    #[test]
    fn reads_repeat_until_one_returned_nothing_and_touches_until_the_last_page() {
        let read = Op::Read { fh: 0, pos: None, len: Bytes(4096) };
        assert_eq!(run(&[Step::UntilEof(read)], 4).len(), 4);
        let touch = Op::Touch { fh: 0, page: PageIndex(0), pages: readahead_types::Pages(2) };
        assert_eq!(run(&[Step::UntilEof(touch)], 0).len(), 2);
    }
}
