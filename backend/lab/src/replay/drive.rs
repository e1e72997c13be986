//! Drives the engine with a trace's calls, without time, and compares what it decides with what the kernel did.
//!
//! After a call that differs the engine is put where the kernel was seen to be, so that each decision is judged on its
//! own.

use super::disk::Disk;
use super::recorded::{Call, CallKind, Deed, FileKey, Recorded, Trigger};
use crate::vectors::world::TimelessWorld;
use readahead_sim::world::{Advice, FileSpec, MapAdvice, Op, Step};
use readahead_sim::{Observer, SpecError, VirtualHost};
use readahead_types::{
    Bytes, Decision, Event, EventKind, FileId, HandleId, Nanos, Order, PAGE_BYTES, PageIndex, Pages, TaskId,
    TracedCall, Via,
};
use std::collections::{HashMap, VecDeque};

/// What the engine did in one call, in the shape of the trace's lines, and the decisions behind it.
#[derive(Default)]
pub(super) struct Predicted {
    pub(super) deeds: Vec<Deed>,
    /// For each deed the decision that it belongs to.
    pub(super) decisions: Vec<Decision>,
    /// Data requests: file, byte offset, bytes.
    pub(super) requests: Vec<(FileId, u64, u64)>,
    last_read: u64,
}

impl Observer for Predicted {
    fn decided(&mut self, _at: Nanos, _task: TaskId, decision: &Decision) {
        self.decisions.push(*decision);
        let before = decision.before;
        if let Some(call) = decision.traced_call() {
            self.deeds.push(Deed::Trigger(Trigger {
                is_async: call == TracedCall::Async,
                index: decision.index,
                req: decision.req,
                order: before.order,
                size: u64::from(before.size),
                async_size: u64::from(before.async_size),
                ra_pages: u64::from(before.ra_pages),
                mmap_miss: before.mmap_miss,
                prev_pos: before.prev_pos,
            }));
        }
        if let Some(window) = decision.handed_over()
            && matches!(decision.via, Via::Sync | Via::Async | Via::Around)
        {
            self.deeds.push(Deed::Window(window.start, window.order, window.size, window.async_size));
        }
    }

    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::PlainRun { index, pages, lookahead, .. } => {
                self.deeds.push(Deed::Plain(index.0, pages.0, lookahead.0));
            }
            EventKind::FolioAdded { first, order, pfn, .. } => self.deeds.push(Deed::Add(first.0, order.0, pfn)),
            EventKind::Issued { file, offset, sectors, .. } => {
                self.requests.push((file, offset.0, sectors.bytes().0));
            }
            EventKind::ReadDone { len, .. } => self.last_read = len.0,
            _ => {}
        }
    }
}

/// How a replay is set up.
#[derive(Clone)]
pub(super) struct Setup {
    pub(super) model: readahead_policy::ModelId,
    pub(super) patches: readahead_policy::Patches,
    pub(super) ra_pages: u32,
    pub(super) max_sectors_kb: u64,
    pub(super) max_segments: u32,
    pub(super) fault_around_pages: u64,
    pub(super) files: Vec<(FileKey, FileSpec)>,
}

/// The engine at some point of a trace.
pub(super) struct Driver {
    host: VirtualHost,
    files: HashMap<FileKey, FileId>,
    specs: Vec<FileSpec>,
    /// The handle of each open, once it was used.
    handles: HashMap<usize, Handle>,
    /// For calls that are known by their file only.
    anonymous: HashMap<FileKey, Handle>,
    next_fh: u32,
    /// Folios of an inferred touch that later batches of the trace will show, and the open file that was touched.
    carried: VecDeque<Deed>,
    carried_of: Option<Slot>,
    /// Inferred touches of each file whose folios no later batch showed.
    unseen: HashMap<FileId, u64>,
}

#[derive(Clone, Copy)]
struct Handle {
    fh: u32,
    id: HandleId,
    file: FileId,
    pos: u64,
    /// Its readahead state is as the kernel's.
    state_known: bool,
    mapped: bool,
    /// The mapping was advised random or sequential.
    advised: bool,
}

const TASK: TaskId = TaskId(0);

