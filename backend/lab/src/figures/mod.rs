//! Figures: a recording turned into columns, which any renderer draws.
//!
//! One file a figure; a new figure is one file and one row of [`LIST`]. The two renderers ([`svg`] and [`png`]) know
//! shapes and roles, not runs. Columns are decimated here, so that a picture never costs more than its pixels.

mod decimate;
mod depth;
mod folio_orders;
mod latency;
mod page_map;
mod palette;
mod read_sizes;
mod render;
mod supersample;
mod throughput;
mod ticks;
mod trace;
mod window_times;
mod windows;

pub use palette::{Role, Theme};
pub use render::{png, svg};
pub use trace::trace_figure;

use crate::LabError;
use crate::run::Recording;
use serde::Serialize;

/// What a figure is, for lists.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct FigureInfo {
    /// Its name in addresses.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What it shows and how to read it.
    pub about: &'static str,
}

/// The part of a figure's x axis that is wanted, in the axis' base unit, and how many pixels it gets.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// From here; `None`: from where the figure begins by itself.
    pub from: Option<u64>,
    /// To here.
    pub to: Option<u64>,
    /// Pixels.
    pub px: u32,
}

impl Default for Range {
    fn default() -> Self {
        Range { from: None, to: None, px: 960 }
    }
}

/// A figure as data.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    /// Its name in addresses.
    pub name: String,
    /// What stands above it.
    pub title: String,
    /// What it says, in a sentence with the numbers that matter; also the text for those who do not see it.
    pub description: String,
    /// Whether clock and device were emulated.
    pub simulated: bool,
    /// The axis that all panels share.
    pub x: Axis,
    /// The panels, top to bottom.
    pub panels: Vec<Panel>,
}

/// An axis.
#[derive(Clone, Debug, Serialize)]
pub struct Axis {
    /// What it measures.
    pub title: String,
    /// The base unit of its values.
    pub unit: Unit,
    /// First value shown.
    pub min: f64,
    /// Last value shown.
    pub max: f64,
    /// Names of the values 0, 1, 2 … on an axis of categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
}

/// Base units of axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Unit {
    Bytes,
    Pages,
    Nanoseconds,
    BytesPerSecond,
    Count,
    Percent,
    Category,
}

/// One drawing area.
#[derive(Clone, Debug, Serialize)]
pub struct Panel {
    /// What stands above it, when there are several.
    pub title: String,
    /// The side of a comparison: `A` or `B`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
    /// Its own axis.
    pub y: Axis,
    /// What is drawn, back to front.
    pub series: Vec<Series>,
}

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Side {
    A,
    B,
}

/// Columns of equal length with one meaning.
#[derive(Clone, Debug, Serialize)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// What it means, which settles colour and second cue.
    pub role: Role,
    /// How it is drawn.
    pub shape: Shape,
    /// Left ends, or places.
    pub x: Vec<f64>,
    /// Right ends of bars and cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub x_end: Vec<f64>,
    /// Heights, values, or lower ends of cells.
    pub y: Vec<f64>,
    /// Upper ends of cells.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub y_end: Vec<f64>,
    /// What stands at each value, such as the code of a Reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// From 0 to `y`, from `x` to `x_end`.
    Bars,
    /// A line that keeps each value until the next.
    Steps,
    /// Marks.
    Points,
    /// Rectangles.
    Cells,
}

impl Series {
    pub(crate) fn new(name: impl Into<String>, role: Role, shape: Shape) -> Self {
        let (x, x_end, y, y_end, labels) = (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Series { name: name.into(), role, shape, x, x_end, y, y_end, labels }
    }

    pub(crate) fn bar(&mut self, x: f64, x_end: f64, y: f64) {
        self.x.push(x);
        self.x_end.push(x_end);
        self.y.push(y);
    }

    pub(crate) fn point(&mut self, x: f64, y: f64) {
        self.x.push(x);
        self.y.push(y);
    }
}

impl Axis {
    pub(crate) fn new(title: impl Into<String>, unit: Unit, min: f64, max: f64) -> Self {
        // An axis without extent cannot be drawn.
        Axis { title: title.into(), unit, min, max: if max > min { max } else { min + 1.0 }, categories: Vec::new() }
    }
}

type Make = fn(&[(Option<Side>, &Recording)], Range) -> Result<Figure, LabError>;

/// Every figure: what it is, and what makes it of one run or of the two runs of a comparison.
const LIST: &[(FigureInfo, Make)] = &[
    (windows::INFO, windows::make),
    (window_times::INFO, window_times::make),
    (page_map::INFO, page_map::make),
    (depth::INFO, depth::make),
    (throughput::INFO, throughput::make),
    (read_sizes::INFO, read_sizes::make),
    (folio_orders::INFO, folio_orders::make),
    (latency::INFO, latency::make),
];

/// Every figure, in the order of pages.
pub const FIGURES: &[FigureInfo] = &{
    let mut infos = [LIST[0].0; LIST.len()];
    let mut place = 0;
    while place < LIST.len() {
        infos[place] = LIST[place].0;
        place += 1;
    }
    infos
};

/// A figure of one run.
pub fn figure(name: &str, recording: &Recording, range: Range) -> Result<Figure, LabError> {
    find(name)?(&[(None, recording)], checked(range)?)
}

/// A figure of the two runs of a comparison.
pub fn compare_figure(name: &str, a: &Recording, b: &Recording, range: Range) -> Result<Figure, LabError> {
    find(name)?(&[(Some(Side::A), a), (Some(Side::B), b)], checked(range)?)
}

fn find(name: &str) -> Result<Make, LabError> {
    LIST.iter().find(|(info, _)| info.name == name).map(|(_, make)| *make).ok_or_else(|| {
        let names = FIGURES.iter().map(|info| info.name);
        LabError::new("figure.unknown", crate::library::unknown("figure", name, names))
    })
}

fn checked(range: Range) -> Result<Range, LabError> {
    match (range.from, range.to) {
        (Some(from), Some(to)) if to <= from => {
            Err(LabError::at("figure.bad_range", "to", format!("{to}; expected more than from, {from}")))
        }
        _ => Ok(Range { px: range.px.clamp(16, 8192), ..range }),
    }
}

/// "A · ", or nothing.
pub(crate) fn side_prefix(side: Option<Side>) -> &'static str {
    match side {
        Some(Side::A) => "A",
        Some(Side::B) => "B",
        None => "",
    }
}

/// What a side of a comparison is about: the settings that only it has.
pub(crate) fn side_title(sides: &[(Option<Side>, &Recording)], place: usize) -> String {
    let (side, recording) = sides[place];
    let Some(side) = side else { return String::new() };
    let other = sides[1 - place].1;
    let settings = crate::compare::settings(recording.scenario(), other.scenario());
    let patches = settings.iter().find(|(key, ..)| key == "kernel.patches");
    let label = match (patches, settings.as_slice()) {
        (Some((_, mine, _)), [_]) if mine == "none" => "as it is".to_string(),
        (Some((_, mine, _)), [_]) => mine.clone(),
        (_, []) => "the same settings".to_string(),
        (_, all) => all.iter().take(3).map(|(key, mine, _)| format!("{key} {mine}")).collect::<Vec<_>>().join(", "),
    };
    format!("{side:?} · {label}")
}
