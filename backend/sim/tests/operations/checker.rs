//! Watches a run and holds every decision and every folio against the invariants of the specification. Each exception
//! is as narrow as the specification makes it, and says where it comes from ("historic", "modern" and a section).

use crate::worlds::Machine;
use readahead_policy::callers::ReadLoop;
use readahead_policy::{ModelId, Patch};
use readahead_sim::Observer;
use readahead_types::{
    Decision, Event, EventKind, HandleId, Nanos, PAGE_BYTES, PAGE_SECTORS, RaState, Reason, TaskId, Trim, Via, Window,
};
use std::collections::HashSet;

const CACHED: u8 = 1;
const SUBMITTED: u8 = 2;

/// The read(2) that is going on.
#[derive(Clone, Copy)]
struct ReadCall {
    pos: u64,
    len: u64,
    /// The next page that the program has to be given.
    next: u64,
    /// A page beyond the end of the file was added.
    went_past_end: bool,
}

/// What must be cached when the operation is over.
#[derive(Clone, Copy)]
enum Promise {
    Nothing,
    Page(u64),
    /// The pages of this range that are in the file, as far as the limit of the handle reaches.
    Range(u64, u64),
}

/// The window that is being laid out.
struct Laid {
    decision: Decision,
    window: Window,
    /// The run of single folios that it is or became: first page, pages and pages behind the marker, cut to the file.
    plain: Option<(u64, u64, u64)>,
    marks: u32,
}

/// The observer.
pub(crate) struct Checker<'a> {
    machine: &'a Machine,
    model: ModelId,
    page_by_page: bool,
    random_mode: bool,
    /// Last page of the file.
    eof: Option<u64>,
    min_pages: u64,
    /// Flags of each page of the file.
    pages: Vec<u8>,
    /// Cached pages beyond it.
    beyond: HashSet<u64>,
    /// ra_pages of each open file, by what fadvise did to it.
    ra_pages: Vec<u32>,
    read: Option<ReadCall>,
    promise: (Promise, HandleId),
    laid: Option<Laid>,
    /// Pages of the forced range so far.
    forced: u64,
    /// The first invariant that does not hold.
    pub(crate) violation: Option<String>,
    pub(crate) decisions: u64,
}

/// Records a violation unless the condition holds.
macro_rules! holds {
    ($checker:expr, $condition:expr, $($text:tt)+) => {
        if !$condition {
            $checker.violate(format!($($text)+));
        }
    };
}

impl<'a> Checker<'a> {
    pub(crate) fn new(machine: &'a Machine) -> Self {
        let limits = &machine.limits;
        let callers = limits.model.callers(limits.patches);
        let min_pages = 1 << machine.min_order;
        Checker {
            machine,
            model: limits.model,
            page_by_page: callers.read == ReadLoop::PageByPage,
            random_mode: callers.random_mode,
            eof: machine.file_pages().checked_sub(1),
            min_pages,
            pages: vec![0; machine.file_pages().next_multiple_of(min_pages) as usize],
            beyond: HashSet::new(),
            ra_pages: Vec::new(),
            read: None,
            promise: (Promise::Nothing, HandleId(0)),
            laid: None,
            forced: 0,
            violation: None,
            decisions: 0,
        }
    }

    #[cold]
    fn violate(&mut self, message: String) {
        let told = || match &self.laid {
            Some(laid) => format!("{message}\n  after {:?}", laid.decision),
            None => message.clone(),
        };
        if self.violation.is_none() {
            self.violation = Some(told());
        }
    }

    fn cached(&self, page: u64) -> bool {
        match self.pages.get(page as usize) {
            Some(flags) => flags & CACHED != 0,
            None => self.beyond.contains(&page),
        }
    }

    fn in_file(&self, page: u64) -> bool {
        self.eof.is_some_and(|eof| page <= eof)
    }

    /// Rounded up to a smallest folio; wraps as the kernels do.
    fn up(&self, page: u64) -> u64 {
        self.down(page.wrapping_add(self.min_pages - 1))
    }

    fn down(&self, page: u64) -> u64 {
        page / self.min_pages * self.min_pages
    }

