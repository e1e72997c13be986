//! Which file a process's descriptor stands for. Names come from openat lines (linux-7.x prints them); the descriptor from
//! the line of the return, or, without it, from the order of use.

use crate::record::Record;
use crate::tracepoints::Tracepoint;
use crate::tracepoints::openat::OpenFlags;
use crate::tracepoints::syscalls::Syscall;
use std::collections::{HashMap, VecDeque};

/// Most descriptors, and most opens without a descriptor, that are remembered of a process.
const OPEN_MAX: usize = 4096;
/// fadvise: RANDOM and NORMAL, SEQUENTIAL.
const ADVICE_NORMAL: u32 = 0;
const ADVICE_RANDOM: u32 = 1;
const ADVICE_SEQUENTIAL: u32 = 2;

/// What is known of a process's open files.
#[derive(Default)]
pub(super) struct Process {
    open: HashMap<i32, OpenFile>,
    /// An open that has not returned.
    opening: Option<Opened>,
    /// Opens whose return was not traced, in order.
    unplaced: VecDeque<Opened>,
    current: Option<i32>,
    returns: bool,
}

/// What an open asked for.
struct Opened {
    name: Box<str>,
    /// Not a folder, and not for writing only.
    readable: bool,
}

/// Descriptors that a process has from its start.
const INHERITED: std::ops::RangeInclusive<i32> = 0..=2;

/// An open file.
#[derive(Default)]
pub(super) struct OpenFile {
    pub(super) name: Option<Box<str>>,
    /// The name was matched by the order of use.
    pub(super) guessed: bool,
    /// Place in the list of files.
    pub(super) file: Option<usize>,
    /// POSIX_FADV_RANDOM.
    pub(super) random: bool,
}

impl Process {
    /// Takes a system call line. `true`: it was one.
    pub(super) fn syscall(&mut self, record: &Record<'_>) -> bool {
        match &record.event {
            Tracepoint::SysEnter(call) => self.enter(call),
            Tracepoint::RawEnter(raw) => match raw.on_x86_64() {
                Some(call) => self.enter(&call),
                None => self.current = None,
            },
            Tracepoint::SysExit(exit) => self.exit(exit.name, exit.ret),
            Tracepoint::RawExit(raw) => self.exit(raw.name_on_x86_64().unwrap_or(""), raw.ret),
            _ => return false,
        }
        true
    }

    fn enter(&mut self, call: &Syscall<'_>) {
        if let Some(opened) = self.opening.take()
            && self.unplaced.len() < OPEN_MAX
        {
            self.unplaced.push_back(opened);
        }
        if !matches!(call, Syscall::Madvise { .. } | Syscall::Munmap { .. }) {
            self.current = None;
        }
        match *call {
            Syscall::Openat(openat) => {
                self.opening =
                    openat.name.map(|name| Opened { name: name.into(), readable: is_readable(openat.flags) });
            }
            Syscall::Close { fd } => {
                if self.open.remove(&fd).is_none() && !INHERITED.contains(&fd) {
                    self.unplaced.pop_front();
                }
            }
            Syscall::Fadvise64 { fd, advice, .. } => {
                if let Some(open) = self.used(fd) {
                    match advice {
                        ADVICE_RANDOM => open.random = true,
                        ADVICE_NORMAL | ADVICE_SEQUENTIAL => open.random = false,
                        _ => {}
                    }
                }
            }
            Syscall::Read { fd, .. }
            | Syscall::Pread64 { fd, .. }
            | Syscall::Lseek { fd, .. }
            | Syscall::Readahead { fd, .. }
            | Syscall::Mmap { fd, .. } => {
                self.used(fd);
            }
            Syscall::Munmap { .. } | Syscall::Madvise { .. } => {}
        }
    }

    fn exit(&mut self, name: &str, ret: i64) {
        if name == "openat" {
            self.returns = true;
            let opened = self.opening.take();
            if let (Ok(fd @ 0..), Some(opened)) = (i32::try_from(ret), opened)
                && self.open.len() < OPEN_MAX
            {
                self.open.insert(fd, OpenFile { name: Some(opened.name), ..OpenFile::default() });
            }
        }
        // Faults on a mapping come after the calls that made it.
        if !matches!(name, "mmap" | "madvise" | "munmap") {
            self.current = None;
        }
    }

    /// The process uses a descriptor. One that was never seen is that of the earliest open for reading without one.
    fn used(&mut self, fd: i32) -> Option<&mut OpenFile> {
        if fd < 0 || (self.open.len() >= OPEN_MAX && !self.open.contains_key(&fd)) {
            return None;
        }
        self.current = Some(fd);
        if !self.open.contains_key(&fd) {
            let guessed = self.unplaced.len() > 1;
            let place = self.unplaced.iter().position(|opened| opened.readable);
            let opened = match place {
                Some(place) if !self.returns && !INHERITED.contains(&fd) => self.unplaced.remove(place),
                _ => None,
            };
            let name = opened.map(|opened| opened.name);
            self.open.insert(fd, OpenFile { name, guessed, ..OpenFile::default() });
        }
        self.open.get_mut(&fd)
    }

    /// The open file that the running system call works on.
    pub(super) fn current(&mut self) -> Option<&mut OpenFile> {
        self.open.get_mut(&self.current?)
    }

    /// Events were lost: no call is running for sure, and no descriptor is sure to be the same.
    pub(super) fn interrupted(&mut self) {
        self.current = None;
        self.opening = None;
    }
}

/// Data can be read through a descriptor opened with these flags.
fn is_readable(flags: OpenFlags<'_>) -> bool {
    const O_WRONLY: u32 = 1;
    const O_DIRECTORY: u32 = 0x1_0000;
    const O_PATH: u32 = 0x20_0000;
    let bits = flags.bits();
    bits & OpenFlags::ACCESS != O_WRONLY && bits & (O_DIRECTORY | O_PATH) == 0
}
