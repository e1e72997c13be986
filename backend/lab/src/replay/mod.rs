//! Replaying a trace of a real kernel against a model: the requests recorded in the trace run through the model, and
//! every window, folio and device read is compared with what that kernel did.
//!
//! Must not know HTTP or paths. What the trace does not tell (the size of a file whose end it does not show,
//! max_sectors_kb) is chosen so that the model agrees best, and the report says so.

mod agree;
mod choose;
mod disk;
mod drive;
mod recorded;
mod report;
mod score;
mod settings;
mod text;

pub use agree::MismatchKind;
pub use report::{Mismatch, ReplayError, ReplayFile, ReplayReport};
pub use settings::ReplaySettings;
pub use text::text;

use agree::{Group, group};
use choose::trial_calls;
use disk::Disk;
use drive::{Driver, Setup, file_spec};
use readahead_policy::callers::ReadLoop;
use readahead_policy::{ModelId, Patches};
use readahead_sim::SpecError;
use readahead_types::reason::sentence;
use readahead_types::{Bytes, PAGE_BYTES};
use recorded::{Call, CallKind, Deed, FileKey, Recorded};
use score::{ByFile, Score};
use std::collections::{HashMap, HashSet};
use std::io::Read;

/// Largest folio order of a file system that has large folios.
const LARGEST_ORDER: u8 = 9;
/// ra_pages by default.
const DEFAULT_RA_PAGES: u32 = 32;
/// Pages behind the last one seen of a file whose end is not in the trace.
const BEYOND_SEEN: u64 = 1 << 20;

/// Replays a trace (text, plain or packed) against a model.
pub fn replay<'r, S: AsRef<str>>(
    input: impl Read + Send + 'r,
    model: &str,
    patches: &[S],
    settings: &ReplaySettings,
) -> Result<ReplayReport, ReplayError> {
    let model = ModelId::parse(model)?;
    let patches = Patches::parse(model, patches)?;
    // Faults are in the trace since linux-6.12.
    let recorded = recorded::read(input, model < ModelId::Linux6_12)?;
    let page_by_page = model.callers(patches).read == ReadLoop::PageByPage;
    let disk = Disk::learn(&recorded, page_by_page);
    if disk.files.is_empty() && recorded.ra_pages.is_empty() {
        return Err(ReplayError::NothingToReplay { lines: recorded.lines });
    }
    settings.check_files(files_of(&recorded, &disk).len())?;
    let mut plan = Plan::new(&recorded, &disk, model, patches, settings);
    // The one may hang on the other: a window can be short because the file ends, because requests are or because
    // read_ahead_kb is.
    let read_ahead_unknown = settings.read_ahead_kb.is_none() && recorded.ra_pages.is_empty();
    if read_ahead_unknown {
        plan.choose_read_ahead()?;
    }
    plan.choose_ends(settings)?;
    plan.choose_max_sectors(settings)?;
    if read_ahead_unknown && plan.choose_read_ahead()? {
        plan.choose_max_sectors(settings)?;
    }
    plan.say_settings(settings, read_ahead_unknown);
    let score = plan.run(usize::MAX)?;
    if score.decisions == 0 {
        return Err(ReplayError::NothingToReplay { lines: recorded.lines });
    }
    Ok(plan.report(score))
}