impl Driver {
    pub(super) fn new(setup: &Setup) -> Result<Self, SpecError> {
        let specs: Vec<FileSpec> = setup.files.iter().map(|(_, spec)| spec.clone()).collect();
        let world = TimelessWorld {
            model: setup.model,
            patches: setup.patches,
            ra_pages: setup.ra_pages,
            max_sectors: readahead_types::Sectors(setup.max_sectors_kb * 2),
            max_segments: setup.max_segments,
            exec_order: 0,
            fault_around_pages: setup.fault_around_pages,
            files: specs.clone(),
        };
        let mut host = VirtualHost::new(world.build())?;
        host.run(&mut ());
        Ok(Driver {
            host,
            files: setup.files.iter().enumerate().map(|(number, (key, _))| (*key, FileId(number as u32))).collect(),
            specs,
            handles: HashMap::new(),
            anonymous: HashMap::new(),
            // Number 0 is the stream's own.
            next_fh: 1,
            carried: VecDeque::new(),
            carried_of: None,
            unseen: HashMap::new(),
        })
    }

    /// Tells the engine where the folios of the trace lay in memory.
    pub(super) fn know_frames(&mut self, calls: &[Call]) {
        for call in calls {
            let Some(file) = call.file.and_then(|file| self.files.get(&file).copied()) else { continue };
            for (_, deed) in &call.deeds {
                if let Deed::Add(first, _, pfn) = *deed {
                    self.host.know_frame(file, PageIndex(first), pfn);
                }
            }
        }
    }

    /// Carries out a call. `None`: the trace does not tell enough about it (its file is unknown).
    pub(super) fn call(&mut self, call: &Call, recorded: &Recorded) -> Option<Predicted> {
        let key = call.file.or_else(|| call.open.and_then(|open| recorded.opens[open].file))?;
        let file = *self.files.get(&key)?;
        match call.kind {
            CallKind::Removed { first } => {
                let mut predicted = Predicted::default();
                self.host.engine().adopt_removal(file, PageIndex(first), &mut predicted);
                return Some(Predicted::default());
            }
            CallKind::Foreign => {
                self.adopt_folios(file, &call.deeds, None);
                return None;
            }
            _ => {}
        }
        let slot = self.handle(call.open, key, file, recorded);
        let fresh = call.open.is_some_and(|open| recorded.opens[open].fresh);
        let position_unknown = !fresh || recorded.lost;
        if position_unknown && let (CallKind::Read { pos: None, .. }, Some(page)) = (call.kind, call.found_page) {
            // The trace does not show how the file position came there.
            let pos = &mut self.slot(slot).pos;
            if *pos / PAGE_BYTES != page {
                *pos = page * PAGE_BYTES;
            }
        }
        if (!fresh && recorded.has_readahead_events) || recorded.lost {
            self.adopt_unknown_pages(file, call);
        }
        self.adopt_unknown_state(slot, call);
        let handle = *self.slot(slot);
        let fh = handle.fh;
        let size = self.specs[file.0 as usize].bytes.0;
        let op = match call.kind {
            CallKind::Read { pos: Some(pos), len } => Op::Read { fh, pos: Some(Bytes(pos)), len: Bytes(len) },
            CallKind::Read { pos: None, len } => Op::Read { fh, pos: Some(Bytes(handle.pos)), len: Bytes(len) },
            CallKind::ReadPages { first, end } => {
                Op::Read { fh, pos: Some(Bytes(first * PAGE_BYTES)), len: Bytes((end - first) * PAGE_BYTES) }
            }
            CallKind::Lseek { offset, whence } => {
                let base = match whence {
                    0 => 0,
                    1 => handle.pos,
                    _ => size,
                };
                self.slot(slot).pos = base.saturating_add_signed(offset);
                return Some(Predicted::default());
            }
            CallKind::Fadvise { pos, len, advice } => {
                let advice = match advice {
                    0 => Advice::Normal,
                    1 => Advice::Random,
                    2 => Advice::Sequential,
                    3 => Advice::Willneed,
                    4 => Advice::Dontneed,
                    _ => Advice::Noreuse,
                };
                Op::Fadvise { fh, advice, pos: Bytes(pos), len: Bytes(len) }
            }
            CallKind::Readahead { pos, len } => Op::Readahead { fh, pos: Bytes(pos), len: Bytes(len) },
            CallKind::Mmap { exec } => {
                self.slot(slot).mapped = true;
                Op::Mmap { fh, advice: MapAdvice::Normal, exec }
            }
            CallKind::Madvise { advice } => {
                // The numbers of madvise(2).
                let advice = match advice {
                    1 => MapAdvice::Random,
                    2 => MapAdvice::Sequential,
                    14 => MapAdvice::Hugepage,
                    0 => MapAdvice::Normal,
                    _ => return None,
                };
                self.slot(slot).mapped = true;
                self.slot(slot).advised = matches!(advice, MapAdvice::Random | MapAdvice::Sequential);
                Op::Mmap { fh, advice, exec: false }
            }
            CallKind::Fault { page } => return self.touch(slot, page),
            CallKind::Touched => return self.touch_somewhere(slot, call),
            CallKind::MapAround { first, end } => {
                let page = self.mappable(slot, first, end)?;
                return self.touch(slot, page);
            }
            CallKind::Removed { .. } | CallKind::Foreign => return None,
        };
        for &(first, order) in &call.meanwhile {
            self.host.engine().add_meanwhile(file, PageIndex(first), Order(order));
        }
        let predicted = self.run(op);
        // They come with the calls that added them.
        self.host.engine().end_meanwhile();
        for &(first, _) in &call.meanwhile {
            let added_here = predicted.deeds.iter().any(|deed| matches!(deed, Deed::Add(at, ..) if *at == first));
            if !added_here {
                self.host.engine().adopt_removal(file, PageIndex(first), &mut ());
            }
        }
        if let CallKind::Read { pos: None, .. } = call.kind {
            self.slot(slot).pos += call.returned.unwrap_or(predicted.last_read);
        }
        Some(predicted)
    }

