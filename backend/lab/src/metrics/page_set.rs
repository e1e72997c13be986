//! A set of pages of one file, dense where it is filled: blocks of 4096 pages that exist only where a page was set.
//!
//! Must not know what the pages mean.

use std::collections::BTreeMap;

const WORDS: usize = 64;
const BLOCK_PAGES: u64 = WORDS as u64 * 64;

/// A set of page indexes.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageSet {
    blocks: BTreeMap<u64, Box<[u64; WORDS]>>,
}

impl PageSet {
    /// Adds the pages; returns how many were not in the set.
    pub(crate) fn insert(&mut self, first: u64, pages: u64) -> u64 {
        let mut added = 0;
        for_words(first, pages, |block, word, mask| {
            let words = self.blocks.entry(block).or_insert_with(|| Box::new([0; WORDS]));
            added += u64::from((mask & !words[word]).count_ones());
            words[word] |= mask;
        });
        added
    }

    /// Takes the pages out; returns how many were in the set.
    pub(crate) fn remove(&mut self, first: u64, pages: u64) -> u64 {
        let mut removed = 0;
        if self.blocks.is_empty() {
            return 0;
        }
        for_words(first, pages, |block, word, mask| {
            if let Some(words) = self.blocks.get_mut(&block) {
                removed += u64::from((mask & words[word]).count_ones());
                words[word] &= !mask;
            }
        });
        removed
    }
}

/// Calls `each` with block, word and mask of every word that the range touches. Ranges end at the last page index.
fn for_words(first: u64, pages: u64, mut each: impl FnMut(u64, usize, u64)) {
    let end = first.saturating_add(pages);
    let mut at = first;
    while at < end {
        let bit = at % 64;
        let take = (64 - bit).min(end - at);
        let mask = if take == 64 { u64::MAX } else { ((1 << take) - 1) << bit };
        each(at / BLOCK_PAGES, (at % BLOCK_PAGES / 64) as usize, mask);
        at += take;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_counts_as_a_plain_set_does(
            steps in proptest::collection::vec((any::<bool>(), 0u64..10_000, 0u64..700), 1..40),
        ) {
            let (mut set, mut plain) = (PageSet::default(), BTreeSet::new());
            for (insert, first, pages) in steps {
                let range = first..first + pages;
                if insert {
                    let expected = range.filter(|page| plain.insert(*page)).count() as u64;
                    prop_assert_eq!(set.insert(first, pages), expected);
                } else {
                    let expected = range.filter(|page| plain.remove(page)).count() as u64;
                    prop_assert_eq!(set.remove(first, pages), expected);
                }
            }
        }
    }

    #[test]
    fn the_end_of_the_index_space_is_no_place_to_overflow() {
        let mut set = PageSet::default();
        assert_eq!(set.insert(u64::MAX - 3, 100), 3);
        assert_eq!(set.remove(u64::MAX - 3, u64::MAX), 3);
    }
}
