//! Models × facts, row by row; each group of rows names the section of the specification that it follows.

use super::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// A disk that says nothing about itself, and takes requests of 512 KiB.
const PLAIN: DeviceFacts = DeviceFacts {
    io_opt: 0,
    io_min: 512,
    max_hw_sectors_kb: 512,
    max_segments: 1024,
    rotational: false,
    capacity: None,
    stack: None,
};

fn facts(kernel: &str, device: DeviceFacts, backing: Backing) -> Facts {
    let (model, patches) = kernel.split_once('+').unwrap_or((kernel, ""));
    let model = ModelId::parse(model).unwrap();
    let patches: Vec<&str> = patches.split('+').filter(|patch| !patch.is_empty()).collect();
    Facts { model, patches: Patches::parse(model, &patches).unwrap(), device, backing }
}

fn read_ahead(kernel: &str, device: DeviceFacts, backing: Backing) -> String {
    let facts = facts(kernel, device, backing);
    facts.read_ahead(facts.max_sectors().kb).sentence()
}

#[test]
fn a_disk_that_says_nothing_about_itself() {
    // Historic 6.1: vm_max_readahead; 2.1 and 3.2: VM_MAX_READAHEAD; modern 10.4: 32 pages at least.
    for (kernel, expected) in [
        ("linux-2.4.23", "124 KiB: the default of linux-2.4.23; vm_max_readahead is 31 pages"),
        ("linux-2.4.23+last-page", "124 KiB: the default of linux-2.4.23; vm_max_readahead is 31 pages"),
        ("linux-2.6.33", "128 KiB: the default of linux-2.6.33"),
        ("linux-2.6.33+512k-default", "512 KiB: the default of linux-2.6.33 with 512k-default"),
        ("linux-3.10", "128 KiB: the default of linux-3.10"),
        ("linux-3.18", "128 KiB: the default of linux-3.18"),
        ("linux-4.4", "128 KiB: the default of linux-4.4"),
        ("linux-4.14", "128 KiB: the default of linux-4.14"),
        ("linux-5.4", "128 KiB: the default of linux-5.4"),
        ("linux-5.10", "128 KiB: the default of linux-5.10; io_opt is 0"),
        ("linux-6.1", "128 KiB: the default of linux-6.1; io_opt is 0"),
        ("linux-6.12", "128 KiB: the default of linux-6.12; io_opt is 0"),
        ("linux-7.2", "128 KiB: the default of linux-7.2; io_opt is 0"),
        ("linux-7.2+keep-half-window", "128 KiB: the default of linux-7.2; io_opt is 0"),
        ("linux-7.3-rc", "128 KiB: the default of linux-7.3-rc; io_opt is 0"),
    ] {
        assert_eq!(read_ahead(kernel, PLAIN, Backing::Disk), expected, "{kernel}");
    }
}

#[test]
fn small_devices_by_the_tables_of_the_series() {
    // Historic 3.1: each row's capacity and the page below it, with a default that the limit can lower (3.2).
    let v1 = [(2, 4), (8, 8), (32, 16), (128, 32), (512, 64), (2048, 128), (8192, 256), (32768, 512)];
    let v2 = [(1, 8), (4, 16), (16, 32), (64, 64), (256, 128), (1024, 256), (4096, 512)];
    for (version, rows) in [("v1", &v1[..]), ("v2", &v2[..]), ("v3", &v2[..])] {
        let kb = |capacity| {
            let kernel = format!("linux-2.6.33+512k-default+small-device-limit-{version}");
            let device = DeviceFacts { capacity: Some(capacity), ..PLAIN };
            facts(&kernel, device, Backing::Disk).read_ahead(512).kb
        };
        for (place, (capacity_mib, limit_kb)) in rows.iter().enumerate() {
            let below = if place == 0 { 4 } else { rows[place - 1].1 };
            assert_eq!(kb(capacity_mib * MIB), *limit_kb, "{version} {capacity_mib} MiB");
            assert_eq!(kb(capacity_mib * MIB - 512), below, "{version} just below {capacity_mib} MiB");
        }
        assert_eq!(kb(512), 4, "{version}: below the first row one page");
        assert_eq!(kb(1 << 40), 512, "{version}: a limit only lowers");
    }
}

