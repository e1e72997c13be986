//! A compare: the form that starts one, and the page that plays both sides on one clock.

use super::forms::{Fields, SettingsForm, field, settings, source};
use super::run::{Said, Standing};
use super::{Frame, html, words};
use crate::compares::{CompareRequest, CompareView};
use crate::problem::Problem;
use crate::state::AppState;
use askama::Template;
use axum::Form;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use readahead_lab_core::Summary;
use readahead_lab_core::models::MODELS;
use readahead_lab_core::models::settings::has_large_folios;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

#[derive(Template)]
#[template(path = "compare.html")]
struct ComparePage {
    frame: Frame,
    /// Where the API has it.
    api: String,
    title: String,
    said: Said,
    /// Nothing more will come on either side.
    ended: bool,
    failure: Option<String>,
    panes: [Pane; 2],
    /// The change of the headline figure.
    change: String,
    differences: Vec<Row>,
    divergence: Option<Parting>,
    /// Folio size, share of pages of A, of B.
    folios: Vec<[String; 3]>,
    text: Option<String>,
    form: SettingsForm,
    a_settings: String,
    b_settings: String,
}

/// One side.
struct Pane {
    id: String,
    api: String,
    letter: &'static str,
    /// The letter as it is shown.
    name: &'static str,
    label: String,
    /// The kernel, for the instruments: MODEL or MODEL+PATCH….
    kernel: String,
    reads: Option<String>,
    /// A sentence about its windows.
    caption: String,
    standing: Standing,
}

impl Pane {
    fn of(view: &CompareView, letter: &'static str) -> Self {
        let (run, settings) = if letter == "a" { (&view.a, &view.a_label) } else { (&view.b, &view.b_label) };
        let caption = run.summary.as_ref().map(|summary| {
            format!(
                "{} windows, {} of them cut below half ({})",
                words::count(summary.windows),
                words::count(summary.trimmed_below_half),
                words::percent(summary.trimmed_below_half, summary.windows),
            )
        });
        Pane {
            api: format!("/api/v1/runs/{}", run.id),
            id: run.id.clone(),
            letter,
            name: if letter == "a" { "A" } else { "B" },
            label: side_label(settings, &run.scenario),
            kernel: super::patches::kernel_word(&run.scenario),
            reads: run.summary.as_ref().map(|summary| words::count(summary.device_reads)),
            caption: caption.unwrap_or_default(),
            standing: Standing::of(run),
        }
    }
}

/// What differs, from the `json` of `compare`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Outcome {
    differences: Vec<Row>,
    first_divergence: Option<Divergence>,
}

/// A row of the table of differences.
#[derive(Deserialize)]
struct Row {
    name: String,
    a_text: String,
    b_text: String,
    change: String,
}

/// The first decision that differs.
#[derive(Deserialize)]
struct Divergence {
    same_before: u64,
    a: Option<DivergenceSide>,
    b: Option<DivergenceSide>,
}

#[derive(Deserialize)]
struct DivergenceSide {
    decision: Value,
    sentence: String,
}

/// The first decision that differs, in words.
struct Parting {
    /// Where it is.
    place: String,
    /// How many decisions before it are the same, in a sentence.
    same_before: String,
    sides: Vec<PartingSide>,
}

struct PartingSide {
    letter: &'static str,
    name: &'static str,
    sentence: String,
    /// Start, size, async part, order, alignment.
    cells: [String; 5],
    /// Its number, for a link.
    decision: u64,
}

impl Divergence {
    /// `folios`: whether the kernels of A and of B have large folios, so that an order means something.
    fn parting(self, folios: [bool; 2]) -> Parting {
        let both = [("a", "A", self.a, folios[0]), ("b", "B", self.b, folios[1])].into_iter();
        let shown =
            |(letter, name, side, folios): (_, _, Option<DivergenceSide>, _)| Some(side?.shown(letter, name, folios));
        let sides: Vec<_> = both.filter_map(shown).collect();
        let same_before = words::count(self.same_before);
        let place = match sides.iter().map(|side| side.cells[0].as_str()).find(|start| *start != NOTHING) {
            Some(start) => format!("the window at page {start}"),
            None => format!("after {same_before} equal ones"),
        };
        let same_before = match self.same_before {
            0 => "It is the first decision of all.".to_owned(),
            1 => "One decision before it is the same on both sides.".to_owned(),
            _ => format!("{same_before} decisions before it are the same on both sides."),
        };
        Parting { place, same_before, sides }
    }
}

const NOTHING: &str = "—";

impl DivergenceSide {
    fn shown(self, letter: &'static str, name: &'static str, folios: bool) -> PartingSide {
        let number = |value: &Value| value.as_u64().map_or_else(|| NOTHING.to_owned(), words::count);
        let window = &self.decision["window"];
        let cells = [
            number(&window["start"]),
            number(&window["size"]),
            number(&window["async_size"]),
            if folios { number(&window["order"]) } else { NOTHING.to_owned() },
            number(&self.decision["trim"]["align"]),
        ];
        PartingSide {
            letter,
            name,
            cells,
            decision: self.decision["id"].as_u64().unwrap_or_default(),
            sentence: words::grouped(&self.sentence),
        }
    }
}

