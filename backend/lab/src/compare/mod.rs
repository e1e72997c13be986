//! Two runs side by side: what differs in numbers, and the first decision that differs.
//!
//! Must not know how the runs came about or how they are drawn.

mod differences;
mod divergence;
mod text;

pub use differences::{Difference, settings};
pub use divergence::{Divergence, Side};
pub use text::text;

use crate::LabError;
use crate::metrics::Summary;
use crate::run::Recording;
use serde::Serialize;

/// Two runs, compared.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// Side A.
    pub a: Summary,
    /// Side B.
    pub b: Summary,
    /// Settings that differ: dotted key, value of A, value of B.
    pub settings: Vec<(String, String, String)>,
    /// Numbers that matter, and how they differ.
    pub differences: Vec<Difference>,
    /// The first decision that differs, or nothing when all are the same.
    pub first_divergence: Option<Divergence>,
}

/// Compares two runs that are done.
pub fn compare(a: &Recording, b: &Recording) -> Result<Comparison, LabError> {
    let (left, right) = (a.need_summary()?, b.need_summary()?);
    Ok(Comparison {
        settings: settings(a.scenario(), b.scenario()),
        differences: differences::differences(&left, &right),
        first_divergence: divergence::first(a, b),
        a: left,
        b: right,
    })
}
