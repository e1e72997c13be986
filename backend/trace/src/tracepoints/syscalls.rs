//! System calls that read files or steer readahead. The trace file prints them bare, `sys_read(fd: 3, …)` and
//! `sys_read -> 0x1000`; trace-cmd prints them as events, `sys_enter_read: fd: 0x00000003, …` and `sys_exit_read: 0x1000`.
//! Arguments are found by their names, so that types (option verbose) and buffer contents (linux-7.x) do not disturb.

use super::shape::Form;
use crate::scan::{Scan, push_decimal, push_hexadecimal, text};
use memchr::memmem;
use readahead_types::Bytes;
use std::borrow::Cow;

/// One table row a call: its name, its arguments with their names as printed.
macro_rules! syscalls {
    ($( $(#[$doc:meta])* $variant:ident = $name:literal { $( $field:ident : $type:ty = $key:literal ),+ } )+) => {
        /// A system call at its entry.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the fields are the calls' arguments")]
        pub enum Syscall<'a> {
            $( $(#[$doc])* $variant { $( $field: $type ),+ }, )+
            /// openat(2).
            Openat(Openat<'a>),
        }

        impl<'a> Syscall<'a> {
            /// The call's name, without `sys_`.
            pub fn name(&self) -> &'static str {
                match self {
                    $( Syscall::$variant { .. } => $name, )+
                    Syscall::Openat(_) => "openat",
                }
            }

            /// Whether the call is one of ours; its text may still be unreadable.
            pub(crate) fn is_known(name: &[u8]) -> bool {
                name == b"openat" $( || name == $name.as_bytes() )+
            }

            /// Reads the arguments of the call `name`.
            #[inline]
            pub(crate) fn read(name: &[u8], scan: &mut Scan<'a>) -> Option<Self> {
                $(
                    if name == $name.as_bytes() {
                        $( let $field = <$type as Argument>::from_register(argument(scan, concat!($key, ": "))?); )+
                        return Some(Syscall::$variant { $($field),+ });
                    }
                )+
                if name == b"openat" { Openat::read(scan).map(Syscall::Openat) } else { None }
            }

            /// Writes the arguments without the parentheses.
            pub(crate) fn write(&self, form: Form, out: &mut Vec<u8>) {
                match self {
                    $( Syscall::$variant { $($field),+ } => {
                        let mut between: &[u8] = b"";
                        $(
                            out.extend_from_slice(between);
                            out.extend_from_slice(concat!($key, ": ").as_bytes());
                            push_register(out, Argument::register(*$field), form);
                            between = b", ";
                        )+
                        let _ = between;
                    } )+
                    Syscall::Openat(openat) => openat.write(form, out),
                }
            }
        }
    };
}

syscalls! {
    /// read(2).
    Read = "read" { fd: i32 = "fd", buf: u64 = "buf", count: Bytes = "count" }
    /// pread64(2).
    Pread64 = "pread64" { fd: i32 = "fd", buf: u64 = "buf", count: Bytes = "count", pos: i64 = "pos" }
    /// lseek(2).
    Lseek = "lseek" { fd: i32 = "fd", offset: i64 = "offset", whence: u32 = "whence" }
    /// fadvise64(2).
    Fadvise64 = "fadvise64" { fd: i32 = "fd", offset: i64 = "offset", len: u64 = "len", advice: u32 = "advice" }
    /// readahead(2).
    Readahead = "readahead" { fd: i32 = "fd", offset: i64 = "offset", count: Bytes = "count" }
    /// mmap(2).
    Mmap = "mmap" {
        addr: u64 = "addr", len: Bytes = "len", prot: u32 = "prot", flags: u32 = "flags", fd: i32 = "fd", off: u64 = "off"
    }
    /// munmap(2).
    Munmap = "munmap" { addr: u64 = "addr", len: Bytes = "len" }
    /// madvise(2).
    Madvise = "madvise" { start: u64 = "start", len: Bytes = "len_in", behavior: u32 = "behavior" }
    /// close(2).
    Close = "close" { fd: i32 = "fd" }
}

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
    fn read(scan: &mut Scan<'a>) -> Option<Self> {
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

    fn write(&self, form: Form, out: &mut Vec<u8>) {
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

/// A system call's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SysExit<'a> {
    /// The call, without `sys_`.
    pub name: &'a str,
    /// What it returned; a negative errno when it failed.
    pub ret: i64,
}

/// `raw_syscalls:sys_enter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawEnter {
    /// The call's number, which depends on the architecture.
    pub nr: i64,
    /// Its arguments.
    pub args: [u64; 6],
}

/// `raw_syscalls:sys_exit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawExit {
    /// The call's number, which depends on the architecture.
    pub nr: i64,
    /// What it returned.
    pub ret: i64,
}

impl RawEnter {
    /// ` NR 0 (4, 7ff4ffd0f000, 10000, …)`
    pub(crate) fn read(scan: &mut Scan<'_>) -> Option<Self> {
        scan.literal("NR ")?;
        let nr = scan.signed()?;
        scan.literal(" (")?;
        let mut args = [0; 6];
        for (at, arg) in args.iter_mut().enumerate() {
            if at > 0 {
                scan.literal(", ")?;
            }
            *arg = scan.hexadecimal()?;
        }
        scan.literal(")")?;
        Some(RawEnter { nr, args })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"NR ");
        push_signed(out, self.nr);
        for (at, arg) in self.args.iter().enumerate() {
            out.extend_from_slice(if at == 0 { b" (" } else { b", " });
            push_hexadecimal(out, *arg, 0);
        }
        out.push(b')');
    }

    /// The call, if the machine was an x86-64.
    pub fn on_x86_64(&self) -> Option<Syscall<'static>> {
        let a = &self.args;
        let fd = i32::from_register(a[0]);
        Some(match self.nr {
            0 => Syscall::Read { fd, buf: a[1], count: Bytes(a[2]) },
            3 => Syscall::Close { fd },
            8 => Syscall::Lseek { fd, offset: i64::from_register(a[1]), whence: u32::from_register(a[2]) },
            9 => Syscall::Mmap {
                addr: a[0],
                len: Bytes(a[1]),
                prot: u32::from_register(a[2]),
                flags: u32::from_register(a[3]),
                fd: i32::from_register(a[4]),
                off: a[5],
            },
            11 => Syscall::Munmap { addr: a[0], len: Bytes(a[1]) },
            17 => Syscall::Pread64 { fd, buf: a[1], count: Bytes(a[2]), pos: i64::from_register(a[3]) },
            28 => Syscall::Madvise { start: a[0], len: Bytes(a[1]), behavior: u32::from_register(a[2]) },
            187 => Syscall::Readahead { fd, offset: i64::from_register(a[1]), count: Bytes(a[2]) },
            221 => {
                Syscall::Fadvise64 { fd, offset: i64::from_register(a[1]), len: a[2], advice: u32::from_register(a[3]) }
            }
            257 => Syscall::Openat(Openat {
                dfd: fd,
                filename: a[1],
                name: None,
                flags: OpenFlags::Number(u32::from_register(a[2])),
                mode: Some(u32::from_register(a[3])),
            }),
            _ => return None,
        })
    }
}

