//! A task: a stream's program, its open files, and the call that it is in.

use crate::call::Flow;
use crate::call::fault::TouchCall;
use crate::call::read::ReadCall;
use crate::call::{advise, fault};
use crate::kernel::Kernel;
use crate::observer::Observer;
use crate::program::{Program, Surroundings};
use crate::section::Section;
use crate::world::{Op, StreamSpec};
use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;
use readahead_types::{Bytes, EventKind, FileId, HandleId, Nanos};

/// The stream of draws that belongs to the tasks.
const DRAWS: u64 = 0x7461_736b;

struct Descriptor {
    fh: u32,
    handle: HandleId,
    pos: Bytes,
}

enum Call {
    None,
    Read {
        call: ReadCall,
        /// The file position moves with it: read(2), not pread(2).
        moves: bool,
        fh: u32,
    },
    Touch(TouchCall),
}

/// A task.
pub(crate) struct Task {
    file: FileId,
    program: Program,
    draws: Pcg64Mcg,
    descriptors: Vec<Descriptor>,
    call: Call,
    at_eof: bool,
    /// Bytes a second that the program consumes, and when those that it has are consumed.
    pace: Option<Pace>,
    pub(crate) ended: bool,
}

/// A program that takes its time.
struct Pace {
    bytes_per_second: u64,
    due: Nanos,
}

impl Pace {
    /// What is to be waited after a call that brought `bytes` and ends at `end`. Whoever is late does not wait.
    fn after(&mut self, bytes: u64, end: Nanos) -> Nanos {
        let taken = u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_per_second);
        self.due = Nanos(self.due.0.saturating_add(taken.min(u128::from(u64::MAX)) as u64));
        Nanos(self.due.0.saturating_sub(end.0))
    }
}

/// The program pauses until the bytes that it got are due to be consumed.
fn keep_pace<O: Observer>(pace: &mut Option<Pace>, section: &mut Section<'_, O>, bytes: u64) {
    if let Some(pace) = pace {
        let end = Nanos(section.now.0.saturating_add(section.cost.0));
        section.charge(pace.after(bytes, end));
    }
}

impl Task {
    pub(crate) fn new(spec: &StreamSpec, number: usize, seed: u64) -> Self {
        let seed = (seed ^ DRAWS).wrapping_add((number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Task {
            file: spec.file,
            program: Program::new(&spec.program),
            draws: Pcg64Mcg::seed_from_u64(seed),
            descriptors: Vec::new(),
            call: Call::None,
            at_eof: false,
            pace: spec.rate.map(|bytes_per_second| Pace { bytes_per_second, due: spec.start }),
            ended: false,
        }
    }

    /// Adds a step to the program; a task that had ended goes on with it.
    pub(crate) fn push(&mut self, step: &crate::world::Step) {
        self.program.push(step);
        self.ended = false;
    }

    fn descriptor(&self, fh: u32) -> Option<usize> {
        self.descriptors.iter().position(|descriptor| descriptor.fh == fh)
    }

    /// The open file of a number; number 0 is opened when it is first needed.
    fn handle<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, fh: u32) -> Option<usize> {
        if self.descriptor(fh).is_none() && fh == 0 {
            self.open(kernel, section, 0, self.file, false);
        }
        self.descriptor(fh)
    }

    fn open<O: Observer>(
        &mut self,
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        fh: u32,
        file: FileId,
        direct: bool,
    ) {
        let handle = kernel.open_file(file, direct);
        section.emit(EventKind::Open { file, handle });
        section.charge(kernel.cpu.syscall);
        if let Some(at) = self.descriptor(fh) {
            self.descriptors[at] = Descriptor { fh, handle, pos: Bytes(0) };
        } else {
            self.descriptors.push(Descriptor { fh, handle, pos: Bytes(0) });
        }
    }

    /// One section of the task.
    pub(crate) fn advance<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        if matches!(self.call, Call::None) {
            let files = kernel.files.len() as u32;
            let mut around = Surroundings {
                file_bytes: kernel.file(self.file).bytes,
                files,
                draws: &mut self.draws,
                at_eof: self.at_eof,
            };
            let Some(op) = self.program.next(&mut around) else {
                self.ended = true;
                section.emit(EventKind::TaskDone);
                return Flow::Returned;
            };
            self.begin(kernel, section, op);
        }
        match &mut self.call {
            Call::None => Flow::Returned,
            Call::Read { call, moves, fh } => {
                let flow = call.advance(kernel, section);
                if flow == Flow::Returned {
                    let copied = call.copied();
                    keep_pace(&mut self.pace, section, copied.0);
                    self.at_eof = copied.0 == 0;
                    let (moves, fh) = (*moves, *fh);
                    if moves && let Some(at) = self.descriptor(fh) {
                        self.descriptors[at].pos.0 += copied.0;
                    }
                    self.call = Call::None;
                }
                flow
            }
            Call::Touch(call) => {
                let flow = call.advance(kernel, section);
                if flow == Flow::Returned {
                    keep_pace(&mut self.pace, section, call.bytes());
                    self.call = Call::None;
                }
                flow
            }
        }
    }

