//! What a person does with runs: scenario files, run, compare, metrics, figures, reports.
//!
//! Must not know HTTP, SQL or tokio. The server and the command line call only this crate.

pub mod compare;
pub mod conformance;
pub mod device;
pub mod diverge;
mod error;
pub mod figures;
pub mod inspect;
pub mod library;
pub mod metrics;
pub mod models;
pub mod replay;
pub mod report;
pub mod rows;
pub mod run;
pub mod scenario;
pub mod series;
pub mod text;
pub mod vectors;

pub use error::LabError;
pub use metrics::Summary;

/// Version of the engine: a part of every run's id, so that a changed engine never answers with an old run.
pub const ENGINE_VERSION: &str = env!("CARGO_PKG_VERSION");