impl RawExit {
    /// ` NR 0 = 4194304`
    pub(crate) fn read(scan: &mut Scan<'_>) -> Option<Self> {
        scan.literal("NR ")?;
        let nr = scan.signed()?;
        scan.literal(" = ")?;
        let ret = scan.signed()?;
        Some(RawExit { nr, ret })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"NR ");
        push_signed(out, self.nr);
        out.extend_from_slice(b" = ");
        push_signed(out, self.ret);
    }

    /// The call's name, if the machine was an x86-64.
    pub fn name_on_x86_64(&self) -> Option<&'static str> {
        RawEnter { nr: self.nr, args: [0; 6] }.on_x86_64().map(|call| call.name())
    }
}

impl<'a> SysExit<'a> {
    /// `0x1000`, a large unsigned number when the call failed.
    pub(crate) fn read(name: &'a [u8], scan: &mut Scan<'_>) -> Option<Self> {
        let raw = memmem::find(scan.rest, b"ret=");
        if let Some(at) = raw {
            scan.rest = &scan.rest[at + b"ret=".len()..];
        }
        let decimal = scan.peek() == Some(b'-') || (raw.is_some() && !scan.rest.starts_with(b"0x"));
        let ret = if decimal { scan.signed()? } else { i64::from_register(scan.hexadecimal()?) };
        Some(SysExit { name: text(name), ret })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"0x");
        push_hexadecimal(out, self.ret.register(), 0);
    }
}

fn push_signed(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_decimal(out, value.unsigned_abs());
}

/// An argument as it lies in a 64-bit register.
trait Argument: Copy {
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
fn argument(scan: &mut Scan<'_>, key: &str) -> Option<u64> {
    seek(scan, key)?;
    scan.hexadecimal()
}

fn decimal_argument(scan: &mut Scan<'_>, key: &str) -> Option<u64> {
    seek(scan, key)?;
    if scan.rest.starts_with(b"0x") { scan.hexadecimal() } else { scan.decimal() }
}

/// Up to linux-6.12 bare hexadecimal; from 7.x on small values are bare and others carry `0x`.
fn push_register(out: &mut Vec<u8>, value: u64, form: Form) {
    if form >= Form::Linux7_2 && value >= 10 {
        out.extend_from_slice(b"0x");
    }
    push_hexadecimal(out, value, 0);
}
