//! Numbers as a person reads them on a page: thousands separators, KiB and MiB, times with three digits.
//!
//! Must not know what the numbers are about.

/// A whole number with thousands separators.
pub(super) fn count(value: u64) -> String {
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

/// A sentence whose whole numbers of four and more digits get thousands separators, as they stand around it.
pub(super) fn grouped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    let mut before = None;
    while let Some(from) = rest.find(|c: char| c.is_ascii_digit()) {
        let (lead, digits) = rest.split_at(from);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let (number, after) = digits.split_at(end);
        out.push_str(lead);
        before = lead.chars().last().or(before);
        // Parts of a name, of a version or of a fraction are no whole numbers.
        let part_before = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | '^'));
        let mut next = after.chars();
        let part_after = match (next.next(), next.next()) {
            (Some('.'), Some(c)) => c.is_ascii_digit(),
            (Some(c), _) => c.is_alphanumeric() || c == '_',
            (None, _) => false,
        };
        match number.parse::<u64>() {
            Ok(value) if number.len() > 3 && !part_before && !part_after => out.push_str(&count(value)),
            _ => out.push_str(number),
        }
        before = number.chars().last();
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Three significant digits.
fn three(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v if v >= 10.0 => format!("{v:.1}"),
        v => format!("{v:.2}"),
    }
}

/// Bytes in B, KiB, MiB, GiB, TiB; whole numbers stay whole.
pub(super) fn bytes(value: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut unit = 0;
    while unit + 1 < UNITS.len() && value >> (10 * unit) >= 1024 {
        unit += 1;
    }
    let scale = 1_u64 << (10 * unit);
    let number = if value.is_multiple_of(scale) { count(value / scale) } else { three(value as f64 / scale as f64) };
    format!("{number} {}", UNITS[unit])
}

/// A time in the unit that keeps three digits.
pub(super) fn time(ns: u64) -> String {
    let value = ns as f64;
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} µs", three(value / 1e3)),
        1_000_000..1_000_000_000 => format!("{} ms", three(value / 1e6)),
        _ => format!("{} s", three(value / 1e9)),
    }
}

/// Bytes a second.
pub(super) fn rate(bytes_per_s: u64) -> String {
    format!("{}/s", bytes(bytes_per_s))
}

/// A share in per cent.
pub(super) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "—".to_owned();
    }
    let share = 100.0 * part as f64 / whole as f64;
    if part > 0 && share < 1.0 { "< 1 %".to_owned() } else { format!("{share:.0} %") }
}

/// The change from `a` to `b`: `−68 %`.
pub(super) fn change(a: u64, b: u64) -> String {
    if a == b {
        return "same".to_owned();
    }
    if a == 0 {
        return "—".to_owned();
    }
    let percent = 100.0 * (b as f64 - a as f64) / a as f64;
    let sign = if percent < 0.0 { '−' } else { '+' };
    let size = percent.abs();
    if size < 10.0 { format!("{sign}{size:.1} %") } else { format!("{sign}{size:.0} %") }
}

/// The size of a folio of this order.
pub(super) fn folio(order: u8) -> String {
    bytes(4096_u64 << order.min(40))
}

/// The day of a moment in milliseconds since 1970, and the minute, in UTC.
pub(super) fn date(ms: i64) -> String {
    let minutes = ms.div_euclid(60_000);
    let (days, minute) = (minutes.div_euclid(1440), minutes.rem_euclid(1440));
    // Days since 1970 to a civil date, counting from 1 March of year 0 so that leap days come last.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year}-{month:02}-{day:02} {:02}:{:02} UTC", minute / 60, minute % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_sensible_digits_and_their_unit() {
        assert_eq!(count(0), "0");
        assert_eq!(count(3328), "3,328");
        assert_eq!(count(131_072_000), "131,072,000");
        assert_eq!(bytes(4096), "4 KiB");
        assert_eq!(bytes(161_319), "158 KiB");
        assert_eq!(bytes(512 << 20), "512 MiB");
        assert_eq!(time(950), "950 ns");
        assert_eq!(time(3_482_000), "3.48 ms");
        assert_eq!(percent(1, 1000), "< 1 %");
        assert_eq!(percent(69, 100), "69 %");
        assert_eq!(change(415, 134), "−68 %");
        assert_eq!(change(7, 7), "same");
        assert_eq!(folio(9), "2 MiB");
    }

    #[test]
    fn sentences_group_their_numbers_and_leave_names_alone() {
        assert_eq!(grouped("Page 10007: 4 pages, 1048576."), "Page 10,007: 4 pages, 1,048,576.");
        assert_eq!(grouped("2^51, commit 6d2be915e589, 4.14123 and 999"), "2^51, commit 6d2be915e589, 4.14123 and 999");
        assert_eq!(grouped("window 13056+1280-640"), "window 13,056+1,280-640");
        assert_eq!(grouped("no number"), "no number");
    }

    #[test]
    fn dates_are_civil() {
        assert_eq!(date(0), "1970-01-01 00:00 UTC");
        assert_eq!(date(951_782_400_000), "2000-02-29 00:00 UTC");
        assert_eq!(date(1_793_318_400_000), "2026-10-30 00:00 UTC");
    }
}