/// The words of side A, with the chips that hold for both sides.
fn shared(view: &CompareView) -> Said {
    let (mut said, other) = (Said::of(&view.a), Said::of(&view.b));
    said.chips.retain(|chip| other.chips.contains(chip));
    said
}

/// The share of pages in folios of each size, side by side.
fn folios(view: &CompareView) -> Vec<[String; 3]> {
    let (Some(a), Some(b)) = (&view.a.summary, &view.b.summary) else { return Vec::new() };
    let orders: BTreeSet<u8> = a.folio_order_pages.keys().chain(b.folio_order_pages.keys()).copied().collect();
    let share = |summary: &Summary, order| {
        let pages = summary.folio_order_pages.get(&order).copied().unwrap_or_default();
        words::percent(pages, summary.pages_read)
    };
    orders.into_iter().map(|order| [words::folio(order), share(a, order), share(b, order)]).collect()
}

/// What a side's settings are called: the patches when nothing else is set, otherwise the settings.
pub(super) fn label(settings: &str) -> String {
    let settings = settings.trim();
    match settings.strip_prefix("kernel.patches=") {
        Some("") => "as it is".to_owned(),
        Some(patches) if !patches.contains(';') => patches.replace(',', " + "),
        _ if settings.is_empty() => "as it is".to_owned(),
        _ => settings.to_owned(),
    }
}

/// What a side is called: its patches, its own ones too, when nothing else tells the sides apart.
fn side_label(settings: &str, scenario: &Value) -> String {
    let only_patches = settings.trim().strip_prefix("kernel.patches=").is_some_and(|patches| !patches.contains(';'));
    let (_, patches) = super::patches::kernel_of(scenario);
    if (only_patches || settings.trim().is_empty()) && !patches.is_empty() {
        patches.join(" + ")
    } else {
        label(settings)
    }
}

/// `POST /compare`: starts a compare, or finds it, and shows it.
pub(super) async fn submit(State(state): State<AppState>, Form(fields): Form<Fields>) -> Result<Response, Problem> {
    let side = |name| field(&fields, name).unwrap_or_default().to_owned();
    let request = CompareRequest { source: source(&fields)?, set: settings(&fields), a: side("a"), b: side("b") };
    let accepted = state.submit_compare(request).await?;
    Ok(Redirect::to(&format!("/compare/{}", accepted.id)).into_response())
}

/// `GET /compare/{id}`.
pub(super) async fn page(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, Problem> {
    let view = state.compare(crate::api::params::id(&id)?).await?;
    let result: Outcome = match &view.comparison {
        Some(value) => serde_json::from_value(value.clone())
            .map_err(|error| Problem::internal(format!("the comparison {}: {error}", view.id)))?,
        None => Outcome::default(),
    };
    let (a, b) = (Pane::of(&view, "a"), Pane::of(&view, "b"));
    let change = match (a.standing.device_reads, b.standing.device_reads) {
        (Some(a), Some(b)) => words::change(a, b),
        _ => String::new(),
    };
    let folios = folios(&view);
    let has_folios = [&view.a, &view.b].map(|run| {
        let (model, _) = super::patches::kernel_of(&run.scenario);
        MODELS.iter().any(|info| info.name == model && has_large_folios(info.id))
    });
    let page = ComparePage {
        frame: Frame::new("home"),
        ended: view.is_final(),
        failure: view.failure().map(|failure| failure.detail.clone()),
        said: shared(&view),
        form: SettingsForm::of(&view.a.scenario),
        api: format!("/api/v1/compare/{}", view.id),
        title: view.title,
        panes: [a, b],
        change,
        differences: result.differences,
        divergence: result.first_divergence.map(|first| first.parting(has_folios)),
        folios,
        text: view.text,
        a_settings: view.a_label,
        b_settings: view.b_label,
    };
    Ok(html(&page))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_called_after_their_patches() {
        assert_eq!(label("kernel.patches="), "as it is");
        assert_eq!(label(""), "as it is");
        let scenario = serde_json::json!({"kernel": {"patches": ["fmode-random", "2mb-cap"]}});
        assert_eq!(side_label("", &scenario), "fmode-random + 2mb-cap");
        assert_eq!(side_label("kernel.patches=", &serde_json::json!({"kernel": {"patches": []}})), "as it is");
        assert_eq!(side_label("kernel.memory=1G", &scenario), "kernel.memory=1G");
        assert_eq!(label("kernel.patches=keep-half-window"), "keep-half-window");
        assert_eq!(label("kernel.patches=a,b"), "a + b");
        assert_eq!(label("kernel.patches=a;kernel.max_sectors_kb=256"), "kernel.patches=a;kernel.max_sectors_kb=256");
    }
}
