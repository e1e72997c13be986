//! read(2) of linux-2.4.23 (specification of the historic kernels, 6.2): each page is found or started, then the
//! readahead step runs, then the reader waits.

use super::{Cursor, PAGES_A_SECTION, Request, wait_for, woken};
use crate::cache::FolioId;
use crate::call::Flow;
use crate::kernel::Kernel;
use crate::observer::Observer;
use crate::section::Section;
use readahead_policy::Reader24;
use readahead_types::{Bytes, Nanos, PAGE_BYTES, PAGE_SHIFT};

/// A read call on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldRead {
    request: Request,
    reader: Reader24,
    cursor: Cursor,
    /// The page that the call waits for, and since when.
    waiting: Option<(FolioId, Nanos)>,
}

impl OldRead {
    pub(super) fn begin(kernel: &mut Kernel, request: Request) -> Self {
        let state = &mut kernel.open[request.handle.0 as usize].ra;
        let (reader, after) = if request.len.0 > 0 {
            Reader24::begin(*state, request.pos.0, request.len.0)
        } else {
            (Reader24 { in_context: true }, *state)
        };
        *state = after;
        OldRead { request, reader, cursor: Cursor::new(&request), waiting: None }
    }

    pub(super) fn copied(&self) -> Bytes {
        Bytes(self.request.len.0 - self.cursor.left)
    }

    pub(super) fn advance<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        if self.cursor.left == 0 {
            return self.request.done(kernel, section, self.copied());
        }
        for _ in 0..PAGES_A_SECTION {
            let decided = section.decisions;
            let Some(room) = self.room(kernel) else { return self.finish(kernel, section) };
            let id = match self.waiting.take() {
                Some((id, since)) => {
                    woken(kernel, section, id, self.cursor.index, since);
                    id
                }
                None => match self.find(kernel, section) {
                    Ok(id) => id,
                    Err(flow) => return flow,
                },
            };
            if !self.copy(kernel, section, id, room) {
                return self.finish(kernel, section);
            }
            if section.decisions != decided {
                break;
            }
        }
        Flow::Again
    }

    /// Bytes of the file from where the call stands to the end of the page; `None` at the end of the file.
    fn room(&self, kernel: &Kernel) -> Option<u64> {
        let size = kernel.file(kernel.file_of(self.request.handle)).bytes.0;
        let end = size >> PAGE_SHIFT;
        let in_page = if self.cursor.index == end { size % PAGE_BYTES } else { PAGE_BYTES };
        (self.cursor.index <= end && in_page > self.cursor.offset).then(|| in_page - self.cursor.offset)
    }

    /// The page, started by itself where it is missing, after the readahead step; uptodate.
    fn find<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Result<FolioId, Flow> {
        let file = kernel.file_of(self.request.handle);
        let id = match kernel.cache.find(file, self.cursor.index) {
            Some(id) => {
                self.step(kernel, section, id);
                id
            }
            None => {
                let Some(id) = kernel.read_single(section, self.request.handle, self.cursor.index) else {
                    return Err(Flow::Starved);
                };
                if kernel.cache.folio(id).uptodate {
                    return Ok(id);
                }
                self.step(kernel, section, id);
                id
            }
        };
        if kernel.cache.folio(id).uptodate {
            return Ok(id);
        }
        self.waiting = Some((id, section.now));
        Err(wait_for(kernel, section, id, self.cursor.index))
    }

    /// The readahead step for the page just visited.
    fn step<O: Observer>(&self, kernel: &mut Kernel, section: &mut Section<'_, O>, id: FolioId) {
        let handle = self.request.handle;
        let file = kernel.file_of(handle);
        let before = kernel.open[handle.0 as usize].ra;
        let tunables = kernel.tunables(file);
        let locked = !kernel.cache.folio(id).uptodate;
        let step = self.reader.step(before, self.cursor.index, locked, kernel.file(file).bytes.0, &tunables);
        match step.outcome {
            None => kernel.open[handle.0 as usize].ra = step.after,
            Some(outcome) => {
                let allowed = match outcome.reason {
                    readahead_types::Reason::OldSync { allowed, .. }
                    | readahead_types::Reason::OldAsync { allowed, .. } => allowed,
                    _ => 0,
                };
                // The page is held while others are brought in: that may have to reclaim.
                kernel.cache.folio_mut(id).pins += 1;
                kernel.carry_out(section, handle, self.cursor.index, allowed, before, &outcome);
                kernel.cache.folio_mut(id).pins -= 1;
            }
        }
    }

    /// Copies from the page; false when the call is over.
    fn copy<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, id: FolioId, room: u64) -> bool {
        if self.cursor.offset == 0 || !kernel.open[self.request.handle.0 as usize].ra.old.reada {
            kernel.cache.mark_accessed(id);
        }
        self.cursor.copy(kernel, section, id, room);
        self.cursor.left > 0
    }

    fn finish<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        kernel.open[self.request.handle.0 as usize].ra.old.reada = true;
        self.request.done(kernel, section, self.copied())
    }
}
