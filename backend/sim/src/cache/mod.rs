//! The page cache: folios of any order, their state, and an inactive and an active list under a memory limit.
//!
//! Owns which pages are cached and in what state. Must not know why they were read.

mod shadows;
mod tree;

use readahead_policy::callers::Reclaim;
use readahead_policy::{CacheView, FolioRef, NodeMemory, Slot};
use readahead_types::{FileId, PageIndex, Pages};
use shadows::{Shadow, Shadows};
use tree::{Nodes, Tree};

/// A folio's number in the cache's arena.
pub(crate) type FolioId = u32;

/// No folio: the end of a list.
const NONE: u32 = u32::MAX;

/// Places of the lists.
const INACTIVE: usize = 0;
const ACTIVE: usize = 1;

/// Free pages when memory is plenty: 2^40 pages, more than any limit looks at.
const PLENTY_PAGES: u64 = 1 << 40;

/// A list of folios by age.
#[derive(Clone, Copy)]
struct List {
    newest: FolioId,
    oldest: FolioId,
    pages: u64,
}

impl Default for List {
    fn default() -> Self {
        List { newest: NONE, oldest: NONE, pages: 0 }
    }
}

/// A folio in the page cache.
pub(crate) struct Folio {
    pub(crate) first: u64,
    pub(crate) pfn: u64,
    pub(crate) file: FileId,
    pub(crate) order: u8,
    /// It carries the lookahead marker.
    pub(crate) marked: bool,
    /// Its data are there.
    pub(crate) uptodate: bool,
    /// It was touched since it came (or since it was activated).
    referenced: bool,
    /// It is on the active list.
    active: bool,
    /// It was active before, or came back as part of the working set.
    pub(crate) workingset: bool,
    /// It was touched through a mapping since reclaim looked at it last.
    young: bool,
    /// Bios that still bring its data; while there are any it is locked.
    pub(crate) pending: u16,
    /// Tasks that hold a reference, so that it cannot be reclaimed.
    pub(crate) pins: u16,
    /// Pages of it that are mapped, over all mappings.
    pub(crate) mapped: u32,
    /// First task that sleeps on it, plus one; the others are chained through the tasks.
    pub(crate) waiter: u32,
    /// Pages that the program has read: a bit map (up to order 6), or the place of one in `wide`.
    used: u64,
    newer: u32,
    older: u32,
}

impl Folio {
    pub(crate) fn pages(&self) -> u64 {
        1 << self.order
    }

    /// The page after its last one.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.pages()
    }

    /// It may be reclaimed.
    fn evictable(&self) -> bool {
        self.pending == 0 && self.pins == 0 && self.uptodate
    }

    pub(crate) fn as_ref(&self) -> FolioRef {
        FolioRef { first: self.first, order: self.order, marked: self.marked }
    }
}

/// The page cache of all files.
pub(crate) struct PageCache {
    folios: Vec<Folio>,
    free: Vec<FolioId>,
    trees: Vec<Tree>,
    nodes: Nodes,
    /// Bit maps of used pages of folios above order 6.
    wide: Vec<[u64; 8]>,
    wide_free: Vec<u64>,
    /// The inactive and the active list.
    lists: [List; 2],
    rules: Reclaim,
    /// Pages evicted and activated so far (nonresident_age).
    age: u64,
    shadows: Shadows,
    /// A folio came back into the active list since reclaim ran last.
    refault_activated: bool,
    resident: u64,
    limit: Option<u64>,
}

/// The page cache of one file, as decision code sees it.
pub(crate) struct FileView<'a> {
    cache: &'a PageCache,
    file: FileId,
}

impl CacheView for FileView<'_> {
    fn folio(&self, page: u64) -> Option<FolioRef> {
        self.cache.find(self.file, page).map(|id| self.cache.folio(id).as_ref())
    }

    fn next_cached(&self, from: u64) -> Option<u64> {
        self.cache.find_from(self.file, from).map(|id| self.cache.folio(id).first.max(from))
    }

    fn slot(&self, level: u32, number: u64) -> Slot {
        self.cache.trees[self.file.0 as usize].slot(&self.cache.nodes, level, number)
    }

    fn occupied(&self, first: u64, order: u8) -> bool {
        self.cache.trees[self.file.0 as usize].occupied(&self.cache.nodes, first, order)
    }
}

