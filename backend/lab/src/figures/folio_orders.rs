//! How large the folios were, in percent of the pages they hold. Also: the form that all histograms of shares take.

use super::{Axis, Figure, FigureInfo, Panel, Range, Role, Series, Shape, Side, Unit, side_title};
use crate::LabError;
use crate::run::Recording;
use crate::text::units;
use readahead_types::EventKind;
use std::collections::BTreeMap;

pub(super) const INFO: FigureInfo = FigureInfo {
    name: "folio_orders",
    title: "Folio sizes, % of pages",
    about: "Of the pages that entered the page cache, how many came in folios of which size. Larger folios cost less for each page.",
};

pub(super) fn make(sides: &[(Option<Side>, &Recording)], _range: Range) -> Result<Figure, LabError> {
    let count = |recording: &Recording| {
        let mut pages: BTreeMap<u32, u64> = BTreeMap::new();
        recording.visit_events(0..usize::MAX, |_, event| {
            if let EventKind::FolioAdded { order, .. } = event.kind {
                *pages.entry(u32::from(order.0)).or_default() += order.pages();
            }
        });
        pages
    };
    let name = |order: u32| units::bytes(4096u64 << order);
    let said = |pages: u64| format!("{} pages", units::count(pages));
    Ok(histogram(INFO, "folio size", "of pages", sides, &count, &name, &said))
}

/// Shares by bin, the sides beside each other.
pub(super) fn histogram(
    info: FigureInfo,
    x: &str,
    share_of: &str,
    sides: &[(Option<Side>, &Recording)],
    count: &dyn Fn(&Recording) -> BTreeMap<u32, u64>,
    name: &dyn Fn(u32) -> String,
    said: &dyn Fn(u64) -> String,
) -> Figure {
    let counts: Vec<BTreeMap<u32, u64>> = sides.iter().map(|(_, recording)| count(recording)).collect();
    let first = counts.iter().filter_map(|bins| bins.keys().next()).min().copied().unwrap_or(0);
    let last = counts.iter().filter_map(|bins| bins.keys().last()).max().copied().unwrap_or(0);
    let (mut series, mut sentences, mut top) = (Vec::new(), Vec::new(), 0.0f64);
    let width = 0.72 / sides.len() as f64;
    for (place, ((side, _), bins)) in sides.iter().zip(&counts).enumerate() {
        let role = match side {
            Some(Side::A) => Role::SideA,
            Some(Side::B) => Role::SideB,
            None => Role::Used,
        };
        let title = side_title(sides, place);
        let total: u64 = bins.values().sum();
        let most = bins.iter().max_by_key(|(_, count)| **count);
        let lead = if title.is_empty() { String::new() } else { format!("{title}: ") };
        sentences.push(match most {
            Some((bin, count)) => {
                let percent = 100.0 * *count as f64 / total as f64;
                format!("{lead}{}, most of them ({percent:.0} %) at {}", said(total), name(*bin))
            }
            None => format!("{lead}{}", said(0)),
        });
        let mut one = Series::new(if title.is_empty() { share_of.to_string() } else { title }, role, Shape::Bars);
        for (bin, count) in bins {
            let percent = 100.0 * *count as f64 / total as f64;
            let left = f64::from(bin - first) - 0.36 + width * place as f64;
            one.bar(left, left + width, percent);
            one.labels.push(if percent >= 0.5 { format!("{percent:.0}") } else { "<1".to_string() });
            top = top.max(percent);
        }
        series.push(one);
    }
    let mut axis = Axis::new(x, Unit::Category, -0.6, f64::from(last - first) + 0.6);
    axis.categories = (first..=last).map(name).collect();
    let y = Axis::new(share_of, Unit::Percent, 0.0, (top * 1.15).clamp(5.0, 112.0));
    Figure {
        name: info.name.to_string(),
        title: info.title.to_string(),
        description: sentences.join("; ") + ".",
        simulated: true,
        x: axis,
        panels: vec![Panel { title: String::new(), side: None, y, series }],
    }
}
