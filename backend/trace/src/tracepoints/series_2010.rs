//! The event `readahead` of the 2010 series (patch trace-event on linux-2.6.33): one line a window, after its pages were
//! added. Two postings of the patch print the same text. The first takes the pattern's name; the second stores the
//! pattern as a number and has `__print_symbolic` name it, so that raw output shows the number.

use super::shape::{Codec, Decimal, Dev, DevWith, Form, shape};
use crate::scan::{Scan, push_decimal};
use readahead_types::{PageIndex, Pages, Pattern};

/// The names of the numbers that the second posting stores. The last is the row of all windows in the stats table; no
/// event carries it.
pub const PATTERN_NAMES: [&str; 8] =
    ["initial", "subsequent", "context", "thrash", "around", "fadvise", "random", "all"];

/// A pattern as it stands in the text: named, or in raw output of the second posting as its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownPattern {
    /// `initial`
    Name(Pattern),
    /// `0`
    Number(Pattern),
}

impl ShownPattern {
    /// The pattern, however it is shown.
    pub fn pattern(self) -> Pattern {
        match self {
            ShownPattern::Name(pattern) | ShownPattern::Number(pattern) => pattern,
        }
    }
}

shape! {
    /// A window was read: `readahead-initial(dev=0:15, ino=100177, req=0+2, ra=0+4-2, async=0) = 4`.
    pub struct RaWindow {
        "readahead-"
        /// Why it was made.
        pattern: ShownPattern => PatternText,
        "(dev="
        /// The file's device.
        dev: Dev => DevWith<b':'>,
        ", ino="
        /// The file, in decimal.
        ino: u64 => Decimal,
        ", req="
        /// The page that asked for it; of a forced range, its end.
        index: PageIndex => Decimal,
        "+"
        /// Pages that the caller wanted; 0 for a forced range.
        req: Pages => Decimal,
        ", ra="
        /// First page.
        start: PageIndex => Decimal,
        "+"
        /// Pages as decided; 0 for a forced range.
        size: Pages => Decimal,
        "-"
        /// Pages behind the marker.
        async_size: Pages => Decimal,
        ", async="
        /// The window starts behind the page that asked for it.
        ahead: bool => Bit,
        ") = "
        /// Pages added.
        actual: Pages => Decimal,
    }
}

/// `initial`, or `0` in raw output.
struct PatternText;
impl<'a> Codec<'a, ShownPattern> for PatternText {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<ShownPattern> {
        if matches!(scan.peek(), Some(b'0'..=b'9')) {
            let number = usize::try_from(scan.decimal()?).ok()?;
            return Pattern::ALL.get(number).copied().map(ShownPattern::Number);
        }
        let end = scan.rest.iter().position(|byte| !byte.is_ascii_lowercase())?;
        let (name, rest) = scan.rest.split_at(end);
        let pattern = Pattern::ALL.into_iter().find(|pattern| pattern.name().as_bytes() == name)?;
        scan.rest = rest;
        Some(ShownPattern::Name(pattern))
    }
    fn write(value: &ShownPattern, _form: Form, out: &mut Vec<u8>) {
        match value {
            ShownPattern::Name(pattern) => out.extend_from_slice(pattern.name().as_bytes()),
            ShownPattern::Number(pattern) => push_decimal(out, *pattern as u64),
        }
    }
}

/// `0` or `1`
struct Bit;
impl<'a> Codec<'a, bool> for Bit {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<bool> {
        match scan.decimal()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
    fn write(value: &bool, _form: Form, out: &mut Vec<u8>) {
        out.push(if *value { b'1' } else { b'0' });
    }
}

impl RaWindow {
    /// The text behind the event's name, as the trace file shows it.
    pub fn text(&self) -> String {
        let mut out = Vec::new();
        super::shape::Shape::write(self, Form::Linux2_6_33, &mut out);
        String::from_utf8(out).expect("the text is ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tracepoints::Tracepoint;

    /// The line of the cp listing of the conformance vectors, and the same in raw output.
    #[test]
    fn both_ways_to_show_a_pattern_are_read_and_printed() {
        let text = "readahead: readahead-context(dev=0:15, ino=100177, req=84+2, ra=84+128-22, async=0) = 0";
        let raw = "readahead: readahead-2(dev=0:15, ino=100177, req=84+2, ra=84+128-22, async=0) = 0";
        for line in [text, raw] {
            let Ok(Some(("readahead", event))) = Tracepoint::read(line.as_bytes()) else { panic!("{line}") };
            let Tracepoint::Readahead(window) = event else { panic!("{event:?}") };
            assert_eq!(window.pattern.pattern(), Pattern::Context);
            assert_eq!((window.start, window.size, window.async_size), (PageIndex(84), Pages(128), Pages(22)));
            let mut again = Vec::new();
            event.write(Form::Linux2_6_33, &mut again);
            assert_eq!(String::from_utf8(again).unwrap(), line);
        }
    }

    #[test]
    fn what_no_kernel_prints_is_refused() {
        for line in [
            "readahead: readahead-all(dev=0:15, ino=1, req=0+0, ra=0+0-0, async=0) = 0",
            "readahead: readahead-7(dev=0:15, ino=1, req=0+0, ra=0+0-0, async=0) = 0",
            "readahead: readahead-initial(dev=0:15, ino=1, req=0+0, ra=0+0-0, async=2) = 0",
            "readahead: readahead-initial(dev=0:15, ino=1, req=0+0, ra=0+0-0, async=0)",
        ] {
            assert!(Tracepoint::read(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn the_numbers_are_those_of_the_names() {
        for pattern in Pattern::ALL {
            assert_eq!(PATTERN_NAMES[pattern as usize], pattern.name());
        }
    }
}
