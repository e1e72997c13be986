//! linux-5.10 (5.10.223): a miss while ra_pages is 0 forces its page in; the marker of a window that the end of the file
//! cuts moves to the left.

use super::faults::FaultRules;
use super::linux_5_4;
use super::ondemand::Rules;
use crate::callers::{Callers, Reclaim};
use crate::layout::{PlainMark, PlainRules};

/// The rules.
pub(super) const RULES: Rules = Rules {
    off_forces: true,
    plain: PlainRules { mark: PlainMark::Cut, ..linux_5_4::RULES.plain },
    faults: FaultRules { off_before_hits: true, ..linux_5_4::RULES.faults },
    ..linux_5_4::RULES
};
/// The code around the decisions.
pub(super) const CALLERS: Callers = Callers { max_segments: 127, reclaim: Reclaim::Workingset, ..linux_5_4::CALLERS };
