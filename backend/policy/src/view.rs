//! What decision code may ask about the page cache: facts about one file as they are now.

/// The folio that covers a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolioRef {
    /// Its first page.
    pub first: u64,
    /// Its order.
    pub order: u8,
    /// It carries the lookahead marker.
    pub marked: bool,
}

/// A slot of the tree that holds a file's folios: 64 slots a node, a slot at level L covers 64^L pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Nothing in it.
    Empty,
    /// Covered by one folio of this level.
    Filled,
    /// Folios of a lower level lie inside it.
    Node,
}

/// The page cache of one file.
pub trait CacheView {
    /// The folio that covers this page.
    fn folio(&self, page: u64) -> Option<FolioRef>;

    /// The first page at or behind `from` that is cached.
    fn next_cached(&self, from: u64) -> Option<u64>;

    /// The slot `number` at `level`, which covers the pages `number · 64^level …`.
    fn slot(&self, level: u32, number: u64) -> Slot;

    /// Whether any of the 2^order pages from `first` (a multiple of 2^order) is cached.
    fn occupied(&self, first: u64, order: u8) -> bool;
}
