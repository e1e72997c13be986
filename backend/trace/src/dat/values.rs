//! The values of an event in the order of its layout's fields. Must not know how they are laid out in bytes.

use super::layouts::{FIELDS_MAX, LAYOUTS, Value, Values};
use crate::tracepoints::Tracepoint;
use crate::tracepoints::block::{Bio, IoClass, IoPriority, Request, RequestDone};
use crate::tracepoints::filemap::{Folio, PageRange};
use crate::tracepoints::openat::Openat;
use crate::tracepoints::readahead::RaTrigger;
use crate::tracepoints::shape::Dev;
use crate::tracepoints::syscalls::Syscall;
use readahead_types::{PAGE_BYTES, PAGE_SHIFT};

/// An event's layout and values. `None`: it has no layout.
pub(super) fn values<'a>(event: &Tracepoint<'a>) -> Option<(usize, Values<'a>)> {
    let (name, values) = match *event {
        Tracepoint::MmFilemapAddToPageCache(folio) => ("mm_filemap_add_to_page_cache", folio_values(folio)),
        Tracepoint::MmFilemapDeleteFromPageCache(folio) => ("mm_filemap_delete_from_page_cache", folio_values(folio)),
        Tracepoint::MmFilemapGetPages(range) => ("mm_filemap_get_pages", range_values(range)),
        Tracepoint::MmFilemapMapPages(range) => ("mm_filemap_map_pages", range_values(range)),
        Tracepoint::MmFilemapFault(fault) => {
            ("mm_filemap_fault", numbers([fault.ino, packed(fault.dev), fault.ofs.0 >> PAGE_SHIFT]))
        }
        Tracepoint::PageCacheSyncRa(ra) => ("page_cache_sync_ra", trigger_values(ra)),
        Tracepoint::PageCacheAsyncRa(ra) => ("page_cache_async_ra", trigger_values(ra)),
        Tracepoint::PageCacheRaOrder(ra) => (
            "page_cache_ra_order",
            numbers([
                ra.ino,
                packed(ra.dev),
                ra.index.0,
                u64::from(ra.order),
                ra.size.0,
                ra.async_size.0,
                ra.ra_pages.0,
            ]),
        ),
        Tracepoint::PageCacheRaUnbounded(ra) => (
            "page_cache_ra_unbounded",
            numbers([ra.ino, packed(ra.dev), ra.index.0, ra.nr_to_read.0, ra.lookahead_size.0]),
        ),
        Tracepoint::Readahead(window) => (
            "readahead",
            numbers([
                window.pattern.pattern() as u64,
                packed(window.dev),
                window.ino,
                window.index.0,
                window.req.0,
                window.start.0,
                window.size.0,
                window.async_size.0,
                window.actual.0,
            ]),
        ),
        Tracepoint::BlockBioQueue(bio) => ("block_bio_queue", bio_values(bio)),
        Tracepoint::BlockGetrq(bio) => ("block_getrq", bio_values(bio)),
        Tracepoint::BlockBioBackmerge(bio) => ("block_bio_backmerge", bio_values(bio)),
        Tracepoint::BlockBioFrontmerge(bio) => ("block_bio_frontmerge", bio_values(bio)),
        Tracepoint::BlockSplit(split) => (
            "block_split",
            with(
                numbers([packed(split.dev), split.sector.0, split.new_sector.0]),
                3,
                [Value::Letters(split.rwbs), Value::Text(split.comm)],
            ),
        ),
        Tracepoint::BlockPlug(plug) => ("block_plug", with(numbers([]), 0, [Value::Text(plug.comm)])),
        Tracepoint::BlockUnplug(unplug) => {
            ("block_unplug", with(numbers([u64::from(unplug.nr_rq)]), 1, [Value::Text(unplug.comm)]))
        }
        Tracepoint::BlockRqIssue(request) => ("block_rq_issue", request_values(request)),
        Tracepoint::BlockRqInsert(request) => ("block_rq_insert", request_values(request)),
        Tracepoint::BlockRqComplete(done) => ("block_rq_complete", done_values(done)),
        Tracepoint::SysEnter(call) => return syscall_values(call),
        Tracepoint::SysExit(exit) => {
            let nr = number_on_x86_64(exit.name)?;
            let place = LAYOUTS.iter().position(|layout| layout.name.strip_prefix("sys_exit_") == Some(exit.name))?;
            return Some((place, numbers([nr, exit.ret as u64])));
        }
        _ => return None,
    };
    LAYOUTS.iter().position(|layout| layout.name == name).map(|place| (place, values))
}

fn numbers<'a, const N: usize>(values: [u64; N]) -> Values<'a> {
    let mut all = [Value::Number(0); FIELDS_MAX];
    for (place, value) in all.iter_mut().zip(values) {
        *place = Value::Number(value);
    }
    all
}

