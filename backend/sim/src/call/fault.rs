//! Page faults on a mapping: fault-around, the fault itself, and its retry, by the rules of each generation
//! (specification of the historic kernels, 2.10, 5.1 and 6.5; of the modern kernels, section 6).

use super::Flow;
use super::read::clear_marker;
use crate::cache::FolioId;
use crate::kernel::Kernel;
use crate::mapping::TABLE_PAGES;
use crate::observer::Observer;
use crate::section::Section;
use readahead_policy::callers::{FaultAround, HugeEntry};
use readahead_policy::{Cluster24, Mapping, ModelId};
use readahead_types::{EventKind, FileId, HandleId, Nanos, PAGE_BYTES, PageIndex};

/// Order of a folio that one huge page-table entry maps.
const HUGE_ORDER: u8 = 9;

/// A touch of some pages through a mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TouchCall {
    handle: HandleId,
    mapping: usize,
    first: u64,
    page: u64,
    end: u64,
    fault: Option<Fault>,
}

/// A fault on the page that is being touched.
#[derive(Clone, Copy, Debug)]
struct Fault {
    /// It is the retry after a read of its own.
    tried: bool,
    major: bool,
    began: Nanos,
    /// What happens when the folio is uptodate, and since when the task waits for it.
    waiting: Option<(Then, Nanos)>,
    /// Readahead has run for this fault and did not bring the page; there was no memory for the page by itself.
    starved: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// The whole fault runs again.
    Retry,
    /// The page is mapped.
    Map,
}

/// Mapped pages that one section touches at most.
const TOUCHES_A_SECTION: u64 = 64;

impl TouchCall {
    /// A touch of `pages` pages from `page` on; `None` without a mapping. Pages beyond the file are left alone.
    pub(crate) fn begin(kernel: &Kernel, handle: HandleId, page: u64, pages: u64) -> Option<Self> {
        let mapping = kernel.open[handle.0 as usize].mapping?;
        let in_file = kernel.mappings[mapping].advice.pages;
        let end = page.saturating_add(pages).min(in_file);
        Some(TouchCall { handle, mapping, first: page, page, end, fault: None })
    }

    /// Bytes of the pages touched so far.
    pub(crate) fn bytes(&self) -> u64 {
        (self.page - self.first) * PAGE_BYTES
    }

