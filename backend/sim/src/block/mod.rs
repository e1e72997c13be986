//! The block layer: bios in, requests to the device out; the plug, merging, and the device's queue.
//!
//! Follows the specification of the modern kernels, section 10. Owns requests from their making to their completion.
//! Must not know what the pages are for.

mod bio;

pub(crate) use bio::BatchFolio;

use crate::cache::FolioId;
use crate::observer::Observer;
use crate::section::Section;
use crate::world::{FileSpec, KernelSpec};
use bio::Bio;
use readahead_policy::callers::PlugTest;
use readahead_types::{Bytes, EventKind, FileId, RequestId, Sectors};
use std::collections::VecDeque;

/// A plug with this many requests is flushed before the next is added.
const PLUG_MAX_REQUESTS: usize = 32;
/// A plug whose first (or, up to linux-6.1, newest) request is at least this large is flushed before the next is added: 128 KiB.
const PLUG_FLUSH_SECTORS: u64 = 256;

/// A read that the device is to carry out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceRequest {
    /// To be given back on completion.
    pub slot: u32,
    /// Its number in the run.
    pub id: RequestId,
    /// The file, for devices that are files.
    pub file: FileId,
    /// Where the data lie in the file.
    pub offset: Bytes,
    /// First sector.
    pub sector: Sectors,
    /// Length.
    pub sectors: Sectors,
}

struct Request {
    read: DeviceRequest,
    segments: u32,
    ahead: bool,
    bios: Vec<u32>,
}

struct BioInFlight {
    /// Requests that still bring a part of it.
    parts: u32,
    folios: Vec<FolioId>,
}

/// The block layer of the one disk.
pub(crate) struct BlockLayer {
    max_sectors: u64,
    max_segments: u32,
    plug_test: PlugTest,
    merges_with_any: bool,
    depth: usize,
    requests: Vec<Request>,
    free_requests: Vec<u32>,
    bios: Vec<BioInFlight>,
    free_bios: Vec<u32>,
    plug: Vec<u32>,
    waiting: VecDeque<u32>,
    in_device: usize,
    next_id: u32,
    outbox: Vec<DeviceRequest>,
}

impl BlockLayer {
    pub(crate) fn new(kernel: &KernelSpec) -> Self {
        let callers = kernel.model.callers(kernel.patches);
        BlockLayer {
            plug_test: callers.plug_test,
            merges_with_any: callers.merges_with_any,
            max_sectors: kernel.max_sectors.0,
            max_segments: kernel.max_segments,
            depth: usize::from(kernel.queue_depth),
            requests: Vec::new(),
            free_requests: Vec::new(),
            bios: Vec::new(),
            free_bios: Vec::new(),
            plug: Vec::new(),
            waiting: VecDeque::new(),
            in_device: 0,
            next_id: 0,
            outbox: Vec::new(),
        }
    }

