//! The models and patches that exist, by name. A new kernel generation is one file in `generations` and one line here.

use std::fmt;

/// A kernel generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelId {
    /// linux-2.4.23.
    Linux2_4_23,
    /// linux-2.6.33, the plain release.
    Linux2_6_33,
    /// linux-3.10.
    Linux3_10,
    /// linux-3.18.
    Linux3_18,
    /// linux-4.4.
    Linux4_4,
    /// linux-4.14.
    Linux4_14,
    /// linux-5.4.
    Linux5_4,
    /// linux-5.10 (5.10.223).
    Linux5_10,
    /// linux-6.1 (6.1.187).
    Linux6_1,
    /// linux-6.12 (6.12.117).
    Linux6_12,
    /// linux-7.2 (7.2.13).
    Linux7_2,
    /// linux-7.3-rc: decides exactly as linux-7.2.
    Linux7_3Rc,
}

/// What a model is.
#[derive(Clone, Copy, Debug)]
pub struct ModelInfo {
    /// The model.
    pub id: ModelId,
    /// The name used everywhere.
    pub name: &'static str,
    /// The exact source it follows.
    pub source: &'static str,
    /// What is special about it, in a sentence.
    pub about: &'static str,
    /// The patches that apply to it.
    pub patches: &'static [Patch],
}

/// A patch, switched on over a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Patch {
    /// The last partial page of a file is read ahead (2.4).
    LastPage,
    /// POSIX_FADV_RANDOM as a flag of the handle, so that large random reads stay large.
    FmodeRandom,
    /// The default window limited by the capacity of the disk, first version.
    SmallDeviceLimitV1,
    /// The same with the table moved up.
    SmallDeviceLimitV2,
    /// The same, leaving disks of capacity 0 alone.
    SmallDeviceLimitV3,
    /// 512 KiB by default, 32 KiB at least.
    Default512k,
    /// Flags of the readahead state.
    RaFlags,
    /// Cached pages of a window go to the head of the inactive list.
    RetainInactive,
    /// Windows sized by the history in the cache once a stream has thrashed.
    ThrashingSafe,
    /// Each window records why it was made.
    Patterns,
    /// A trace line a window.
    TraceEvent,
    /// Counters a pattern.
    Stats,
    /// A read from the start after an lseek reads what was asked for.
    LseekFlag,
    /// Searches of the cache by groups of 64.
    FastHoleSearch,
    /// Limit: half of the node's inactive and free memory.
    NodeHalf,
    /// Limit: 2 MiB.
    Cap2mb,
    /// Limit: half of the node's memory, but 2 MiB at least.
    AquiniMax,
    /// Limit: that of `NodeHalf`, put back over 2 MiB.
    RhelRevert,
    /// Limit: half of the machine's inactive and free memory.
    GlobalHalf,
    /// A merged window stays within its limit.
    StableIoPages,
    /// "mm/readahead: keep at least half of the async window when aligning it", linux-mm, October 2026.
    KeepHalfWindow,
    /// The answer to it: align in page_cache_ra_order, to the folio order really used.
    AlignInRaOrder,
    /// "use high-order folios in mmap sync RA", spring 2026.
    MmapFloorOrder,
}

/// What a patch is.
#[derive(Clone, Copy, Debug)]
pub struct PatchInfo {
    /// The patch.
    pub id: Patch,
    /// The name used everywhere.
    pub name: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it changes, in a sentence.
    pub about: &'static str,
    /// Patches that it cannot be combined with.
    pub conflicts: &'static [Patch],
    /// Patches that it needs.
    pub needs: &'static [Patch],
}