    /// An operation is over, another begins.
    fn next_operation(&mut self) {
        let (promise, handle) = std::mem::replace(&mut self.promise, (Promise::Nothing, HandleId(0)));
        self.laid = None;
        match promise {
            Promise::Nothing => {}
            Promise::Page(page) => holds!(self, self.cached(page), "the page {page} that faulted is not cached"),
            Promise::Range(first, pages) => {
                let ra_pages = self.ra_pages[handle.0 as usize];
                let pages = self.machine.limits.forced(ra_pages, pages);
                let end = first.saturating_add(pages).min(self.eof.map_or(0, |eof| eof + 1));
                let missing = (first..end).find(|page| !self.cached(*page));
                holds!(self, missing.is_none(), "page {missing:?} of the forced range {first}..{end} is not cached");
            }
        }
    }

    /// A window is within its limit, and so is its marker within the window.
    fn check_window(&mut self, decision: &Decision, window: Window) {
        let limits = self.machine.limits;
        let before = &decision.before;
        let max = limits.window(before.ra_pages, decision.req);
        let size = window.size;
        match decision.via {
            Via::Sync | Via::Async => {
                holds!(self, decision.max == max, "limit {} instead of {max}", decision.max);
                let most = self.largest(decision, max);
                holds!(self, size <= most, "a window of {size} pages; at most {most}");
                holds!(self, window.async_size <= size, "the marker lies in front of its window");
                // The missing page is in the window, but for one that is missing where the marker of the last window
                // would be (historic 2.5 rule 2 and trap 2; modern 7.1 rule 2): that window starts behind the last.
                if decision.via == Via::Sync && !matches!(decision.reason, Reason::SyncExpected { .. }) {
                    holds!(self, window.start == decision.index, "a window for a miss starts elsewhere");
                }
                let after = &decision.after;
                let grown = match decision.trim {
                    // Modern 4.4: on linux-6.1 a window that starts beyond the end of the file grows by the distance.
                    Trim::GrownPastEnd { by, .. } => {
                        let last = self.eof.map(|eof| eof.min(window.start.wrapping_add(size).wrapping_sub(1)));
                        let distance = last.map(|last| window.start.wrapping_sub(last).wrapping_sub(1));
                        let right = self.model == ModelId::Linux6_1 && distance == Some(by);
                        holds!(self, right, "a window grows by {by}; {distance:?} pages past the end");
                        by as u32
                    }
                    _ => 0,
                };
                let kept =
                    RaState { start: window.start, size: size as u32, async_size: window.async_size as u32, ..*after };
                let kept = RaState {
                    size: kept.size.wrapping_add(grown),
                    async_size: kept.async_size.wrapping_add(grown),
                    ..kept
                };
                holds!(self, *after == kept, "the state does not hold the window");
            }
            Via::Random => {
                holds!(self, size == decision.req && size <= max, "a random read of {size} pages; at most {max}");
                let state = |ra: &RaState| (ra.start, ra.size, ra.async_size, ra.order);
                holds!(self, state(before) == state(&decision.after), "a random read changes the state");
            }
            Via::Around => {
                let around = limits.around(before.ra_pages);
                let most = match decision.reason {
                    // Modern 6.3: two huge pages, one in a random mapping; linux-7.2: of the file's largest order.
                    Reason::FaultHuge { .. } => {
                        let order = if self.model < ModelId::Linux7_2 { 9 } else { self.machine.max_order.min(9) };
                        2 << order
                    }
                    // Modern 6.3: ra_pages rounded up to the order that the architecture wants.
                    Reason::FaultExec { .. } => around.next_multiple_of(1 << self.machine.exec_order),
                    // Historic 6.5: clusters of 8 pages.
                    Reason::OldCluster { .. } | Reason::OldClusterAhead { .. } => 8,
                    _ => around,
                };
                holds!(self, size <= most, "{size} pages around a fault; at most {most}");
                let ahead = matches!(decision.reason, Reason::OldClusterAhead { .. });
                let holds_page = window.start <= decision.index && decision.index - window.start < size;
                holds!(self, size == 0 || ahead || holds_page, "the pages around a fault do not hold its page");
            }
            Via::Force => {
                // Modern 7: with ra_pages 0 a miss forces one page.
                let req = if matches!(decision.reason, Reason::SyncReadaheadOff { .. }) { 1 } else { decision.req };
                let most = limits.forced(before.ra_pages, req);
                if window.start == decision.index {
                    self.forced = 0;
                }
                self.forced += size;
                holds!(self, self.forced <= most, "{} pages forced in; at most {most}", self.forced);
                let chunk = if self.model == ModelId::Linux2_4_23 { u64::MAX } else { 512 };
                holds!(self, size <= chunk, "a chunk of {size} pages");
            }
            Via::Page => {
                let right = size == self.min_pages && window.start == self.down(decision.index);
                holds!(self, right, "a page by itself that is not one folio");
                self.check_single(decision.index);
            }
            Via::Legacy => {
                // Historic 6.3: x is ramax, and one more for an asynchronous step.
                let most = u64::from(before.ra_pages) + u64::from(matches!(decision.reason, Reason::OldAsync { .. }));
                holds!(self, size <= most, "a step of {size} pages; at most {most}");
            }
        }
    }

