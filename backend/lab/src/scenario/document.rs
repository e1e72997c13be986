//! A TOML text as a document: every number as it was written, or an error at its dotted place.
//!
//! TOML has numbers that a document has not: infinite ones, and integers of any length. They are refused here, by name;
//! must not know what a key means.

use super::check::Place;
use crate::LabError;
use serde_json::{Map, Number, Value};
use toml::de::{DeTable, DeValue};

/// The document of a TOML text. `origin` names it in errors.
pub(crate) fn of_toml(text: &str, origin: &str) -> Result<Value, LabError> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = error.span().map(|span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let place = line.map_or(origin.to_string(), |line| format!("{origin}, line {line}"));
        LabError::at("scenario.not_toml", place, format!("{}; expected TOML", error.message()))
    })?;
    object(table.into_inner(), &Place::root())
}

fn object(table: DeTable<'_>, place: &Place) -> Result<Value, LabError> {
    let entry = |(key, item): (toml::Spanned<std::borrow::Cow<'_, str>>, toml::Spanned<DeValue<'_>>)| {
        let key = key.into_inner().into_owned();
        let item = value(item.into_inner(), &place.key(&key))?;
        Ok((key, item))
    };
    table.into_iter().map(entry).collect::<Result<Map<String, Value>, LabError>>().map(Value::Object)
}

fn value(item: DeValue<'_>, place: &Place) -> Result<Value, LabError> {
    match item {
        DeValue::String(text) => Ok(Value::String(text.into_owned())),
        DeValue::Boolean(truth) => Ok(Value::Bool(truth)),
        DeValue::Integer(digits) => integer(digits.as_str(), digits.radix(), place),
        DeValue::Float(digits) => {
            let number = digits.as_str().parse().ok().and_then(Number::from_f64);
            number.map(Value::Number).ok_or_else(|| {
                let message = format!("{} is not a finite number; expected a whole number", digits.as_str());
                place.error("scenario.out_of_range", message)
            })
        }
        DeValue::Datetime(date) => {
            let message = format!("{date} is a date; expected a number, a truth value or text in quotes");
            Err(place.error("scenario.wrong_type", message))
        }
        DeValue::Array(items) => {
            let item =
                |(index, item): (usize, toml::Spanned<DeValue<'_>>)| value(item.into_inner(), &place.item(index));
            items.into_iter().enumerate().map(item).collect::<Result<Vec<Value>, LabError>>().map(Value::Array)
        }
        DeValue::Table(table) => object(table, place),
    }
}

fn integer(digits: &str, radix: u32, place: &Place) -> Result<Value, LabError> {
    if let Ok(number) = u64::from_str_radix(digits, radix) {
        return Ok(Value::from(number));
    }
    i64::from_str_radix(digits, radix).map(Value::from).map_err(|_| {
        let code = if digits.starts_with('-') { "scenario.negative" } else { "scenario.too_large" };
        let message = format!("{digits} does not fit; expected a whole number from 0 to {}, 2^64 - 1", u64::MAX);
        place.error(code, message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_kind_of_value_comes_over() {
        let text = "a = 1\nb = -2\nc = 1.5\nd = true\ne = \"x\"\nf = [1, \"2\"]\n[g.h]\ni = 0xff\nj = 18_446_744_073_709_551_615\n";
        let expected = json!({
            "a": 1, "b": -2, "c": 1.5, "d": true, "e": "x", "f": [1, "2"],
            "g": {"h": {"i": 255, "j": 18_446_744_073_709_551_615u64}},
        });
        assert_eq!(of_toml(text, "test").unwrap(), expected);
    }

    #[test]
    fn what_a_document_does_not_have_is_refused_at_its_place() {
        for (text, code, place, said) in [
            ("[kernel]\nmemory = nan", "scenario.out_of_range", "kernel.memory", "nan is not a finite number"),
            ("[kernel]\nqueue_depth = inf", "scenario.out_of_range", "kernel.queue_depth", "inf is not"),
            ("a = [0, { pos = -inf }]", "scenario.out_of_range", "a.1.pos", "-inf is not"),
            ("seed = 18446744073709551616", "scenario.too_large", "seed", "0 to 18446744073709551615"),
            ("seed = -9223372036854775809", "scenario.negative", "seed", "-9223372036854775809 does not fit"),
            ("title = 1979-05-27", "scenario.wrong_type", "title", "text in quotes"),
            ("seed = 1e400", "scenario.out_of_range", "seed", "1e400"),
        ] {
            let error = of_toml(text, "test").expect_err(text);
            assert_eq!((error.code, error.place.as_deref()), (code, Some(place)), "{text}: {error}");
            assert!(error.message.contains(said) && error.message.contains("expected"), "{text}: {error}");
        }
    }
}
