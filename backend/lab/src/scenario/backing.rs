//! Whose readahead limit a run has: the disk's, or that of a file system with a bdi of its own.
//!
//! Owns which keys belong to which file system, and that all files of a run share one limit.

use super::check::{Place, range};
use super::defaults::{Backing, needs_rsize};
use super::file::{FilePart, Filesystem};
use crate::LabError;
use readahead_policy::ModelId;

const RSIZE_BYTES_MAX: u64 = 16 << 20;
const DEVICES_MAX: u64 = 1024;
const NEGOTIATED_BYTES_MAX: u64 = 1 << 30;

/// The limit that all files share.
pub(super) fn of(files: &[FilePart], model: ModelId, place: &Place) -> Result<Backing, LabError> {
    let mut shared: Option<(Backing, &FilePart)> = None;
    for (index, file) in files.iter().enumerate() {
        let place = place.item(index);
        let backing = of_file(file, model, &place)?;
        match shared {
            None => shared = Some((backing, file)),
            Some((other, _)) if other == backing => {}
            Some((_, first)) => {
                let (one, two) = (file.filesystem.name(), first.filesystem.name());
                let message = format!(
                    "`{one}` has another readahead limit than file.0 on `{two}`, and a run has one; expected files of one mount"
                );
                return Err(place.key("filesystem").error("scenario.contradiction", message));
            }
        }
    }
    Ok(shared.map_or(Backing::Disk, |(backing, _)| backing))
}

fn of_file(file: &FilePart, model: ModelId, place: &Place) -> Result<Backing, LabError> {
    for (key, given, owner) in [
        ("nfs_rsize", file.nfs_rsize.is_some(), Filesystem::Nfs),
        ("fuse_max_readahead", file.fuse_max_readahead.is_some(), Filesystem::Fuse),
        ("btrfs_devices", file.btrfs_devices.is_some(), Filesystem::Btrfs),
    ] {
        if given && file.filesystem != owner {
            let message = format!("given for `{}`; expected only with `{}`", file.filesystem.name(), owner.name());
            return Err(place.key(key).error("scenario.contradiction", message));
        }
    }
    let younger = matches!(file.filesystem, Filesystem::Btrfs | Filesystem::Fuse);
    if younger && model == ModelId::Linux2_4_23 {
        let message = format!(
            "the lab has no `{}` for {}; expected xfs or ext4, which stand for any file system on a disk there, blockdev or nfs",
            file.filesystem.name(),
            model.name()
        );
        return Err(place.key("filesystem").error("scenario.contradiction", message));
    }
    match file.filesystem {
        Filesystem::Xfs | Filesystem::Ext4 | Filesystem::Blockdev => Ok(Backing::Disk),
        Filesystem::Btrfs => {
            let devices = range(&place.key("btrfs_devices"), file.btrfs_devices.unwrap_or(1), 1, DEVICES_MAX)?;
            Ok(Backing::Btrfs { devices })
        }
        Filesystem::Fuse => {
            let place = place.key("fuse_max_readahead");
            let bytes =
                file.fuse_max_readahead.map(|size| range(&place, size.0, 0, NEGOTIATED_BYTES_MAX)).transpose()?;
            Ok(Backing::Fuse { max_readahead: bytes })
        }
        Filesystem::Nfs => {
            let place = place.key("nfs_rsize");
            match file.nfs_rsize {
                Some(size) => Ok(Backing::Nfs { rsize: range(&place, size.0, 1, RSIZE_BYTES_MAX)? }),
                None if needs_rsize(model) => {
                    let message = format!("not given; {} chooses by it, expected a size such as \"16K\"", model.name());
                    Err(place.error("scenario.missing_key", message))
                }
                None => Ok(Backing::Nfs { rsize: 0 }),
            }
        }
    }
}
