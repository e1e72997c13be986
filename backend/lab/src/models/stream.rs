//! One program that reads one file, without time: what a model decides for it, window by window.
//!
//! The decisions are the model's own code; only the read loop around it is here, for reads of whole pages far from the
//! end of the file. Every page is uptodate as soon as it is submitted; in linux-2.4 a page is locked until the reader
//! waits (specification of the historic kernels, sections 2.3, 6.2 and 6.6; of the modern kernels, section 5).
//!
//! Must not know pages of the service, time or devices.

use super::settings::Settings;
use readahead_policy::callers::ReadLoop;
use readahead_policy::{
    Action, CacheView, Cluster24, FolioRef, LayoutStep, Mapping, ModelId, Outcome, Patches, Reader24, Slot, Tunables,
};
use readahead_types::{RaState, Reason, Trim, Via, Window};
use std::collections::{BTreeMap, BTreeSet};

/// Pages of the file that is read: 64 GiB, so that its end plays no part.
const FILE_PAGES: u64 = 1 << 24;
/// Levels of the tree's slots, 6 bits of the page index each.
const SLOT_SHIFT: u32 = 6;
/// The longest any reader here may read, in pages: 1 GiB.
pub(super) const PAGES_MOST: u64 = 1 << 18;

/// The page cache of the file.
#[derive(Debug, Default)]
struct Cache {
    /// First page, order, marker.
    folios: BTreeMap<u64, (u8, bool)>,
    /// linux-2.4: pages that are still being read.
    locked: BTreeSet<u64>,
}

impl CacheView for Cache {
    fn folio(&self, page: u64) -> Option<FolioRef> {
        let (&first, &(order, marked)) = self.folios.range(..=page).next_back()?;
        (page - first < 1 << order).then_some(FolioRef { first, order, marked })
    }

    fn next_cached(&self, from: u64) -> Option<u64> {
        if self.folio(from).is_some() { Some(from) } else { self.folios.range(from..).next().map(|(first, _)| *first) }
    }

    fn slot(&self, level: u32, number: u64) -> Slot {
        let first = number << (SLOT_SHIFT * level);
        match self.folio(first) {
            Some(folio) if u32::from(folio.order) / SLOT_SHIFT == level => Slot::Filled,
            Some(_) if level > 0 => Slot::Node,
            _ if self.folios.range(first..first + (1 << (SLOT_SHIFT * level))).next().is_some() => Slot::Node,
            _ => Slot::Empty,
        }
    }

    fn occupied(&self, first: u64, order: u8) -> bool {
        self.next_cached(first).is_some_and(|page| page < first + (1 << order))
    }
}

/// One decision of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decided {
    /// Which path asked.
    pub(super) via: Via,
    /// The page that triggered it.
    pub(super) index: u64,
    /// Pages that the call still wanted there.
    pub(super) req: u64,
    /// The limit that applied; 0 where none was computed.
    pub(super) max: u64,
    /// The window, when something is read.
    pub(super) window: Option<Window>,
    /// Why.
    pub(super) reason: Reason,
    /// What was done to the window afterwards.
    pub(super) trim: Trim,
}

impl Decided {
    pub(super) fn of(outcome: &Outcome, index: u64, req: u64) -> Self {
        let Outcome { via, max, window, reason, trim, .. } = *outcome;
        Decided { via, index, req, max, window, reason, trim }
    }
}

/// The program and its open file.
#[derive(Debug)]
pub(super) struct Stream {
    model: ModelId,
    read_loop: ReadLoop,
    tunables: Tunables,
    ra: RaState,
    cache: Cache,
    /// What was decided so far, in order.
    pub(super) decided: Vec<Decided>,
}

impl Stream {
    /// A file just opened, nothing of it cached.
    pub(super) fn open(model: ModelId, patches: Patches, settings: &Settings) -> Self {
        let tunables = settings.tunables(model, patches, Some(FILE_PAGES - 1));
        Stream {
            model,
            read_loop: model.callers(patches).read,
            ra: RaState::opened(tunables.device_ra_pages),
            tunables,
            cache: Cache::default(),
            decided: Vec::new(),
        }
    }

    /// One read(2) of whole pages.
    pub(super) fn read(&mut self, page: u64, pages: u64) {
        match self.read_loop {
            ReadLoop::Old24 => self.read_old(page, pages),
            ReadLoop::PageByPage => self.read_pages(page, pages),
            ReadLoop::Batches { folios, prev_pos_at_once, .. } => {
                self.read_batches(page, pages, folios, prev_pos_at_once);
            }
        }
    }

