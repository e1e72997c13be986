//! A random capture of a real kernel.
use super::Verdict;
#[derive(serde::Deserialize)]
pub(super) struct Capture {
    kernel: String,
}
pub(super) fn run(capture: &Capture) -> Verdict {
    Verdict::NotRun(capture.kernel.clone())
}
