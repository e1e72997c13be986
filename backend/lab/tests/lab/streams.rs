//! Many streams from one line: copies, start delays and rates.

use readahead_lab_core::run::run_to_end;
use readahead_lab_core::scenario::Scenario;
use readahead_types::{EventKind, FileId};

fn scenario(files: &str, stream: &str) -> Result<Scenario, String> {
    let text = format!(
        r#"
        title = "streams"
        [kernel]
        model = "linux-6.12"
        [[file]]
        name = "data"
        {files}
        [[stream]]
        file = "data"
        ops = [{{ op = "read", len = "64K", until = "eof" }}]
        {stream}
        "#
    );
    Scenario::from_toml(&text, "test").map_err(|error| error.to_string())
}

#[test]
fn a_stream_with_a_rate_takes_its_bytes_one_after_the_other() {
    let elapsed = |stream: &str| {
        let scenario = scenario("size = \"1M\"", stream).unwrap();
        run_to_end(&scenario).unwrap().summary().unwrap().elapsed_ns
    };
    // 1 MiB at 1 MiB a second is a second, whatever the device needs; ten copies that start a tenth apart end 0.9 s later.
    let one = elapsed("rate = \"1M\"");
    assert!((1_000_000_000..1_001_000_000).contains(&one), "{one}");
    let ten = elapsed("rate = \"1M\"\ncopies = 10\nevery = \"100ms\"");
    assert!((1_900_000_000..1_902_000_000).contains(&ten), "{ten}");
    assert!(elapsed("") < 10_000_000);
}

#[test]
fn copies_of_a_stream_take_the_copies_of_their_file_in_turn() {
    let scenario = scenario("size = \"256K\"\ncopies = 3", "copies = 5").unwrap();
    let recording = run_to_end(&scenario).unwrap();
    let mut opened: Vec<u32> = Vec::new();
    for event in recording.events(0..recording.len()) {
        if let EventKind::Open { file: FileId(file), .. } = event.kind {
            opened.push(file);
        }
    }
    opened.sort_unstable();
    assert_eq!(opened, [0, 0, 1, 1, 2]);
    let names: Vec<&str> = scenario.world().files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["data.0", "data.1", "data.2"]);
    assert_eq!(recording.summary().unwrap().streams.len(), 5);
    // The scenario as it is stored is the one line that was written.
    let again = Scenario::from_json(scenario.canonical_json(), "canonical").unwrap();
    assert_eq!(again.canonical_json(), scenario.canonical_json());
}

#[test]
fn what_makes_no_sense_is_named() {
    for (files, stream, expected) in [
        ("size = \"1M\"", "every = \"1ms\"", "stream.0.every: one stream has no next; expected `copies` with it"),
        ("size = \"1M\"", "rate = 0", "stream.0.rate: 0 is out of range; expected 1 to"),
        ("size = \"1M\"", "copies = 0", "stream.0.copies: 0 is out of range; expected 1 to 4096"),
        ("size = \"1M\"\ncopies = 2000", "", "file.0.copies: 2000 is out of range; expected 1 to 1024"),
        (
            "size = \"4K\"\ncopies = 2\nextents = [{ pos = 0, len = \"4K\", sector = 8 }]",
            "",
            "file.0.extents: the copies cannot all lie there; expected no `extents` with `copies`",
        ),
    ] {
        let error = scenario(files, stream).err().unwrap_or_default();
        assert!(error.contains(expected), "{error}");
    }
}
