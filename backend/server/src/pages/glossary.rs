//! The terms of art that pages explain on hover, on focus and on the page "Learn".
//!
//! Must not know where they are used.

/// A term and what it means here.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term {
    /// Its name in links: `term-{key}`.
    pub(super) key: &'static str,
    /// As it is written.
    pub(super) name: &'static str,
    /// What it means, in one or two sentences.
    pub(super) text: &'static str,
}

const fn term(key: &'static str, name: &'static str, text: &'static str) -> Term {
    Term { key, name, text }
}

/// Every term, in the order in which they build on each other.
pub(super) const TERMS: &[Term] = &[
    term(
        "page-cache",
        "page cache",
        "The part of memory where the kernel keeps the contents of files, in pages of 4 KiB.",
    ),
    term(
        "readahead",
        "readahead",
        "Reading pages of a file before the program asks for them, so that it finds them in memory.",
    ),
    term(
        "window",
        "readahead window",
        "A run of pages that the kernel decides to read in one go: where it starts, how many pages, and how many of them lie behind the marker.",
    ),
    term(
        "marker",
        "marker",
        "A flag on one folio of a window. When the reader reaches it, the next window is started while there is still something to read.",
    ),
    term(
        "async",
        "async part",
        "The pages of a window from the marker on. While the reader uses them the next window is already being read.",
    ),
    term("sync", "synchronous", "The wanted page is missing, so the window is read while the program waits."),
    term(
        "folio",
        "folio",
        "One or more pages that memory management handles as one unit; its order is the power of two of its pages: order 4 is 16 pages, 64 KiB.",
    ),
    term(
        "ra-pages",
        "read_ahead_kb",
        "The largest ordinary window of a device, in KiB (queue/read_ahead_kb). The kernel calls it ra_pages, in pages.",
    ),
    term(
        "max-sectors",
        "max_sectors_kb",
        "The largest single request to the device, in KiB (queue/max_sectors_kb). A request of the program above read_ahead_kb may raise the window up to this.",
    ),
    term(
        "device-reads",
        "device reads",
        "Requests for file data that reached the device, after bios were split and merged. Fewer and larger is better on most devices.",
    ),
    term(
        "aligned",
        "aligned end",
        "From linux-7.2 on the end of an async window is cut to a multiple of the folio size aimed at, so that the next window starts on a boundary.",
    ),
    term(
        "below-half",
        "cut below half",
        "A window whose end was cut so far that less than half of it was left. The rest has to be read by a window of its own.",
    ),
    term(
        "thrashing",
        "thrashing",
        "Pages that were read ahead are evicted before the program reaches them, and have to be read again.",
    ),
    term("evicted-unused", "evicted before use", "Pages that reclaim dropped before the program used them."),
    term(
        "unused",
        "never used",
        "Pages that were read and that the program did not use before the run ended or they were evicted.",
    ),
    term("waits", "waits", "Times that a task slept until a page was uptodate, and how long it slept."),
    term("queue-depth", "queue depth", "Requests that are in the device at one moment."),
    term(
        "virtual-time",
        "virtual time",
        "The clock of an emulated run. It moves from event to event, so a run takes as long as its device and program would, not as long as this computer needs.",
    ),
    term(
        "simulated",
        "SIMULATED",
        "Device and clock are emulated. Decisions, folios and request counts follow the kernel's code; times follow the device's parameters.",
    ),
    term(
        "measured",
        "MEASURED",
        "A figure from a real kernel on a real or virtual machine: from a source that is named, or from an uploaded trace.",
    ),
    term("reason", "Reason", "The branch of the kernel's code that a decision took, with the numbers it used."),
    term(
        "agreement",
        "agreement",
        "The share of recorded decisions that a model repeats exactly: start, size, async part and order of the window, and the folios.",
    ),
];
