//! openat(2), whose line changed most between kernels: from linux-7.x on it shows the file's name and the flags by name.

use super::arguments::{Argument, argument, decimal_argument, push_register};
use super::shape::Form;
use crate::scan::{Scan, push_decimal, text};
use memchr::memmem;
use std::borrow::Cow;

/// The arguments of openat(2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Openat<'a> {
    /// The folder, −100 for the working directory.
    pub dfd: i32,
    /// Address of the name.
    pub filename: u64,
    /// The name itself, which linux-7.x prints.
    pub name: Option<&'a str>,
    /// The flags.
    pub flags: OpenFlags<'a>,
    /// Permissions of a new file; linux-7.x prints them only when the flags ask for a new file.
    pub mode: Option<u32>,
}

/// Flags of openat(2), as printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFlags<'a> {
    /// A number, up to linux-6.12.
    Number(u32),
    /// `O_RDONLY|O_CLOEXEC`.
    Names(&'a str),
}

impl OpenFlags<'_> {
    /// The flags' names, as on x86-64 and most machines; access for reading only is no bit.
    const BITS: [(u32, &'static str); 15] = [
        (0x1, "O_WRONLY"),
        (0x2, "O_RDWR"),
        (0x40, "O_CREAT"),
        (0x80, "O_EXCL"),
        (0x100, "O_NOCTTY"),
        (0x200, "O_TRUNC"),
        (0x400, "O_APPEND"),
        (0x800, "O_NONBLOCK"),
        (0x1000, "O_DSYNC"),
        (0x4000, "O_DIRECT"),
        (0x8000, "O_LARGEFILE"),
        (0x1_0000, "O_DIRECTORY"),
        (0x2_0000, "O_NOFOLLOW"),
        (0x4_0000, "O_NOATIME"),
        (0x8_0000, "O_CLOEXEC"),
    ];
    /// The bits that say reading, writing or both; 0 is reading only.
    pub(crate) const ACCESS: u32 = 3;

    /// The flags as a number; names that are not known are left out.
    pub fn bits(&self) -> u32 {
        match self {
            OpenFlags::Number(number) => *number,
            OpenFlags::Names(names) => names
                .split('|')
                .map(|name| match OpenFlags::BITS.iter().find(|(_, known)| *known == name) {
                    Some((bit, _)) => *bit,
                    None => Scan::new(name.strip_prefix("0x").map_or(b"0", str::as_bytes))
                        .hexadecimal()
                        .map_or(0, u32::from_register),
                })
                .fold(0, |bits, bit| bits | bit),
        }
    }

    /// The flags by name; what has no name as a number at the end.
    fn names(&self) -> Cow<'_, str> {
        let mut bits = match self {
            OpenFlags::Names(names) => return (*names).into(),
            OpenFlags::Number(number) => *number,
        };
        let mut names = Vec::new();
        if bits & OpenFlags::ACCESS == 0 {
            names.push("O_RDONLY".to_owned());
        }
        for (bit, name) in OpenFlags::BITS {
            if bits & bit != 0 {
                names.push(name.to_owned());
                bits &= !bit;
            }
        }
        if bits != 0 {
            names.push(format!("{bits:#x}"));
        }
        names.join("|").into()
    }
}

impl<'a> Openat<'a> {
    pub(super) fn read(scan: &mut Scan<'a>) -> Option<Self> {
        // The form with the file's name prints the two numbers before it in decimal, unless they carry a 0x.
        let Some(quote) = memchr::memchr(b'"', scan.rest) else {
            let dfd = i32::from_register(argument(scan, "dfd: ")?);
            let filename = argument(scan, "filename: ")?;
            let flags = u32::from_register(argument(scan, "flags: ")?);
            let mode = u32::from_register(argument(scan, "mode: ")?);
            return Some(Openat { dfd, filename, name: None, flags: OpenFlags::Number(flags), mode: Some(mode) });
        };
        let (numbers, quoted) = (&scan.rest[..quote], &scan.rest[quote + 1..]);
        let end = memmem::rfind(quoted, b"\", flags: ")?;
        let name = text(&quoted[..end]);
        let mut numbers = Scan::new(numbers);
        let dfd = i32::from_register(decimal_argument(&mut numbers, "dfd: ")?);
        let filename = decimal_argument(&mut numbers, "filename: ")?;
        let rest = &quoted[end + b"\", flags: ".len()..];
        let flags = rest.iter().position(|byte| matches!(byte, b',' | b')' | b' ')).unwrap_or(rest.len());
        scan.rest = &rest[flags..];
        let mut mode = None;
        if scan.take(b',') {
            scan.literal(" mode: ")?;
            let digits = scan.rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(scan.rest.len());
            mode = Some(u32::from_str_radix(text(&scan.rest[..digits]), 8).ok()?);
            scan.rest = &scan.rest[digits..];
        }
        Some(Openat { dfd, filename, name: Some(name), flags: OpenFlags::Names(text(&rest[..flags])), mode })
    }

    pub(super) fn write(&self, form: Form, out: &mut Vec<u8>) {
        out.extend_from_slice(b"dfd: ");
        if form >= Form::Linux7_2 {
            push_decimal(out, self.dfd.register());
            out.extend_from_slice(b", filename: ");
            push_decimal(out, self.filename);
            out.extend_from_slice(b" \"");
            out.extend_from_slice(self.name.unwrap_or("").as_bytes());
            out.extend_from_slice(b"\", flags: ");
            out.extend_from_slice(self.flags.names().as_bytes());
            if let Some(mode) = self.mode {
                out.extend_from_slice(format!(", mode: 0{mode:03o}").as_bytes());
            }
        } else {
            push_register(out, self.dfd.register(), form);
            out.extend_from_slice(b", filename: ");
            push_register(out, self.filename, form);
            out.extend_from_slice(b", flags: ");
            push_register(out, u64::from(self.flags.bits()), form);
            out.extend_from_slice(b", mode: ");
            push_register(out, u64::from(self.mode.unwrap_or(0)), form);
        }
    }
}
