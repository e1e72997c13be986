//! The page "Conformance": what the models of this program got on every file of facts, and how far it is with them.

use super::{Frame, html, words};
use crate::conformance::standing;
use crate::problem::Problem;
use crate::state::blocking;
use askama::Template;
use axum::response::Response;
use readahead_lab_core::ENGINE_VERSION;
use readahead_lab_core::conformance::{Failure, FileReport, Kind};

#[derive(Template)]
#[template(path = "conformance.html")]
struct ConformancePage {
    frame: Frame,
    version: &'static str,
    finished: bool,
    done: u64,
    cases: u64,
    files: String,
    passed: String,
    /// Cases that differ although they should not.
    unknown: u64,
    known: u64,
    not_run: u64,
    models: Vec<ModelTotal>,
    kinds: Vec<KindShown>,
}

/// One model over all files.
struct ModelTotal {
    /// Its page.
    href: String,
    model: String,
    passed: u64,
    failed: u64,
    not_run: u64,
}

struct KindShown {
    title: &'static str,
    key: &'static str,
    files: Vec<FileShown>,
}

struct FileShown {
    name: String,
    models: String,
    passed: String,
    failed: u64,
    /// Some of them are not known to.
    unknown: bool,
    not_run: u64,
    compared: String,
    known: &'static str,
    failures: Vec<Failure>,
    command: String,
}

/// The page of a model with patches, from its label `linux-7.2 + keep-half-window`.
fn href(label: &str) -> String {
    let mut parts = label.split(" + ");
    let model = parts.next().unwrap_or_default();
    let query: Vec<String> = parts.map(|patch| format!("patch={patch}")).collect();
    let question = if query.is_empty() { "" } else { "?" };
    format!("/models/{model}{question}{}", query.join("&"))
}

fn by_model(reports: &[FileReport]) -> Vec<ModelTotal> {
    let mut totals: Vec<ModelTotal> = Vec::new();
    for row in reports.iter().flat_map(|report| &report.models) {
        let place = totals.iter().position(|total| total.model == row.model).unwrap_or_else(|| {
            let (href, model) = (href(&row.model), row.model.clone());
            totals.push(ModelTotal { href, model, passed: 0, failed: 0, not_run: 0 });
            totals.len() - 1
        });
        totals[place].passed += row.passed;
        totals[place].failed += row.failed;
        totals[place].not_run += row.not_run;
    }
    let place = |model: &str| {
        let name = model.split(' ').next().unwrap_or_default();
        readahead_lab_core::models::MODELS.iter().position(|info| info.name == name)
    };
    totals.sort_by_key(|total| (place(&total.model), total.model.clone()));
    totals
}

fn shown(report: &FileReport) -> FileShown {
    let mut models: Vec<&str> = report.models.iter().filter_map(|row| row.model.split(' ').next()).collect();
    models.dedup();
    FileShown {
        models: if models.len() > 3 { format!("{} models", models.len()) } else { models.join(", ") },
        passed: words::count(report.passed),
        failed: report.failed,
        unknown: report.failed > report.known,
        known: if report.kind == Kind::Trace {
            report.failures.first().map_or("", |failure| failure.known)
        } else {
            ""
        },
        not_run: report.not_run,
        compared: report.compared.clone(),
        failures: report.failures.clone(),
        command: report.command(),
        name: report.name.clone(),
    }
}

/// `GET /conformance`.
pub(super) async fn page() -> Result<Response, Problem> {
    let standing = blocking(|| Ok(standing())).await?;
    let totals = standing.totals();
    let kinds = [(Kind::Vectors, "vectors"), (Kind::RandomWorkloads, "random"), (Kind::Trace, "traces")];
    let kinds = kinds.into_iter().map(|(kind, key)| KindShown {
        title: kind.title(),
        key,
        files: standing.reports.iter().filter(|report| report.kind == kind).map(shown).collect(),
    });
    Ok(html(&ConformancePage {
        frame: Frame::new("conformance"),
        version: ENGINE_VERSION,
        finished: standing.finished,
        done: standing.done,
        cases: standing.cases,
        files: words::count(standing.files),
        passed: words::count(totals.passed),
        unknown: totals.failed.saturating_sub(totals.known),
        known: totals.known,
        not_run: totals.not_run,
        models: by_model(&standing.reports),
        kinds: kinds.collect(),
    }))
}
