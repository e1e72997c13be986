//! A bitmap drawn larger and averaged down: smooth edges and evenly set text without a renderer of our own.
//!
//! Wraps plotters' bitmap backend. Must not know figures.

use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::{IntoFont, TextStyle};
use plotters_backend::{BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind};

/// How much larger in each direction.
pub(super) const SCALE: u32 = 3;
/// The bitmap backend sets text this much (of its size) higher than the SVG backend does.
const TEXT_DROP: f64 = 0.11;

/// Takes coordinates of the small picture, draws on the large one.
pub(super) struct Supersampled<'a> {
    large: BitMapBackend<'a>,
}

impl<'a> Supersampled<'a> {
    /// Over a buffer for the large picture.
    pub(super) fn new(pixels: &'a mut [u8], width: u32, height: u32) -> Self {
        Supersampled { large: BitMapBackend::with_buffer(pixels, (width * SCALE, height * SCALE)) }
    }
}

/// The small picture: each pixel the mean of its block.
pub(super) fn average(large: &[u8], width: u32, height: u32) -> Vec<u8> {
    let (width, height, scale) = (width as usize, height as usize, SCALE as usize);
    let mut small = vec![0; width * height * 3];
    let row = width * scale * 3;
    for y in 0..height {
        for x in 0..width {
            for channel in 0..3 {
                let mut sum = 0u32;
                for dy in 0..scale {
                    let from = (y * scale + dy) * row + x * scale * 3 + channel;
                    sum += (0..scale).map(|dx| u32::from(large[from + dx * 3])).sum::<u32>();
                }
                small[(y * width + x) * 3 + channel] = (sum / (SCALE * SCALE)) as u8;
            }
        }
    }
    small
}

fn up((x, y): BackendCoord) -> BackendCoord {
    (x * SCALE as i32, y * SCALE as i32)
}

/// A style with its strokes as many times wider.
struct Wide<'s, S>(&'s S);

impl<S: BackendStyle> BackendStyle for Wide<'_, S> {
    fn color(&self) -> BackendColor {
        self.0.color()
    }

    fn stroke_width(&self) -> u32 {
        self.0.stroke_width() * SCALE
    }
}

fn larger<T: BackendTextStyle>(style: &T) -> TextStyle<'static> {
    // There is one font; its family has one name.
    let font = (super::render::FONT, style.size() * f64::from(SCALE), style.style()).into_font();
    let mut large = TextStyle::from(font).pos(style.anchor());
    large.color = style.color();
    large
}

impl DrawingBackend for Supersampled<'_> {
    type ErrorType = <BitMapBackend<'static> as DrawingBackend>::ErrorType;

    fn get_size(&self) -> (u32, u32) {
        let (width, height) = self.large.get_size();
        (width / SCALE, height / SCALE)
    }

    fn ensure_prepared(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.large.ensure_prepared()
    }

    fn present(&mut self) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.large.present()
    }

    fn draw_pixel(&mut self, at: BackendCoord, colour: BackendColor) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let (x, y) = up(at);
        let last = SCALE as i32 - 1;
        self.large.draw_rect((x, y), (x + last, y + last), &colour, true)
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.large.draw_line(up(from), up(to), &Wide(style))
    }

    fn draw_rect<S: BackendStyle>(
        &mut self,
        first: BackendCoord,
        last: BackendCoord,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        // A filled rectangle holds both of its corners' pixels; in the large picture these are blocks.
        let reach = if fill { SCALE as i32 - 1 } else { 0 };
        let (x, y) = up(last);
        self.large.draw_rect(up(first), (x + reach, y + reach), &Wide(style), fill)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.large.draw_path(path.into_iter().map(up), &Wide(style))
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        centre: BackendCoord,
        radius: u32,
        style: &S,
        fill: bool,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.large.draw_circle(up(centre), radius * SCALE, &Wide(style), fill)
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        corners: I,
        style: &S,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        self.large.fill_polygon(corners.into_iter().map(up), &Wide(style))
    }

    fn draw_text<T: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &T,
        at: BackendCoord,
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        let large = larger(style);
        let (x, y) = up(at);
        let drop = (large.font.get_size() * TEXT_DROP).round() as i32;
        self.large.draw_text(text, &large, (x, y + drop))
    }

    fn estimate_text_size<T: BackendTextStyle>(
        &self,
        text: &str,
        style: &T,
    ) -> Result<(u32, u32), DrawingErrorKind<Self::ErrorType>> {
        let (width, height) = self.large.estimate_text_size(text, &larger(style))?;
        Ok((width / SCALE, height / SCALE))
    }

    fn blit_bitmap(
        &mut self,
        at: BackendCoord,
        size: (u32, u32),
        pixels: &[u8],
    ) -> Result<(), DrawingErrorKind<Self::ErrorType>> {
        // No figure holds pictures; one would appear small rather than not at all.
        self.large.blit_bitmap(up(at), size, pixels)
    }
}
