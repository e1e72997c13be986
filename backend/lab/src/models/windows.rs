//! The window tables of a model: what a sequential reader gets for each size of its reads, what one read elsewhere
//! gets, and what the other ways into readahead get. All of it is decided by the model's own code.

use super::settings::Settings;
use super::stream::{Decided, PAGES_MOST, Stream};
use readahead_policy::{Mapping, ModelId, Patches};
use serde::Serialize;

/// Sizes of the reads, in pages.
pub const REQUESTS: &[u64] = &[1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
/// Windows that a row lists.
pub const LISTED: usize = 8;
/// Windows of a walk.
pub const STEPS: usize = 24;
/// Pages over which windows are counted: 16 MiB.
pub const COUNTED_PAGES: u64 = 4096;
/// The page of a read, or of a fault, that follows nothing.
const ELSEWHERE: u64 = 10_007;
/// Pages of the range asked for in advance: 64 MiB.
const ADVISED_PAGES: u64 = 16 << 10;

/// One size of reads.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Pages of each read.
    pub request: u64,
    /// The first windows, in order.
    pub windows: Vec<Cell>,
    /// Windows decided over the first 16 MiB.
    pub counted: u64,
    /// The same read far from everything that was read before, on a handle just opened.
    pub elsewhere: Option<Cell>,
}

/// One window.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    /// First page.
    pub start: u64,
    /// Pages.
    pub size: u64,
    /// Pages behind the marker.
    pub async_size: u64,
    /// The page that triggered it.
    pub index: u64,
    /// Pages that the call still wanted there.
    pub req: u64,
    /// The limit that applied; 0 where none was computed.
    pub max: u64,
    /// How it came to be read.
    pub via: &'static str,
    /// The branch.
    pub reason: &'static str,
    /// What was done to it afterwards; `none` when nothing was.
    pub trim: &'static str,
    /// Less than half of it was left when its end was aligned.
    pub below_half: bool,
    /// Why, in a sentence.
    pub sentence: String,
}

/// One other way in.
#[derive(Clone, Debug, Serialize)]
pub struct OtherWay {
    /// What the program did.
    pub what: &'static str,
    /// The branch; nothing where the kernel has no such call.
    pub reason: &'static str,
    /// What was decided, in a sentence.
    pub sentence: String,
}

impl Cell {
    fn of(decided: &Decided) -> Option<Self> {
        let window = decided.window?;
        Some(Cell {
            start: window.start,
            size: window.size,
            async_size: window.async_size,
            index: decided.index,
            req: decided.req,
            max: decided.max,
            via: decided.via.name(),
            reason: decided.reason.code(),
            trim: decided.trim.code(),
            below_half: decided.trim.below_half(),
            sentence: readahead_types::reason::sentence(&decided.reason, &decided.trim),
        })
    }
}

/// The rows for every size of reads.
pub fn table(model: ModelId, patches: Patches, settings: &Settings) -> Vec<Row> {
    REQUESTS.iter().map(|request| row(model, patches, settings, *request)).collect()
}

/// The row for one size of reads.
pub fn row(model: ModelId, patches: Patches, settings: &Settings, request: u64) -> Row {
    let mut stream = Stream::open(model, patches, settings);
    let mut at = 0;
    let mut counted = None;
    while at < PAGES_MOST {
        stream.read(at, request);
        at += request;
        if at >= COUNTED_PAGES {
            let within = |decided: &&Decided| decided.index < COUNTED_PAGES && decided.window.is_some();
            counted.get_or_insert_with(|| stream.decided.iter().filter(within).count() as u64);
            if stream.decided.len() >= LISTED || stream.decided.is_empty() {
                break;
            }
        }
    }
    let windows = stream.decided.iter().filter_map(Cell::of).take(LISTED).collect();
    let mut once = Stream::open(model, patches, settings);
    once.read(ELSEWHERE, request);
    let elsewhere = once.decided.first().and_then(Cell::of);
    Row { request, windows, counted: counted.unwrap_or_default(), elsewhere }
}

/// The windows of one size of reads, one by one, as long as a list of them may be.
pub fn steps(model: ModelId, patches: Patches, settings: &Settings, request: u64) -> Vec<Cell> {
    let mut stream = Stream::open(model, patches, settings);
    let mut at = 0;
    while at < PAGES_MOST && stream.decided.len() < STEPS {
        stream.read(at, request);
        at += request;
        if at >= COUNTED_PAGES && stream.decided.is_empty() {
            break;
        }
    }
    stream.decided.iter().filter_map(Cell::of).take(STEPS).collect()
}

