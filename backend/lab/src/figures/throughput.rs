//! Bytes per second over time: what the device delivered, and what the program got.

use super::window_times::end_of;
use super::{Axis, Figure, FigureInfo, Panel, Range, Role, Series, Shape, Side, Unit, side_title};
use crate::LabError;
use crate::run::Recording;
use crate::text::units;
use readahead_types::{EventKind, PAGE_BYTES};

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "throughput",
    title: "Throughput",
    about: "What the device delivered and what the program used, in equal slices of time.",
};

/// A slice is this many pixels wide, so that its bytes are more than one request.
const SLICE_PX: u32 = 8;

pub(super) fn make(sides: &[(Option<Side>, &Recording)], range: Range) -> Result<Figure, LabError> {
    let min = range.from.unwrap_or(0) as f64;
    let max = range.to.map_or_else(|| end_of(sides), |to| to as f64).max(min + 1.0);
    let slices = (range.px / SLICE_PX).max(4) as usize;
    let slice = (max - min) / slices as f64;
    let (mut series, mut sentences, mut top) = (Vec::new(), Vec::new(), 1.0f64);
    for (place, (side, recording)) in sides.iter().enumerate() {
        let (mut device, mut program) = (vec![0u64; slices], vec![0u64; slices]);
        recording.visit_events(0..usize::MAX, |_, event| {
            let at = event.at.0 as f64;
            if !(min..max).contains(&at) {
                return;
            }
            let slice = (((at - min) / slice) as usize).min(slices - 1);
            match event.kind {
                EventKind::Completed { sectors, .. } => device[slice] += sectors.bytes().0,
                EventKind::Used { pages, .. } => program[slice] += pages.0 * PAGE_BYTES,
                _ => {}
            }
        });
        let title = side_title(sides, place);
        let total: u64 = program.iter().sum();
        let rate = units::rate((total as f64 / (max - min) * 1e9) as u64);
        let lead = if title.is_empty() { String::new() } else { format!("{title}: ") };
        sentences.push(format!("{lead}the program used {} at {rate} on average", units::bytes(total)));
        let end = recording.now().0 as f64;
        let mut line = |name: String, role: Role, bytes: &[u64]| {
            let mut one = Series::new(name, role, Shape::Steps);
            for (place, bytes) in bytes.iter().enumerate() {
                let (at, rate) = (min + place as f64 * slice, *bytes as f64 / slice * 1e9);
                if at < end {
                    top = top.max(rate);
                    one.point(at, rate);
                }
            }
            series.push(one);
        };
        match side {
            None => {
                line("device".to_string(), Role::Ahead, &device);
                line("program".to_string(), Role::Used, &program);
            }
            Some(Side::A) => line(title, Role::SideA, &program),
            Some(Side::B) => line(title, Role::SideB, &program),
        }
    }
    let y = Axis::new("throughput", Unit::BytesPerSecond, 0.0, top * 1.08);
    Ok(Figure {
        name: INFO.name.to_string(),
        title: INFO.title.to_string(),
        description: sentences.join("; ") + ".",
        simulated: true,
        x: Axis::new("time", Unit::Nanoseconds, min, max),
        panels: vec![Panel { title: String::new(), side: None, y, series }],
    })
}
