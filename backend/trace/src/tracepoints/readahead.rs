//! The `readahead:` events (linux-6.19 and later). The state fields of sync and async show the file's state *before* the
//! decision; the decision shows in the page_cache_ra_order line that follows.

use super::shape::{Decimal, Dev, DevWith, Hexadecimal, Signed, shape};
use readahead_types::{PageIndex, Pages};

shape! {
    /// page_cache_sync_ra and page_cache_async_ra: why the readahead code was called.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct RaTrigger {
        "dev=" dev: Dev => DevWith<b':'>,
        " ino=" ino: u64 => Hexadecimal,
        " index=" index: PageIndex => Decimal,
        " req_count=" req_count: Pages => Decimal,
        " order=" order: u16 => Decimal,
        " size=" size: Pages => Decimal,
        " async_size=" async_size: Pages => Decimal,
        " ra_pages=" ra_pages: Pages => Decimal,
        " mmap_miss=" mmap_miss: u32 => Decimal,
        " prev_pos=" prev_pos: i64 => Signed,
    }
}

shape! {
    /// page_cache_ra_order: a window is about to be read.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct RaOrder {
        "dev=" dev: Dev => DevWith<b':'>,
        " ino=" ino: u64 => Hexadecimal,
        " index=" index: PageIndex => Decimal,
        " order=" order: u16 => Decimal,
        " size=" size: Pages => Decimal,
        " async_size=" async_size: Pages => Decimal,
        " ra_pages=" ra_pages: Pages => Decimal,
    }
}

shape! {
    /// page_cache_ra_unbounded: a run of single folios is about to be read.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct RaUnbounded {
        "dev=" dev: Dev => DevWith<b':'>,
        " ino=" ino: u64 => Hexadecimal,
        " index=" index: PageIndex => Decimal,
        " nr_to_read=" nr_to_read: Pages => Decimal,
        " lookahead_size=" lookahead_size: Pages => Decimal,
    }
}
