//! The readahead decision code of each kernel generation: state and page-cache queries in, windows and reasons out.
//!
//! Must not know time, I/O, devices, threads, floats, allocation or logging.

pub mod callers;
pub mod decide;
pub mod gap;
mod generations;
pub mod layout;
pub mod limits;
pub mod registry;
pub mod sizes;
pub mod view;

pub use callers::Callers;
pub use decide::{Action, Force, Mapping, Outcome, Tunables};
pub use generations::{Cluster24, Reader24, Step24};
pub use layout::{Layout, LayoutStep};
pub use limits::NodeMemory;
pub use registry::{MODELS, ModelId, ModelInfo, PATCHES, Patch, PatchInfo, Patches, RegistryError};
pub use view::{CacheView, FolioRef, Slot};
