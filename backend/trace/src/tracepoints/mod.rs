//! The list of tracepoints that are understood: name, variant, table. A new tracepoint is a table in one of the files
//! beside this one and a row here.

mod arguments;
pub mod block;
pub mod filemap;
pub mod openat;
pub mod raw_syscalls;
pub mod readahead;
pub mod rwbs;
pub mod series_2010;
pub(crate) mod shape;
pub mod syscalls;

use crate::scan::{Scan, text};
use block::{Bio, BioDone, Plug, Remap, Request, RequestDone, Split, Unplug};
use filemap::{Fault, Folio, PageRange};
use raw_syscalls::{RawEnter, RawExit};
use readahead::{RaOrder, RaTrigger, RaUnbounded};
use series_2010::RaWindow;
use shape::{Form, Shape};
use syscalls::{SysExit, Syscall};

/// Why the text of a known event was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadText;

macro_rules! tracepoints {
    ($( $name:literal $variant:ident($table:ident $(<$life:lifetime>)?) )+) => {
        /// One event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Tracepoint<'a> {
            $( #[doc = concat!("`", $name, "`")] $variant($table $(<$life>)?), )+
            /// A system call's entry.
            SysEnter(Syscall<'a>),
            /// A system call's return.
            SysExit(SysExit<'a>),
            /// `raw_syscalls:sys_enter`
            RawEnter(RawEnter),
            /// `raw_syscalls:sys_exit`
            RawExit(RawExit),
            /// An event that this crate does not take apart.
            Other(Other<'a>),
        }

        /// The names of the tracepoints that have a table, in the order of the list.
        pub const NAMES: &[&str] = &[$($name),+];

        impl<'a> Tracepoint<'a> {
            /// Place in [`NAMES`] and in the counters; `None` for system calls and other events.
            pub(crate) fn index(&self) -> Option<usize> {
                #[repr(usize)]
                enum Index { $( $variant ),+ }
                match self {
                    $( Tracepoint::$variant(_) => Some(Index::$variant as usize), )+
                    _ => None,
                }
            }

            #[inline(always)]
            fn read_table(name: &[u8], scan: &mut Scan<'a>) -> Result<Option<Self>, BadText> {
                $(
                    if name == $name.as_bytes() {
                        return match Shape::read(scan) {
                            Some(table) if matches!(scan.rest, [] | [b' ' | b'\t', ..]) => {
                                Ok(Some(Tracepoint::$variant(table)))
                            }
                            _ => Err(BadText),
                        };
                    }
                )+
                Ok(None)
            }

            fn write_table(&self, form: Form, out: &mut Vec<u8>) {
                match self {
                    $( Tracepoint::$variant(table) => {
                        out.extend_from_slice(concat!($name, ": ").as_bytes());
                        table.write(form, out);
                    } )+
                    _ => {}
                }
            }
        }
    };
}

tracepoints! {
    "mm_filemap_add_to_page_cache" MmFilemapAddToPageCache(Folio)
    "mm_filemap_delete_from_page_cache" MmFilemapDeleteFromPageCache(Folio)
    "mm_filemap_get_pages" MmFilemapGetPages(PageRange)
    "mm_filemap_map_pages" MmFilemapMapPages(PageRange)
    "mm_filemap_fault" MmFilemapFault(Fault)
    "page_cache_ra_order" PageCacheRaOrder(RaOrder)
    "page_cache_async_ra" PageCacheAsyncRa(RaTrigger)
    "page_cache_sync_ra" PageCacheSyncRa(RaTrigger)
    "page_cache_ra_unbounded" PageCacheRaUnbounded(RaUnbounded)
    "readahead" Readahead(RaWindow)
    "block_bio_queue" BlockBioQueue(Bio<'a>)
    "block_rq_issue" BlockRqIssue(Request<'a>)
    "block_rq_complete" BlockRqComplete(RequestDone<'a>)
    "block_getrq" BlockGetrq(Bio<'a>)
    "block_plug" BlockPlug(Plug<'a>)
    "block_unplug" BlockUnplug(Unplug<'a>)
    "block_split" BlockSplit(Split<'a>)
    "block_rq_insert" BlockRqInsert(Request<'a>)
    "block_rq_merge" BlockRqMerge(Request<'a>)
    "block_io_start" BlockIoStart(Request<'a>)
    "block_io_done" BlockIoDone(Request<'a>)
    "block_bio_backmerge" BlockBioBackmerge(Bio<'a>)
    "block_bio_frontmerge" BlockBioFrontmerge(Bio<'a>)
    "block_bio_complete" BlockBioComplete(BioDone)
    "block_bio_remap" BlockBioRemap(Remap)
    "block_rq_error" BlockRqError(RequestDone<'a>)
    "block_rq_requeue" BlockRqRequeue(RequestDone<'a>)
}

/// Whether that generation has the event of this name. Names that are not in the list are there since linux-5.10.
pub(crate) fn exists_in(name: &str, form: Form) -> bool {
    match name {
        "readahead" => form == Form::Linux2_6_33,
        "page_cache_sync_ra" | "page_cache_async_ra" | "page_cache_ra_order" | "page_cache_ra_unbounded" => {
            form >= Form::Linux7_2
        }
        "mm_filemap_get_pages" | "mm_filemap_map_pages" | "mm_filemap_fault" | "block_io_start" | "block_io_done" => {
            form >= Form::Linux6_12
        }
        _ => form >= Form::Linux5_10,
    }
}

/// An event that this crate does not take apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other<'a> {
    /// Its name.
    pub name: &'a str,
    /// The rest of the line.
    pub text: &'a str,
}

/// What a name stands for.
enum Named<'a> {
    /// A subsystem, with the event behind it.
    Subsystem(&'a [u8]),
    Event(&'a str, Tracepoint<'a>),
    Nothing,
}

impl<'a> Tracepoint<'a> {
    /// Something about files, readahead or devices: what an inspection or a replay can use.
    pub fn is_usable(&self) -> bool {
        !matches!(self, Tracepoint::Other(_) | Tracepoint::SysExit(_) | Tracepoint::RawExit(_))
    }

    /// Reads `name: text`, `sys_name(text)` or `sys_name -> result`, and gives the name too. `Ok(None)`: no event stands
    /// here.
    #[inline]
    pub(crate) fn read(line: &'a [u8]) -> Result<Option<(&'a str, Self)>, BadText> {
        // perf and some tools put the subsystem in front: `block:block_rq_issue: …`.
        match Tracepoint::read_named(line)? {
            Named::Subsystem(rest) => match Tracepoint::read_named(rest)? {
                Named::Event(name, event) => Ok(Some((name, event))),
                Named::Subsystem(_) | Named::Nothing => Ok(None),
            },
            Named::Event(name, event) => Ok(Some((name, event))),
            Named::Nothing => Ok(None),
        }
    }

    #[inline(always)]
    fn read_named(line: &'a [u8]) -> Result<Named<'a>, BadText> {
        let end = line.iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).unwrap_or(line.len());
        let (name, rest) = line.split_at(end);
        if !matches!(name, [b'a'..=b'z' | b'A'..=b'Z' | b'_', ..]) {
            return Ok(Named::Nothing);
        }
        let event = match rest {
            [b':', first, ..] if first.is_ascii_lowercase() => return Ok(Named::Subsystem(&rest[1..])),
            [b':', rest @ ..] => {
                let mut scan = Scan::new(rest);
                scan.skip_spaces();
                match Tracepoint::read_table(name, &mut scan)? {
                    Some(event) => event,
                    None => Tracepoint::read_event(name, scan)?,
                }
            }
            [b'(', rest @ ..] => match name.strip_prefix(b"sys_") {
                Some(call) => Tracepoint::read_enter(name, call, Scan::new(rest))?,
                None => return Ok(Named::Nothing),
            },
            [b' ', b'-', b'>', b' ', rest @ ..] => match name.strip_prefix(b"sys_") {
                Some(call) => Tracepoint::SysExit(SysExit::read(call, &mut Scan::new(rest)).ok_or(BadText)?),
                None => return Ok(Named::Nothing),
            },
            _ => return Ok(Named::Nothing),
        };
        Ok(Named::Event(text(name), event))
    }

    /// Events that are not in the list, with a colon behind the name.
    fn read_event(name: &'a [u8], mut scan: Scan<'a>) -> Result<Self, BadText> {
        if let Some(call) = name.strip_prefix(b"sys_enter_") {
            return Tracepoint::read_enter(name, call, scan);
        }
        if let Some(call) = name.strip_prefix(b"sys_exit_") {
            return SysExit::read(call, &mut scan).map(Tracepoint::SysExit).ok_or(BadText);
        }
        match name {
            b"sys_enter" => RawEnter::read(&mut scan).map(Tracepoint::RawEnter).ok_or(BadText),
            b"sys_exit" => RawExit::read(&mut scan).map(Tracepoint::RawExit).ok_or(BadText),
            _ => Ok(Tracepoint::Other(Other { name: text(name), text: text(scan.rest) })),
        }
    }

    fn read_enter(name: &'a [u8], call: &[u8], mut scan: Scan<'a>) -> Result<Self, BadText> {
        if Syscall::is_known(call) {
            Syscall::read(call, &mut scan).map(Tracepoint::SysEnter).ok_or(BadText)
        } else {
            Ok(Tracepoint::Other(Other { name: text(name), text: text(scan.rest) }))
        }
    }

    /// Whether that generation has the event. What it does not have it cannot print.
    pub fn exists_in(&self, form: Form) -> bool {
        exists_in(self.index().map_or("", |place| NAMES[place]), form)
    }

    /// Writes the event as the trace file of that kernel shows it, from the event's name on.
    pub fn write(&self, form: Form, out: &mut Vec<u8>) {
        match self {
            Tracepoint::SysEnter(call) => {
                out.extend_from_slice(b"sys_");
                out.extend_from_slice(call.name().as_bytes());
                out.push(b'(');
                call.write(form, out);
                out.push(b')');
            }
            Tracepoint::SysExit(exit) => {
                out.extend_from_slice(b"sys_");
                out.extend_from_slice(exit.name.as_bytes());
                out.extend_from_slice(b" -> ");
                exit.write(out);
            }
            Tracepoint::RawEnter(raw) => {
                out.extend_from_slice(b"sys_enter: ");
                raw.write(out);
            }
            Tracepoint::RawExit(raw) => {
                out.extend_from_slice(b"sys_exit: ");
                raw.write(out);
            }
            Tracepoint::Other(other) => {
                out.extend_from_slice(other.name.as_bytes());
                out.extend_from_slice(b": ");
                out.extend_from_slice(other.text.as_bytes());
            }
            table => table.write_table(form, out),
        }
    }
}
