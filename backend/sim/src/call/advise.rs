//! posix_fadvise(2), readahead(2), mmap(2) and the dropping of pages, by the rules of each generation (specification of
//! the historic kernels, 2.7 to 2.9 and 5; of the modern kernels, section 8).

use crate::cache::FolioId;
use crate::kernel::Kernel;
use crate::mapping::MappedFile;
use crate::observer::Observer;
use crate::section::Section;
use crate::workload::advice_number;
use crate::world::{Advice, MapAdvice};
use readahead_policy::callers::{PartialPage, ReadaheadCall};
use readahead_policy::{Mapping, ModelId};
use readahead_types::{Bytes, EventKind, FileId, HandleId, PAGE_BYTES, PAGE_SHIFT};

/// posix_fadvise(2). `len` 0 is "to the end".
pub(crate) fn fadvise<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    handle: HandleId,
    advice: Advice,
    pos: Bytes,
    len: Bytes,
) {
    let file = kernel.file_of(handle);
    section.emit(EventKind::Fadvise { file, handle, pos, len, advice: advice as u8 });
    section.charge(kernel.cpu.syscall);
    let device_ra_pages = kernel.tunables(file).device_ra_pages;
    let callers = kernel.callers;
    if !callers.fadvise {
        return;
    }
    let ra = &mut kernel.open[handle.0 as usize].ra;
    match advice {
        Advice::Normal => {
            ra.ra_pages = device_ra_pages;
            ra.random = false;
        }
        Advice::Random if callers.random_mode => ra.random = true,
        Advice::Random => ra.ra_pages = 0,
        Advice::Sequential => {
            ra.ra_pages = device_ra_pages.saturating_mul(2);
            ra.random = false;
        }
        Advice::Willneed => will_need(kernel, section, handle, pos, len),
        Advice::Dontneed => dont_need(kernel, section, file, pos, len),
        // Reads are not affected; reclaim of mapped pages is not modelled by this list.
        Advice::Noreuse => {}
    }
}

/// readahead(2): WILLNEED on the same range since linux-5.4; before, by its own arithmetic.
pub(crate) fn readahead<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    handle: HandleId,
    pos: Bytes,
    len: Bytes,
) {
    section.emit(EventKind::Readahead { file: kernel.file_of(handle), handle, pos, len });
    section.charge(kernel.cpu.syscall);
    let start = pos.0 >> PAGE_SHIFT;
    match kernel.callers.readahead_call {
        ReadaheadCall::WillNeed => will_need(kernel, section, handle, pos, len),
        ReadaheadCall::ByBytes => {
            let end = pos.0.wrapping_add(len.0).wrapping_sub(1) >> PAGE_SHIFT;
            force(kernel, section, handle, start, end.wrapping_sub(start).wrapping_add(1));
        }
        ReadaheadCall::Old24 => {
            let pages = len.0.saturating_add(pos.0 % PAGE_BYTES) >> PAGE_SHIFT;
            force(kernel, section, handle, start, pages);
        }
    }
}

/// The last byte of a range; `to_the_end` when it has no length or overflows.
fn last_byte(pos: Bytes, len: Bytes, to_the_end: i64) -> i64 {
    match (pos.0 as i64).checked_add(len.0 as i64) {
        Some(end) if len.0 != 0 => end - 1,
        _ => to_the_end,
    }
}

fn will_need<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>, handle: HandleId, pos: Bytes, len: Bytes) {
    let start = (pos.0 as i64) >> PAGE_SHIFT;
    let pages = ((last_byte(pos, len, kernel.callers.to_the_end) >> PAGE_SHIFT) - start + 1) as u64;
    let pages = if pages == 0 { u64::MAX } else { pages };
    force(kernel, section, handle, start as u64, pages);
}

/// Reads pages as they are.
fn force<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>, handle: HandleId, start: u64, pages: u64) {
    let file = kernel.file_of(handle);
    let before = kernel.open[handle.0 as usize].ra;
    let outcome = kernel.spec.model.will_need(before, start, pages, &kernel.tunables(file));
    if kernel.spec.model == ModelId::Linux2_4_23 && outcome.window.is_none() {
        return;
    }
    // linux-2.4 cuts the range before it becomes a run; its window says what is left.
    let req = outcome.window.map_or(pages, |window| window.size);
    kernel.carry_out(section, handle, start, req, before, &outcome);
}