    /// One section: touches mapped pages, or takes one step of a fault.
    pub(crate) fn advance<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>) -> Flow {
        let file = kernel.file_of(self.handle);
        if self.fault.is_none() {
            let stop = self.end.min(self.page.saturating_add(TOUCHES_A_SECTION));
            while self.page < stop && kernel.mappings[self.mapping].is_present(self.page) {
                self.touched(kernel, section, file);
            }
            if self.page >= self.end {
                return Flow::Returned;
            }
            if self.page == stop {
                return Flow::Again;
            }
            section.emit(EventKind::Touch { file, handle: self.handle, page: PageIndex(self.page) });
            self.fault = Some(Fault { tried: false, major: false, began: section.now, waiting: None, starved: false });
        }
        self.fault_step(kernel, section, file)
    }

    fn touched<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, file: FileId) {
        let id = kernel.cache.find(file, self.page).expect("a mapped page is cached");
        kernel.cache.mark_young(id);
        kernel.use_pages(section, id, self.page, 1);
        self.page += 1;
    }

    /// The fault from where it stands to its end or its next sleep.
    fn fault_step<O: Observer>(&mut self, kernel: &mut Kernel, section: &mut Section<'_, O>, file: FileId) -> Flow {
        let mut fault = self.fault.expect("a fault is being handled");
        let page = self.page;
        let mapping = kernel.mappings[self.mapping].advice;
        section.charge(kernel.cpu.fault);

        if let Some((then, since)) = fault.waiting.take() {
            let waited = Nanos(section.now.0 - since.0);
            section.emit(EventKind::Wake { file, page: PageIndex(page), waited });
            if let Some(id) = kernel.cache.find(file, page) {
                kernel.cache.folio_mut(id).pins -= 1;
                if then == Then::Map {
                    return self.map_and_return(kernel, section, file, id, fault);
                }
            }
        }
        // Each round either returns, sleeps, or was a retry with its page uptodate: it maps the page then.
        loop {
            if self.map_around(kernel, section, file, &mapping, fault.tried) {
                return self.done(kernel, section, file, fault);
            }
            section.emit(EventKind::Fault { file, page: PageIndex(page) });
            let (id, then) = match kernel.cache.find(file, page) {
                Some(id) if fault.tried => (id, Then::Map),
                Some(id) => {
                    // The folio is held while a window is brought in: that may have to reclaim.
                    kernel.cache.folio_mut(id).pins += 1;
                    let ran = minor_fault(kernel, section, self.handle, file, id, page, &mapping);
                    kernel.cache.folio_mut(id).pins -= 1;
                    fault.tried |= ran && kernel.callers.minor_retry_is_tried;
                    (id, if ran { Then::Retry } else { Then::Map })
                }
                None => {
                    fault.major = true;
                    fault.tried = true;
                    let brought = if std::mem::take(&mut fault.starved) {
                        kernel.read_single(section, self.handle, page)
                    } else {
                        major_fault(kernel, section, self.handle, file, page, &mapping)
                    };
                    match brought {
                        Some(id) => (id, Then::Retry),
                        None => {
                            self.fault = Some(Fault { starved: true, ..fault });
                            return Flow::Starved;
                        }
                    }
                }
            };
            // Kernels without fault-around wait for the page and map it; there is nothing to run again.
            let then = if kernel.callers.fault_around == FaultAround::None { Then::Map } else { then };
            if !kernel.cache.folio(id).uptodate {
                section.emit(EventKind::Wait { file, page: PageIndex(page) });
                kernel.cache.folio_mut(id).pins += 1;
                fault.waiting = Some((then, section.now));
                self.fault = Some(fault);
                return Flow::Sleep(id);
            }
            if then == Then::Map {
                return self.map_and_return(kernel, section, file, id, fault);
            }
        }
    }

    fn map_and_return<O: Observer>(
        &mut self,
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        file: FileId,
        id: FolioId,
        fault: Fault,
    ) -> Flow {
        if kernel.spec.model == ModelId::Linux2_4_23 {
            kernel.cache.folio_mut(id).pins += 1;
            clusters_ahead(kernel, section, self.handle, self.mapping, self.page);
            kernel.cache.folio_mut(id).pins -= 1;
            kernel.cache.mark_accessed(id);
        }
        map_page(kernel, self.mapping, id, self.page);
        self.done(kernel, section, file, fault)
    }

    fn done<O: Observer>(
        &mut self,
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        file: FileId,
        fault: Fault,
    ) -> Flow {
        self.fault = None;
        section.emit(EventKind::TouchDone {
            file,
            handle: self.handle,
            page: PageIndex(self.page),
            major: fault.major,
            latency: Nanos((section.now.0 - fault.began.0).saturating_add(section.cost.0)),
        });
        self.touched(kernel, section, file);
        if self.page >= self.end { Flow::Returned } else { Flow::Again }
    }

    /// Fault-around: maps what is cached of the aligned block that holds the page. True when the page itself is mapped
    /// now.
    fn map_around<O: Observer>(
        &self,
        kernel: &mut Kernel,
        section: &mut Section<'_, O>,
        file: FileId,
        mapping: &Mapping,
        tried: bool,
    ) -> bool {
        let around = kernel.spec.fault_around.0;
        let rule = kernel.callers.fault_around;
        if around <= 1 || rule == FaultAround::None {
            return false;
        }
        let page = self.page;
        let table = page / TABLE_PAGES * TABLE_PAGES;
        let file_pages = kernel.file(file).bytes.pages_up().0;
        let first = (page / around * around).max(table);
        let end = (first + around).min(table + TABLE_PAGES).min(file_pages).min(mapping.pages);

        let mut found = false;
        let mut mapped_now = false;
        let mut hit = false;
        let mut cached_pages = 0;
        let mut at = first;
        while at < end
            && let Some(id) = kernel.cache.find_from(file, at)
        {
            let folio = kernel.cache.folio(id);
            if folio.first >= end {
                break;
            }
            let (folio_first, folio_end, order) = (folio.first, folio.end(), folio.order);
            let counts = rule == FaultAround::EachPage || !folio.workingset;
            at = folio_end;
            if folio.pending > 0 || !folio.uptodate || folio.marked {
                continue;
            }
            let fits = folio_end <= mapping.pages && folio_first / TABLE_PAGES == (folio_end - 1) / TABLE_PAGES;
            let whole = rule == FaultAround::Once && folio_end < file_pages && fits;
            let huge = match kernel.callers.huge_entry {
                HugeEntry::Never => false,
                HugeEntry::Always => fits,
                HugeEntry::BeforeLastPage => fits && folio_end < file_pages,
            };
            if !found && order >= HUGE_ORDER && huge {
                for inside in folio_first..folio_end {
                    map_page(kernel, self.mapping, id, inside);
                }
                return true;
            }
            found = true;
            let (from, to) =
                if whole { (folio_first, folio_end) } else { (folio_first.max(first), folio_end.min(end)) };
            for inside in from..to {
                let new = map_page(kernel, self.mapping, id, inside);
                if new && inside == page {
                    mapped_now = true;
                    hit = counts;
                }
            }
            if counts {
                cached_pages += (folio_end.min(end) - folio_first.max(first)) as u32;
            }
        }
        if found {
            section.emit(EventKind::MapPages { file, first: PageIndex(first), last: PageIndex(end - 1) });
        }
        let hits = match rule {
            FaultAround::None => 0,
            FaultAround::EachPage | FaultAround::EachPageNotWorkingset => cached_pages,
            FaultAround::Once => u32::from(hit && !tried && !mapping.sequential && !mapping.exec),
        };
        let ra = &mut kernel.open[self.handle.0 as usize].ra;
        ra.mmap_miss = ra.mmap_miss.saturating_sub(hits);
        mapped_now
    }
}

