//! System calls that read files or steer readahead. The trace file prints them bare, `sys_read(fd: 3, …)` and
//! `sys_read -> 0x1000`; trace-cmd prints them as events, `sys_enter_read: fd: 0x00000003, …` and `sys_exit_read: 0x1000`.
//! Arguments are found by their names, so that types (option verbose) and buffer contents (linux-7.x) do not disturb.

use super::arguments::{Argument, argument, push_register};
use super::openat::Openat;
use super::shape::Form;
use crate::scan::{Scan, push_hexadecimal, text};
use memchr::memmem;
use readahead_types::Bytes;

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

/// A system call's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SysExit<'a> {
    /// The call, without `sys_`.
    pub name: &'a str,
    /// What it returned; a negative errno when it failed.
    pub ret: i64,
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
