//! The service of Readahead Lab: pages and API over runs, compares and uploaded traces.
//!
//! Owns HTTP, the store and the bounds. What a scenario, a run, a figure or a trace *is* stays in `readahead-lab-core`;
//! nothing here knows policies, the engine's queue or the form of recorded events.

pub mod api;
pub mod compares;
pub mod config;
mod conformance;
mod connections;
mod layers;
mod live;
pub mod metrics;
pub mod pages;
pub mod problem;
pub mod resets;
pub mod runs;
mod serve;
mod slow;
pub mod state;
pub mod store;
pub mod traces;

pub use config::{Config, Limits};
pub use problem::Problem;
pub use serve::{Server, router, serve};
pub use state::AppState;