/// The files of a trace, in the order of the report.
fn files_of(recorded: &Recorded, disk: &Disk) -> Vec<FileKey> {
    let mut keys: Vec<FileKey> = disk.files.keys().chain(recorded.ra_pages.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A replay being set up.
struct Plan<'a> {
    recorded: &'a Recorded,
    disk: &'a Disk,
    setup: Setup,
    /// Size of each file, where it is in the trace, was given or was chosen.
    bytes: Vec<Option<u64>>,
    /// Smallest and largest folio order of each file.
    orders: Vec<(u8, u8)>,
    from: Vec<String>,
    /// Values of max_sectors_kb that agree as well as the one chosen, and the largest request.
    max_sectors_tied: bool,
    /// Calls on which settings are tried.
    trial: usize,
    /// Other values of read_ahead_kb that agree as well.
    read_ahead_tied: Vec<u32>,
    largest_request_kb: u64,
}

impl<'a> Plan<'a> {
    fn new(
        recorded: &'a Recorded,
        disk: &'a Disk,
        model: ModelId,
        patches: Patches,
        settings: &ReplaySettings,
    ) -> Self {
        let keys = files_of(recorded, disk);
        let mut from = Vec::new();
        let ra_pages = match settings.read_ahead_kb {
            Some(kb) => {
                from.push(format!("read_ahead_kb {kb}: as set."));
                kb / 4
            }
            None => ra_pages_of(recorded, &mut from).unwrap_or(DEFAULT_RA_PAGES),
        };
        let names: HashMap<FileKey, String> = recorded
            .opens
            .iter()
            .filter_map(|open| Some((open.file?, open.name.clone().filter(|name| !name.is_empty())?)))
            .collect();
        let orders: Vec<(u8, u8)> = keys
            .iter()
            .enumerate()
            .map(|(number, key)| {
                let smallest = settings.file_min_order.get(&number).copied().unwrap_or(0);
                let largest = settings.file_max_order.get(&number).copied();
                (smallest, largest.unwrap_or_else(|| largest_order(model, recorded, key).max(smallest)))
            })
            .collect();
        let mut bytes = Vec::new();
        let files = keys
            .iter()
            .enumerate()
            .map(|(number, key)| {
                let known = disk.files.get(key);
                let end = settings.file_bytes.get(&number).copied().or(known.and_then(|known| known.bytes));
                bytes.push(end);
                let seen = known.map_or(0, |known| known.seen_end);
                let name = names.get(key).cloned().unwrap_or_default();
                let size = Bytes(end.unwrap_or((seen + BEYOND_SEEN) * PAGE_BYTES));
                (*key, file_spec(disk, *key, name, size, orders[number]))
            })
            .collect();
        let setup = Setup {
            model,
            patches,
            ra_pages,
            max_sectors_kb: settings.max_sectors_kb.unwrap_or(512),
            max_segments: settings.max_segments.unwrap_or(model.callers(patches).max_segments),
            fault_around_pages: settings.fault_around_kb.map_or(16, |kb| kb / 4),
            files,
        };
        Plan {
            recorded,
            disk,
            setup,
            bytes,
            orders,
            from,
            max_sectors_tied: false,
            trial: trial_calls(recorded),
            read_ahead_tied: Vec::new(),
            largest_request_kb: 0,
        }
    }

    /// Runs the first `limit` calls.
    fn run(&self, limit: usize) -> Result<Score, SpecError> {
        let mut driver = Driver::new(&self.setup)?;
        driver.know_frames(&self.recorded.calls[..self.recorded.calls.len().min(limit)]);
        let mut score = Score::default();
        let mut predicted_requests = Vec::new();
        // Requests of the last call: the trace may end before it shows them.
        let mut last_call_from = 0;
        // Pages that calls brought which cannot be replayed.
        let mut foreign: HashSet<(FileKey, u64)> = HashSet::new();
        let calls = &self.recorded.calls[..self.recorded.calls.len().min(limit)];
        for (number, call) in calls.iter().enumerate() {
            let Some(predicted) = driver.call(call, self.recorded) else {
                score.skipped += 1;
                if let Some(file) = call.file {
                    foreign.extend(call.deeds.iter().filter_map(|(_, deed)| match deed {
                        Deed::Add(first, ..) => Some((file, *first)),
                        _ => None,
                    }));
                }
                continue;
            };
            score.calls += 1;
            let key = call.file.or_else(|| call.open.and_then(|open| self.recorded.opens[open].file));
            let keep = |deed: &Deed| self.recorded.has_readahead_events || matches!(deed, Deed::Add(..));
            let theirs = group(call.deeds.iter().copied().filter(|(_, deed)| keep(deed)));
            let ours = group(predicted.deeds.iter().map(|deed| (call.line, *deed)).filter(|(_, deed)| keep(deed)));
            last_call_from = predicted_requests.len();
            predicted_requests.extend(predicted.requests.iter().copied());
            if number + 1 == self.recorded.calls.len() && call.returned.is_none() && is_cut(&theirs, &ours) {
                score.cut = true;
                break;
            }
            let equal = self.judge(&mut score, key, call, &theirs, &ours, &predicted);
            if !equal {
                driver.correct(call, &predicted, self.recorded);
            }
        }
        for (file, touches) in driver.unseen() {
            score.by_file.entry(self.setup.files[file.0 as usize].0).or_default().extra += touches;
        }
        let last_line = calls.last().map_or(0, |call| call.line);
        let last_call_from = (limit >= self.recorded.calls.len() && !score.cut).then_some(last_call_from);
        self.judge_requests(&mut score, &predicted_requests, &foreign, last_call_from, last_line);
        Ok(score)
    }

    /// Compares the decisions of one call; true when all agree.
    fn judge(
        &self,
        score: &mut Score,
        key: Option<FileKey>,
        call: &Call,
        theirs: &[Group],
        ours: &[Group],
        predicted: &drive::Predicted,
    ) -> bool {
        let mut equal = true;
        for at in 0..theirs.len().max(ours.len()) {
            let (recorded, model) = (theirs.get(at), ours.get(at));
            if let Some(recorded) = recorded {
                score.decisions += 1;
                score.folios += recorded.folios.len() as u64;
                if let Some(key) = key {
                    score.by_file.entry(key).or_default().decisions += 1;
                }
            }
            let kind = match (recorded, model) {
                (Some(recorded), Some(model)) => recorded.differs(model),
                (Some(_), None) => Some(MismatchKind::Missing),
                _ => Some(MismatchKind::Extra),
            };
            if let (Some(recorded), Some(model)) = (recorded, model) {
                let same = recorded.folios.iter().zip(&model.folios).take_while(|(a, b)| a == b).count();
                score.folios_agree += same as u64;
                if kind.is_none()
                    && recorded.trigger.map(|trigger| trigger.mmap_miss)
                        != model.trigger.map(|trigger| trigger.mmap_miss)
                {
                    score.mmap_miss_differs += 1;
                }
            }
            match kind {
                None => {
                    score.agree += 1;
                    if let Some(key) = key {
                        score.by_file.entry(key).or_default().agree += 1;
                    }
                }
                Some(kind) => {
                    let kind = match score.races.differed(call.open, call.contended) {
                        Some(race) => race,
                        None if call.kind == CallKind::Touched => MismatchKind::Touch,
                        None => kind,
                    };
                    equal = false;
                    if let Some(key) = key {
                        let folios = [recorded, model].into_iter().flatten().flat_map(|group| &group.folios);
                        let pages = folios.map(|(first, order)| (*first, first + (1 << order)));
                        score.differing.entry(key).or_default().extend(pages);
                    }
                    if let (None, Some(key)) = (recorded, key) {
                        score.by_file.entry(key).or_default().extra += 1;
                    }
                    let text = |group: Option<&Group>| group.map_or("nothing".into(), Group::text);
                    let line = recorded.map_or(call.line, |group| group.line);
                    let reason = predicted.decisions.get(at).map(|decision| sentence(&decision.reason, &decision.trim));
                    score.mismatch(kind, line, text(recorded), text(model), reason);
                }
            }
        }
        if equal && !theirs.is_empty() && !call.contended {
            // A window shows in its folios, and its marker, without readahead events, only in the window after it.
            score.races.agreed(call.open, if self.recorded.has_readahead_events { 1 } else { 2 });
        }
        equal
    }

    /// Compares the device reads, file by file, as sets of (offset, length). Reads of the model that the kernel did not
    /// make count only when the whole trace was run (`last_call_from` is given), and not in its last call.
    fn judge_requests(
        &self,
        score: &mut Score,
        predicted: &[(readahead_types::FileId, u64, u64)],
        foreign: &HashSet<(FileKey, u64)>,
        last_call_from: Option<usize>,
        last_line: u64,
    ) {
        let mut ours: HashMap<(FileKey, u64, u64), u64> = HashMap::new();
        for (file, offset, bytes) in predicted {
            let key = self.setup.files[file.0 as usize].0;
            *ours.entry((key, *offset, *bytes)).or_default() += 1;
        }
        for request in &self.recorded.requests {
            if last_call_from.is_none() && request.line > last_line {
                break;
            }
            let Some((key, page)) = self.disk.place(request) else { continue };
            if foreign.contains(&(key, page)) {
                score.requests_skipped += 1;
                continue;
            }
            score.requests += 1;
            let wanted = (key, page * 4096, request.sectors * 512);
            match ours.get_mut(&wanted) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    score.requests_agree += 1;
                }
                _ => {
                    let recorded = format!("{} bytes at byte {} of the file", wanted.2, wanted.1);
                    let nearest = predicted
                        .iter()
                        .filter(|(file, ..)| self.setup.files[file.0 as usize].0 == key)
                        .find(|(_, offset, bytes)| *offset <= wanted.1 && wanted.1 < offset + bytes);
                    let model = nearest.map_or("no read of this place".into(), |(_, offset, bytes)| {
                        format!("{bytes} bytes at byte {offset}")
                    });
                    let kind = if score.differs_at(key, page, page + request.sectors.div_ceil(8)) {
                        MismatchKind::RequestOfDifferent
                    } else {
                        MismatchKind::Request
                    };
                    score.mismatch(kind, request.line, recorded, model, None);
                }
            }
        }
        let Some(last_call_from) = last_call_from else { return };
        for (file, offset, bytes) in &predicted[..last_call_from] {
            let key = self.setup.files[file.0 as usize].0;
            if let Some(left) = ours.get_mut(&(key, *offset, *bytes)).filter(|left| **left > 0) {
                *left -= 1;
                score.requests_extra += 1;
                let model = format!("{bytes} bytes at byte {offset} of the file");
                let kind = if score.differs_at(key, offset / PAGE_BYTES, (offset + bytes).div_ceil(PAGE_BYTES)) {
                    MismatchKind::ExtraRequestOfDifferent
                } else {
                    MismatchKind::ExtraRequest
                };
                score.mismatch(kind, last_line, "no such read".into(), model, None);
            }
        }
    }

    fn report(self, score: Score) -> ReplayReport {
        let mut notes = Vec::new();
        if self.recorded.lost {
            notes.push("The trace has lost events: decisions around the gaps cannot agree.".into());
        }
        if score.cut {
            notes.push("The trace ends in the middle of a call; that call is left out.".into());
        }
        if score.skipped > 0 {
            notes.push(format!(
                "{} calls could not be replayed: the trace does not tell which file they read, or others read for them.",
                score.skipped
            ));
        }
        if score.requests_skipped > 0 {
            notes.push(format!(
                "{} device requests are left out: they read folios for calls that could not be replayed.",
                score.requests_skipped
            ));
        }
        let unopened = self.recorded.opens.iter().filter(|open| open.file.is_some() && !open.fresh).count();
        if unopened > 0 {
            notes.push(format!(
                "The trace does not show the opening of {unopened} of the files read (sys_enter_openat): where they were read \
                 from, and what was known of them, is guessed from their first lines, and differences may come from that."
            ));
        }
        if !self.recorded.has_readahead_events {
            let model = self.setup.model;
            let why = if model < ModelId::Linux7_2 {
                format!(" ({} has none; they came with 6.18.y and 6.19)", model.name())
            } else {
                String::new()
            };
            notes.push(format!("The trace has no readahead events{why}: only folios are compared."));
        }
        let files = self
            .setup
            .files
            .iter()
            .zip(&self.bytes)
            .map(|((key, spec), bytes)| {
                let ByFile { decisions, agree, .. } = score.by_file.get(key).copied().unwrap_or_default();
                ReplayFile {
                    dev: format!("{}:{}", key.dev.major, key.dev.minor),
                    ino: key.ino,
                    name: (!spec.name.is_empty()).then(|| spec.name.clone()),
                    bytes: *bytes,
                    decisions,
                    agree,
                }
            })
            .collect();
        let agreement = if score.decisions == 0 { 0.0 } else { score.agree as f64 / score.decisions as f64 };
        ReplayReport {
            model: self.setup.model.name().into(),
            patches: self.setup.patches.names().into_iter().map(String::from).collect(),
            simulated: self.recorded.simulated,
            readahead_events: self.recorded.has_readahead_events,
            read_ahead_kb: self.setup.ra_pages * 4,
            max_sectors_kb: self.setup.max_sectors_kb,
            settings_from: self.from,
            calls: score.calls,
            calls_skipped: score.skipped,
            decisions: score.decisions,
            agree: score.agree,
            agreement,
            folios: score.folios,
            folios_agree: score.folios_agree,
            requests: score.requests,
            requests_agree: score.requests_agree,
            requests_extra: score.requests_extra,
            mmap_miss_differs: score.mmap_miss_differs,
            mismatches: score.mismatches.into_values().collect(),
            files,
            notes,
        }
    }
}

