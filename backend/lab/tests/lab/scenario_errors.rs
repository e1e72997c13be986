//! Broken scenarios: each is refused with a stable code, the place, the value, and what was expected.

use readahead_lab_core::scenario::Scenario;

const GOOD: &str = r#"
title = "t"
[[file]]
name = "data"
size = "1M"
[[stream]]
file = "data"
ops = [{ op = "read", len = "4K", until = "eof" }]
"#;

/// The scenario with one piece of text replaced.
fn broken(from: &str, to: &str) -> readahead_lab_core::LabError {
    assert!(GOOD.contains(from), "the fixture has `{from}`");
    let text = GOOD.replacen(from, to, 1);
    Scenario::from_toml(&text, "test").err().unwrap_or_else(|| panic!("accepted: {text}"))
}

#[test]
fn the_fixture_is_good() {
    assert!(Scenario::from_toml(GOOD, "test").is_ok());
}

#[test]
fn every_slip_is_named_with_its_place_and_what_was_expected() {
    let title = "title = \"t\"";
    for (from, to, code, place, said) in [
        ("size = \"1M\"", "size = \"1Q\"", "scenario.wrong_unit", "file.0.size", "K, M, G or T"),
        ("size = \"1M\"", "size = \"-1M\"", "scenario.negative", "file.0.size", "below 0"),
        ("size = \"1M\"", "size = -5", "scenario.negative", "file.0.size", "below 0"),
        ("size = \"1M\"", "size = 1e30", "scenario.too_large", "file.0.size", "1e30"),
        ("size = \"1M\"", "size = \"1000000000000000000000000000000\"", "scenario.too_large", "file.0.size", "2^64"),
        ("size = \"1M\"", "size = \"90T\"", "scenario.out_of_range", "file.0.size", "expected 0 to"),
        ("size = \"1M\"", "size = true", "scenario.wrong_type", "file.0.size", "expected"),
        ("size = \"1M\"", "sise = \"1M\"", "scenario.unknown_key", "file.0.sise", "did you mean `size`?"),
        (title, "title = \"t\"\nsed = 3", "scenario.unknown_key", "sed", "did you mean `seed`?"),
        (title, "title = \"\"", "scenario.empty", "title", "expected"),
        (title, "title = \"t\"\nseed = -1", "scenario.negative", "seed", "-1"),
        (
            title,
            "title = \"t\"\n[kernel]\nmodel = \"linux-1.0\"",
            "scenario.unknown_model",
            "kernel.model",
            "linux-7.2",
        ),
        (title, "title = \"t\"\n[kernel]\npatches = [\"x\"]", "scenario.unknown_patch", "kernel.patches", "keep-half"),
        (
            title,
            "title = \"t\"\n[kernel]\npatches = [\"keep-half-window\", \"align-in-ra-order\"]",
            "scenario.unknown_patch",
            "kernel.patches",
            "alternatives",
        ),
        (
            title,
            "title = \"t\"\n[kernel]\nmax_sectors_kb = 4096",
            "scenario.out_of_range",
            "kernel.max_sectors_kb",
            "512",
        ),
        (
            title,
            "title = \"t\"\n[kernel]\nfault_around_kb = 12",
            "scenario.out_of_range",
            "kernel.fault_around_kb",
            "power",
        ),
        (title, "title = \"t\"\n[kernel]\nmemory = \"4K\"", "scenario.out_of_range", "kernel.memory", "expected"),
        (
            title,
            "title = \"t\"\n[device]\nmodel = \"nvm\"",
            "library.unknown_device",
            "device.model",
            "did you mean `nvme`?",
        ),
        (
            title,
            "title = \"t\"\n[device]\nlatency = \"4K\"",
            "scenario.wrong_unit",
            "device.latency",
            "ns, us, ms or s",
        ),
        (
            title,
            "title = \"t\"\n[expect]\ndevice_read = { value = 1 }",
            "scenario.unknown_key",
            "expect",
            "`device_reads`",
        ),
        ("file = \"data\"", "file = \"dat\"", "scenario.unknown_file", "stream.0.file", "did you mean `data`?"),
        ("op = \"read\"", "op = \"raed\"", "scenario.unknown_value", "stream.0.ops.0.op", "did you mean `read`?"),
        (
            "until = \"eof\"",
            "until = \"eof\", size = 3",
            "scenario.unknown_key",
            "stream.0.ops.0.size",
            "expected one of",
        ),
        (
            "until = \"eof\"",
            "until = \"eof\", advice = \"random\"",
            "scenario.unknown_key",
            "stream.0.ops.0.advice",
            "`read`",
        ),
        ("until = \"eof\"", "until = \"eof\", count = 3", "scenario.contradiction", "stream.0.ops.0", "exclude"),
        ("until = \"eof\"", "until = \"eof\", pos = 0", "scenario.contradiction", "stream.0.ops.0.until", "lseek"),
        ("until = \"eof\"", "count = 0", "scenario.out_of_range", "stream.0.ops.0.count", "1 at least"),
        ("until = \"eof\"", "count = 1000000000000000", "scenario.too_much", "stream.0", "at most"),
        ("len = \"4K\", until = \"eof\"", "count = 2", "scenario.missing_key", "stream.0.ops.0", "needs `len`"),
        (
            "ops = [{ op = \"read\", len = \"4K\", until = \"eof\" }]",
            "ops = []",
            "scenario.empty",
            "stream.0.ops",
            "one operation",
        ),
        (
            "ops = [{ op = \"read\", len = \"4K\", until = \"eof\" }]",
            "",
            "scenario.missing_key",
            "stream.0",
            "`workload`",
        ),
        (
            "ops = [{ op = \"read\", len = \"4K\", until = \"eof\" }]",
            "workload = { kind = \"random\", block = \"4K\" }",
            "scenario.missing_key",
            "stream.0.workload",
            "`count`",
        ),
        (
            "ops = [{ op = \"read\", len = \"4K\", until = \"eof\" }]",
            "workload = { kind = \"random\", block = \"4K\", count = 1, stride = 3 }",
            "scenario.unknown_key",
            "stream.0.workload.stride",
            "expected only",
        ),
        ("name = \"data\"", "name = \"data\"\nmin_order = 12", "scenario.out_of_range", "file.0.min_order", "0 to 9"),
        (
            "name = \"data\"",
            "name = \"data\"\nextents = [{ pos = 0, len = 100, sector = 0 }]",
            "scenario.out_of_range",
            "file.0.extents.0.len",
            "multiple of 4096",
        ),
    ] {
        let error = broken(from, to);
        assert_eq!((error.code, error.place.as_deref()), (code, Some(place)), "{to}: {error}");
        assert!(error.message.contains(said), "{to}: {error}");
        assert!(!error.message.contains('\n') && error.message.starts_with(place), "{to}: {error}");
    }
}

