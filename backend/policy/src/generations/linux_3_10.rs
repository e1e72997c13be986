//! linux-3.10: POSIX_FADV_RANDOM is a mode of the handle; faults no longer look at prev_pos, and read-around leaves a
//! marker at three quarters of its window.

use super::faults::FaultRules;
use super::linux_2_6_33;
use super::ondemand::Rules;
use crate::callers::Callers;

/// The rules.
pub(super) const RULES: Rules =
    Rules { faults: FaultRules { moves_prev_pos: false, off_before_hits: false, huge: false }, ..linux_2_6_33::RULES };
/// The code around the decisions: the plug belongs to the task since 2.6.39.
pub(super) const CALLERS: Callers = Callers { random_mode: true, ..linux_2_6_33::CALLERS };
