//! A cursor over the bytes of one line: literals and integers, nothing else. Must not know any tracepoint.

/// The unread rest of a line. Every reader returns `None` when the text is not what it expects; the cursor is then
/// somewhere inside the line and the caller gives the line up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scan<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Scan<'a> {
    pub(crate) fn new(rest: &'a [u8]) -> Self {
        Scan { rest }
    }

    #[inline(always)]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.rest.first().copied()
    }

    #[inline(always)]
    pub(crate) fn skip_spaces(&mut self) {
        while let [b' ' | b'\t', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// Takes `byte` if it comes next.
    #[inline(always)]
    pub(crate) fn take(&mut self, byte: u8) -> bool {
        match self.rest {
            [first, rest @ ..] if *first == byte => {
                self.rest = rest;
                true
            }
            _ => false,
        }
    }

    /// The literal must come next. Kernels have printed some events as `dev 8:1` and later as `dev=8:1`, so a blank
    /// and an equals sign stand for each other.
    #[inline(always)]
    pub(crate) fn literal(&mut self, literal: &str) -> Option<()> {
        match self.rest.strip_prefix(literal.as_bytes()) {
            Some(rest) => {
                self.rest = rest;
                Some(())
            }
            None => self.literal_loosely(literal.as_bytes()),
        }
    }

    #[cold]
    fn literal_loosely(&mut self, literal: &[u8]) -> Option<()> {
        let text = self.rest.get(..literal.len())?;
        let same = |byte: u8| if byte == b'=' { b' ' } else { byte };
        if text.iter().zip(literal).all(|(left, right)| same(*left) == same(*right)) {
            self.rest = &self.rest[literal.len()..];
            Some(())
        } else {
            None
        }
    }

    /// An unsigned decimal number of at least one digit that fits 64 bits.
    #[inline(always)]
    pub(crate) fn decimal(&mut self) -> Option<u64> {
        let mut value = 0u64;
        let mut digits = 0;
        let mut bytes = self.rest;
        while let [byte @ b'0'..=b'9', rest @ ..] = bytes {
            if digits >= 19 {
                value = value.checked_mul(10)?.checked_add(u64::from(byte - b'0'))?;
            } else {
                value = value * 10 + u64::from(byte - b'0');
            }
            digits += 1;
            bytes = rest;
        }
        self.rest = bytes;
        (digits > 0).then_some(value)
    }

    /// A decimal number with an optional minus sign.
    #[inline(always)]
    pub(crate) fn signed(&mut self) -> Option<i64> {
        if self.take(b'-') {
            let value = self.decimal()?;
            0i64.checked_sub_unsigned(value)
        } else {
            i64::try_from(self.decimal()?).ok()
        }
    }

    /// A hexadecimal number, with or without `0x`, that fits 64 bits.
    #[inline(always)]
    pub(crate) fn hexadecimal(&mut self) -> Option<u64> {
        if let [b'0', b'x' | b'X', rest @ ..] = self.rest {
            self.rest = rest;
        }
        let mut value = 0u64;
        let mut digits = 0;
        let mut bytes = self.rest;
        while let [byte, rest @ ..] = bytes {
            let digit = match byte {
                b'0'..=b'9' => byte - b'0',
                b'a'..=b'f' => byte - b'a' + 10,
                b'A'..=b'F' => byte - b'A' + 10,
                _ => break,
            };
            if value >> 60 != 0 {
                return None;
            }
            value = value << 4 | u64::from(digit);
            digits += 1;
            bytes = rest;
        }
        self.rest = bytes;
        (digits > 0).then_some(value)
    }

    /// The bytes up to (and not with) `end`, which is taken too.
    #[inline]
    pub(crate) fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        let at = memchr::memchr(end, self.rest)?;
        let (text, rest) = self.rest.split_at(at);
        self.rest = &rest[1..];
        Some(text)
    }

    /// The bytes up to the next blank, or to the end.
    #[inline(always)]
    pub(crate) fn word(&mut self) -> &'a [u8] {
        let at = self.rest.iter().position(|byte| *byte == b' ').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(at);
        self.rest = rest;
        word
    }

    /// Nothing but blanks follows.
    pub(crate) fn is_done(&self) -> bool {
        self.rest.iter().all(|byte| matches!(byte, b' ' | b'\t'))
    }
}

/// As much of `bytes` as is UTF-8.
#[inline(always)]
pub(crate) fn text(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or(""),
    }
}

/// Appends a decimal number.
pub(crate) fn push_decimal(out: &mut Vec<u8>, value: u64) {
    push_decimal_wide(out, value, 0, b' ');
}

/// Appends a decimal number, filled on the left to `width`.
pub(crate) fn push_decimal_wide(out: &mut Vec<u8>, mut value: u64, width: usize, fill: u8) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    let text = &digits[at..];
    out.extend(std::iter::repeat_n(fill, width.saturating_sub(text.len())));
    out.extend_from_slice(text);
}

/// Appends a hexadecimal number without `0x`, filled on the left with zeros to `width`.
pub(crate) fn push_hexadecimal(out: &mut Vec<u8>, mut value: u64, width: usize) {
    let mut digits = [0u8; 16];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b"0123456789abcdef"[(value & 15) as usize];
        value >>= 4;
        if value == 0 {
            break;
        }
    }
    let text = &digits[at..];
    out.extend(std::iter::repeat_n(b'0', width.saturating_sub(text.len())));
    out.extend_from_slice(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stop_at_the_edge_of_64_bits() {
        assert_eq!(Scan::new(b"18446744073709551615 x").decimal(), Some(u64::MAX));
        assert_eq!(Scan::new(b"18446744073709551616").decimal(), None);
        assert_eq!(Scan::new(b"99999999999999999999999").decimal(), None);
        assert_eq!(Scan::new(b"0xffffffffffffffff").hexadecimal(), Some(u64::MAX));
        assert_eq!(Scan::new(b"10000000000000000").hexadecimal(), None);
        assert_eq!(Scan::new(b"-1").signed(), Some(-1));
        assert_eq!(Scan::new(b"-9223372036854775808").signed(), Some(i64::MIN));
        assert_eq!(Scan::new(b"").decimal(), None);
        assert_eq!(Scan::new(b"x").hexadecimal(), None);
    }

    #[test]
    fn blanks_and_equals_signs_stand_for_each_other() {
        let mut scan = Scan::new(b"dev 8:1");
        assert_eq!(scan.literal("dev="), Some(()));
        assert_eq!(scan.rest, b"8:1");
        assert_eq!(Scan::new(b"deva8:1").literal("dev="), None);
        assert_eq!(Scan::new(b"de").literal("dev="), None);
    }

    #[test]
    fn numbers_are_printed_as_they_are_read() {
        let mut out = Vec::new();
        push_decimal_wide(&mut out, 42, 5, b' ');
        push_hexadecimal(&mut out, 0xbeef, 8);
        push_decimal(&mut out, u64::MAX);
        assert_eq!(out, b"   420000beef18446744073709551615");
    }
}
