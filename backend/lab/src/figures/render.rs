//! Draws figures: one layout, two backends (SVG and PNG), colours by role and a second cue for each.
//!
//! Must not know runs. Text is measured with the embedded font; an SVG names `sans-serif` and takes the viewer's.

use super::palette::Ground;
use super::supersample::{SCALE, Supersampled, average};
use super::ticks::{Tick, ticks};
use super::{Axis, Figure, Panel, Role, Series, Shape, Side, Theme, Unit};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{Circle, Cross, PathElement, Polygon, Rectangle, Text, TriangleMarker};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, RGBColor, ShapeStyle, TextStyle};
use std::sync::Once;

pub(super) const FONT: &str = "sans-serif";
const TITLE: i32 = 16;
const TITLE_LEAST: i32 = 11;
const TITLE_LEFT: i32 = 16;
const TEXT: i32 = 12;
/// Room around the panels.
const LEFT: i32 = 64;
const RIGHT: i32 = 18;
const TOP: i32 = 34;
const BOTTOM: i32 = 42;
/// Room above a panel for its title and keys.
const HEAD: i32 = 26;

/// The figure as an SVG document, with title and description as text.
pub fn svg(figure: &Figure, theme: Theme, width: u32, height: u32) -> String {
    fonts();
    let mut text = String::new();
    let drawn = draw(figure, theme, SVGBackend::with_string(&mut text, (width, height)).into_drawing_area());
    drawn.expect("drawing into memory succeeds");
    let (title, description) = (escape(&figure.title), escape(&figure.description));
    let told = format!(" role=\"img\"><title>{title}</title><desc>{description}</desc>");
    match text.find("<svg").and_then(|from| text[from..].find('>').map(|end| from + end)) {
        Some(end) => text.replace_range(end..=end, &told),
        None => unreachable!("the backend writes an svg element"),
    }
    text
}

/// The figure as a PNG file.
pub fn png(figure: &Figure, theme: Theme, width: u32, height: u32) -> Vec<u8> {
    fonts();
    let mut large = vec![0; (width * SCALE) as usize * (height * SCALE) as usize * 3];
    let area = Supersampled::new(&mut large, width, height).into_drawing_area();
    draw(figure, theme, area).expect("drawing into memory succeeds");
    let pixels = average(&large, width, height);
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    for (keyword, text) in [("Title", &figure.title), ("Description", &figure.description)] {
        encoder.add_itxt_chunk(keyword.to_string(), text.clone()).expect("the keywords are short Latin words");
    }
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&pixels));
    written.expect("encoding into memory succeeds");
    file
}

/// Registers the embedded font once.
fn fonts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        for (style, bytes) in [(FontStyle::Normal, notosans::REGULAR_TTF), (FontStyle::Bold, notosans::BOLD_TTF)] {
            plotters::style::register_font(FONT, style, bytes).map_err(|_| ()).expect("the embedded font is a font");
        }
    });
}

type Drawn<B> = Result<(), plotters::drawing::DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn draw<B: DrawingBackend>(figure: &Figure, theme: Theme, area: DrawingArea<B, Shift>) -> Drawn<B> {
    let (width, height) = area.dim_in_pixel();
    let canvas = Canvas { area, theme, ground: theme.ground() };
    canvas.area.fill(&canvas.ground.paper)?;
    let (width, height) = (width as i32, height as i32);
    let word = if figure.simulated { "SIMULATED" } else { "MEASURED" };
    canvas.title(&figure.title, canvas.stamp_left(word, width - RIGHT) - 8)?;
    canvas.stamp(word, figure.simulated, width - RIGHT)?;
    let count = figure.panels.len().max(1) as i32;
    let each = (height - TOP - BOTTOM) / count;
    for (place, panel) in (0..count).zip(&figure.panels) {
        let top = TOP + place * each;
        let frame = Frame {
            left: LEFT,
            right: width - RIGHT,
            top: top + HEAD,
            bottom: top + each - if place + 1 < count { 10 } else { 0 },
            x: (figure.x.min, figure.x.max),
            y: (panel.y.min, panel.y.max),
        };
        let last = place + 1 == count;
        canvas.panel(figure, panel, &frame, last)?;
    }
    canvas.area.present()
}