/// Faults by the mapping's advice, and a range asked for in advance; none for linux-2.4's faults, which read aligned
/// clusters whatever was read before.
pub fn other_ways(model: ModelId, patches: Patches, settings: &Settings) -> Vec<OtherWay> {
    let mapping = Mapping { pages: 1 << 24, ..Mapping::default() };
    let faults = [
        ("a fault in a mapping without advice", mapping),
        ("a fault after MADV_SEQUENTIAL", Mapping { sequential: true, ..mapping }),
        ("a fault after MADV_RANDOM", Mapping { random: true, ..mapping }),
        ("a fault after MADV_HUGEPAGE", Mapping { huge: true, ..mapping }),
        ("a fault in an executable mapping", Mapping { exec: true, ..mapping }),
    ];
    let mut ways = Vec::new();
    let mut tell = |what, stream: &Stream| {
        let Some(decided) = stream.decided.first() else { return };
        let sentence = readahead_types::reason::sentence(&decided.reason, &decided.trim);
        ways.push(OtherWay { what, reason: decided.reason.code(), sentence });
    };
    for (what, mapping) in faults {
        let mut stream = Stream::open(model, patches, settings);
        if model == ModelId::Linux2_4_23 {
            stream.fault_old(ELSEWHERE, &mapping);
        } else {
            stream.fault(ELSEWHERE, &mapping);
        }
        tell(what, &stream);
    }
    let mut stream = Stream::open(model, patches, settings);
    stream.will_need(0, ADVISED_PAGES);
    let advised = if model == ModelId::Linux2_4_23 {
        "readahead(2) of 64 MiB"
    } else {
        "posix_fadvise WILLNEED of 64 MiB, or readahead(2)"
    };
    tell(advised, &stream);
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use readahead_policy::MODELS;

    fn sizes(row: &Row) -> Vec<u64> {
        row.windows.iter().map(|window| window.size).collect()
    }

    #[test]
    fn reads_of_a_page_grow_from_4_to_the_limit() {
        // The series of every on-demand kernel at 128 KiB: first_size(1, 32) = 4, then twice until 32.
        // In linux-6.1 the first folio of a file on XFS carries the marker of its own window (vector 6.1-seq-4k), and
        // linux-7.2 cuts the end of the third window to a multiple of 16 (vector 7.2-seq-4k).
        for info in MODELS.iter().filter(|info| info.id != ModelId::Linux2_4_23) {
            let settings = Settings::usual(info.id, Patches::default());
            let row = row(info.id, Patches::default(), &settings, 1);
            let expected = match info.id {
                ModelId::Linux6_1 => [4, 4, 24, 32, 32],
                ModelId::Linux7_2 | ModelId::Linux7_3Rc => [4, 8, 4, 8, 8],
                _ => [4, 8, 16, 32, 32],
            };
            assert_eq!(sizes(&row)[..5], expected, "{}", info.name);
            assert_eq!(row.windows[0].async_size, 3, "{}", info.name);
            let small = Settings { large_folios: false, ..settings };
            assert_eq!(
                sizes(&super::row(info.id, Patches::default(), &small, 1))[..4],
                [4, 8, 16, 32],
                "{}",
                info.name
            );
        }
    }

    #[test]
    fn a_request_above_the_limit_reaches_max_sectors_since_4_10() {
        let first = |name: &str| {
            let model = ModelId::parse(name).unwrap();
            let settings = Settings::usual(model, Patches::default());
            row(model, Patches::default(), &settings, 256).elsewhere.unwrap().size
        };
        // linux-4.4 keeps to 32 pages; what starts where it is read is merged with the next window up to linux-4.17.
        assert_eq!(first("linux-4.4"), 64);
        assert_eq!(first("linux-4.14"), 256);
        assert_eq!(first("linux-5.10"), 128);
        assert_eq!(first("linux-7.2"), 128);
    }

    #[test]
    fn no_memory_stops_readahead_of_the_old_limit_and_not_of_the_proposed_one() {
        let model = ModelId::Linux3_10;
        let empty = Settings { memory_mb: 0, ..Settings::usual(model, Patches::default()) };
        let row_of = |patches: &[&str]| row(model, Patches::parse(model, patches).unwrap(), &empty, 8);
        assert!(row_of(&[]).windows.iter().all(|window| window.size == 0));
        assert_eq!(sizes(&row_of(&["aquini-max"]))[..3], [16, 32, 32]);
    }

    #[test]
    fn every_model_answers_every_request() {
        for info in MODELS {
            let settings = Settings::usual(info.id, Patches::default());
            for row in table(info.id, Patches::default(), &settings) {
                assert_eq!(row.windows.len(), LISTED, "{} {}", info.name, row.request);
                assert!(row.counted > 0 && row.elsewhere.is_some() || info.id == ModelId::Linux2_4_23, "{}", info.name);
            }
            assert!(other_ways(info.id, Patches::default(), &settings).len() > 3, "{}", info.name);
        }
    }
}
