//! The readahead decision code of each kernel generation: state and page-cache queries in, windows and reasons out.
//!
//! Must not know time, I/O, devices, threads, floats, allocation or logging.

pub mod registry;

pub use registry::{MODELS, ModelId, ModelInfo, PATCHES, Patch, PatchInfo, Patches, RegistryError};
