//! Building bios from a batch of folios, as mpage (ext4, block device nodes) and iomap (XFS) do it, and splitting them
//! to the limits of the queue.
//!
//! A slot of a bio holds memory in one piece: a folio takes one, and a folio whose memory follows the one before joins
//! its slot.

use crate::cache::FolioId;
use crate::world::{BioBuilder, FileSpec};
use readahead_types::{Bytes, PAGE_BYTES, PAGE_SECTORS, Sectors};

/// Most slots of one bio.
const BIO_MAX_SLOTS: u64 = 256;

/// A folio of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BatchFolio {
    pub(crate) id: FolioId,
    pub(crate) first: u64,
    pub(crate) pages: u64,
    pub(crate) pfn: u64,
}

/// A read of one contiguous piece of the disk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bio {
    pub(crate) sector: Sectors,
    pub(crate) sectors: Sectors,
    /// Where its first byte lies in the file.
    pub(crate) offset: Bytes,
    /// Sectors of each slot.
    pub(crate) slots: Vec<u64>,
    /// The folios that it brings, in order.
    pub(crate) folios: Vec<FolioId>,
    max_slots: u64,
    end_pfn: u64,
}

/// A part of a file that lies in one piece on the disk, or a hole.
struct Piece {
    offset: u64,
    bytes: u64,
    sector: Option<u64>,
    /// Bytes from here to the end of the extent.
    extent_left: u64,
}

/// The pieces of a byte range of a file.
fn pieces(file: &FileSpec, from: u64, to: u64) -> impl Iterator<Item = Piece> + '_ {
    let mut at = from;
    let mut next = file.extents.partition_point(|extent| extent.file_offset.0 + extent.len.0 <= from);
    std::iter::from_fn(move || {
        if at >= to {
            return None;
        }
        let piece = match file.extents.get(next) {
            Some(extent) if extent.file_offset.0 <= at => {
                let end = extent.file_offset.0 + extent.len.0;
                next += 1;
                let skipped = at - extent.file_offset.0;
                Piece {
                    offset: at,
                    bytes: end.min(to) - at,
                    sector: Some(extent.sector.0 + skipped / 512),
                    extent_left: end - at,
                }
            }
            following => {
                let end = following.map_or(to, |extent| extent.file_offset.0.min(to));
                Piece { offset: at, bytes: end - at, sector: None, extent_left: 0 }
            }
        };
        at += piece.bytes;
        Some(piece)
    })
}

/// Builds the bios of a batch. Holes make no bio.
pub(crate) fn build(file: &FileSpec, batch: &[BatchFolio]) -> Vec<Bio> {
    let mut bios: Vec<Bio> = Vec::new();
    let mut open = false;
    let mut pages_left: u64 = batch.iter().map(|folio| folio.pages).sum();
    // Blocks beyond the end of the file are zeroed, not read.
    let data_end = file.bytes.pages_up().bytes().0;
    for folio in batch {
        let from = folio.first * PAGE_BYTES;
        let to = (from + folio.pages * PAGE_BYTES).min(data_end);
        for piece in pieces(file, from, to) {
            let Some(sector) = piece.sector else {
                open &= file.builder == BioBuilder::Iomap;
                continue;
            };
            let sectors = piece.bytes.div_ceil(512);
            let pfn = folio.pfn + (piece.offset - from) / PAGE_BYTES;
            let joins = open && bios.last().is_some_and(|bio| bio.takes(sector, pfn));
            if !joins {
                let in_extent = piece.extent_left.div_ceil(PAGE_BYTES);
                let pages_here = pages_left - (piece.offset - from) / PAGE_BYTES;
                let max_slots = match file.builder {
                    BioBuilder::Mpage => pages_here,
                    BioBuilder::Iomap => pages_here.min(in_extent),
                };
                bios.push(Bio {
                    sector: Sectors(sector),
                    offset: Bytes(piece.offset),
                    max_slots: max_slots.min(BIO_MAX_SLOTS),
                    ..Bio::default()
                });
                open = true;
            }
            let bio = bios.last_mut().expect("a bio was pushed or joined");
            bio.append(sectors, pfn, folio.id);
        }
        pages_left -= folio.pages;
    }
    bios
}

impl Bio {
    fn takes(&self, sector: u64, pfn: u64) -> bool {
        self.sector.0 + self.sectors.0 == sector && (pfn == self.end_pfn || (self.slots.len() as u64) < self.max_slots)
    }

    fn append(&mut self, sectors: u64, pfn: u64, folio: FolioId) {
        match self.slots.last_mut() {
            Some(slot) if pfn == self.end_pfn => *slot += sectors,
            _ => self.slots.push(sectors),
        }
        self.sectors.0 += sectors;
        self.end_pfn = pfn + sectors.div_ceil(PAGE_SECTORS);
        if self.folios.last() != Some(&folio) {
            self.folios.push(folio);
        }
    }
}

/// A part of a bio that fits the queue's limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) sector: Sectors,
    pub(crate) sectors: Sectors,
    pub(crate) offset: Bytes,
    /// Pieces of memory in it.
    pub(crate) segments: u32,
}