impl PageCache {
    /// A cache for this many files that holds at most `limit` pages.
    pub(crate) fn new(files: usize, limit: Option<Pages>, rules: Reclaim) -> Self {
        PageCache {
            folios: Vec::new(),
            free: Vec::new(),
            trees: (0..files).map(|_| Tree::default()).collect(),
            nodes: Nodes::default(),
            wide: Vec::new(),
            wide_free: Vec::new(),
            lists: [List::default(); 2],
            rules,
            age: 0,
            shadows: Shadows::default(),
            refault_activated: false,
            resident: 0,
            limit: limit.map(|pages| pages.0),
        }
    }

    pub(crate) fn view(&self, file: FileId) -> FileView<'_> {
        FileView { cache: self, file }
    }

    pub(crate) fn folio(&self, id: FolioId) -> &Folio {
        &self.folios[id as usize]
    }

    pub(crate) fn folio_mut(&mut self, id: FolioId) -> &mut Folio {
        &mut self.folios[id as usize]
    }

    /// The folio that holds a page.
    pub(crate) fn find(&self, file: FileId, page: u64) -> Option<FolioId> {
        self.trees[file.0 as usize].find(&self.nodes, page)
    }

    /// The first folio that holds a page at or after `page`.
    pub(crate) fn find_from(&self, file: FileId, page: u64) -> Option<FolioId> {
        self.trees[file.0 as usize].find_from(&self.nodes, page)
    }

    /// Whether `pages` more fit as it is.
    pub(crate) fn has_room(&self, pages: u64) -> bool {
        self.limit.is_none_or(|limit| self.resident + pages <= limit)
    }

    /// Whether `pages` more can be made to fit.
    pub(crate) fn can_make_room(&self, pages: u64) -> bool {
        self.has_room(pages) || self.limit.is_some_and(|limit| pages <= limit) && self.oldest_evictable().is_some()
    }

    /// The folio to reclaim next, from the inactive list, or where nothing of it can go from the active one. Mapped folios
    /// that were touched since reclaim looked last go round once more; at the second time, and where they are executable
    /// or touched through several entries, they become active.
    pub(crate) fn victim(&mut self) -> Option<FolioId> {
        let mut left = self.lists[INACTIVE].pages;
        let mut id = self.lists[INACTIVE].oldest;
        while id != NONE && left > 0 {
            let (newer, pages) = (self.folio(id).newer, self.folio(id).pages());
            left = left.saturating_sub(pages);
            let folio = &mut self.folios[id as usize];
            if folio.evictable() {
                if !folio.young {
                    return Some(id);
                }
                folio.young = false;
                if std::mem::replace(&mut folio.referenced, true) {
                    self.activate(id);
                } else {
                    self.rotate_inactive(id);
                }
            }
            id = newer;
        }
        self.oldest_evictable()
    }

    fn oldest_evictable(&self) -> Option<FolioId> {
        for list in &self.lists {
            let mut id = list.oldest;
            while id != NONE {
                if self.folio(id).evictable() {
                    return Some(id);
                }
                id = self.folio(id).newer;
            }
        }
        None
    }

    /// Before reclaim: as long as the active list is too long for the inactive one, its oldest folios go to the head of the
    /// inactive list. One goes whenever a folio came back and became active since reclaim ran last.
    pub(crate) fn balance(&mut self) {
        let ratio = match self.rules {
            Reclaim::TwoLists => 1,
            Reclaim::Workingset => inactive_ratio(self.lists[INACTIVE].pages + self.lists[ACTIVE].pages),
        };
        let mut also_one = std::mem::take(&mut self.refault_activated);
        while self.lists[INACTIVE].pages.saturating_mul(ratio) < self.lists[ACTIVE].pages
            || (std::mem::take(&mut also_one) && self.lists[ACTIVE].pages > 0)
        {
            let id = self.lists[ACTIVE].oldest;
            self.unlink(id);
            let folio = self.folio_mut(id);
            folio.active = false;
            folio.workingset = true;
            folio.young = false;
            self.link_newest(id);
        }
    }

    /// Moves a folio of the inactive list to the head of the active one.
    fn activate(&mut self, id: FolioId) {
        self.unlink(id);
        let folio = self.folio_mut(id);
        folio.active = true;
        folio.referenced = false;
        let pages = folio.pages();
        self.link_newest(id);
        self.age += pages;
    }

    /// The counts that the limits of old generations read.
    pub(crate) fn node_memory(&self) -> NodeMemory {
        let inactive_file = self.lists[INACTIVE].pages;
        let free = self.limit.map_or(PLENTY_PAGES, |limit| limit.saturating_sub(self.resident));
        NodeMemory { inactive_file, free, global_inactive_file: inactive_file, global_free: free }
    }

    /// Moves a folio of the inactive list to its head; false when the folio is active.
    pub(crate) fn rotate_inactive(&mut self, id: FolioId) -> bool {
        if self.folio(id).active {
            return false;
        }
        self.unlink(id);
        self.link_newest(id);
        true
    }

    /// Adds a locked folio, not yet uptodate, as the newest. Its place must be empty.
    pub(crate) fn add(&mut self, file: FileId, first: PageIndex, order: u8, marked: bool, pfn: u64) -> FolioId {
        let used = if order > 6 {
            self.wide_free.pop().unwrap_or_else(|| {
                self.wide.push([0; 8]);
                (self.wide.len() - 1) as u64
            })
        } else {
            0
        };
        if order > 6 {
            self.wide[used as usize] = [0; 8];
        }
        let folio = Folio {
            first: first.0,
            pfn,
            file,
            order,
            marked,
            uptodate: false,
            referenced: false,
            active: false,
            workingset: false,
            young: false,
            pending: 0,
            pins: 0,
            mapped: 0,
            waiter: 0,
            used,
            newer: NONE,
            older: NONE,
        };
        let id = self.place(folio);
        self.resident += 1 << order;
        self.trees[file.0 as usize].insert(&mut self.nodes, first.0, order, id);
        self.enter(id);
        id
    }

    /// A new folio enters the inactive list, or the active one when it was evicted not longer ago than the active list is
    /// long.
    fn enter(&mut self, id: FolioId) {
        let folio = self.folio(id);
        let (file, first, order) = (folio.file, folio.first, folio.order);
        if let Some(shadow) = self.shadows.take(file, first, order)
            && self.age - shadow.age <= self.lists[ACTIVE].pages
        {
            let folio = self.folio_mut(id);
            folio.active = true;
            folio.workingset = shadow.workingset;
            self.age += 1 << order;
            self.refault_activated = true;
        }
        self.link_newest(id);
    }

    fn place(&mut self, folio: Folio) -> FolioId {
        match self.free.pop() {
            Some(id) => {
                self.folios[id as usize] = folio;
                id
            }
            None => {
                self.folios.push(folio);
                (self.folios.len() - 1) as FolioId
            }
        }
    }

    /// A folio outside the page cache, for a read that passes it by to wait on.
    pub(crate) fn add_detached(&mut self, file: FileId, first: u64, pfn: u64) -> FolioId {
        self.place(Folio {
            first,
            pfn,
            file,
            order: 0,
            marked: false,
            uptodate: false,
            referenced: false,
            active: false,
            workingset: false,
            young: false,
            pending: 0,
            pins: 0,
            mapped: 0,
            waiter: 0,
            used: 0,
            newer: NONE,
            older: NONE,
        })
    }

    /// Gives such a folio back.
    pub(crate) fn release_detached(&mut self, id: FolioId) {
        self.free.push(id);
    }

    /// Takes a folio out and returns how many of its pages the program had read.
    pub(crate) fn remove(&mut self, id: FolioId) -> Pages {
        let used = self.used_pages(id);
        self.unlink(id);
        let (file, first, order, place) = {
            let folio = self.folio(id);
            (folio.file, folio.first, folio.order, folio.used)
        };
        if order > 6 {
            self.wide_free.push(place);
        }
        self.trees[file.0 as usize].remove(&mut self.nodes, first, order);
        self.resident -= 1 << order;
        self.free.push(id);
        used
    }

    /// A read touched the folio: the second touch of an inactive folio activates it.
    pub(crate) fn mark_accessed(&mut self, id: FolioId) {
        let folio = self.folio_mut(id);
        if !folio.referenced {
            folio.referenced = true;
        } else if !folio.active {
            self.activate(id);
        }
    }

    /// The program touched the folio through a mapping.
    pub(crate) fn mark_young(&mut self, id: FolioId) {
        self.folio_mut(id).young = true;
    }

    /// The folio is evicted by reclaim: it leaves a shadow.
    pub(crate) fn evict(&mut self, id: FolioId) -> Pages {
        if self.rules == Reclaim::Workingset {
            let folio = &self.folios[id as usize];
            let (file, first, order) = (folio.file, folio.first, folio.order);
            let shadow = Shadow { age: self.age, workingset: folio.workingset };
            self.shadows.leave(file, first, order, shadow);
            self.age += 1 << order;
        }
        self.remove(id)
    }

    /// Notes that the program read `pages` pages from `page` on, all in this folio; returns how many of them it read
    /// for the first time.
    pub(crate) fn note_used(&mut self, id: FolioId, page: u64, pages: u64) -> u64 {
        let folio = &mut self.folios[id as usize];
        let from = page - folio.first;
        if folio.order <= 6 {
            let mask = bits(from, pages);
            let fresh = (mask & !folio.used).count_ones();
            folio.used |= mask;
            return u64::from(fresh);
        }
        let words = &mut self.wide[folio.used as usize];
        let mut fresh = 0;
        for (at, word) in words.iter_mut().enumerate() {
            let base = at as u64 * 64;
            let low = from.max(base);
            let high = (from + pages).min(base + 64);
            if low < high {
                let mask = bits(low - base, high - low);
                fresh += u64::from((mask & !*word).count_ones());
                *word |= mask;
            }
        }
        fresh
    }

    /// Every folio: the inactive list, then the active one, the oldest first.
    pub(crate) fn oldest_first(&self) -> impl Iterator<Item = FolioId> + '_ {
        let some = |id: FolioId| (id != NONE).then_some(id);
        self.lists
            .iter()
            .flat_map(move |list| std::iter::successors(some(list.oldest), move |id| some(self.folio(*id).newer)))
    }

    fn used_pages(&self, id: FolioId) -> Pages {
        let folio = self.folio(id);
        let count = if folio.order <= 6 {
            folio.used.count_ones()
        } else {
            self.wide[folio.used as usize].iter().map(|word| word.count_ones()).sum()
        };
        Pages(u64::from(count))
    }

    fn link_newest(&mut self, id: FolioId) {
        let place = usize::from(self.folio(id).active);
        let newest = self.lists[place].newest;
        let folio = self.folio_mut(id);
        folio.older = newest;
        folio.newer = NONE;
        let pages = folio.pages();
        if newest == NONE {
            self.lists[place].oldest = id;
        } else {
            self.folio_mut(newest).newer = id;
        }
        self.lists[place].newest = id;
        self.lists[place].pages += pages;
    }

    fn unlink(&mut self, id: FolioId) {
        let folio = self.folio(id);
        let (newer, older, place, pages) = (folio.newer, folio.older, usize::from(folio.active), folio.pages());
        match newer {
            NONE => self.lists[place].newest = older,
            newer => self.folio_mut(newer).older = older,
        }
        match older {
            NONE => self.lists[place].oldest = newer,
            older => self.folio_mut(older).newer = newer,
        }
        self.lists[place].pages -= pages;
    }
}

