//! read(2) of a file opened with O_DIRECT: it passes by the page cache and the readahead code. The program's buffer is
//! taken to lie in one piece of memory, so only max_sectors splits the read.

use super::Request;
use crate::cache::FolioId;
use crate::call::Flow;
use crate::kernel::Kernel;
use crate::observer::Observer;
use crate::section::Section;
use readahead_types::{Bytes, EventKind, Nanos, PAGE_SHIFT, PageIndex};

/// A read call on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DirectRead {
    request: Request,
    /// The page behind the last one that is read.
    end_page: u64,
    copied: u64,
    /// What the requests complete, and since when the call waits for it.
    waiting: Option<(FolioId, Nanos)>,
}

impl DirectRead {
    pub(super) fn begin(kernel: &Kernel, request: Request) -> Self {
        let size = kernel.file(kernel.file_of(request.handle)).bytes.0;
        let end = request.pos.0.saturating_add(request.len.0).min(size);
        let copied = end.saturating_sub(request.pos.0);
        DirectRead { request, end_page: Bytes(end).pages_up().0, copied, waiting: None }
    }

    pub(super) fn copied(&self) -> Bytes {
        Bytes(self.copied)
    }

    pub(super) fn advance<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        let file = kernel.file_of(self.request.handle);
        let first = self.request.pos.0 >> PAGE_SHIFT;
        if let Some((id, since)) = self.waiting.take() {
            let waited = Nanos(section.now.0 - since.0);
            section.emit(EventKind::Wake { file, page: PageIndex(first), waited });
            kernel.cache.release_detached(id);
        } else if self.copied > 0 {
            section.emit(EventKind::DirectRead { file, handle: self.request.handle });
            let id = kernel.read_direct(section, file, first, self.end_page - first);
            if !kernel.cache.folio(id).uptodate {
                section.emit(EventKind::Wait { file, page: PageIndex(first) });
                self.waiting = Some((id, section.now));
                return Flow::Sleep(id);
            }
            kernel.cache.release_detached(id);
        }
        self.request.done(kernel, section, self.copied())
    }
}