#[test]
fn capacities_in_words() {
    let with = |patches: &str, device| read_ahead(&format!("linux-2.6.33+{patches}"), device, Backing::Disk);
    let of = |capacity| DeviceFacts { capacity, ..PLAIN };
    let mapped = DeviceFacts { stack: Some(Stacked::Mapper), ..PLAIN };
    for (patches, device, expected) in [
        // Historic 3.1: capacity 0 is one page in v1 and v2, and no limit in v3.
        (
            "small-device-limit-v1",
            of(Some(0)),
            "4 KiB: the default of linux-2.6.33 with small-device-limit-v1: capacity is 0",
        ),
        (
            "small-device-limit-v2",
            of(Some(0)),
            "4 KiB: the default of linux-2.6.33 with small-device-limit-v2: capacity is 0",
        ),
        (
            "small-device-limit-v3",
            of(Some(0)),
            "128 KiB: the default of linux-2.6.33; capacity is 0, which small-device-limit-v3 leaves alone",
        ),
        // A mapped device is one of these.
        (
            "small-device-limit-v2",
            mapped,
            "4 KiB: the default of linux-2.6.33 with small-device-limit-v2: capacity is 0",
        ),
        (
            "512k-default+small-device-limit-v3",
            mapped,
            "512 KiB: the default of linux-2.6.33 with 512k-default; capacity is 0, which small-device-limit-v3 leaves alone",
        ),
        // Not known is not 0.
        (
            "small-device-limit-v1",
            PLAIN,
            "128 KiB: the default of linux-2.6.33; capacity is not known, which small-device-limit-v1 leaves alone",
        ),
        (
            "small-device-limit-v1+512k-default",
            of(Some(32 * MIB)),
            "16 KiB: the default of linux-2.6.33 with 512k-default and small-device-limit-v1: capacity is 32 MiB",
        ),
        (
            "small-device-limit-v2",
            of(Some(4 * GIB)),
            "128 KiB: the default of linux-2.6.33; capacity is 4 GiB, for which small-device-limit-v2 allows 512 KiB",
        ),
    ] {
        assert_eq!(with(patches, device), expected, "{patches}");
    }
    // Without the patch a capacity is nothing but a number.
    assert_eq!(read_ahead("linux-2.6.33", of(Some(0)), Backing::Disk), "128 KiB: the default of linux-2.6.33");
    // File systems with a limit of their own are no disks.
    let kernel = "linux-2.6.33+small-device-limit-v1";
    assert!(read_ahead(kernel, of(Some(0)), Backing::Nfs { rsize: 16 * KIB }).starts_with("240 KiB"));
}

#[test]
fn queues_say_their_optimal_size() {
    let of = |io_opt| DeviceFacts { io_opt, ..PLAIN };
    for (kernel, device, expected) in [
        // Modern 10.4: max(2·io_opt / 4096, 32 pages); the historic kernels do not look at it.
        ("linux-5.4", of(MIB), "128 KiB: the default of linux-5.4"),
        ("linux-5.10", of(MIB), "2048 KiB: the default of linux-5.10; io_opt is 1 MiB"),
        ("linux-6.1", of(MIB), "2048 KiB: the default of linux-6.1; io_opt is 1 MiB"),
        ("linux-6.12", of(MIB), "2048 KiB: the default of linux-6.12; io_opt is 1 MiB"),
        ("linux-7.3-rc", of(MIB), "2048 KiB: the default of linux-7.3-rc; io_opt is 1 MiB"),
        ("linux-6.12", of(4 * KIB), "128 KiB: the default of linux-6.12; io_opt is 4 KiB"),
        ("linux-6.12", of(64 * KIB), "128 KiB: the default of linux-6.12; io_opt is 64 KiB"),
        ("linux-6.12", of(68 * KIB), "136 KiB: the default of linux-6.12; io_opt is 68 KiB"),
    ] {
        assert_eq!(read_ahead(kernel, device, Backing::Disk), expected);
    }
}