const SERIES_2010: &[Patch] = &[
    Patch::FmodeRandom,
    Patch::SmallDeviceLimitV1,
    Patch::SmallDeviceLimitV2,
    Patch::SmallDeviceLimitV3,
    Patch::Default512k,
    Patch::RaFlags,
    Patch::RetainInactive,
    Patch::ThrashingSafe,
    Patch::Patterns,
    Patch::TraceEvent,
    Patch::Stats,
    Patch::LseekFlag,
    Patch::FastHoleSearch,
    Patch::NodeHalf,
    Patch::Cap2mb,
    Patch::AquiniMax,
    Patch::RhelRevert,
    Patch::GlobalHalf,
];
const LIMITS: &[Patch] = &[Patch::NodeHalf, Patch::Cap2mb, Patch::AquiniMax, Patch::RhelRevert, Patch::GlobalHalf];
const SEVEN: &[Patch] = &[Patch::KeepHalfWindow, Patch::AlignInRaOrder, Patch::MmapFloorOrder];

/// Every model, oldest first.
pub const MODELS: &[ModelInfo] = &[
    ModelInfo {
        id: ModelId::Linux2_4_23,
        name: "linux-2.4.23",
        source: "2.4.23",
        about: "A window that grows while the reader meets pages still being read; no readahead of the last partial page.",
        patches: &[Patch::LastPage],
    },
    ModelInfo {
        id: ModelId::Linux2_6_33,
        name: "linux-2.6.33",
        source: "2.6.33, the plain release",
        about: "On-demand readahead with the lookahead marker, limited by half of the node's inactive and free memory.",
        patches: SERIES_2010,
    },
    ModelInfo {
        id: ModelId::Linux3_10,
        name: "linux-3.10",
        source: "3.10",
        about: "POSIX_FADV_RANDOM is a flag; mmap read-around leaves a marker at three quarters of its window.",
        patches: LIMITS,
    },
    ModelInfo {
        id: ModelId::Linux3_18,
        name: "linux-3.18",
        source: "3.18",
        about: "No window above 2 MiB; a history no longer than the request no longer makes a stream.",
        patches: LIMITS,
    },
    ModelInfo {
        id: ModelId::Linux4_4,
        name: "linux-4.4",
        source: "4.4",
        about: "The limit is the device's read_ahead_kb alone, whatever the memory.",
        patches: &[],
    },
    ModelInfo {
        id: ModelId::Linux4_14,
        name: "linux-4.14",
        source: "4.14 (mainline)",
        about: "A request above ra_pages lifts the limit up to io_pages.",
        patches: &[Patch::StableIoPages],
    },
    ModelInfo {
        id: ModelId::Linux5_4,
        name: "linux-5.4",
        source: "5.4",
        about: "Searches by XArray, off by one at their limit; readahead(2) is fadvise WILLNEED.",
        patches: &[],
    },
    ModelInfo {
        id: ModelId::Linux5_10,
        name: "linux-5.10",
        source: "5.10.223",
        about: "The last generation that reads page by page.",
        patches: &[],
    },
    ModelInfo {
        id: ModelId::Linux6_1,
        name: "linux-6.1",
        source: "6.1.187",
        about: "Folios: XFS gets large ones, each window larger by two orders than the folio whose marker was met.",
        patches: &[],
    },
    ModelInfo {
        id: ModelId::Linux6_12,
        name: "linux-6.12",
        source: "6.12.117",
        about: "A miss no longer continues a window; the smallest and largest folio order come from the file system.",
        patches: &[],
    },
    ModelInfo {
        id: ModelId::Linux7_2,
        name: "linux-7.2",
        source: "7.2.13",
        about: "Large folios everywhere; the end of an async window is cut to a multiple of the folio size aimed at.",
        patches: SEVEN,
    },
    ModelInfo {
        id: ModelId::Linux7_3Rc,
        name: "linux-7.3-rc",
        source: "the memory-management tree of autumn 2026 (7.3-rc5)",
        about: "Decides exactly as linux-7.2.",
        patches: SEVEN,
    },
];

const LIMIT_SOURCE: &str = "linux-mm, 2014 to 2016: the discussion of commit 6d2be915e589";

