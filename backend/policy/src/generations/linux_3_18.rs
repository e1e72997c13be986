//! linux-3.18: no window and no forced range above 2 MiB; history makes a stream only when it is longer than the
//! request.

use super::linux_3_10;
use super::ondemand::{History, Rules};
use crate::callers::{Callers, FaultAround};
use crate::limits::Ceiling;

/// The rules.
pub(super) const RULES: Rules =
    Rules { ceiling: Ceiling::TwoMib, history: History::MoreThanRequest, ..linux_3_10::RULES };
/// The code around the decisions: fault-around since 3.15.
pub(super) const CALLERS: Callers = Callers { fault_around: FaultAround::EachPage, ..linux_3_10::CALLERS };
