//! Where an axis has its marks and what they say: round numbers of the unit that keeps them short.

use super::{Axis, Unit};
use crate::text::units;

/// A mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub(crate) at: f64,
    pub(crate) text: String,
}

/// At most `most` marks of the axis, and the unit that its title shows.
pub(crate) fn ticks(axis: &Axis, most: usize) -> (Vec<Tick>, &'static str) {
    if !axis.categories.is_empty() {
        let named = axis.categories.iter().enumerate();
        return (named.map(|(place, text)| Tick { at: place as f64, text: text.clone() }).collect(), "");
    }
    let span = axis.max - axis.min;
    let (factor, unit) = scale(axis.unit, axis.max.abs().max(axis.min.abs()));
    let step = step(span / factor, most.max(2), matches!(axis.unit, Unit::Pages)) * factor;
    let first = (axis.min / step).ceil() as i64;
    let last = (axis.max / step + 1e-9).floor() as i64;
    let digits = if step / factor >= 1.0 { 0 } else { (-(step / factor).log10()).ceil().min(6.0) as usize };
    let tick = |place: i64| {
        let at = place as f64 * step;
        let value = at / factor;
        let text = if digits == 0 { units::count(value.round().abs() as u64) } else { format!("{value:.digits$}") };
        Tick { at, text }
    };
    ((first..=last).take(most * 2 + 2).map(tick).collect(), unit)
}

/// The factor of the unit in which the largest value is a short number, and that unit's name.
fn scale(unit: Unit, largest: f64) -> (f64, &'static str) {
    let pick = |steps: &[(f64, &'static str)]| {
        steps.iter().copied().find(|(factor, _)| largest >= 2.0 * factor).unwrap_or(steps[steps.len() - 1])
    };
    const KIB: f64 = 1024.0;
    match unit {
        Unit::Bytes => pick(&[
            (KIB * KIB * KIB * KIB, "TiB"),
            (KIB * KIB * KIB, "GiB"),
            (KIB * KIB, "MiB"),
            (KIB, "KiB"),
            (1.0, "B"),
        ]),
        Unit::BytesPerSecond => pick(&[(KIB * KIB * KIB, "GiB/s"), (KIB * KIB, "MiB/s"), (KIB, "KiB/s"), (1.0, "B/s")]),
        Unit::Nanoseconds => pick(&[(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]),
        Unit::Pages => (1.0, "pages"),
        Unit::Percent => (1.0, "%"),
        Unit::Count | Unit::Category => (1.0, ""),
    }
}

/// The smallest round step that gives at most `most` marks: 1, 2, 5 times a power of ten, or a power of two.
fn step(span: f64, most: usize, binary: bool) -> f64 {
    let least = span / most as f64;
    if binary {
        return 2f64.powf(least.max(1.0).log2().ceil());
    }
    let power = 10f64.powf(least.max(1e-9).log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    power * factors.into_iter().find(|factor| factor * power >= least * 0.999_999).unwrap_or(10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis, most: usize) -> Vec<String> {
        ticks(axis, most).0.into_iter().map(|tick| tick.text).collect()
    }

    #[test]
    fn pages_go_in_powers_of_two_and_bytes_in_round_mebibytes() {
        assert_eq!(texts(&Axis::new("", Unit::Pages, 0.0, 130.0), 5), ["0", "32", "64", "96", "128"]);
        let axis = Axis::new("", Unit::Bytes, 0.0, 8.0 * 1024.0 * 1024.0);
        assert_eq!(texts(&axis, 5), ["0", "2", "4", "6", "8"]);
        assert_eq!(ticks(&axis, 5).1, "MiB");
        assert_eq!(texts(&Axis::new("", Unit::Nanoseconds, 0.0, 2.5e6), 6), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5"]);
    }
}
