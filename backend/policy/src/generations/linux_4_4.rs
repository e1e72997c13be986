//! linux-4.4: the handle's ra_pages is the only limit of a window, the device's the only one of a forced range.

use super::linux_3_18;
use super::ondemand::Rules;
use crate::callers::Callers;
use crate::limits::{Ceiling, ForceCeiling};

/// The rules.
pub(super) const RULES: Rules =
    Rules { ceiling: Ceiling::None, force: ForceCeiling::DeviceRaPages, ..linux_3_18::RULES };
/// The code around the decisions: larger requests since 4.3.
pub(super) const CALLERS: Callers = Callers { max_sectors_kb: 1280, ..linux_3_18::CALLERS };
