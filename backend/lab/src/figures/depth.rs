//! Requests in the device over time.

use super::decimate::min_max;
use super::window_times::end_of;
use super::{Axis, Figure, FigureInfo, Panel, Range, Role, Series, Shape, Side, Unit, side_title};
use crate::LabError;
use crate::run::Recording;
use readahead_types::EventKind;

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "depth",
    title: "Requests in the device",
    about: "How many requests the device has at a time. At 0 it idles; a reader that always finds work done keeps it above.",
};

pub(super) fn make(sides: &[(Option<Side>, &Recording)], range: Range) -> Result<Figure, LabError> {
    let min = range.from.unwrap_or(0) as f64;
    let max = range.to.map_or_else(|| end_of(sides), |to| to as f64);
    let (mut series, mut sentences, mut top) = (Vec::new(), Vec::new(), 1.0f64);
    for (place, (side, recording)) in sides.iter().enumerate() {
        let mut points = vec![(min, 0.0)];
        let (mut busy_ns, mut since, mut last) = (0u64, 0u64, 0u16);
        recording.visit_events(0..usize::MAX, |_, event| {
            let (EventKind::Issued { depth, .. } | EventKind::Completed { depth, .. }) = event.kind else { return };
            if last > 0 {
                busy_ns += event.at.0 - since;
            }
            (since, last) = (event.at.0, depth);
            let at = event.at.0 as f64;
            if at < min {
                points[0] = (min, f64::from(depth));
            } else if at <= max {
                points.push((at, f64::from(depth)));
            }
        });
        let most = points.iter().map(|point| point.1).fold(0.0, f64::max);
        top = top.max(most);
        let title = side_title(sides, place);
        let lead = if title.is_empty() { String::new() } else { format!("{title}: ") };
        let busy = 100.0 * busy_ns as f64 / recording.now().0.max(1) as f64;
        sentences.push(format!("{lead}at most {most:.0} at a time, busy {busy:.0} % of the time"));
        let role = match side {
            Some(Side::A) => Role::SideA,
            Some(Side::B) => Role::SideB,
            None => Role::Used,
        };
        let mut one = Series::new(if title.is_empty() { "requests".into() } else { title }, role, Shape::Steps);
        min_max(&points, min, max, range.px).into_iter().for_each(|(x, y)| one.point(x, y));
        series.push(one);
    }
    let panel =
        Panel { title: String::new(), side: None, y: Axis::new("requests", Unit::Count, 0.0, top * 1.08), series };
    Ok(Figure {
        name: INFO.name.to_string(),
        title: INFO.title.to_string(),
        description: sentences.join("; ") + ".",
        simulated: true,
        x: Axis::new("time", Unit::Nanoseconds, min, max),
        panels: vec![panel],
    })
}
