//! What a scenario does not say is what that kernel would choose, and the run says where each value came from.

use readahead_lab_core::library;
use readahead_lab_core::run::{RunId, run_to_end};
use readahead_lab_core::scenario::Scenario;

const PLAIN: &str = r#"
title = "t"
[[file]]
name = "data"
size = "1M"
[[stream]]
ops = [{ op = "read", len = "4K", until = "eof" }]
"#;

fn with(settings: &[&str]) -> Scenario {
    let plain = Scenario::from_toml(PLAIN, "test").unwrap();
    plain.with(settings).unwrap_or_else(|error| panic!("{settings:?}: {error}"))
}

#[test]
fn every_model_runs_with_its_own_defaults() {
    // read_ahead_kb, max_sectors_kb, io_pages set apart, max_segments, folio order of XFS and of ext4: the sections of the
    // specification stand beside the rules' own tests.
    for (model, ra_pages, max_sectors_kb, io_pages, max_segments, xfs, ext4) in [
        ("linux-2.4.23", 31, 124, Some(0), 128, 0, 0),
        ("linux-2.6.33", 32, 512, Some(0), 128, 0, 0),
        ("linux-3.10", 32, 512, Some(0), 128, 0, 0),
        ("linux-3.18", 32, 512, Some(0), 128, 0, 0),
        ("linux-4.4", 32, 1280, Some(0), 128, 0, 0),
        ("linux-4.14", 32, 1280, None, 128, 0, 0),
        ("linux-5.4", 32, 1280, None, 128, 0, 0),
        ("linux-5.10", 32, 1280, None, 127, 0, 0),
        ("linux-6.1", 32, 1280, None, 127, 9, 0),
        ("linux-6.12", 32, 1280, None, 128, 9, 0),
        ("linux-7.2", 32, 4096, None, 256, 9, 9),
        ("linux-7.3-rc", 32, 4096, None, 256, 9, 9),
    ] {
        let model = format!("kernel.model={model}");
        let scenario = with(&[&model, "device.max_hw_sectors_kb=8192"]);
        let kernel = &scenario.world().kernel;
        let got = (kernel.ra_pages, kernel.max_sectors.0 / 2, kernel.io_pages, kernel.max_segments);
        assert_eq!(got, (ra_pages, max_sectors_kb, io_pages, max_segments), "{model}");
        let order = |filesystem| with(&[&model, filesystem]).world().files[0].max_order.0;
        assert_eq!([order("file.0.filesystem=xfs"), order("file.0.filesystem=ext4")], [xfs, ext4], "{model}");
        let summary = run_to_end(&scenario).unwrap().summary().unwrap();
        assert_eq!(summary.read_ahead_source, scenario.read_ahead_source());
        assert!(
            summary.read_ahead_source.starts_with(&format!("{} KiB: the default of linux-", ra_pages * 4)),
            "{model}"
        );
        assert!(
            summary.max_sectors_source.starts_with(&format!("{max_sectors_kb} KiB: the default of linux-")),
            "{model}"
        );
        // A default written out is the same run, and says the same.
        let again = Scenario::from_json(scenario.canonical_json(), "canonical").unwrap();
        assert_eq!(RunId::of(&again), RunId::of(&scenario), "{model}");
        assert_eq!(again.read_ahead_source(), scenario.read_ahead_source(), "{model}");
    }
}