/// The values, with these from place `from` on.
fn with<'a, const N: usize>(mut values: Values<'a>, from: usize, others: [Value<'a>; N]) -> Values<'a> {
    values[from..from + N].copy_from_slice(&others);
    values
}

fn packed(dev: Dev) -> u64 {
    u64::from(dev.major) << 20 | u64::from(dev.minor)
}

fn folio_values<'a>(folio: Folio) -> Values<'a> {
    let order = folio.order.map_or(0, |order| u64::from(order.0));
    numbers([folio.ino, folio.frame.pfn, folio.ofs.0 >> PAGE_SHIFT, packed(folio.dev), order])
}

fn range_values<'a>(range: PageRange) -> Values<'a> {
    let last = range.ofs.last.0.saturating_add(1) / PAGE_BYTES;
    numbers([range.ino, packed(range.dev), range.ofs.first.0 >> PAGE_SHIFT, last.saturating_sub(1)])
}

fn trigger_values<'a>(ra: RaTrigger) -> Values<'a> {
    numbers([
        ra.ino,
        ra.prev_pos as u64,
        ra.index.0,
        ra.req_count.0,
        packed(ra.dev),
        u64::from(ra.order),
        ra.size.0,
        ra.async_size.0,
        ra.ra_pages.0,
        u64::from(ra.mmap_miss),
    ])
}

fn bio_values<'a>(bio: Bio<'a>) -> Values<'a> {
    let values = numbers([packed(bio.dev), bio.sector.0, bio.nr_sector.0]);
    with(values, 3, [Value::Letters(bio.rwbs), Value::Text(bio.comm)])
}

fn request_values<'a>(request: Request<'a>) -> Values<'a> {
    let priority = packed_priority(request.ioprio);
    let values = numbers([packed(request.dev), request.sector.0, request.nr_sector.0, request.bytes.0, priority]);
    with(values, 5, [Value::Letters(request.rwbs), Value::Text(request.comm), Value::Text(request.cmd)])
}

fn done_values<'a>(done: RequestDone<'a>) -> Values<'a> {
    let error = i64::from(done.error) as u64;
    let values = numbers([packed(done.dev), done.sector.0, done.nr_sector.0, error, packed_priority(done.ioprio)]);
    with(values, 5, [Value::Letters(done.rwbs), Value::Text(done.cmd)])
}

fn packed_priority(priority: Option<IoPriority>) -> u64 {
    let priority = priority.unwrap_or(IoPriority::NONE);
    let class = match priority.class {
        IoClass::None => 0,
        IoClass::Realtime => 1,
        IoClass::BestEffort => 2,
        IoClass::Idle => 3,
        IoClass::Invalid => 7,
    };
    class << 13 | u64::from(priority.hint) << 3 | u64::from(priority.level)
}

fn number_on_x86_64(call: &str) -> Option<u64> {
    Some(match call {
        "read" => 0,
        "close" => 3,
        "lseek" => 8,
        "mmap" => 9,
        "munmap" => 11,
        "pread64" => 17,
        "madvise" => 28,
        "readahead" => 187,
        "fadvise64" => 221,
        "openat" => 257,
        _ => return None,
    })
}

fn syscall_values<'a>(call: Syscall<'a>) -> Option<(usize, Values<'a>)> {
    let nr = number_on_x86_64(call.name())?;
    let low = |fd: i32| u64::from(fd as u32);
    let values = match call {
        Syscall::Read { fd, buf, count } => numbers([nr, low(fd), buf, count.0]),
        Syscall::Pread64 { fd, buf, count, pos } => numbers([nr, low(fd), buf, count.0, pos as u64]),
        Syscall::Lseek { fd, offset, whence } => numbers([nr, low(fd), offset as u64, u64::from(whence)]),
        Syscall::Fadvise64 { fd, offset, len, advice } => numbers([nr, low(fd), offset as u64, len, u64::from(advice)]),
        Syscall::Readahead { fd, offset, count } => numbers([nr, low(fd), offset as u64, count.0]),
        Syscall::Mmap { addr, len, prot, flags, fd, off } => {
            numbers([nr, addr, len.0, u64::from(prot), u64::from(flags), low(fd), off])
        }
        Syscall::Munmap { addr, len } => numbers([nr, addr, len.0]),
        Syscall::Madvise { start, len, behavior } => numbers([nr, start, len.0, u64::from(behavior)]),
        Syscall::Close { fd } => numbers([nr, low(fd)]),
        Syscall::Openat(Openat { dfd, filename, name, flags, mode }) => {
            let values = numbers([nr, low(dfd), filename, u64::from(flags.bits()), u64::from(mode.unwrap_or(0))]);
            with(values, 5, [Value::Text(name.unwrap_or(""))])
        }
    };
    let place = LAYOUTS.iter().position(|layout| layout.name.strip_prefix("sys_enter_") == Some(call.name()))?;
    Some((place, values))
}
