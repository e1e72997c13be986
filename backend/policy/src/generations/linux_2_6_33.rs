//! linux-2.6.33, the plain release. The patches of the 2010 series, `fmode-random` and the limits of 2014 to 2016 are
//! switched on where the shared rules ask for them.

use super::faults::FaultRules;
use super::ondemand::{History, Merge, Rules, Search};
use super::window::WindowRun;
use crate::layout::{PlainMark, PlainRules};
use crate::limits::{Ceiling, ForceCeiling};

/// The rules.
pub(super) const RULES: Rules = Rules {
    ceiling: Ceiling::NodeHalf,
    force: ForceCeiling::Sane,
    search: Search::PageByPage,
    history: History::Any,
    merge: Merge::Add,
    off_forces: false,
    keeps_size: false,
    plain: PlainRules { mark: PlainMark::AsAsked, one_batch: true, retain: false },
    window: WindowRun::Pages,
    faults: FaultRules { moves_prev_pos: true, off_before_hits: false, huge: false },
};
/// The code around the decisions.
pub(super) use crate::callers::LINUX_2_6_33 as CALLERS;
