//! From bytes to text: recognises packed input by its first bytes and unpacks it as a stream. Must not know lines.

use crate::error::TraceError;
use std::io::{self, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the input is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Packing {
    /// Not at all.
    Plain,
    /// gzip, one or several members.
    Gzip,
    /// zstd.
    Zstd,
    /// atrace's: a line `TRACE:`, then a zlib stream.
    Zlib,
}

/// How much of an input was taken so far.
#[derive(Clone, Debug, Default)]
pub struct Taken(Arc<AtomicU64>);

impl Taken {
    /// Bytes, packed if the input is packed.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A stream of text, and how many bytes of the input it has taken so far.
pub(crate) struct Input<'r> {
    pub(crate) packing: Packing,
    pub(crate) taken: Taken,
    text: Box<dyn Read + Send + 'r>,
}

/// Bytes that are looked at to recognise packing.
const HEAD_BYTES: usize = 16;

impl<'r> Input<'r> {
    /// Recognises the packing.
    pub(crate) fn new(reader: impl Read + Send + 'r) -> Result<Self, TraceError> {
        let taken = Taken::default();
        let mut reader = Counted { reader, taken: taken.clone() };
        let mut head = Vec::with_capacity(HEAD_BYTES);
        reader
            .by_ref()
            .take(HEAD_BYTES as u64)
            .read_to_end(&mut head)
            .map_err(|source| TraceError::Read { offset: 0, source })?;
        if head.is_empty() {
            return Err(TraceError::Empty);
        }
        let atrace = atrace_header_bytes(&head);
        let packing = match head.as_slice() {
            [0x1f, 0x8b, ..] => Packing::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
            _ if atrace.is_some() => Packing::Zlib,
            _ => Packing::Plain,
        };
        if let Some((what, advice)) = unsupported(&head) {
            return Err(TraceError::Unsupported { what, advice });
        }
        let whole = Cursor::new(head.split_off(atrace.unwrap_or(0))).chain(reader);
        let text: Box<dyn Read + Send + 'r> = match packing {
            Packing::Plain => Box::new(whole),
            Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(whole)),
            Packing::Zlib => Box::new(flate2::read::ZlibDecoder::new(whole)),
            Packing::Zstd => Box::new(
                zstd::stream::read::Decoder::new(whole).map_err(|source| TraceError::Read { offset: 0, source })?,
            ),
        };
        Ok(Input { packing, taken, text })
    }
}

impl Read for Input<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.text.read(buffer)
    }
}

/// Bytes in front of the zlib stream of `atrace -z` output.
fn atrace_header_bytes(head: &[u8]) -> Option<usize> {
    let rest = head.strip_prefix(b"TRACE:")?;
    let blank = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
    // A zlib stream with the usual window starts with 0x78.
    (blank > 0 && rest.get(blank) == Some(&0x78)).then_some(b"TRACE:".len() + blank)
}

/// Formats that are recognised to be told apart from noise.
fn unsupported(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const KNOWN: [(&[u8], &str, &str); 8] = [
        (
            b"\x17\x08\x44tracing",
            "a trace.dat file of trace-cmd",
            "print it with `trace-cmd report` and give that text",
        ),
        (b"PERFILE2", "a perf.data file", "print it with `perf script`"),
        (b"\xfd7zXZ\0", "packed with xz", "unpack it, or pack it with gzip or zstd"),
        (b"BZh", "packed with bzip2", "unpack it, or pack it with gzip or zstd"),
        (b"PK\x03\x04", "a zip archive", "unpack it, or pack the trace with gzip or zstd"),
        (b"\xff\xfe", "UTF-16 text", "save it as UTF-8"),
        (b"\xfe\xff", "UTF-16 text", "save it as UTF-8"),
        (b"\x7fELF", "an executable", "give the text of a trace"),
    ];
    KNOWN.iter().find(|(magic, _, _)| head.starts_with(magic)).map(|(_, what, advice)| (*what, *advice))
}

/// Counts what is taken from the input.
struct Counted<R> {
    reader: R,
    taken: Taken,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.reader.read(buffer)?;
        self.taken.0.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}
