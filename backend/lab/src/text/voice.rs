//! What the kernel of a run could print: which events it had, in whose form, and what has to be said about what is missing.
//! Must not know recordings.

use crate::series::Posting;
use readahead_policy::{ModelId, Patch};
use readahead_sim::WorldSpec;
use readahead_trace::{Dev, Form, Tracepoint};

/// How much of a run its kernel's trace file shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// Nothing: it had no event that the run would have met.
    Nothing,
    /// The event of the 2010 series, once a window.
    Series,
    /// System calls; the texts of its other events are not known here.
    Calls,
    /// Every event of its generation.
    Everything(Form),
}

impl Voice {
    /// The voice of the kernel of this world.
    pub(super) fn of(world: &WorldSpec) -> Self {
        match world.kernel.model {
            ModelId::Linux2_4_23 => Voice::Nothing,
            ModelId::Linux2_6_33 if world.kernel.patches.has(Patch::TraceEvent) => Voice::Series,
            ModelId::Linux2_6_33 => Voice::Nothing,
            ModelId::Linux3_10 | ModelId::Linux3_18 | ModelId::Linux4_4 | ModelId::Linux4_14 | ModelId::Linux5_4 => {
                Voice::Calls
            }
            ModelId::Linux5_10 => Voice::Everything(Form::Linux5_10),
            ModelId::Linux6_1 => Voice::Everything(Form::Linux6_1),
            ModelId::Linux6_12 => Voice::Everything(Form::Linux6_12),
            ModelId::Linux7_2 | ModelId::Linux7_3Rc => Voice::Everything(Form::Linux7_2),
        }
    }

    /// In whose form the lines are.
    pub(super) fn form(self) -> Form {
        match self {
            Voice::Nothing | Voice::Series => Form::Linux2_6_33,
            Voice::Calls => Form::Linux5_10,
            Voice::Everything(form) => form,
        }
    }

    /// Whether the kernel prints this event.
    pub(super) fn says(self, event: &Tracepoint<'_>) -> bool {
        match self {
            Voice::Nothing => false,
            Voice::Calls => matches!(event, Tracepoint::SysEnter(_) | Tracepoint::SysExit(_)),
            Voice::Series | Voice::Everything(_) => event.exists_in(self.form()),
        }
    }

    /// Whether the header says how many lines follow.
    pub(super) fn counts_in_header(self) -> bool {
        self.form() != Form::Linux2_6_33
    }

    /// What the header says about lines that a reader may miss.
    pub(super) fn notes(self, model: &str, posting: Posting) -> Vec<String> {
        match self {
            Voice::Nothing if model == ModelId::Linux2_6_33.name() => {
                vec![format!("{model} has no readahead events; with the patch trace-event it prints one line a window")]
            }
            Voice::Nothing => vec![format!("{model} has no tracepoints: there are no lines")],
            Voice::Series => vec![format!("print fmt of the event: {}", posting.print_format())],
            Voice::Calls => vec![format!(
                "system calls only, as linux-5.10 prints them: the texts of other events of {model} are not known here"
            )],
            Voice::Everything(Form::Linux6_12) => vec![format!("{model} has no readahead events")],
            Voice::Everything(Form::Linux7_2) => Vec::new(),
            Voice::Everything(_) => {
                vec![format!("{model} has no readahead events, and none of get_pages, map_pages and fault")]
            }
        }
    }

    /// Device and inode of a block device node in the page cache: the device of the file system that holds such nodes, and
    /// the device number (0 in linux-5.10).
    pub(super) fn block_device_inode(self, disk: Dev) -> (Dev, u64) {
        let minor = if self.form() >= Form::Linux7_2 { 4 } else { 3 };
        let ino = if self.form() >= Form::Linux6_1 { u64::from(disk.major) << 20 | u64::from(disk.minor) } else { 0 };
        (Dev { major: 0, minor }, ino)
    }
}