/// A fault on a cached page: runs a window when its folio carries the marker, and says whether one was run.
fn minor_fault<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    handle: HandleId,
    file: FileId,
    id: FolioId,
    page: u64,
    mapping: &Mapping,
) -> bool {
    let before = kernel.open[handle.0 as usize].ra;
    let tunables = kernel.tunables(file);
    let folio = kernel.cache.folio(id);
    let (folio, locked) = (folio.as_ref(), folio.pending > 0);
    let (after, outcome) =
        kernel.spec.model.fault_async(before, folio, locked, page, mapping, &tunables, &kernel.cache.view(file));
    let Some(outcome) = outcome else {
        kernel.open[handle.0 as usize].ra = after;
        return false;
    };
    if !mapping.random {
        clear_marker(kernel, section, id, before.ra_pages);
    }
    kernel.carry_out(section, handle, page, u64::from(before.ra_pages), before, &outcome);
    !mapping.random && before.ra_pages > 0
}

/// A fault on a page that is not cached: the folio that holds it when readahead, or the single read, brought it.
fn major_fault<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    handle: HandleId,
    file: FileId,
    page: u64,
    mapping: &Mapping,
) -> Option<FolioId> {
    let before = kernel.open[handle.0 as usize].ra;
    let tunables = kernel.tunables(file);
    if kernel.spec.model == ModelId::Linux2_4_23 {
        if let Some(outcome) = Cluster24::miss(before, page, mapping, &tunables) {
            kernel.carry_out(section, handle, page, 1, before, &outcome);
        }
        return match kernel.cache.find(file, page) {
            Some(id) => Some(id),
            None => kernel.read_single(section, handle, page),
        };
    }
    let outcome = kernel.spec.model.fault_sync(before, page, mapping, &tunables, &kernel.cache.view(file));
    let req = if outcome.via == readahead_types::Via::Around { 1 } else { u64::from(before.ra_pages) };
    kernel.carry_out(section, handle, page, req, before, &outcome);
    match kernel.cache.find(file, page) {
        Some(id) => Some(id),
        None => kernel.read_single(section, handle, page),
    }
}

/// linux-2.4: a fault of a sequential mapping may read the clusters ahead of it.
fn clusters_ahead<O: Observer>(
    kernel: &mut Kernel,
    section: &mut Section<'_, O>,
    handle: HandleId,
    mapping: usize,
    page: u64,
) {
    let file = kernel.file_of(handle);
    let ra = kernel.open[handle.0 as usize].ra;
    let advice = kernel.mappings[mapping].advice;
    let Some((mut at, end)) = kernel.mappings[mapping].clusters.ahead(&ra, page, &advice) else { return };
    while at < end {
        let (outcome, next) = Cluster24::next(ra, page, at, &kernel.tunables(file));
        kernel.carry_out(section, handle, page, 1, ra, &outcome);
        at = next;
    }
}

/// Makes a page-table entry for a page of a folio; true when it is new.
fn map_page(kernel: &mut Kernel, mapping: usize, id: FolioId, page: u64) -> bool {
    let new = kernel.mappings[mapping].set(page);
    if new {
        kernel.cache.folio_mut(id).mapped += 1;
    }
    new
}

/// A bare fault as the conformance vectors have it: no fault-around, no retry, and nothing stays mapped.
pub(crate) fn bare_fault<O: Observer>(kernel: &mut Kernel, section: &mut Section<'_, O>, handle: HandleId, page: u64) {
    let file = kernel.file_of(handle);
    let Some(place) = kernel.open[handle.0 as usize].mapping else { return };
    let mapping = kernel.mappings[place].advice;
    if page >= mapping.pages {
        return;
    }
    section.emit(EventKind::Fault { file, page: PageIndex(page) });
    match kernel.cache.find(file, page) {
        Some(id) => {
            minor_fault(kernel, section, handle, file, id, page, &mapping);
        }
        None => {
            major_fault(kernel, section, handle, file, page, &mapping);
        }
    }
    if kernel.spec.model == ModelId::Linux2_4_23 {
        // The fault waits for its page before it goes on.
        let waits = kernel.cache.find(file, page).is_some_and(|id| !kernel.cache.folio(id).uptodate);
        if waits && kernel.on_wait {
            kernel.complete_all(section);
        }
        clusters_ahead(kernel, section, handle, place, page);
    }
}
