//! A run: the form that starts one, and the page that plays it.

use super::forms::{Fields, SettingsForm, field, settings, source};
use super::patches::AgainstAll;
use super::{Fact, Frame, html, patches, words};
use crate::problem::Problem;
use crate::runs::{RunView, Submission};
use crate::state::AppState;
use askama::Template;
use axum::Form;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use readahead_lab_core::Summary;
use readahead_lab_core::metrics::Accounting;
use readahead_lab_core::scenario::{ExpectCheck, Scenario};
use serde_json::Value;

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    frame: Frame,
    id: String,
    /// Where the API has it.
    api: String,
    title: String,
    source: String,
    about: String,
    chips: Vec<String>,
    run: Standing,
    form: SettingsForm,
    /// Settings of the other side for "compare with".
    against: AgainstAll,
    /// The kernel, for the instruments: MODEL or MODEL+PATCH….
    kernel: String,
    stats: Option<String>,
    /// The kernel keeps no such table; the lab counted.
    stats_are_ours: bool,
}

/// What a run has come to, in words.
pub(super) struct Standing {
    /// `queued`, `running`, `paused`, `done`, `failed`, `cancelled`.
    pub(super) state: String,
    /// Whether nothing more will come.
    pub(super) ended: bool,
    /// Why it failed.
    pub(super) failure: Option<String>,
    /// The figures that answer first.
    pub(super) answer: Vec<Fact>,
    /// Where read_ahead_kb and max_sectors_kb came from, in a line.
    pub(super) limits: Option<String>,
    /// The rest of them.
    pub(super) totals: Vec<Fact>,
    /// What the run must give, held against it.
    pub(super) checks: Vec<Check>,
    /// Request size, how many, share of bytes.
    pub(super) read_sizes: Vec<[String; 3]>,
    /// Folio size, folios, share of pages.
    pub(super) folios: Vec<[String; 3]>,
    /// Reason, decisions.
    pub(super) reasons: Vec<(String, String)>,
    /// Latency of reads, of the device: p50, p90, p99, max.
    pub(super) latencies: Vec<(&'static str, [String; 4])>,
    /// Device reads, for a headline.
    pub(super) device_reads: Option<u64>,
}

/// An expectation in words.
pub(super) struct Check {
    pub(super) text: String,
    pub(super) met: bool,
    /// Whether the scenario's source measured it; otherwise the lab expects it.
    pub(super) measured: bool,
}

impl Standing {
    pub(super) fn of(run: &RunView) -> Self {
        let summary = run.summary.as_ref();
        let checks = summary.map(|summary| checks(&run.scenario, summary)).unwrap_or_default();
        Standing {
            state: run.state.clone(),
            ended: run.is_final() && (run.state != "done" || summary.is_some()),
            failure: run.failure.as_ref().map(|failure| failure.detail.clone()),
            answer: summary.map(answer).unwrap_or_default(),
            // Summaries that were kept from before these fields say nothing.
            limits: summary.filter(|summary| !summary.read_ahead_source.is_empty()).map(limits),
            totals: summary.map(totals).unwrap_or_default(),
            checks,
            read_sizes: summary.map(read_sizes).unwrap_or_default(),
            folios: summary.map(folios).unwrap_or_default(),
            reasons: summary.map(reasons).unwrap_or_default(),
            latencies: summary.map(latencies).unwrap_or_default(),
            device_reads: summary.map(|summary| summary.device_reads),
        }
    }
}

/// The scenario's own words, and chips for its settings.
pub(super) struct Said {
    pub(super) source: String,
    pub(super) about: String,
    pub(super) chips: Vec<String>,
}

impl Said {
    pub(super) fn of(run: &RunView) -> Self {
        let text = |key: &str| run.scenario[key].as_str().unwrap_or_default().to_owned();
        Said { source: text("source"), about: text("about"), chips: chips(&run.scenario) }
    }
}

fn chips(scenario: &Value) -> Vec<String> {
    let kernel = &scenario["kernel"];
    let mut chips = vec![kernel["model"].as_str().unwrap_or_default().to_owned()];
    let patches = kernel["patches"].as_array().into_iter().flatten().filter_map(Value::as_str);
    chips.extend(patches.map(|patch| format!("+ {patch}")));
    let filesystem = scenario["file"][0]["filesystem"].as_str().unwrap_or("xfs");
    let device = scenario["device"]["model"].as_str().unwrap_or("nvme");
    chips.push(format!("{filesystem} on {device}"));
    for key in ["read_ahead_kb", "max_sectors_kb"] {
        chips.extend(kernel[key].as_u64().map(|value| format!("{key} {value}")));
    }
    chips.extend(kernel["memory"].as_u64().map(|memory| format!("memory {}", words::bytes(memory))));
    chips
}

fn checks(scenario: &Value, summary: &Summary) -> Vec<Check> {
    let Ok(scenario) = Scenario::from_value(scenario.clone()) else { return Vec::new() };
    let said =
        |check: &ExpectCheck| Check { text: check.sentence(), met: check.met, measured: check.measured.is_some() };
    scenario.check_expected(summary).iter().map(said).collect()
}

fn answer(summary: &Summary) -> Vec<Fact> {
    vec![
        Fact::new("device reads", "device-reads", words::count(summary.device_reads)),
        Fact::new("mean device read", "", words::bytes(summary.device_read_bytes_mean)),
        Fact::new("throughput of the program", "", words::rate(summary.throughput_bytes_per_s)),
        Fact::new(
            "of windows cut below half",
            "below-half",
            words::percent(summary.trimmed_below_half, summary.windows),
        ),
        Fact::new("pages never used", "unused", words::count(summary.pages_unused)),
        Fact::new("waiting for pages", "waits", words::time(summary.wait_ns)),
    ]
}

fn limits(summary: &Summary) -> String {
    format!("read_ahead_kb {}. max_sectors_kb {}.", summary.read_ahead_source, summary.max_sectors_source)
}

fn totals(s: &Summary) -> Vec<Fact> {
    vec![
        Fact::new("virtual time", "virtual-time", words::time(s.elapsed_ns)),
        Fact::new("asked for by the program", "", words::bytes(s.requested_bytes)),
        Fact::new("read from the device", "", words::bytes(s.device_read_bytes)),
        Fact::new("windows", "window", words::count(s.windows)),
        Fact::new("windows cut", "aligned", words::count(s.trimmed_windows)),
        Fact::new("windows cut below half", "below-half", words::count(s.trimmed_below_half)),
        Fact::new("pages cut off", "aligned", words::count(s.trimmed_pages)),
        Fact::new("pages read", "page-cache", words::count(s.pages_read)),
        Fact::new("pages used", "", words::count(s.pages_used)),
        Fact::new("pages evicted", "", words::count(s.pages_evicted)),
        Fact::new("evicted before use", "evicted-unused", words::count(s.pages_evicted_unused)),
        Fact::new("refaults", "thrashing", words::count(s.refaults)),
        Fact::new("cache hits", "page-cache", words::count(s.cache_hits)),
        Fact::new("cache misses", "page-cache", words::count(s.cache_misses)),
        Fact::new("waits", "waits", words::count(s.sync_waits)),
        Fact::new("most requests in the device", "queue-depth", words::count(s.device_depth_max)),
        Fact::new("major faults", "", words::count(s.major_faults)),
        Fact::new("minor faults", "", words::count(s.minor_faults)),
        Fact::new("events recorded", "", words::count(s.events)),
        Fact::new("decisions recorded", "", words::count(s.decisions)),
    ]
}

fn read_sizes(summary: &Summary) -> Vec<[String; 3]> {
    let row = |(size, many): (&u64, &u64)| {
        [words::bytes(*size), words::count(*many), words::percent(size * many, summary.device_read_bytes)]
    };
    summary.device_read_size_histogram.iter().map(row).collect()
}

fn folios(summary: &Summary) -> Vec<[String; 3]> {
    let row = |(order, many): (&u8, &u64)| {
        let pages = summary.folio_order_pages.get(order).copied().unwrap_or_default();
        [words::folio(*order), words::count(*many), words::percent(pages, summary.pages_read)]
    };
    summary.folio_orders.iter().map(row).collect()
}

fn reasons(summary: &Summary) -> Vec<(String, String)> {
    summary.decisions_per_reason.iter().map(|(code, many)| (code.replace('_', " "), words::count(*many))).collect()
}

fn latencies(s: &Summary) -> Vec<(&'static str, [String; 4])> {
    let row = |name, p: &readahead_lab_core::metrics::Percentiles| {
        (p.max > 0).then(|| (name, [p.p50, p.p90, p.p99, p.max].map(words::time)))
    };
    [row("read(2)", &s.read_latency_ns), row("page fault", &s.fault_latency_ns), row("device", &s.device_latency_ns)]
        .into_iter()
        .flatten()
        .collect()
}

/// `POST /runs`: starts a run, or finds it, and shows it.
pub(super) async fn submit(State(state): State<AppState>, Form(fields): Form<Fields>) -> Result<Response, Problem> {
    let mut submission = Submission::new(source(&fields)?, settings(&fields));
    submission.again = field(&fields, "again").is_some();
    let accepted = state.submit(submission).await?;
    Ok(Redirect::to(&format!("/runs/{}", accepted.id)).into_response())
}

/// `GET /runs/{id}`.
pub(super) async fn page(State(state): State<AppState>, Path(id): Path<String>) -> Result<Response, Problem> {
    let run = state.run(crate::api::params::id(&id)?).await?;
    let Said { source, about, chips } = Said::of(&run);
    let form = SettingsForm::of(&run.scenario);
    let page = RunPage {
        frame: Frame::new("home"),
        against: patches::against(&run.scenario),
        kernel: patches::kernel_word(&run.scenario),
        run: Standing::of(&run),
        stats: run.summary.as_ref().map(|summary| summary.stats.text()),
        stats_are_ours: run.summary.as_ref().is_some_and(|summary| summary.stats_by == Accounting::Lab),
        api: format!("/api/v1/runs/{}", run.id),
        id: run.id,
        title: run.title,
        source,
        about,
        chips,
        form,
    };
    Ok(html(&page))
}
