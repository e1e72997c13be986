//! The virtual host: runs the engine against an emulated device under a virtual clock.

use crate::observer::Observer;
use crate::world::WorldSpec;
use readahead_types::Nanos;
use std::fmt;

/// Why a world cannot be built: the place in it, and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// What is wrong, with place, value and expectation.
    pub message: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SpecError {}

/// What a step of the host did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Something happened.
    Ran,
    /// Every task has ended and the device is idle.
    Done,
}

/// The engine with an emulated device.
pub struct VirtualHost {
    spec: WorldSpec,
}

impl VirtualHost {
    /// Builds the world.
    pub fn new(spec: WorldSpec) -> Result<Self, SpecError> {
        Ok(VirtualHost { spec })
    }

    /// The run's clock.
    pub fn now(&self) -> Nanos {
        Nanos(0)
    }

    /// When the next thing happens; `None` when the run is done.
    pub fn next_at(&self) -> Option<Nanos> {
        None
    }

    /// Lets the next thing happen.
    pub fn step(&mut self, observer: &mut impl Observer) -> Progress {
        let _ = (&self.spec, observer);
        Progress::Done
    }
}
