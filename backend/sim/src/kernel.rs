//! What the tasks share: page cache, open files, mappings and the block layer, and the ways in which pages come and go.

use crate::block::{BatchFolio, BlockLayer};
use crate::cache::{FolioId, PageCache};
use crate::mapping::MappedFile;
use crate::observer::Observer;
use crate::pfn::PageFrames;
use crate::section::Section;
use crate::world::{CpuCosts, DeviceSpec, FileSpec, KernelSpec, WorldSpec};
use readahead_policy::{Action, CacheView, Callers, Layout, LayoutStep, NodeMemory, Outcome, Tunables};
use readahead_types::{
    Decision, EventKind, FileId, HandleId, Order, PAGE_SECTORS, PageIndex, Pages, RaState, Reason, TaskId, Trim, Via,
    Window,
};

/// An open file.
pub(crate) struct OpenFile {
    pub(crate) file: FileId,
    pub(crate) ra: RaState,
    /// Opened with O_DIRECT.
    pub(crate) direct: bool,
    /// Its mapping, by its place in the kernel's list.
    pub(crate) mapping: Option<usize>,
}

/// Everything that is shared.
pub(crate) struct Kernel {
    pub(crate) spec: KernelSpec,
    /// What the code around the decisions does in this generation.
    pub(crate) callers: Callers,
    pub(crate) cpu: CpuCosts,
    pub(crate) files: Vec<FileSpec>,
    pub(crate) cache: PageCache,
    pub(crate) block: BlockLayer,
    pub(crate) open: Vec<OpenFile>,
    pub(crate) mappings: Vec<MappedFile>,
    pub(crate) frames: PageFrames,
    /// Reads complete at the moment of submission.
    instant: bool,
    /// Reads complete when somebody waits for one of them.
    pub(crate) on_wait: bool,
    /// With `on_wait`: folios that no request brings, which stay locked as long as the others.
    held: Vec<FolioId>,
    tunables: Vec<Tunables>,
    batch: Vec<BatchFolio>,
    /// Tasks that became runnable in this section.
    pub(crate) woken: Vec<TaskId>,
    /// For each task that sleeps on a folio, the next one that does, plus one.
    next_waiter: Vec<u32>,
    /// Tasks that wait for memory.
    pub(crate) starved: Vec<TaskId>,
    /// Folios that somebody else adds between the next decision and its folios, as a real kernel was seen to.
    pub(crate) meanwhile: Vec<(FileId, u64, u8)>,
}

impl Kernel {
    pub(crate) fn new(spec: &WorldSpec) -> Self {
        let from_max_sectors = (spec.kernel.max_sectors.0 / PAGE_SECTORS).min(u64::from(u32::MAX)) as u32;
        let io_pages = spec.kernel.io_pages.unwrap_or(from_max_sectors);
        let tunables = spec
            .files
            .iter()
            .map(|file| Tunables {
                device_ra_pages: spec.kernel.ra_pages,
                io_pages,
                min_order: file.min_order.0,
                max_order: file.max_order.0,
                eof: (file.bytes.0 > 0).then(|| file.bytes.pages_up().0 - 1),
                fault_around_pages: spec.kernel.fault_around.0 as u32,
                exec_order: spec.kernel.exec_order.0,
                patches: spec.kernel.patches,
                memory: NodeMemory::default(),
            })
            .collect();
        Kernel {
            cache: PageCache::new(
                spec.files.len(),
                spec.kernel.memory,
                spec.kernel.model.callers(spec.kernel.patches).reclaim,
            ),
            block: BlockLayer::new(&spec.kernel),
            spec: spec.kernel.clone(),
            cpu: spec.cpu,
            files: spec.files.clone(),
            open: Vec::new(),
            mappings: Vec::new(),
            frames: PageFrames::default(),
            instant: spec.device == DeviceSpec::Instant,
            on_wait: spec.device == DeviceSpec::OnWait,
            held: Vec::new(),
            callers: spec.kernel.model.callers(spec.kernel.patches),
            tunables,
            batch: Vec::new(),
            woken: Vec::new(),
            next_waiter: vec![0; spec.streams.len()],
            starved: Vec::new(),
            meanwhile: Vec::new(),
        }
    }

