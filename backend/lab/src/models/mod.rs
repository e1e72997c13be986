//! What people want to know of a kernel generation: what changed and by whom, the windows that it gives, its decision
//! tree, and what of that kernel is not modelled.
//!
//! Windows are computed by the model's own code; words are written once, here. Must not know pages or HTTP.

pub mod draw;
pub mod facts;
mod reach;
pub mod settings;
pub mod shown;
mod stream;
pub mod timeline;
pub mod tree;
pub mod windows;

pub use reach::reachable;
pub use readahead_policy::{MODELS, ModelId, ModelInfo, PATCHES, Patch, PatchInfo};
pub use settings::Settings;
