//! The discrete-event engine: tasks in system calls, page cache, block layer and devices under one clock.
//!
//! Must not know files, sockets, JSON, wall time or threads. The engine is sans-I/O: it emits device requests and takes
//! completions; [`host::VirtualHost`] drives it with an emulated device and a virtual clock.

pub mod host;
pub mod observer;
pub mod world;

pub use host::{Progress, VirtualHost};
pub use observer::Observer;
pub use world::WorldSpec;
