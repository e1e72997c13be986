//! What the parts of a scenario mean together: defaults that depend on each other, ranges, names, and the world that
//! the engine gets.
//!
//! Owns every rule that is not syntax. Every list and every program is bounded here.

use super::defaults::{self, Facts, FolioChoice};
use super::file::{ExtentPart, FilePart, Filesystem, KernelPart, ScenarioFile, StreamPart};
use super::units::Size;
use super::{backing, handles, work};
use crate::LabError;
use crate::device::{self, Settled};
use readahead_policy::{ModelId, Patches};
use readahead_sim::WorldSpec;
use readahead_sim::world::{BioBuilder, CpuCosts, Extent, FileSpec, KernelSpec, Step, StreamSpec};
use readahead_types::{Bytes, FileId, Nanos, Order, PAGE_BYTES, Pages, SECTOR_BYTES, Sectors};
use std::fmt;

const FILES_MAX: usize = 1024;
const STREAMS_MAX: usize = 4096;
const FILE_BYTES_MAX: u64 = 1 << 46;
const EXTENTS_MAX: usize = 1 << 16;
/// Largest folio order of the page cache.
const ORDER_MAX: u64 = 9;
/// Where the first file lies, and the room between two files.
const GAP_BYTES: u64 = 1 << 20;
const FIRST_INO: u64 = 133;
/// A day: the longest that a program may wait.
pub(crate) const WAIT_NS_MAX: u64 = 86_400_000_000_000;
/// Largest position in a file (loff_t), and the page that holds it.
pub(crate) const POS_MAX: u64 = i64::MAX as u64;
pub(crate) const PAGE_MAX: u64 = POS_MAX / PAGE_BYTES;

/// A dotted place in a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place(String);

impl Place {
    /// The whole scenario.
    pub(crate) fn root() -> Self {
        Place(String::new())
    }

    /// A key of the object here.
    pub(crate) fn key(&self, key: &str) -> Self {
        Place(if self.0.is_empty() { key.to_string() } else { format!("{}.{key}", self.0) })
    }

    /// An item of the list here.
    pub(crate) fn item(&self, index: usize) -> Self {
        self.key(&index.to_string())
    }

    /// The last key.
    pub(crate) fn last(&self) -> Option<&str> {
        self.0.rsplit('.').next().filter(|key| !key.is_empty())
    }

