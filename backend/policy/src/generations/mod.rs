//! One file a kernel generation, and the calls that lead to the one that is meant. What generations share is in
//! `ondemand` (linux-2.6.33 to 6.1), `since_6_12`, `window`, `faults` and `thrashing_safe`.

mod faults;
mod linux_2_4_23;
mod linux_2_6_33;
mod linux_3_10;
mod linux_3_18;
mod linux_4_14;
mod linux_4_4;
mod linux_5_10;
mod linux_5_4;
mod linux_6_1;
mod linux_6_12;
mod linux_7_2;
mod ondemand;
mod since_6_12;
mod thrashing_safe;
mod window;

pub use linux_2_4_23::{Cluster24, Reader24, Step24};

use crate::callers::Callers;
use crate::decide::{Mapping, Outcome, Tunables};
use crate::limits::sane;
use crate::registry::{ModelId, Patch, Patches};
use crate::view::{CacheView, FolioRef};
use ondemand::Rules;
use readahead_types::{RaState, Reason, Trim, Via};

impl ModelId {
    /// The rules of on-demand readahead, for the generations that have them.
    fn on_demand(self) -> Option<&'static Rules> {
        Some(match self {
            ModelId::Linux2_6_33 => &linux_2_6_33::RULES,
            ModelId::Linux3_10 => &linux_3_10::RULES,
            ModelId::Linux3_18 => &linux_3_18::RULES,
            ModelId::Linux4_4 => &linux_4_4::RULES,
            ModelId::Linux4_14 => &linux_4_14::RULES,
            ModelId::Linux5_4 => &linux_5_4::RULES,
            ModelId::Linux5_10 => &linux_5_10::RULES,
            ModelId::Linux6_1 => &linux_6_1::RULES,
            ModelId::Linux2_4_23 | ModelId::Linux6_12 | ModelId::Linux7_2 | ModelId::Linux7_3Rc => return None,
        })
    }

    /// What differs in the code around the decisions.
    pub fn callers(self, patches: Patches) -> Callers {
        let own = match self {
            ModelId::Linux2_4_23 => linux_2_4_23::CALLERS,
            ModelId::Linux2_6_33 => linux_2_6_33::CALLERS,
            ModelId::Linux3_10 => linux_3_10::CALLERS,
            ModelId::Linux3_18 => linux_3_18::CALLERS,
            ModelId::Linux4_4 => linux_4_4::CALLERS,
            ModelId::Linux4_14 => linux_4_14::CALLERS,
            ModelId::Linux5_4 => linux_5_4::CALLERS,
            ModelId::Linux5_10 => linux_5_10::CALLERS,
            ModelId::Linux6_1 => linux_6_1::CALLERS,
            ModelId::Linux6_12 => linux_6_12::CALLERS,
            ModelId::Linux7_2 | ModelId::Linux7_3Rc => linux_7_2::CALLERS,
        };
        Callers {
            random_mode: own.random_mode || patches.has(Patch::FmodeRandom),
            lseek_flag: patches.has(Patch::LseekFlag),
            ..own
        }
    }

    /// A page that was wanted is not in the cache: `req` pages are still wanted from `index` on.
    pub fn sync_ra<V: CacheView>(self, ra: RaState, index: u64, req: u64, tunables: &Tunables, view: &V) -> Outcome {
        match (self, self.on_demand()) {
            (_, Some(rules)) => ondemand::sync_ra(rules, ra, index, req, tunables, view),
            (ModelId::Linux2_4_23, _) => Outcome::nothing(ra, Via::Sync, 0, Reason::SyncNoReadahead { index }),
            (ModelId::Linux6_12, _) => linux_6_12::sync_ra(ra, index, req, tunables, view),
            _ => linux_7_2::sync_ra(ra, index, req, tunables, view),
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
        match (self, self.on_demand()) {
            (_, Some(rules)) => ondemand::async_ra(rules, ra, folio, index, req, tunables, view),
            (ModelId::Linux2_4_23, _) => Outcome::nothing(ra, Via::Async, 0, Reason::AsyncReadaheadOff { index }),
            (ModelId::Linux6_12, _) => linux_6_12::async_ra(ra, folio, index, req, tunables, view),
            _ => linux_7_2::async_ra(ra, folio, index, req, tunables, view),
        }
    }

    /// A fault on a page that is not cached. linux-2.4 reads clusters instead ([`Cluster24`]).
    pub fn fault_sync<V: CacheView>(
        self,
        ra: RaState,
        page: u64,
        mapping: &Mapping,
        tunables: &Tunables,
        view: &V,
    ) -> Outcome {
        let order = view.folio(page).map_or(0, |folio| folio.order);
        let reads = ModelReads { model: self, folio: FolioRef { first: page, order, marked: false }, tunables, view };
        match (self, self.on_demand()) {
            (_, Some(rules)) => faults::fault_sync(&rules.faults, ra, page, mapping, tunables, &reads),
            (ModelId::Linux2_4_23, _) => Outcome::nothing(ra, Via::Around, 0, Reason::FaultRandom { page }),
            (ModelId::Linux6_12, _) => faults::fault_sync(&linux_6_12::FAULTS, ra, page, mapping, tunables, &reads),
            _ => linux_7_2::fault_sync(ra, page, mapping, tunables, view),
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
        let reads = ModelReads { model: self, folio, tunables, view };
        let marked = folio.marked;
        match (self, self.on_demand()) {
            (_, Some(rules)) => faults::fault_async(&rules.faults, ra, marked, page, mapping, tunables, &reads),
            (ModelId::Linux2_4_23, _) => (ra, None),
            (ModelId::Linux6_12, _) => {
                faults::fault_async(&linux_6_12::FAULTS, ra, marked, page, mapping, tunables, &reads)
            }
            _ => linux_7_2::fault_async(ra, folio, locked, page, mapping, tunables, view),
        }
    }

    /// fadvise WILLNEED and readahead(2).
    pub fn will_need(self, ra: RaState, index: u64, pages: u64, tunables: &Tunables) -> Outcome {
        match (self, self.on_demand()) {
            (_, Some(rules)) => ondemand::will_need(rules, ra, index, pages, tunables),
            (ModelId::Linux2_4_23, _) => linux_2_4_23::will_need(ra, index, pages, tunables),
            (ModelId::Linux6_12, _) => linux_6_12::will_need(ra, index, pages, tunables),
            _ => linux_7_2::will_need(ra, index, pages, tunables),
        }
    }
}

/// How a generation reads on behalf of a fault.
struct ModelReads<'a, V> {
    model: ModelId,
    /// The folio of the page that faulted.
    folio: FolioRef,
    tunables: &'a Tunables,
    view: &'a V,
}

impl<V: CacheView> faults::Reads for ModelReads<'_, V> {
    fn sync(&self, ra: RaState, index: u64, req: u64) -> Outcome {
        self.model.sync_ra(ra, index, req, self.tunables, self.view)
    }

    fn asynchronous(&self, ra: RaState, index: u64, req: u64) -> Outcome {
        self.model.async_ra(ra, self.folio, index, req, self.tunables, self.view)
    }

    fn around(&self, ra: RaState, at: u64, order: u8, max: u64, reason: Reason) -> Outcome {
        match self.model.on_demand() {
            Some(rules) => ondemand::run(rules, ra, at, order, Via::Around, max, reason, Trim::None, self.tunables),
            None => linux_6_12::window(ra, at, order, Via::Around, max, reason, self.tunables),
        }
    }

    fn around_limit(&self, ra: &RaState) -> u64 {
        let ra_pages = u64::from(ra.ra_pages);
        self.model.on_demand().map_or(ra_pages, |rules| sane(ra_pages, rules.ceiling, self.tunables))
    }
}
