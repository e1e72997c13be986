//! The same records come out however the input is cut into pieces.

use crate::fixtures::{fixture, fixture_names, packed_fixture};
use readahead_trace::{TraceReader, inspect};
use std::io::Read;

/// Gives at most `step` bytes a call.
struct Pieces<'a> {
    bytes: &'a [u8],
    step: usize,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let bytes = self.step.min(buffer.len());
        (&mut self.bytes).take(bytes as u64).read(buffer)
    }
}

fn items(reader: impl Read + Send) -> Vec<String> {
    let mut items = Vec::new();
    let mut reader = TraceReader::new(reader).unwrap();
    reader.for_each(|item| items.push(format!("{item:?}"))).unwrap();
    items.push(format!("{:?} {:?} {}", reader.skipped(), reader.header(), reader.lines()));
    items
}

#[test]
fn one_byte_at_a_time() {
    for name in fixture_names() {
        let text = fixture(&name);
        let whole = items(text.as_slice());
        assert_eq!(items(Pieces { bytes: &text, step: 1 }), whole, "{name}");
        assert_eq!(items(Pieces { bytes: &text, step: 4099 }), whole, "{name}");
        assert_eq!(items(Pieces { bytes: &packed_fixture(&name), step: 1 }), whole, "{name}, packed");
    }
}

#[test]
fn pulled_and_pushed_items_are_the_same() {
    for name in fixture_names() {
        let text = fixture(&name);
        let mut pulled = Vec::new();
        let mut reader = TraceReader::new(text.as_slice()).unwrap();
        while let Some(item) = reader.next_item().unwrap() {
            pulled.push(format!("{item:?}"));
        }
        let mut pushed = items(text.as_slice());
        pushed.pop();
        assert_eq!(pulled, pushed, "{name}");
    }
}

/// The packed forms of one text give one inspection (but for the packing).
#[test]
fn packings() {
    let text = fixture("7.2-xfs-A1.head.gz");
    let zlib = {
        let mut out = b"TRACE:\n".to_vec();
        flate2::read::ZlibEncoder::new(text.as_slice(), flate2::Compression::fast()).read_to_end(&mut out).unwrap();
        out
    };
    let two_members = {
        let middle = text.iter().position(|byte| *byte == b'\n').unwrap() + 100;
        let mut out = Vec::new();
        for part in [&text[..middle], &text[middle..]] {
            flate2::read::GzEncoder::new(part, flate2::Compression::fast()).read_to_end(&mut out).unwrap();
        }
        out
    };
    let plain = inspect(text.as_slice(), |_| ()).unwrap();
    for (packing, packed) in [
        ("gzip", packed_fixture("7.2-xfs-A1.head.gz")),
        ("gzip", two_members),
        ("zstd", zstd::encode_all(text.as_slice(), 1).unwrap()),
        ("zlib", zlib),
    ] {
        let mut progress = Vec::new();
        let inspection = inspect(packed.as_slice(), |bytes| progress.push(bytes)).unwrap();
        let mut left = serde_json::to_value(&plain).unwrap();
        left["packing"] = packing.into();
        assert_eq!(left, serde_json::to_value(&inspection).unwrap(), "{packing}");
        assert_eq!(progress.last(), Some(&(packed.len() as u64)));
    }
}