/// Cuts a bio to at most `max_sectors` and `max_segments` a part. A slot may be cut in two.
pub(crate) fn split(bio: &Bio, max_sectors: u64, max_segments: u32) -> impl Iterator<Item = Part> + '_ {
    let mut slot = 0usize;
    let mut slot_done = 0u64;
    let mut done = 0u64;
    std::iter::from_fn(move || {
        if done >= bio.sectors.0 {
            return None;
        }
        let from = done;
        let mut sectors = 0;
        let mut segments = 0;
        while slot < bio.slots.len() && sectors < max_sectors && segments < max_segments {
            let take = (bio.slots[slot] - slot_done).min(max_sectors - sectors);
            sectors += take;
            segments += 1;
            slot_done += take;
            if slot_done == bio.slots[slot] {
                slot += 1;
                slot_done = 0;
            }
        }
        done += sectors;
        Some(Part {
            sector: Sectors(bio.sector.0 + from),
            sectors: Sectors(sectors),
            offset: Bytes(bio.offset.0 + from * 512),
            segments,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Extent;
    use readahead_types::Order;

    fn file(builder: BioBuilder, bytes: u64, extents: &[(u64, u64, u64)]) -> FileSpec {
        FileSpec {
            name: "f".into(),
            bytes: Bytes(bytes),
            min_order: Order(0),
            max_order: Order(9),
            builder,
            extents: extents
                .iter()
                .map(|&(offset, sector, len)| Extent {
                    file_offset: Bytes(offset),
                    sector: Sectors(sector),
                    len: Bytes(len),
                })
                .collect(),
            block_device: false,
            dev: (259, 0),
            ino: 133,
        }
    }

    fn folios(list: &[(u64, u64, u64)]) -> Vec<BatchFolio> {
        list.iter()
            .enumerate()
            .map(|(id, &(first, pages, pfn))| BatchFolio { id: id as FolioId, first, pages, pfn })
            .collect()
    }

    #[test]
    fn one_extent_gives_one_bio_and_it_is_cut_to_the_end_of_the_file() {
        let file = file(BioBuilder::Iomap, 5000, &[(0, 1000, 8192)]);
        let bios = build(&file, &folios(&[(0, 4, 100)]));
        assert_eq!(bios.len(), 1);
        assert_eq!((bios[0].sector, bios[0].sectors), (Sectors(1000), Sectors(16)));
    }

    #[test]
    fn a_folio_across_two_distant_extents_is_cut_between_them() {
        let file = file(BioBuilder::Iomap, 1 << 20, &[(0, 1000, 8192), (8192, 9000, 1 << 19)]);
        let bios = build(&file, &folios(&[(0, 4, 100)]));
        let places: Vec<_> = bios.iter().map(|bio| (bio.sector.0, bio.sectors.0, bio.offset.0)).collect();
        assert_eq!(places, [(1000, 16, 0), (9000, 16, 8192)]);
    }

    #[test]
    fn extents_that_follow_each_other_share_a_bio_but_not_across_a_hole_in_mpage() {
        let adjacent = [(0, 1000, 8192), (8192, 1016, 8192)];
        assert_eq!(build(&file(BioBuilder::Mpage, 16384, &adjacent), &folios(&[(0, 4, 0)])).len(), 1);
        let hole = [(0, 1000, 8192), (12288, 1016, 4096)];
        assert_eq!(build(&file(BioBuilder::Mpage, 16384, &hole), &folios(&[(0, 4, 0)])).len(), 2);
        assert_eq!(build(&file(BioBuilder::Iomap, 16384, &hole), &folios(&[(0, 4, 0)])).len(), 1);
    }

    #[test]
    fn single_pages_without_neighbours_fill_256_slots() {
        let file = file(BioBuilder::Iomap, 4 << 20, &[(0, 1000, 4 << 20)]);
        let batch: Vec<_> = (0..300).map(|page| (page, 1, page * 2)).collect();
        let bios = build(&file, &folios(&batch));
        assert_eq!(bios.iter().map(|bio| bio.sectors.0 / 8).collect::<Vec<_>>(), [256, 44]);
        // Neighbouring memory shares slots, so one bio takes them all.
        let batch: Vec<_> = (0..300).map(|page| (page, 1, page)).collect();
        assert_eq!(build(&file, &folios(&batch)).len(), 1);
    }

    #[test]
    fn a_bio_is_split_at_max_sectors_and_at_max_segments() {
        let file = file(BioBuilder::Iomap, 4 << 20, &[(0, 1000, 4 << 20)]);
        let bio = &build(&file, &folios(&[(0, 128, 0), (128, 128, 1000)]))[0];
        let parts: Vec<_> = split(bio, 1536, 128).map(|part| (part.sectors.0, part.segments)).collect();
        assert_eq!(parts, [(1536, 2), (512, 1)]);
        let batch: Vec<_> = (0..128).map(|page| (page, 1, page * 2)).collect();
        let bio = &build(&file, &folios(&batch))[0];
        // linux-6.1 with max_segments 127: 128 single pages are 127 + 1.
        let parts: Vec<_> = split(bio, 1024, 127).map(|part| part.sectors.0 / 8).collect();
        assert_eq!(parts, [127, 1]);
    }
}
