//! The gallery: the first experiment, every scenario with what it teaches, what was run lately.

use super::{Frame, html, words};
use crate::problem::Problem;
use crate::state::AppState;
use askama::Template;
use axum::extract::State;
use axum::response::Response;
use readahead_lab_core::library;
use readahead_lab_core::scenario::Scenario;

/// The experiment that a newcomer sees first.
const FIRST: &str = "mm-2026-keep-half-window";
const RECENT: usize = 8;

#[derive(Template)]
#[template(path = "gallery.html")]
struct GalleryPage {
    frame: Frame,
    first: Option<Experiment>,
    experiments: Vec<Experiment>,
    recent: Vec<Recent>,
    example: String,
}

/// A scenario as the list shows it.
struct Experiment {
    name: String,
    title: String,
    source: String,
    about: String,
    /// The settings that it is worth comparing with the scenario as it is.
    other: Option<Other>,
    /// Device reads that the source measured: as it is, and with the other settings.
    measured: Option<Measured>,
}

struct Other {
    settings: String,
    label: String,
}

struct Measured {
    as_it_is: String,
    other: Option<String>,
}

/// Something that was run lately.
struct Recent {
    href: String,
    title: String,
    what: String,
    when: String,
    state: String,
    created_ms: i64,
}

/// `GET /`.
pub(super) async fn page(State(state): State<AppState>) -> Result<Response, Problem> {
    let mut experiments = Vec::new();
    for entry in library::scenarios() {
        let scenario = library::scenario(&entry.name)?;
        experiments.push(Experiment {
            name: entry.name.clone(),
            title: entry.title.clone(),
            source: entry.source.clone(),
            about: entry.about.clone(),
            other: other_of(&scenario),
            measured: measured_of(&scenario),
        });
    }
    let first = experiments.iter().position(|one| one.name == FIRST).map(|place| experiments.remove(place));
    let example = library::scenarios().iter().find(|entry| entry.name == FIRST).map(|entry| entry.toml.clone());
    let recent = recent(&state).await?;
    Ok(html(&GalleryPage {
        frame: Frame::new("home"),
        first,
        experiments,
        recent,
        example: example.unwrap_or_default(),
    }))
}

/// The first settings that the source measured too, or that must make no difference; else a patch that can make one: of
/// mappings where the programs use them, otherwise that of the first experiment.
fn other_of(scenario: &Scenario) -> Option<Other> {
    let measured = scenario.expected_settings().into_iter().next();
    let same = || scenario.expected_same().into_iter().next().map(|(settings, _)| settings);
    let settings = match measured.or_else(same) {
        Some(settings) => settings.join(";"),
        None if scenario.canonical_json().contains("mmap") => "kernel.patches=mmap-floor-order".to_owned(),
        None => "kernel.patches=keep-half-window".to_owned(),
    };
    scenario.with(&readahead_lab_core::scenario::split_settings(&settings)).ok()?;
    Some(Other { label: super::compare::label(&settings), settings })
}

fn measured_of(scenario: &Scenario) -> Option<Measured> {
    let reads = |scenario: &Scenario| scenario.expect().get("device_reads")?.measured.map(words::count);
    let other = scenario.expected_settings().into_iter().next().and_then(|settings| scenario.with(&settings).ok());
    Some(Measured { as_it_is: reads(scenario)?, other: other.as_ref().and_then(reads) })
}

async fn recent(state: &AppState) -> Result<Vec<Recent>, Problem> {
    let (runs, compares) = (state.recent_runs(RECENT).await?, state.recent_compares(RECENT).await?);
    let runs = runs.into_iter().map(|run| Recent {
        href: format!("/runs/{}", run.id),
        what: match &run.summary {
            Some(summary) => format!("{} device reads", words::count(summary.device_reads)),
            None => String::new(),
        },
        title: run.title,
        when: words::date(run.created_ms),
        state: run.state,
        created_ms: run.created_ms,
    });
    let compares = compares.into_iter().map(|compare| Recent {
        href: format!("/compare/{}", compare.id),
        what: format!(
            "{} against {}",
            super::compare::label(&compare.a_label),
            super::compare::label(&compare.b_label)
        ),
        title: compare.title,
        when: words::date(compare.created_ms),
        state: compare.state,
        created_ms: compare.created_ms,
    });
    let mut all: Vec<Recent> = runs.chain(compares).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.created_ms));
    all.truncate(RECENT);
    Ok(all)
}
