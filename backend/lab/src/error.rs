//! The one error of this crate: a stable code, one line for people, and the place in the input when there is one.
//!
//! Must not know HTTP or exit codes; its callers turn it into problems and exit codes.

/// Why something that a person asked for cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LabError {
    /// Stable, dotted: `scenario.unknown_key`, `run.cancelled`, …
    pub code: &'static str,
    /// One line: place, value, and what was expected.
    pub message: String,
    /// The dotted place in the input, such as `stream.0.ops.1.len`.
    pub place: Option<String>,
}

impl LabError {
    /// An error without a place.
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        LabError { code, message: one_line(&message.into()), place: None }
    }

    /// An error at a place of the input; the place opens the message.
    pub fn at(code: &'static str, place: impl Into<String>, message: impl AsRef<str>) -> Self {
        let place = place.into();
        LabError { code, message: one_line(&format!("{place}: {}", message.as_ref())), place: Some(place) }
    }
}

/// Messages are one line each, and bounded, whatever the input holds.
fn one_line(text: &str) -> String {
    const CHARS_MAX: usize = 600;
    let mut line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CHARS_MAX + 1).collect::<String>();
    if line.chars().count() > CHARS_MAX {
        line = line.chars().take(CHARS_MAX).collect::<String>() + " …";
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_bounded_line_that_opens_with_the_place() {
        let error = LabError::at("scenario.wrong_unit", "file.0.size", format!("a\nb\t{}", "x".repeat(5000)));
        assert!(error.message.starts_with("file.0.size: a b xxx"));
        assert!(error.message.chars().count() < 700 && !error.message.contains('\n'));
    }
}