    /// The largest window for a miss or a marker.
    fn largest(&self, decision: &Decision, max: u64) -> u64 {
        let from = u64::from(decision.before.size);
        let patches = self.machine.limits.patches;
        match decision.reason {
            // Historic 3.5: half of the window that thrashed, but MIN at least, whatever the limit.
            Reason::ContextThrashed { .. } => {
                return (from / 2).max(if patches.has(Patch::Default512k) { 8 } else { 4 });
            }
            // Modern 7.2, 7.3: a window that is continued keeps its size where that is larger.
            Reason::AsyncExpected { .. }
            | Reason::AsyncWindowEnd { .. }
            | Reason::SyncExpected { .. }
            | Reason::SyncWindowEnd { .. }
                if self.model >= ModelId::Linux6_1 =>
            {
                return max.max(from);
            }
            _ => {}
        }
        // Historic 2.5 (TAIL), 5.4: up to linux-4.17 a window that would meet its own marker at once is merged with the
        // next one, each of them within the limit.
        let merges = self.model <= ModelId::Linux4_14 && !patches.has(Patch::StableIoPages);
        if merges && matches!(decision.trim, Trim::Merged { .. }) { 2 * max } else { max }
    }

    /// A page is read by itself only where the window that was made for it does not hold it.
    fn check_single(&mut self, page: u64) {
        holds!(self, !self.cached(page), "page {page} is read by itself though it is cached");
        let Some(laid) = &self.laid else { return };
        let window = laid.window;
        let planned = page >= window.start && page - window.start < window.size && self.in_file(page);
        let for_it = laid.decision.index == page && laid.decision.via != Via::Page;
        // Modern 4.4 step 5, a window that starts inside a smallest folio and whose first folio cannot be added: on
        // linux-7.2 nothing is read, as a difference wraps; on linux-6.12 its size is counted from that folio's start.
        let unaligned = !window.start.is_multiple_of(self.min_pages);
        let missed = match laid.plain {
            None => self.model >= ModelId::Linux7_2 && unaligned,
            Some((index, count, _)) => {
                self.model == ModelId::Linux6_12 && unaligned && index < window.start && page >= self.up(index + count)
            }
        };
        holds!(self, !(planned && for_it) || missed, "page {page} is read by itself though its window holds it");
    }

    fn folio_added(&mut self, first: u64, pages: u64, marked: bool) {
        holds!(self, first.is_multiple_of(pages), "folio {first}+{pages} is not aligned");
        holds!(self, pages >= self.min_pages, "folio {first}+{pages} is smaller than the smallest");
        holds!(self, pages <= 1 << self.machine.max_order, "folio {first}+{pages} is larger than the largest");
        if self.in_file(first) {
            let end = (first + pages) as usize;
            // A smallest folio may reach beyond the last page; nothing larger may.
            if end > self.pages.len() || (pages > self.min_pages && !self.in_file(first + pages - 1)) {
                self.violate(format!("folio {first}+{pages} reaches beyond the end of the file"));
                return;
            }
            let flags = &mut self.pages[first as usize..end];
            let twice = flags.iter().any(|flags| flags & CACHED != 0);
            flags.fill(CACHED);
            holds!(self, !twice, "folio {first}+{pages} is added though a page of it is cached");
        } else {
            holds!(self, self.beyond.insert(first), "page {first} is added twice");
            holds!(self, pages == 1 && self.may_lie_beyond(first), "page {first} lies beyond the end of the file");
        }
        self.check_place(first, pages, marked);
    }

