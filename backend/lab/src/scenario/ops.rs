//! The operations of a program: their keys, and how each becomes a step of the engine.
//!
//! One table says which keys each operation takes; anything else is refused by name.

use super::check::{PAGE_MAX, POS_MAX, Place, WAIT_NS_MAX, range};
use super::units::{Size, Time};
use crate::LabError;
use readahead_sim::world::{Advice, MapAdvice, Op, Step};
use readahead_types::{Bytes, FileId, Nanos, PageIndex, Pages};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpName {
    /// read(2) at the file position, or pread(2) when `pos` is given.
    Read,
    /// open(2): `fh` becomes a fresh open file.
    Open,
    /// close(2).
    Close,
    /// lseek(2) to `pos` from the start of the file.
    Lseek,
    /// lseek(2) to the end of the file.
    LseekEnd,
    /// posix_fadvise(2).
    Fadvise,
    /// readahead(2).
    Readahead,
    /// mmap(2) of the whole file, then madvise(2).
    Mmap,
    /// A fault on page `index`, without fault-around; nothing stays mapped.
    Fault,
    /// One byte of each of `pages` pages from page `index` is touched through the mapping.
    Touch,
    /// `count` pages from page `index` leave the page cache.
    Evict,
    /// Processor work, or a pause, of the program for `time`.
    Think,
    /// Everything clean leaves the page cache.
    DropCaches,
    /// The steps in `ops`, `count` times over.
    Repeat,
}

/// Advice of fadvise and madvise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AdviceName {
    /// No advice.
    Normal,
    /// Random access.
    Random,
    /// Sequential access.
    Sequential,
    /// Needed soon; fadvise only.
    Willneed,
    /// Not needed any more; fadvise only.
    Dontneed,
    /// Needed once; fadvise only.
    Noreuse,
    /// Huge pages; mmap only.
    Hugepage,
}

/// Until when an operation is done again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Until {
    /// The end of the file.
    Eof,
}

/// One operation. Which keys it takes depends on `op`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpPart {
    /// What it is.
    pub op: OpName,
    /// The stream's own number of an open file; 0, the default, is open from the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fh: Option<u32>,
    /// Byte position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pos: Option<Size>,
    /// Bytes. For fadvise and readahead 0, the default, is "to the end".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub len: Option<Size>,
    /// Page index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub index: Option<u64>,
    /// Pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages: Option<u64>,
    /// How often; for evict: how many pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Again and again until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Until>,
    /// Advice of fadvise and mmap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<AdviceName>,
    /// Whether the mapping is executable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exec: Option<bool>,
    /// The file to open. Default: the stream's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Whether it is opened with O_DIRECT: its reads pass by the page cache and the readahead code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<bool>,
    /// How long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<Time>,
    /// The steps to repeat.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops: Option<Vec<OpPart>>,
}

impl OpName {
    /// Name, keys that must be there, keys that may be there.
    fn keys(self) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
        match self {
            OpName::Read => ("read", &["len"], &["fh", "pos", "count", "until"]),
            OpName::Open => ("open", &["fh"], &["file", "direct"]),
            OpName::Close => ("close", &[], &["fh"]),
            OpName::Lseek => ("lseek", &["pos"], &["fh", "count"]),
            OpName::LseekEnd => ("lseek_end", &[], &["fh", "count"]),
            OpName::Fadvise => ("fadvise", &["advice"], &["fh", "pos", "len", "count"]),
            OpName::Readahead => ("readahead", &[], &["fh", "pos", "len", "count"]),
            OpName::Mmap => ("mmap", &[], &["fh", "advice", "exec"]),
            OpName::Fault => ("fault", &["index"], &["fh", "count"]),
            OpName::Touch => ("touch", &["index"], &["fh", "pages", "count", "until"]),
            OpName::Evict => ("evict", &["index", "count"], &["fh"]),
            OpName::Think => ("think", &["time"], &["count"]),
            OpName::DropCaches => ("drop_caches", &[], &[]),
            OpName::Repeat => ("repeat", &["count", "ops"], &[]),
        }
    }
}

