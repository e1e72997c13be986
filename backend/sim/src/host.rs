//! The virtual host: runs the engine against an emulated device under a virtual clock.

use crate::device::Device;
use crate::engine::Engine;
use crate::observer::Observer;
use crate::world::{DeviceSpec, Step, WorldSpec};
use readahead_types::{FileId, Nanos, PageIndex, TaskId};
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
    engine: Engine,
    device: Device,
}

impl VirtualHost {
    /// Builds the world.
    pub fn new(spec: WorldSpec) -> Result<Self, SpecError> {
        check(&spec)?;
        Ok(VirtualHost { engine: Engine::new(&spec), device: Device::new(&spec.device, spec.seed) })
    }

    /// The run's clock.
    pub fn now(&self) -> Nanos {
        self.engine.now()
    }

    /// When the next thing happens; `None` when the run is done.
    pub fn next_at(&self) -> Option<Nanos> {
        self.engine.next_at()
    }

    /// Lets the next thing happen. A step ends at the latest after one decision.
    pub fn step(&mut self, observer: &mut impl Observer) -> Progress {
        if !self.engine.step(observer) {
            return Progress::Done;
        }
        let now = self.engine.now();
        if self.engine.completes_on_wait() {
            return Progress::Ran;
        }
        // The device sees requests in the order of their issue; the engine's queue orders the completions.
        let issued: Vec<_> = self.engine.take_issued().collect();
        for request in issued {
            let at = self.device.submit(now, &request);
            self.engine.complete_at(at, request.slot);
        }
        Progress::Ran
    }

    /// Runs until every task has ended and the device is idle.
    pub fn run(&mut self, observer: &mut impl Observer) {
        while self.step(observer) == Progress::Ran {}
    }

    /// Adds a step to a stream's program. A stream that had ended goes on with it.
    pub fn push(&mut self, stream: TaskId, step: &Step) {
        self.engine.push(stream, step);
    }

    /// A folio that is added at `first` of `file` lies at page frame `pfn` (known from a trace).
    pub fn know_frame(&mut self, file: FileId, first: PageIndex, pfn: u64) {
        self.engine.know_frame(file, first, pfn);
    }

    /// The engine, for a host that knows more than the model: a replayed trace.
    pub fn engine(&mut self) -> &mut Engine {
        &mut self.engine
    }
}

/// Largest folio order.
const MAX_ORDER: u8 = 9;

/// Refuses what the engine has no meaning for.
fn check(spec: &WorldSpec) -> Result<(), SpecError> {
    let refuse = |message: String| Err(SpecError { message });
    let kernel = &spec.kernel;
    if kernel.max_sectors.0 < 8 || !kernel.max_sectors.0.is_multiple_of(8) {
        return refuse(format!(
            "kernel.max_sectors_kb: {} sectors; expected a multiple of 4 KiB, at least one page",
            kernel.max_sectors
        ));
    }
    if kernel.max_segments == 0 {
        return refuse("kernel.max_segments: 0; expected at least 1".into());
    }
    if kernel.queue_depth == 0 {
        return refuse("kernel.queue_depth: 0; expected at least 1".into());
    }
    if !kernel.fault_around.0.is_power_of_two() || kernel.fault_around.0 > 512 {
        return refuse(format!(
            "kernel.fault_around: {} pages; expected a power of two up to 512",
            kernel.fault_around
        ));
    }
    if kernel.exec_order.0 > MAX_ORDER {
        return refuse(format!("kernel.exec_order: {}; expected at most {MAX_ORDER}", kernel.exec_order));
    }
    if let DeviceSpec::Nvme(nvme) = &spec.device {
        if nvme.channels == 0 {
            return refuse("device.channels: 0; expected at least 1".into());
        }
        if nvme.bandwidth == 0 {
            return refuse("device.bandwidth: 0 bytes a second; expected more".into());
        }
    }
    for (number, file) in spec.files.iter().enumerate() {
        let place = format!("file.{number} ({})", file.name);
        if file.min_order > file.max_order || file.max_order.0 > MAX_ORDER {
            return refuse(format!(
                "{place}: folio orders {} to {}; expected min_order ≤ max_order ≤ {MAX_ORDER}",
                file.min_order, file.max_order
            ));
        }
        if file.bytes.0 > i64::MAX as u64 {
            return refuse(format!("{place}: size {}; expected below 2^63 bytes", file.bytes));
        }
        let mut end = 0;
        for extent in &file.extents {
            if extent.file_offset.0 < end || !extent.file_offset.0.is_multiple_of(4096) || extent.len.0 == 0 {
                return refuse(format!(
                    "{place}: extent at {} of {} bytes; expected page-aligned extents in ascending order",
                    extent.file_offset, extent.len
                ));
            }
            end = extent.file_offset.0.saturating_add(extent.len.0);
        }
        let smallest = 1u64 << file.min_order.0;
        if kernel.memory.is_some_and(|memory| memory.0 < smallest) {
            return refuse(format!("kernel.memory: less than one folio of {smallest} pages of {place}"));
        }
    }
    for (number, stream) in spec.streams.iter().enumerate() {
        if stream.file.0 as usize >= spec.files.len() {
            return refuse(format!("stream.{number}: file number {}; there are {}", stream.file.0, spec.files.len()));
        }
    }
    Ok(())
}
