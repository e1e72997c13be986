//! Numbers as people read them: thousands separators, three digits, units.

/// "3,328".
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three digits: "3.09", "30.9", "309".
pub fn digits(value: f64) -> String {
    if value >= 99.95 {
        count(value.round() as u64)
    } else if value >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

/// "158 KiB", "512 MiB", "17 B".
pub fn bytes(value: u64) -> String {
    let steps = [("TiB", 1u64 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    match steps.iter().find(|(_, size)| value >= *size) {
        Some((unit, size)) if value.is_multiple_of(*size) => format!("{} {unit}", count(value / size)),
        Some((unit, size)) => format!("{} {unit}", digits(value as f64 / *size as f64)),
        None => format!("{value} B"),
    }
}

/// "247 ms", "1.03 s", "0 ns".
pub fn duration(ns: u64) -> String {
    let steps = [("s", 1_000_000_000u64), ("ms", 1_000_000), ("µs", 1_000)];
    match steps.iter().find(|(_, size)| ns >= *size) {
        Some((unit, size)) if ns.is_multiple_of(*size) => format!("{} {unit}", count(ns / size)),
        Some((unit, size)) => format!("{} {unit}", digits(ns as f64 / *size as f64)),
        None => format!("{ns} ns"),
    }
}

/// "2.02 GiB/s".
pub fn rate(bytes_per_s: u64) -> String {
    format!("{}/s", bytes(bytes_per_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(bytes(161_792), "158 KiB");
        assert_eq!(bytes(512 << 20), "512 MiB");
        assert_eq!(bytes(17), "17 B");
        assert_eq!(duration(247_300_000), "247 ms");
        assert_eq!(duration(1_034_000_000), "1.03 s");
        assert_eq!(duration(80_000), "80 µs");
        assert_eq!(rate(1_536 << 20), "1.50 GiB/s");
    }
}
