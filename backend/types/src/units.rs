//! Units as distinct types, so that pages, bytes, sectors and nanoseconds cannot be mixed up where they meet.
//!
//! A page is 4096 bytes, a sector 512 bytes. Page indexes are unsigned 64-bit numbers whose sums wrap, as they do in
//! the kernel; where a wrap matters the code that relies on it says so.

use std::fmt;

/// Bytes in a page.
pub const PAGE_BYTES: u64 = 4096;
/// Shift from bytes to pages.
pub const PAGE_SHIFT: u32 = 12;
/// Bytes in a sector.
pub const SECTOR_BYTES: u64 = 512;
/// Sectors in a page.
pub const PAGE_SECTORS: u64 = PAGE_BYTES / SECTOR_BYTES;

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident($inner:ty)) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $name(pub $inner);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

unit!(
    /// Position of a page in a file (or of the page after the last one).
    PageIndex(u64)
);
unit!(
    /// A number of pages.
    Pages(u64)
);
unit!(
    /// A number of bytes, or a byte position in a file.
    Bytes(u64)
);
unit!(
    /// A number of 512-byte sectors, or a sector's position on a disk.
    Sectors(u64)
);
unit!(
    /// Nanoseconds: a duration, or a point of a run's clock, which starts at 0.
    Nanos(u64)
);
unit!(
    /// Folio order: a folio of order k is 2^k pages and starts at a multiple of 2^k.
    Order(u8)
);

impl Bytes {
    /// Whole pages that hold this many bytes, rounded up.
    pub fn pages_up(self) -> Pages {
        Pages(self.0.div_ceil(PAGE_BYTES))
    }

    /// The page that holds this byte position.
    pub fn page(self) -> PageIndex {
        PageIndex(self.0 >> PAGE_SHIFT)
    }

    /// Sectors that hold this many bytes, rounded up.
    pub fn sectors_up(self) -> Sectors {
        Sectors(self.0.div_ceil(SECTOR_BYTES))
    }
}

impl Pages {
    /// The bytes of these pages (saturating).
    pub fn bytes(self) -> Bytes {
        Bytes(self.0.saturating_mul(PAGE_BYTES))
    }
}

impl PageIndex {
    /// The first byte of this page (saturating).
    pub fn byte(self) -> Bytes {
        Bytes(self.0.saturating_mul(PAGE_BYTES))
    }
}

impl Sectors {
    /// The bytes of these sectors (saturating).
    pub fn bytes(self) -> Bytes {
        Bytes(self.0.saturating_mul(SECTOR_BYTES))
    }
}

impl Order {
    /// Pages of a folio of this order.
    pub fn pages(self) -> u64 {
        1u64 << self.0
    }
}
