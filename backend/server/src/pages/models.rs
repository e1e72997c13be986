//! The kernel generations: the timeline of what changed, and one page a model with its windows, its decision tree and
//! its limits. All of it comes from the lab; here it is put into words and links.

use super::{Frame, html, words};
use crate::api::lists::asked;
use crate::problem::Problem;
use crate::state::blocking;
use askama::Template;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::response::Response;
use readahead_lab_core::models::draw::{Shape, bars, svg};
use readahead_lab_core::models::shown::{Asked, Shown, overview, shown, with_needs};
use readahead_lab_core::models::timeline::{ERAS, Entry, released};
use readahead_lab_core::models::tree::{Branch, Ladder, Leaf};
use readahead_lab_core::models::windows::{Cell, OtherWay, Row};
use readahead_lab_core::models::{MODELS, ModelId, PATCHES, PatchInfo};
use std::sync::LazyLock;

/// Bytes of a page.
const PAGE: u64 = 4096;
/// So many patches are shown without being asked for.
const FEW_PATCHES: usize = 5;

#[derive(Template)]
#[template(path = "models.html")]
struct ModelsPage {
    frame: Frame,
    overview: &'static [OnEach],
    eras: Vec<EraShown>,
    models: usize,
    patches: usize,
}

/// One reader on one kernel.
struct OnEach {
    name: &'static str,
    about: &'static str,
    readers: [Reader; 2],
}

/// The first windows of a reader.
struct Reader {
    bars: String,
    sizes: String,
    counted: String,
}

struct EraShown {
    key: &'static str,
    title: &'static str,
    changes: Vec<Change>,
}

struct Change {
    entry: &'static Entry,
    /// The month of the release that it stands at.
    month: Option<&'static str>,
    model: &'static str,
    patches: Vec<Link>,
}

/// A link with what it leads to.
struct Link {
    href: String,
    name: &'static str,
    about: &'static str,
}

static OVERVIEW: LazyLock<Vec<OnEach>> = LazyLock::new(|| {
    let reader = |row: &Row| Reader {
        bars: bars(&row.windows, most_of([row])),
        sizes: row.windows.iter().map(|window| window.size.to_string()).collect::<Vec<_>>().join(" "),
        counted: words::count(row.counted),
    };
    let of = |(info, small, large): (&'static readahead_lab_core::models::ModelInfo, Row, Row)| OnEach {
        name: info.name,
        about: info.about,
        readers: [reader(&small), reader(&large)],
    };
    overview().into_iter().map(of).collect()
});

/// The largest window of rows, so that bars can be compared.
fn most_of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> u64 {
    rows.into_iter().flat_map(|row| &row.windows).map(|window| window.size).max().unwrap_or(1)
}

fn patch_link(model: &str, info: &'static PatchInfo) -> Link {
    let query: Vec<String> = with_needs(info.id).into_iter().map(|name| format!("patch={name}")).collect();
    Link { href: format!("/models/{model}?{}", query.join("&")), name: info.name, about: info.about }
}

/// `GET /models`.
pub(super) async fn timeline() -> Result<Response, Problem> {
    let overview = blocking(|| Ok(OVERVIEW.as_slice())).await?;
    let change = |entry: &'static Entry| Change {
        month: released(entry.when),
        model: entry.model.name(),
        patches: entry.patches.iter().map(|patch| patch_link(entry.model.name(), patch.info())).collect(),
        entry,
    };
    let eras = ERAS.iter().map(|era| EraShown {
        key: era.key,
        title: era.title,
        changes: era.entries.iter().map(change).collect(),
    });
    Ok(html(&ModelsPage {
        frame: Frame::new("models"),
        overview,
        eras: eras.collect(),
        models: MODELS.len(),
        patches: PATCHES.len(),
    }))
}

