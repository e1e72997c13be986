//! The `filemap:` events: folios entering and leaving the page cache, reads and faults served from it.

use super::shape::{Codec, Decimal, Dev, DevWith, Form, Hexadecimal, shape};
use crate::scan::{Scan, push_decimal, push_hexadecimal};
use readahead_types::{Bytes, Order, PAGE_BYTES};

shape! {
    /// mm_filemap_add_to_page_cache and mm_filemap_delete_from_page_cache. One line stands for one folio.
    pub struct Folio {
        "dev "
        /// The file system's device.
        dev: Dev => DevWith<b':'>,
        " ino "
        /// The file.
        ino: u64 => Hexadecimal,
        " "
        /// Where in memory.
        frame: Frame => FrameText,
        " ofs="
        /// Where in the file.
        ofs: Bytes => Decimal,
        ""
        /// The folio's order; `None` on kernels that do not print it (all folios there are single pages).
        order: Option<Order> => OrderText,
    }
}

shape! {
    /// mm_filemap_get_pages and mm_filemap_map_pages: bytes `first` … `last`, both inclusive.
    pub struct PageRange {
        "dev="
        /// The file system's device.
        dev: Dev => DevWith<b':'>,
        " ino="
        /// The file.
        ino: u64 => Hexadecimal,
        " ofs="
        /// The bytes.
        ofs: ByteRange => ByteRangeText,
    }
}

shape! {
    /// mm_filemap_fault: a fault that fault-around did not solve.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct Fault {
        "dev=" dev: Dev => DevWith<b':'>,
        " ino=" ino: u64 => Hexadecimal,
        " ofs=" ofs: Bytes => Decimal,
    }
}

/// Where a folio lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Page frame number.
    pub pfn: u64,
    /// Address of the `struct page`, as printed up to linux-5.x; it may be hashed.
    pub page: Option<u64>,
}

/// Bytes `first` … `last`, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the type says it")]
pub struct ByteRange {
    pub first: Bytes,
    pub last: Bytes,
}

/// Where the kernel's array of `struct page` begins on x86-64 without address randomisation.
const VMEMMAP_BASE: u64 = 0xffff_ea00_0000_0000;
/// Bytes of a `struct page`.
const STRUCT_PAGE_BYTES: u64 = 64;

/// `page=ffffea0000343cc0 pfn=53491` or `pfn=0xd0f3`, and the mixed forms between.
struct FrameText;
impl<'a> Codec<'a, Frame> for FrameText {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<Frame> {
        let mut page = None;
        if scan.peek() == Some(b'p') && scan.rest.get(1) == Some(&b'a') {
            scan.literal("page=")?;
            page = Some(scan.hexadecimal()?);
            scan.literal(" ")?;
        }
        scan.literal("pfn=")?;
        let pfn = if scan.rest.starts_with(b"0x") { scan.hexadecimal()? } else { scan.decimal()? };
        Some(Frame { pfn, page })
    }
    fn write(value: &Frame, form: Form, out: &mut Vec<u8>) {
        if form < Form::Linux6_1 {
            let computed = VMEMMAP_BASE.wrapping_add(value.pfn.wrapping_mul(STRUCT_PAGE_BYTES));
            out.extend_from_slice(b"page=");
            push_hexadecimal(out, value.page.unwrap_or(computed), 16);
            out.extend_from_slice(b" pfn=");
            push_decimal(out, value.pfn);
        } else {
            out.extend_from_slice(b"pfn=0x");
            push_hexadecimal(out, value.pfn, 0);
        }
    }
}

/// ` order=2` at the end, or nothing.
struct OrderText;
impl<'a> Codec<'a, Option<Order>> for OrderText {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<Option<Order>> {
        match scan.rest.strip_prefix(b" order=") {
            Some(rest) => {
                scan.rest = rest;
                let order = scan.decimal()?;
                // A folio is at most half of the address space of page indexes.
                (order < 52).then_some(Some(Order(order as u8)))
            }
            None if scan.is_done() => Some(None),
            None => None,
        }
    }
    fn write(value: &Option<Order>, form: Form, out: &mut Vec<u8>) {
        if form >= Form::Linux6_1 {
            out.extend_from_slice(b" order=");
            push_decimal(out, u64::from(value.unwrap_or(Order(0)).0));
        }
    }
}

/// `0-4095`; `0 max_ofs=4096`, the form in which the event was first proposed, is read too.
struct ByteRangeText;
impl<'a> Codec<'a, ByteRange> for ByteRangeText {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<ByteRange> {
        let first = scan.decimal()?;
        let last = if scan.take(b'-') {
            scan.decimal()?
        } else {
            scan.literal(" max_ofs=")?;
            scan.decimal()?.checked_add(PAGE_BYTES - 1)?
        };
        Some(ByteRange { first: Bytes(first), last: Bytes(last) })
    }
    fn write(value: &ByteRange, _form: Form, out: &mut Vec<u8>) {
        push_decimal(out, value.first.0);
        out.push(b'-');
        push_decimal(out, value.last.0);
    }
}
