//! How fast trace text is read on one core: repeats a file (plain or packed) in memory and prints MB/s for the records
//! alone and for a whole inspection.
//!
//! `cargo run --release -p readahead-trace --example trace_speed -- FILE`

use readahead_trace::{Item, TraceReader, inspect};
use std::error::Error;
use std::io::Read;
use std::time::Instant;

/// Text that is read in each measurement.
const BYTES: usize = 512 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: trace_speed FILE")?;
    let packed = std::fs::read(&path)?;
    let mut text = Vec::new();
    if packed.starts_with(&[0x1f, 0x8b]) {
        flate2::read::MultiGzDecoder::new(packed.as_slice()).read_to_end(&mut text)?;
    } else {
        text = packed;
    }
    let times = (BYTES / text.len().max(1)).max(1);
    let bytes = (times * text.len()) as f64;

    for _ in 0..3 {
        let (mut records, mut pages) = (0u64, 0u64);
        let start = Instant::now();
        let mut reader = TraceReader::new(Repeat { text: &text, at: 0, times })?;
        reader.for_each(|item| {
            if let Item::Record(record) = item {
                records += 1;
                pages += u64::from(record.pid.is_some());
            }
        })?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "records     {:7.0} MB/s, {:5.1} ns a record ({records} records, {pages} with a pid, {} lines skipped)",
            bytes / seconds / 1e6,
            seconds * 1e9 / records.max(1) as f64,
            reader.skipped().iter().map(|skipped| skipped.count).sum::<u64>()
        );
        let start = Instant::now();
        let inspection = inspect(Repeat { text: &text, at: 0, times }, |_| ())?;
        let seconds = start.elapsed().as_secs_f64();
        println!("inspection  {:7.0} MB/s ({} kinds of events)", bytes / seconds / 1e6, inspection.events.len());
    }
    Ok(())
}

/// A text, again and again.
struct Repeat<'a> {
    text: &'a [u8],
    at: usize,
    times: usize,
}

impl Read for Repeat<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.times == 0 {
            return Ok(0);
        }
        let bytes = (&self.text[self.at..]).read(buffer)?;
        self.at += bytes;
        if self.at == self.text.len() {
            (self.at, self.times) = (0, self.times - 1);
        }
        Ok(bytes)
    }
}
