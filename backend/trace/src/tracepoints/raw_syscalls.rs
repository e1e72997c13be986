//! The `raw_syscalls:` events: calls by number, which depends on the architecture.

use super::arguments::Argument;
use super::openat::{OpenFlags, Openat};
use super::syscalls::Syscall;
use crate::scan::{Scan, push_decimal, push_hexadecimal};
use readahead_types::Bytes;

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

fn push_signed(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_decimal(out, value.unsigned_abs());
}