/// The recorded decisions of the last call are the beginning of the predicted ones: the trace ends inside the call.
fn is_cut(theirs: &[Group], ours: &[Group]) -> bool {
    if theirs.len() > ours.len() {
        return false;
    }
    let Some((last, before)) = theirs.split_last() else { return !ours.is_empty() };
    let ours_last = &ours[theirs.len() - 1];
    before.iter().zip(ours).all(|(a, b)| a.differs(b).is_none())
        && (theirs.len() < ours.len() || last.differs(ours_last).is_some())
        && ours_last.folios.starts_with(&last.folios)
}

/// ra_pages of the device: as the first readahead line prints it, halved when fadvise SEQUENTIAL came before.
fn ra_pages_of(recorded: &Recorded, from: &mut Vec<String>) -> Option<u32> {
    let (file, (ra_pages, line)) = recorded.ra_pages.iter().min_by_key(|(_, (_, line))| *line)?;
    let doubled = recorded.calls.iter().any(|call| {
        let on = call.file.or_else(|| call.open.and_then(|open| recorded.opens[open].file));
        matches!(call.kind, recorded::CallKind::Fadvise { advice: 2, .. }) && on == Some(*file) && call.line < *line
    });
    let ra_pages = if doubled { ra_pages / 2 } else { *ra_pages };
    from.push(format!("read_ahead_kb {}: ra_pages of line {line}.", ra_pages * 4));
    Some(ra_pages as u32)
}

/// Largest folio order of a file: none before linux-6.1; then whatever its file system has, which shows in the folios of
/// the same device.
fn largest_order(model: ModelId, recorded: &Recorded, key: &FileKey) -> u8 {
    if model >= ModelId::Linux7_2 {
        return LARGEST_ORDER;
    }
    let shown = recorded
        .calls
        .iter()
        .filter(|call| call.file.is_some_and(|file| file.dev == key.dev))
        .any(|call| call.deeds.iter().any(|(_, deed)| matches!(deed, Deed::Add(_, order, _) if *order > 0)));
    if model >= ModelId::Linux6_1 && shown { LARGEST_ORDER } else { 0 }
}
