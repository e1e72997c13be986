//! The text of `trace-cmd report`: a few header lines without a mark, and with `-R` the raw fields of every event in the
//! place of its text.

use super::{Format, Header, first_lines};
use crate::scan::{Scan, text};
use crate::tracepoints::Tracepoint;
use crate::tracepoints::block::{Bio, IoPriority, Request, RequestDone};
use crate::tracepoints::filemap::{ByteRange, Fault, Folio, Frame, PageRange};
use crate::tracepoints::readahead::{RaOrder, RaTrigger, RaUnbounded};
use crate::tracepoints::rwbs::Rwbs;
use crate::tracepoints::shape::Dev;
use memchr::memmem;
use readahead_types::{Bytes, Order, PAGE_BYTES, PageIndex, Pages, Sectors};

/// The format.
pub(super) const FORMAT: Format = Format {
    name: "trace-cmd",
    title: "trace-cmd report",
    about: "`trace-cmd report`, also with -t (nanoseconds), -l (latency) or -R (raw fields)",
    sniff,
    header,
};

fn sniff(head: &[u8]) -> u8 {
    for line in first_lines(head) {
        if is_header(line) {
            return 90;
        }
        // The event's name is padded, which the kernel does not do.
        if memmem::find(line, b":  ").is_some_and(|at| line[..at].contains(&b':')) {
            return 50;
        }
    }
    0
}

fn is_header(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"cpus=")
        || line.starts_with(b"version = ")
        || (line.starts_with(b"CPU ") && line.ends_with(b" is empty"))
        || line.starts_with(b"trace-cmd: ")
}

pub(crate) fn header(line: &[u8], header: &mut Header) -> bool {
    if let Some(cpus) = line.strip_prefix(b"cpus=") {
        header.cpus = Scan::new(cpus).decimal();
    }
    is_header(line)
}

/// Reads the raw fields of an event, as `-R` prints them.
#[cold]
pub(crate) fn raw<'a>(name: &[u8], fields: &'a [u8]) -> Option<Tracepoint<'a>> {
    let raw = Raw { fields };
    Some(match name {
        b"mm_filemap_add_to_page_cache" => Tracepoint::MmFilemapAddToPageCache(raw.folio()?),
        b"mm_filemap_delete_from_page_cache" => Tracepoint::MmFilemapDeleteFromPageCache(raw.folio()?),
        b"mm_filemap_get_pages" => Tracepoint::MmFilemapGetPages(raw.page_range()?),
        b"mm_filemap_map_pages" => Tracepoint::MmFilemapMapPages(raw.page_range()?),
        b"mm_filemap_fault" => Tracepoint::MmFilemapFault(Fault {
            dev: raw.dev(b"s_dev")?,
            ino: raw.hexadecimal(b"i_ino")?,
            ofs: page_start(raw.number(b"index")?)?,
        }),
        b"page_cache_sync_ra" => Tracepoint::PageCacheSyncRa(raw.trigger()?),
        b"page_cache_async_ra" => Tracepoint::PageCacheAsyncRa(raw.trigger()?),
        b"page_cache_ra_order" => Tracepoint::PageCacheRaOrder(RaOrder {
            dev: raw.dev(b"s_dev")?,
            ino: raw.hexadecimal(b"i_ino")?,
            index: PageIndex(raw.number(b"index")?),
            order: raw.number(b"order")?.try_into().ok()?,
            size: Pages(raw.number(b"size")?),
            async_size: Pages(raw.number(b"async_size")?),
            ra_pages: Pages(raw.number(b"ra_pages")?),
        }),
        b"page_cache_ra_unbounded" => Tracepoint::PageCacheRaUnbounded(RaUnbounded {
            dev: raw.dev(b"s_dev")?,
            ino: raw.hexadecimal(b"i_ino")?,
            index: PageIndex(raw.number(b"index")?),
            nr_to_read: Pages(raw.number(b"nr_to_read")?),
            lookahead_size: Pages(raw.number(b"lookahead_size")?),
        }),
        b"block_bio_queue" => Tracepoint::BlockBioQueue(raw.bio()?),
        b"block_getrq" => Tracepoint::BlockGetrq(raw.bio()?),
        b"block_bio_backmerge" => Tracepoint::BlockBioBackmerge(raw.bio()?),
        b"block_bio_frontmerge" => Tracepoint::BlockBioFrontmerge(raw.bio()?),
        b"block_rq_issue" => Tracepoint::BlockRqIssue(raw.request()?),
        b"block_rq_insert" => Tracepoint::BlockRqInsert(raw.request()?),
        b"block_rq_merge" => Tracepoint::BlockRqMerge(raw.request()?),
        b"block_rq_complete" => Tracepoint::BlockRqComplete(RequestDone {
            dev: raw.dev(b"dev")?,
            rwbs: raw.rwbs()?,
            cmd: "",
            sector: Sectors(raw.number(b"sector")?),
            nr_sector: Sectors(raw.number(b"nr_sector")?),
            ioprio: raw.number(b"ioprio").and_then(IoPriority::from_packed),
            error: raw.signed(b"error")?.try_into().ok()?,
        }),
        _ => return None,
    })
}