#[test]
fn the_run_says_where_read_ahead_kb_came_from() {
    let small = "kernel.patches=small-device-limit-v2";
    for (settings, ra_pages, expected) in [
        (&["kernel.model=linux-6.12"][..], 32, "128 KiB: the default of linux-6.12; io_opt is 0"),
        (
            &["kernel.model=linux-2.6.33", small, "device.capacity=0"],
            1,
            "4 KiB: the default of linux-2.6.33 with small-device-limit-v2: capacity is 0",
        ),
        (
            &["kernel.model=linux-2.6.33", small, "device.stack=dm"],
            1,
            "4 KiB: the default of linux-2.6.33 with small-device-limit-v2: capacity is 0",
        ),
        (
            &["kernel.model=linux-2.6.33", small, "device.capacity=16M"],
            8,
            "32 KiB: the default of linux-2.6.33 with small-device-limit-v2: capacity is 16 MiB",
        ),
        (&["kernel.read_ahead_kb=512"], 128, "512 KiB: set by the scenario"),
        (
            &["kernel.read_ahead_kb=130"],
            32,
            "128 KiB: set by the scenario (130, in whole pages), the default of linux-7.2; io_opt is 0",
        ),
        // 128 written out is the same run as 128 not written.
        (&["kernel.read_ahead_kb=128"], 32, "128 KiB: the default of linux-7.2; io_opt is 0"),
        (&["kernel.read_ahead_kb=127"], 31, "124 KiB: set by the scenario (127, in whole pages)"),
        // Both keys: the value of each wins, although linux-7.2 would raise the one when the other is written.
        (
            &["kernel.read_ahead_kb=64", "kernel.max_sectors_kb=256"],
            16,
            "64 KiB: set by the scenario after max_sectors_kb",
        ),
        (
            &["kernel.model=linux-6.1", "kernel.read_ahead_kb=64", "kernel.max_sectors_kb=256"],
            16,
            "64 KiB: set by the scenario",
        ),
        (
            &["device.rotational=true", "kernel.max_sectors_kb=256"],
            256,
            "1024 KiB: the default of linux-7.2; io_opt is 0, the disk is rotational, and max_sectors_kb was 512 until 256 was set, which lowers nothing",
        ),
        (
            &["device.stack=raid5", "device.chunk=512K", "device.data_disks=4"],
            1024,
            "4096 KiB: the default of linux-7.2; io_opt is 2 MiB, a stripe of raid5",
        ),
        (
            &["kernel.model=linux-2.6.33", "file.0.filesystem=nfs", "file.0.nfs_rsize=16K"],
            60,
            "240 KiB: the default of linux-2.6.33 for NFS: 15 times rsize, 16 KiB",
        ),
        (
            &["file.0.filesystem=fuse", "file.0.fuse_max_readahead=64K"],
            16,
            "64 KiB: the default of linux-7.2 for FUSE: its server negotiates 64 KiB",
        ),
        (
            &["file.0.filesystem=btrfs"],
            1024,
            "4096 KiB: the default of linux-7.2 for btrfs: 128 KiB for each of its devices (1), 4 MiB at least",
        ),
    ] {
        let scenario = with(settings);
        assert_eq!((scenario.read_ahead_source(), scenario.world().kernel.ra_pages), (expected, ra_pages));
        let again = Scenario::from_json(scenario.canonical_json(), "canonical").unwrap();
        assert_eq!(again.read_ahead_source(), expected, "from the canonical form");
    }
    assert_eq!(with(&["kernel.max_sectors_kb=256"]).max_sectors_source(), "256 KiB: set by the scenario");
    // The hardware's limit is the cause where it is below the device's own size, of a stripe too.
    let raid = ["kernel.model=linux-6.12", "device.stack=raid5", "device.chunk=512K", "device.data_disks=4"];
    assert_eq!(
        with(&raid).max_sectors_source(),
        "512 KiB: the default of linux-6.12; max_hw_sectors_kb is 512, less than io_opt, 2 MiB"
    );
}

