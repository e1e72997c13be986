//! Runs: their names, their control, their record, and the loop that executes them.

mod codec;
mod control;
mod execute;
mod id;
mod log;
mod recorder;
mod recording;
mod store;

pub use control::Control;
pub use execute::{EVENTS_MAX, execute, run_to_end};
pub use id::RunId;
pub use recording::{Recording, RunState};