    /// A fault on a page that is not cached.
    pub(super) fn fault(&mut self, page: u64, mapping: &Mapping) {
        let outcome = self.model.fault_sync(self.ra, page, mapping, &self.tunables, &self.cache);
        self.carry_out(&outcome, page, u64::from(self.ra.ra_pages));
    }

    /// The same in linux-2.4, which reads aligned clusters; nothing is decided for a mapping advised random.
    pub(super) fn fault_old(&mut self, page: u64, mapping: &Mapping) {
        if let Some(outcome) = Cluster24::miss(self.ra, page, mapping, &self.tunables) {
            self.carry_out(&outcome, page, 1);
        }
    }

    /// fadvise WILLNEED of a range.
    pub(super) fn will_need(&mut self, page: u64, pages: u64) {
        let outcome = self.model.will_need(self.ra, page, pages, &self.tunables);
        self.carry_out(&outcome, page, pages);
    }

    /// Reads page after page (linux-2.6.33 to 5.10). `prev_pos` ends on the first byte of the last page copied.
    fn read_pages(&mut self, page: u64, pages: u64) {
        let last = page + pages;
        for index in page..last {
            if self.cache.folio(index).is_none() {
                self.sync(index, last - index);
                if self.cache.folio(index).is_none() {
                    self.cache.folios.insert(index, (0, false));
                    continue;
                }
            }
            if let Some(folio) = self.cache.folio(index).filter(|folio| folio.marked) {
                self.asynchronous(folio, index, last - index);
            }
        }
        self.ra.prev_pos = ((last - 1) << 12) as i64;
    }

    /// Reads in batches of folios (linux-6.1 and later). `prev_pos` ends behind the last byte copied.
    fn read_batches(&mut self, page: u64, pages: u64, most: u32, prev_pos_at_once: bool) {
        let last = page + pages;
        let mut index = page;
        while index < last {
            if self.cache.folio(index).is_none() {
                self.sync(index, last - index);
                if self.cache.folio(index).is_none() {
                    let first = index & !((1 << self.tunables.min_order) - 1);
                    self.cache.folios.insert(first, (self.tunables.min_order, false));
                    index = first + (1 << self.tunables.min_order);
                    continue;
                }
            }
            let mut end = index;
            for _ in 0..most {
                let Some(folio) = self.cache.folio(end).filter(|folio| folio.first < last) else { break };
                end = folio.first + (1 << folio.order);
                if folio.marked {
                    self.asynchronous(folio, folio.first, last - folio.first);
                    break;
                }
            }
            index = end.min(last);
            if prev_pos_at_once {
                self.ra.prev_pos = (index << 12) as i64;
            }
        }
        self.ra.prev_pos = (last << 12) as i64;
    }

    /// Reads as linux-2.4 does: a step for each page, after its own read was started. A wait completes every read.
    fn read_old(&mut self, page: u64, pages: u64) {
        let (call, ra) = Reader24::begin(self.ra, page << 12, pages << 12);
        self.ra = ra;
        for index in page..page + pages {
            if self.cache.folio(index).is_none() {
                self.cache.folios.insert(index, (0, false));
                self.cache.locked.insert(index);
            }
            let locked = self.cache.locked.contains(&index);
            let step = call.step(self.ra, index, locked, FILE_PAGES << 12, &self.tunables);
            self.ra = step.after;
            if let Some(outcome) = step.outcome {
                self.carry_out(&outcome, index, page + pages - index);
            }
            if locked {
                self.cache.locked.clear();
            }
        }
        self.ra.old.reada = true;
    }

    fn sync(&mut self, index: u64, req: u64) {
        let outcome = self.model.sync_ra(self.ra, index, req, &self.tunables, &self.cache);
        self.carry_out(&outcome, index, req);
    }

    fn asynchronous(&mut self, folio: FolioRef, index: u64, req: u64) {
        let outcome = self.model.async_ra(self.ra, folio, index, req, &self.tunables, &self.cache);
        if !matches!(outcome.reason, Reason::AsyncReadaheadOff { .. }) {
            self.cache.folios.insert(folio.first, (folio.order, false));
        }
        self.carry_out(&outcome, index, req);
    }

