//! read(2) batch by batch, as linux-6.1 and later do it (specification of the modern kernels, 5.2, 5.3).

use super::Request;
use crate::cache::FolioId;
use crate::call::Flow;
use crate::kernel::Kernel;
use crate::observer::Observer;
use crate::section::Section;
use readahead_types::{Bytes, EventKind, Nanos, PAGE_BYTES, PageIndex};

/// What differs between the generations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// Most folios of a batch.
    pub(super) folios: u32,
    /// prev_pos is stored after every copy.
    pub(super) prev_pos_at_once: bool,
    /// The end of the request is rounded up to the smallest folio.
    pub(super) rounds_to_min_order: bool,
}

/// A read call on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchRead {
    request: Request,
    rules: Rules,
    cur: u64,
    end: u64,
    /// The byte after the last one copied.
    prev: i64,
    /// Readahead has run for the page at `cur` and did not bring it; there was no memory for the page by itself.
    starved: bool,
    /// The batch that waits for its last folio: the page after it, and when the wait began.
    waiting: Option<(u64, Nanos)>,
}

impl BatchRead {
    pub(super) fn begin(kernel: &Kernel, request: Request, rules: Rules) -> Self {
        BatchRead {
            request,
            rules,
            cur: request.pos.0,
            end: request.pos.0.saturating_add(request.len.0),
            prev: kernel.open[request.handle.0 as usize].ra.prev_pos,
            starved: false,
            waiting: None,
        }
    }

    /// Bytes read so far.
    pub(super) fn copied(&self) -> Bytes {
        Bytes(self.cur - self.request.pos.0)
    }

    /// One section: gets a batch of folios and copies it, or goes to sleep for its last folio.
    pub(super) fn advance<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        let file = kernel.file_of(self.request.handle);
        let size = kernel.file(file).bytes.0;
        if self.cur >= self.end || self.cur >= size {
            return self.finish(kernel, section);
        }
        let index = self.cur / PAGE_BYTES;
        let batch_end = match self.waiting.take() {
            Some((batch_end, since)) => {
                let page = PageIndex(batch_end - 1);
                section.emit(EventKind::Wake { file, page, waited: Nanos(section.now.0 - since.0) });
                self.hold(kernel, index, batch_end, false);
                batch_end
            }
            None => match self.get_pages(kernel, section, index) {
                Ok(batch_end) => batch_end,
                Err(flow) => return flow,
            },
        };
        let last = self.end.div_ceil(PAGE_BYTES) * PAGE_BYTES;
        section.emit(EventKind::GetPages { file, first: Bytes(self.cur), last: Bytes(last - 1) });
        self.copy(kernel, section, batch_end, size);
        if self.cur >= self.end || self.cur >= size { self.finish(kernel, section) } else { Flow::Again }
    }

    /// Finds the folios from `index` on, having readahead bring them where they are missing. Returns the page after the
    /// batch, or sleeps.
    fn get_pages<O: Observer>(
        &mut self,
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        index: u64,
    ) -> Result<u64, Flow> {
        let file = kernel.file_of(self.request.handle);
        let tunables = kernel.tunables(file);
        let min_bytes = if self.rules.rounds_to_min_order { PAGE_BYTES * tunables.min_pages() } else { PAGE_BYTES };
        let last = self.end.div_ceil(min_bytes).saturating_mul(min_bytes) / PAGE_BYTES;

        let starved = std::mem::take(&mut self.starved);
        let mut batch = self.find_batch(kernel, index, last - 1);
        if batch.is_none() && !starved {
            self.request.miss(kernel, section, index, last - index);
            batch = self.find_batch(kernel, index, last - 1);
        }
        let (newest, batch_end) = match batch {
            Some(batch) => batch,
            None => {
                let Some(id) = kernel.read_single(section, self.request.handle, index) else {
                    self.starved = true;
                    return Err(Flow::Starved);
                };
                (id, kernel.cache.folio(id).end())
            }
        };
        // The batch is held while the next window is brought in: that may have to reclaim, and must not reclaim these.
        self.hold(kernel, index, batch_end, true);
        let folio = kernel.cache.folio(newest);
        if folio.marked {
            let first = folio.first;
            self.request.meet_marker(kernel, section, newest, first, last.wrapping_sub(first));
        }
        if kernel.cache.folio(newest).uptodate {
            self.hold(kernel, index, batch_end, false);
            return Ok(batch_end);
        }
        section.emit(EventKind::Wait { file, page: PageIndex(batch_end - 1) });
        self.waiting = Some((batch_end, section.now));
        Err(Flow::Sleep(newest))
    }

    /// Takes or gives back the references on a batch.
    fn hold(&self, kernel: &mut Kernel, index: u64, batch_end: u64, take: bool) {
        let file = kernel.file_of(self.request.handle);
        let mut page = index;
        while page < batch_end
            && let Some(id) = kernel.cache.find(file, page)
        {
            let folio = kernel.cache.folio_mut(id);
            if take {
                folio.pins += 1;
            } else {
                folio.pins -= 1;
            }
            page = folio.end();
        }
    }

    /// Copies a batch to the program, marking its folios accessed.
    fn copy<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, batch_end: u64, size: u64) {
        let file = kernel.file_of(self.request.handle);
        let stop = size.min(self.end);
        let mut first = true;
        while self.cur < stop && self.cur / PAGE_BYTES < batch_end {
            let page = self.cur / PAGE_BYTES;
            let id = kernel.cache.find(file, page).expect("a batch is held until it is copied");
            let folio = kernel.cache.folio(id);
            let shift = 12 + u32::from(folio.order);
            let upto = stop.min(folio.end() * PAGE_BYTES);
            // A read that goes on inside the folio-sized block where the last one ended does not count again.
            let same_block = (self.cur as i64) >> shift == self.prev.wrapping_sub(1) >> shift;
            if !(first && same_block) {
                kernel.cache.mark_accessed(id);
            }
            first = false;
            let pages = upto.div_ceil(PAGE_BYTES) - page;
            section.charge_times(kernel.cpu.copy_page, pages);
            kernel.use_pages(section, id, page, pages);
            self.cur = upto;
            self.prev = upto as i64;
            if self.rules.prev_pos_at_once {
                kernel.open[self.request.handle.0 as usize].ra.prev_pos = self.prev;
            }
        }
    }

    fn finish<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        kernel.open[self.request.handle.0 as usize].ra.prev_pos = self.prev;
        self.request.done(kernel, section, self.copied())
    }

    /// The batch that starts with the folio that holds page `index`: its last folio and the page after it. Folios follow
    /// without a gap while they begin at or before `max`; one with the marker, or one that is not uptodate, is the last.
    fn find_batch(&self, kernel: &Kernel, index: u64, max: u64) -> Option<(FolioId, u64)> {
        let file = kernel.file_of(self.request.handle);
        let mut id = kernel.cache.find(file, index)?;
        for _ in 1..self.rules.folios {
            let folio = kernel.cache.folio(id);
            if folio.marked || !folio.uptodate || folio.end() > max {
                break;
            }
            match kernel.cache.find(file, folio.end()) {
                Some(next) => id = next,
                None => break,
            }
        }
        Some((id, kernel.cache.folio(id).end()))
    }
}