struct Canvas<B: DrawingBackend> {
    area: DrawingArea<B, Shift>,
    theme: Theme,
    ground: Ground,
}

/// Where a panel lies, in pixels and in values.
struct Frame {
    left: i32,
    right: i32,
    top: i32,
    bottom: i32,
    x: (f64, f64),
    y: (f64, f64),
}

impl Frame {
    fn px(&self, x: f64) -> i32 {
        let share = ((x - self.x.0) / (self.x.1 - self.x.0)).clamp(0.0, 1.0);
        self.left + (share * f64::from(self.right - self.left)).round() as i32
    }

    fn py(&self, y: f64) -> i32 {
        let share = ((y - self.y.0) / (self.y.1 - self.y.0)).clamp(0.0, 1.0);
        self.bottom - (share * f64::from(self.bottom - self.top)).round() as i32
    }
}

#[derive(Clone, Copy)]
enum Anchor {
    Left,
    Right,
    Middle,
}

impl<B: DrawingBackend> Canvas<B> {
    fn style(&self, size: i32, colour: RGBColor, weight: FontStyle, anchor: Anchor) -> TextStyle<'static> {
        let horizontal = match anchor {
            Anchor::Left => HPos::Left,
            Anchor::Right => HPos::Right,
            Anchor::Middle => HPos::Center,
        };
        let font = (FONT, size, weight).into_font();
        let mut style = TextStyle::from(font).pos(Pos::new(horizontal, VPos::Center));
        style.color = colour.to_backend_color();
        style
    }

    fn text(
        &self,
        text: &str,
        at: (i32, i32),
        size: i32,
        colour: RGBColor,
        weight: FontStyle,
        anchor: Anchor,
    ) -> Drawn<B> {
        let style = self.style(size, colour, weight, anchor);
        self.area.draw(&Text::new(text.to_string(), at, style))
    }

    /// Width of the text in pixels, as the embedded font has it.
    fn width(&self, text: &str, size: i32, weight: FontStyle) -> i32 {
        let style = self.style(size, self.ground.ink, weight, Anchor::Left);
        self.area.estimate_text_size(text, &style).map_or(text.len() as i32 * size / 2, |(width, _)| width as i32)
    }

    /// The title, in smaller type where it would reach `right`, and cut where that is not enough.
    fn title(&self, title: &str, right: i32) -> Drawn<B> {
        let fits = |text: &str, size| TITLE_LEFT + self.width(text, size, FontStyle::Bold) <= right;
        let size = (TITLE_LEAST..=TITLE).rev().find(|size| fits(title, *size)).unwrap_or(TITLE_LEAST);
        let mut shown = title.to_string();
        while !fits(&shown, size) && shown.chars().count() > 2 {
            shown = shown.trim_end_matches('…').chars().rev().skip(1).collect::<Vec<_>>().into_iter().rev().collect();
            shown.push('…');
        }
        self.text(&shown, (TITLE_LEFT, 18), size, self.ground.ink, FontStyle::Bold, Anchor::Left)
    }

    /// Where the stamp begins.
    fn stamp_left(&self, word: &str, right: i32) -> i32 {
        right - self.width(word, 11, FontStyle::Normal) - 16
    }

    /// The word that says where numbers come from, in a dashed (simulated) or solid (measured) outline.
    fn stamp(&self, word: &str, dashed: bool, right: i32) -> Drawn<B> {
        let (left, top, bottom) = (self.stamp_left(word, right), 9, 27);
        let width = right - left;
        self.text(word, (right - width / 2, 18), 11, self.ground.quiet, FontStyle::Normal, Anchor::Middle)?;
        let line = |from: (i32, i32), to: (i32, i32)| {
            self.area.draw(&PathElement::new(vec![from, to], self.ground.quiet.stroke_width(1)))
        };
        if !dashed {
            return self.area.draw(&Rectangle::new([(left, top), (right, bottom)], self.ground.quiet.stroke_width(1)));
        }
        for from in (left..right).step_by(7) {
            let to = (from + 4).min(right);
            line((from, top), (to, top))?;
            line((from, bottom), (to, bottom))?;
        }
        for from in (top..bottom).step_by(7) {
            let to = (from + 4).min(bottom);
            line((left, from), (left, to))?;
            line((right, from), (right, to))?;
        }
        Ok(())
    }

    fn panel(&self, figure: &Figure, panel: &Panel, frame: &Frame, last: bool) -> Drawn<B> {
        let (y_ticks, y_unit) = ticks(&panel.y, ((frame.bottom - frame.top) / 42).max(2) as usize);
        for Tick { at, text } in &y_ticks {
            let y = frame.py(*at);
            let rule = PathElement::new(vec![(frame.left, y), (frame.right, y)], self.ground.rule.stroke_width(1));
            self.area.draw(&rule)?;
            self.text(text, (frame.left - 8, y), TEXT, self.ground.quiet, FontStyle::Normal, Anchor::Right)?;
        }
        for series in &panel.series {
            self.series(series, frame)?;
        }
        let base = PathElement::new(
            vec![(frame.left, frame.bottom), (frame.right, frame.bottom)],
            self.ground.quiet.stroke_width(1),
        );
        self.area.draw(&base)?;
        self.head(panel, frame, y_unit)?;
        self.x_axis(&figure.x, frame, last)
    }

    fn x_axis(&self, axis: &Axis, frame: &Frame, last: bool) -> Drawn<B> {
        let room = ((frame.right - frame.left) / 88).max(2) as usize;
        let (marks, unit) = ticks(axis, room);
        for Tick { at, .. } in &marks {
            if axis.unit != Unit::Category {
                let x = frame.px(*at);
                let mark =
                    PathElement::new(vec![(x, frame.bottom), (x, frame.bottom + 4)], self.ground.quiet.stroke_width(1));
                self.area.draw(&mark)?;
            }
        }
        if !last {
            return Ok(());
        }
        // Names of categories may be wider than their places: then every second, third … is left out.
        let widest = marks.iter().map(|tick| self.width(&tick.text, TEXT, FontStyle::Normal)).max().unwrap_or(1) + 10;
        let place = (frame.right - frame.left) / (marks.len().max(1) as i32);
        let every = if axis.unit == Unit::Category { (widest / place.max(1) + 1).max(1) as usize } else { 1 };
        for (_, Tick { at, text }) in marks.iter().enumerate().filter(|(place, _)| place % every == 0) {
            let at = (frame.px(*at), frame.bottom + 13);
            self.text(text, at, TEXT, self.ground.quiet, FontStyle::Normal, Anchor::Middle)?;
        }
        let title = if unit.is_empty() { axis.title.clone() } else { format!("{}, {unit}", axis.title) };
        let at = ((frame.left + frame.right) / 2, frame.bottom + 30);
        self.text(&title, at, TEXT, self.ground.quiet, FontStyle::Normal, Anchor::Middle)
    }

    /// Title, unit and keys above the panel.
    fn head(&self, panel: &Panel, frame: &Frame, unit: &str) -> Drawn<B> {
        let y = frame.top - HEAD + 10;
        let mut x = frame.left;
        if !panel.title.is_empty() {
            let colour = match panel.side {
                Some(Side::A) => Role::SideA.colour(self.theme),
                Some(Side::B) => Role::SideB.colour(self.theme),
                None => self.ground.ink,
            };
            let short = if unit.is_empty() { &panel.y.title } else { unit };
            self.text(short, (frame.left - 8, y), TEXT, self.ground.quiet, FontStyle::Normal, Anchor::Right)?;
            self.text(&panel.title, (x, y), TEXT + 1, colour, FontStyle::Bold, Anchor::Left)?;
            x += self.width(&panel.title, TEXT + 1, FontStyle::Bold) + 24;
        } else {
            let title = if unit.is_empty() { panel.y.title.clone() } else { format!("{}, {unit}", panel.y.title) };
            self.text(&title, (16, y), TEXT, self.ground.quiet, FontStyle::Normal, Anchor::Left)?;
            x = 16 + self.width(&title, TEXT, FontStyle::Normal) + 24;
        }
        for series in &panel.series {
            let width = self.width(&series.name, TEXT, FontStyle::Normal) + 18;
            if x + width > frame.right {
                break;
            }
            self.key(series, (x, y - 5))?;
            self.text(&series.name, (x + 16, y), TEXT, self.ground.quiet, FontStyle::Normal, Anchor::Left)?;
            x += width + 16;
        }
        Ok(())
    }

    fn key(&self, series: &Series, (x, y): (i32, i32)) -> Drawn<B> {
        let colour = series.role.colour(self.theme);
        match series.shape {
            Shape::Bars | Shape::Cells => {
                self.area.draw(&Rectangle::new([(x, y), (x + 10, y + 10)], colour.filled()))?;
                self.cue(series.role, (x, x + 10), (y, y + 10))
            }
            Shape::Steps => self.line(vec![(x, y + 5), (x + 12, y + 5)], series.role),
            Shape::Points => self.point(series.role, (x + 5, y + 5)),
        }
    }

    fn series(&self, series: &Series, frame: &Frame) -> Drawn<B> {
        let colour = series.role.colour(self.theme);
        match series.shape {
            Shape::Bars => {
                let values = series.x.iter().zip(&series.x_end).zip(&series.y).enumerate();
                for (place, ((x, x_end), y)) in values {
                    let (left, right) = (frame.px(*x), frame.px(*x_end));
                    // Neighbours stay apart by a hair of ground where there is room for it.
                    let right = if right - left > 3 { right - 1 } else { right.max(left + 1) };
                    let top = frame.py(*y).min(frame.bottom - 1);
                    self.area.draw(&Rectangle::new([(left, top), (right, frame.bottom)], colour.filled()))?;
                    let said = series.labels.get(place).filter(|_| series.role_is_side());
                    if let Some(label) = said.filter(|_| right - left >= 14) {
                        let at = ((left + right) / 2, top - 9);
                        self.text(label, at, TEXT, self.ground.quiet, FontStyle::Normal, Anchor::Middle)?;
                    }
                    if series.role == Role::Warning {
                        // Crumbs are a few pixels small: a tick below the axis finds them.
                        let tick = [(left, frame.bottom + 2), (right.max(left + 2), frame.bottom + 6)];
                        self.area.draw(&Rectangle::new(tick, colour.filled()))?;
                    }
                    if right - left >= 6 {
                        self.cue(series.role, (left, right), (top, frame.bottom))?;
                    }
                }
                Ok(())
            }
            Shape::Cells => {
                let values = series.x.iter().zip(&series.x_end).zip(series.y.iter().zip(&series.y_end));
                for ((x, x_end), (y, y_end)) in values {
                    let (left, right) = (frame.px(*x), frame.px(*x_end));
                    let (bottom, top) = (frame.py(*y), frame.py(*y_end));
                    let corners = [(left, top), (right.max(left + 1), bottom.max(top + 1))];
                    self.area.draw(&Rectangle::new(corners, colour.filled()))?;
                }
                Ok(())
            }
            Shape::Steps => {
                let mut path: Vec<(i32, i32)> = Vec::with_capacity(2 * series.x.len() + 1);
                for (x, y) in series.x.iter().zip(&series.y) {
                    let point = (frame.px(*x), frame.py(*y));
                    if let Some(before) = path.last().copied() {
                        path.push((point.0, before.1));
                    }
                    path.push(point);
                }
                // The last value holds for as long as the ones before it did.
                if let (Some(before), [.., one, last]) = (path.last().copied(), series.x.as_slice()) {
                    path.push((frame.px(2.0 * last - one), before.1));
                }
                path.dedup();
                self.line(path, series.role)
            }
            Shape::Points => {
                for (x, y) in series.x.iter().zip(&series.y) {
                    self.point(series.role, (frame.px(*x), frame.py(*y)))?;
                }
                Ok(())
            }
        }
    }

    /// A line; that of side B is dashed.
    fn line(&self, path: Vec<(i32, i32)>, role: Role) -> Drawn<B> {
        let style: ShapeStyle = role.colour(self.theme).stroke_width(2);
        if role != Role::SideB || path.len() < 2 {
            return self.area.draw(&PathElement::new(path, style));
        }
        let (mut drawn, mut on, mut left) = (vec![path[0]], true, 7);
        for pair in path.windows(2) {
            let (mut from, to) = (pair[0], pair[1]);
            loop {
                let (dx, dy) = (to.0 - from.0, to.1 - from.1);
                let length = dx.abs().max(dy.abs());
                if length <= left {
                    left -= length;
                    drawn.push(to);
                    break;
                }
                from = (from.0 + dx.signum() * left.min(dx.abs()), from.1 + dy.signum() * left.min(dy.abs()));
                drawn.push(from);
                if on {
                    self.area.draw(&PathElement::new(std::mem::take(&mut drawn), style))?;
                }
                drawn = vec![from];
                on = !on;
                left = if on { 7 } else { 4 };
            }
        }
        if on && drawn.len() > 1 { self.area.draw(&PathElement::new(drawn, style)) } else { Ok(()) }
    }

    /// A mark whose form says what its colour says.
    fn point(&self, role: Role, at: (i32, i32)) -> Drawn<B> {
        let colour = role.colour(self.theme);
        match role {
            Role::Start => {
                self.area.draw(&Rectangle::new([(at.0 - 3, at.1 - 3), (at.0 + 3, at.1 + 3)], colour.filled()))
            }
            Role::Context => {
                let corners = vec![(at.0, at.1 - 4), (at.0 + 4, at.1), (at.0, at.1 + 4), (at.0 - 4, at.1)];
                self.area.draw(&Polygon::new(corners, colour.filled()))
            }
            Role::Fault => self.area.draw(&TriangleMarker::new(at, 5, colour.filled())),
            Role::Forced => self.area.draw(&Cross::new(at, 3, colour.stroke_width(1))),
            Role::Warning => self.area.draw(&Cross::new(at, 4, colour.stroke_width(2))),
            _ => self.area.draw(&Circle::new(at, 3, colour.filled())),
        }
    }

    /// The second cue of an area: hatching for what is in flight, a cross for what was evicted unused, a cap for a
    /// warning.
    fn cue(&self, role: Role, (left, right): (i32, i32), (top, bottom): (i32, i32)) -> Drawn<B> {
        let line = |from: (i32, i32), to: (i32, i32)| {
            self.area.draw(&PathElement::new(vec![from, to], self.ground.ink.mix(0.55).stroke_width(1)))
        };
        match role {
            Role::InFlight => line((left, bottom), (right, top)),
            Role::EvictedUnused => {
                line((left, bottom), (right, top))?;
                line((left, top), (right, bottom))
            }
            Role::Warning => {
                self.area.draw(&Rectangle::new([(left, top), (right, (top + 2).min(bottom))], self.ground.ink.filled()))
            }
            Role::SideAFaint | Role::SideBFaint => {
                let edge = if role == Role::SideAFaint { Role::SideAPale } else { Role::SideBPale };
                let style = edge.colour(self.theme).stroke_width(1);
                self.area.draw(&Rectangle::new([(left, top), (right, bottom)], style))
            }
            _ => Ok(()),
        }
    }
}

impl Series {
    /// Labels at bars are for histograms; elsewhere they are codes for machines.
    fn role_is_side(&self) -> bool {
        matches!(self.role, Role::SideA | Role::SideB | Role::Used) && self.labels.iter().all(|label| label.len() <= 4)
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