    /// Begins an operation. Short ones are over at once; reads and touches become the task's call. An operation on a
    /// number that is not open does nothing, as a call on a bad descriptor would.
    fn begin<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, op: Op) {
        match op {
            Op::Think(pause) => section.charge(pause),
            Op::DropCaches => advise::drop_caches(kernel, section),
            Op::Open { fh, file, direct } => self.open(kernel, section, fh, file.unwrap_or(self.file), direct),
            Op::Close { fh } => {
                if let Some(at) = self.descriptor(fh) {
                    let handle = self.descriptors.swap_remove(at).handle;
                    section.emit(EventKind::Close { file: kernel.file_of(handle), handle });
                    section.charge(kernel.cpu.syscall);
                }
            }
            Op::Read { fh, pos, len } => {
                if let Some(at) = self.handle(kernel, section, fh) {
                    let Descriptor { handle, pos: current, .. } = self.descriptors[at];
                    let call = ReadCall::begin(kernel, section, handle, pos.unwrap_or(current), len);
                    self.call = Call::Read { call, moves: pos.is_none(), fh };
                } else {
                    self.at_eof = true;
                }
            }
            Op::Settle => kernel.complete_all(section),
            Op::Lseek { fh, pos } => self.seek(kernel, section, fh, |_| pos),
            Op::LseekEnd { fh } => self.seek(kernel, section, fh, |size| size),
            Op::Fadvise { fh, advice, pos, len } => {
                if let Some(at) = self.handle(kernel, section, fh) {
                    advise::fadvise(kernel, section, self.descriptors[at].handle, advice, pos, len);
                }
            }
            Op::Readahead { fh, pos, len } => {
                if let Some(at) = self.handle(kernel, section, fh) {
                    advise::readahead(kernel, section, self.descriptors[at].handle, pos, len);
                }
            }
            Op::Mmap { fh, advice, exec } => {
                if let Some(at) = self.handle(kernel, section, fh) {
                    advise::map(kernel, section, self.descriptors[at].handle, advice, exec);
                }
            }
            Op::Fault { fh, page } => {
                if let Some(at) = self.handle(kernel, section, fh) {
                    fault::bare_fault(kernel, section, self.descriptors[at].handle, page.0);
                }
            }
            Op::Touch { fh, page, pages } => {
                if let Some(at) = self.handle(kernel, section, fh)
                    && let Some(call) = TouchCall::begin(kernel, self.descriptors[at].handle, page.0, pages.0)
                {
                    self.call = Call::Touch(call);
                }
            }
            Op::Evict { fh, page, pages } => {
                if let Some(at) = self.handle(kernel, section, fh) {
                    let file = kernel.file_of(self.descriptors[at].handle);
                    advise::evict(kernel, section, file, page.0, pages.0);
                }
            }
        }
    }

    fn seek<O: Observer>(
        &mut self,
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        fh: u32,
        to: impl Fn(Bytes) -> Bytes,
    ) {
        if let Some(at) = self.handle(kernel, section, fh) {
            let handle = self.descriptors[at].handle;
            let file = kernel.file_of(handle);
            let pos = to(kernel.file(file).bytes);
            let moved = self.descriptors[at].pos != pos;
            self.descriptors[at].pos = pos;
            let sets_flag = kernel.callers.lseek_flag && !kernel.file(file).block_device;
            let ra = &mut kernel.open[handle.0 as usize].ra;
            ra.moved |= sets_flag;
            if moved {
                ra.old.reada = false;
            }
            section.emit(EventKind::Lseek { file, handle, pos });
            section.charge(kernel.cpu.syscall);
        }
    }
}
