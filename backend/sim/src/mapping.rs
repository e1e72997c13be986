//! Mappings of files and which of their pages have a page-table entry.

use readahead_policy::{Cluster24, Mapping};
use readahead_types::FileId;
use std::collections::HashMap;

/// Pages that one page table covers.
pub(crate) const TABLE_PAGES: u64 = 512;

/// A mapping of a whole file.
pub(crate) struct MappedFile {
    pub(crate) file: FileId,
    pub(crate) advice: Mapping,
    /// linux-2.4: how far a sequential mapping was read.
    pub(crate) clusters: Cluster24,
    /// Bit maps of present entries, by block of 64 pages. Only looked up, never walked in hash order.
    present: HashMap<u64, u64>,
}

impl MappedFile {
    pub(crate) fn new(file: FileId, advice: Mapping) -> Self {
        MappedFile { file, advice, clusters: Cluster24::default(), present: HashMap::new() }
    }

    pub(crate) fn is_present(&self, page: u64) -> bool {
        self.present.get(&(page >> 6)).is_some_and(|bits| bits & (1 << (page & 63)) != 0)
    }

    /// Makes an entry; true when it is new.
    pub(crate) fn set(&mut self, page: u64) -> bool {
        let bits = self.present.entry(page >> 6).or_insert(0);
        let bit = 1 << (page & 63);
        let new = *bits & bit == 0;
        *bits |= bit;
        new
    }

    /// Takes away the entries of these pages; returns how many there were.
    pub(crate) fn clear(&mut self, first: u64, pages: u64) -> u64 {
        let mut cleared = 0;
        let mut page = first;
        while page < first + pages {
            let block = page >> 6;
            let from = page & 63;
            let count = (64 - from).min(first + pages - page);
            let mask = if count == 64 { u64::MAX } else { ((1 << count) - 1) << from };
            if let Some(bits) = self.present.get_mut(&block) {
                cleared += u64::from((*bits & mask).count_ones());
                *bits &= !mask;
                if *bits == 0 {
                    self.present.remove(&block);
                }
            }
            page += count;
        }
        cleared
    }

    /// Every page with an entry, in order.
    pub(crate) fn pages(&self) -> Vec<u64> {
        let mut blocks: Vec<(u64, u64)> = self.present.iter().map(|(block, bits)| (*block, *bits)).collect();
        blocks.sort_unstable();
        blocks
            .into_iter()
            .flat_map(|(block, bits)| (0..64).filter(move |at| bits & (1 << at) != 0).map(move |at| block * 64 + at))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_set_once_and_cleared_across_blocks() {
        let mut mapping = MappedFile::new(FileId(0), Mapping::default());
        assert!((60..70).all(|page| mapping.set(page)));
        assert!(!mapping.set(65));
        assert_eq!(mapping.clear(62, 6), 6);
        assert_eq!(mapping.pages(), [60, 61, 68, 69]);
        assert!(!mapping.is_present(64) && mapping.is_present(68));
    }
}
