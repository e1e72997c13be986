//! Requests in the device over time: the mean of each slice, and with one run the most too.

use super::window_times::end_of;
use super::{Axis, Figure, FigureInfo, Panel, Range, Role, Series, Shape, Side, Unit, side_title};
use crate::LabError;
use crate::run::Recording;
use readahead_types::EventKind;

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "depth",
    title: "Requests in the device",
    about: "How many requests the device has at a time, on average over equal slices of time. Below 1 it idles in between; a reader that always finds work done keeps it above.",
};

/// A slice is this many pixels wide.
const SLICE_PX: u32 = 8;

pub(super) fn make(sides: &[(Option<Side>, &Recording)], range: Range) -> Result<Figure, LabError> {
    let min = range.from.unwrap_or(0) as f64;
    let max = range.to.map_or_else(|| end_of(sides), |to| to as f64).max(min + 1.0);
    let slices = (range.px / SLICE_PX).max(4) as usize;
    let width = (max - min) / slices as f64;
    let (mut series, mut sentences, mut top) = (Vec::new(), Vec::new(), 1.0f64);
    for (place, (side, recording)) in sides.iter().enumerate() {
        let mut device = Slices { min, width, sums: vec![0.0; slices], most: vec![0.0; slices] };
        let (mut busy_ns, mut since, mut depth) = (0u64, 0u64, 0u16);
        recording.visit_events(0..usize::MAX, |_, event| {
            let (EventKind::Issued { depth: now, .. } | EventKind::Completed { depth: now, .. }) = event.kind else {
                return;
            };
            device.spread(since as f64, event.at.0 as f64, f64::from(depth));
            if depth > 0 {
                busy_ns += event.at.0 - since;
            }
            (since, depth) = (event.at.0, now);
        });
        let most = device.most.iter().copied().fold(0.0, f64::max);
        let title = side_title(sides, place);
        let lead = if title.is_empty() { String::new() } else { format!("{title}: ") };
        let busy = 100.0 * busy_ns as f64 / recording.now().0.max(1) as f64;
        sentences.push(format!("{lead}at most {most:.0} at a time, busy {busy:.0} % of the time"));
        let end = recording.now().0 as f64;
        let mut line = |name: String, role: Role, values: &[f64]| {
            let mut one = Series::new(name, role, Shape::Steps);
            for (place, value) in values.iter().enumerate() {
                let at = min + place as f64 * width;
                if at < end {
                    top = top.max(*value);
                    one.point(at, *value);
                }
            }
            series.push(one);
        };
        let mean: Vec<f64> = device.sums.iter().map(|sum| sum / width).collect();
        match side {
            None => {
                line("most".to_string(), Role::Ahead, &device.most);
                line("mean".to_string(), Role::Used, &mean);
            }
            Some(Side::A) => line(title, Role::SideA, &mean),
            Some(Side::B) => line(title, Role::SideB, &mean),
        }
    }
    let y = Axis::new("requests", Unit::Count, 0.0, top * 1.08);
    Ok(Figure {
        name: INFO.name.to_string(),
        title: INFO.title.to_string(),
        description: sentences.join("; ") + ".",
        simulated: true,
        x: Axis::new("time", Unit::Nanoseconds, min, max),
        panels: vec![Panel { title: String::new(), side: None, y, series }],
    })
}

/// Depth by slices of time: its integral, and its largest value.
struct Slices {
    min: f64,
    width: f64,
    sums: Vec<f64>,
    most: Vec<f64>,
}

impl Slices {
    /// The depth was `value` from `from` to `to`.
    fn spread(&mut self, from: f64, to: f64, value: f64) {
        let last = self.min + self.width * self.sums.len() as f64;
        let (from, to) = (from.max(self.min), to.min(last));
        if value == 0.0 || to <= from {
            return;
        }
        let mut slice = ((from - self.min) / self.width) as usize;
        while slice < self.sums.len() {
            let start = self.min + self.width * slice as f64;
            let part = to.min(start + self.width) - from.max(start);
            if part <= 0.0 {
                break;
            }
            self.sums[slice] += part * value;
            self.most[slice] = self.most[slice].max(value);
            slice += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_spread_over_the_slices_it_touches() {
        let mut slices = Slices { min: 10.0, width: 10.0, sums: vec![0.0; 3], most: vec![0.0; 3] };
        slices.spread(0.0, 25.0, 2.0);
        slices.spread(25.0, 100.0, 4.0);
        assert_eq!(slices.sums, [20.0, 30.0, 40.0]);
        assert_eq!(slices.most, [2.0, 4.0, 4.0]);
    }
}
