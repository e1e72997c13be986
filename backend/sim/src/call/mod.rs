//! What tasks do in the kernel: one file a system call or fault. A call is a state machine that is advanced section by
//! section; between sections it may sleep.

pub(crate) mod advise;
pub(crate) mod fault;
pub(crate) mod read;

use crate::cache::FolioId;

/// How a section of a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The call goes on in the next section.
    Again,
    /// The call sleeps until this folio is uptodate.
    Sleep(FolioId),
    /// The call sleeps until memory may be free.
    Starved,
    /// The call returned.
    Returned,
}
