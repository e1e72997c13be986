//! read(2) page by page, as linux-2.6.33 to 5.10 do it (specification of the historic kernels, 2.3; of the modern
//! kernels, 5.1). The size of the file is looked at only after the page, so a read at its end goes one page too far.

use super::{Cursor, PAGES_A_SECTION, Request, wait_for, woken};
use crate::cache::FolioId;
use crate::call::Flow;
use crate::kernel::Kernel;
use crate::observer::Observer;
use crate::section::Section;
use readahead_types::{Bytes, Nanos, PAGE_BYTES, PAGE_SHIFT};

/// A read call on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageRead {
    request: Request,
    cursor: Cursor,
    /// The page behind the last one asked for.
    last: u64,
    /// The page last copied from, and the byte in it after the copy.
    prev_index: i64,
    prev_offset: i64,
    /// Readahead has run for this page and did not bring it; there was no memory for the page by itself.
    starved: bool,
    /// The page that the call waits for, and since when.
    waiting: Option<(FolioId, Nanos)>,
}

impl PageRead {
    pub(super) fn begin(kernel: &Kernel, request: Request) -> Self {
        let prev_pos = kernel.open[request.handle.0 as usize].ra.prev_pos;
        PageRead {
            request,
            cursor: Cursor::new(&request),
            last: request.pos.0.saturating_add(request.len.0).div_ceil(PAGE_BYTES),
            prev_index: prev_pos >> PAGE_SHIFT,
            prev_offset: prev_pos & (PAGE_BYTES as i64 - 1),
            starved: false,
            waiting: None,
        }
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
            if !self.copy(kernel, section, id) {
                return self.finish(kernel, section);
            }
            if section.decisions != decided {
                break;
            }
        }
        Flow::Again
    }

    /// The page, read ahead or by itself where it is missing, and uptodate.
    fn find<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Result<FolioId, Flow> {
        let file = kernel.file_of(self.request.handle);
        let wanted = self.last - self.cursor.index;
        let mut found = kernel.cache.find(file, self.cursor.index);
        if found.is_none() && !std::mem::take(&mut self.starved) {
            self.request.miss(kernel, section, self.cursor.index, wanted);
            found = kernel.cache.find(file, self.cursor.index);
        }
        let id = match found {
            Some(id) => id,
            None => match kernel.read_single(section, self.request.handle, self.cursor.index) {
                Some(id) => id,
                None => {
                    self.starved = true;
                    return Err(Flow::Starved);
                }
            },
        };
        if kernel.cache.folio(id).marked {
            // The page is held while the next window is brought in: that may have to reclaim.
            kernel.cache.folio_mut(id).pins += 1;
            self.request.meet_marker(kernel, section, id, self.cursor.index, wanted);
            kernel.cache.folio_mut(id).pins -= 1;
        }
        if kernel.cache.folio(id).uptodate {
            return Ok(id);
        }
        self.waiting = Some((id, section.now));
        Err(wait_for(kernel, section, id, self.cursor.index))
    }

    /// Copies from the page; false when the call is over.
    fn copy<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, id: FolioId) -> bool {
        let size = kernel.file(kernel.file_of(self.request.handle)).bytes.0;
        if size == 0 || self.cursor.index > (size - 1) >> PAGE_SHIFT {
            return false;
        }
        let in_page =
            if self.cursor.index == (size - 1) >> PAGE_SHIFT { (size - 1) % PAGE_BYTES + 1 } else { PAGE_BYTES };
        if in_page <= self.cursor.offset {
            return false;
        }
        let room = in_page - self.cursor.offset;
        if self.cursor.index as i64 != self.prev_index || self.cursor.offset as i64 != self.prev_offset {
            kernel.cache.mark_accessed(id);
        }
        self.prev_index = self.cursor.index as i64;
        self.cursor.copy(kernel, section, id, room);
        self.prev_offset = self.cursor.offset as i64;
        self.cursor.left > 0
    }

    fn finish<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        kernel.open[self.request.handle.0 as usize].ra.prev_pos = (self.prev_index << PAGE_SHIFT) | self.prev_offset;
        self.request.done(kernel, section, self.copied())
    }
}
