//! Searching the page cache for a gap, as the kernel's tree cursor does it since folios exist.
//!
//! The cursor is not exact once it has started inside a large folio: it looks at the folio's first slot but counts from
//! the page asked for, so a gap can be reported too far to the right. Decisions depend on it, so it is modelled.

use crate::view::{CacheView, Slot};

const NODE_SHIFT: u32 = 6;
const NODE_MASK: u64 = 63;
/// Levels of a tree that covers 2^64 pages.
const LEVELS: u32 = 11;

/// What a search returns when every page probed was cached. The generations differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoGap {
    /// The last page probed (which is cached).
    LastProbed,
    /// The page after the last one probed, in the direction of the search.
    Beyond,
}

/// The cursor: `index` is what it reports, (`level`, `slot`) is where it looks. The two can disagree.
struct Cursor<'a, V: CacheView> {
    view: &'a V,
    index: u64,
    level: u32,
    slot: u64,
}

impl<'a, V: CacheView> Cursor<'a, V> {
    /// The first probe; `None` when no folio holds the page.
    fn start(view: &'a V, index: u64) -> Option<Self> {
        let folio = view.folio(index)?;
        let level = u32::from(folio.order) / NODE_SHIFT;
        Some(Cursor { view, index, level, slot: folio.first >> (NODE_SHIFT * level) })
    }

    /// Whether the reported index points at another slot of the cursor's node than the one it looks at.
    fn astray(&self) -> bool {
        self.slot & NODE_MASK != (self.index >> (NODE_SHIFT * self.level)) & NODE_MASK
    }

    /// Follows nodes down and says whether the slot arrived at is filled. The place inside a lower node comes from
    /// the reported index.
    fn descend(&mut self) -> bool {
        loop {
            match self.view.slot(self.level, self.slot) {
                Slot::Filled => return true,
                Slot::Empty => return false,
                Slot::Node => {
                    self.level -= 1;
                    self.slot = (self.slot << NODE_SHIFT) + ((self.index >> (NODE_SHIFT * self.level)) & NODE_MASK);
                }
            }
        }
    }

    /// The next probe forward; true when it is full.
    fn forward(&mut self) -> bool {
        self.index = self.index.wrapping_add(1);
        let moved = (self.level == 0 && self.slot & NODE_MASK != NODE_MASK) || self.astray();
        if moved {
            self.slot += 1;
            while self.slot & NODE_MASK == 0 && self.level + 1 < LEVELS {
                self.level += 1;
                self.slot >>= NODE_SHIFT;
            }
        }
        self.descend()
    }

    /// The next probe backward; true when it is full.
    fn backward(&mut self) -> bool {
        self.index = self.index.wrapping_sub(1);
        if self.level == 0 && self.slot & NODE_MASK != 0 {
            self.slot -= 1;
        } else if self.astray() {
            while self.slot & NODE_MASK == 0 {
                self.level += 1;
                self.slot >>= NODE_SHIFT;
                if self.slot == 0 {
                    return false;
                }
            }
            self.slot -= 1;
        }
        self.descend()
    }
}

/// How far inside a folio a search that starts at `from` begins: what its answer can be off by. Folios of a page, and
/// those above order 5 (which the cursor follows by whole slots of their own level), put nothing off.
pub fn inside<V: CacheView>(view: &V, from: u64) -> u64 {
    match view.folio(from) {
        Some(folio) if u32::from(folio.order) < NODE_SHIFT => from - folio.first,
        _ => 0,
    }
}

/// Looks for a page that is not cached, from `from` forward, with at most `probes` probes (at least one).
pub fn next_miss<V: CacheView>(view: &V, from: u64, probes: u64, none: NoGap) -> u64 {
    let Some(mut cursor) = Cursor::start(view, from) else { return from };
    if from == 0 {
        return 0;
    }
    for _ in 1..probes {
        if !cursor.forward() || cursor.index == 0 {
            return cursor.index;
        }
    }
    match none {
        NoGap::LastProbed => cursor.index,
        NoGap::Beyond => from.wrapping_add(probes),
    }
}

/// Looks for a page that is not cached, from `from` backward, with at most `probes` probes (at least one). `u64::MAX`
/// when everything down to page 0 is cached.
pub fn prev_miss<V: CacheView>(view: &V, from: u64, probes: u64, none: NoGap) -> u64 {
    let Some(mut cursor) = Cursor::start(view, from) else { return from };
    for _ in 1..probes {
        if !cursor.backward() || cursor.index == u64::MAX {
            return cursor.index;
        }
    }
    match none {
        NoGap::LastProbed => cursor.index,
        NoGap::Beyond => cursor.index.wrapping_sub(1),
    }
}

