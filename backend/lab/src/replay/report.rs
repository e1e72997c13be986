//! What a replay tells: how well a model agrees with a trace, each kind of difference with its first place, and why there
//! is no report.

use super::agree::MismatchKind;
use readahead_policy::RegistryError;
use readahead_sim::SpecError;
use readahead_trace::TraceError;
use serde::Serialize;

/// How well a model agrees with a trace.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayReport {
    /// The model.
    pub model: String,
    /// Patches on it.
    pub patches: Vec<String>,
    /// The trace was made by a simulation, not by a kernel.
    pub simulated: bool,
    /// The trace has readahead events, so that triggers, states and windows were compared, not only folios.
    pub readahead_events: bool,
    /// read_ahead_kb that the replay used.
    pub read_ahead_kb: u32,
    /// max_sectors_kb that the replay used.
    pub max_sectors_kb: u64,
    /// Where the settings come from, in sentences.
    pub settings_from: Vec<String>,
    /// Calls replayed: reads, faults, advices.
    pub calls: u64,
    /// Calls that could not be replayed, because the trace does not tell which file they are on.
    pub calls_skipped: u64,
    /// Decisions that the kernel took.
    pub decisions: u64,
    /// Decisions that the model took the same way: trigger, state before, window, folios.
    pub agree: u64,
    /// agree / decisions, 0 to 1.
    pub agreement: f64,
    /// Folios that the kernel added.
    pub folios: u64,
    /// Folios that the model added in the same place, order and sequence.
    pub folios_agree: u64,
    /// Data reads that the kernel sent to the device.
    pub requests: u64,
    /// Data reads that the model sent too, with the same offset and length.
    pub requests_agree: u64,
    /// Data reads that only the model sent.
    pub requests_extra: u64,
    /// Decisions where only mmap_miss differs, which depends on timing; they count as agreeing.
    pub mmap_miss_differs: u64,
    /// Each kind of difference.
    pub mismatches: Vec<Mismatch>,
    /// Each file of the trace.
    pub files: Vec<ReplayFile>,
    /// What a reader should know, in sentences.
    pub notes: Vec<String>,
}

/// One kind of difference, with its first place.
#[derive(Clone, Debug, Serialize)]
pub struct Mismatch {
    /// The kind.
    pub kind: MismatchKind,
    /// For people.
    pub title: &'static str,
    /// How often.
    pub count: u64,
    /// Line of the trace where it is met first.
    pub first_line: u64,
    /// What the trace has there.
    pub recorded: String,
    /// What the model has there.
    pub predicted: String,
    /// Why the model decided so.
    pub reason: Option<String>,
}

/// A file of a replay.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayFile {
    /// `major:minor`.
    pub dev: String,
    /// Inode number.
    pub ino: u64,
    /// Name, when openat told it.
    pub name: Option<String>,
    /// Bytes that the replay took it to have; `None`: more than the trace shows.
    pub bytes: Option<u64>,
    /// Decisions of the kernel on it.
    pub decisions: u64,
    /// Decisions that agree.
    pub agree: u64,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The model or its patches.
    #[error("{0}")]
    Registry(#[from] RegistryError),
    /// A setting that is none, or not a number.
    #[error("{key}: {message}")]
    Setting {
        /// The key as given.
        key: String,
        /// What is wrong with it.
        message: String,
    },
    /// A setting that makes no world.
    #[error("{0}")]
    World(#[from] SpecError),
    /// The trace shows no decision of a kernel.
    #[error(
        "nothing to replay in {lines} lines: expected reads, faults or advices of a file together with their readahead or mm_filemap_add_to_page_cache events"
    )]
    NothingToReplay {
        /// Lines read.
        lines: u64,
    },
}

impl ReplayError {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            ReplayError::Trace(error) => error.code(),
            ReplayError::Registry(_) => "replay.model",
            ReplayError::Setting { .. } | ReplayError::World(_) => "replay.settings",
            ReplayError::NothingToReplay { .. } => "replay.nothing_to_replay",
        }
    }
}
