//! How the text of a tracepoint is written down once: a table of literals and fields, from which the struct, its parser
//! and its printer are made. Owns the codecs, each the two directions of one way to print a value.

use crate::scan::{Scan, push_decimal, push_hexadecimal, text};
use readahead_types::{Bytes, Order, PageIndex, Pages, Sectors};

/// The kernel generation whose text is printed. Parsing takes all of them without being told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// linux-2.6.33 with the 2010 series: its own event, and lines without flags.
    Linux2_6_33,
    /// linux-5.10: `page=`, decimal pfn, no order; bare hexadecimal system call arguments; four flag characters.
    Linux5_10,
    /// linux-6.1: hexadecimal pfn and order.
    Linux6_1,
    /// linux-6.12: get_pages, map_pages and fault; I/O priority in requests.
    Linux6_12,
    /// linux-7.2: readahead events; system call arguments with `0x`.
    Linux7_2,
}

/// A tracepoint's text, both directions.
pub(crate) trait Shape<'a>: Sized {
    /// Reads the text after the event's name. What follows the last field is left unread.
    fn read(scan: &mut Scan<'a>) -> Option<Self>;
    /// Writes the text after the event's name.
    fn write(&self, form: Form, out: &mut Vec<u8>);
}

/// One way to print a value of type `T`, both directions.
pub(crate) trait Codec<'a, T> {
    fn read(scan: &mut Scan<'a>) -> Option<T>;
    fn write(value: &T, form: Form, out: &mut Vec<u8>);
}

/// Makes a struct with its [`Shape`] from a table: one row a field, with the literal in front of it, the field, its type
/// and its codec.
macro_rules! shape {
    (
        $(#[$doc:meta])*
        pub struct $name:ident $(<$life:lifetime>)? {
            $( $literal:literal $(#[$field_doc:meta])* $field:ident : $type:ty => $codec:ty ),+ $(,)?
            $(; $end:literal)?
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name $(<$life>)? {
            $( $(#[$field_doc])* pub $field: $type, )+
        }

        impl<'a> $crate::tracepoints::shape::Shape<'a> for $name $(<$life>)? {
            #[inline(always)]
            fn read(scan: &mut $crate::scan::Scan<'a>) -> Option<Self> {
                $(
                    scan.literal($literal)?;
                    let $field = <$codec as $crate::tracepoints::shape::Codec<'a, $type>>::read(scan)?;
                )+
                $( scan.literal($end)?; )?
                Some($name { $($field),+ })
            }

            fn write(&self, form: $crate::tracepoints::shape::Form, out: &mut Vec<u8>) {
                $(
                    out.extend_from_slice($literal.as_bytes());
                    <$codec as $crate::tracepoints::shape::Codec<'_, $type>>::write(&self.$field, form, out);
                )+
                $( out.extend_from_slice($end.as_bytes()); )?
            }
        }
    };
}
pub(crate) use shape;

/// A value that is printed as an unsigned number.
pub(crate) trait Number: Copy {
    fn from_number(value: u64) -> Option<Self>;
    fn number(self) -> u64;
}

macro_rules! number {
    ($($type:ty),*) => { $(
        impl Number for $type {
            #[inline(always)]
            fn from_number(value: u64) -> Option<Self> {
                <$type>::try_from(value).ok()
            }
            fn number(self) -> u64 {
                u64::from(self)
            }
        }
    )* };
    (unit $($type:ident),*) => { $(
        impl Number for $type {
            #[inline(always)]
            fn from_number(value: u64) -> Option<Self> {
                Some($type(value.try_into().ok()?))
            }
            fn number(self) -> u64 {
                u64::from(self.0)
            }
        }
    )* };
}
number!(u64, u32, u16);
number!(unit Bytes, Order, PageIndex, Pages, Sectors);

/// `42`
pub(crate) struct Decimal;
impl<'a, T: Number> Codec<'a, T> for Decimal {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<T> {
        T::from_number(scan.decimal()?)
    }
    fn write(value: &T, _form: Form, out: &mut Vec<u8>) {
        push_decimal(out, value.number());
    }
}

/// `-1`
pub(crate) struct Signed;
impl<'a> Codec<'a, i64> for Signed {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<i64> {
        scan.signed()
    }
    fn write(value: &i64, _form: Form, out: &mut Vec<u8>) {
        if *value < 0 {
            out.push(b'-');
        }
        push_decimal(out, value.unsigned_abs());
    }
}
impl<'a> Codec<'a, i32> for Signed {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<i32> {
        i32::try_from(scan.signed()?).ok()
    }
    fn write(value: &i32, form: Form, out: &mut Vec<u8>) {
        <Signed as Codec<'_, i64>>::write(&i64::from(*value), form, out);
    }
}

/// `2a`
pub(crate) struct Hexadecimal;
impl<'a> Codec<'a, u64> for Hexadecimal {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<u64> {
        scan.hexadecimal()
    }
    fn write(value: &u64, _form: Form, out: &mut Vec<u8>) {
        push_hexadecimal(out, *value, 0);
    }
}

/// The bytes up to the field's end, which the codec takes and writes too.
pub(crate) struct TextUntil<const END: u8>;
impl<'a, const END: u8> Codec<'a, &'a str> for TextUntil<END> {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<&'a str> {
        Some(text(scan.until(END)?))
    }
    fn write(value: &&'a str, _form: Form, out: &mut Vec<u8>) {
        out.extend_from_slice(value.as_bytes());
        out.push(END);
    }
}

/// The name of a task up to the last closing bracket of the line: names may hold brackets themselves.
pub(crate) struct Comm;
impl<'a> Codec<'a, &'a str> for Comm {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<&'a str> {
        if let [name @ .., b']'] = scan.rest {
            scan.rest = &[];
            return Some(text(name));
        }
        let at = memchr::memrchr(b']', scan.rest)?;
        let name = text(&scan.rest[..at]);
        scan.rest = &scan.rest[at + 1..];
        Some(name)
    }
    fn write(value: &&'a str, _form: Form, out: &mut Vec<u8>) {
        out.extend_from_slice(value.as_bytes());
        out.push(b']');
    }
}

/// A device number as the kernel packs it: 12 bits of major, 20 bits of minor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Dev {
    /// The driver. 0 is a file system without a device of its own.
    pub major: u32,
    /// The device, or partition.
    pub minor: u32,
}

impl Dev {
    /// From the packed form.
    pub fn from_packed(packed: u64) -> Option<Self> {
        let packed = u32::try_from(packed).ok()?;
        Some(Dev { major: packed >> 20, minor: packed & 0xf_ffff })
    }
}

impl std::fmt::Display for Dev {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.major, self.minor)
    }
}

/// `259:0` or `259,0`; the character between is the one that is printed, both are read, with or without parentheses.
pub(crate) struct DevWith<const BETWEEN: u8>;
impl<'a, const BETWEEN: u8> Codec<'a, Dev> for DevWith<BETWEEN> {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<Dev> {
        let open = scan.take(b'(');
        let major = u32::try_from(scan.decimal()?).ok()?;
        if !scan.take(b':') && !scan.take(b',') {
            return None;
        }
        let minor = u32::try_from(scan.decimal()?).ok()?;
        (!open || scan.take(b')')).then_some(Dev { major, minor })
    }
    fn write(value: &Dev, _form: Form, out: &mut Vec<u8>) {
        push_decimal(out, u64::from(value.major));
        out.push(BETWEEN);
        push_decimal(out, u64::from(value.minor));
    }
}
