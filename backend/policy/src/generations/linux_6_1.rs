//! linux-6.1 (6.1.187): folios, in batches; a window's folios are two orders larger than the one whose marker was met, a
//! window that is continued does not shrink, and MADV_HUGEPAGE reads huge pages.

use super::faults::FaultRules;
use super::linux_5_10;
use super::ondemand::Rules;
use super::window::WindowRun;
use crate::callers::{Callers, HugeEntry, ReadLoop};

/// The rules.
pub(super) const RULES: Rules = Rules {
    keeps_size: true,
    window: WindowRun::Folios6_1,
    faults: FaultRules { huge: true, ..linux_5_10::RULES.faults },
    ..linux_5_10::RULES
};
/// The code around the decisions.
pub(super) const CALLERS: Callers = Callers {
    read: ReadLoop::Batches { folios: 15, prev_pos_at_once: true, rounds_to_min_order: false },
    huge_entry: HugeEntry::Always,
    merges_with_any: false,
    ..linux_5_10::CALLERS
};
