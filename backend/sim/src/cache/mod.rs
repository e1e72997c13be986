//! The page cache: folios of any order, their state, and an inactive and an active list under a memory limit.
//!
//! Owns which pages are cached and in what state. Must not know why they were read.

mod tree;

use readahead_policy::{CacheView, FolioRef, NodeMemory, Slot};
use readahead_types::{FileId, PageIndex, Pages};
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
    pub(crate) fn new(files: usize, limit: Option<Pages>) -> Self {
        PageCache {
            folios: Vec::new(),
            free: Vec::new(),
            trees: (0..files).map(|_| Tree::default()).collect(),
            nodes: Nodes::default(),
            wide: Vec::new(),
            wide_free: Vec::new(),
            lists: [List::default(); 2],
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

    /// The folio to reclaim so that `pages` more fit: `Ok(None)` when they fit already, an error when nothing can be
    /// reclaimed.
    pub(crate) fn victim(&self, pages: u64) -> Result<Option<FolioId>, NoMemory> {
        let Some(limit) = self.limit else { return Ok(None) };
        if self.resident + pages <= limit {
            return Ok(None);
        }
        if pages > limit {
            return Err(NoMemory);
        }
        for list in &self.lists {
            let mut id = list.oldest;
            while id != NONE {
                if self.folio(id).evictable() {
                    return Ok(Some(id));
                }
                id = self.folio(id).newer;
            }
        }
        Err(NoMemory)
    }

    /// Before reclaim: as long as the active list is the longer one, its oldest folios go to the head of the inactive
    /// list.
    pub(crate) fn balance(&mut self) {
        while self.lists[INACTIVE].pages < self.lists[ACTIVE].pages {
            let id = self.lists[ACTIVE].oldest;
            self.unlink(id);
            self.folio_mut(id).active = false;
            self.link_newest(id);
        }
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
        self.link_newest(id);
        id
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
            folio.referenced = false;
            self.unlink(id);
            self.folio_mut(id).active = true;
            self.link_newest(id);
        }
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

/// Nothing can be reclaimed now: everything is in flight or held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoMemory;

fn bits(from: u64, count: u64) -> u64 {
    if count >= 64 { u64::MAX } else { ((1 << count) - 1) << from }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_folio_that_is_not_in_flight_goes_first() {
        let mut cache = PageCache::new(1, Some(Pages(3)));
        let ids: Vec<FolioId> = (0..3).map(|page| cache.add(FileId(0), PageIndex(page), 0, false, page)).collect();
        assert_eq!(cache.victim(1), Err(NoMemory));
        for id in &ids[1..] {
            cache.folio_mut(*id).uptodate = true;
        }
        assert_eq!(cache.victim(1), Ok(Some(ids[1])));
        // One touch does not save a page that is only read, two activate it.
        cache.mark_accessed(ids[1]);
        assert_eq!(cache.victim(1), Ok(Some(ids[1])));
        cache.mark_accessed(ids[1]);
        assert_eq!(cache.victim(1), Ok(Some(ids[2])));
        cache.remove(ids[2]);
        assert_eq!(cache.victim(1), Ok(None));
    }

    #[test]
    fn pages_used_twice_count_once() {
        let mut cache = PageCache::new(1, None);
        let id = cache.add(FileId(0), PageIndex(512), 9, false, 0);
        assert_eq!(cache.note_used(id, 570, 100), 100);
        assert_eq!(cache.note_used(id, 512, 512), 412);
        assert_eq!(cache.remove(id), Pages(512));
    }
}
