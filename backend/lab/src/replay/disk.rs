//! Where the files of a trace lie on the disk and how long they are, as far as the trace shows it: folios that were
//! added are read by the bios that follow, in the same order.

use super::recorded::{BlockLine, Call, CallKind, Deed, FileKey, Placement, Recorded};
use readahead_sim::world::Extent;
use readahead_types::{Bytes, PAGE_BYTES, PAGE_SECTORS, Pages, Sectors};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// What is known of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownFile {
    /// Size of the file, when the trace shows its end: to the page, or to the byte.
    pub(super) bytes: Option<u64>,
    /// The page behind the end, where folios were cut to it.
    pages: Option<u64>,
    /// The page after the last one that was cached.
    pub(super) seen_end: u64,
    /// First sector of each page that was read.
    sectors: BTreeMap<u64, u64>,
}

/// Sector of a place on a disk, back to the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Disk {
    pub(super) files: HashMap<FileKey, KnownFile>,
    /// File and page of each sector that a bio read, by the page's first sector.
    places: HashMap<u64, (FileKey, u64)>,
}

/// Pages of a task that were added and not read yet.
#[derive(Default)]
struct Pending {
    pages: VecDeque<(FileKey, u64)>,
    reading: bool,
    ahead: Option<bool>,
}

impl Disk {
    /// `page_by_page`: the kernel's reads go one page behind the end of a file.
    pub(super) fn learn(recorded: &Recorded, page_by_page: bool) -> Self {
        let mut disk = Disk::default();
        disk.place_pages(&recorded.placements, page_by_page);
        disk.find_ends(recorded);
        disk
    }

    fn place_pages(&mut self, placements: &[Placement], page_by_page: bool) {
        let mut tasks: HashMap<i32, Pending> = HashMap::new();
        for placement in placements {
            match *placement {
                Placement::Added { pid, file, first, order, ahead } => {
                    let pending = tasks.entry(pid).or_default();
                    if pending.reading {
                        self.left_over(pending);
                    }
                    let known = self.files.entry(file).or_default();
                    known.seen_end = known.seen_end.max(first + (1 << order));
                    pending.ahead = ahead;
                    pending.pages.extend((first..first + (1 << order)).map(|page| (file, page)));
                }
                Placement::Call { pid } => {
                    if let Some(pending) = tasks.get_mut(&pid) {
                        self.left_over(pending);
                    }
                }
                Placement::Bio { pid, bio, ahead } => {
                    let Some(pending) = tasks.get_mut(&pid) else { continue };
                    // A window is read with the readahead flag; a read without it, in between, is of metadata.
                    let whole = bio.sectors.div_ceil(PAGE_SECTORS) == pending.pages.len() as u64;
                    if ahead != pending.ahead.unwrap_or(ahead || !whole) {
                        continue;
                    }
                    pending.reading = true;
                    for at in 0..bio.sectors.div_ceil(PAGE_SECTORS) {
                        let Some((file, page)) = pending.pages.pop_front() else { break };
                        let sector = bio.sector + at * PAGE_SECTORS;
                        self.files.entry(file).or_default().sectors.insert(page, sector);
                        self.places.insert(sector, (file, page));
                    }
                }
            }
        }
        let mut left: Vec<(i32, Pending)> = tasks.into_iter().collect();
        left.sort_unstable_by_key(|(pid, _)| *pid);
        for (_, mut pending) in left {
            // Otherwise the trace ends before their bio.
            if page_by_page && pending.pages.len() == 1 {
                self.left_over(&mut pending);
            }
        }
    }

    /// Pages that no bio read lie behind the end of the file, or in a hole. A kernel that reads page by page adds one page
    /// behind the end when a read goes on to it; that page is none of the file.
    fn left_over(&mut self, pending: &mut Pending) {
        if let Some((file, page)) = pending.pages.front() {
            let known = self.files.entry(*file).or_default();
            known.pages = Some(known.pages.map_or(*page, |pages| pages.max(*page)));
            if pending.pages.len() == 1 && !pending.reading && known.seen_end == page + 1 {
                known.seen_end = *page;
            }
        }
        pending.pages.clear();
        pending.reading = false;
    }

