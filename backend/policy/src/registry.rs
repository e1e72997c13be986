//! The models and patches that exist, by name. A new kernel generation is one file in `generations` and one line here.

use std::fmt;

/// A kernel generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModelId {
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

/// A patch under review, switched on over a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Patch {
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
}

const SEVEN: &[Patch] = &[Patch::KeepHalfWindow, Patch::AlignInRaOrder, Patch::MmapFloorOrder];

/// Every model, oldest first.
pub const MODELS: &[ModelInfo] = &[
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

/// Every patch.
pub const PATCHES: &[PatchInfo] = &[
    PatchInfo {
        id: Patch::KeepHalfWindow,
        name: "keep-half-window",
        source: "linux-mm, October 2026: mm/readahead: keep at least half of the async window when aligning it",
        about: "Halves the alignment of an async window's end until the cut keeps at least half of the window.",
        conflicts: &[Patch::AlignInRaOrder],
    },
    PatchInfo {
        id: Patch::AlignInRaOrder,
        name: "align-in-ra-order",
        source: "linux-mm, autumn 2026: the answer to keep-half-window; an exact rule for an idea without code",
        about: "Aligns where the folio order really used is known, and only for files with large folios.",
        conflicts: &[Patch::KeepHalfWindow],
    },
    PatchInfo {
        id: Patch::MmapFloorOrder,
        name: "mmap-floor-order",
        source: "linux-mm, spring 2026: use high-order folios in mmap sync RA",
        about: "mmap read-around uses folios of at least the size that one fault-around maps.",
        conflicts: &[],
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
            RegistryError::DoesNotApply(patch, model) => write!(f, "patch `{patch}` does not apply to {model}"),
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
    fn an_unknown_name_lists_what_exists() {
        let error = ModelId::parse("linux-1.0").unwrap_err().to_string();
        assert!(error.contains("`linux-1.0`") && error.contains("linux-7.2"), "{error}");
    }
}
