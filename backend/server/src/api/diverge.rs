//! `/diverge`: the shortest workload on which two kernels decide differently.

use super::params::{Expected, Params};
use crate::problem::Problem;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use readahead_lab_core::diverge::{Kernel, Search, diverge};
use serde::Deserialize;
use utoipa::IntoParams;

/// Two kernels and the seed of the random workloads.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    /// One kernel: `MODEL` or `MODEL+PATCH…`, the plus sign as `%2B`.
    #[serde(default)]
    pub(crate) a: String,
    /// The other one.
    #[serde(default)]
    pub(crate) b: String,
    /// Default 1.
    #[serde(default)]
    pub(crate) seed: Option<u64>,
}

impl Expected for Pair {
    const PARAMETERS: &[(&str, &str)] = &[
        ("a", "a model, with patches after plus signs"),
        ("b", "a model, with patches after plus signs"),
        ("seed", "a whole number"),
    ];
}

/// The kernel that a parameter names. A plus sign that was not encoded arrives as a space.
fn kernel(text: &str, place: &'static str) -> Result<Kernel, Problem> {
    let text = text.trim().replace(' ', "+");
    Kernel::parse(&text, place)
        .map_err(|error| Problem::new(StatusCode::UNPROCESSABLE_ENTITY, error.code, error.message).at(place))
}

/// Searches, when there is a place for it: a search computes for a second or two.
pub(crate) async fn search(state: &AppState, pair: &Pair) -> Result<Search, Problem> {
    let (a, b) = (kernel(&pair.a, "a")?, kernel(&pair.b, "b")?);
    let seed = pair.seed.unwrap_or(1);
    state.draw(move || Ok(diverge(a, b, seed))).await
}

/// The shortest workload on which two kernels decide differently; `found` is null when none was found.
#[utoipa::path(
    get, path = "/diverge", tag = "compare", params(Pair),
    responses(
        (status = 200, description = "`a`, `b`, `seed`, `workloads`, `tried`, `found`"),
        (status = 422, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn get(State(state): State<AppState>, Params(pair): Params<Pair>) -> Result<Json<Search>, Problem> {
    search(&state, &pair).await.map(Json)
}