    /// Requests that the device is to start now, in order.
    pub(crate) fn take_issued(&mut self) -> std::vec::Drain<'_, DeviceRequest> {
        self.outbox.drain(..)
    }

    pub(crate) fn has_issued(&self) -> bool {
        !self.outbox.is_empty()
    }

    /// Requests that have not completed.
    pub(crate) fn in_flight(&self) -> usize {
        self.in_device + self.waiting.len()
    }

    /// Reads a batch of folios under a plug of its own. Calls `counted` for each folio with the number of bios that
    /// bring it; a folio in a hole has none.
    pub(crate) fn submit<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        file_id: FileId,
        file: &FileSpec,
        batch: &[BatchFolio],
        ahead: bool,
        mut count_bio: impl FnMut(FolioId),
    ) {
        for bio in bio::build(file, batch) {
            section.emit(EventKind::BioQueued { file: file_id, sector: bio.sector, sectors: bio.sectors, ahead });
            for folio in &bio.folios {
                count_bio(*folio);
            }
            self.submit_bio(section, file_id, bio, ahead);
        }
        self.unplug(section);
    }

    fn submit_bio<O: Observer>(&mut self, section: &mut Section<'_, O>, file: FileId, mut bio: Bio, ahead: bool) {
        let in_flight = BioInFlight { parts: 0, folios: std::mem::take(&mut bio.folios) };
        let bio_slot = match self.free_bios.pop() {
            Some(slot) => {
                self.bios[slot as usize] = in_flight;
                slot
            }
            None => {
                self.bios.push(in_flight);
                (self.bios.len() - 1) as u32
            }
        };
        let end = bio.sector.0 + bio.sectors.0;
        for part in bio::split(&bio, self.max_sectors, self.max_segments) {
            let rest = part.sector.0 + part.sectors.0;
            if rest < end {
                section.emit(EventKind::Split { sector: part.sector, rest: Sectors(rest), ahead });
            }
            self.bios[bio_slot as usize].parts += 1;
            self.add_part(section, file, part, bio_slot, ahead);
        }
    }

    /// Merges a part into a request of the plug (the last one only, since linux-5.16), or makes a request of it.
    fn add_part<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        file: FileId,
        part: bio::Part,
        bio: u32,
        ahead: bool,
    ) {
        let (sector, sectors) = (part.sector, part.sectors);
        let tried = if self.merges_with_any { self.plug.len() } else { 1 };
        for slot in self.plug.iter().rev().take(tried) {
            let request = &mut self.requests[*slot as usize];
            let fits = request.read.sectors.0 + sectors.0 <= self.max_sectors
                && request.segments + part.segments <= self.max_segments;
            if fits && request.read.sector.0 + request.read.sectors.0 == sector.0 {
                request.read.sectors.0 += sectors.0;
                request.segments += part.segments;
                request.bios.push(bio);
                section.emit(EventKind::BackMerged { sector, sectors, ahead });
                return;
            }
            if fits && sector.0 + sectors.0 == request.read.sector.0 {
                request.read.sector = sector;
                request.read.offset = part.offset;
                request.read.sectors.0 += sectors.0;
                request.segments += part.segments;
                request.bios.push(bio);
                section.emit(EventKind::FrontMerged { sector, sectors, ahead });
                return;
            }
        }
        section.emit(EventKind::GetRequest { sector, sectors, ahead });
        let looked_at = match self.plug_test {
            PlugTest::Oldest => self.plug.first(),
            PlugTest::Newest => self.plug.last(),
        };
        let full = self.plug.len() >= PLUG_MAX_REQUESTS
            || looked_at.is_some_and(|first| self.requests[*first as usize].read.sectors.0 >= PLUG_FLUSH_SECTORS);
        if full {
            self.unplug(section);
        }
        if self.plug.is_empty() {
            section.emit(EventKind::Plugged);
        }
        let slot = self.new_request(file, part, bio, ahead);
        self.plug.push(slot);
    }

    fn new_request(&mut self, file: FileId, part: bio::Part, bio: u32, ahead: bool) -> u32 {
        let id = RequestId(self.next_id);
        self.next_id += 1;
        let slot = self.free_requests.pop().unwrap_or(self.requests.len() as u32);
        let read = DeviceRequest { slot, id, file, offset: part.offset, sector: part.sector, sectors: part.sectors };
        if slot as usize == self.requests.len() {
            self.requests.push(Request { read, segments: part.segments, ahead, bios: vec![bio] });
        } else {
            let request = &mut self.requests[slot as usize];
            request.read = read;
            request.segments = part.segments;
            request.ahead = ahead;
            request.bios.clear();
            request.bios.push(bio);
        }
        slot
    }

    /// Flushes the plug: its requests go to the device in order, as far as the device's queue takes them.
    fn unplug<O: Observer>(&mut self, section: &mut Section<'_, O>) {
        if self.plug.is_empty() {
            return;
        }
        section.emit(EventKind::Unplugged { requests: self.plug.len() as u32 });
        let mut plug = std::mem::take(&mut self.plug);
        for slot in plug.drain(..) {
            self.waiting.push_back(slot);
        }
        self.plug = plug;
        self.dispatch(section);
    }

    /// Starts waiting requests while the device's queue has room.
    fn dispatch<O: Observer>(&mut self, section: &mut Section<'_, O>) {
        while self.in_device < self.depth
            && let Some(slot) = self.waiting.pop_front()
        {
            self.in_device += 1;
            let request = &self.requests[slot as usize];
            let DeviceRequest { id, file, offset, sector, sectors, .. } = request.read;
            section.emit(EventKind::Issued {
                request: id,
                file,
                offset,
                sector,
                sectors,
                ahead: request.ahead,
                depth: self.in_device.min(usize::from(u16::MAX)) as u16,
            });
            self.outbox.push(request.read);
        }
    }

    /// The device completed a request. Calls `done` for each folio of each bio that is complete with it.
    pub(crate) fn complete<O: Observer>(
        &mut self,
        section: &mut Section<'_, O>,
        slot: u32,
        mut done: impl FnMut(FolioId),
    ) {
        self.in_device -= 1;
        let request = &mut self.requests[slot as usize];
        let DeviceRequest { id, file, offset, sector, sectors, .. } = request.read;
        section.emit(EventKind::Completed {
            request: id,
            file,
            offset,
            sector,
            sectors,
            ahead: request.ahead,
            depth: self.in_device.min(usize::from(u16::MAX)) as u16,
        });
        for bio_slot in request.bios.drain(..) {
            let bio = &mut self.bios[bio_slot as usize];
            bio.parts -= 1;
            if bio.parts == 0 {
                for folio in bio.folios.drain(..) {
                    done(folio);
                }
                self.free_bios.push(bio_slot);
            }
        }
        self.free_requests.push(slot);
        self.dispatch(section);
    }
}
