//! What the page of a trace shows of the `json` of `inspect` and of `replay`: the parts it needs, in words.
//!
//! Must not know how a trace is read or replayed.

use super::words;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// Files that are shown with a chart of their own.
const FILES_SHOWN: usize = 8;
/// Windows in a figure without a range.
const FIRST_WINDOWS: usize = 48;
/// Windows in the table below a chart.
const WINDOWS_SHOWN: usize = 24;

/// The parts of an inspection.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Inspection {
    format: String,
    packing: Value,
    pub(super) kernel: Kernel,
    lines: u64,
    records: u64,
    events: BTreeMap<String, u64>,
    skipped: Vec<Skipped>,
    lost_events: u64,
    files: Vec<FilePart>,
    files_left_out: u64,
    devices: Vec<DevicePart>,
    span_ns: Option<u64>,
    pub(super) notes: Vec<String>,
}

/// Which kernel made it, as far as the text tells.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Kernel {
    pub(super) model: Option<String>,
    release: Option<String>,
    or_later: bool,
    why: String,
}

#[derive(Deserialize)]
struct Skipped {
    title: String,
    count: u64,
    first_line: u64,
    first_text: String,
}

#[derive(Deserialize)]
struct FilePart {
    dev: String,
    ino_shown: String,
    name: Option<String>,
    windows: Vec<WindowPart>,
    windows_total: u64,
}

#[derive(Deserialize)]
struct WindowPart {
    via: Option<String>,
    index: Option<u64>,
    start: u64,
    size: u64,
    async_size: Option<u64>,
    order: Option<u64>,
}

#[derive(Deserialize)]
struct DevicePart {
    dev: String,
    reads: u64,
    read_bytes: u64,
}

/// Lines that were not understood.
pub(super) struct Skip {
    pub(super) reason: String,
    pub(super) count: String,
    pub(super) first: String,
    pub(super) text: String,
}

/// A file with windows.
pub(super) struct File {
    /// Its place in the inspection, for figures.
    pub(super) place: usize,
    pub(super) name: String,
    /// Names the file in the address of a figure.
    pub(super) query: String,
    /// What the figure shows, for those who do not see it.
    pub(super) alt: String,
    pub(super) windows: String,
    /// Whether the figure of the whole file shows more than that of the first windows.
    pub(super) long: bool,
    pub(super) rows: Vec<[String; 6]>,
}

fn or_dash(value: Option<u64>) -> String {
    value.map_or_else(|| "—".to_owned(), words::count)
}

impl Inspection {
    pub(super) fn of(json: &Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(json)
    }

    pub(super) fn facts(&self) -> Vec<(String, String)> {
        let mut facts = Vec::new();
        let mut fact = |name: &str, value: String| facts.push((name.to_owned(), value));
        let packing = self.packing.as_str().filter(|packing| !matches!(*packing, "none" | "plain"));
        fact("format", packing.map_or_else(|| self.format.clone(), |packing| format!("{}, {packing}", self.format)));
        fact("kernel", self.kernel.words());
        fact("lines", words::count(self.lines));
        fact("events understood", words::count(self.records));
        fact("events lost by the tracer", words::count(self.lost_events));
        if let Some(span) = self.span_ns {
            fact("time span", words::time(span));
        }
        for device in &self.devices {
            let (reads, bytes) = (words::count(device.reads), words::bytes(device.read_bytes));
            fact(&format!("reads of device {}", device.dev), format!("{reads}, {bytes}"));
        }
        facts
    }

    /// Events by name, most frequent first.
    pub(super) fn event_counts(&self) -> Vec<(String, String)> {
        let mut events: Vec<_> = self.events.iter().collect();
        events.sort_by(|left, right| right.1.cmp(left.1).then_with(|| left.0.cmp(right.0)));
        events.into_iter().map(|(name, count)| (name.clone(), words::count(*count))).collect()
    }

    pub(super) fn skips(&self) -> Vec<Skip> {
        let one = |skipped: &Skipped| Skip {
            reason: skipped.title.clone(),
            count: words::count(skipped.count),
            first: words::count(skipped.first_line),
            text: skipped.first_text.clone(),
        };
        self.skipped.iter().map(one).collect()
    }

    /// Files with windows, and how many more there are than are shown.
    pub(super) fn shown_files(&self) -> (Vec<File>, u64) {
        let with_windows = self.files.iter().enumerate().filter(|(_, file)| file.windows_total > 0);
        let more = (with_windows.clone().count().saturating_sub(FILES_SHOWN)) as u64 + self.files_left_out;
        (with_windows.take(FILES_SHOWN).map(|(place, file)| file.shown(place)).collect(), more)
    }
}

