//! `/runs/{id}/figures/{figure}.svg|.png`: pictures for pages without JavaScript, reports and mails.

use super::params::{Expected, Params, id};
use super::series::ordered;
use crate::problem::Problem;
use crate::state::AppState;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use readahead_lab_core::figures::{self, Figure, Range, Theme};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

/// Bounds of a picture: below, nothing can be read; above, drawing takes longer than anyone looks.
const WIDTH: std::ops::RangeInclusive<u32> = 160..=4000;
const HEIGHT: std::ops::RangeInclusive<u32> = 120..=3000;

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Drawing {
    /// `light` or `dark`.
    #[serde(default)]
    pub(super) theme: Shade,
    /// Width in pixels, 160 … 4000.
    #[serde(default = "default_width")]
    pub(super) w: u32,
    /// Height in pixels, 120 … 3000.
    #[serde(default = "default_height")]
    pub(super) h: u32,
    /// From here on the figure's axis.
    #[serde(default)]
    pub(super) from: Option<u64>,
    /// To here on the figure's axis.
    #[serde(default)]
    pub(super) to: Option<u64>,
    /// Which file, for figures of one file.
    #[serde(default)]
    pub(super) file: u32,
}

impl Expected for Drawing {
    const PARAMETERS: &[(&str, &str)] = &[
        ("theme", "light or dark"),
        ("w", "a whole number, 160 … 4000"),
        ("h", "a whole number, 120 … 3000"),
        ("from", "a whole number from 0"),
        ("to", "a whole number from 0"),
        ("file", "a whole number from 0, the place of a file"),
    ];
}

/// The two grounds.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Shade {
    /// Ink on paper.
    #[default]
    Light,
    /// Light on dark.
    Dark,
}

fn default_width() -> u32 {
    960
}

fn default_height() -> u32 {
    360
}

/// A figure of a run.
#[utoipa::path(
    get, path = "/runs/{id}/figures/{figure}", tag = "runs",
    params(
        ("id" = String, Path, description = "Run id"),
        ("figure" = String, Path, description = "A name of `/figures` with `.svg` or `.png`"), Drawing
    ),
    responses(
        (status = 200, description = "The picture", content((String = "image/svg+xml"), (Vec<u8> = "image/png"))),
        (status = 400, body = Problem, content_type = "application/problem+json"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn run_figure(
    State(state): State<AppState>,
    Path((run, figure)): Path<(String, String)>,
    Params(drawing): Params<Drawing>,
) -> Result<Response, Problem> {
    let recording = state.recording(id(&run)?).await?;
    state.draw(move || picture(&figure, drawing, |name, range| Ok(figures::figure(name, &recording, range)?))).await
}

/// Makes a figure and draws it in the form that the file name asks for.
pub(super) fn picture(
    file: &str,
    drawing: Drawing,
    figure: impl FnOnce(&str, Range) -> Result<Figure, Problem>,
) -> Result<Response, Problem> {
    let (name, extension) = file.rsplit_once('.').unwrap_or((file, ""));
    if !matches!(extension, "svg" | "png") {
        let detail = format!("a picture is named FIGURE.svg or FIGURE.png; got `{}`", file.escape_debug());
        return Err(Problem::not_found("figure.unknown_form", detail));
    }
    let outside = |place: &'static str, value: u32, within: &std::ops::RangeInclusive<u32>| {
        let detail = format!("{place}: `{value}`; expected a whole number, {} … {}", within.start(), within.end());
        Problem::new(StatusCode::BAD_REQUEST, "figure.bad_size", detail).at(place)
    };
    if !WIDTH.contains(&drawing.w) {
        return Err(outside("w", drawing.w, &WIDTH));
    }
    if !HEIGHT.contains(&drawing.h) {
        return Err(outside("h", drawing.h, &HEIGHT));
    }
    ordered(drawing.from, drawing.to)?;
    let figure = figure(name, Range { from: drawing.from, to: drawing.to, px: drawing.w })?;
    let theme = match drawing.theme {
        Shade::Light => Theme::Light,
        Shade::Dark => Theme::Dark,
    };
    Ok(match extension {
        "svg" => {
            let svg = figures::svg(&figure, theme, drawing.w, drawing.h);
            ([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response()
        }
        _ => {
            ([(header::CONTENT_TYPE, "image/png")], figures::png(&figure, theme, drawing.w, drawing.h)).into_response()
        }
    })
}
