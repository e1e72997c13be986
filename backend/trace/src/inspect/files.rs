//! The files whose pages appear in a trace: what came into the page cache, what left it, what was read, and the windows.

use super::names::Process;
use super::windows::WindowReport;
use crate::record::Record;
use crate::tracepoints::Tracepoint;
use crate::tracepoints::filemap::Folio;
use crate::tracepoints::shape::Dev;
use std::collections::{BTreeMap, HashMap};

/// Most files that are told apart.
const FILES_MAX: usize = 65_536;

/// What the events say of one file.
#[derive(Clone, Debug, serde::Serialize)]
pub struct FileReport {
    /// The file system's device, `259:0`. A block device node shows its own file system here (`0:4`).
    pub dev: String,
    /// Inode number; of a block device node, its packed device number.
    pub ino: u64,
    /// The inode number in hexadecimal, as the kernel's own events show it.
    pub ino_hex: String,
    /// The inode number as this trace shows it: the event of the 2010 series has it in decimal.
    pub ino_shown: String,
    /// Its name, when the trace shows it.
    pub name: Option<String>,
    /// The name was matched by the order of use, not by the descriptor.
    pub name_guessed: bool,
    /// Events that name the file.
    pub events: u64,
    /// Folios added to the page cache.
    pub folios_added: u64,
    /// Their pages.
    pub pages_added: u64,
    /// Folios removed.
    pub folios_removed: u64,
    /// Folios added, by order.
    pub folio_orders: BTreeMap<u8, u64>,
    /// Calls of page_cache_sync_ra.
    pub sync_calls: u64,
    /// Calls of page_cache_async_ra.
    pub async_calls: u64,
    /// Reads served (mm_filemap_get_pages).
    pub get_pages: u64,
    /// Faults that fault-around did not solve.
    pub faults: u64,
    /// Faults that fault-around solved.
    pub map_pages: u64,
    /// The page after the last one that appears.
    pub pages_seen: u64,
    /// The windows that the kernel chose, in order.
    pub windows: Vec<WindowReport>,
    /// All windows; more than are listed when there are too many.
    pub windows_total: u64,
}

/// The files that appear.
#[derive(Default)]
pub(super) struct Files {
    places: HashMap<(Dev, u64), usize>,
    pub(super) files: Vec<FileReport>,
    last: Option<((Dev, u64), usize)>,
    left_out: u64,
}

impl Files {
    /// Takes an event; gives the file's place when it names one.
    #[inline]
    pub(super) fn event(&mut self, record: &Record<'_>, process: &mut Process) -> Option<usize> {
        let mut decimal = false;
        let (key, pages_end) = match &record.event {
            Tracepoint::MmFilemapAddToPageCache(folio) | Tracepoint::MmFilemapDeleteFromPageCache(folio) => {
                ((folio.dev, folio.ino), folio.ofs.page().0 + pages(folio))
            }
            Tracepoint::MmFilemapGetPages(range) => ((range.dev, range.ino), range.ofs.first.page().0 + 1),
            Tracepoint::MmFilemapMapPages(range) => ((range.dev, range.ino), range.ofs.first.page().0 + 1),
            Tracepoint::MmFilemapFault(fault) => ((fault.dev, fault.ino), fault.ofs.page().0 + 1),
            Tracepoint::PageCacheSyncRa(ra) | Tracepoint::PageCacheAsyncRa(ra) => ((ra.dev, ra.ino), 0),
            Tracepoint::PageCacheRaOrder(ra) => ((ra.dev, ra.ino), 0),
            Tracepoint::PageCacheRaUnbounded(ra) => ((ra.dev, ra.ino), 0),
            Tracepoint::Readahead(window) => {
                decimal = true;
                ((window.dev, window.ino), 0)
            }
            _ => {
                process.syscall(record);
                return None;
            }
        };
        let place = match self.last {
            Some((last, place)) if last == key => place,
            _ => self.find(key, decimal)?,
        };
        self.last = Some((key, place));
        let file = &mut self.files[place];
        file.events += 1;
        file.pages_seen = file.pages_seen.max(pages_end);
        match &record.event {
            Tracepoint::MmFilemapAddToPageCache(folio) => {
                file.folios_added += 1;
                file.pages_added += pages(folio);
                *file.folio_orders.entry(folio.order.map_or(0, |order| order.0)).or_default() += 1;
                return Some(place);
            }
            // Its kernel has no event for a page that is added, nor folios of another order.
            Tracepoint::Readahead(window) if window.actual.0 > 0 => {
                file.folios_added += window.actual.0;
                file.pages_added += window.actual.0;
                *file.folio_orders.entry(0).or_default() += window.actual.0;
                return Some(place);
            }
            Tracepoint::MmFilemapDeleteFromPageCache(_) => {
                file.folios_removed += 1;
                return Some(place);
            }
            Tracepoint::MmFilemapGetPages(_) => file.get_pages += 1,
            Tracepoint::MmFilemapMapPages(_) => file.map_pages += 1,
            Tracepoint::MmFilemapFault(_) => file.faults += 1,
            Tracepoint::PageCacheSyncRa(_) => file.sync_calls += 1,
            Tracepoint::PageCacheAsyncRa(_) => file.async_calls += 1,
            _ => return Some(place),
        }
        // These events are of the file that the call works on (added folios may be metadata).
        if let Some(open) = process.current()
            && open.file.is_none()
        {
            open.file = Some(place);
            if let (None, Some(name)) = (&file.name, &open.name) {
                file.name = Some(name.to_string());
                file.name_guessed = open.guessed;
            }
        }
        Some(place)
    }

    /// `decimal`: the event that names the file shows its inode so.
    fn find(&mut self, key: (Dev, u64), decimal: bool) -> Option<usize> {
        if let Some(place) = self.places.get(&key) {
            return Some(*place);
        }
        if self.files.len() == FILES_MAX {
            self.left_out += 1;
            return None;
        }
        self.places.insert(key, self.files.len());
        self.files.push(FileReport {
            dev: key.0.to_string(),
            ino: key.1,
            ino_hex: format!("{:x}", key.1),
            ino_shown: if decimal { key.1.to_string() } else { format!("{:x}", key.1) },
            name: None,
            name_guessed: false,
            events: 0,
            folios_added: 0,
            pages_added: 0,
            folios_removed: 0,
            folio_orders: BTreeMap::new(),
            sync_calls: 0,
            async_calls: 0,
            get_pages: 0,
            faults: 0,
            map_pages: 0,
            pages_seen: 0,
            windows: Vec::new(),
            windows_total: 0,
        });
        Some(self.files.len() - 1)
    }

    /// The files with most events first, and how many events named files beyond the limit.
    pub(super) fn finish(mut self) -> (Vec<FileReport>, u64) {
        self.files.sort_by(|a, b| b.events.cmp(&a.events).then(a.dev.cmp(&b.dev)).then(a.ino.cmp(&b.ino)));
        (self.files, self.left_out)
    }
}

/// Pages of a folio.
pub(super) fn pages(folio: &Folio) -> u64 {
    folio.order.map_or(1, |order| order.pages())
}
