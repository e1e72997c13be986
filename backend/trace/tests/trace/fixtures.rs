//! Fixtures: heads of captures that were made on stock kernels, packed with gzip.

use std::io::Read;
use std::path::PathBuf;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// The names of the fixtures, in order.
pub(crate) fn fixture_names() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".gz"))
        .collect();
    names.sort();
    names
}

/// A fixture as packed.
pub(crate) fn packed_fixture(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A fixture's text.
pub(crate) fn fixture(name: &str) -> Vec<u8> {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(packed_fixture(name).as_slice()).read_to_end(&mut text).unwrap();
    text
}
