//! Laying a decided window out as folios: which folio comes next, of which order, with or without the marker.
//!
//! A layout is a cursor, not a list: the engine asks for the next step, adds the folio and asks again. So it needs no
//! memory of its own, it sees the page cache as it is at each step, and a failed allocation can change its course.

use crate::sizes::{down, up};
use crate::view::CacheView;

/// What is to be done next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutStep {
    /// A run of single folios begins (the kernel's page_cache_ra_unbounded): pages asked for and pages behind the marker,
    /// both cut to the end of the file.
    PlainRun {
        /// First page.
        index: u64,
        /// Pages.
        pages: u64,
        /// Pages behind the marker.
        lookahead: u64,
    },
    /// A folio is to be added here; nothing is cached in its place.
    Add {
        /// First page, a multiple of the folio's pages.
        first: u64,
        /// Order.
        order: u8,
        /// It carries the lookahead marker.
        marked: bool,
    },
    /// What was added since the last end of a batch goes to the file system as one batch.
    BatchEnd,
    /// Nothing is left.
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Folios,
    PlainStart,
    Plain { base: u64, offset: u64, total: u64, mark: Option<u64> },
    Done,
}

/// A window on its way into the page cache. Follows linux-6.12 and later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    phase: Phase,
    start: u64,
    size: u64,
    async_size: u64,
    eof: Option<u64>,
    min_order: u8,
    /// Where the readahead control stands.
    index: u64,
    last: u64,
    order: u8,
    mark: Option<u64>,
    open_batch: bool,
    /// The last folio handed out; taken back when its allocation fails.
    handed: Option<(u64, u8)>,
}

impl Layout {
    /// A window of large folios with at most this order; falls back to single folios where something is cached.
    /// `mark` is the page whose folio gets the marker.
    #[expect(clippy::too_many_arguments, reason = "the numbers of one window, named at the only call")]
    pub fn folios(
        start: u64,
        size: u64,
        async_size: u64,
        order: u8,
        min_order: u8,
        last: u64,
        mark: Option<u64>,
        eof: Option<u64>,
    ) -> Self {
        Layout {
            phase: Phase::Folios,
            start,
            size,
            async_size,
            eof,
            min_order,
            index: down(start, 1 << min_order),
            last,
            order,
            mark,
            open_batch: false,
            handed: None,
        }
    }

    /// A run of single folios (of `min_order`).
    pub fn plain(start: u64, size: u64, async_size: u64, min_order: u8, eof: Option<u64>) -> Self {
        Layout {
            phase: Phase::PlainStart,
            start,
            size,
            async_size,
            eof,
            min_order,
            index: start,
            last: 0,
            order: min_order,
            mark: None,
            open_batch: false,
            handed: None,
        }
    }

    /// Where the readahead control stands: after the last page looked at.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// The allocation of the folio handed out last failed: a window falls back to single folios, a run of single
    /// folios ends.
    pub fn refused(&mut self) {
        let Some((first, _)) = self.handed.take() else { return };
        self.index = first;
        match self.phase {
            Phase::Folios => self.fall_back(),
            _ => self.phase = Phase::Done,
        }
    }

    /// What is left of the window comes as single folios.
    fn fall_back(&mut self) {
        let done = self.index.wrapping_sub(self.start);
        if self.size > done {
            self.size -= done;
            self.start = self.index;
            self.phase = Phase::PlainStart;
        } else {
            self.phase = Phase::Done;
        }
    }

    /// The next step. A folio handed out counts as added unless [`Layout::refused`] is called before the next step.
    pub fn next<V: CacheView>(&mut self, view: &V) -> LayoutStep {
        if let Some((first, order)) = self.handed.take() {
            self.open_batch = true;
            self.index = first + (1 << order);
            if let Phase::Plain { offset, .. } = &mut self.phase {
                *offset += 1 << order;
            }
        }
        loop {
            match self.phase {
                Phase::Folios => {
                    if self.index > self.last {
                        self.phase = Phase::Done;
                        continue;
                    }
                    let order = self.fitting_order();
                    if view.occupied(self.index, order) {
                        self.fall_back();
                        continue;
                    }
                    let marked = self.mark.is_some_and(|mark| self.index == down(mark, 1 << order));
                    return self.hand_out(order, marked);
                }
                Phase::PlainStart => {
                    if self.open_batch {
                        self.open_batch = false;
                        return LayoutStep::BatchEnd;
                    }
                    return self.start_plain();
                }
                Phase::Plain { base, offset, total, mark } => {
                    if offset >= total {
                        self.phase = Phase::Done;
                        continue;
                    }
                    self.index = base + offset;
                    if view.folio(self.index).is_some() {
                        let next = offset + (1 << self.min_order);
                        self.phase = Phase::Plain { base, offset: next, total, mark };
                        self.index = base + next;
                        if self.open_batch {
                            self.open_batch = false;
                            return LayoutStep::BatchEnd;
                        }
                        continue;
                    }
                    return self.hand_out(self.min_order, mark == Some(offset));
                }
                Phase::Done => {
                    if self.open_batch {
                        self.open_batch = false;
                        return LayoutStep::BatchEnd;
                    }
                    return LayoutStep::Done;
                }
            }
        }
    }

    /// The largest order that is aligned at the control's index and does not reach beyond the window's last page.
    fn fitting_order(&self) -> u8 {
        let mut order = self.order;
        if self.index & ((1 << order) - 1) != 0 {
            order = self.index.trailing_zeros() as u8;
        }
        while order > self.min_order && self.index + (1 << order) - 1 > self.last {
            order -= 1;
        }
        order
    }

    fn hand_out(&mut self, order: u8, marked: bool) -> LayoutStep {
        self.handed = Some((self.index, order));
        LayoutStep::Add { first: self.index, order, marked }
    }

    /// Cuts a run of single folios to the end of the file and sets where its marker goes. A run that reaches the last
    /// page of the file sets none (linux-7.2).
    fn start_plain(&mut self) -> LayoutStep {
        let (at, mut pages, mut ahead) = (self.start, self.size, self.async_size);
        let Some(eof) = self.eof.filter(|eof| at <= *eof) else {
            self.phase = Phase::Done;
            return LayoutStep::Done;
        };
        if pages > eof - at {
            pages = eof - at + 1;
            ahead = 0;
        }
        let step = 1u64 << self.min_order;
        let base = down(at, step);
        let mark = (ahead <= pages).then(|| up(at + pages - ahead, step) - base);
        self.phase = Phase::Plain { base, offset: 0, total: pages + (at - base), mark };
        self.index = base;
        LayoutStep::PlainRun { index: at, pages, lookahead: ahead }
    }
}
