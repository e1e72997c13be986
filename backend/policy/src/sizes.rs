//! The arithmetic of window sizes that the generations share. All sizes in pages.

/// The limit of one request's window: ra_pages, or more when the request itself is larger and the device takes larger
/// requests (since linux-4.10).
pub fn cap(req: u64, ra_pages: u32, io_pages: u32) -> u64 {
    let ra_pages = u64::from(ra_pages);
    let io_pages = u64::from(io_pages);
    if req > ra_pages && io_pages > ra_pages { req.min(io_pages) } else { ra_pages }
}

/// The first window of a stream: a multiple of the request rounded up to a power of two, never more than `max`.
pub fn first_size(req: u64, max: u64) -> u64 {
    let rounded = req.checked_next_power_of_two().unwrap_or(u64::MAX);
    if rounded <= max / 32 {
        4 * rounded
    } else if rounded <= max / 4 {
        2 * rounded
    } else {
        max
    }
}

/// The next window of a stream: four times, twice, then the limit.
pub fn next_size(size: u64, max: u64) -> u64 {
    if size < max / 16 {
        4 * size
    } else if size <= max / 2 {
        2 * size
    } else {
        max
    }
}

/// Rounds down to a multiple of a power of two.
pub fn down(x: u64, power: u64) -> u64 {
    x & !(power - 1)
}

/// Rounds up to a multiple of a power of two; wraps at 2^64.
pub fn up(x: u64, power: u64) -> u64 {
    x.wrapping_add(power - 1) & !(power - 1)
}

/// Index of the highest set bit; 0 for 0.
pub fn lg(n: u64) -> u32 {
    n.checked_ilog2().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_stream_of_single_pages_at_128_kib() {
        // linux-7.2 worked example and every trace of 4 KiB reads: 4, then 8 (5.10) or 16, then up to 32.
        assert_eq!(first_size(1, 32), 4);
        assert_eq!(next_size(4, 32), 8);
        assert_eq!(next_size(16, 32), 32);
        assert_eq!(next_size(17, 32), 32);
        assert_eq!(next_size(4, 128), 16);
    }

    #[test]
    fn a_request_above_ra_pages_lifts_the_limit_to_io_pages() {
        assert_eq!(cap(256, 32, 128), 128);
        assert_eq!(cap(65, 32, 128), 65);
        assert_eq!(cap(32, 32, 128), 32);
        assert_eq!(cap(256, 32, 16), 32);
    }
}
