//! `/runs/{id}/series/{figure}`: a figure as decimated columns, for charts that zoom.

use super::params::{Expected, Params, id};
use crate::problem::Problem;
use crate::state::AppState;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use readahead_lab_core::figures::{self, Figure, Range};
use serde::Deserialize;
use utoipa::IntoParams;

/// Most columns of an answer.
const PX: std::ops::RangeInclusive<u32> = 16..=8000;

/// Which part, and how fine.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// From here on the figure's axis.
    #[serde(default)]
    from: Option<u64>,
    /// To here on the figure's axis.
    #[serde(default)]
    to: Option<u64>,
    /// Pixels that the columns are for, 16 … 8000.
    #[serde(default = "default_px")]
    px: u32,
}

impl Expected for Part {
    const PARAMETERS: &[(&str, &str)] =
        &[("from", "a whole number from 0"), ("to", "a whole number from 0"), ("px", "a whole number, 16 … 8000")];
}

fn default_px() -> u32 {
    1200
}

impl Part {
    /// A part, with the default fineness where none is asked for.
    pub(super) fn new(from: Option<u64>, to: Option<u64>, px: Option<u32>) -> Self {
        Part { from, to, px: px.unwrap_or_else(default_px) }
    }

    /// The part, checked.
    pub(super) fn range(self) -> Result<Range, Problem> {
        if !PX.contains(&self.px) {
            let detail = format!("px: `{}`; expected a whole number, {} … {}", self.px, PX.start(), PX.end());
            return Err(Problem::new(StatusCode::BAD_REQUEST, "series.bad_range", detail).at("px"));
        }
        ordered(self.from, self.to)?;
        Ok(Range { from: self.from, to: self.to, px: self.px })
    }
}

/// A part begins before it ends; one without a beginning begins at 0.
pub(super) fn ordered(from: Option<u64>, to: Option<u64>) -> Result<(), Problem> {
    let (Some(to), start) = (to, from.unwrap_or(0)) else { return Ok(()) };
    if start < to {
        return Ok(());
    }
    let (place, detail) = match from {
        Some(from) => ("from", format!("from: `{from}`; expected less than `to`, which is {to}")),
        None => ("to", format!("to: `{to}`; expected more than `from`, which is 0 when it is left out")),
    };
    Err(Problem::new(StatusCode::BAD_REQUEST, "series.bad_range", detail).at(place))
}

/// A figure as columns.
#[utoipa::path(
    get, path = "/runs/{id}/series/{figure}", tag = "runs",
    params(
        ("id" = String, Path, description = "Run id"), ("figure" = String, Path, description = "A name of `/figures`"), Part
    ),
    responses(
        (status = 200, description = "Columns with their titles and units"),
        (status = 404, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn series(
    State(state): State<AppState>,
    Path((run, figure)): Path<(String, String)>,
    Params(part): Params<Part>,
) -> Result<Json<Figure>, Problem> {
    let range = part.range()?;
    let recording = state.recording(id(&run)?).await?;
    state.draw(move || Ok(Json(figures::figure(&figure, &recording, range)?))).await
}
