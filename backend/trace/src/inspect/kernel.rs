//! Which kernel generation a trace comes from, by what its events look like.

use crate::record::Record;
use crate::tracepoints::Tracepoint;

/// A guess with its reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct KernelGuess {
    /// The model of that generation; `null` when nothing tells.
    pub model: Option<&'static str>,
    /// The release, when the header names it.
    pub release: Option<String>,
    /// It may be a later kernel whose other events were not enabled.
    pub or_later: bool,
    /// Why.
    pub why: String,
}

/// What was seen.
#[derive(Default)]
pub(super) struct Evidence {
    readahead: bool,
    series: bool,
    open_names: bool,
    ranges: bool,
    priority: bool,
    order: bool,
    page: bool,
    four_flags: bool,
    five_flags: bool,
}

impl Evidence {
    #[inline]
    pub(super) fn record(&mut self, record: &Record<'_>) {
        match record.flags.as_str().len() {
            4 => self.four_flags = true,
            5 => self.five_flags = true,
            _ => {}
        }
        match &record.event {
            Tracepoint::MmFilemapAddToPageCache(folio) | Tracepoint::MmFilemapDeleteFromPageCache(folio) => {
                self.order |= folio.order.is_some();
                self.page |= folio.frame.page.is_some();
            }
            Tracepoint::MmFilemapGetPages(_) | Tracepoint::MmFilemapMapPages(_) | Tracepoint::MmFilemapFault(_) => {
                self.ranges = true;
            }
            Tracepoint::PageCacheSyncRa(_)
            | Tracepoint::PageCacheAsyncRa(_)
            | Tracepoint::PageCacheRaOrder(_)
            | Tracepoint::PageCacheRaUnbounded(_) => self.readahead = true,
            Tracepoint::Readahead(_) => self.series = true,
            Tracepoint::BlockRqIssue(request) => self.priority |= request.ioprio.is_some(),
            Tracepoint::BlockRqComplete(done) => self.priority |= done.ioprio.is_some(),
            Tracepoint::SysEnter(crate::tracepoints::syscalls::Syscall::Openat(openat)) => {
                self.open_names |= openat.name.is_some();
            }
            _ => {}
        }
    }

    pub(super) fn guess(&self, release: Option<&str>) -> KernelGuess {
        if let Some(release) = release
            && let Some(model) = model_of(release)
        {
            return KernelGuess {
                model: Some(model),
                release: Some(release.to_owned()),
                or_later: false,
                why: format!("the header names the release {release}"),
            };
        }
        let (model, or_later, why) = if self.series {
            (Some("linux-2.6.33"), false, "it has the readahead event of the 2010 series, which was a patch on 2.6.33")
        } else if self.readahead {
            (Some("linux-7.2"), false, "it has readahead events, which came with 6.19")
        } else if self.open_names {
            (Some("linux-7.2"), false, "openat lines show the file's name, which came with 7.x")
        } else if self.ranges {
            (Some("linux-6.12"), true, "it has get_pages, map_pages or fault events, but no readahead events")
        } else if self.priority {
            (Some("linux-6.12"), true, "requests show their I/O priority")
        } else if self.page && !self.order {
            (Some("linux-5.10"), false, "added pages show the address of their struct page and no order")
        } else if self.order {
            (Some("linux-6.1"), true, "added folios show their order")
        } else if self.four_flags && !self.five_flags {
            (Some("linux-5.10"), false, "lines have four flag characters, as up to 5.11")
        } else if self.five_flags {
            (Some("linux-6.1"), true, "lines have five flag characters, as from 5.12 on")
        } else {
            (None, false, "nothing in it tells")
        };
        KernelGuess { model, release: release.map(str::to_owned), or_later, why: why.to_owned() }
    }
}

/// The model that stands for a release.
fn model_of(release: &str) -> Option<&'static str> {
    let mut numbers = release.split(|byte: char| !byte.is_ascii_digit()).map(str::parse::<u32>);
    let version = (numbers.next()?.ok()?, numbers.next()?.ok()?);
    Some(match version {
        (7.., 3..) | (8.., _) => "linux-7.3-rc",
        (7, _) | (6, 18..) => "linux-7.2",
        (6, 10..) => "linux-6.12",
        (6, _) | (5, 12..) => "linux-6.1",
        (5, 5..) => "linux-5.10",
        (5, _) | (4, 15..) => "linux-5.4",
        (4, 5..) => "linux-4.14",
        (4, _) => "linux-4.4",
        _ => return None,
    })
}