/// Every patch, in the order in which they came.
pub const PATCHES: &[PatchInfo] = &[
    PatchInfo {
        id: Patch::LastPage,
        name: "last-page",
        source: "Chuck Lever, 2003, against 2.4.23",
        about: "Reads the last partial page of a file ahead too, so that a small file needs no second round trip.",
        conflicts: &[],
        needs: &[],
    },
    PatchInfo {
        id: Patch::FmodeRandom,
        name: "fmode-random",
        source: "2.6.34, and 2.6.33.3 of the stable series",
        about: "POSIX_FADV_RANDOM becomes a flag of the handle: a random read of many pages is read whole, not page by page.",
        conflicts: &[],
        needs: &[],
    },
    PatchInfo {
        id: Patch::SmallDeviceLimitV1,
        name: "small-device-limit-v1",
        source: "the 2010 readahead series, first posting",
        about: "Lowers the default read_ahead_kb of small disks; a disk of capacity 0 gets 4 KiB.",
        conflicts: &[Patch::SmallDeviceLimitV2, Patch::SmallDeviceLimitV3],
        needs: &[],
    },
    PatchInfo {
        id: Patch::SmallDeviceLimitV2,
        name: "small-device-limit-v2",
        source: "the 2010 readahead series, second posting",
        about: "Lowers the default read_ahead_kb of small disks, by a higher table; a disk of capacity 0 gets 4 KiB.",
        conflicts: &[Patch::SmallDeviceLimitV1, Patch::SmallDeviceLimitV3],
        needs: &[],
    },
    PatchInfo {
        id: Patch::SmallDeviceLimitV3,
        name: "small-device-limit-v3",
        source: "the 2010 readahead series, as repaired",
        about: "Lowers the default read_ahead_kb of small disks and leaves disks of capacity 0 alone.",
        conflicts: &[Patch::SmallDeviceLimitV1, Patch::SmallDeviceLimitV2],
        needs: &[],
    },
    PatchInfo {
        id: Patch::Default512k,
        name: "512k-default",
        source: "the 2010 readahead series",
        about: "512 KiB by default, and windows of at least 32 KiB once they are sized by the cache.",
        conflicts: &[],
        needs: &[],
    },
    PatchInfo {
        id: Patch::RaFlags,
        name: "ra-flags",
        source: "the 2010 readahead series",
        about: "A word of flags in the readahead state; mmap_miss becomes its low 16 bits.",
        conflicts: &[],
        needs: &[],
    },
    PatchInfo {
        id: Patch::RetainInactive,
        name: "retain-inactive",
        source: "the 2010 readahead series",
        about: "Pages of a window that are cached already go to the head of the inactive list, so that they live as long.",
        conflicts: &[],
        needs: &[],
    },
    PatchInfo {
        id: Patch::ThrashingSafe,
        name: "thrashing-safe",
        source: "the 2010 readahead series",
        about: "Senses pages lost before use, and sizes the stream's windows by its history in the cache from then on.",
        conflicts: &[],
        needs: &[Patch::RaFlags, Patch::RetainInactive],
    },
    PatchInfo {
        id: Patch::Patterns,
        name: "patterns",
        source: "the 2010 readahead series",
        about: "Each window records why it was made.",
        conflicts: &[],
        needs: &[Patch::ThrashingSafe],
    },
    PatchInfo {
        id: Patch::TraceEvent,
        name: "trace-event",
        source: "the 2010 readahead series",
        about: "Prints one trace line a window.",
        conflicts: &[],
        needs: &[Patch::Patterns],
    },
    PatchInfo {
        id: Patch::Stats,
        name: "stats",
        source: "the 2010 readahead series",
        about: "Counts windows and pages by pattern in /debug/readahead/stats.",
        conflicts: &[],
        needs: &[Patch::Patterns],
    },
    PatchInfo {
        id: Patch::LseekFlag,
        name: "lseek-flag",
        source: "the 2010 readahead series",
        about: "The start of a file read after an lseek is taken for a probe: only what was asked for is read.",
        conflicts: &[],
        needs: &[Patch::Patterns],
    },
    PatchInfo {
        id: Patch::FastHoleSearch,
        name: "fast-hole-search",
        source: "the 2010 readahead series",
        about: "Searches the cache by groups of 64 pages; a run found may exceed its limit by up to 63.",
        conflicts: &[],
        needs: &[],
    },
    PatchInfo {
        id: Patch::NodeHalf,
        name: "node-half",
        source: LIMIT_SOURCE,
        about: "The limit before 3.15: half of the node's inactive file pages and free pages.",
        conflicts: &[Patch::Cap2mb, Patch::AquiniMax, Patch::RhelRevert, Patch::GlobalHalf],
        needs: &[],
    },
    PatchInfo {
        id: Patch::Cap2mb,
        name: "2mb-cap",
        source: "commit 6d2be915e589, 3.15; in RHEL 6.6 and later by backport",
        about: "No window and no forced range above 512 pages, whatever the memory.",
        conflicts: &[Patch::NodeHalf, Patch::AquiniMax, Patch::RhelRevert, Patch::GlobalHalf],
        needs: &[],
    },
    PatchInfo {
        id: Patch::AquiniMax,
        name: "aquini-max",
        source: "linux-mm, February 2015, refused",
        about: "Half of the node's inactive and free pages, but 512 pages at least.",
        conflicts: &[Patch::NodeHalf, Patch::Cap2mb, Patch::RhelRevert, Patch::GlobalHalf],
        needs: &[],
    },
    PatchInfo {
        id: Patch::RhelRevert,
        name: "rhel-revert",
        source: "the customer patch of the 2015 thread",
        about: "Takes 2mb-cap back: half of the node's inactive and free pages.",
        conflicts: &[Patch::NodeHalf, Patch::Cap2mb, Patch::AquiniMax, Patch::GlobalHalf],
        needs: &[],
    },
    PatchInfo {
        id: Patch::GlobalHalf,
        name: "global-half",
        source: "linux-mm, 2014 to 2016: what was offered in place of the node's state",
        about: "Half of the inactive and free pages of the whole machine.",
        conflicts: &[Patch::NodeHalf, Patch::Cap2mb, Patch::AquiniMax, Patch::RhelRevert],
        needs: &[],
    },
    PatchInfo {
        id: Patch::StableIoPages,
        name: "stable-io-pages",
        source: "commit dc30b96ab6d5, 4.18; in 4.14.y later",
        about: "A window merged with the next one stays within its limit.",
        conflicts: &[],
        needs: &[],
    },
    PatchInfo {
        id: Patch::KeepHalfWindow,
        name: "keep-half-window",
        source: "linux-mm, October 2026: mm/readahead: keep at least half of the async window when aligning it",
        about: "Halves the alignment of an async window's end until the cut keeps at least half of the window.",
        conflicts: &[Patch::AlignInRaOrder],
        needs: &[],
    },
    PatchInfo {
        id: Patch::AlignInRaOrder,
        name: "align-in-ra-order",
        source: "linux-mm, autumn 2026: the answer to keep-half-window; an exact rule for an idea without code",
        about: "Aligns where the folio order really used is known, and only for files with large folios.",
        conflicts: &[Patch::KeepHalfWindow],
        needs: &[],
    },
    PatchInfo {
        id: Patch::MmapFloorOrder,
        name: "mmap-floor-order",
        source: "linux-mm, spring 2026: use high-order folios in mmap sync RA",
        about: "mmap read-around uses folios of at least the size that one fault-around maps.",
        conflicts: &[],
        needs: &[],
    },
];

