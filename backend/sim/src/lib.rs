//! The discrete-event engine: tasks in system calls, page cache, block layer and devices under one clock.
//!
//! Must not know files, sockets, JSON, wall time or threads. The engine is sans-I/O: it emits device requests and takes
//! completions; [`host::VirtualHost`] drives it with an emulated device and a virtual clock.

mod block;
mod cache;
mod call;
mod device;
mod engine;
pub mod host;
mod kernel;
mod mapping;
pub mod observer;
mod pfn;
mod program;
mod queue;
mod section;
mod task;
mod workload;
pub mod world;

pub use block::DeviceRequest;
pub use engine::Engine;
pub use host::{Progress, SpecError, VirtualHost};
pub use observer::Observer;
pub use world::WorldSpec;