#[test]
fn disks_that_turn_follow_their_requests_from_linux_7_2_on() {
    let turning = DeviceFacts { rotational: true, max_hw_sectors_kb: 8192, ..PLAIN };
    // Modern 10.4: 2·max_sectors for 2·io_opt when io_opt is 0.
    for (kernel, device, expected) in [
        ("linux-6.12", turning, "128 KiB: the default of linux-6.12; io_opt is 0"),
        (
            "linux-7.2",
            turning,
            "8192 KiB: the default of linux-7.2; io_opt is 0, the disk is rotational, and max_sectors_kb is 4096",
        ),
        (
            "linux-7.3-rc",
            DeviceFacts { max_hw_sectors_kb: 512, ..turning },
            "1024 KiB: the default of linux-7.3-rc; io_opt is 0, the disk is rotational, and max_sectors_kb is 512",
        ),
        (
            "linux-7.2",
            DeviceFacts { max_hw_sectors_kb: 32, ..turning },
            "128 KiB: the default of linux-7.2; io_opt is 0, the disk is rotational, and max_sectors_kb is 32",
        ),
        (
            "linux-7.2",
            DeviceFacts { io_opt: 128 * KIB, ..turning },
            "256 KiB: the default of linux-7.2; io_opt is 128 KiB",
        ),
        (
            "linux-7.2",
            DeviceFacts { stack: Some(Stacked::Mapper), ..turning },
            "128 KiB: the default of linux-7.2; io_opt is 0",
        ),
    ] {
        assert_eq!(read_ahead(kernel, device, Backing::Disk), expected);
    }
    // Writing max_sectors_kb raises it and never lowers it.
    let turning = facts("linux-7.2", turning, Backing::Disk);
    assert_eq!([256, 4096, 8192].map(|kb| turning.read_ahead(kb).kb), [8192, 8192, 16384]);
}

#[test]
fn stripes_of_md() {
    let of = |level, stripe, io_opt| DeviceFacts { stack: Some(Stacked::Raid { level, stripe }), io_opt, ..PLAIN };
    for (kernel, device, expected) in [
        // Historic 2.1: two stripes at least.
        ("linux-2.6.33", of("raid0", MIB, 0), "2048 KiB: the default of linux-2.6.33 for raid0: two stripes of 1 MiB"),
        ("linux-5.4", of("raid5", 192 * KIB, 0), "384 KiB: the default of linux-5.4 for raid5: two stripes of 192 KiB"),
        ("linux-3.10", of("raid6", 32 * KIB, 0), "128 KiB: the default of linux-3.10; two stripes of raid6 are 64 KiB"),
        // md raises what the capacity lowered: it runs after it is registered.
        (
            "linux-2.6.33+small-device-limit-v1",
            DeviceFacts { capacity: Some(0), ..of("raid10", 128 * KIB, 0) },
            "256 KiB: the default of linux-2.6.33 for raid10: two stripes of 128 KiB",
        ),
        // Modern 10.4: io_opt is a stripe.
        ("linux-6.1", of("raid5", MIB, 0), "2048 KiB: the default of linux-6.1; io_opt is 1 MiB, a stripe of raid5"),
        ("linux-7.2", of("raid5", MIB, 256 * KIB), "512 KiB: the default of linux-7.2; io_opt is 256 KiB"),
    ] {
        assert_eq!(read_ahead(kernel, device, Backing::Disk), expected);
    }
}

#[test]
fn mounts_with_a_limit_of_their_own() {
    let nfs = |rsize| Backing::Nfs { rsize };
    let fuse = |max_readahead| Backing::Fuse { max_readahead };
    let btrfs = |devices| Backing::Btrfs { devices };
    for (kernel, backing, expected) in [
        // Historic 2.1: ra_pages = 15 × rpages; 128 KiB from 5.4 on.
        ("linux-2.6.33", nfs(16 * KIB), "240 KiB: the default of linux-2.6.33 for NFS: 15 times rsize, 16 KiB"),
        ("linux-2.6.33", nfs(1000), "60 KiB: the default of linux-2.6.33 for NFS: 15 times rsize, 1000 B"),
        ("linux-4.14", nfs(MIB), "15360 KiB: the default of linux-4.14 for NFS: 15 times rsize, 1 MiB"),
        ("linux-5.4", nfs(MIB), "128 KiB: the default of linux-5.4 for NFS, whatever rsize is"),
        ("linux-7.2", nfs(0), "128 KiB: the default of linux-7.2 for NFS, whatever rsize is"),
        ("linux-2.4.23", nfs(8 * KIB), "124 KiB: the default of linux-2.4.23; vm_max_readahead is 31 pages"),
        // Historic 2.1: 128 KiB, lowered to what the server negotiates.
        ("linux-2.6.33", fuse(None), "128 KiB: the default of linux-2.6.33 for FUSE"),
        ("linux-6.12", fuse(Some(MIB)), "128 KiB: the default of linux-6.12 for FUSE"),
        (
            "linux-6.12",
            fuse(Some(64 * KIB)),
            "64 KiB: the default of linux-6.12 for FUSE: its server negotiates 64 KiB",
        ),
        // Historic 2.1: default × devices, at least 4 MiB.
        (
            "linux-3.10",
            btrfs(1),
            "4096 KiB: the default of linux-3.10 for btrfs: 128 KiB for each of its devices (1), 4 MiB at least",
        ),
        (
            "linux-6.12",
            btrfs(40),
            "5120 KiB: the default of linux-6.12 for btrfs: 128 KiB for each of its devices (40), 4 MiB at least",
        ),
        (
            "linux-2.6.33+512k-default",
            btrfs(10),
            "5120 KiB: the default of linux-2.6.33 with 512k-default for btrfs: 512 KiB for each of its devices (10), 4 MiB at least",
        ),
    ] {
        assert_eq!(read_ahead(kernel, PLAIN, backing), expected, "{kernel} {backing:?}");
    }
}

