//! Sizes and durations as people write them: `4096`, `"4K"`, `"1.5G"`, `"250us"`.
//!
//! K, M, G and T are powers of 1024. A plain number is bytes, or nanoseconds.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;
use std::fmt;

/// A number of bytes, or a byte position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Size(pub u64);

/// Nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Time(pub u64);

/// What a kind of quantity is called and which units it takes, largest factor last.
struct Kind {
    what: &'static str,
    expected: &'static str,
    units: &'static [(&'static str, u64)],
}

const SIZE: Kind = Kind {
    what: "size",
    expected: "a number of bytes, or a number with K, M, G or T (1024 each), such as \"128K\"",
    units: &[("", 1), ("B", 1), ("K", 1 << 10), ("M", 1 << 20), ("G", 1 << 30), ("T", 1 << 40)],
};

const TIME: Kind = Kind {
    what: "duration",
    expected: "a number of nanoseconds, or a number with ns, us, ms or s, such as \"1ms\"",
    units: &[("", 1), ("ns", 1), ("us", 1_000), ("µs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)],
};

impl Kind {
    /// The value of the text; the error opens with its code in brackets, as [`super::parse`] expects.
    fn parse(&self, text: &str) -> Result<u64, String> {
        let Kind { what, expected, units } = self;
        let trimmed = text.trim();
        if trimmed.starts_with('-') {
            return Err(format!("[scenario.negative] `{text}` is below 0; expected {expected}"));
        }
        let split = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_').unwrap_or(trimmed.len());
        let (number, unit) = trimmed.split_at(split);
        let unit = unit.trim();
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |part: &str| part.replace('_', "");
        let (whole, fraction) = (digits(whole), digits(fraction));
        if whole.is_empty() || fraction.len() > 9 || fraction.contains('.') {
            return Err(format!("[scenario.not_a_{what}] `{text}` is not a {what}; expected {expected}"));
        }
        let Some((_, factor)) = units.iter().find(|(name, _)| *name == unit) else {
            return Err(format!("[scenario.wrong_unit] `{text}` has the unknown unit `{unit}`; expected {expected}"));
        };
        let too_large = || format!("[scenario.too_large] `{text}` does not fit; expected a {what} below 2^64");
        let scale = 10u128.pow(fraction.len() as u32);
        let whole: u128 = whole.parse().map_err(|_| too_large())?;
        let fraction: u128 = if fraction.is_empty() { 0 } else { fraction.parse().map_err(|_| too_large())? };
        let scaled = whole.checked_mul(scale).and_then(|whole| whole.checked_add(fraction)).ok_or_else(too_large)?;
        let value = scaled.checked_mul(u128::from(*factor)).ok_or_else(too_large)?;
        if value % scale != 0 {
            return Err(format!(
                "[scenario.not_a_{what}] `{text}` is not a whole number of units; expected {expected}"
            ));
        }
        u64::try_from(value / scale).map_err(|_| too_large())
    }
}

struct Number(&'static Kind);

impl Visitor<'_> for Number {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.expected)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<u64, E> {
        Ok(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<u64, E> {
        self.visit_str(&value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<u64, E> {
        let Kind { what, expected, .. } = self.0;
        Err(E::custom(if value < 0.0 {
            format!("[scenario.negative] `{value}` is below 0; expected {expected}")
        } else if value >= u64::MAX as f64 {
            format!("[scenario.too_large] `{value:e}` does not fit; expected a {what} below 2^64")
        } else {
            format!("[scenario.not_a_{what}] `{value}` is not a whole number; expected {expected}")
        }))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<u64, E> {
        self.0.parse(text).map_err(E::custom)
    }
}

macro_rules! quantity {
    ($ty:ident, $kind:ident, $name:literal) => {
        impl<'de> Deserialize<'de> for $ty {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                from.deserialize_any(Number(&$kind)).map($ty)
            }
        }

        impl JsonSchema for $ty {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let units: Vec<&str> = $kind.units.iter().map(|(unit, _)| *unit).collect();
                json_schema!({
                    "description": $kind.expected,
                    "anyOf": [
                        { "type": "integer", "minimum": 0 },
                        { "type": "string", "pattern": format!("^[0-9_]+(\\.[0-9]+)? *({})$", units.join("|")) },
                    ],
                })
            }
        }
    };
}

quantity!(Size, SIZE, "Size");
quantity!(Time, TIME, "Time");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_write() {
        for (text, bytes) in [("4096", 4096), ("4K", 4096), ("1.5M", 1_572_864), ("2 G", 1 << 31), ("1_000", 1000)] {
            assert_eq!(SIZE.parse(text), Ok(bytes), "{text}");
        }
        for (text, ns) in [("1ms", 1_000_000), ("80us", 80_000), ("0.5s", 500_000_000), ("7", 7), ("3µs", 3000)] {
            assert_eq!(TIME.parse(text), Ok(ns), "{text}");
        }
    }

    #[test]
    fn what_is_refused_says_how_to_write_it() {
        for (text, code) in [
            ("-4K", "[scenario.negative]"),
            ("4Q", "[scenario.wrong_unit]"),
            ("4ms", "[scenario.wrong_unit]"),
            ("", "[scenario.not_a_size]"),
            ("K", "[scenario.not_a_size]"),
            ("1.2.3K", "[scenario.not_a_size]"),
            ("0.0001", "[scenario.not_a_size]"),
            ("16777216T", "[scenario.too_large]"),
            ("1000000000000000000000000000000", "[scenario.too_large]"),
            ("99999999999999999999999999999999999999999999", "[scenario.too_large]"),
        ] {
            let error = SIZE.parse(text).expect_err(text);
            assert!(error.starts_with(code) && error.contains("expected"), "{text}: {error}");
        }
    }
}