#[derive(Template)]
#[template(path = "model.html")]
struct ModelPage {
    frame: Frame,
    name: &'static str,
    source: &'static str,
    /// When it was released.
    month: Option<&'static str>,
    /// Its windows carry a marker; those of linux-2.4 are steps.
    marker: bool,
    about: &'static str,
    before: Option<&'static str>,
    after: Option<&'static str>,
    on: Vec<&'static str>,
    changes: &'static [&'static str],
    form: Form,
    rows: Vec<RowShown>,
    marks: Vec<(&'static str, &'static str)>,
    listed: Vec<usize>,
    request: u64,
    request_size: String,
    walk: Vec<Step>,
    other_ways: Vec<OtherWay>,
    names: Vec<(&'static str, String)>,
    ladders: Vec<LadderShown>,
    constants: Vec<(&'static str, String)>,
    callers: Vec<(&'static str, String)>,
    limits: Vec<&'static str>,
    /// The same as JSON.
    api: String,
}

/// The settings above the tables.
struct Form {
    fields: Vec<Field>,
    folios: Option<bool>,
    patches: Vec<PatchBox>,
    troubles: Vec<String>,
    /// What was asked for and changes nothing.
    unused: Vec<String>,
    patch_trouble: bool,
    /// Whether the patches are in sight at first.
    open: bool,
    patches_on: usize,
}

struct Field {
    key: &'static str,
    label: &'static str,
    value: String,
    unit: &'static str,
    trouble: Option<String>,
}

struct PatchBox {
    info: &'static PatchInfo,
    on: bool,
    needs: String,
}

/// One size of reads.
struct RowShown {
    request: u64,
    size: String,
    href: String,
    here: bool,
    bars: String,
    cells: Vec<CellShown>,
    counted: String,
    elsewhere: Option<CellShown>,
}

struct CellShown {
    size: String,
    async_size: String,
    mark: &'static str,
    warn: bool,
    reason: &'static str,
}

/// One window of the walk.
struct Step {
    /// Page, what the call wants, limit, start, size, async part.
    numbers: [String; 6],
    reason: &'static str,
    sentence: String,
    warn: bool,
    mark: &'static str,
}

impl Step {
    fn of(cell: &Cell) -> Self {
        let limit = if cell.max > 0 { words::count(cell.max) } else { "—".to_owned() };
        let [index, req, start, size, async_size] =
            [cell.index, cell.req, cell.start, cell.size, cell.async_size].map(words::count);
        Step {
            numbers: [index, req, limit, start, size, async_size],
            reason: cell.reason,
            sentence: words::grouped(&cell.sentence),
            warn: cell.below_half,
            mark: mark(cell.trim),
        }
    }
}

struct LadderShown {
    ladder: Ladder,
    wide: String,
    narrow: String,
    rungs: Vec<(String, LeafShown)>,
    otherwise: LeafShown,
}

struct LeafShown {
    code: &'static str,
    /// The ladder that it leads to.
    on: Option<&'static str>,
    then: String,
}

/// What was done to a window, as a letter with its meaning.
const MARKS: &[(&str, &str, &str)] = &[
    ("cut", "c", "its end was cut to a boundary"),
    ("halved", "h", "its end was cut, to a smaller boundary, so that half was kept"),
    ("shrunk_to_order", "s", "its end was cut to the folio order used"),
    ("merged", "m", "read together with the next window"),
    ("merged_to_limit", "l", "read together with the next one, up to the limit"),
];

fn mark(trim: &str) -> &'static str {
    MARKS.iter().find(|(code, ..)| *code == trim).map_or("", |(_, letter, _)| letter)
}

impl CellShown {
    fn of(cell: &Cell) -> Self {
        CellShown {
            size: words::count(cell.size),
            async_size: words::count(cell.async_size),
            mark: mark(cell.trim),
            warn: cell.below_half,
            reason: cell.reason,
        }
    }
}

impl LeafShown {
    fn of(leaf: &Leaf) -> Self {
        let (code, on) = match leaf.branch {
            Branch::Reason(code) => (code, None),
            Branch::Trim("none") | Branch::Nothing => ("", None),
            Branch::Trim(code) => (code, None),
            Branch::Ladder(key) => ("", Some(key)),
        };
        LeafShown { code, on, then: leaf.then.clone() }
    }
}

impl LadderShown {
    fn of(ladder: Ladder) -> Self {
        let label = format!("tree-{}", ladder.key);
        LadderShown {
            wide: svg(&ladder, Shape::Wide, &label),
            narrow: svg(&ladder, Shape::Narrow, &label),
            rungs: ladder.rungs.iter().map(|rung| (rung.ask.clone(), LeafShown::of(&rung.yes))).collect(),
            otherwise: LeafShown::of(&ladder.otherwise),
            ladder,
        }
    }
}

/// The query that leads to the same settings, without the size of the walk's reads.
fn query(shown: &Shown) -> String {
    let mut query: Vec<String> = shown.patches.names().into_iter().map(|name| format!("patch={name}")).collect();
    query.push(format!("read_ahead_kb={}", shown.settings.read_ahead_kb));
    if shown.uses("max_sectors_kb") {
        query.push(format!("max_sectors_kb={}", shown.settings.max_sectors_kb));
    }
    if shown.uses("memory_mb") {
        query.push(format!("memory_mb={}", shown.settings.memory_mb));
    }
    if shown.uses("large_folios") {
        query.push(format!("large_folios={}", if shown.settings.large_folios { "yes" } else { "no" }));
    }
    query.join("&")
}

/// What was sent for a field.
fn typed<'a>(asked: &'a Asked, key: &str) -> &'a str {
    match key {
        "read_ahead_kb" => &asked.read_ahead_kb,
        "max_sectors_kb" => &asked.max_sectors_kb,
        _ => &asked.memory_mb,
    }
}