/// Fields as `name=value`.
struct Raw<'a> {
    fields: &'a [u8],
}

impl<'a> Raw<'a> {
    /// The text from the value of a field on.
    fn value(&self, name: &[u8]) -> Option<Scan<'a>> {
        let mut from = 0;
        while let Some(found) = memmem::find(&self.fields[from..], name) {
            let at = from + found;
            let starts = at == 0 || self.fields[at - 1] == b' ';
            if starts && self.fields.get(at + name.len()) == Some(&b'=') {
                return Some(Scan::new(&self.fields[at + name.len() + 1..]));
            }
            from = at + 1;
        }
        None
    }

    /// Numbers with `0x` are hexadecimal.
    fn number(&self, name: &[u8]) -> Option<u64> {
        let mut value = self.value(name)?;
        if value.rest.starts_with(b"0x") { value.hexadecimal() } else { value.decimal() }
    }

    fn signed(&self, name: &[u8]) -> Option<i64> {
        let mut value = self.value(name)?;
        if value.rest.starts_with(b"0x") { Some(value.hexadecimal()? as i64) } else { value.signed() }
    }

    /// Inodes are hexadecimal, with or without `0x`.
    fn hexadecimal(&self, name: &[u8]) -> Option<u64> {
        self.value(name)?.hexadecimal()
    }

    fn dev(&self, name: &[u8]) -> Option<Dev> {
        Dev::from_packed(self.number(name)?)
    }

    fn rwbs(&self) -> Option<Rwbs> {
        Rwbs::new(self.value(b"rwbs")?.word())
    }

    /// A name, up to the field that follows (names may hold blanks).
    fn comm(&self) -> Option<&'a str> {
        let value = self.value(b"comm")?.rest;
        let end = memmem::find(value, b" cmd=").unwrap_or(value.len());
        Some(text(value[..end].trim_ascii_end()))
    }

    fn folio(&self) -> Option<Folio> {
        let order = self.number(b"order").and_then(|order| u8::try_from(order).ok()).map(Order);
        Some(Folio {
            dev: self.dev(b"s_dev")?,
            ino: self.hexadecimal(b"i_ino")?,
            frame: Frame { pfn: self.number(b"pfn")?, page: None },
            ofs: page_start(self.number(b"index")?)?,
            order,
        })
    }

    fn page_range(&self) -> Option<PageRange> {
        let first = page_start(self.number(b"index")?)?;
        let last = self.number(b"last_index")?.checked_add(1)?.checked_mul(PAGE_BYTES)? - 1;
        Some(PageRange {
            dev: self.dev(b"s_dev")?,
            ino: self.hexadecimal(b"i_ino")?,
            ofs: ByteRange { first, last: Bytes(last) },
        })
    }

    fn trigger(&self) -> Option<RaTrigger> {
        Some(RaTrigger {
            dev: self.dev(b"s_dev")?,
            ino: self.hexadecimal(b"i_ino")?,
            index: PageIndex(self.number(b"index")?),
            req_count: Pages(self.number(b"req_count")?),
            order: self.number(b"order")?.try_into().ok()?,
            size: Pages(self.number(b"size")?),
            async_size: Pages(self.number(b"async_size")?),
            ra_pages: Pages(self.number(b"ra_pages")?),
            mmap_miss: self.number(b"mmap_miss")?.try_into().ok()?,
            prev_pos: self.signed(b"prev_pos")?,
        })
    }

    fn bio(&self) -> Option<Bio<'a>> {
        Some(Bio {
            dev: self.dev(b"dev")?,
            rwbs: self.rwbs()?,
            sector: Sectors(self.number(b"sector")?),
            nr_sector: Sectors(self.number(b"nr_sector")?),
            comm: self.comm()?,
        })
    }

    fn request(&self) -> Option<Request<'a>> {
        Some(Request {
            dev: self.dev(b"dev")?,
            rwbs: self.rwbs()?,
            bytes: Bytes(self.number(b"bytes")?),
            cmd: "",
            sector: Sectors(self.number(b"sector")?),
            nr_sector: Sectors(self.number(b"nr_sector")?),
            ioprio: self.number(b"ioprio").and_then(IoPriority::from_packed),
            alignment: None,
            comm: self.comm()?,
        })
    }
}

fn page_start(index: u64) -> Option<Bytes> {
    index.checked_mul(PAGE_BYTES).map(Bytes)
}