#[test]
fn the_largest_request() {
    let of = |max_hw_sectors_kb, io_opt, io_min| DeviceFacts { max_hw_sectors_kb, io_opt, io_min, ..PLAIN };
    for (kernel, device, expected) in [
        // Historic 8.1: 255 sectors in 2.4, 512 KiB up to 4.2, 1280 KiB from 4.3 on, or the device's limit.
        (
            "linux-2.4.23",
            of(8192, 0, 512),
            "124 KiB: the default of linux-2.4.23, in whole pages; max_hw_sectors_kb allows 8192",
        ),
        ("linux-2.6.33", of(8192, 0, 512), "512 KiB: the default of linux-2.6.33; max_hw_sectors_kb allows 8192"),
        ("linux-2.4.23", of(64, 0, 512), "64 KiB: the default of linux-2.4.23; max_hw_sectors_kb is 64"),
        (
            "linux-2.6.33",
            of(251, 0, 512),
            "248 KiB: the default of linux-2.6.33, in whole pages; max_hw_sectors_kb is 251",
        ),
        ("linux-2.6.33", of(256, 0, 512), "256 KiB: the default of linux-2.6.33; max_hw_sectors_kb is 256"),
        ("linux-3.18", of(8192, 0, 512), "512 KiB: the default of linux-3.18; max_hw_sectors_kb allows 8192"),
        ("linux-4.4", of(8192, 0, 512), "1280 KiB: the default of linux-4.4; max_hw_sectors_kb allows 8192"),
        ("linux-5.4", of(8192, MIB, MIB), "1280 KiB: the default of linux-5.4; max_hw_sectors_kb allows 8192"),
        // Modern 10.4: min(max_hw, 1280 KiB), in 7.2 4 MiB; io_opt and io_min above that in 6.12 and 7.2.
        ("linux-5.10", of(8192, 2 * MIB, 512), "1280 KiB: the default of linux-5.10; max_hw_sectors_kb allows 8192"),
        ("linux-6.1", of(1024, 2 * MIB, 512), "1024 KiB: the default of linux-6.1; max_hw_sectors_kb is 1024"),
        ("linux-6.12", of(8192, 2 * MIB, 512), "2048 KiB: the default of linux-6.12; io_opt is 2 MiB, above 1280 KiB"),
        (
            "linux-6.12",
            of(1024, 2 * MIB, 512),
            "1024 KiB: the default of linux-6.12; max_hw_sectors_kb is 1024, less than io_opt, 2 MiB",
        ),
        ("linux-6.12", of(8192, MIB, 4 * MIB), "4096 KiB: the default of linux-6.12; io_min is 4 MiB, above 1280 KiB"),
        ("linux-6.12", of(2048, 2 * MIB, 512), "2048 KiB: the default of linux-6.12; io_opt is 2 MiB, above 1280 KiB"),
        (
            "linux-6.12",
            of(2048, MIB, 4 * MIB),
            "2048 KiB: the default of linux-6.12; max_hw_sectors_kb is 2048, less than io_min, 4 MiB",
        ),
        ("linux-6.12", of(8192, MIB, MIB), "1280 KiB: the default of linux-6.12; max_hw_sectors_kb allows 8192"),
        ("linux-7.2", of(8192, 2 * MIB, 512), "4096 KiB: the default of linux-7.2; max_hw_sectors_kb allows 8192"),
        ("linux-7.2", of(8192, 6 * MIB, 512), "6144 KiB: the default of linux-7.2; io_opt is 6 MiB, above 4096 KiB"),
        ("linux-7.3-rc", of(512, 0, 512), "512 KiB: the default of linux-7.3-rc; max_hw_sectors_kb is 512"),
    ] {
        assert_eq!(facts(kernel, device, Backing::Disk).max_sectors().sentence(), expected);
    }
    let raid = DeviceFacts { stack: Some(Stacked::Raid { level: "raid0", stripe: 2 * MIB }), ..of(8192, 0, 512) };
    assert_eq!(facts("linux-6.12", raid, Backing::Disk).max_sectors().kb, 2048, "md's io_opt is a stripe");
}

