//! A recording as one file: a header line, then zstd over the scenario, the summary and the encoded chunks.
//!
//! Must not know where files live or how long they are kept.

use super::codec::{Coded, Reader};
use super::log::{Chunk, Logged};
use super::recording::{Recording, RunState};
use crate::LabError;
use crate::metrics::Summary;
use crate::scenario::Scenario;
use readahead_types::{Decision, Event, Nanos};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::Arc;

/// First bytes of the file. The digit counts the versions of the form.
const MAGIC: &[u8] = b"readahead-lab recording 2\n";
/// The level at which zstd is still faster than the disk.
const ZSTD_LEVEL: i32 = 3;
/// No part of a recording is larger; what claims to be is not a recording.
const PART_BYTES_MAX: u64 = 1 << 30;

/// What stands before the chunks.
#[derive(Serialize, Deserialize)]
struct Head {
    engine_version: String,
    scenario: serde_json::Value,
    state: RunState,
    summary: Option<Summary>,
    now_ns: u64,
    event_chunks: u64,
    decision_chunks: u64,
}

impl Recording {
    /// Writes the recording; the file appears whole or not at all.
    pub fn save(&self, path: &Path) -> Result<(), LabError> {
        let partial = path.with_extension("partial");
        let written = self.write(&partial).and_then(|()| std::fs::rename(&partial, path));
        written.map_err(|error| {
            // A partial file that cannot be removed either is found and replaced by the next save.
            let _ = std::fs::remove_file(&partial);
            LabError::new("recording.cannot_save", format!("{}: cannot be written: {error}", path.display()))
        })
    }

    fn write(&self, path: &Path) -> std::io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(MAGIC)?;
        let mut out = zstd::Encoder::new(file, ZSTD_LEVEL)?;
        let (events, decisions) = (self.event_chunks(), self.decision_chunks());
        let head = Head {
            engine_version: crate::ENGINE_VERSION.to_string(),
            scenario: self.scenario().canonical_value().clone(),
            state: self.state(),
            summary: self.summary(),
            now_ns: self.now().0,
            event_chunks: events.len() as u64,
            decision_chunks: decisions.len() as u64,
        };
        write_part(&mut out, &serde_json::to_vec(&head)?)?;
        for chunk in events.iter().chain(&decisions) {
            write_chunk(&mut out, chunk)?;
        }
        out.finish()?.into_inner().map_err(|error| error.into_error())?.sync_all()
    }

    /// Reads a recording that this version of the engine has saved.
    pub fn load(path: &Path) -> Result<Self, LabError> {
        let bad = |what: &str| LabError::new("recording.damaged", format!("{}: {what}", path.display()));
        let cannot = |error: std::io::Error| {
            LabError::new("recording.cannot_read", format!("{}: cannot be read: {error}", path.display()))
        };
        let mut file = BufReader::new(File::open(path).map_err(cannot)?);
        let mut magic = vec![0; MAGIC.len()];
        file.read_exact(&mut magic).map_err(|_| bad("too short for a recording"))?;
        if magic != MAGIC {
            return Err(bad("not a recording of this lab, or one of another version"));
        }
        let mut from = zstd::Decoder::with_buffer(file).map_err(cannot)?;
        let damaged = |error: std::io::Error| bad(&format!("damaged: {error}"));
        let head: Head = serde_json::from_slice(&read_part(&mut from).map_err(damaged)?)
            .map_err(|error| bad(&format!("its head is not understood: {error}")))?;
        if head.engine_version != crate::ENGINE_VERSION {
            return Err(LabError::new(
                "recording.other_version",
                format!(
                    "{}: recorded by engine {}, this is {}",
                    path.display(),
                    head.engine_version,
                    crate::ENGINE_VERSION
                ),
            ));
        }
        let scenario = Scenario::from_json(&head.scenario.to_string(), "recording")?;
        let recording = Recording::new(&scenario);
        let (mut events_at, mut decisions_at) = (0, 0);
        for _ in 0..head.event_chunks {
            let chunk = read_chunk::<Event>(&mut from, &mut events_at).map_err(damaged)?;
            recording.append(chunk, empty(decisions_at), Nanos(head.now_ns));
        }
        for _ in 0..head.decision_chunks {
            let chunk = read_chunk::<Decision>(&mut from, &mut decisions_at).map_err(damaged)?;
            recording.append(empty(events_at), chunk, Nanos(head.now_ns));
        }
        recording.finish(head.state, head.summary);
        Ok(recording)
    }
}

fn empty(first: usize) -> Chunk {
    Chunk { first, count: 0, base: Nanos(0), bytes: Box::default() }
}

fn write_part(out: &mut impl Write, bytes: &[u8]) -> std::io::Result<()> {
    out.write_all(&(bytes.len() as u64).to_le_bytes())?;
    out.write_all(bytes)
}

fn read_part(from: &mut impl Read) -> std::io::Result<Vec<u8>> {
    let mut len = [0; 8];
    from.read_exact(&mut len)?;
    let len = u64::from_le_bytes(len);
    if len > PART_BYTES_MAX {
        return Err(invalid("a part is impossibly long"));
    }
    let mut bytes = Vec::new();
    // take + read_to_end grows with what is really there, not with what the length claims.
    if from.take(len).read_to_end(&mut bytes)? as u64 != len {
        return Err(invalid("a part is cut short"));
    }
    Ok(bytes)
}

fn write_chunk(out: &mut impl Write, chunk: &Arc<Chunk>) -> std::io::Result<()> {
    let mut part = Vec::with_capacity(chunk.bytes.len() + 16);
    (chunk.count as u64).put(&mut part);
    chunk.base.put(&mut part);
    part.extend_from_slice(&chunk.bytes);
    write_part(out, &part)
}

fn read_chunk<T: Logged>(from: &mut impl Read, at: &mut usize) -> std::io::Result<Chunk> {
    let part = read_part(from)?;
    let mut reader = Reader::new(&part);
    let head = u64::get(&mut reader).and_then(|count| Ok((count, Nanos::get(&mut reader)?)));
    let (count, base) = head.map_err(|_| invalid("a chunk has no head"))?;
    // A value is one byte at least, so a count above the length is a lie.
    let count = usize::try_from(count).ok().filter(|count| *count <= part.len());
    let count = count.ok_or_else(|| invalid("a chunk claims more than it holds"))?;
    let rest = reader.rest();
    let chunk = Chunk { first: *at, count, base, bytes: rest.into() };
    chunk.check::<T>().map_err(|_| invalid("a chunk does not decode"))?;
    *at += count;
    Ok(chunk)
}

fn invalid(what: &str) -> std::io::Error {
    std::io::Error::new(std::io::ErrorKind::InvalidData, what.to_string())
}
