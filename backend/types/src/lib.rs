//! The vocabulary of the lab: units, identifiers, the readahead state, recorded events and the reasons of decisions.
//!
//! Owns names and shapes. Must not know any behaviour: no policy, no engine, no file format.

pub mod event;
pub mod readahead;
pub mod reason;
pub mod units;

pub use event::{DecisionId, Event, EventKind, RequestId};
pub use readahead::{Decision, Old24, Pattern, RaState, TracedCall, Via, Window};
pub use reason::{Reason, Trim};
pub use units::{Bytes, Nanos, Order, PAGE_BYTES, PAGE_SECTORS, PAGE_SHIFT, PageIndex, Pages, SECTOR_BYTES, Sectors};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
        pub struct $name(pub u32);
    };
}

id!(
    /// A file of the run, by its place in the scenario.
    FileId
);
id!(
    /// An open file (a file description, with its own readahead state), numbered in the order of opening.
    HandleId
);
id!(
    /// A task: one stream of the scenario.
    TaskId
);
