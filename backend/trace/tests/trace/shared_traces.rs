//! Runs over the folder of shared traces when READAHEAD_SHARED points to it: whole captures against the counts in their
//! sidecars, and samples of other people's traces, which must give events or a clear refusal.

use readahead_trace::{TraceError, inspect};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn shared() -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os("READAHEAD_SHARED")?);
    assert!(folder.join("traces").is_dir(), "READAHEAD_SHARED={} has no traces/", folder.display());
    Some(folder)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn whole_captures_have_the_events_of_their_sidecars() {
    let Some(shared) = shared() else { return };
    let mut checked = 0;
    for sidecar in files(&shared.join("traces")).iter().filter(|path| path.extension().is_some_and(|ext| ext == "json"))
    {
        let facts: serde_json::Value = serde_json::from_slice(&std::fs::read(sidecar).unwrap()).unwrap();
        let Some(counts) = facts["trace"]["event_counts"].as_object() else { continue };
        let trace = sidecar.with_extension("trace.gz");
        let inspection = inspect(std::fs::File::open(&trace).unwrap(), |_| ()).unwrap();
        assert!(inspection.skipped.is_empty(), "{}: {:?}", trace.display(), inspection.skipped);
        if inspection.header.entries_in_buffer != Some(inspection.records) {
            continue; // Only its first events were kept.
        }
        let expected: BTreeMap<String, u64> =
            counts.iter().map(|(name, count)| (name.clone(), count.as_u64().unwrap())).collect();
        assert_eq!(inspection.events, expected, "{}", trace.display());
        checked += 1;
    }
    assert!(checked > 50, "only {checked} captures were checked");
}

#[test]
fn samples_of_other_people() {
    let Some(shared) = shared() else { return };
    let public = shared.join("traces/public");
    // What the index of the samples calls useless for readahead.
    let useless = [
        "catapult-atrace-decompressed-tgid.txt",
        "graph-tracer-LOST-163499.txt",
        "header-async-buffered-reads.txt",
        "nfs-aop-readahead.txt",
        "nfsd-analyze-read.txt",
        "perfetto-cpu_frequency_limits.systrace.txt",
        "perfetto-sched_blocked_systrace.systrace.txt",
        "trappy-no-trailing-newline.txt",
        "lisa-trace-6cpu-head.txt",
        "trappy-empty-events.txt",
        "trappy-ext4-filesystem.txt",
        "trappy-failed-to-parse.txt",
        "trappy-unsorted-tabs.txt",
        "trappy-version6-header.txt",
    ];
    let mut read = 0;
    for folder in ["ftrace", "tracecmd-report"] {
        for path in files(&public.join(folder)) {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            match inspect(std::fs::File::open(&path).unwrap(), |_| ()) {
                Ok(inspection) => {
                    assert!(inspection.records >= 1, "{name}");
                    assert!(!useless.contains(&name.as_str()), "{name}: {:?}", inspection.events);
                    read += 1;
                }
                Err(TraceError::NothingUsable(_)) => assert!(useless.contains(&name.as_str()), "{name}"),
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
    assert!(read >= 10, "only {read} samples were read");
}

/// No file of the folder, of whatever format, makes it panic.
#[test]
fn nothing_panics() {
    let Some(shared) = shared() else { return };
    let mut folders = vec![shared.join("traces"), shared.join("traces/public")];
    folders.extend(files(&shared.join("traces/public")).into_iter().filter(|path| path.is_dir()));
    for path in folders.iter().flat_map(|folder| files(folder)).filter(|path| path.is_file()) {
        let _ = inspect(std::fs::File::open(&path).unwrap(), |_| ());
    }
}
