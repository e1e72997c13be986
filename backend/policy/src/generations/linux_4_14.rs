//! linux-4.14 (mainline): a request above ra_pages lifts the limit up to io_pages; a partial last page survives
//! POSIX_FADV_DONTNEED. The patch stable-io-pages keeps a merged window within its limit.

use super::linux_4_4;
use super::ondemand::Rules;
use crate::callers::{Callers, PartialPage};
use crate::limits::{Ceiling, ForceCeiling};

/// The rules.
pub(super) const RULES: Rules = Rules { ceiling: Ceiling::IoPages, force: ForceCeiling::IoPages, ..linux_4_4::RULES };
/// The code around the decisions.
pub(super) const CALLERS: Callers = Callers { partial_page: PartialPage::Kept, ..linux_4_4::CALLERS };
