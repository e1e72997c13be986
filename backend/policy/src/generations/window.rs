//! How a decided window is handed over to be laid out, up to linux-6.12: as single pages, or as folios by the rules of
//! linux-6.1 and 6.12 (specification of the modern kernels, section 4.4).

use crate::decide::{Outcome, Tunables};
use crate::layout::{Fallback, FolioRules, FolioWindow, Layout, PlainRules};
use crate::sizes::lg;
use readahead_types::{RaState, Reason, Trim, Via, Window};

/// Largest folio order: one huge page of 2 MiB.
pub(super) const PMD_ORDER: u8 = 9;
/// Windows below this many pages come as single folios.
const SMALLEST_FOLIO_WINDOW: u64 = 4;
/// An order is raised by this much over the folio whose marker was met.
const ORDER_STEP: u8 = 2;

/// By which rules a window is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WindowRun {
    /// Single pages (up to linux-5.10).
    Pages,
    /// linux-6.1.
    Folios6_1,
    /// linux-6.12.
    Folios6_12,
}

/// Hands a window over. `at` is the readahead control's index, where the window runs from; only the huge-page window
/// runs from elsewhere than the file's `start`. `order` is that of the folio whose marker was met.
#[expect(clippy::too_many_arguments, reason = "one window with the story of its decision")]
pub(super) fn window_run(
    kind: WindowRun,
    plain: PlainRules,
    mut ra: RaState,
    at: u64,
    order: u8,
    via: Via,
    max: u64,
    reason: Reason,
    mut trim: Trim,
    tunables: &Tunables,
) -> Outcome {
    let (size, async_size) = (u64::from(ra.size), u64::from(ra.async_size));
    let entry_order = if kind == WindowRun::Pages { 0 } else { u16::from(order) };
    let window = Window { start: at, size, async_size, order: entry_order };
    let mut layout = Layout::plain(at, size, async_size, tunables.min_order, tunables.eof, plain);
    let smallest = SMALLEST_FOLIO_WINDOW.max(tunables.min_pages());
    let folios = kind != WindowRun::Pages && tunables.large() && size >= smallest;
    if let (true, Some(eof)) = (folios, tunables.eof) {
        let last = eof.min(at.wrapping_add(size).wrapping_sub(1));
        let mark = at.wrapping_add(size).wrapping_sub(async_size);
        let (order, no_order_1) = match kind {
            WindowRun::Folios6_1 => (order_6_1(order, size), true),
            _ => (order_6_12(order, size, tunables), false),
        };
        let rules = FolioRules { fallback: Fallback::WholeSize, no_order_1 };
        layout = layout.folios(FolioWindow { order, last, mark: Some(mark), rules });
        if kind == WindowRun::Folios6_1 && at > last.wrapping_add(1) {
            let by = at - last - 1;
            ra.size = ra.size.wrapping_add(by as u32);
            ra.async_size = ra.async_size.wrapping_add(by as u32);
            trim = Trim::GrownPastEnd { start: at, by, size: u64::from(ra.size) };
        }
    }
    Outcome { trim, ..Outcome::run(ra, via, max, window, layout, reason) }
}

/// Two orders more than the folio that was met, as far as the window's size allows.
fn order_6_1(order: u8, size: u64) -> u8 {
    if order >= PMD_ORDER {
        return order;
    }
    let mut order = (order + ORDER_STEP).min(PMD_ORDER);
    while 1 << order > size {
        order -= 1;
    }
    order
}

/// The same within the file system's orders.
fn order_6_12(order: u8, size: u64, tunables: &Tunables) -> u8 {
    let wanted = if order < tunables.max_order { order + ORDER_STEP } else { order };
    wanted.min(tunables.max_order).min(lg(size) as u8).max(tunables.min_order)
}