#[test]
fn segments_of_a_request() {
    let of = |kernel, max_hw_sectors_kb, max_segments| {
        facts(kernel, DeviceFacts { max_hw_sectors_kb, max_segments, ..PLAIN }, Backing::Disk).max_segments()
    };
    // Modern 10.3: with max_hw_sectors_kb 512: 127, 127, 128, 129; historic 8.1: 128.
    let captured = ["linux-5.10", "linux-6.1", "linux-6.12", "linux-7.2", "linux-2.6.33", "linux-2.4.23"];
    assert_eq!(captured.map(|kernel| of(kernel, 512, 256)), [127, 127, 128, 129, 128, 128]);
    assert_eq!(of("linux-7.2", 8192, 1024), 256);
    assert_eq!(of("linux-7.2", 8192, 64), 64);
    assert_eq!(of("linux-2.6.33", 128, 1024), 33);
}

#[test]
fn pages_of_a_request_that_exceeds_the_limit() {
    let of = |kernel, backing| facts(kernel, PLAIN, backing).io_pages();
    let (nfs, fuse) = (Backing::Nfs { rsize: 64 * KIB }, Backing::Fuse { max_readahead: None });
    let btrfs = Backing::Btrfs { devices: 1 };
    // No such field before 4.10: historic 5.4.
    for kernel in ["linux-2.4.23", "linux-2.6.33", "linux-3.10", "linux-3.18", "linux-4.4"] {
        assert_eq!([of(kernel, Backing::Disk), of(kernel, nfs), of(kernel, fuse)], [Some(0); 3], "{kernel}");
    }
    // Historic 5.4: max_sectors_kb / 4, rpages, 0 without a queue.
    for kernel in ["linux-4.14", "linux-4.14+stable-io-pages", "linux-5.4"] {
        let all = [Backing::Disk, nfs, fuse, btrfs].map(|backing| of(kernel, backing));
        assert_eq!(all, [None, Some(16), Some(0), Some(0)], "{kernel}");
    }
    // Modern 10.4.
    for kernel in ["linux-5.10", "linux-6.1", "linux-6.12", "linux-7.2", "linux-7.3-rc"] {
        let all = [Backing::Disk, nfs, fuse, btrfs].map(|backing| of(kernel, backing));
        assert_eq!(all, [None, Some(32), Some(32), Some(32)], "{kernel}");
    }
}

#[test]
fn folios_by_file_system_and_kernel() {
    // Modern 2.3: XFS from 6.1 on, ext4 and the block device node in 7.2, nobody before.
    use Filesystem::{Blockdev, Btrfs, Ext4, Fuse, Nfs, Xfs};
    for info in readahead_policy::MODELS {
        let (xfs, others) = match info.name {
            "linux-7.2" | "linux-7.3-rc" => (9, 9),
            "linux-6.1" | "linux-6.12" => (9, 0),
            _ => (0, 0),
        };
        let orders = [Xfs, Ext4, Blockdev, Btrfs, Nfs, Fuse].map(|filesystem| max_order(info.id, filesystem));
        assert_eq!(orders, [xfs, others, others, 0, 0, 0], "{}", info.name);
        let choice = match info.name {
            "linux-6.1" => FolioChoice::OnOrOff,
            "linux-6.12" | "linux-7.2" | "linux-7.3-rc" => FolioChoice::Orders,
            _ => FolioChoice::Pages,
        };
        assert_eq!(folio_choice(info.id), choice, "{}", info.name);
    }
}