/// Drops the folios that lie wholly inside the range and are neither in flight nor mapped.
fn dont_need<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>, file: FileId, pos: Bytes, len: Bytes) {
    let last = last_byte(pos, len, kernel.callers.to_the_end);
    let start = (pos.0.saturating_add(PAGE_BYTES - 1)) >> PAGE_SHIFT;
    let mut end = (last >> PAGE_SHIFT) as u64;
    let partial = !(last.wrapping_add(1) as u64).is_multiple_of(PAGE_BYTES);
    let keeps = match kernel.callers.partial_page {
        PartialPage::Dropped => false,
        PartialPage::Kept => partial,
        PartialPage::KeptUnlessLast => partial && last != kernel.file(file).bytes.0 as i64 - 1,
    };
    if keeps {
        if end == 0 {
            return;
        }
        end -= 1;
    }
    if end < start {
        return;
    }
    drop_range(kernel, section, file, start, end, |kernel, id| {
        let folio = kernel.cache.folio(id);
        folio.first >= start
            && folio.end() - 1 <= end
            && folio.pending == 0
            && folio.pins == 0
            && folio.uptodate
            && folio.mapped == 0
    });
}

/// Takes pages out as reclaim would: whole folios that overlap, unless they are in flight.
pub(crate) fn evict<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    file: FileId,
    first: u64,
    pages: u64,
) {
    section.emit(EventKind::DropCaches);
    if pages > 0 {
        drop_range(kernel, section, file, first, first.saturating_add(pages - 1), |kernel, id| {
            let folio = kernel.cache.folio(id);
            folio.pending == 0 && folio.pins == 0
        });
    }
}

/// Drops the folios from the one that holds or follows page `first` to page `last` that satisfy `which`.
fn drop_range<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    file: FileId,
    first: u64,
    last: u64,
    which: impl Fn(&Kernel, FolioId) -> bool,
) {
    let mut page = first;
    while let Some(id) = kernel.cache.find_from(file, page) {
        let folio = kernel.cache.folio(id);
        if folio.first > last {
            break;
        }
        page = folio.end();
        if which(kernel, id) {
            kernel.remove_folio(section, id, false);
        }
    }
}

/// drop_caches: everything that is neither in flight nor held nor mapped leaves the page cache.
pub(crate) fn drop_caches<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>) {
    section.emit(EventKind::DropCaches);
    section.charge(kernel.cpu.syscall);
    let all: Vec<FolioId> = kernel.cache.oldest_first().collect();
    for id in all {
        let folio = kernel.cache.folio(id);
        if folio.pending == 0 && folio.pins == 0 && folio.mapped == 0 {
            kernel.remove_folio(section, id, false);
        }
    }
}

/// mmap(2) of the whole file with an madvise(2); replaces an earlier mapping of the handle.
pub(crate) fn map<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    handle: HandleId,
    advice: MapAdvice,
    exec: bool,
) {
    let file = kernel.file_of(handle);
    section.emit(EventKind::Mmap { file, handle, advice: advice_number(advice), exec });
    section.charge(kernel.cpu.syscall);
    let mapping = Mapping {
        random: advice == MapAdvice::Random,
        sequential: advice == MapAdvice::Sequential,
        huge: advice == MapAdvice::Hugepage,
        exec,
        pages: kernel.file(file).bytes.pages_up().0,
    };
    let mapped = MappedFile::new(file, mapping);
    match kernel.open[handle.0 as usize].mapping {
        Some(place) => {
            unmap(kernel, place);
            kernel.mappings[place] = mapped;
        }
        None => {
            kernel.mappings.push(mapped);
            kernel.open[handle.0 as usize].mapping = Some(kernel.mappings.len() - 1);
        }
    }
}

/// Takes away every page-table entry of a mapping.
fn unmap(kernel: &mut Kernel, place: usize) {
    let file = kernel.mappings[place].file;
    for page in kernel.mappings[place].pages() {
        if let Some(id) = kernel.cache.find(file, page) {
            kernel.cache.folio_mut(id).mapped -= 1;
        }
    }
}
