//! The tree that finds a file's folios: 64 slots a node, a folio of order k at level k / 6. Nodes of all files share one
//! arena. The shape matters: the kernel's gap search depends on it.

use readahead_policy::Slot;

const SHIFT: u32 = 6;
const SLOTS: usize = 64;
const MASK: u64 = 63;
/// A slot that holds a node, not a folio.
const NODE_BIT: u32 = 1 << 31;
const EMPTY: u32 = 0;

struct Node {
    /// `EMPTY`, a folio's number plus one, or a node's number with `NODE_BIT`.
    slots: [u32; SLOTS],
    filled: u8,
}

/// The arena of nodes.
#[derive(Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Nodes {
    fn allocate(&mut self) -> u32 {
        if let Some(number) = self.free.pop() {
            self.nodes[number as usize] = Node { slots: [EMPTY; SLOTS], filled: 0 };
            return number;
        }
        self.nodes.push(Node { slots: [EMPTY; SLOTS], filled: 0 });
        (self.nodes.len() - 1) as u32
    }
}

/// The tree of one file.
#[derive(Default)]
pub(super) struct Tree {
    root: Option<u32>,
    /// Levels of the tree; the root covers 64^height pages.
    height: u32,
    /// The lowest-level node found last, by its block of 64 pages.
    recent: std::cell::Cell<Option<(u64, u32)>>,
}

fn slot_of(page: u64, level: u32) -> usize {
    ((page >> (SHIFT * level)) & MASK) as usize
}

impl Tree {
    fn covers(&self, page: u64) -> bool {
        SHIFT * self.height >= 64 || page >> (SHIFT * self.height) == 0
    }

    /// The folio that holds the page.
    pub(super) fn find(&self, nodes: &Nodes, page: u64) -> Option<u32> {
        let block = page >> SHIFT;
        if let Some((recent, node)) = self.recent.get()
            && recent == block
        {
            let slot = nodes.nodes[node as usize].slots[slot_of(page, 0)];
            return slot.checked_sub(1);
        }
        let mut node = self.root?;
        if !self.covers(page) {
            return None;
        }
        let mut level = self.height - 1;
        loop {
            let slot = nodes.nodes[node as usize].slots[slot_of(page, level)];
            if level == 0 {
                self.recent.set(Some((block, node)));
                return slot.checked_sub(1);
            }
            match slot {
                EMPTY => return None,
                inner if inner & NODE_BIT != 0 => node = inner & !NODE_BIT,
                folio => return Some(folio - 1),
            }
            level -= 1;
        }
    }

    /// The content of a slot of a level.
    pub(super) fn slot(&self, nodes: &Nodes, level: u32, number: u64) -> Slot {
        let Some(mut node) = self.root else { return Slot::Empty };
        if level >= self.height {
            return if number == 0 { Slot::Node } else { Slot::Empty };
        }
        let page = number << (SHIFT * level);
        if !self.covers(page) {
            return Slot::Empty;
        }
        let mut at = self.height - 1;
        loop {
            let slot = nodes.nodes[node as usize].slots[slot_of(page, at)];
            match slot {
                EMPTY => return Slot::Empty,
                inner if inner & NODE_BIT != 0 => {
                    if at == level {
                        return Slot::Node;
                    }
                    node = inner & !NODE_BIT;
                }
                _ => return Slot::Filled,
            }
            at -= 1;
        }
    }

    /// Whether any of the 2^order pages from `first`, aligned, is cached.
    pub(super) fn occupied(&self, nodes: &Nodes, first: u64, order: u8) -> bool {
        let target = u32::from(order) / SHIFT;
        let Some(mut node) = self.root else { return false };
        if !self.covers(first) {
            return false;
        }
        if target >= self.height {
            return true;
        }
        let mut level = self.height - 1;
        while level > target {
            match nodes.nodes[node as usize].slots[slot_of(first, level)] {
                EMPTY => return false,
                inner if inner & NODE_BIT != 0 => node = inner & !NODE_BIT,
                _ => return true,
            }
            level -= 1;
        }
        let from = slot_of(first, target);
        let count = 1 << (u32::from(order) % SHIFT);
        nodes.nodes[node as usize].slots[from..from + count].iter().any(|slot| *slot != EMPTY)
    }

    /// Puts a folio into its slots, which must be empty.
    pub(super) fn insert(&mut self, nodes: &mut Nodes, first: u64, order: u8, folio: u32) {
        let target = u32::from(order) / SHIFT;
        let root = *self.root.get_or_insert_with(|| nodes.allocate());
        self.height = self.height.max(1);
        let mut root = root;
        while !self.covers(first) || self.height <= target {
            let above = nodes.allocate();
            if nodes.nodes[root as usize].filled > 0 {
                nodes.nodes[above as usize].slots[0] = root | NODE_BIT;
                nodes.nodes[above as usize].filled = 1;
            } else {
                nodes.free.push(root);
                self.recent.set(None);
            }
            root = above;
            self.height += 1;
        }
        self.root = Some(root);
        let mut node = root;
        let mut level = self.height - 1;
        while level > target {
            let at = slot_of(first, level);
            let slot = nodes.nodes[node as usize].slots[at];
            node = if slot == EMPTY {
                let inner = nodes.allocate();
                nodes.nodes[node as usize].slots[at] = inner | NODE_BIT;
                nodes.nodes[node as usize].filled += 1;
                inner
            } else {
                debug_assert!(slot & NODE_BIT != 0, "a larger folio lies in the way");
                slot & !NODE_BIT
            };
            level -= 1;
        }
        let from = slot_of(first, target);
        let count = 1usize << (u32::from(order) % SHIFT);
        let node = &mut nodes.nodes[node as usize];
        debug_assert!(node.slots[from..from + count].iter().all(|slot| *slot == EMPTY), "a page is cached twice");
        node.slots[from..from + count].fill(folio + 1);
        node.filled += count as u8;
    }

