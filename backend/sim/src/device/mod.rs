//! Emulated devices: a mechanism says when a read that starts now is complete. One file a mechanism.

mod nvme;

use crate::block::DeviceRequest;
use crate::world::DeviceSpec;
use nvme::Nvme;
use readahead_types::Nanos;

/// An emulated device.
pub(crate) enum Device {
    /// Completes everything at once.
    Instant,
    /// An NVMe drive.
    Nvme(Nvme),
}

impl Device {
    pub(crate) fn new(spec: &DeviceSpec, seed: u64) -> Self {
        match spec {
            DeviceSpec::Instant | DeviceSpec::OnWait => Device::Instant,
            DeviceSpec::Nvme(spec) => Device::Nvme(Nvme::new(spec, seed)),
        }
    }

    /// Takes a read at `now` and says when it will be complete: never before `now`.
    pub(crate) fn submit(&mut self, now: Nanos, request: &DeviceRequest) -> Nanos {
        match self {
            Device::Instant => now,
            Device::Nvme(nvme) => nvme.submit(now, request.sectors.bytes()),
        }
    }
}
