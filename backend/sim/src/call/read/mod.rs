//! read(2) and pread(2): one file a read loop. Which loop a kernel has, its [`readahead_policy::Callers`] say.

mod batches;
mod direct;
mod old;
mod pages;

use super::Flow;
use crate::cache::FolioId;
use crate::kernel::Kernel;
use crate::observer::Observer;
use crate::section::Section;
use readahead_policy::callers::ReadLoop;
use readahead_types::{Bytes, EventKind, HandleId, Nanos, PAGE_BYTES, PAGE_SHIFT, PageIndex};

/// What every loop knows of its call.
#[derive(Clone, Copy, Debug)]
struct Request {
    handle: HandleId,
    pos: Bytes,
    len: Bytes,
    began: Nanos,
}

/// A read call on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ReadCall {
    /// linux-6.1 and later.
    Batches(batches::BatchRead),
    /// linux-2.6.33 to 5.10.
    Pages(pages::PageRead),
    /// linux-2.4.
    Old(old::OldRead),
    /// With O_DIRECT.
    Direct(direct::DirectRead),
}

impl ReadCall {
    /// The call has begun.
    pub(crate) fn begin<O: Observer>(
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        handle: HandleId,
        pos: Bytes,
        len: Bytes,
    ) -> Self {
        section.emit(EventKind::Read { file: kernel.file_of(handle), handle, pos, len });
        section.charge(kernel.cpu.syscall);
        let request = Request { handle, pos, len, began: section.now };
        if kernel.open[handle.0 as usize].direct {
            return ReadCall::Direct(direct::DirectRead::begin(kernel, request));
        }
        match kernel.callers.read {
            ReadLoop::Batches { folios, prev_pos_at_once, rounds_to_min_order } => {
                let rules = batches::Rules { folios, prev_pos_at_once, rounds_to_min_order };
                ReadCall::Batches(batches::BatchRead::begin(kernel, request, rules))
            }
            ReadLoop::PageByPage => ReadCall::Pages(pages::PageRead::begin(kernel, request)),
            ReadLoop::Old24 => ReadCall::Old(old::OldRead::begin(kernel, request)),
        }
    }

    /// Bytes read so far.
    pub(crate) fn copied(&self) -> Bytes {
        match self {
            ReadCall::Batches(call) => call.copied(),
            ReadCall::Pages(call) => call.copied(),
            ReadCall::Old(call) => call.copied(),
            ReadCall::Direct(call) => call.copied(),
        }
    }

    /// One section of the call.
    pub(crate) fn advance<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        match self {
            ReadCall::Batches(call) => call.advance(kernel, section),
            ReadCall::Pages(call) => call.advance(kernel, section),
            ReadCall::Old(call) => call.advance(kernel, section),
            ReadCall::Direct(call) => call.advance(kernel, section),
        }
    }
}

/// Pages that one section reads at most, in the loops that go page by page.
const PAGES_A_SECTION: u32 = 64;

/// Where a call stands that goes page by page.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    index: u64,
    /// Byte inside the page.
    offset: u64,
    /// Bytes still to be read.
    left: u64,
}

impl Cursor {
    fn new(request: &Request) -> Self {
        Cursor { index: request.pos.0 >> PAGE_SHIFT, offset: request.pos.0 % PAGE_BYTES, left: request.len.0 }
    }

    /// Copies what there is of the page, `room` bytes at most, to the program.
    fn copy<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, id: FolioId, room: u64) {
        section.charge(kernel.cpu.copy_page);
        kernel.use_pages(section, id, self.index, 1);
        let copied = room.min(self.left);
        self.left -= copied;
        self.offset += copied;
        self.index += self.offset >> PAGE_SHIFT;
        self.offset %= PAGE_BYTES;
    }
}

impl Request {
    /// The call returns `copied` bytes.
    fn done<O: Observer>(&self, kernel: &Kernel, section: &mut Section<'_, O>, copied: Bytes) -> Flow {
        section.emit(EventKind::ReadDone {
            file: kernel.file_of(self.handle),
            handle: self.handle,
            pos: self.pos,
            len: copied,
            latency: Nanos((section.now.0 - self.began.0).saturating_add(section.cost.0)),
        });
        Flow::Returned
    }

    /// A page that was wanted is not in the cache.
    fn miss<O: Observer>(&self, kernel: &mut Kernel, section: &mut Section<'_, O>, index: u64, req: u64) {
        let file = kernel.file_of(self.handle);
        let before = kernel.open[self.handle.0 as usize].ra;
        let tunables = kernel.tunables(file);
        let outcome = kernel.spec.model.sync_ra(before, index, req, &tunables, &kernel.cache.view(file));
        kernel.carry_out(section, self.handle, index, req, before, &outcome);
    }

    /// A folio with the lookahead marker was reached.
    fn meet_marker<O: Observer>(
        &self,
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        id: FolioId,
        index: u64,
        req: u64,
    ) {
        let file = kernel.file_of(self.handle);
        let before = kernel.open[self.handle.0 as usize].ra;
        let tunables = kernel.tunables(file);
        let folio = kernel.cache.folio(id).as_ref();
        let outcome = kernel.spec.model.async_ra(before, folio, index, req, &tunables, &kernel.cache.view(file));
        clear_marker(kernel, section, id, before.ra_pages);
        kernel.carry_out(section, self.handle, index, req, before, &outcome);
    }
}

/// A task goes to sleep until the folio is uptodate, holding it.
fn wait_for<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>, id: FolioId, page: u64) -> Flow {
    let folio = kernel.cache.folio_mut(id);
    folio.pins += 1;
    let file = folio.file;
    section.emit(EventKind::Wait { file, page: PageIndex(page) });
    Flow::Sleep(id)
}

/// The task woke up: it lets the folio go.
fn woken<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>, id: FolioId, page: u64, since: Nanos) {
    let folio = kernel.cache.folio_mut(id);
    folio.pins -= 1;
    let file = folio.file;
    section.emit(EventKind::Wake { file, page: PageIndex(page), waited: Nanos(section.now.0 - since.0) });
}

/// Clears the marker of a folio that was met; it stays when readahead is off.
pub(super) fn clear_marker<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>, id: FolioId, ra_pages: u32) {
    if ra_pages > 0 {
        let folio = kernel.cache.folio_mut(id);
        folio.marked = false;
        let (file, first) = (folio.file, PageIndex(folio.first));
        section.emit(EventKind::MarkerCleared { file, first });
    }
}