    /// Takes a folio out, and the nodes that it leaves empty.
    pub(super) fn remove(&mut self, nodes: &mut Nodes, first: u64, order: u8) {
        let target = u32::from(order) / SHIFT;
        let mut path = [0u32; 12];
        let mut node = self.root.expect("the folio is in the tree");
        let mut level = self.height - 1;
        while level > target {
            path[level as usize] = node;
            node = nodes.nodes[node as usize].slots[slot_of(first, level)] & !NODE_BIT;
            level -= 1;
        }
        let from = slot_of(first, target);
        let count = 1usize << (u32::from(order) % SHIFT);
        let leaf = &mut nodes.nodes[node as usize];
        leaf.slots[from..from + count].fill(EMPTY);
        leaf.filled -= count as u8;
        while nodes.nodes[node as usize].filled == 0 && level + 1 < self.height {
            nodes.free.push(node);
            self.recent.set(None);
            level += 1;
            node = path[level as usize];
            let parent = &mut nodes.nodes[node as usize];
            parent.slots[slot_of(first, level)] = EMPTY;
            parent.filled -= 1;
        }
        if nodes.nodes[node as usize].filled == 0 && level + 1 == self.height {
            nodes.free.push(node);
            self.recent.set(None);
            self.root = None;
            self.height = 0;
        }
    }

    /// The first folio that holds a page at or after `page`.
    pub(super) fn find_from(&self, nodes: &Nodes, page: u64) -> Option<u32> {
        let root = self.root?;
        if !self.covers(page) {
            return None;
        }
        search(nodes, root, self.height - 1, page, 0)
    }
}

/// Looks for the first folio at or after `page` below `node`, which covers pages from `base` on.
fn search(nodes: &Nodes, node: u32, level: u32, page: u64, base: u64) -> Option<u32> {
    let width = SHIFT * level;
    let from = if page > base { ((page - base) >> width) as usize } else { 0 };
    for at in from..SLOTS {
        match nodes.nodes[node as usize].slots[at] {
            EMPTY => {}
            inner if inner & NODE_BIT != 0 => {
                let found = search(nodes, inner & !NODE_BIT, level - 1, page, base + ((at as u64) << width));
                if found.is_some() {
                    return found;
                }
            }
            folio => return Some(folio - 1),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_tree_agrees_with_a_map_of_pages() {
        // Random inserts and removals of folios of every order against a plain map from page to folio.
        let mut nodes = Nodes::default();
        let mut tree = Tree::default();
        let mut folios: BTreeMap<u64, (u8, u32)> = BTreeMap::new();
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for number in 0..20_000u32 {
            let order = draw(10) as u8;
            let first = (draw(40) << 9 | draw(512)) >> order << order;
            let overlapping: Vec<u64> = folios
                .range(..first + (1 << order))
                .rev()
                .take(600)
                .filter(|(start, (order, _))| *start + (1 << order) > first)
                .map(|(start, _)| *start)
                .collect();
            assert_eq!(tree.occupied(&nodes, first, order), !overlapping.is_empty(), "{first}+{order}");
            if draw(3) == 0 {
                for start in overlapping {
                    let (order, _) = folios.remove(&start).unwrap();
                    tree.remove(&mut nodes, start, order);
                }
            } else if overlapping.is_empty() {
                tree.insert(&mut nodes, first, order, number);
                folios.insert(first, (order, number));
            }
            let page = draw(21_000);
            let expected = folios.range(..=page).next_back().filter(|(start, (order, _))| *start + (1 << order) > page);
            assert_eq!(tree.find(&nodes, page), expected.map(|(_, (_, number))| *number));
            let from = expected.or_else(|| folios.range(page..).next()).map(|(_, (_, number))| *number);
            assert_eq!(tree.find_from(&nodes, page), from);
        }
    }

    #[test]
    fn slots_tell_nodes_from_folios() {
        let mut nodes = Nodes::default();
        let mut tree = Tree::default();
        tree.insert(&mut nodes, 64, 6, 0);
        tree.insert(&mut nodes, 3, 0, 1);
        assert_eq!(tree.slot(&nodes, 1, 0), Slot::Node);
        assert_eq!(tree.slot(&nodes, 1, 1), Slot::Filled);
        assert_eq!(tree.slot(&nodes, 0, 3), Slot::Filled);
        assert_eq!(tree.slot(&nodes, 0, 4), Slot::Empty);
        assert_eq!(tree.slot(&nodes, 2, 0), Slot::Node);
    }
}
