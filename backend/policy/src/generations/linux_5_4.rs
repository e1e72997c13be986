//! linux-5.4: searches by XArray, off by one at their limit; merged windows within their limit; a cached page inside a
//! window ends its batch; readahead(2) is fadvise WILLNEED.

use super::linux_4_14;
use super::ondemand::{Merge, Rules, Search};
use crate::callers::{Callers, PartialPage, ReadaheadCall};
use crate::layout::PlainRules;

/// The rules.
pub(super) const RULES: Rules = Rules {
    search: Search::Cursor,
    merge: Merge::WithinLimit,
    plain: PlainRules { one_batch: false, ..linux_4_14::RULES.plain },
    ..linux_4_14::RULES
};
/// The code around the decisions.
pub(super) const CALLERS: Callers = Callers {
    partial_page: PartialPage::KeptUnlessLast,
    readahead_call: ReadaheadCall::WillNeed,
    ..linux_4_14::CALLERS
};
