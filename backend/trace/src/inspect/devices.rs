//! The devices whose requests appear in a trace: reads by size, requests by letters.

use crate::tracepoints::Tracepoint;
use crate::tracepoints::rwbs::Rwbs;
use crate::tracepoints::shape::Dev;
use std::collections::BTreeMap;

/// Most devices that are told apart.
const DEVICES_MAX: usize = 4096;
/// Most sizes of reads that are told apart, a device.
const SIZES_MAX: usize = 65_536;

/// What the events say of one device.
#[derive(Clone, Debug, serde::Serialize)]
pub struct DeviceReport {
    /// `259:0`.
    pub dev: String,
    /// The event from which reads and sizes are counted: the first of block_rq_issue, block_rq_complete and
    /// block_bio_queue that the trace has for this device.
    pub counted_from: &'static str,
    /// Reads.
    pub reads: u64,
    /// Their bytes.
    pub read_bytes: u64,
    /// Bytes → reads of that size.
    pub read_size_histogram: BTreeMap<u64, u64>,
    /// By letters (`RA` is readahead, `RM` metadata).
    pub by_rwbs: BTreeMap<String, Letters>,
    /// Requests issued.
    pub issued: u64,
    /// Requests completed.
    pub completed: u64,
    /// Of these, with an error.
    pub errors: u64,
    /// Bios queued.
    pub bios: u64,
    /// Bios split.
    pub splits: u64,
    /// Bios merged into a request that was there.
    pub merges: u64,
}

/// Requests with the same letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Letters {
    /// How many.
    pub requests: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Requests of one kind of event.
#[derive(Default)]
struct Traffic {
    count: u64,
    reads: u64,
    read_bytes: u64,
    sizes: BTreeMap<u64, u64>,
    letters: BTreeMap<Rwbs, Letters>,
}

impl Traffic {
    fn take(&mut self, rwbs: Rwbs, bytes: u64) {
        self.count += 1;
        let letters = self.letters.entry(rwbs).or_default();
        letters.requests += 1;
        letters.bytes = letters.bytes.saturating_add(bytes);
        if rwbs.is_read() {
            self.reads += 1;
            self.read_bytes = self.read_bytes.saturating_add(bytes);
            if self.sizes.len() < SIZES_MAX || self.sizes.contains_key(&bytes) {
                *self.sizes.entry(bytes).or_default() += 1;
            }
        }
    }
}

/// One device.
#[derive(Default)]
struct Device {
    issued: Traffic,
    completed: Traffic,
    queued: Traffic,
    errors: u64,
    splits: u64,
    merges: u64,
}

/// The devices that appear.
#[derive(Default)]
pub(super) struct Devices {
    devices: Vec<(Dev, Device)>,
    last: usize,
}

impl Devices {
    /// Takes an event.
    #[inline]
    pub(super) fn event(&mut self, event: &Tracepoint<'_>) {
        match event {
            Tracepoint::BlockRqIssue(request) => {
                if let Some(device) = self.of(request.dev) {
                    device.issued.take(request.rwbs, request.bytes.0);
                }
            }
            Tracepoint::BlockRqComplete(done) => {
                if let Some(device) = self.of(done.dev) {
                    device.completed.take(done.rwbs, done.nr_sector.bytes().0);
                    device.errors += u64::from(done.error != 0);
                }
            }
            Tracepoint::BlockBioQueue(bio) => {
                if let Some(device) = self.of(bio.dev) {
                    device.queued.take(bio.rwbs, bio.nr_sector.bytes().0);
                }
            }
            Tracepoint::BlockSplit(split) => {
                if let Some(device) = self.of(split.dev) {
                    device.splits += 1;
                }
            }
            Tracepoint::BlockBioBackmerge(bio) | Tracepoint::BlockBioFrontmerge(bio) => {
                if let Some(device) = self.of(bio.dev) {
                    device.merges += 1;
                }
            }
            _ => {}
        }
    }

    fn of(&mut self, dev: Dev) -> Option<&mut Device> {
        let place = match self.devices.get(self.last) {
            Some((last, _)) if *last == dev => self.last,
            _ => match self.devices.iter().position(|(known, _)| *known == dev) {
                Some(place) => place,
                None if self.devices.len() < DEVICES_MAX => {
                    self.devices.push((dev, Device::default()));
                    self.devices.len() - 1
                }
                None => return None,
            },
        };
        self.last = place;
        Some(&mut self.devices[place].1)
    }

    /// The devices in the order of their numbers.
    pub(super) fn finish(mut self) -> Vec<DeviceReport> {
        self.devices.sort_by_key(|(dev, _)| *dev);
        self.devices.into_iter().map(|(dev, device)| device.report(dev)).collect()
    }
}

impl Device {
    fn report(self, dev: Dev) -> DeviceReport {
        let (issued, completed, bios) = (self.issued.count, self.completed.count, self.queued.count);
        let (counted_from, traffic) = if issued > 0 {
            ("block_rq_issue", self.issued)
        } else if completed > 0 {
            ("block_rq_complete", self.completed)
        } else {
            ("block_bio_queue", self.queued)
        };
        DeviceReport {
            dev: dev.to_string(),
            counted_from,
            reads: traffic.reads,
            read_bytes: traffic.read_bytes,
            read_size_histogram: traffic.sizes,
            by_rwbs: traffic.letters.into_iter().map(|(rwbs, letters)| (rwbs.as_str().to_owned(), letters)).collect(),
            issued,
            completed,
            errors: self.errors,
            bios,
            splits: self.splits,
            merges: self.merges,
        }
    }
}