/// Pages of a group that the patch fast-hole-search looks at as a whole.
const GROUP: u64 = 64;

/// Looks for a page that is not cached, from `from` forward, over at most `limit` pages, one by one (up to linux-4.14).
/// With `fast` by whole groups of 64, so that a run found may exceed the limit (patch fast-hole-search).
pub fn next_hole<V: CacheView>(view: &V, from: u64, limit: u64, fast: bool) -> u64 {
    if fast && only_first_page(view) {
        return if from > 0 { from } else { 1 };
    }
    let mut page = from;
    while page.wrapping_sub(from) < limit {
        if view.folio(page).is_none() {
            return page;
        }
        if !fast {
            page = page.wrapping_add(1);
        } else if is_full_group(view, page) {
            page = (page | (GROUP - 1)).wrapping_add(1);
        } else {
            let end = page | (GROUP - 1);
            while page <= end {
                if view.folio(page).is_none() {
                    return page;
                }
                page += 1;
            }
        }
    }
    page
}

/// The same backward; `u64::MAX` when everything down to page 0 is cached.
pub fn prev_hole<V: CacheView>(view: &V, from: u64, limit: u64, fast: bool) -> u64 {
    if fast && only_first_page(view) {
        return if from > 0 { from } else { u64::MAX };
    }
    let mut page = from;
    while from.wrapping_sub(page) < limit {
        if view.folio(page).is_none() {
            return page;
        }
        if !fast {
            page = page.wrapping_sub(1);
        } else if is_full_group(view, page) {
            page = (page & !(GROUP - 1)).wrapping_sub(1);
        } else {
            let start = page & !(GROUP - 1);
            while page >= start {
                if view.folio(page).is_none() {
                    return page;
                }
                page = page.wrapping_sub(1);
                if page == u64::MAX {
                    break;
                }
            }
        }
        if page == u64::MAX {
            return page;
        }
    }
    page
}

/// All 64 pages of the aligned group that holds this page are cached.
fn is_full_group<V: CacheView>(view: &V, page: u64) -> bool {
    let start = page & !(GROUP - 1);
    (start..=start | (GROUP - 1)).all(|page| view.folio(page).is_some())
}

/// Page 0 is cached and nothing else of the file: the tree of linux-2.6.33 has no node then.
fn only_first_page<V: CacheView>(view: &V) -> bool {
    view.folio(0).is_some() && view.next_cached(1).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::FolioRef;

    /// Folios as (first, order).
    struct Folios(&'static [(u64, u8)]);

    impl CacheView for Folios {
        fn folio(&self, page: u64) -> Option<FolioRef> {
            self.0.iter().find(|(first, order)| page >> order == first >> order).map(|&(first, order)| FolioRef {
                first,
                order,
                marked: false,
            })
        }

        fn next_cached(&self, from: u64) -> Option<u64> {
            self.0.iter().filter(|(first, order)| first + (1 << order) > from).map(|(first, _)| *first.max(&from)).min()
        }

        fn slot(&self, level: u32, number: u64) -> Slot {
            let mut slot = Slot::Empty;
            for &(first, order) in self.0 {
                let own = u32::from(order) / 6;
                if own == level && first >> order == (number << (6 * level)) >> order {
                    slot = Slot::Filled;
                } else if own < level && first >> (6 * level) == number {
                    return Slot::Node;
                }
            }
            slot
        }

        fn occupied(&self, first: u64, order: u8) -> bool {
            (first..first + (1 << order)).any(|page| self.folio(page).is_some())
        }
    }

    #[test]
    fn a_search_from_inside_a_folio_reports_the_gap_too_far_right() {
        // The example of the specification of the search: folios [8,+4), nothing at 12.
        let view = Folios(&[(8, 2)]);
        assert_eq!(next_miss(&view, 8, 32, NoGap::Beyond), 12);
        assert_eq!(next_miss(&view, 9, 32, NoGap::Beyond), 13);
    }

    #[test]
    fn without_a_gap_the_generations_answer_differently() {
        let view = Folios(&[(8, 0), (9, 0), (10, 0), (11, 0), (12, 0), (13, 0)]);
        assert_eq!(next_miss(&view, 8, 4, NoGap::LastProbed), 11);
        assert_eq!(next_miss(&view, 8, 4, NoGap::Beyond), 12);
        assert_eq!(prev_miss(&view, 13, 3, NoGap::LastProbed), 11);
        assert_eq!(prev_miss(&view, 13, 3, NoGap::Beyond), 10);
        let single = Folios(&[(0, 0), (1, 0), (2, 0)]);
        assert_eq!(prev_miss(&single, 2, 32, NoGap::Beyond), u64::MAX);
    }
}
