//! An NVMe drive: some requests are served at once, each after a fixed latency, and all share one link.

use crate::world::NvmeSpec;
use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;
use readahead_types::{Bytes, Nanos};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The stream of draws that belongs to the device.
const DRAWS: u64 = 0x6e76_6d65;

pub(crate) struct Nvme {
    spec: NvmeSpec,
    /// When each channel is free again.
    channels: BinaryHeap<Reverse<Nanos>>,
    /// When the link is free again.
    link: Nanos,
    draws: Pcg64Mcg,
}

impl Nvme {
    pub(crate) fn new(spec: &NvmeSpec, seed: u64) -> Self {
        Nvme {
            spec: *spec,
            channels: (0..spec.channels.max(1)).map(|_| Reverse(Nanos(0))).collect(),
            link: Nanos(0),
            draws: Pcg64Mcg::seed_from_u64(seed ^ DRAWS),
        }
    }

    pub(crate) fn submit(&mut self, now: Nanos, bytes: Bytes) -> Nanos {
        let Reverse(free) = self.channels.pop().expect("there is at least one channel");
        let start = now.max(free);
        let first_byte = Nanos(start.0.saturating_add(self.latency()));
        let transfer = u128::from(bytes.0) * 1_000_000_000 / u128::from(self.spec.bandwidth.max(1));
        let end = Nanos(first_byte.max(self.link).0.saturating_add(transfer.min(u128::from(u64::MAX)) as u64));
        self.link = end;
        self.channels.push(Reverse(end));
        end
    }

    fn latency(&mut self) -> u64 {
        let latency = self.spec.latency.0;
        let spread = latency.saturating_mul(u64::from(self.spec.jitter_permille)) / 1000;
        if spread == 0 {
            return latency;
        }
        // Uniform over latency ± spread, in integers.
        let draw = (u128::from(self.draws.next_u64()) * u128::from(2 * spread + 1)) >> 64;
        latency.saturating_add(draw as u64).saturating_sub(spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(jitter_permille: u32) -> Nvme {
        // 100 µs to the first byte, two requests at once, 1 byte a nanosecond.
        let spec = NvmeSpec { latency: Nanos(100_000), channels: 2, bandwidth: 1_000_000_000, jitter_permille };
        Nvme::new(&spec, 1)
    }

    #[test]
    fn latency_overlaps_between_channels_and_the_link_is_shared() {
        let mut drive = drive(0);
        assert_eq!(drive.submit(Nanos(0), Bytes(4096)), Nanos(104_096));
        assert_eq!(drive.submit(Nanos(0), Bytes(4096)), Nanos(108_192));
        // Both channels are taken: the third starts when the first is done.
        assert_eq!(drive.submit(Nanos(0), Bytes(4096)), Nanos(104_096 + 104_096));
    }

    #[test]
    fn jitter_stays_in_its_band_and_repeats_with_the_seed() {
        let (mut one, mut two) = (drive(100), drive(100));
        for at in 0..200 {
            let now = Nanos(at * 1_000_000);
            let end = one.submit(now, Bytes(0));
            assert_eq!(end, two.submit(now, Bytes(0)));
            assert!((90_000..=110_000).contains(&(end.0 - now.0)));
        }
    }
}
