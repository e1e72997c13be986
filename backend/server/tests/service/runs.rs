//! Runs over HTTP: submitting, finding again, seeing, exporting, and every way of getting a scenario wrong.

use crate::common::{Lab, SMALL, small_json};
use axum::body::Body;
use axum::http::Request;
use serde_json::json;

#[tokio::test]
async fn a_recording_that_many_ask_for_at_once_is_read_once() {
    let lab = Lab::new();
    let id = lab.submit(&small_json(77)).await;
    lab.stored(&id).await;
    let state = readahead_server::AppState::open(crate::common::config(lab.dir.path())).unwrap();
    let asked: Vec<_> = (0..16)
        .map(|_| {
            let (runs, id) = (std::sync::Arc::clone(&state.runs), id.clone());
            std::thread::spawn(move || runs.recording(&id).unwrap().len())
        })
        .collect();
    let lengths: Vec<usize> = asked.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(lengths[0] > 0 && lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
    let metrics = state.metrics.text();
    assert!(metrics.contains("readahead_lab_recordings_loaded_total 1\n"), "{metrics}");
}

#[tokio::test]
async fn a_toml_scenario_is_run_and_found_again() {
    let lab = Lab::new();
    let created = lab.post_toml("/api/v1/runs", SMALL).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let id = created.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(created.header("location"), format!("/api/v1/runs/{id}"));
    assert_eq!(created.json()["links"]["events"], format!("/api/v1/runs/{id}/events"));

    let run = lab.done(&id).await;
    assert_eq!(run["run_id"], *id);
    assert_eq!(run["model"], "linux-7.2");
    assert_eq!(run["simulated"], true);
    // Every page of the 256 KiB file is read once.
    assert_eq!(run["pages_read"], 64);
    assert_eq!(run["device_read_bytes"], 256 << 10);
    assert_eq!(run["requested_bytes"], 256 << 10);
    assert_eq!(run["scenario"]["title"], "A small file read in 64 KiB");
    for key in INTERFACE_KEYS {
        assert!(run.get(key).is_some(), "the json of run lacks `{key}`");
    }

    let again = lab.post_toml("/api/v1/runs", SMALL).await;
    assert_eq!(again.status, 303);
    assert_eq!(again.header("location"), format!("/api/v1/runs/{id}"));
    let as_json = lab.post_json("/api/v1/runs", &small_json(1)).await;
    assert_eq!((as_json.status.as_u16(), as_json.json()["id"].as_str().unwrap()), (303, id.as_str()));

    let list = lab.get("/api/v1/runs?limit=5").await.json();
    assert_eq!(list["runs"][0]["id"], *id);
    assert_eq!(list["runs"].as_array().unwrap().len(), 1);
}

/// The keys that the `json` of `run` has at least.
const INTERFACE_KEYS: [&str; 31] = [
    "run_id",
    "engine_version",
    "model",
    "patches",
    "elapsed_ns",
    "simulated",
    "device_reads",
    "device_read_bytes",
    "device_read_size_histogram",
    "requested_bytes",
    "throughput_bytes_per_s",
    "pages_read",
    "pages_used",
    "pages_unused",
    "pages_evicted_unused",
    "refaults",
    "cache_hits",
    "cache_misses",
    "windows",
    "sync_waits",
    "wait_ns",
    "read_latency_ns",
    "folio_orders",
    "major_faults",
    "stats",
    "streams",
    "digest",
    "state",
    "links",
    "id",
    "title",
];

#[tokio::test]
async fn a_scenario_of_the_library_runs_by_name_with_settings() {
    let lab = Lab::new();
    let scenarios = lab.get("/api/v1/scenarios").await.json();
    let name = scenarios["scenarios"][0]["name"].as_str().unwrap().to_owned();
    let body = json!({"scenario": name, "set": ["seed=77"], "paused": true});
    let id = lab.submit(&body).await;
    let run = lab.wait(&format!("/api/v1/runs/{id}"), &["paused"]).await;
    assert_eq!(run["scenario"]["seed"], 77);
    assert_eq!(run["scenario_name"], *name);
    let file = lab.get(&format!("/api/v1/scenarios/{name}")).await;
    assert_eq!((file.status.as_u16(), file.header("content-type")), (200, "application/toml; charset=utf-8"));
    let cancelled = lab.post_json(&format!("/api/v1/runs/{id}/control"), &json!({"action": "cancel"})).await;
    assert_eq!(cancelled.status, 200);
}

#[tokio::test]
async fn every_way_of_getting_a_scenario_wrong_is_told_and_the_service_goes_on() {
    let lab = Lab::new();
    let with = |from: &str, to: &str| {
        assert!(SMALL.contains(from));
        SMALL.replace(from, to)
    };
    let cases = [
        // (body, status, what the message must name)
        (with("seed = 1", "sede = 1"), 422, "sede"),
        (with("\"256K\"", "\"256Q\""), 422, "256Q"),
        (with("\"256K\"", "\"-4K\""), 422, "-4K"),
        (with("\"256K\"", "-4096"), 422, "-4096"),
        (with("\"256K\"", "1000000000000000000000000000000"), 422, "1000000000000000000000000000000"),
        (with("\"256K\"", "\"1000000000000000000000000000000\""), 422, "1000000000000000000000000000000"),
        (with("linux-7.2", "linux-1.0"), 422, "linux-1.0"),
        (with("\"nvme\"", "\"floppy\""), 422, "floppy"),
        (with("op = \"read\", len = \"4K\"", "op = \"raed\", len = \"4K\""), 422, "raed"),
        (with("[kernel]", "[kernel"), 422, "line"),
    ];
    for (body, status, named) in cases {
        let answer = lab.post_toml("/api/v1/runs", &body).await;
        assert_eq!(answer.status, status, "{body}\n{}", answer.text());
        let json = answer.json();
        let code = json["code"].as_str().unwrap();
        let detail = answer.problem(status, code);
        assert!(detail.contains(named), "{detail}");
    }
    // The same through JSON, where the place is a path.
    let mut scenario = small_json(1);
    scenario["file"][0]["size"] = "12 parsecs".into();
    let answer = lab.post_json("/api/v1/runs", &scenario).await;
    assert_eq!(answer.status, 422);
    assert!(answer.json()["detail"].as_str().unwrap().contains("12 parsecs"));
    // Nothing of this was accepted, and the next one is.
    assert_eq!(lab.get("/api/v1/runs").await.json()["runs"].as_array().unwrap().len(), 0);
    assert_eq!(lab.post_toml("/api/v1/runs", SMALL).await.status, 201);
}

#[tokio::test]
async fn bodies_that_are_no_scenario_at_all() {
    let lab = Lab::new();
    lab.post("/api/v1/runs", "application/json", "{\"title\": ").await.problem(400, "body.not_json");
    lab.post("/api/v1/runs", "application/json", vec![0xff_u8, 0xfe]).await.problem(400, "body.not_utf8");
    lab.post("/api/v1/runs", "text/csv", "a,b").await.problem(415, "body.media_type");
    lab.post("/api/v1/runs", "application/x-www-form-urlencoded", "a=b").await.problem(415, "body.media_type");
    let large = "x".repeat(2 << 20);
    let detail = lab.post("/api/v1/runs", "application/toml", large.clone()).await.problem(413, "body.too_large");
    assert!(detail.contains("more than 1048576 bytes"), "{detail}");
    let announced = Request::post("/api/v1/runs").header("content-type", "application/toml");
    let announced = announced.header("content-length", large.len()).body(Body::from(large)).unwrap();
    let detail = lab.call(announced).await.problem(413, "body.too_large");
    assert!(detail.contains("2097152 bytes") && detail.contains("at most 1048576"), "{detail}");
    let detail = lab
        .post_json("/api/v1/runs", &json!({"scenario": "no-such-one"}))
        .await
        .problem(404, "library.unknown_scenario");
    assert!(detail.contains("no-such-one"), "{detail}");
    let detail =
        lab.post_json("/api/v1/runs", &json!({"scenario": "x", "seet": []})).await.problem(422, "body.invalid");
    assert!(detail.contains("seet") && detail.contains("expected"), "{detail}");
    for pace in [json!(0), json!(-1)] {
        let mut scenario = small_json(1);
        scenario["pace"] = pace;
        lab.post_json("/api/v1/runs", &scenario).await.problem(422, "control.bad_pace");
    }
    lab.post_toml("/api/v1/runs?pace=fast", SMALL).await.problem(400, "query.invalid");
    lab.post_toml("/api/v1/runs?paase=1", SMALL).await.problem(400, "query.invalid");
    let answer = lab.post_json("/api/v1/runs", &json!([1, 2])).await;
    assert_eq!(answer.status, 422, "{}", answer.text());
}

#[tokio::test]
async fn runs_that_do_not_exist() {
    let lab = Lab::new();
    let nowhere = "00000000000000000000";
    for path in ["", "/events", "/stats", "/series/windows", "/figures/windows.svg", "/export/trace.txt"] {
        lab.get(&format!("/api/v1/runs/{nowhere}{path}")).await.problem(404, "run.not_found");
    }
    lab.post_json(&format!("/api/v1/runs/{nowhere}/control"), &json!({"action": "pause"}))
        .await
        .problem(404, "run.not_found");
    for bad in ["x", "..%2f..%2fetc%2fpasswd", "0123456789ABCDEF0123", "%00"] {
        lab.get(&format!("/api/v1/runs/{bad}")).await.problem(400, "id.malformed");
    }
}

#[tokio::test]
async fn a_run_is_exported_in_every_form() {
    let lab = Lab::new();
    let id = lab.submit(&small_json(1)).await;
    let run = lab.done(&id).await;
    let api = format!("/api/v1/runs/{id}/export");

    let lines = lab.get(&format!("{api}/events.jsonl")).await;
    assert_eq!((lines.status.as_u16(), lines.header("content-type")), (200, "application/jsonl"));
    let rows: Vec<serde_json::Value> = lines.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (seq, row) in rows.iter().enumerate() {
        assert_eq!(row["seq"], seq);
    }
    let decisions = rows.iter().filter(|row| row["event"] == "decided").count();
    assert!(decisions > 0);
    assert!(rows.iter().filter(|row| row["event"] == "decided").all(|row| row["decision"]["sentence"].is_string()));
    let issued = rows.iter().filter(|row| row["event"] == "issued").count();
    assert_eq!(run["device_reads"], issued);

    let trace = lab.get(&format!("{api}/trace.txt")).await;
    assert!(trace.text().contains("page_cache_ra_"), "{}", trace.text().chars().take(500).collect::<String>());
    let summary = lab.get(&format!("{api}/summary.json")).await.json();
    assert_eq!(summary["digest"], run["digest"]);
    let report = lab.get(&format!("{api}/report.html")).await;
    assert!(report.text().contains("A small file read in 64 KiB"));
    assert!(report.header("content-security-policy").starts_with("default-src 'none'; style-src 'unsafe-inline'"));
    let mail = lab.get(&format!("{api}/lkml.txt")).await;
    assert_eq!(mail.status, 200);
    assert!(mail.text().lines().all(|line| line.chars().count() <= 72), "{}", mail.text());
    assert!(mail.header("content-disposition").contains(&format!("{id}-lkml.txt")));
    let dat = lab.get(&format!("{api}/trace.dat")).await;
    assert_eq!((dat.status.as_u16(), dat.header("content-type")), (200, "application/octet-stream"));
    assert!(dat.bytes.starts_with(b"\x17\x08\x44tracing6\0"));
    lab.get(&format!("{api}/trace.exe")).await.problem(404, "export.unknown");
}

#[tokio::test]
async fn stats_figures_and_series() {
    let lab = Lab::new();
    let id = lab.submit(&small_json(1)).await;
    lab.done(&id).await;
    let api = format!("/api/v1/runs/{id}");
    let table = lab.get(&format!("{api}/stats")).await;
    assert_eq!(table.header("content-type"), "text/plain; charset=utf-8");
    assert!(table.text().lines().count() >= 9, "{}", table.text());
    let json = lab.get_as(&format!("{api}/stats"), "application/json").await.json();
    assert!(json["stats"].is_object());

    let figures = lab.get("/api/v1/figures").await.json();
    let names: Vec<&str> = figures["figures"].as_array().unwrap().iter().map(|f| f["name"].as_str().unwrap()).collect();
    assert!(!names.is_empty());
    for name in &names {
        let svg = lab.get(&format!("{api}/figures/{name}.svg?theme=dark&w=390&h=300")).await;
        assert_eq!((svg.status.as_u16(), svg.header("content-type")), (200, "image/svg+xml"), "{name}");
        assert!(svg.text().contains("<svg"), "{name}");
        let png = lab.get(&format!("{api}/figures/{name}.png")).await;
        assert_eq!(png.header("content-type"), "image/png");
        assert!(png.bytes.starts_with(b"\x89PNG"), "{name}");
        let series = lab.get(&format!("{api}/series/{name}?px=200")).await;
        assert!(series.json().is_object(), "{name}");
    }
    let name = names[0];
    lab.get(&format!("{api}/figures/{name}.gif")).await.problem(404, "figure.unknown_form");
    lab.get(&format!("{api}/figures/{name}.svg?w=1000000")).await.problem(400, "figure.bad_size");
    lab.get(&format!("{api}/figures/{name}.svg?theme=pink")).await.problem(400, "query.invalid");
    lab.get(&format!("{api}/figures/nothing.svg")).await.problem(404, "figure.unknown");
    lab.get(&format!("{api}/series/nothing")).await.problem(404, "figure.unknown");
    lab.get(&format!("{api}/series/{name}?px=9999999")).await.problem(400, "series.bad_range");
    for (query, code, place, value) in [
        ("from=5&to=5", "series.bad_range", "from", "`5`"),
        ("from=9&to=5", "series.bad_range", "from", "`9`"),
        ("to=0", "series.bad_range", "to", "`0`"),
        ("px=-1", "query.invalid", "px", "`-1`; expected a whole number, 16 … 8000"),
        ("px=abc", "query.invalid", "px", "`abc`; expected a whole number, 16 … 8000"),
        ("from=a", "query.invalid", "from", "`a`"),
    ] {
        let answer = lab.get(&format!("{api}/series/{name}?{query}")).await;
        let detail = answer.problem(400, code);
        assert_eq!(answer.json()["place"], place, "{query}");
        assert!(detail.contains(value), "{query}: {detail}");
    }
    lab.get(&format!("{api}/figures/{name}.svg?to=0")).await.problem(400, "series.bad_range");
}