    /// The end of a file shows in a window that was cut (its last folio is the last of the file), in folios that were
    /// not read whole, and, to the byte, in a read that returned less than it was asked for.
    fn find_ends(&mut self, recorded: &Recorded) {
        let mut positions: HashMap<usize, u64> = HashMap::new();
        for call in &recorded.calls {
            let key = call.file.or_else(|| call.open.and_then(|open| recorded.opens[open].file));
            let Some(known) = key.and_then(|key| self.files.get_mut(&key)) else { continue };
            for (_, deed) in &call.deeds {
                if let Deed::Window(start, _, size, _) = *deed
                    && start < known.seen_end
                    && start + size > known.seen_end
                {
                    known.pages.get_or_insert(known.seen_end);
                }
            }
            if let Some((end, at_end)) = returned(call, recorded, &mut positions)
                && at_end
                && end.div_ceil(PAGE_BYTES) >= known.seen_end
            {
                known.bytes = Some(end);
            }
        }
        for known in self.files.values_mut() {
            // An end in front of a page that was cached is none.
            let pages = known.pages.filter(|pages| *pages >= known.seen_end);
            known.bytes = known.bytes.or(pages.map(|pages| pages * PAGE_BYTES));
        }
    }

    /// The place in a file that a request reads from.
    pub(super) fn place(&self, request: &BlockLine) -> Option<(FileKey, u64)> {
        self.places.get(&request.sector).copied()
    }
}

/// Where a read ended, and whether it ended because the file does. Follows the file positions that the trace shows.
fn returned(call: &Call, recorded: &Recorded, positions: &mut HashMap<usize, u64>) -> Option<(u64, bool)> {
    let open = call.open?;
    match call.kind {
        CallKind::Lseek { offset, whence: 0 } => {
            positions.insert(open, offset.max(0) as u64);
            None
        }
        CallKind::Lseek { .. } => {
            positions.remove(&open);
            None
        }
        CallKind::Read { pos: Some(pos), len } => {
            let got = call.returned?;
            (got > 0).then_some((pos + got, got < len))
        }
        CallKind::Read { pos: None, len } => {
            let fresh = recorded.opens[open].fresh;
            let at = positions.get(&open).copied().or(fresh.then_some(0));
            match (at, call.returned) {
                (Some(at), Some(got)) => {
                    positions.insert(open, at + got);
                    // A read that returned nothing may stand far behind the end; one that returned less ended there.
                    (got > 0).then_some((at + got, got < len))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

impl KnownFile {
    /// The file's extents for `pages` pages: where pages were seen, there; where none were, wherever the neighbour
    /// leads.
    pub(super) fn extents(&self, pages: u64) -> Vec<Extent> {
        let mut extents: Vec<Extent> = Vec::new();
        let mut push = |first: u64, sector: u64, count: u64| {
            if count == 0 {
                return;
            }
            let (offset, len) = (Pages(first).bytes(), Pages(count).bytes());
            if let Some(last) = extents.last_mut()
                && last.sector.0 + last.len.sectors_up().0 == sector
            {
                last.len = Bytes(last.len.0 + len.0);
            } else {
                extents.push(Extent { file_offset: offset, sector: Sectors(sector), len });
            }
        };
        let (mut next_page, mut next_sector) = (0, 0);
        if let Some((page, sector)) = self.sectors.first_key_value() {
            next_sector = sector.saturating_sub(page * PAGE_SECTORS);
        }
        for (page, sector) in self.sectors.range(..pages) {
            push(next_page, next_sector, page - next_page);
            push(*page, *sector, 1);
            next_page = page + 1;
            next_sector = sector + PAGE_SECTORS;
        }
        push(next_page, next_sector, pages - next_page);
        extents
    }
}