    /// Pages beyond the end of the file that the specification creates.
    fn may_lie_beyond(&mut self, page: u64) -> bool {
        let via = self.laid.as_ref().map(|laid| laid.decision.via);
        let bytes = self.machine.file_bytes;
        let whole = bytes.is_multiple_of(PAGE_BYTES);
        // Historic 6.4: last-page tries the page behind a last page that is whole.
        if self.model == ModelId::Linux2_4_23 {
            let last_page = self.machine.limits.patches.has(Patch::LastPage);
            return last_page && via == Some(Via::Legacy) && whole && bytes > 0 && page == bytes / PAGE_BYTES;
        }
        // Historic 2.3, modern 5.1: up to linux-5.10 the size of the file is looked at only after the page. So a read
        // that begins beyond the last page, or goes on behind a last page that is whole, leaves one page there.
        let (Some(read), true) = (&mut self.read, self.page_by_page && via == Some(Via::Page)) else { return false };
        let begins_there = page == read.pos / PAGE_BYTES;
        let goes_on = whole && page == bytes / PAGE_BYTES && read.pos < bytes && read.pos + read.len > bytes;
        !std::mem::replace(&mut read.went_past_end, true) && (begins_there || goes_on)
    }

    /// A folio lies in the window that it was added for, and its marker where that window put it.
    fn check_place(&mut self, first: u64, pages: u64, marked: bool) {
        let (model, max_order, min_pages) = (self.model, self.machine.max_order, self.min_pages);
        let Some(laid) = &mut self.laid else {
            return self.violate(format!("folio {first}+{pages} without a decision"));
        };
        let window = laid.window;
        let mut end = window.start.saturating_add(window.size);
        // Modern 4.4: on linux-6.1 and 6.12 a window of large folios that meets a cached page is read in its full size
        // once more from there, in smallest folios, so that it reaches as far beyond its end as it had come.
        let whole_size = (model == ModelId::Linux6_1 || model == ModelId::Linux6_12)
            && max_order > 0
            && window.size >= min_pages.max(4)
            && matches!(laid.decision.via, Via::Sync | Via::Async | Via::Around);
        let fell_back = laid.plain.filter(|_| whole_size);
        if let Some((index, ..)) = fell_back {
            end = end.max(index.saturating_add(window.size));
        }
        laid.marks += u32::from(marked);
        // One marker a window; two if large folios were followed by smallest ones (modern, vectors: `marks`).
        let marks_most = 1 + u32::from(max_order > 0 && laid.plain.is_some_and(|(index, ..)| index > window.start));
        let (marks, plain, decision) = (laid.marks, laid.plain, laid.decision);
        let inside = first >= self.down(window.start) && first + pages <= self.up(end);
        holds!(self, inside, "folio {first}+{pages} outside its window {}..{end}", window.start);
        if !marked {
            return;
        }
        holds!(self, marks <= marks_most, "{marks} markers in a window");
        // With an async_size of 0 the marker belongs to the page behind the window. It can still come to be: on a smallest
        // folio that holds this page too (modern 6.3).
        let planned = matches!(decision.via, Via::Sync | Via::Async | Via::Around);
        holds!(self, planned, "a marker that no window asked for");
        let place = match plain {
            // Historic 2.6: before the pages behind the marker, wherever the file ends.
            Some(_) if model <= ModelId::Linux5_4 => window.start + window.size - window.async_size,
            // Modern 4.2: as cut to the end of the file.
            Some((index, count, ahead)) => self.up((index + count).wrapping_sub(ahead)),
            None => window.start + window.size - window.async_size,
        };
        holds!(self, (first..first + pages).contains(&place), "the marker of page {place} is on folio {first}+{pages}");
        // Modern 4.2, 4.4: on linux-7.2 a window that reaches the end of the file has no marker.
        let reaches_end = self.eof.is_none_or(|eof| window.start + window.size > eof);
        holds!(
            self,
            model < ModelId::Linux7_2 || !reaches_end,
            "a marker in a window that reaches the end of the file"
        );
    }

    fn removed(&mut self, first: u64, pages: u64) {
        for page in first..first + pages {
            let was = match self.pages.get_mut(page as usize) {
                Some(flags) => std::mem::take(flags) & CACHED != 0,
                None => self.beyond.remove(&page),
            };
            holds!(self, was, "page {page} is dropped though it is not cached");
        }
    }

    /// A request reads what is cached and was not read before.
    fn issued(&mut self, offset: u64, sectors: u64) {
        let (first, pages) = (offset / PAGE_BYTES, sectors / PAGE_SECTORS);
        for page in first..first + pages {
            holds!(self, self.in_file(page), "page {page} beyond the end of the file is read from the device");
            let flags = self.pages.get(page as usize).copied().unwrap_or(0);
            holds!(self, flags == CACHED, "page {page} is read from the device with flags {flags}");
            if let Some(flags) = self.pages.get_mut(page as usize) {
                *flags |= SUBMITTED;
            }
        }
    }
}