    fn run(&mut self, op: Op) -> Predicted {
        let mut predicted = Predicted::default();
        self.host.push(TASK, &Step::Op(op));
        self.host.run(&mut predicted);
        predicted
    }

    /// A fault on this page, with its retries; nothing when the page is mapped already (the retry of a fault that the
    /// engine has carried out).
    fn touch(&mut self, slot: Slot, page: u64) -> Option<Predicted> {
        if !self.slot(slot).mapped {
            let fh = self.slot(slot).fh;
            self.run(Op::Mmap { fh, advice: MapAdvice::Normal, exec: false });
            self.slot(slot).mapped = true;
        }
        let handle = *self.slot(slot);
        if self.host.engine().is_mapped(handle.id, PageIndex(page)) {
            return Some(Predicted::default());
        }
        Some(self.run(Op::Touch { fh: handle.fh, page: PageIndex(page), pages: Pages(1) }))
    }

    /// A touch of which the trace shows only the folios that it brought. What the model brings beyond them is kept for the
    /// batches that follow.
    fn touch_somewhere(&mut self, slot: Slot, call: &Call) -> Option<Predicted> {
        let count = call.deeds.len();
        if self.carried_of != Some(slot) {
            self.drop_carried();
        }
        if !self.carried.is_empty() {
            let left = count.min(self.carried.len());
            return Some(Predicted { deeds: self.carried.drain(..left).collect(), ..Predicted::default() });
        }
        let page = self.touched_page(slot, call)?;
        let mut predicted = self.touch(slot, page)?;
        let adds: Vec<usize> =
            (0..predicted.deeds.len()).filter(|at| matches!(predicted.deeds[*at], Deed::Add(..))).collect();
        if let Some(from) = adds.get(count) {
            self.carried_of = Some(slot);
            self.carried =
                predicted.deeds.split_off(*from).into_iter().filter(|deed| matches!(deed, Deed::Add(..))).collect();
        }
        Some(predicted)
    }

    /// What was expected of an open file comes no more, because another one was touched.
    fn drop_carried(&mut self) {
        let Some(slot) = self.carried_of.take() else { return };
        if !self.carried.is_empty() {
            self.carried.clear();
            let file = self.slot(slot).file;
            *self.unseen.entry(file).or_default() += 1;
        }
    }

    /// Inferred touches of each file that brought more than the trace shows.
    pub(super) fn unseen(&mut self) -> &HashMap<FileId, u64> {
        self.drop_carried();
        &self.unseen
    }

    /// The page whose touch can have brought these folios: the one with the marker that the window in front of them left,
    /// or the one that they lie around.
    fn touched_page(&mut self, slot: Slot, call: &Call) -> Option<u64> {
        let adds: Vec<(u64, u64)> = call
            .deeds
            .iter()
            .filter_map(|(_, deed)| match deed {
                Deed::Add(first, order, _) => Some((*first, first + (1 << order))),
                _ => None,
            })
            .collect();
        let first = adds.first()?.0;
        let end = adds.iter().zip(adds.iter().skip(1)).find(|(a, b)| a.1 != b.0).map_or(adds.last()?.1, |(a, _)| a.1);
        let handle = *self.slot(slot);
        let state = *self.host.engine().readahead_state(handle.id)?;
        let eof = self.specs[handle.file.0 as usize].bytes.pages_up().0;
        // A marker with nothing missing between it and the first folio.
        let mut at = first;
        while let Some(below) = at.checked_sub(1)
            && let Some(folio) = self.host.engine().folio(handle.file, PageIndex(below))
        {
            if folio.marked {
                return Some(folio.first);
            }
            at = folio.first;
        }
        let ra_pages = u64::from(state.ra_pages);
        if handle.advised || first + 1 == end {
            return Some(first);
        }
        // Read-around ends half of its pages behind the page that faulted, unless the file ends first.
        if first == 0 {
            return Some(0);
        }
        let start = if end < eof { end.saturating_sub(ra_pages) } else { at.max(first.saturating_sub(ra_pages / 2)) };
        Some((start + ra_pages / 2).clamp(first, end - 1))
    }