    /// An error here.
    pub(crate) fn error(&self, code: &'static str, message: impl AsRef<str>) -> LabError {
        if self.0.is_empty() { LabError::new(code, message.as_ref()) } else { LabError::at(code, &self.0, message) }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A scenario that was checked.
pub(crate) struct Checked {
    /// As written, with every default filled in.
    pub(crate) file: ScenarioFile,
    /// What the engine gets.
    pub(crate) world: WorldSpec,
    /// Where its limits come from.
    pub(crate) sources: Sources,
}

/// Where the values that nobody need set come from, in words. Equal scenarios have equal ones: a value that is set to
/// what the kernel would choose counts as chosen by the kernel.
#[derive(Clone, Debug)]
pub(crate) struct Sources {
    /// Of read_ahead_kb.
    pub(crate) read_ahead: String,
    /// Of max_sectors_kb.
    pub(crate) max_sectors: String,
}

/// Fills in defaults, checks everything, and builds the world.
pub(crate) fn check(mut file: ScenarioFile) -> Result<Checked, LabError> {
    let root = Place::root();
    if file.title.trim().is_empty() {
        return Err(root
            .key("title")
            .error("scenario.empty", "the title is empty; expected what the experiment is called"));
    }
    text(&root.key("title"), &file.title, false)?;
    text(&root.key("source"), &file.source, true)?;
    text(&root.key("about"), &file.about, true)?;
    let device = device::settle(&file.device, &root.key("device"))?;
    let (kernel, sources) = kernel(&mut file.kernel, &file.file, &device, &root)?;
    file.device = device.part;
    let files = files(&mut file.file, kernel.model, &root.key("file"))?;
    capacity(device.facts.capacity, &files, &root.key("device"))?;
    let streams = streams(&mut file.stream, &files, &root.key("stream"))?;
    work::check(&streams, &files)?;
    handles::check(&file.stream, &files, &root.key("stream"))?;
    let cpu = CpuCosts {
        syscall: Nanos(file.cpu.syscall.0),
        copy_page: Nanos(file.cpu.copy_page.0),
        fault: Nanos(file.cpu.fault.0),
        add_folio: Nanos(file.cpu.add_folio.0),
        submit: Nanos(file.cpu.submit.0),
    };
    for (key, cost) in [
        ("syscall", cpu.syscall),
        ("copy_page", cpu.copy_page),
        ("fault", cpu.fault),
        ("add_folio", cpu.add_folio),
        ("submit", cpu.submit),
    ] {
        range(&root.key("cpu").key(key), cost.0, 0, 1_000_000_000)?;
    }
    let world = WorldSpec { seed: file.seed, kernel, cpu, device: device.spec, files, streams };
    Ok(Checked { file, world, sources })
}

pub(crate) fn range(place: &Place, value: u64, min: u64, max: u64) -> Result<u64, LabError> {
    if (min..=max).contains(&value) {
        Ok(value)
    } else {
        Err(place.error("scenario.out_of_range", format!("{value} is out of range; expected {min} to {max}")))
    }
}

/// Refuses control characters, which would break lines of traces and mails. `lines`: it may have several lines.
fn text(place: &Place, text: &str, lines: bool) -> Result<(), LabError> {
    let bad = |c: &char| c.is_control() && !(lines && matches!(c, '\n' | '\r' | '\t'));
    match text.chars().find(bad) {
        Some(c) => {
            let message = format!("{text:?} holds the control character {}; expected none", c.escape_unicode());
            Err(place.error("scenario.control_character", message))
        }
        None => Ok(()),
    }
}

/// Refuses files that the device cannot hold.
fn capacity(capacity: Option<u64>, files: &[FileSpec], place: &Place) -> Result<(), LabError> {
    let needed: u64 = files.iter().flat_map(|file| &file.extents).map(|extent| extent.len.0).sum();
    match capacity {
        Some(bytes) if bytes > 0 && bytes < needed => {
            let message = format!("{bytes} bytes; expected {needed} at least, which the files take, or 0");
            Err(place.key("capacity").error("scenario.contradiction", message))
        }
        _ => Ok(()),
    }
}

/// The kernel, and where its limits come from.
fn kernel(
    part: &mut KernelPart,
    files: &[FilePart],
    device: &Settled,
    root: &Place,
) -> Result<(KernelSpec, Sources), LabError> {
    let place = &root.key("kernel");
    let model = ModelId::parse(&part.model)
        .map_err(|error| place.key("model").error("scenario.unknown_model", error.to_string()))?;
    let patches = Patches::parse(model, &part.patches)
        .map_err(|error| place.key("patches").error("scenario.unknown_patch", error.to_string()))?;
    // The same patches in another order, or one twice, are the same run.
    part.patches = patches.names().into_iter().map(String::from).collect();
    let backing = backing::of(files, model, &root.key("file"))?;
    let facts = Facts { model, patches, device: device.facts, backing };
    let max_sectors = facts.max_sectors();
    let max_sectors_kb = *part.max_sectors_kb.get_or_insert(max_sectors.kb);
    let max_hw_sectors_kb = device.facts.max_hw_sectors_kb;
    let key = place.key("max_sectors_kb");
    if !(4..=max_hw_sectors_kb).contains(&max_sectors_kb) {
        let message =
            format!("{max_sectors_kb} is out of range; expected 4 to device.max_hw_sectors_kb, {max_hw_sectors_kb}");
        return Err(key.error("scenario.out_of_range", message));
    }
    if !max_sectors_kb.is_multiple_of(PAGE_BYTES / 1024) {
        let message = format!("{max_sectors_kb} KiB are not whole pages; expected a multiple of 4");
        return Err(key.error("scenario.out_of_range", message));
    }
    let read_ahead_kb = *part.read_ahead_kb.get_or_insert_with(|| facts.read_ahead(max_sectors_kb).kb);
    range(&place.key("read_ahead_kb"), read_ahead_kb, 0, 1 << 22)?;
    let sources = Sources {
        read_ahead: facts.read_ahead_source(read_ahead_kb, max_sectors_kb),
        max_sectors: max_sectors.source(max_sectors_kb),
    };
    let max_segments = *part.max_segments.get_or_insert_with(|| facts.max_segments());
    let queue_depth = *part.queue_depth.get_or_insert(u64::from(device.queue_depth));
    range(&place.key("max_segments"), max_segments, 1, u64::from(u16::MAX))?;
    range(&place.key("queue_depth"), queue_depth, 1, u64::from(u16::MAX))?;
    range(&place.key("exec_order"), part.exec_order, 0, ORDER_MAX)?;
    let memory = match part.memory {
        Some(size) => {
            range(&place.key("memory"), size.0, GAP_BYTES, FILE_BYTES_MAX)?;
            Some(Pages(size.0 / PAGE_BYTES))
        }
        None => None,
    };
    let fault_around_kb = part.fault_around_kb;
    if !(4..=2048).contains(&fault_around_kb) || !fault_around_kb.is_power_of_two() {
        let message = format!("{fault_around_kb}; expected a power of two from 4 to 2048");
        return Err(place.key("fault_around_kb").error("scenario.out_of_range", message));
    }
    let spec = KernelSpec {
        model,
        patches,
        ra_pages: (read_ahead_kb / 4) as u32,
        max_sectors: Sectors(max_sectors_kb * 2),
        io_pages: facts.io_pages(),
        node_memory: None,
        max_segments: max_segments as u32,
        memory,
        fault_around: Pages(fault_around_kb / 4),
        exec_order: Order(part.exec_order as u8),
        queue_depth: queue_depth as u16,
    };
    Ok((spec, sources))
}

fn files(parts: &mut [FilePart], model: ModelId, place: &Place) -> Result<Vec<FileSpec>, LabError> {
    if parts.is_empty() || parts.len() > FILES_MAX {
        return Err(place.error("scenario.out_of_range", format!("{} files; expected 1 to {FILES_MAX}", parts.len())));
    }
    let mut specs: Vec<FileSpec> = Vec::with_capacity(parts.len());
    let mut free_byte = GAP_BYTES;
    for (index, part) in parts.iter_mut().enumerate() {
        let place = place.item(index);
        if let Some(other) = specs.iter().position(|spec| spec.name == part.name) {
            let message = format!("`{}` is the name of file.{other} already; expected a name of its own", part.name);
            return Err(place.key("name").error("scenario.duplicate", message));
        }
        let copies = range(&place.key("copies"), part.copies.unwrap_or(1), 1, FILES_MAX as u64)?;
        if specs.len() as u64 + copies > FILES_MAX as u64 {
            let message = format!("{copies} files with {} before them; expected {FILES_MAX} at most", specs.len());
            return Err(place.key("copies").error("scenario.out_of_range", message));
        }
        if part.copies.is_none() {
            let ino = specs.len();
            specs.push(file(part, model, ino, &mut free_byte, &place)?);
            continue;
        }
        if part.extents.is_some() {
            let message = "the copies cannot all lie there; expected no `extents` with `copies`";
            return Err(place.key("extents").error("scenario.contradiction", message));
        }
        // What is filled in is the same for all but the place on the disk, and stays as it was written.
        for copy in 0..copies {
            let mut one = part.clone();
            one.name = format!("{}.{copy}", part.name);
            one.ino = part.ino.map(|first| first + copy);
            let ino = specs.len();
            specs.push(file(&mut one, model, ino, &mut free_byte, &place)?);
            part.large_folios = one.large_folios;
            part.max_order = one.max_order;
        }
    }
    Ok(specs)
}

/// The file of this name, or the first of the copies that have it.
pub(crate) fn find_file(files: &[FileSpec], name: &str) -> Option<usize> {
    let is_copy = |file: &FileSpec| file.name.strip_suffix(".0") == Some(name);
    files.iter().position(|file| file.name == name).or_else(|| files.iter().position(is_copy))
}

/// How many copies of a file there are, the first of which is at `first`.
fn copies_of(files: &[FileSpec], first: usize) -> usize {
    let Some(name) = files[first].name.strip_suffix(".0") else { return 1 };
    let is_copy = |(copy, file): &(usize, &FileSpec)| file.name == format!("{name}.{copy}");
    files[first..].iter().enumerate().take_while(is_copy).count()
}

fn file(
    part: &mut FilePart,
    model: ModelId,
    index: usize,
    free_byte: &mut u64,
    place: &Place,
) -> Result<FileSpec, LabError> {
    if part.name.trim().is_empty() {
        return Err(place.key("name").error("scenario.empty", "the name is empty; expected one that streams refer to"));
    }
    text(&place.key("name"), &part.name, false)?;
    let bytes = range(&place.key("size"), part.size.0, 0, FILE_BYTES_MAX)?;
    let (min_order, max_order) = folio_orders(part, model, place)?;
    let dev = part
        .dev
        .split_once(':')
        .and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)))
        .ok_or_else(|| {
            let message = format!("`{}` is not a device number; expected MAJOR:MINOR, such as 259:0", part.dev);
            place.key("dev").error("scenario.wrong_type", message)
        })?;
    let whole = bytes.next_multiple_of(PAGE_BYTES);
    let default_extents = || {
        let sector = *free_byte / SECTOR_BYTES;
        if whole == 0 { Vec::new() } else { vec![ExtentPart { pos: Size(0), len: Size(whole), sector }] }
    };
    let parts = part.extents.get_or_insert_with(default_extents);
    let extents = extents(parts, &place.key("extents"))?;
    let end = extents.iter().map(|extent| extent.sector.bytes().0 + extent.len.0).max().unwrap_or(0);
    *free_byte = (*free_byte).max(end.next_multiple_of(PAGE_BYTES) + GAP_BYTES);
    Ok(FileSpec {
        name: part.name.clone(),
        bytes: Bytes(bytes),
        min_order: Order(min_order as u8),
        max_order: Order(max_order as u8),
        builder: match part.filesystem {
            Filesystem::Xfs => BioBuilder::Iomap,
            // What btrfs, NFS and FUSE do is not modelled; the schema says so.
            Filesystem::Ext4 | Filesystem::Blockdev | Filesystem::Btrfs | Filesystem::Nfs | Filesystem::Fuse => {
                BioBuilder::Mpage
            }
        },
        extents,
        block_device: part.filesystem == Filesystem::Blockdev,
        dev,
        ino: *part.ino.get_or_insert(FIRST_INO + index as u64),
    })
}