#[test]
fn file_systems_bring_their_facts() {
    let node = with(&["file.0.filesystem=blockdev"]);
    assert!(node.world().files[0].block_device && !with(&[]).world().files[0].block_device);
    let io_pages = |settings: &[&str]| with(settings).world().kernel.io_pages;
    assert_eq!(io_pages(&["file.0.filesystem=nfs"]), Some(32));
    assert_eq!(io_pages(&["file.0.filesystem=nfs", "file.0.nfs_rsize=64K", "kernel.model=linux-4.14"]), Some(16));
    let orders = |settings: &[&str]| {
        let scenario = with(settings);
        let file = &scenario.world().files[0];
        (file.min_order.0, file.max_order.0)
    };
    assert_eq!(orders(&["file.0.filesystem=nfs"]), (0, 0));
    assert_eq!(orders(&["file.0.filesystem=nfs", "file.0.large_folios=true"]), (0, 9));
    assert_eq!(orders(&["file.0.filesystem=btrfs", "file.0.max_order=4"]), (0, 4));
    assert_eq!(orders(&["file.0.max_order=0"]), (0, 0));
    assert_eq!(orders(&["kernel.model=linux-6.12", "file.0.min_order=2"]), (2, 9));
    assert_eq!(orders(&["kernel.model=linux-6.1", "file.0.large_folios=false"]), (0, 0));
    assert_eq!(orders(&["kernel.model=linux-6.1", "file.0.max_order=9"]), (0, 9));
    assert_eq!(orders(&["kernel.model=linux-5.10", "file.0.large_folios=false", "file.0.max_order=0"]), (0, 0));
}

#[test]
fn a_device_that_does_not_turn_is_the_same_said_or_not() {
    let id = |settings: &[&str]| RunId::of(&with(settings));
    assert_eq!(id(&["device.rotational=false"]), id(&[]));
    assert_ne!(id(&["device.rotational=true"]), id(&[]));
    assert_ne!(id(&["device.capacity=0"]), id(&[]));
}

#[test]
fn what_cannot_be_is_refused_with_its_place() {
    let contradiction = "scenario.contradiction";
    for (settings, code, place, said) in [
        (
            &["kernel.patches=small-device-limit-v1"][..],
            "scenario.unknown_patch",
            "kernel.patches",
            "does not apply to linux-7.2",
        ),
        (
            &["kernel.model=linux-5.10", "file.0.large_folios=true"],
            contradiction,
            "file.0.large_folios",
            "true, but linux-5.10 has no large folios; expected false",
        ),
        (
            &["kernel.model=linux-4.4", "file.0.max_order=4"],
            contradiction,
            "file.0.max_order",
            "4, but linux-4.4 has no large folios; expected 0",
        ),
        (
            &["kernel.model=linux-2.6.33", "file.0.min_order=2"],
            contradiction,
            "file.0.min_order",
            "2, but linux-2.6.33 has no large folios; expected 0",
        ),
        (
            &["kernel.model=linux-6.1", "file.0.min_order=2"],
            contradiction,
            "file.0.min_order",
            "2, but large folios of linux-6.1 have no choice of it; expected 0",
        ),
        (&["kernel.model=linux-6.1", "file.0.max_order=4"], contradiction, "file.0.max_order", "4, but large folios"),
        (
            &["kernel.model=linux-2.4.23", "file.0.filesystem=btrfs"],
            contradiction,
            "file.0.filesystem",
            "the lab has no `btrfs` for linux-2.4.23; expected xfs or ext4, which stand for",
        ),
        (
            &["kernel.model=linux-2.6.33", "file.0.filesystem=nfs"],
            "scenario.missing_key",
            "file.0.nfs_rsize",
            "not given; linux-2.6.33 chooses by it, expected a size such as \"16K\"",
        ),
        (&["file.0.nfs_rsize=16K"], contradiction, "file.0.nfs_rsize", "given for `xfs`; expected only with `nfs`"),
        (
            &["file.0.filesystem=nfs", "file.0.nfs_rsize=0"],
            "scenario.out_of_range",
            "file.0.nfs_rsize",
            "0 is out of range; expected 1 to",
        ),
        (&["file.0.filesystem=fuse", "file.0.btrfs_devices=2"], contradiction, "file.0.btrfs_devices", "expected only"),
        (&["file.0.filesystem=zfs"], "scenario.unknown_value", "file.0.filesystem", "expected one of xfs, ext4"),
        (&["device.chunk=64K"], contradiction, "device.chunk", "given without md; expected only with"),
        (&["device.stack=dm", "device.data_disks=2"], contradiction, "device.data_disks", "given without md"),
        (&["device.stack=raid0"], "scenario.missing_key", "device.chunk", "not given; raid0 needs it, expected a size"),
        (
            &["device.stack=raid0", "device.chunk=64K"],
            "scenario.missing_key",
            "device.data_disks",
            "not given; raid0 needs it, expected how many disks",
        ),
        (
            &["device.stack=raid0", "device.chunk=1000", "device.data_disks=2"],
            "scenario.out_of_range",
            "device.chunk",
            "1000 bytes; expected a multiple of 4096",
        ),
        (
            &["device.stack=raid0", "device.chunk=64K", "device.data_disks=0"],
            "scenario.out_of_range",
            "device.data_disks",
            "0 is out of range; expected 1 to 64",
        ),
        (
            &["device.capacity=512K"],
            contradiction,
            "device.capacity",
            "524288 bytes; expected 1048576 at least, which the files take, or 0",
        ),
        (
            &["kernel.max_sectors_kb=130"],
            "scenario.out_of_range",
            "kernel.max_sectors_kb",
            "130 KiB are not whole pages; expected a multiple of 4",
        ),
        (&["device.capacity=-1"], "scenario.negative", "device.capacity", "expected"),
        (&["device.rotational=7200"], "scenario.wrong_type", "device.rotational", "expected true or false"),
    ] {
        let plain = Scenario::from_toml(PLAIN, "test").unwrap();
        let error = plain.with(settings).expect_err(&format!("{settings:?}"));
        assert_eq!((error.code, error.place.as_deref()), (code, Some(place)), "{settings:?}: {error}");
        assert!(error.message.contains(said), "{settings:?}: {error}");
    }
}

