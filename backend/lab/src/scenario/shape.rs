//! Which places of a scenario are objects and which are lists, so that the answer to the other kind is in plain words.
//!
//! serde would take a list for an object, its fields in the order of the code; nobody means that.

use super::check::Place;
use crate::LabError;
use serde_json::Value;

/// What stands at a place.
enum Shape {
    /// An object; of some keys it is known what they hold.
    Object(&'static [(&'static str, &'static Shape)]),
    /// An object whose keys are the scenario's own.
    Map(&'static Shape),
    /// A list.
    List(&'static Shape),
}

static PLAIN: Shape = Shape::Object(&[]);
static OP: Shape = Shape::Object(&[("ops", &OPS)]);
static OPS: Shape = Shape::List(&OP);
static FILE: Shape = Shape::Object(&[("extents", &Shape::List(&PLAIN))]);
static STREAM: Shape = Shape::Object(&[("ops", &OPS), ("workload", &PLAIN)]);
static FIELDS: Shape = Shape::Map(&PLAIN);
static SCENARIO: Shape = Shape::Object(&[
    ("kernel", &PLAIN),
    ("cpu", &PLAIN),
    ("device", &PLAIN),
    ("file", &Shape::List(&FILE)),
    ("stream", &Shape::List(&STREAM)),
    ("expect", &FIELDS),
    ("expect_with", &Shape::Map(&FIELDS)),
    ("expect_same", &Shape::Map(&FIELDS)),
]);

/// Refuses a scenario that has a list, a number or text where an object belongs, or the other way round.
pub(crate) fn check(document: &Value) -> Result<(), LabError> {
    SCENARIO.check(document, &Place::root())
}

impl Shape {
    fn check(&self, value: &Value, place: &Place) -> Result<(), LabError> {
        match (self, value) {
            // Not given; where that is not allowed, the types say so.
            (_, Value::Null) => Ok(()),
            (Shape::Object(keys), Value::Object(map)) => {
                let known = keys.iter().filter_map(|(key, shape)| Some((key, shape, map.get(*key)?)));
                known.into_iter().try_for_each(|(key, shape, value)| shape.check(value, &place.key(key)))
            }
            (Shape::Map(shape), Value::Object(map)) => {
                map.iter().try_for_each(|(key, value)| shape.check(value, &place.key(key)))
            }
            (Shape::List(shape), Value::Array(items)) => {
                items.iter().enumerate().try_for_each(|(index, item)| shape.check(item, &place.item(index)))
            }
            (Shape::Object(_) | Shape::Map(_), other) => Err(wrong(place, other, "an object with keys and values")),
            (Shape::List(_), other) => Err(wrong(place, other, "a list")),
        }
    }
}

fn wrong(place: &Place, value: &Value, expected: &str) -> LabError {
    let found = match value {
        Value::Null => "null".to_string(),
        Value::Bool(truth) => format!("`{truth}`"),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "text".to_string(),
        Value::Array(items) if items.is_empty() => "an empty list".to_string(),
        Value::Array(items) => format!("a list of {}", items.len()),
        Value::Object(_) => "an object".to_string(),
    };
    place.error("scenario.wrong_type", format!("{found}; expected {expected}"))
}