impl OpPart {
    fn given(&self) -> [(&'static str, bool); 13] {
        [
            ("fh", self.fh.is_some()),
            ("pos", self.pos.is_some()),
            ("len", self.len.is_some()),
            ("index", self.index.is_some()),
            ("pages", self.pages.is_some()),
            ("count", self.count.is_some()),
            ("until", self.until.is_some()),
            ("advice", self.advice.is_some()),
            ("exec", self.exec.is_some()),
            ("file", self.file.is_some()),
            ("direct", self.direct.is_some()),
            ("time", self.time.is_some()),
            ("ops", self.ops.is_some()),
        ]
    }

    /// The engine's step. `find` gives a file's id by name.
    pub(crate) fn step(
        &self,
        place: &Place,
        find: &dyn Fn(&Place, &str) -> Result<FileId, LabError>,
    ) -> Result<Step, LabError> {
        self.check_keys(place)?;
        let fh = self.fh.unwrap_or(0);
        let pos = Bytes(self.pos.unwrap_or_default().0);
        let len = Bytes(self.len.unwrap_or_default().0);
        let page = PageIndex(self.index.unwrap_or(0));
        let op = match self.op {
            OpName::Repeat => {
                let steps = self.ops.iter().flatten().enumerate();
                let steps: Result<Vec<Step>, LabError> =
                    steps.map(|(n, op)| op.step(&place.key("ops").item(n), find)).collect();
                return Ok(Step::Repeat { count: self.count.unwrap_or(0), steps: steps? });
            }
            OpName::Read => Op::Read { fh, pos: self.pos.map(|pos| Bytes(pos.0)), len },
            OpName::Open => {
                let file = self.file.as_deref().map(|name| find(&place.key("file"), name)).transpose()?;
                Op::Open { fh, file, direct: self.direct.unwrap_or(false) }
            }
            OpName::Close => Op::Close { fh },
            OpName::Lseek => Op::Lseek { fh, pos },
            OpName::LseekEnd => Op::LseekEnd { fh },
            OpName::Fadvise => Op::Fadvise { fh, advice: self.advice_of_file(place)?, pos, len },
            OpName::Readahead => Op::Readahead { fh, pos, len },
            OpName::Mmap => Op::Mmap { fh, advice: map_advice(self.advice, place)?, exec: self.exec.unwrap_or(false) },
            OpName::Fault => Op::Fault { fh, page },
            OpName::Touch => {
                // The engine stops at the end of the file that `fh` is.
                let pages = if self.until.is_some() { PAGE_MAX } else { self.pages.unwrap_or(1) };
                Op::Touch { fh, page, pages: Pages(pages) }
            }
            OpName::Evict => Op::Evict { fh, page, pages: Pages(self.count.unwrap_or(0)) },
            OpName::Think => Op::Think(Nanos(self.time.unwrap_or_default().0)),
            OpName::DropCaches => Op::DropCaches,
        };
        match (self.op, self.until, self.count) {
            (OpName::Read, Some(Until::Eof), _) => Ok(Step::UntilEof(op)),
            (OpName::Evict, ..) | (_, _, None) => Ok(Step::Op(op)),
            (_, _, Some(count)) => Ok(Step::Repeat { count, steps: vec![Step::Op(op)] }),
        }
    }

    fn check_keys(&self, place: &Place) -> Result<(), LabError> {
        let (name, must, may) = self.op.keys();
        for (key, given) in self.given() {
            if given && !must.contains(&key) && !may.contains(&key) {
                let all = [must, may].concat().join(", ");
                let takes = if all.is_empty() { "it takes no keys".into() } else { format!("expected only {all}") };
                return Err(place
                    .key(key)
                    .error("scenario.unknown_key", format!("`{name}` does not take `{key}`; {takes}")));
            }
            if !given && must.contains(&key) {
                return Err(place.error("scenario.missing_key", format!("`{name}` needs `{key}`")));
            }
        }
        for (key, value, max) in [
            ("pos", self.pos.map(|pos| pos.0), POS_MAX),
            ("len", self.len.map(|len| len.0), POS_MAX),
            ("index", self.index, PAGE_MAX),
            ("pages", self.pages, PAGE_MAX),
            ("time", self.time.map(|time| time.0), WAIT_NS_MAX),
        ] {
            range(&place.key(key), value.unwrap_or(0), 0, max)?;
        }
        if self.op == OpName::Evict {
            range(&place.key("count"), self.count.unwrap_or(0), 0, PAGE_MAX)?;
        }
        if let (Some(count), Some(time)) = (self.count, self.time)
            && count.saturating_mul(time.0) > WAIT_NS_MAX
        {
            let message = format!("{count} times {} ns; expected {WAIT_NS_MAX} ns at most, a day, together", time.0);
            return Err(place.key("count").error("scenario.out_of_range", message));
        }
        if self.ops.as_ref().is_some_and(Vec::is_empty) {
            return Err(place.key("ops").error("scenario.empty", "no operations; expected one to repeat at least"));
        }
        if self.until.is_some() && self.count.is_some() {
            return Err(
                place.error("scenario.contradiction", "`count` and `until` exclude each other; expected one of them")
            );
        }
        if self.op == OpName::Read && self.until.is_some() && self.pos.is_some() {
            let why =
                "a read with `pos` never reaches the end of the file; expected `until` without `pos` (lseek first)";
            return Err(place.key("until").error("scenario.contradiction", why));
        }
        if self.op == OpName::Read && self.until.is_some() && self.len == Some(Size(0)) {
            return Err(place
                .key("len")
                .error("scenario.out_of_range", "0 never reaches the end; expected 1 byte at least"));
        }
        let repeated = self.op != OpName::Evict && self.count == Some(0);
        if repeated || self.pages == Some(0) {
            let key = if repeated { "count" } else { "pages" };
            return Err(place.key(key).error("scenario.out_of_range", "0 does nothing; expected 1 at least"));
        }
        Ok(())
    }

    fn advice_of_file(&self, place: &Place) -> Result<Advice, LabError> {
        Ok(match self.advice.unwrap_or(AdviceName::Normal) {
            AdviceName::Normal => Advice::Normal,
            AdviceName::Random => Advice::Random,
            AdviceName::Sequential => Advice::Sequential,
            AdviceName::Willneed => Advice::Willneed,
            AdviceName::Dontneed => Advice::Dontneed,
            AdviceName::Noreuse => Advice::Noreuse,
            AdviceName::Hugepage => {
                let expected = "`hugepage` is no advice of fadvise; expected normal, random, sequential, willneed, dontneed or noreuse";
                return Err(place.key("advice").error("scenario.unknown_value", expected));
            }
        })
    }
}

/// The advice on a mapping.
pub(crate) fn map_advice(advice: Option<AdviceName>, place: &Place) -> Result<MapAdvice, LabError> {
    match advice.unwrap_or(AdviceName::Normal) {
        AdviceName::Normal => Ok(MapAdvice::Normal),
        AdviceName::Random => Ok(MapAdvice::Random),
        AdviceName::Sequential => Ok(MapAdvice::Sequential),
        AdviceName::Hugepage => Ok(MapAdvice::Hugepage),
        AdviceName::Willneed | AdviceName::Dontneed | AdviceName::Noreuse => Err(place.key("advice").error(
            "scenario.unknown_value",
            "not an advice on a mapping here; expected normal, random, sequential or hugepage",
        )),
    }
}