    /// A page that fault-around can map: cached, without a marker, and not mapped yet.
    fn mappable(&mut self, slot: Slot, first: u64, end: u64) -> Option<u64> {
        let handle = *self.slot(slot);
        (first..end).find(|page| {
            let page = PageIndex(*page);
            let engine = self.host.engine();
            !engine.is_mapped(handle.id, page) && engine.cached(handle.file, page) == Some(false)
        })
    }

    fn handle(&mut self, open: Option<usize>, key: FileKey, file: FileId, recorded: &Recorded) -> Slot {
        let slot = match open {
            Some(open) => Slot::Open(open),
            None => Slot::Anonymous(key),
        };
        let known = match slot {
            Slot::Open(open) => self.handles.contains_key(&open),
            Slot::Anonymous(key) => self.anonymous.contains_key(&key),
        };
        if !known {
            let fh = self.next_fh;
            self.next_fh += 1;
            let mut opened = Opened::default();
            self.host.push(TASK, &Step::Op(Op::Open { fh, file: Some(file), direct: false }));
            self.host.run(&mut opened);
            let fresh = open.is_some_and(|open| recorded.opens[open].fresh);
            let handle =
                Handle { fh, id: opened.handle, file, pos: 0, state_known: fresh, mapped: false, advised: false };
            match slot {
                Slot::Open(open) => self.handles.insert(open, handle),
                Slot::Anonymous(key) => self.anonymous.insert(key, handle),
            };
        }
        slot
    }

    fn slot(&mut self, slot: Slot) -> &mut Handle {
        match slot {
            Slot::Open(open) => self.handles.get_mut(&open),
            Slot::Anonymous(key) => self.anonymous.get_mut(&key),
        }
        .expect("a handle is made before it is used")
    }

    /// An open file whose opening the trace does not show takes its state from its first sync or async line.
    fn adopt_unknown_state(&mut self, slot: Slot, call: &Call) {
        let handle = *self.slot(slot);
        if handle.state_known {
            return;
        }
        let first = call.deeds.iter().find_map(|(_, deed)| match deed {
            Deed::Trigger(trigger) => Some(*trigger),
            _ => None,
        });
        if let Some(trigger) = first {
            self.adopt_state(handle.id, &trigger);
            self.slot(slot).state_known = true;
        }
    }

    /// Pages that a read found without adding them were cached before the trace began; so was a marker that it met.
    fn adopt_unknown_pages(&mut self, file: FileId, call: &Call) {
        let (first, end) = match (call.kind, call.found_page) {
            (CallKind::Read { pos: Some(pos), len }, _) => (pos / PAGE_BYTES, (pos + len).div_ceil(PAGE_BYTES)),
            (CallKind::Read { pos: None, len }, Some(page)) => (page, page + len.div_ceil(PAGE_BYTES)),
            (CallKind::ReadPages { first, end }, _) => (first, end),
            _ => return,
        };
        let added = |page: u64| {
            call.deeds.iter().any(|(_, deed)| matches!(deed, Deed::Add(at, order, _) if page >> order == at >> order))
        };
        let marker = |page: u64| {
            call.deeds
                .iter()
                .any(|(_, deed)| matches!(deed, Deed::Trigger(trigger) if trigger.is_async && trigger.index == page))
        };
        for page in first..end.min(self.specs[file.0 as usize].bytes.pages_up().0) {
            let missing = self.host.engine().cached(file, PageIndex(page)).is_none();
            if missing && !added(page) {
                self.host.engine().adopt_folio(file, PageIndex(page), Order(0), marker(page), &mut ());
            }
        }
    }