impl Observer for Checker<'_> {
    fn decided(&mut self, _at: Nanos, _task: TaskId, decision: &Decision) {
        self.decisions += 1;
        let ra_pages = self.ra_pages.get(decision.handle.0 as usize).copied();
        holds!(self, ra_pages == Some(decision.before.ra_pages), "ra_pages should be {ra_pages:?} in {decision:?}");
        if self.violation.is_some() {
            return;
        }
        match decision.window {
            Some(window) => {
                self.check_window(decision, window);
                if let Some(violation) = &mut self.violation {
                    violation.push_str(&format!("\n  in {decision:?}"));
                }
                self.laid = Some(Laid { decision: *decision, window, plain: None, marks: 0 });
            }
            None => self.laid = None,
        }
    }

    fn event(&mut self, event: &Event) {
        if self.violation.is_some() {
            return;
        }
        let limits = self.machine.limits;
        match event.kind {
            EventKind::FolioAdded { first, order, marked, .. } => self.folio_added(first.0, order.pages(), marked),
            EventKind::FolioRemoved { first, order, .. } => self.removed(first.0, order.pages()),
            EventKind::Issued { offset, sectors, .. } => self.issued(offset.0, sectors.0),
            EventKind::PlainRun { index, pages, lookahead, .. } => {
                if let Some(laid) = &mut self.laid {
                    laid.plain = Some((index.0, pages.0, lookahead.0));
                }
            }
            EventKind::Used { first, pages, .. } => {
                let missing = (first.0..first.0 + pages.0).find(|page| !self.cached(*page));
                holds!(self, missing.is_none(), "page {missing:?} is copied to the program but is not cached");
                if let Some(read) = &mut self.read {
                    let next = std::mem::replace(&mut read.next, first.0 + pages.0);
                    holds!(self, next == first.0, "the read goes on at page {} instead of {next}", first.0);
                }
            }
            EventKind::Read { pos, len, .. } => {
                self.next_operation();
                let next = pos.0 / PAGE_BYTES;
                self.read = Some(ReadCall { pos: pos.0, len: len.0, next, went_past_end: false });
            }
            EventKind::ReadDone { pos, len, .. } => {
                let Some(read) = self.read.take() else {
                    return self.violate("a read returns that never began".into());
                };
                let inside = read.len.min(self.machine.file_bytes.saturating_sub(read.pos));
                holds!(self, len.0 == inside && pos.0 == read.pos, "a read returns {} of {inside} bytes", len.0);
                let end = if inside == 0 { read.pos / PAGE_BYTES } else { (read.pos + inside).div_ceil(PAGE_BYTES) };
                holds!(self, read.next == end, "a read ends at page {} instead of {end}", read.next);
            }
            EventKind::Open { handle, .. } => {
                self.next_operation();
                self.ra_pages.resize(handle.0 as usize + 1, 0);
                self.ra_pages[handle.0 as usize] = limits.device_ra_pages;
            }
            EventKind::Fadvise { handle, pos, len, advice, .. } => {
                self.next_operation();
                if self.model == ModelId::Linux2_4_23 {
                    return;
                }
                let ra_pages = &mut self.ra_pages[handle.0 as usize];
                match advice {
                    0 => *ra_pages = limits.device_ra_pages,
                    1 if !self.random_mode => *ra_pages = 0,
                    2 => *ra_pages = 2 * limits.device_ra_pages,
                    3 => {
                        let (first, pages) = limits.will_need(pos.0, len.0);
                        self.promise = (Promise::Range(first, pages), handle);
                    }
                    _ => {}
                }
            }
            EventKind::Readahead { handle, pos, len, .. } => {
                self.next_operation();
                let (first, pages) = limits.readahead(pos.0, len.0);
                self.promise = (Promise::Range(first, pages), handle);
            }
            EventKind::Touch { .. } | EventKind::Mmap { .. } | EventKind::Lseek { .. } | EventKind::DropCaches => {
                self.next_operation();
            }
            EventKind::Fault { page, .. } => {
                self.next_operation();
                self.promise = (Promise::Page(page.0), HandleId(0));
            }
            EventKind::TaskDone => self.next_operation(),
            _ => {}
        }
    }
}