#[test]
fn a_toml_slip_is_named_with_its_line() {
    let error = broken("name = \"data\"", "name = ");
    assert_eq!(error.code, "scenario.not_toml");
    assert_eq!(error.place.as_deref(), Some("test, line 4"), "{error}");
    // A number that TOML itself does not have.
    let error = broken("size = \"1M\"", "size = 1000000000000000000000000000000");
    assert_eq!((error.code, error.place.as_deref()), ("scenario.too_large", Some("file.0.size")), "{error}");
}

#[test]
fn json_has_the_same_rules() {
    for (text, code) in [
        ("", "scenario.not_json"),
        ("[]", "scenario.wrong_type"),
        ("3", "scenario.wrong_type"),
        ("{}", "scenario.missing_key"),
        (r#"{"title":"t","file":[],"stream":[]}"#, "scenario.out_of_range"),
        (r#"{"title":"t","file":[{"name":"d","size":1e30}],"stream":[]}"#, "scenario.too_large"),
        (r#"{"title":"t","file":[{"name":"d","size":4.5}],"stream":[]}"#, "scenario.not_a_size"),
        (r#"{"title":"t","file":[{"name":"d","size":1},{"name":"d","size":1}],"stream":[]}"#, "scenario.duplicate"),
    ] {
        let error = Scenario::from_json(text, "body").expect_err(text);
        assert_eq!(error.code, code, "{text}: {error}");
    }
    let deep = format!("{{\"title\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
    assert_eq!(Scenario::from_json(&deep, "body").expect_err("deep").code, "scenario.not_json");
}

#[test]
fn nesting_and_repetition_are_bounded() {
    let nest = |depth: usize| {
        let open = r#"{ op = "repeat", count = 10, ops = ["#.repeat(depth);
        let close = "] }".repeat(depth);
        let ops = format!("ops = [{open}{{ op = \"read\", len = \"4K\" }}{close}]");
        Scenario::from_toml(&GOOD.replace("ops = [{ op = \"read\", len = \"4K\", until = \"eof\" }]", &ops), "test")
    };
    assert!(nest(3).is_ok());
    assert_eq!(nest(8).expect_err("8 levels").code, "scenario.too_much");
}

#[test]
fn overrides_follow_the_keys() {
    let scenario = Scenario::from_toml(GOOD, "test").unwrap();
    let patched = scenario.with(&["kernel.patches=keep-half-window, mmap-floor-order", "file.data.size=2M"]).unwrap();
    assert_eq!(patched.world().kernel.patches.names(), ["keep-half-window", "mmap-floor-order"]);
    assert_eq!(patched.world().files[0].bytes.0, 2 << 20);
    let plain = patched.set("kernel.patches=").unwrap().set("file.0.size=1M").unwrap();
    assert_eq!(plain.canonical_json(), scenario.canonical_json());
    assert_ne!(patched.canonical_json(), scenario.canonical_json());
    let defaults = scenario.world();
    assert_eq!(
        (defaults.kernel.ra_pages, defaults.kernel.max_sectors.0, defaults.kernel.max_segments),
        (32, 1024, 129)
    );
    // Twice the optimal I/O size, as linux-7.2 has it.
    let wide = scenario.with(&["device.io_opt=1M", "device.max_hw_sectors_kb=8192"]).unwrap();
    assert_eq!((wide.world().kernel.ra_pages, wide.world().kernel.max_sectors.0), (512, 8192));
    for (setting, code) in [
        ("kernel.patchs=x", "scenario.unknown_key"),
        ("file.7.size=1", "scenario.bad_setting"),
        ("nonsense", "scenario.bad_setting"),
        ("stream.0.ops.0.len=0", "scenario.out_of_range"),
    ] {
        assert_eq!(scenario.set(setting).expect_err(setting).code, code, "{setting}");
    }
}

#[test]
fn the_schema_names_every_key_with_its_documentation() {
    let schema = readahead_lab_core::scenario::schema();
    let text = schema.to_string();
    for key in ["title", "read_ahead_kb", "max_sectors_kb", "until", "workload", "extents", "expect_with"] {
        assert!(text.contains(&format!("\"{key}\"")), "{key}");
    }
    for key in ["rotational", "capacity", "stack", "chunk", "data_disks", "filesystem", "nfs_rsize", "blockdev"] {
        assert!(text.contains(&format!("\"{key}\"")), "{key}");
    }
    assert!(schema["properties"]["kernel"].is_object() && text.contains("queue/read_ahead_kb"));
}

/// Holds slips against code, place and a piece of the message.
fn refused(slips: &[(&str, &str, &str, &str, &str)]) {
    for (from, to, code, place, said) in slips {
        let error = broken(from, to);
        assert_eq!((error.code, error.place.as_deref()), (*code, Some(*place)), "{to}: {error}");
        assert!(error.message.contains(said) && error.message.contains("expected"), "{to}: {error}");
        assert!(!error.message.contains(char::is_control), "{to}: {error}");
    }
}

const TITLE: &str = "title = \"t\"";
const NAME: &str = "name = \"data\"";
const SIZE: &str = "size = \"1M\"";
const OPS: &str = "ops = [{ op = \"read\", len = \"4K\", until = \"eof\" }]";

#[test]
fn numbers_that_are_none_and_numbers_that_do_not_fit() {
    let end = "18446744073709551615";
    refused(&[
        (TITLE, "title = \"t\"\n[kernel]\nmemory = nan", "scenario.out_of_range", "kernel.memory", "nan"),
        (TITLE, "title = \"t\"\n[kernel]\nqueue_depth = inf", "scenario.out_of_range", "kernel.queue_depth", "inf"),
        ("until = \"eof\"", "pos = nan", "scenario.out_of_range", "stream.0.ops.0.pos", "nan"),
        ("until = \"eof\"", "pos = -inf", "scenario.out_of_range", "stream.0.ops.0.pos", "-inf"),
        ("until = \"eof\"", &format!("pos = {end}"), "scenario.out_of_range", "stream.0.ops.0.pos", end),
        ("until = \"eof\"", &format!("pos = {end}0"), "scenario.too_large", "stream.0.ops.0.pos", end),
        ("until = \"eof\"", "count = 1e3", "scenario.wrong_type", "stream.0.ops.0.count", "a whole number from 0 to"),
        (
            OPS,
            "workload = { kind = \"sequential\", block = \"4K\", start = 9223372036854775808 }",
            "scenario.out_of_range",
            "stream.0.workload.start",
            "0 to 9223372036854775807",
        ),
        (
            OPS,
            "ops = [{ op = \"evict\", index = 0, count = 18446744073709551615 }]",
            "scenario.out_of_range",
            "stream.0.ops.0.count",
            "0 to 2251799813685247",
        ),
    ]);
    // The largest seed is a seed in TOML as in JSON.
    let text = GOOD.replace(TITLE, &format!("{TITLE}\nseed = {end}"));
    assert_eq!(Scenario::from_toml(&text, "test").unwrap().world().seed, u64::MAX);
}

#[test]
fn the_wrong_kind_of_value_is_named_in_plain_words() {
    for (text, place, said) in [
        (r#"{"title":"t","kernel":[],"file":[],"stream":[]}"#, "kernel", "an empty list; expected an object"),
        (r#"{"title":"t","kernel":["linux-7.2"],"file":[],"stream":[]}"#, "kernel", "a list of 1; expected an object"),
        (r#"{"title":"t","file":{},"stream":[]}"#, "file", "an object; expected a list"),
        (r#"{"title":"t","file":["x"],"stream":[]}"#, "file.0", "text; expected an object"),
        (r#"{"title":"t","file":[],"stream":[{"ops":[[]]}]}"#, "stream.0.ops.0", "an empty list; expected an object"),
        (r#"{"title":"t","file":[],"stream":[{"ops":[{"op":[]}]}]}"#, "stream.0.ops.0.op", "expected a name in quotes"),
        (r#"{"title":"t","file":[],"stream":[{"ops":[{"op":{"read":1}}]}]}"#, "stream.0.ops.0.op", "expected a name"),
        (r#"{"title":[],"file":[],"stream":[]}"#, "title", "expected text in quotes"),
        (r#"{"title":"t","cpu":null,"file":[],"stream":[]}"#, "cpu", "expected an object with keys and values"),
        (r#"{"title":"t","seed":1e30,"file":[],"stream":[]}"#, "seed", "expected a whole number from 0 to 184"),
        (r#"{"title":"t","expect":{"windows":[1]},"file":[],"stream":[]}"#, "expect.windows", "expected an object"),
    ] {
        let error = Scenario::from_json(text, "body").expect_err(text);
        assert_eq!((error.code, error.place.as_deref()), ("scenario.wrong_type", Some(place)), "{text}: {error}");
        assert!(error.message.contains(said) && !error.message.contains("struct"), "{text}: {error}");
    }
}

#[test]
fn control_characters_are_refused() {
    let code = "scenario.control_character";
    refused(&[
        (TITLE, r#"title = "a\nb""#, code, "title", "\\u{a}"),
        (TITLE, r#"title = "a\u001b[31m""#, code, "title", "\\u{1b}"),
        (TITLE, "title = \"t\"\nabout = \"a\\u0000\"", code, "about", "\\u{0}"),
        (NAME, r#"name = "da\tta""#, code, "file.0.name", "\\u{9}"),
        (NAME, r#"name = "da\u0085ta""#, code, "file.0.name", "\\u{85}"),
    ]);
    let text = GOOD.replace(TITLE, "title = \"Größe 漢\"\nabout = \"two\\nlines\"");
    assert!(Scenario::from_toml(&text, "test").is_ok());
}

#[test]
fn folio_orders_need_large_folios() {
    let code = "scenario.contradiction";
    refused(&[
        (NAME, "name = \"data\"\nlarge_folios = false\nmin_order = 2", code, "file.0.min_order", "2 with"),
        (NAME, "name = \"data\"\nlarge_folios = false\nmax_order = 4", code, "file.0.max_order", "4 with"),
        (
            NAME,
            "name = \"data\"\nlarge_folios = false\nmin_order = 2\nmax_order = 2",
            code,
            "file.0.min_order",
            "2 with",
        ),
    ]);
    let text = GOOD.replace(NAME, "name = \"data\"\nlarge_folios = false\nmin_order = 0\nmax_order = 0");
    assert_eq!(Scenario::from_toml(&text, "test").unwrap().world().files[0].max_order.0, 0);
}

#[test]
fn a_program_pauses_for_a_day_at_most() {
    let day = "86400000000000";
    refused(&[
        (OPS, "ops = [{ op = \"think\", time = \"86401s\" }]", "scenario.out_of_range", "stream.0.ops.0.time", day),
        (
            OPS,
            "ops = [{ op = \"think\", time = 18446744073709551615 }]",
            "scenario.out_of_range",
            "stream.0.ops.0.time",
            day,
        ),
        (
            OPS,
            "ops = [{ op = \"think\", time = \"1s\", count = 86401 }]",
            "scenario.out_of_range",
            "stream.0.ops.0.count",
            day,
        ),
        (
            OPS,
            "ops = [{ op = \"repeat\", count = 2, ops = [{ op = \"think\", time = \"43201s\" }] }]",
            "scenario.too_much",
            "stream.0",
            "86402000000000 ns in all",
        ),
    ]);
    let text = GOOD.replace(OPS, "ops = [{ op = \"think\", time = \"1s\", count = 86400 }]");
    assert!(Scenario::from_toml(&text, "test").is_ok());
}

#[test]
fn workloads_that_would_do_nothing_are_refused() {
    let interleaved = "workload = { kind = \"interleaved\", block = \"64K\", streams = 17 }";
    refused(&[
        (OPS, interleaved, "scenario.out_of_range", "stream.0.workload.streams", "16 readers at most"),
        (
            OPS,
            "workload = { kind = \"interleaved\", block = \"2M\", streams = 1 }",
            "scenario.out_of_range",
            "stream.0.workload.streams",
            "1048576 bytes",
        ),
    ]);
    assert!(Scenario::from_toml(&GOOD.replace(OPS, &interleaved.replace("17", "16")), "test").is_ok());
    for kind in ["{ kind = \"mmap_sequential\" }", "{ kind = \"mmap_random\", count = 2 }"] {
        let text = GOOD.replace(SIZE, "size = 0").replace(OPS, &format!("workload = {kind}"));
        let error = Scenario::from_toml(&text, "test").expect_err(kind);
        assert_eq!((error.code, error.place.as_deref()), ("scenario.cannot_map", Some("stream.0.workload")), "{error}");
    }
}

/// The scenario with these operations.
fn program(ops: &str) -> Result<Scenario, readahead_lab_core::LabError> {
    let empty = "[[file]]\nname = \"empty\"\nsize = 0\n[[stream]]";
    Scenario::from_toml(&GOOD.replace("[[stream]]", empty).replace(OPS, &format!("ops = [{ops}]")), "test")
}

#[test]
fn operations_that_cannot_work_are_refused() {
    let fh = |op: &str| format!(r#"{{ op = "{op}", fh = 1, len = "4K" }}"#);
    let close = r#"{ op = "close", fh = 1 }"#;
    let open = r#"{ op = "open", fh = 1 }"#;
    for (ops, code, place) in [
        (fh("read"), "scenario.not_open", "stream.0.ops.0.fh"),
        (fh("readahead"), "scenario.not_open", "stream.0.ops.0.fh"),
        (close.into(), "scenario.not_open", "stream.0.ops.0.fh"),
        (r#"{ op = "mmap", fh = 7 }"#.into(), "scenario.not_open", "stream.0.ops.0.fh"),
        (format!("{open}, {close}, {}", fh("read")), "scenario.not_open", "stream.0.ops.2.fh"),
        (
            format!(r#"{open}, {{ op = "repeat", count = 2, ops = [{}, {close}] }}"#, fh("read")),
            "scenario.not_open",
            "stream.0.ops.1.ops.0.fh",
        ),
        (r#"{ op = "touch", index = 0 }"#.into(), "scenario.not_mapped", "stream.0.ops.0.fh"),
        (r#"{ op = "fault", index = 0 }"#.into(), "scenario.not_mapped", "stream.0.ops.0.fh"),
        (
            format!(r#"{{ op = "mmap" }}, {open}, {{ op = "touch", fh = 1, index = 0 }}"#),
            "scenario.not_mapped",
            "stream.0.ops.2.fh",
        ),
        (r#"{ op = "mmap" }, { op = "touch", index = 256 }"#.into(), "scenario.out_of_range", "stream.0.ops.1.index"),
        (r#"{ op = "repeat", count = 2, ops = [] }"#.into(), "scenario.empty", "stream.0.ops.0.ops"),
        (
            r#"{ op = "open", fh = 1, file = "empty" }, { op = "mmap", fh = 1 }"#.into(),
            "scenario.cannot_map",
            "stream.0.ops.1",
        ),
    ] {
        let error = program(&ops).expect_err(&ops);
        assert_eq!((error.code, error.place.as_deref()), (code, Some(place)), "{ops}: {error}");
        assert!(error.message.contains("expected"), "{ops}: {error}");
    }
    for ops in [
        format!(r#"{{ op = "repeat", count = 3, ops = [{open}, {}, {close}] }}"#, fh("read")),
        format!(r#"{{ op = "repeat", count = 1, ops = [{open}, {close}] }}"#),
        r#"{ op = "mmap" }, { op = "touch", index = 0 }, { op = "fault", index = 3 }, { op = "close" }"#.into(),
        r#"{ op = "open", fh = 1, file = "empty" }, { op = "read", fh = 1, len = 1 }"#.into(),
    ] {
        assert!(program(&ops).is_ok(), "{ops}: {:?}", program(&ops).err());
    }
}
