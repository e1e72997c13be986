//! `schema`: the JSON Schema of a scenario.

use crate::output::{Answer, Failure, print_json};
use readahead_lab_core::scenario;

pub(crate) fn command() -> Result<Answer, Failure> {
    print_json(&scenario::schema())?;
    Ok(Answer::Yes)
}
