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
    /// retain-inactive: cached pages of this range that are still inactive go to the head of the inactive list; those
    /// that were just added do not take part.
    Retain {
        /// First page.
        first: u64,
        /// Pages.
        pages: u64,
    },
    /// What was added since the last end of a batch goes to the file system as one batch.
    BatchEnd,
    /// Nothing is left.
    Done,
}

/// How a generation lays out a run of single folios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainRules {
    /// Where the marker goes.
    pub mark: PlainMark,
    /// All new pages of a run are one batch, even with cached pages between them (up to linux-4.14).
    pub one_batch: bool,
    /// retain-inactive is on.
    pub retain: bool,
}

/// Where a run of single folios puts its marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainMark {
    /// Before the lookahead pages of the run as asked for, wherever the file ends (up to linux-5.4).
    AsAsked,
    /// Before the lookahead pages of the run as cut to the end of the file (linux-5.10, 6.1).
    Cut,
    /// As `Cut`, rounded to the smallest folio (linux-6.12).
    CutRounded,
    /// As `CutRounded`, but none in a run that reaches the end of the file (linux-7.2).
    NotAtEnd,
}

/// How a generation goes on when a large folio cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// The whole size again, from the folio that failed (linux-6.1, 6.12).
    WholeSize,
    /// What is left of the window (linux-7.2).
    Rest,
}

/// How a generation lays out large folios.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolioRules {
    /// When a folio cannot be added.
    pub fallback: Fallback,
    /// No folio of order 1 (linux-6.1).
    pub no_order_1: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Folios,
    PlainStart,
    Plain { base: u64, offset: u64, total: u64, mark: Option<u64> },
    Retain { first: u64, pages: u64 },
    Done,
}

/// A window on its way into the page cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    phase: Phase,
    plain: PlainRules,
    folios: FolioRules,
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
    /// Pages added by the run of single folios.
    added: u64,
    /// The last folio handed out; taken back when its allocation fails.
    handed: Option<(u64, u8)>,
}

/// Not used by a run of single folios.
const NO_FOLIOS: FolioRules = FolioRules { fallback: Fallback::Rest, no_order_1: false };

/// A window of large folios: the numbers that [`Layout::folios`] needs beyond the plain run that it may fall back to.
#[derive(Clone, Copy, Debug)]
pub struct FolioWindow {
    /// Largest folio order.
    pub order: u8,
    /// Last page.
    pub last: u64,
    /// The page whose folio gets the marker.
    pub mark: Option<u64>,
    /// The generation's rules.
    pub rules: FolioRules,
}

impl Layout {
    /// A run of single folios (of `min_order`). Pages of the window as decided; `eof` cuts it.
    pub fn plain(start: u64, size: u64, async_size: u64, min_order: u8, eof: Option<u64>, rules: PlainRules) -> Self {
        Layout {
            phase: Phase::PlainStart,
            plain: rules,
            folios: NO_FOLIOS,
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
            added: 0,
            handed: None,
        }
    }

    /// Makes this run a window of large folios; it falls back to single folios where something is cached.
    pub fn folios(self, window: FolioWindow) -> Self {
        Layout {
            phase: Phase::Folios,
            folios: window.rules,
            index: down(self.start, 1 << self.min_order),
            last: window.last,
            order: window.order,
            mark: window.mark,
            ..self
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

    /// The window goes on as single folios, from where the control stands.
    fn fall_back(&mut self) {
        let done = self.index.wrapping_sub(self.start);
        match self.folios.fallback {
            Fallback::WholeSize => {}
            Fallback::Rest if self.size > done => self.size -= done,
            Fallback::Rest => {
                self.phase = Phase::Done;
                return;
            }
        }
        self.start = self.index;
        self.phase = Phase::PlainStart;
    }

    /// The next step. A folio handed out counts as added unless [`Layout::refused`] is called before the next step.
    pub fn next<V: CacheView>(&mut self, view: &V) -> LayoutStep {
        if let Some((first, order)) = self.handed.take() {
            self.open_batch = true;
            self.index = first + (1 << order);
            if let Phase::Plain { offset, .. } = &mut self.phase {
                *offset += 1 << order;
                self.added += 1 << order;
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
                        return self.end_batch();
                    }
                    return self.start_plain();
                }
                Phase::Plain { base, offset, total, mark } => {
                    if offset >= total {
                        let retain = self.plain.retain && self.added < self.size && total > 0;
                        self.phase = if retain { Phase::Retain { first: base, pages: total } } else { Phase::Done };
                        continue;
                    }
                    self.index = base + offset;
                    if view.folio(self.index).is_some() {
                        let next = offset + (1 << self.min_order);
                        self.phase = Phase::Plain { base, offset: next, total, mark };
                        self.index = base + next;
                        if self.open_batch && !self.plain.one_batch {
                            return self.end_batch();
                        }
                        continue;
                    }
                    return self.hand_out(self.min_order, mark == Some(offset));
                }
                Phase::Retain { first, pages } => {
                    self.phase = Phase::Done;
                    return LayoutStep::Retain { first, pages };
                }
                Phase::Done => {
                    if self.open_batch {
                        return self.end_batch();
                    }
                    return LayoutStep::Done;
                }
            }
        }
    }

    fn end_batch(&mut self) -> LayoutStep {
        self.open_batch = false;
        LayoutStep::BatchEnd
    }

    /// The largest order that is aligned at the control's index and does not reach beyond the window's last page.
    fn fitting_order(&self) -> u8 {
        let allowed = |order: u8| if order == 1 && self.folios.no_order_1 { 0 } else { order };
        let mut order = self.order;
        if self.index & ((1 << order) - 1) != 0 {
            order = allowed(self.index.trailing_zeros() as u8);
        }
        while order > self.min_order && self.index + (1 << order) - 1 > self.last {
            order = allowed(order - 1);
        }
        order
    }

    fn hand_out(&mut self, order: u8, marked: bool) -> LayoutStep {
        self.handed = Some((self.index, order));
        LayoutStep::Add { first: self.index, order, marked }
    }

    /// Cuts a run of single folios to the end of the file and sets where its marker goes.
    fn start_plain(&mut self) -> LayoutStep {
        let (at, asked, mut ahead) = (self.start, self.size, self.async_size);
        let Some(eof) = self.eof.filter(|eof| at <= *eof) else {
            self.phase = Phase::Done;
            return LayoutStep::Done;
        };
        let reaches_end = asked > eof - at;
        let pages = if reaches_end { eof - at + 1 } else { asked };
        if reaches_end && self.plain.mark == PlainMark::NotAtEnd {
            ahead = 0;
        }
        let step = 1u64 << self.min_order;
        let base = down(at, step);
        let rounded = || up(at.wrapping_add(pages).wrapping_sub(ahead), step).wrapping_sub(base);
        let mark = match self.plain.mark {
            PlainMark::AsAsked => Some(asked.wrapping_sub(ahead)),
            PlainMark::Cut => Some(pages.wrapping_sub(ahead)),
            PlainMark::CutRounded => Some(rounded()),
            PlainMark::NotAtEnd => (ahead <= pages).then(rounded),
        };
        self.phase = Phase::Plain { base, offset: 0, total: pages + (at - base), mark };
        self.index = base;
        LayoutStep::PlainRun { index: at, pages, lookahead: ahead }
    }
}
