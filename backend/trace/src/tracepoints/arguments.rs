//! Arguments of system calls in text: found by name, read and printed as registers. Must not know the calls.

use super::shape::Form;
use crate::scan::{Scan, push_hexadecimal};
use memchr::memmem;
use readahead_types::Bytes;

/// An argument as it lies in a 64-bit register.
pub(super) trait Argument: Copy {
    fn from_register(register: u64) -> Self;
    fn register(self) -> u64;
}

impl Argument for u64 {
    fn from_register(register: u64) -> Self {
        register
    }
    fn register(self) -> u64 {
        self
    }
}
impl Argument for i64 {
    fn from_register(register: u64) -> Self {
        register as i64
    }
    fn register(self) -> u64 {
        self as u64
    }
}
/// The kernel takes the low half.
impl Argument for u32 {
    fn from_register(register: u64) -> Self {
        register as u32
    }
    fn register(self) -> u64 {
        u64::from(self)
    }
}
/// The kernel takes the low half; it is shown as an unsigned number of 32 bits.
impl Argument for i32 {
    fn from_register(register: u64) -> Self {
        register as u32 as i32
    }
    fn register(self) -> u64 {
        u64::from(self as u32)
    }
}
impl Argument for Bytes {
    fn from_register(register: u64) -> Self {
        Bytes(register)
    }
    fn register(self) -> u64 {
        self.0
    }
}

/// Moves to the value of the argument `key` (`"fd: "`), usually right here or behind a comma.
#[inline(always)]
fn seek<'a>(scan: &mut Scan<'a>, key: &str) -> Option<()> {
    let mut rest = scan.rest;
    if let [b',', b' ', tail @ ..] = rest {
        rest = tail;
    }
    if let Some(value) = rest.strip_prefix(key.as_bytes()) {
        scan.rest = value;
        return Some(());
    }
    seek_further(scan, key)
}

/// Behind types or buffer contents, or among raw fields (`fd=0x00000003`).
#[cold]
fn seek_further(scan: &mut Scan<'_>, key: &str) -> Option<()> {
    let mut from = 0;
    let name = key.strip_suffix(": ").unwrap_or(key);
    while let Some(found) = memmem::find(&scan.rest[from..], name.as_bytes()) {
        let (at, behind) = (from + found, from + found + name.len());
        let starts = at == 0 || matches!(scan.rest[at - 1], b' ' | b'*');
        let value = match &scan.rest[behind..] {
            [b':', b' ', value @ ..] | [b'=', value @ ..] => value,
            _ => &[],
        };
        if starts && !value.is_empty() {
            scan.rest = value;
            return Some(());
        }
        from = behind;
    }
    None
}

#[inline(always)]
pub(super) fn argument(scan: &mut Scan<'_>, key: &str) -> Option<u64> {
    seek(scan, key)?;
    scan.hexadecimal()
}

pub(super) fn decimal_argument(scan: &mut Scan<'_>, key: &str) -> Option<u64> {
    seek(scan, key)?;
    if scan.rest.starts_with(b"0x") { scan.hexadecimal() } else { scan.decimal() }
}

/// Up to linux-6.12 bare hexadecimal; from 7.x on small values are bare and others carry `0x`.
pub(super) fn push_register(out: &mut Vec<u8>, value: u64, form: Form) {
    if form >= Form::Linux7_2 && value >= 10 {
        out.extend_from_slice(b"0x");
    }
    push_hexadecimal(out, value, 0);
}