/// The smallest and largest folio order of a file: what is set, where the kernel can do it, or what its file system does.
fn folio_orders(part: &mut FilePart, model: ModelId, place: &Place) -> Result<(u64, u64), LabError> {
    let min_order = range(&place.key("min_order"), part.min_order, 0, ORDER_MAX)?;
    let set = part.max_order.map(|order| range(&place.key("max_order"), order, 0, ORDER_MAX)).transpose()?;
    let default = defaults::max_order(model, part.filesystem);
    let wanted = min_order > 0 || set.is_some_and(|order| order > 0);
    let large = part.large_folios.unwrap_or(wanted || (default > 0 && set != Some(0)));
    let orders = [("min_order", min_order), ("max_order", set.unwrap_or(0))];
    let contradiction = |key: &str, message: String| place.key(key).error("scenario.contradiction", message);
    let name = model.name();
    if let Some((key, order)) = orders.iter().find(|(_, order)| *order > 0) {
        if !large {
            return Err(contradiction(
                key,
                format!("{order} with `large_folios = false`; expected 0, or large folios"),
            ));
        }
        if defaults::folio_choice(model) == FolioChoice::Pages {
            return Err(contradiction(key, format!("{order}, but {name} has no large folios; expected 0")));
        }
    }
    if large && defaults::folio_choice(model) == FolioChoice::Pages {
        return Err(contradiction("large_folios", format!("true, but {name} has no large folios; expected false")));
    }
    if large && defaults::folio_choice(model) == FolioChoice::OnOrOff {
        let fixed = [("min_order", min_order, 0), ("max_order", set.unwrap_or(ORDER_MAX), ORDER_MAX)];
        if let Some((key, order, only)) = fixed.into_iter().find(|(_, order, only)| order != only) {
            let message = format!("{order}, but large folios of {name} have no choice of it; expected {only}");
            return Err(contradiction(key, message));
        }
    }
    part.large_folios = Some(large);
    let max_order = *part.max_order.get_or_insert(if large { ORDER_MAX } else { 0 });
    range(&place.key("max_order"), max_order, min_order, ORDER_MAX)?;
    Ok((min_order, max_order))
}