/// Pages of 1 GiB.
const GIB_PAGES: u64 = 1 << 18;

/// How many times longer than the inactive list the active one may be: 1 below 1 GiB, then the root of ten times the GiB.
fn inactive_ratio(pages: u64) -> u64 {
    match pages / GIB_PAGES {
        0 => 1,
        gib => (10 * gib).isqrt(),
    }
}

fn bits(from: u64, count: u64) -> u64 {
    if count >= 64 { u64::MAX } else { ((1 << count) - 1) << from }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(rules: Reclaim) -> (PageCache, Vec<FolioId>) {
        let mut cache = PageCache::new(1, Some(Pages(3)), rules);
        let ids: Vec<FolioId> = (0..3).map(|page| cache.add(FileId(0), PageIndex(page), 0, false, page)).collect();
        (cache, ids)
    }

    #[test]
    fn the_oldest_folio_that_is_not_in_flight_goes_first() {
        let (mut cache, ids) = full(Reclaim::TwoLists);
        assert!(!cache.has_room(1) && !cache.can_make_room(1));
        assert_eq!(cache.victim(), None);
        for id in &ids[1..] {
            cache.folio_mut(*id).uptodate = true;
        }
        assert_eq!(cache.victim(), Some(ids[1]));
        // One touch does not save a page that is only read, two activate it.
        cache.mark_accessed(ids[1]);
        assert_eq!(cache.victim(), Some(ids[1]));
        cache.mark_accessed(ids[1]);
        assert_eq!(cache.victim(), Some(ids[2]));
        cache.evict(ids[2]);
        assert!(cache.has_room(1) && !cache.can_make_room(4));
    }

    #[test]
    fn a_mapped_folio_goes_round_once_and_is_active_the_second_time() {
        let (mut cache, ids) = full(Reclaim::Workingset);
        for id in &ids {
            cache.folio_mut(*id).uptodate = true;
        }
        cache.mark_young(ids[0]);
        assert_eq!(cache.victim(), Some(ids[1]));
        cache.mark_young(ids[0]);
        cache.evict(ids[1]);
        assert_eq!(cache.victim(), Some(ids[2]));
        cache.evict(ids[2]);
        // Only the folio that was touched twice is left, and it is active now.
        assert_eq!(cache.victim(), Some(ids[0]));
        assert!(cache.folio(ids[0]).active);
    }

    #[test]
    fn a_page_that_comes_back_soon_is_active_at_once() {
        let (mut cache, ids) = full(Reclaim::Workingset);
        for id in &ids {
            cache.folio_mut(*id).uptodate = true;
        }
        // Pages 0 and 1 become active; page 2 is evicted: its distance on coming back is 1 page, the active list holds 2.
        for id in &ids[..2] {
            cache.mark_accessed(*id);
            cache.mark_accessed(*id);
        }
        cache.evict(ids[2]);
        let back = cache.add(FileId(0), PageIndex(2), 0, false, 9);
        assert!(cache.folio(back).active);
        // A page that was never there is not.
        cache.evict(ids[0]);
        let new = cache.add(FileId(0), PageIndex(7), 0, false, 10);
        assert!(!cache.folio(new).active);
    }

    #[test]
    fn the_inactive_list_is_small_in_large_memories() {
        // 1 GiB → 3, 10 GiB → 10, 100 GiB → 31.
        let ratios = [0, 1, 10, 100].map(|gib| inactive_ratio(gib * GIB_PAGES));
        assert_eq!(ratios, [1, 3, 10, 31]);
    }

    #[test]
    fn pages_used_twice_count_once() {
        let mut cache = PageCache::new(1, None, Reclaim::TwoLists);
        let id = cache.add(FileId(0), PageIndex(512), 9, false, 0);
        assert_eq!(cache.note_used(id, 570, 100), 100);
        assert_eq!(cache.note_used(id, 512, 512), 412);
        assert_eq!(cache.remove(id), Pages(512));
    }
}
