//! Which open files and mappings a program has at each of its operations: a call on one that it has not would do
//! nothing, and is refused.

use super::check::{Place, range};
use super::file::StreamPart;
use super::ops::{OpName, OpPart};
use crate::LabError;
use readahead_sim::world::FileSpec;
use readahead_types::Bytes;
use std::collections::BTreeMap;

/// An open file of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Handle {
    bytes: u64,
    mapped: bool,
}

/// What a program has open, by its own numbers.
struct Handles<'a> {
    files: &'a [FileSpec],
    /// Size of the stream's file.
    bytes: u64,
    open: BTreeMap<u32, Handle>,
}

/// Refuses operations on what is not open or not mapped. Programs are short enough and nest little, as
/// [`super::work`] has checked.
pub(crate) fn check(streams: &[StreamPart], files: &[FileSpec], place: &Place) -> Result<(), LabError> {
    for (index, stream) in streams.iter().enumerate() {
        let bytes = stream.file.as_ref().and_then(|name| named(files, name)).map_or(0, |file| file.bytes.0);
        let open = BTreeMap::from([(0, Handle { bytes, mapped: false })]);
        let mut handles = Handles { files, bytes, open };
        handles.program(stream.ops.as_deref().unwrap_or_default(), &place.item(index).key("ops"))?;
    }
    Ok(())
}

/// The file of this name; all copies of a file are alike.
fn named<'a>(files: &'a [FileSpec], name: &str) -> Option<&'a FileSpec> {
    super::check::find_file(files, name).map(|place| &files[place])
}

impl Handles<'_> {
    fn program(&mut self, ops: &[OpPart], place: &Place) -> Result<(), LabError> {
        ops.iter().enumerate().try_for_each(|(index, op)| self.op(op, &place.item(index)))
    }

    fn op(&mut self, op: &OpPart, place: &Place) -> Result<(), LabError> {
        let fh = op.fh.unwrap_or(0);
        match op.op {
            OpName::Think | OpName::DropCaches => {}
            OpName::Open => {
                let file = op.file.as_ref().and_then(|name| named(self.files, name));
                let bytes = file.map_or(self.bytes, |file| file.bytes.0);
                self.open.insert(fh, Handle { bytes, mapped: false });
            }
            OpName::Close => {
                self.handle(fh, place)?;
                self.open.remove(&fh);
            }
            OpName::Read | OpName::Lseek | OpName::LseekEnd | OpName::Fadvise | OpName::Readahead | OpName::Evict => {
                self.handle(fh, place)?;
            }
            OpName::Mmap => {
                let handle = self.handle(fh, place)?;
                if handle.bytes == 0 {
                    let message =
                        format!("the file of `fh` {fh} has 0 bytes, and no mapping of it; expected 1 at least");
                    return Err(place.error("scenario.cannot_map", message));
                }
                handle.mapped = true;
            }
            OpName::Fault | OpName::Touch => {
                let handle = *self.handle(fh, place)?;
                if !handle.mapped {
                    let message = format!("`fh` {fh} is not mapped here; expected an earlier `mmap` of it");
                    return Err(place.key("fh").error("scenario.not_mapped", message));
                }
                // A page behind the last one cannot be touched at all.
                range(&place.key("index"), op.index.unwrap_or(0), 0, Bytes(handle.bytes).pages_up().0 - 1)?;
            }
            OpName::Repeat => {
                let ops = op.ops.as_deref().unwrap_or_default();
                let before = self.open.clone();
                self.program(ops, &place.key("ops"))?;
                // The second round begins with what the first one left, and every later one with the same.
                if op.count.unwrap_or(0) > 1 && self.open != before {
                    self.program(ops, &place.key("ops"))?;
                }
            }
        }
        Ok(())
    }

    fn handle(&mut self, fh: u32, place: &Place) -> Result<&mut Handle, LabError> {
        self.open.get_mut(&fh).ok_or_else(|| {
            let message = format!("`fh` {fh} is not open here; expected 0, or one that an earlier `open` of this stream opens, not closed since");
            place.key("fh").error("scenario.not_open", message)
        })
    }
}