fn form(shown: &Shown, asked: &Asked) -> Form {
    let settings = &shown.settings;
    let trouble = |key: &str| shown.troubles.iter().find(|one| one.field == key).map(|one| one.message.clone());
    let field = |key: &'static str, label: &'static str, value: u64, unit: &'static str| Field {
        key,
        label,
        // What was asked for wrongly stays as it was typed, so that it can be mended.
        value: if trouble(key).is_some() { typed(asked, key).to_owned() } else { value.to_string() },
        unit,
        trouble: trouble(key),
    };
    let fields = [
        field("read_ahead_kb", "read_ahead_kb", settings.read_ahead_kb, "KiB"),
        field("max_sectors_kb", "max_sectors_kb", settings.max_sectors_kb, "KiB"),
        field("memory_mb", "free and inactive memory", settings.memory_mb, "MiB"),
    ];
    let patches = PATCHES.iter().filter(|info| shown.info.patches.contains(&info.id)).map(|info| PatchBox {
        info,
        // What was refused stays checked, likewise.
        on: asked.patches.iter().any(|name| name == info.name),
        needs: info.needs.iter().map(|patch| patch.info().name).collect::<Vec<_>>().join(", "),
    });
    let patches: Vec<PatchBox> = patches.collect();
    let patches_on = patches.iter().filter(|patch| patch.on).count();
    Form {
        open: patches_on > 0 || patches.len() <= FEW_PATCHES,
        patches_on,
        fields: fields.into_iter().filter(|field| shown.uses(field.key)).collect(),
        folios: shown.uses("large_folios").then_some(settings.large_folios),
        patches,
        troubles: shown.troubles.iter().map(|trouble| trouble.message.clone()).collect(),
        unused: shown.unused.iter().map(|one| one.message.clone()).collect(),
        patch_trouble: trouble("patch").is_some(),
    }
}

/// `GET /models/{name}`.
pub(super) async fn page(
    Path(name): Path<String>,
    Query(fields): Query<Vec<(String, String)>>,
) -> Result<Response, Problem> {
    let asked = asked(fields)?;
    let shown = shown(&name, &asked)?;
    let wrong = !shown.troubles.is_empty();
    let mut response = blocking(move || Ok(html(&model_page(&shown, &asked)))).await?;
    if wrong {
        *response.status_mut() = StatusCode::UNPROCESSABLE_ENTITY;
    }
    Ok(response)
}

fn with_groups(way: OtherWay) -> OtherWay {
    OtherWay { sentence: words::grouped(&way.sentence), ..way }
}

fn model_page(shown: &Shown, asked: &Asked) -> ModelPage {
    let table = shown.table();
    let most = most_of(&table);
    let query = query(shown);
    let listed = (1..=table.iter().map(|row| row.windows.len()).max().unwrap_or(0)).collect();
    let mut used: Vec<&str> = table.iter().flat_map(|row| &row.windows).map(|window| window.trim).collect();
    used.extend(table.iter().filter_map(|row| row.elsewhere.as_ref()).map(|window| window.trim));
    let rows = table.iter().map(|row| RowShown {
        request: row.request,
        size: words::bytes(row.request * PAGE),
        href: format!("/models/{}?{query}&request={}#walk", shown.info.name, row.request),
        here: row.request == shown.request,
        bars: bars(&row.windows, most),
        cells: row.windows.iter().map(CellShown::of).collect(),
        counted: words::count(row.counted),
        elsewhere: row.elsewhere.as_ref().map(CellShown::of),
    });
    let (before, after) = shown.neighbours();
    ModelPage {
        frame: Frame::new("models"),
        name: shown.info.name,
        source: shown.info.source,
        month: released(shown.info.name),
        marker: shown.info.id != ModelId::Linux2_4_23,
        about: shown.info.about,
        before,
        after,
        on: shown.patches.names(),
        changes: shown.changes(),
        form: form(shown, asked),
        rows: rows.collect(),
        marks: MARKS
            .iter()
            .filter(|(code, ..)| used.contains(code))
            .map(|(_, letter, text)| (*letter, *text))
            .collect(),
        listed,
        request: shown.request,
        request_size: words::bytes(shown.request * PAGE),
        walk: shown.walk().iter().map(Step::of).collect(),
        other_ways: shown.other_ways().into_iter().map(with_groups).collect(),
        names: shown.names(),
        ladders: shown.tree().into_iter().map(LadderShown::of).collect(),
        constants: shown.constants(),
        callers: shown.callers(),
        limits: shown.limits(),
        api: format!("/api/v1/models/{}?{query}&request={}", shown.info.name, shown.request),
    }
}
