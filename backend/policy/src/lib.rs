//! The readahead decision code of each kernel generation: state and page-cache queries in, windows and reasons out.
//!
//! Must not know time, I/O, devices, threads, floats, allocation or logging.

pub mod decide;
pub mod gap;
mod generations;
pub mod layout;
pub mod registry;
pub mod sizes;
pub mod view;

pub use decide::{Action, Force, Mapping, Outcome, Tunables};
pub use layout::{Layout, LayoutStep};
pub use registry::{MODELS, ModelId, ModelInfo, PATCHES, Patch, PatchInfo, Patches, RegistryError};
pub use view::{CacheView, FolioRef, Slot};
