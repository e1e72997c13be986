//! What an evicted folio leaves behind: when it went, and whether it belonged to the working set (specification of the
//! modern kernels, section 11). Its place counts as a gap for everything else.

use readahead_types::FileId;
use std::collections::BTreeMap;

/// What is known of an evicted folio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shadow {
    /// The age of the cache when it went, in pages.
    pub(super) age: u64,
    /// It carried the workingset bit.
    pub(super) workingset: bool,
}

/// The shadows of all files, by the first page of what was evicted.
#[derive(Default)]
pub(super) struct Shadows {
    left: BTreeMap<(FileId, u64), (u8, Shadow)>,
}

impl Shadows {
    /// A folio was evicted.
    pub(super) fn leave(&mut self, file: FileId, first: u64, order: u8, shadow: Shadow) {
        self.left.insert((file, first), (order, shadow));
    }

    /// A folio enters in this place: takes away the shadows there, and gives the first of them.
    pub(super) fn take(&mut self, file: FileId, first: u64, order: u8) -> Option<Shadow> {
        if self.left.is_empty() {
            return None;
        }
        let end = first + (1 << order);
        // A larger folio may have left its shadow in front, reaching into this place: it stays for its other pages.
        let before = self.left.range(..(file, first)).next_back();
        let covering = before
            .filter(|((of, at), (order, _))| *of == file && at + (1 << order) > first)
            .map(|(_, (_, shadow))| *shadow);
        let inside: Vec<u64> = self.left.range((file, first)..(file, end)).map(|((_, at), _)| *at).collect();
        let mut found = covering;
        for at in inside {
            let shadow = self.left.remove(&(file, at)).map(|(_, shadow)| shadow);
            found = found.or(shadow);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folio_takes_the_shadows_of_its_place() {
        let mut shadows = Shadows::default();
        let shadow = |age| Shadow { age, workingset: false };
        shadows.leave(FileId(0), 4, 2, shadow(1));
        shadows.leave(FileId(0), 8, 0, shadow(2));
        shadows.leave(FileId(1), 8, 0, shadow(3));
        assert_eq!(shadows.take(FileId(0), 6, 0), Some(shadow(1)));
        assert_eq!(shadows.take(FileId(0), 8, 2), Some(shadow(2)));
        assert_eq!(shadows.take(FileId(0), 8, 0), None);
        assert_eq!(shadows.take(FileId(1), 8, 0), Some(shadow(3)));
    }
}