/// The patches switched on in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patches {
    bits: u32,
}

/// Why a model or a set of patches cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegistryError {
    /// No model of that name.
    UnknownModel(String),
    /// No patch of that name.
    UnknownPatch(String),
    /// The patch does not apply to the model.
    DoesNotApply(&'static str, &'static str),
    /// The two patches exclude each other.
    Conflict(&'static str, &'static str),
    /// The patch needs the other one.
    Needs(&'static str, &'static str),
}

impl fmt::Display for RegistryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |list: Vec<&str>| list.join(", ");
        match self {
            RegistryError::UnknownModel(name) => {
                write!(f, "unknown model `{name}`; expected one of {}", names(MODELS.iter().map(|m| m.name).collect()))
            }
            RegistryError::UnknownPatch(name) => {
                write!(f, "unknown patch `{name}`; expected one of {}", names(PATCHES.iter().map(|p| p.name).collect()))
            }
            RegistryError::DoesNotApply(patch, model) => {
                let own: Vec<&str> = MODELS
                    .iter()
                    .find(|info| info.name == *model)
                    .map(|info| info.patches.iter().map(|patch| patch.info().name).collect())
                    .unwrap_or_default();
                write!(f, "patch `{patch}` does not apply to {model}; ")?;
                if own.is_empty() { write!(f, "no patch does") } else { write!(f, "those that do: {}", own.join(", ")) }
            }
            RegistryError::Needs(patch, other) => write!(f, "patch `{patch}` needs `{other}` with it"),
            RegistryError::Conflict(a, b) => write!(f, "patches `{a}` and `{b}` are alternatives; choose one"),
        }
    }
}