    fn carry_out(&mut self, outcome: &Outcome, index: u64, req: u64) {
        self.ra = outcome.after;
        self.decided.push(Decided::of(outcome, index, req));
        match outcome.action {
            Action::Nothing => {}
            Action::Run(mut layout) => while self.add(&mut layout) {},
            Action::Force(mut force) => {
                while let Some((at, pages)) = force.chunk() {
                    let mut layout = force.layout(at, pages, &self.tunables);
                    while self.add(&mut layout) {}
                    force.advance(layout.index());
                }
            }
        }
    }

    /// The next step of a window on its way into the page cache; false when it is done.
    fn add(&mut self, layout: &mut readahead_policy::Layout) -> bool {
        match layout.next(&self.cache) {
            LayoutStep::Add { first, order, marked } => {
                self.cache.folios.insert(first, (order, marked));
                if self.read_loop == ReadLoop::Old24 {
                    self.cache.locked.insert(first);
                }
                true
            }
            LayoutStep::Done => false,
            LayoutStep::PlainRun { .. } | LayoutStep::Retain { .. } | LayoutStep::BatchEnd => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::settings::Settings;

    fn sizes(model: &str, patches: &[&str], first: Option<u64>, pages: u64, calls: u64) -> Vec<(u64, u64)> {
        let model = ModelId::parse(model).unwrap();
        let patches = Patches::parse(model, patches).unwrap();
        let mut stream = Stream::open(model, patches, &Settings::usual(model, patches));
        let mut at = 0;
        for pages in first.into_iter().chain(std::iter::repeat_n(pages, calls as usize)) {
            stream.read(at, pages);
            at += pages;
        }
        stream.decided.iter().filter_map(|decided| decided.window).map(|window| (window.start, window.size)).collect()
    }

    #[test]
    fn the_worked_example_of_linux_7_2_and_of_both_answers_to_it() {
        // Specification of the modern kernels, 9a.4: one 4 KiB read, then 1 MiB reads; read_ahead_kb 128,
        // max_sectors_kb 512, large folios.
        let plain = [
            (0, 4),
            (4, 16),
            (20, 28),
            (48, 16),
            (64, 32),
            (96, 32),
            (128, 64),
            (192, 64),
            (256, 65),
            (321, 63),
            (384, 126),
            (510, 2),
            (512, 4),
            (516, 8),
            (524, 16),
            (540, 32),
        ];
        assert_eq!(sizes("linux-7.2", &[], Some(1), 256, 3)[..16], plain);
        let kept = [
            (0, 4),
            (4, 16),
            (20, 28),
            (48, 48),
            (96, 96),
            (192, 64),
            (256, 65),
            (321, 63),
            (384, 126),
            (510, 66),
            (576, 64),
            (640, 128),
            (768, 128),
        ];
        assert_eq!(sizes("linux-7.3-rc", &["keep-half-window"], Some(1), 256, 3)[..13], kept);
        let moved = [
            (0, 4),
            (4, 16),
            (20, 28),
            (48, 48),
            (96, 96),
            (192, 64),
            (256, 64),
            (320, 64),
            (384, 128),
            (512, 128),
            (640, 128),
            (768, 128),
            (896, 128),
        ];
        assert_eq!(sizes("linux-7.2", &["align-in-ra-order"], Some(1), 256, 3)[..13], moved);
    }

    #[test]
    fn the_listing_of_a_copied_file_in_the_mail_of_2010() {
        // The trace of `cp test-file /dev/null` in the second posting of the series: ra_pages 60, 8 KiB reads.
        let model = ModelId::Linux2_6_33;
        let patches = Patches::parse(model, &["ra-flags", "retain-inactive", "thrashing-safe", "patterns"]).unwrap();
        let settings = Settings { read_ahead_kb: 240, ..Settings::usual(model, patches) };
        let mut stream = Stream::open(model, patches, &settings);
        for call in 0..42 {
            stream.read(2 * call, 2);
        }
        let windows: Vec<_> = stream
            .decided
            .iter()
            .filter_map(|decided| {
                decided.window.map(|window| (decided.index, window.start, window.size, window.async_size))
            })
            .collect();
        let listed =
            [(0, 0, 4, 2), (2, 4, 8, 8), (4, 12, 16, 16), (12, 28, 32, 32), (28, 60, 60, 60), (60, 120, 60, 60)];
        assert_eq!(windows, listed);
    }
}