    fn adopt_state(&mut self, handle: HandleId, trigger: &Trigger) {
        let Some(state) = self.host.engine().readahead_state(handle) else { return };
        state.order = trigger.order;
        state.size = trigger.size as u32;
        state.async_size = trigger.async_size as u32;
        state.ra_pages = trigger.ra_pages as u32;
        state.mmap_miss = trigger.mmap_miss;
        state.prev_pos = trigger.prev_pos;
        // The lines do not print the start; a marker that was met tells where the window began.
        if trigger.is_async {
            state.start = trigger.index.wrapping_add(trigger.async_size).wrapping_sub(trigger.size);
        }
    }

    /// Puts the engine where the kernel was after a call that differs.
    pub(super) fn correct(&mut self, call: &Call, predicted: &Predicted, recorded: &Recorded) {
        let Some(key) = call.file.or_else(|| call.open.and_then(|open| recorded.opens[open].file)) else { return };
        let Some(file) = self.files.get(&key).copied() else { return };
        let wanted: Vec<u64> = call
            .deeds
            .iter()
            .filter_map(|(_, deed)| match deed {
                Deed::Add(first, ..) => Some(*first),
                _ => None,
            })
            .collect();
        for deed in &predicted.deeds {
            if let Deed::Add(first, ..) = *deed
                && !wanted.contains(&first)
            {
                self.host.engine().adopt_removal(file, PageIndex(first), &mut ());
            }
        }
        let window = call.deeds.iter().rev().find_map(|(_, deed)| match deed {
            Deed::Window(start, order, size, async_size) => Some((*start, *order, *size, *async_size)),
            _ => None,
        });
        // Without readahead events the folios added last are taken for a window that follows a marker.
        let window = window.or_else(|| if recorded.has_readahead_events { None } else { last_stretch(call) });
        let marker = window.map(|(start, _, size, async_size)| start + size - async_size.min(size));
        self.adopt_folios(file, &call.deeds, marker);
        let slot = match call.open {
            Some(open) => Slot::Open(open),
            None => Slot::Anonymous(key),
        };
        if matches!(slot, Slot::Open(open) if !self.handles.contains_key(&open)) {
            return;
        }
        let handle = *self.slot(slot);
        if let (Some((start, order, size, async_size)), Some(state)) =
            (window, self.host.engine().readahead_state(handle.id))
        {
            state.start = start;
            state.size = size as u32;
            state.async_size = async_size as u32;
            state.order = order.min(size.checked_ilog2().unwrap_or(0) as u16);
        }
    }

    fn adopt_folios(&mut self, file: FileId, deeds: &[(u64, Deed)], marker: Option<u64>) {
        for (_, deed) in deeds {
            if let Deed::Add(first, order, _) = *deed {
                let marked = marker.is_some_and(|marker| marker >> order == first >> order);
                self.host.engine().adopt_folio(file, PageIndex(first), Order(order), marked, &mut ());
            }
        }
    }
}

/// The last folios that a call added in one stretch, as (start, order, size, async_size).
fn last_stretch(call: &Call) -> Option<(u64, u16, u64, u64)> {
    let mut stretch: Option<(u64, u64)> = None;
    for (_, deed) in &call.deeds {
        if let Deed::Add(first, order, _) = *deed {
            let end = first + (1 << order);
            stretch = match stretch {
                Some((start, before)) if before == first => Some((start, end)),
                _ => Some((first, end)),
            };
        }
    }
    stretch.map(|(start, end)| (start, 0, end - start, end - start))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Slot {
    Open(usize),
    Anonymous(FileKey),
}

/// Catches the handle of an open.
#[derive(Default)]
struct Opened {
    handle: HandleId,
}

impl Observer for Opened {
    fn decided(&mut self, _at: Nanos, _task: TaskId, _decision: &Decision) {}

    fn event(&mut self, event: &Event) {
        if let EventKind::Open { handle, .. } = event.kind {
            self.handle = handle;
        }
    }
}

/// A file of a setup, from what the trace shows of it. `bytes` of a file whose end is not in the trace is far behind
/// everything that was seen.
pub(super) fn file_spec(disk: &Disk, key: FileKey, name: String, bytes: Bytes, orders: (u8, u8)) -> FileSpec {
    let known = disk.files.get(&key);
    let pages = bytes.pages_up().0;
    FileSpec {
        name,
        bytes,
        min_order: Order(orders.0),
        max_order: Order(orders.1),
        builder: readahead_sim::world::BioBuilder::Iomap,
        extents: known.map_or_else(Vec::new, |known| known.extents(pages)),
        block_device: false,
        dev: (key.dev.major, key.dev.minor),
        ino: key.ino,
    }
}