impl std::error::Error for RegistryError {}

impl ModelId {
    /// The model of that name.
    pub fn parse(name: &str) -> Result<Self, RegistryError> {
        MODELS
            .iter()
            .find(|model| model.name == name)
            .map(|model| model.id)
            .ok_or_else(|| RegistryError::UnknownModel(name.into()))
    }

    /// What the model is.
    pub fn info(self) -> &'static ModelInfo {
        MODELS.iter().find(|model| model.id == self).expect("every id is in the list")
    }

    /// The name used everywhere.
    pub fn name(self) -> &'static str {
        self.info().name
    }
}

impl Patch {
    /// What the patch is.
    pub fn info(self) -> &'static PatchInfo {
        PATCHES.iter().find(|patch| patch.id == self).expect("every id is in the list")
    }
}

impl Patches {
    /// The set of these names over a model; an error when one is unknown, does not apply, or excludes another.
    pub fn parse<S: AsRef<str>>(model: ModelId, names: &[S]) -> Result<Self, RegistryError> {
        let mut set = Patches::default();
        for name in names {
            let name = name.as_ref();
            let info = PATCHES
                .iter()
                .find(|patch| patch.name == name)
                .ok_or_else(|| RegistryError::UnknownPatch(name.into()))?;
            if !model.info().patches.contains(&info.id) {
                return Err(RegistryError::DoesNotApply(info.name, model.name()));
            }
            if let Some(other) = info.conflicts.iter().find(|other| set.has(**other)) {
                return Err(RegistryError::Conflict(other.info().name, info.name));
            }
            set.bits |= 1 << info.id as u32;
        }
        for info in PATCHES.iter().filter(|info| set.has(info.id)) {
            if let Some(missing) = info.needs.iter().find(|other| !set.has(**other)) {
                return Err(RegistryError::Needs(info.name, missing.info().name));
            }
        }
        Ok(set)
    }

    /// Whether the patch is on.
    pub fn has(self, patch: Patch) -> bool {
        self.bits & (1 << patch as u32) != 0
    }

    /// The names of the patches that are on, in the order of the registry.
    pub fn names(self) -> Vec<&'static str> {
        PATCHES.iter().filter(|patch| self.has(patch.id)).map(|patch| patch.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_refused_together() {
        let error = Patches::parse(ModelId::Linux7_2, &["keep-half-window", "align-in-ra-order"]).unwrap_err();
        assert_eq!(error, RegistryError::Conflict("keep-half-window", "align-in-ra-order"));
    }

    #[test]
    fn a_patch_of_the_series_needs_what_it_builds_on() {
        let parse = |names: &[&str]| Patches::parse(ModelId::Linux2_6_33, names).map(Patches::names);
        assert_eq!(parse(&["patterns", "ra-flags"]), Err(RegistryError::Needs("patterns", "thrashing-safe")));
        assert!(parse(&["thrashing-safe", "retain-inactive", "ra-flags"]).is_ok());
        let error = Patches::parse(ModelId::Linux4_14, &["2mb-cap"]).unwrap_err().to_string();
        assert_eq!(error, "patch `2mb-cap` does not apply to linux-4.14; those that do: stable-io-pages");
    }

    #[test]
    fn an_unknown_name_lists_what_exists() {
        let error = ModelId::parse("linux-1.0").unwrap_err().to_string();
        assert!(error.contains("`linux-1.0`") && error.contains("linux-7.2"), "{error}");
    }
}