fn extents(parts: &[ExtentPart], place: &Place) -> Result<Vec<Extent>, LabError> {
    if parts.len() > EXTENTS_MAX {
        return Err(
            place.error("scenario.out_of_range", format!("{} extents; expected {EXTENTS_MAX} at most", parts.len()))
        );
    }
    let mut end = 0;
    let mut extents = Vec::with_capacity(parts.len());
    for (index, ExtentPart { pos, len, sector }) in parts.iter().enumerate() {
        let place = place.item(index);
        for (key, value, unit) in [("pos", pos.0, PAGE_BYTES), ("len", len.0, PAGE_BYTES), ("sector", *sector, 8)] {
            range(&place.key(key), value, 0, FILE_BYTES_MAX)?;
            if value % unit != 0 {
                let message = format!("{value} is not aligned; expected a multiple of {unit}");
                return Err(place.key(key).error("scenario.out_of_range", message));
            }
        }
        if pos.0 < end || len.0 == 0 {
            let message = format!("{} bytes at {}; expected at {end} or behind, and not empty", len.0, pos.0);
            return Err(place.error("scenario.contradiction", message));
        }
        end = pos.0 + len.0;
        extents.push(Extent { file_offset: Bytes(pos.0), sector: Sectors(*sector), len: Bytes(len.0) });
    }
    Ok(extents)
}

