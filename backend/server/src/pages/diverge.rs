//! The page "Where two kernels part": a form with two kernels, and the shortest workload on which they decide differently.

use super::{Frame, html, words};
use crate::api::diverge::{Pair, search};
use crate::api::params::Params;
use crate::problem::Problem;
use crate::state::AppState;
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use readahead_lab_core::diverge::{OPERATIONS_MAX, Search};
use readahead_lab_core::models::shown::with_needs;
use readahead_lab_core::models::{MODELS, Patch};

#[derive(Template)]
#[template(path = "diverge.html")]
struct DivergePage {
    frame: Frame,
    a: String,
    b: String,
    seed: u64,
    /// Kernels to choose from.
    kernels: Vec<String>,
    trouble: Option<String>,
    outcome: Option<Outcome>,
    operations_max: usize,
}

struct Outcome {
    workloads: String,
    tried: Vec<String>,
    unreached: Vec<String>,
    found: Option<Found>,
    /// The same as JSON.
    api: String,
}

struct Found {
    operations: Vec<(bool, String)>,
    machine: String,
    place: String,
    rows: Vec<(&'static str, String, String)>,
    folio_runs: Option<[String; 2]>,
    sentences: [String; 2],
    scenario: String,
    compare: [String; 2],
}

impl Outcome {
    fn of(search: Search) -> Self {
        let encoded = |name: &str| name.replace('+', "%2B");
        let api = format!("/api/v1/diverge?a={}&b={}&seed={}", encoded(&search.a), encoded(&search.b), search.seed);
        let found = search.found.map(|found| {
            let here = found.operation - 1;
            let operations = found.operations().into_iter().enumerate();
            let none = "No further window in this operation.";
            let sentences = [&found.a, &found.b]
                .map(|side| side.as_ref().map_or(none.to_owned(), |side| words::grouped(&side.sentence)));
            Found {
                operations: operations.map(|(number, words)| (number == here, words)).collect(),
                machine: found.machine(),
                place: format!("operation {}, {}", found.operation, found.same()),
                rows: found.rows(),
                folio_runs: found.folio_runs(),
                sentences,
                scenario: found.scenario,
                compare: found.compare,
            }
        });
        Outcome {
            workloads: words::count(search.workloads),
            tried: search.tried,
            unreached: search.unreached,
            found,
            api,
        }
    }
}

/// Every model, and every patch on one, after what it needs.
fn kernels() -> Vec<String> {
    let with_patches = |model: &readahead_lab_core::models::ModelInfo| {
        let name = model.name;
        let with = |patch: &Patch| format!("{name}+{}", ending_with(*patch).join("+"));
        let patched: Vec<String> = model.patches.iter().map(with).collect();
        std::iter::once(name.to_owned()).chain(patched)
    };
    MODELS.iter().flat_map(with_patches).collect()
}

/// What a patch needs, and the patch itself last, so that a list shows at the end what it is about.
fn ending_with(patch: Patch) -> Vec<&'static str> {
    let own = patch.info().name;
    with_needs(patch).into_iter().filter(|name| *name != own).chain([own]).collect()
}

/// `GET /diverge`. Without kernels the form alone.
pub(super) async fn page(State(state): State<AppState>, Params(pair): Params<Pair>) -> Result<Response, Problem> {
    let asked = !pair.a.trim().is_empty() || !pair.b.trim().is_empty();
    let (outcome, trouble) = match if asked { Some(search(&state, &pair).await) } else { None } {
        None => (None, None),
        Some(Ok(search)) => (Some(Outcome::of(search)), None),
        Some(Err(problem)) if problem.status == 422 => (None, Some(problem.detail)),
        Some(Err(problem)) => return Err(problem),
    };
    let written = |text: &str, default: &str| {
        if asked { text.trim().replace(' ', "+") } else { default.to_owned() }
    };
    let wrong = trouble.is_some();
    let mut response = html(&DivergePage {
        frame: Frame::new("diverge"),
        a: written(&pair.a, "linux-7.2"),
        b: written(&pair.b, "linux-7.2+keep-half-window"),
        seed: pair.seed.unwrap_or(1),
        kernels: kernels(),
        trouble,
        outcome,
        operations_max: OPERATIONS_MAX,
    });
    if wrong {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}
