//! The stats table over HTTP: who counts, a run that goes on, and the reset by writing to it.

use crate::common::{Lab, small_json};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const SERIES: [&str; 8] =
    ["512k-default", "ra-flags", "retain-inactive", "thrashing-safe", "patterns", "trace-event", "stats", "lseek-flag"];

/// The table of a run.
async fn table(lab: &Lab, id: &str, query: &str) -> Value {
    let answer = lab.get_as(&format!("/api/v1/runs/{id}/stats{query}"), "application/json").await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

async fn reset(lab: &Lab, id: &str, body: &'static str) -> Value {
    let answer = lab.post(&format!("/api/v1/runs/{id}/stats"), "text/plain", body).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

/// Windows that the table counts.
fn windows(table: &Value) -> u64 {
    table["stats"]["all"]["readahead"].as_u64().unwrap()
}

/// A run of the 2010 series.
fn series_json(seed: u64) -> Value {
    let mut scenario = small_json(seed);
    scenario["kernel"] = json!({"model": "linux-2.6.33", "patches": SERIES});
    scenario
}

/// "Writing anything to the file resets all counters" (specification of the historic kernels, 9.2).
#[tokio::test]
async fn writing_anything_resets_the_counters_of_a_run_that_is_done() {
    let lab = Lab::new();
    for (seed, scenario, by) in [(1, small_json(1), "lab"), (2, series_json(2), "series")] {
        let id = lab.submit(&scenario).await;
        lab.done(&id).await;
        let path = format!("/api/v1/runs/{id}/stats");
        let whole = table(&lab, &id, "").await;
        assert!(windows(&whole) > 0, "{seed}");
        assert_eq!((&whole["counted_by"], &whole["counted_from"]), (&json!(by), &json!(0)));
        let answer = lab.get(&path).await;
        assert_eq!((answer.header("x-counted-by"), answer.header("x-counted-from")), (by, "0"));

        for body in ["0", "", "{not even JSON"] {
            let from = reset(&lab, &id, body).await["counted_from"].as_u64().unwrap();
            assert_eq!(from, lab.get(&format!("/api/v1/runs/{id}")).await.json()["events"], "everything came before");
        }
        let none = table(&lab, &id, "").await;
        assert_eq!(windows(&none), 0);
        let text = lab.get(&path).await;
        let rows: Vec<&str> = text.text().lines().skip(1).collect();
        assert_eq!(rows.len(), 8);
        assert!(rows.iter().all(|row| row.split_whitespace().skip(1).all(|column| column == "0")), "{}", text.text());

        // The record itself is what it was: for whoever asks for all of it, and in the summary.
        assert_eq!(table(&lab, &id, "?from=0").await["stats"], whole["stats"]);
        assert_eq!(lab.get(&format!("/api/v1/runs/{id}")).await.json()["stats"], whole["stats"]);
        // Another run counts as before.
        let other = lab.submit(&small_json(10 + seed)).await;
        lab.done(&other).await;
        assert!(windows(&table(&lab, &other, "").await) > 0);
    }
}

/// A viewer of a live run sees the counters grow, resets them, and sees what came since.
#[tokio::test]
async fn a_live_run_is_counted_from_its_reset_on() {
    let lab = Lab::new();
    let mut scenario = series_json(3);
    scenario["paused"] = true.into();
    let id = lab.submit(&scenario).await;
    let path = format!("/api/v1/runs/{id}");
    lab.wait(&path, &["paused"]).await;
    assert_eq!(windows(&table(&lab, &id, "").await), 0);
    step(&lab, &id, 1).await;
    step(&lab, &id, 2).await;
    let before = table(&lab, &id, "").await;
    assert_eq!(before["state"], "paused");
    assert!(windows(&before) > 0, "{before}");
    reset(&lab, &id, "1").await;
    assert_eq!(windows(&table(&lab, &id, "").await), 0);
    step(&lab, &id, 3).await;
    assert_eq!(windows(&table(&lab, &id, "").await), 1);
    let resumed = lab.post_json(&format!("{path}/control"), &json!({"action": "resume"})).await;
    assert_eq!(resumed.status, 200);
    let run = lab.done(&id).await;
    // Both parts make the whole.
    let (since, whole) = (windows(&table(&lab, &id, "").await), windows(&table(&lab, &id, "?from=0").await));
    assert_eq!(since + windows(&before), whole);
    assert_eq!(run["stats"]["all"]["readahead"], whole);

    // Run anew, it is counted from its beginning.
    scenario["again"] = true.into();
    scenario["paused"] = false.into();
    assert_eq!(lab.submit(&scenario).await, id);
    lab.done(&id).await;
    assert_eq!(windows(&table(&lab, &id, "").await), whole);
}

/// Steps once and waits until that many decisions are taken.
async fn step(lab: &Lab, id: &str, decisions: u64) {
    let path = format!("/api/v1/runs/{id}");
    let order = lab.post_json(&format!("{path}/control"), &json!({"action": "step"})).await;
    assert_eq!(order.status, 200, "{}", order.text());
    let began = Instant::now();
    loop {
        let run = lab.get(&path).await.json();
        if run["progress"]["decisions"] == decisions && run["state"] == "paused" {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "{run}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn what_is_no_run_has_no_counters() {
    let lab = Lab::new();
    let missing = "/api/v1/runs/0123456789abcdef0123/stats";
    lab.get(missing).await.problem(404, "run.not_found");
    lab.post(missing, "text/plain", "0").await.problem(404, "run.not_found");
    let id = lab.submit(&small_json(4)).await;
    lab.done(&id).await;
    let detail = lab.get(&format!("/api/v1/runs/{id}/stats?from=x")).await.problem(400, "query.invalid");
    assert!(detail.contains("from"), "{detail}");
}