impl Kernel {
    fn words(&self) -> String {
        let later = if self.or_later { " or later" } else { "" };
        match (&self.release, &self.model) {
            (Some(release), _) => release.clone(),
            (None, Some(model)) => format!("{model}{later}: {}", self.why),
            (None, None) => "not told".to_owned(),
        }
    }
}

impl FilePart {
    /// Whether windows lie behind the first ones that a figure without a range shows.
    fn goes_on(&self) -> bool {
        let reach = |windows: &[WindowPart]| windows.iter().map(|one| one.start.saturating_add(one.size)).max();
        let first = &self.windows[..self.windows.len().min(FIRST_WINDOWS)];
        self.windows_total > first.len() as u64 && reach(first) < reach(&self.windows)
    }

    fn shown(&self, place: usize) -> File {
        let inode = format!("dev {} ino {}", self.dev, self.ino_shown);
        let row = |window: &WindowPart| {
            [
                window.via.clone().unwrap_or_else(|| "—".to_owned()),
                or_dash(window.index),
                words::count(window.start),
                words::count(window.size),
                or_dash(window.async_size),
                or_dash(window.order),
            ]
        };
        let name = self.name.as_ref().map_or_else(|| inode.clone(), |name| format!("{name} ({inode})"));
        File {
            place,
            query: format!("file={place}&"),
            alt: format!("Windows of {name} over the file"),
            name,
            windows: words::count(self.windows_total),
            long: self.goes_on(),
            rows: self.windows.iter().take(WINDOWS_SHOWN).map(row).collect(),
        }
    }
}

/// The parts of a replay's report.
#[derive(Deserialize)]
pub(super) struct Report {
    model: String,
    patches: Vec<String>,
    readahead_events: bool,
    read_ahead_kb: u64,
    max_sectors_kb: u64,
    settings_from: Vec<String>,
    calls: u64,
    calls_skipped: u64,
    decisions: u64,
    agree: u64,
    agreement: f64,
    folios: u64,
    folios_agree: u64,
    requests: u64,
    requests_agree: u64,
    mismatches: Vec<MismatchPart>,
    notes: Vec<String>,
}

#[derive(Deserialize)]
struct MismatchPart {
    title: String,
    count: u64,
    first_line: u64,
    recorded: String,
    predicted: String,
    reason: Option<String>,
}

/// A replay in words.
pub(super) struct Replay {
    pub(super) model: String,
    pub(super) percent: String,
    pub(super) all: bool,
    /// Triggers, states and windows are in the trace.
    pub(super) windows_told: bool,
    pub(super) agree: String,
    pub(super) decisions: String,
    pub(super) folios: String,
    pub(super) requests: String,
    pub(super) said: Vec<String>,
    pub(super) mismatches: Vec<Mismatch>,
}

/// One kind of difference, with its first place.
pub(super) struct Mismatch {
    pub(super) title: String,
    pub(super) count: String,
    pub(super) line: String,
    pub(super) recorded: String,
    pub(super) predicted: String,
    pub(super) reason: String,
}

impl Report {
    pub(super) fn of(json: &Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(json)
    }

    pub(super) fn shown(self) -> Replay {
        let of = |part: u64, whole: u64| format!("{} of {}", words::count(part), words::count(whole));
        let model =
            std::iter::once(&self.model).chain(&self.patches).map(String::as_str).collect::<Vec<_>>().join(" + ");
        let all = self.agree == self.decisions && self.decisions > 0;
        let settings =
            format!("Replayed with read_ahead_kb {} and max_sectors_kb {}.", self.read_ahead_kb, self.max_sectors_kb);
        let skipped = match self.calls_skipped {
            0 => format!("{} calls replayed.", words::count(self.calls)),
            skipped => format!(
                "{} calls replayed; {} left out, because the trace does not tell which file they are on.",
                words::count(self.calls),
                words::count(skipped)
            ),
        };
        let mismatch = |one: MismatchPart| Mismatch {
            title: one.title,
            count: words::count(one.count),
            line: words::count(one.first_line),
            recorded: one.recorded,
            predicted: one.predicted,
            reason: one.reason.unwrap_or_default(),
        };
        Replay {
            model,
            // 99.96 % must not read as all of them.
            percent: if all { "100 %".to_owned() } else { format!("{:.1} %", (100.0 * self.agreement).min(99.9)) },
            all,
            windows_told: self.readahead_events,
            agree: words::count(self.agree),
            decisions: words::count(self.decisions),
            folios: of(self.folios_agree, self.folios),
            requests: of(self.requests_agree, self.requests),
            said: [settings, skipped].into_iter().chain(self.settings_from).chain(self.notes).collect(),
            mismatches: self.mismatches.into_iter().map(mismatch).collect(),
        }
    }
}
