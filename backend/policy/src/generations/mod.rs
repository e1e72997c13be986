//! One file a kernel generation, and the calls that lead to the one that is meant.

mod linux_7_2;

use crate::decide::{Mapping, Outcome, Tunables};
use crate::registry::ModelId;
use crate::view::{CacheView, FolioRef};
use readahead_types::RaState;

impl ModelId {
    /// A page that was wanted is not in the cache: `req` pages are still wanted from `index` on.
    pub fn sync_ra<V: CacheView>(self, ra: RaState, index: u64, req: u64, tunables: &Tunables, view: &V) -> Outcome {
        match self {
            ModelId::Linux7_2 | ModelId::Linux7_3Rc => linux_7_2::sync_ra(ra, index, req, tunables, view),
        }
    }

    /// A folio with the lookahead marker was reached at `index`.
    pub fn async_ra<V: CacheView>(
        self,
        ra: RaState,
        folio: FolioRef,
        index: u64,
        req: u64,
        tunables: &Tunables,
        view: &V,
    ) -> Outcome {
        match self {
            ModelId::Linux7_2 | ModelId::Linux7_3Rc => linux_7_2::async_ra(ra, folio, index, req, tunables, view),
        }
    }

    /// A fault on a page that is not cached.
    pub fn fault_sync<V: CacheView>(
        self,
        ra: RaState,
        page: u64,
        mapping: &Mapping,
        tunables: &Tunables,
        view: &V,
    ) -> Outcome {
        match self {
            ModelId::Linux7_2 | ModelId::Linux7_3Rc => linux_7_2::fault_sync(ra, page, mapping, tunables, view),
        }
    }

    /// A fault on a cached page.
    #[expect(clippy::too_many_arguments, reason = "a fault: state, folio, page, mapping, settings, cache")]
    pub fn fault_async<V: CacheView>(
        self,
        ra: RaState,
        folio: FolioRef,
        locked: bool,
        page: u64,
        mapping: &Mapping,
        tunables: &Tunables,
        view: &V,
    ) -> (RaState, Option<Outcome>) {
        match self {
            ModelId::Linux7_2 | ModelId::Linux7_3Rc => {
                linux_7_2::fault_async(ra, folio, locked, page, mapping, tunables, view)
            }
        }
    }

    /// fadvise WILLNEED and readahead(2).
    pub fn will_need(self, ra: RaState, index: u64, pages: u64, tunables: &Tunables) -> Outcome {
        match self {
            ModelId::Linux7_2 | ModelId::Linux7_3Rc => linux_7_2::will_need(ra, index, pages, tunables),
        }
    }
}
