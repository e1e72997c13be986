//! What became of pages: read, used, dropped before use, read again; hits and misses; folio orders.
//!
//! * A page is *read* when a folio that holds it enters the page cache, and *used* when the program reads it for the
//!   first time since. What lies behind the end of the file is neither.
//! * A *miss* is a look-up by a read or a fault that found nothing, which is when the readahead code is asked for a page
//!   that is not cached. Every other page that the program used was a *hit*, even if it was still in flight.
//! * A *refault* is a page that enters again after reclaim had dropped it.

use super::{Metric, PageSet, Summary};
use readahead_sim::WorldSpec;
use readahead_types::{Decision, Event, EventKind, FileId, Nanos, Order, PageIndex, Reason, TaskId};
use std::collections::BTreeMap;

/// Follows every page of every file.
pub(crate) struct Cache {
    /// Pages of each file that reclaim dropped and that were not read again since.
    dropped: Vec<PageSet>,
    /// The look-up of a task that found nothing and whose page has not been used yet.
    missing: BTreeMap<TaskId, (FileId, u64)>,
    misses: u64,
    used: u64,
    used_first: u64,
    read: u64,
    evicted: u64,
    evicted_unused: u64,
    refaults: u64,
    orders: [u64; 64],
    /// Pages of each file.
    file_pages: Vec<u64>,
}

impl Cache {
    pub(crate) fn new(world: &WorldSpec) -> Self {
        Cache {
            dropped: world.files.iter().map(|_| PageSet::default()).collect(),
            missing: BTreeMap::new(),
            misses: 0,
            used: 0,
            used_first: 0,
            read: 0,
            evicted: 0,
            evicted_unused: 0,
            refaults: 0,
            orders: [0; 64],
            file_pages: world.files.iter().map(|file| file.bytes.pages_up().0).collect(),
        }
    }

    /// Pages of a folio that lie in its file.
    fn in_file(&self, file: FileId, first: PageIndex, order: Order) -> u64 {
        order.pages().min(self.file_pages[file.0 as usize].saturating_sub(first.0))
    }
}

impl Metric for Cache {
    fn decided(&mut self, _at: Nanos, task: TaskId, decision: &Decision) {
        // A page that is asked for twice without having been used in between was missed once.
        if is_miss(&decision.reason)
            && self.missing.insert(task, (decision.file, decision.index)) != Some((decision.file, decision.index))
        {
            self.misses += 1;
        }
    }

    fn event(&mut self, event: &Event) {
        match event.kind {
            EventKind::FolioAdded { file, first, order, .. } => {
                self.orders[usize::from(order.0.min(63))] += 1;
                self.read += self.in_file(file, first, order);
                self.refaults += self.dropped[file.0 as usize].remove(first.0, order.pages());
            }
            EventKind::FolioRemoved { file, first, order, used, reclaimed: true, .. } => {
                let pages = self.in_file(file, first, order);
                self.evicted += pages;
                self.evicted_unused += pages.saturating_sub(used.0);
                self.dropped[file.0 as usize].insert(first.0, order.pages());
            }
            EventKind::Used { pages, fresh, .. } => {
                self.used += pages.0;
                self.used_first += fresh.0;
                if !self.missing.is_empty() {
                    self.missing.remove(&event.task);
                }
            }
            _ => {}
        }
    }

    fn report(&self, summary: &mut Summary) {
        summary.pages_read = self.read;
        summary.pages_used = self.used_first;
        summary.pages_unused = self.read - self.used_first;
        summary.pages_evicted = self.evicted;
        summary.pages_evicted_unused = self.evicted_unused;
        summary.refaults = self.refaults;
        summary.cache_misses = self.misses;
        summary.cache_hits = self.used.saturating_sub(self.misses);
        for (order, folios) in (0u8..).zip(self.orders).filter(|(_, folios)| *folios > 0) {
            summary.folio_orders.insert(order, folios);
            summary.folio_order_pages.insert(order, folios << order);
        }
    }
}

/// Whether the decision began with a page that a read or a fault did not find.
fn is_miss(reason: &Reason) -> bool {
    match reason {
        Reason::SyncReadaheadOff { .. }
        | Reason::SyncRandomFile { .. }
        | Reason::SyncStartOfFile { .. }
        | Reason::SyncOversize { .. }
        | Reason::SyncSequential { .. }
        | Reason::SyncSmallRandom { .. }
        | Reason::SyncHistory { .. }
        | Reason::SyncHistoryFromStart { .. }
        | Reason::FaultRandom { .. }
        | Reason::FaultReadaheadOff { .. }
        | Reason::FaultTooManyMisses { .. }
        | Reason::FaultHuge { .. }
        | Reason::FaultExec { .. }
        | Reason::FaultAround { .. }
        | Reason::FaultAroundFloor { .. }
        | Reason::PagePastEnd { .. }
        | Reason::SinglePage { .. }
        | Reason::SyncNoReadahead { .. }
        | Reason::SyncExpected { .. }
        | Reason::SyncWindowEnd { .. }
        | Reason::SyncNoHistory { .. }
        | Reason::SyncStartAfterSeek { .. }
        | Reason::ContextMiss { .. }
        | Reason::ContextRandom { .. }
        | Reason::ContextThrashed { .. }
        | Reason::FaultNoMemory { .. }
        | Reason::OldCluster { .. } => true,
        Reason::AsyncReadaheadOff { .. }
        | Reason::AsyncExpected { .. }
        | Reason::AsyncUnexpected { .. }
        | Reason::AsyncNoGap { .. }
        | Reason::FaultMarkerRandom { .. }
        | Reason::FaultMarkerReadaheadOff { .. }
        | Reason::Forced { .. }
        | Reason::ForcedCut { .. }
        | Reason::AsyncStartOfFile { .. }
        | Reason::AsyncWindowEnd { .. }
        | Reason::AsyncPastCached { .. }
        | Reason::ContextMarker { .. }
        | Reason::ContextEnough { .. }
        | Reason::OldSync { .. }
        | Reason::OldAsync { .. }
        | Reason::OldClusterAhead { .. } => false,
    }
}