fn streams(parts: &mut [StreamPart], files: &[FileSpec], place: &Place) -> Result<Vec<StreamSpec>, LabError> {
    if parts.is_empty() || parts.len() > STREAMS_MAX {
        return Err(
            place.error("scenario.out_of_range", format!("{} streams; expected 1 to {STREAMS_MAX}", parts.len()))
        );
    }
    let find = |place: &Place, name: &str| {
        find_file(files, name).map(|index| FileId(index as u32)).ok_or_else(|| {
            let names = files.iter().map(|file| file.name.as_str());
            place.error("scenario.unknown_file", crate::library::unknown("file", name, names))
        })
    };
    let mut specs = Vec::with_capacity(parts.len());
    for (index, part) in parts.iter_mut().enumerate() {
        let place = place.item(index);
        let first = files[0].name.strip_suffix(".0").unwrap_or(&files[0].name);
        let name = part.file.get_or_insert_with(|| first.to_owned());
        let file = find(&place.key("file"), name)?;
        range(&place.key("start"), part.start.0, 0, WAIT_NS_MAX)?;
        let file_bytes = files[file.0 as usize].bytes;
        let program = match (&part.ops, &part.workload) {
            (Some(ops), None) => {
                let steps = ops.iter().enumerate().map(|(n, op)| op.step(&place.key("ops").item(n), &find));
                steps.collect::<Result<Vec<Step>, LabError>>()?
            }
            (None, Some(workload)) => {
                vec![Step::Generate(workload.workload(file_bytes, &place.key("workload"))?)]
            }
            (Some(_), Some(_)) => {
                return Err(place.error("scenario.contradiction", "both `ops` and `workload`; expected one of them"));
            }
            (None, None) => return Err(place.error("scenario.missing_key", "expected `ops` or `workload`")),
        };
        if program.is_empty() {
            return Err(place
                .key("ops")
                .error("scenario.empty", "the program is empty; expected one operation at least"));
        }
        let copies = range(&place.key("copies"), part.copies.unwrap_or(1), 1, STREAMS_MAX as u64)?;
        if specs.len() as u64 + copies > STREAMS_MAX as u64 {
            let message = format!("{copies} streams with {} before them; expected {STREAMS_MAX} at most", specs.len());
            return Err(place.key("copies").error("scenario.out_of_range", message));
        }
        let every = range(&place.key("every"), part.every.unwrap_or_default().0, 0, WAIT_NS_MAX)?;
        if part.every.is_some() && part.copies.is_none() {
            return Err(place
                .key("every")
                .error("scenario.missing_key", "one stream has no next; expected `copies` with it"));
        }
        let rate = part.rate.map(|rate| range(&place.key("rate"), rate.0, 1, FILE_BYTES_MAX)).transpose()?;
        let of_file = copies_of(files, file.0 as usize) as u64;
        for copy in 0..copies {
            specs.push(StreamSpec {
                file: FileId(file.0 + (copy % of_file) as u32),
                start: Nanos(part.start.0 + copy * every),
                rate,
                program: program.clone(),
            });
        }
    }
    Ok(specs)
}