#[test]
fn files_of_a_run_lie_on_one_mount() {
    let two = |one: &str, other: &str| {
        let file = |name, keys| format!("[[file]]\nname = \"{name}\"\nsize = \"1M\"\n{keys}\n");
        let stream = "[[stream]]\nops = [{ op = \"read\", len = \"4K\" }]";
        Scenario::from_toml(&format!("title = \"t\"\n{}{}{stream}", file("a", one), file("b", other)), "test")
    };
    let (xfs, ext4, node) = ("filesystem = \"xfs\"", "filesystem = \"ext4\"", "filesystem = \"blockdev\"");
    assert!(two(xfs, ext4).is_ok() && two(ext4, node).is_ok());
    let nfs = "filesystem = \"nfs\"\nnfs_rsize = \"16K\"";
    assert!(two(nfs, nfs).is_ok());
    for (one, other) in [(xfs, nfs), (nfs, "filesystem = \"nfs\"\nnfs_rsize = \"32K\""), (nfs, "filesystem = \"fuse\"")]
    {
        let error = two(one, other).expect_err(other);
        assert_eq!((error.code, error.place.as_deref()), ("scenario.contradiction", Some("file.1.filesystem")));
        assert!(error.message.contains("expected files of one mount"), "{error}");
    }
}

#[test]
fn scenarios_of_the_library_keep_their_limits() {
    for entry in library::scenarios() {
        let scenario = library::scenario(&entry.name).unwrap();
        let kernel = &scenario.world().kernel;
        let source = scenario.read_ahead_source();
        assert!(source.starts_with(&format!("{} KiB: ", kernel.ra_pages * 4)), "{}: {source}", entry.name);
        let source = scenario.max_sectors_source();
        assert!(source.starts_with(&format!("{} KiB: ", kernel.max_sectors.0 / 2)), "{}: {source}", entry.name);
    }
}