    pub(crate) fn file_of(&self, handle: HandleId) -> FileId {
        self.open[handle.0 as usize].file
    }

    pub(crate) fn file(&self, file: FileId) -> &FileSpec {
        &self.files[file.0 as usize]
    }

    /// What a decision about this file may know, with memory as it is now.
    pub(crate) fn tunables(&self, file: FileId) -> Tunables {
        let memory = self.spec.node_memory.unwrap_or_else(|| self.cache.node_memory());
        Tunables { memory, ..self.tunables[file.0 as usize] }
    }

    /// queue/read_ahead_kb is written: it reaches a file when it is opened or takes the device's value over by fadvise.
    pub(crate) fn set_ra_pages(&mut self, ra_pages: u32) {
        self.spec.ra_pages = ra_pages;
        for tunables in &mut self.tunables {
            tunables.device_ra_pages = ra_pages;
        }
    }

    pub(crate) fn open_file(&mut self, file: FileId, direct: bool) -> HandleId {
        self.open.push(OpenFile { file, ra: RaState::opened(self.spec.ra_pages), direct, mapping: None });
        HandleId((self.open.len() - 1) as u32)
    }

    /// Records a decision and carries it out. `index` and `req` are the caller's.
    pub(crate) fn carry_out<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        handle: HandleId,
        index: u64,
        req: u64,
        before: RaState,
        outcome: &Outcome,
    ) {
        let file = self.file_of(handle);
        self.open[handle.0 as usize].ra = outcome.after;
        let mut decision = Decision {
            file,
            handle,
            via: outcome.via,
            index,
            req,
            max: outcome.max,
            before,
            after: outcome.after,
            window: outcome.window,
            reason: outcome.reason,
            trim: outcome.trim,
            pattern: outcome.pattern,
        };
        match outcome.action {
            Action::Nothing => section.decide(&decision),
            Action::Run(layout) => {
                section.decide(&decision);
                if let Some((first, pages)) = outcome.retain {
                    self.retain(section, file, first, pages);
                }
                self.lay_out(section, file, layout);
            }
            Action::Force(mut range) => {
                let tunables = self.tunables(file);
                let mut read = false;
                while let Some((at, pages)) = range.chunk() {
                    // A chunk that begins beyond the last page reads nothing, and leaves the control where it is.
                    if tunables.eof.is_none_or(|eof| at > eof) {
                        break;
                    }
                    read = true;
                    decision.window = Some(Window { start: at, size: pages, async_size: 0, order: 0 });
                    section.decide(&decision);
                    let end = self.lay_out(section, file, range.layout(at, pages, &tunables));
                    range.advance(end);
                }
                if !read {
                    section.decide(&decision);
                }
            }
        }
    }

    /// Brings a window's folios into the page cache and submits their reads. Returns where the control was left.
    fn lay_out<O: Observer>(&mut self, section: &mut Section<'_, O>, file: FileId, mut layout: Layout) -> u64 {
        for (file, first, order) in std::mem::take(&mut self.meanwhile) {
            if !self.cache.view(file).occupied(first, order) {
                let id = self.cache.add(file, PageIndex(first), order, false, 0);
                self.cache.folio_mut(id).uptodate = true;
            }
        }
        loop {
            match layout.next(&self.cache.view(file)) {
                LayoutStep::PlainRun { index, pages, lookahead } => section.emit(EventKind::PlainRun {
                    file,
                    index: PageIndex(index),
                    pages: Pages(pages),
                    lookahead: Pages(lookahead),
                }),
                LayoutStep::Add { first, order, marked } => {
                    if self.add_folio(section, file, first, order, marked).is_none() {
                        layout.refused();
                    }
                }
                LayoutStep::Retain { first, pages } => self.retain(section, file, first, pages),
                LayoutStep::BatchEnd => self.submit_batch(section, file, true),
                LayoutStep::Done => return layout.index(),
            }
        }
    }

    /// retain-inactive: cached pages of the range that are inactive go to the head of the inactive list, but for those
    /// of the batch that is being collected.
    fn retain<O: Observer>(&mut self, section: &mut Section<'_, O>, file: FileId, first: u64, pages: u64) {
        let end = first.saturating_add(pages);
        let mut at = first;
        let mut run: Option<(u64, u64)> = None;
        let emit = |section: &mut Section<'_, O>, run: Option<(u64, u64)>| {
            if let Some((first, end)) = run {
                section.emit(EventKind::Retained { file, first: PageIndex(first), pages: Pages(end - first) });
            }
        };
        while let Some(id) = self.cache.find_from(file, at) {
            let folio = self.cache.folio(id);
            let (page, next) = (folio.first, folio.end());
            if page >= end {
                break;
            }
            at = next;
            if self.batch.iter().any(|added| added.id == id) || !self.cache.rotate_inactive(id) {
                continue;
            }
            run = match run {
                Some((first, end)) if end == page => Some((first, next)),
                before => {
                    emit(section, before);
                    Some((page, next))
                }
            };
        }
        emit(section, run);
    }

    /// Adds a folio to the page cache and to the batch; `None` when there is no memory for it.
    fn add_folio<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        file: FileId,
        first: u64,
        order: u8,
        marked: bool,
    ) -> Option<FolioId> {
        let pages = 1 << order;
        if !self.cache.can_make_room(pages) {
            return None;
        }
        while !self.cache.has_room(pages) {
            self.cache.balance();
            let victim = self.cache.victim()?;
            self.remove_folio(section, victim, true);
        }
        let pfn = self.frames.allocate(file, first, order);
        let id = self.cache.add(file, PageIndex(first), order, marked, pfn);
        section.charge(self.cpu.add_folio);
        section.emit(EventKind::FolioAdded { file, first: PageIndex(first), order: Order(order), marked, pfn });
        self.batch.push(BatchFolio { id, first, pages: 1 << order, pfn });
        Some(id)
    }

    /// Reads what was added since the last batch.
    fn submit_batch<O: Observer>(&mut self, section: &mut Section<'_, O>, file: FileId, ahead: bool) {
        let batch = std::mem::take(&mut self.batch);
        let cache = &mut self.cache;
        self.block.submit(section, file, &self.files[file.0 as usize], &batch, ahead, |id| {
            cache.folio_mut(id).pending += 1;
        });
        section.charge(self.cpu.submit);
        // What lies in a hole is zero-filled at once.
        for &BatchFolio { id, .. } in &batch {
            let folio = self.cache.folio_mut(id);
            if self.on_wait && folio.pending == 0 {
                folio.pending = 1;
                self.held.push(id);
            }
            folio.uptodate |= folio.pending == 0;
        }
        if self.instant {
            self.complete_all(section);
        }
        self.batch = batch;
        self.batch.clear();
    }

    /// Adds one folio that holds the page, by itself, and reads it without readahead.
    pub(crate) fn read_single<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        handle: HandleId,
        page: u64,
    ) -> Option<FolioId> {
        let file = self.file_of(handle);
        let order = self.file(file).min_order.0;
        let first = page >> order << order;
        let ra = self.open[handle.0 as usize].ra;
        if !self.cache.can_make_room(1 << order) {
            return None;
        }
        let behind_the_end = page >= self.file(file).bytes.pages_up().0;
        let reason = if behind_the_end {
            Reason::PagePastEnd { page }
        } else {
            Reason::SinglePage { page, order: u64::from(order) }
        };
        section.decide(&Decision {
            file,
            handle,
            via: Via::Page,
            index: page,
            req: 1,
            max: 0,
            before: ra,
            after: ra,
            window: Some(Window { start: first, size: 1 << order, async_size: 0, order: 0 }),
            reason,
            trim: Trim::None,
            pattern: None,
        });
        let id = self.add_folio(section, file, first, order, false)?;
        self.submit_batch(section, file, false);
        Some(id)
    }

    /// Reads pages past the page cache. The folio returned is in no cache; it becomes uptodate when the read is complete,
    /// and is to be released then.
    pub(crate) fn read_direct<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        file: FileId,
        first: u64,
        pages: u64,
    ) -> FolioId {
        let pfn = self.frames.allocate_piece(pages);
        let id = self.cache.add_detached(file, first, pfn);
        self.batch.push(BatchFolio { id, first, pages, pfn });
        self.submit_batch(section, file, false);
        id
    }

    /// Takes a folio out of the page cache, with its page-table entries.
    pub(crate) fn remove_folio<O: Observer>(&mut self, section: &mut Section<'_, O>, id: FolioId, reclaimed: bool) {
        let folio = self.cache.folio(id);
        let (file, first, order, pfn, mapped) = (folio.file, folio.first, folio.order, folio.pfn, folio.mapped);
        if mapped > 0 {
            for mapping in self.mappings.iter_mut().filter(|mapping| mapping.file == file) {
                mapping.clear(first, 1 << order);
            }
        }
        let used = if reclaimed { self.cache.evict(id) } else { self.cache.remove(id) };
        section.emit(EventKind::FolioRemoved {
            file,
            first: PageIndex(first),
            order: Order(order),
            used,
            reclaimed,
            pfn,
        });
    }

    /// Makes the page cache hold exactly this folio in its place, uptodate, without any reading: what a real kernel was
    /// seen to have. The events tell of it as of any other change.
    pub(crate) fn adopt_folio<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        file: FileId,
        first: u64,
        order: u8,
        marked: bool,
    ) {
        while let Some(id) = self.cache.find_from(file, first)
            && self.cache.folio(id).first < first + (1 << order)
        {
            self.remove_folio(section, id, false);
        }
        let pfn = self.frames.allocate(file, first, order);
        let id = self.cache.add(file, PageIndex(first), order, marked, pfn);
        self.cache.folio_mut(id).uptodate = true;
        section.emit(EventKind::FolioAdded { file, first: PageIndex(first), order: Order(order), marked, pfn });
    }

    /// The device completed a request.
    pub(crate) fn complete<O: Observer>(&mut self, section: &mut Section<'_, O>, slot: u32) {
        let (cache, woken, next_waiter) = (&mut self.cache, &mut self.woken, &mut self.next_waiter);
        self.block.complete(section, slot, |id| one_part_done(cache, woken, next_waiter, id));
        woken.append(&mut self.starved);
    }

    /// Completes everything that was submitted.
    pub(crate) fn complete_all<O: Observer>(&mut self, section: &mut Section<'_, O>) {
        while self.block.has_issued() {
            let issued: Vec<u32> = self.block.take_issued().map(|request| request.slot).collect();
            for slot in issued {
                self.complete(section, slot);
            }
        }
        for id in std::mem::take(&mut self.held) {
            one_part_done(&mut self.cache, &mut self.woken, &mut self.next_waiter, id);
        }
    }

    /// Puts the task to sleep on a folio that is not uptodate.
    pub(crate) fn sleep_on(&mut self, task: TaskId, id: FolioId) {
        let folio = self.cache.folio_mut(id);
        self.next_waiter[task.0 as usize] = folio.waiter;
        folio.waiter = task.0 + 1;
    }

    /// The program reads `pages` pages of a folio from `page` on.
    pub(crate) fn use_pages<O: Observer>(&mut self, section: &mut Section<'_, O>, id: FolioId, page: u64, pages: u64) {
        let fresh = self.cache.note_used(id, page, pages);
        let file = self.cache.folio(id).file;
        section.emit(EventKind::Used { file, first: PageIndex(page), pages: Pages(pages), fresh: Pages(fresh) });
    }
}

/// A bio that brings a folio is complete; with the last one the folio is uptodate and its sleepers wake.
fn one_part_done(cache: &mut PageCache, woken: &mut Vec<TaskId>, next_waiter: &mut [u32], id: FolioId) {
    let folio = cache.folio_mut(id);
    folio.pending -= 1;
    if folio.pending > 0 {
        return;
    }
    folio.uptodate = true;
    let mut waiter = std::mem::take(&mut folio.waiter);
    let from = woken.len();
    while waiter != 0 {
        let task = TaskId(waiter - 1);
        woken.push(task);
        waiter = std::mem::take(&mut next_waiter[task.0 as usize]);
    }
    // The chain is last in, first out; sleepers wake in the order in which they went to sleep.
    woken[from..].reverse();
}
