//! Steering live runs, the queue, and what happens to runs across a restart.

use crate::common::{Lab, config, large_json, small_json};
use readahead_server::{AppState, router};
use serde_json::{Value, json};
use std::time::Duration;

async fn control(lab: &Lab, id: &str, order: Value) -> crate::common::Answer {
    lab.post_json(&format!("/api/v1/runs/{id}/control"), &order).await
}

#[tokio::test]
async fn a_run_starts_held_steps_from_decision_to_decision_and_is_cancelled_half_way() {
    let lab = Lab::new();
    let mut scenario = small_json(5);
    scenario["paused"] = true.into();
    let id = lab.submit(&scenario).await;
    let path = format!("/api/v1/runs/{id}");
    lab.wait(&path, &["paused"]).await;
    for steps in 1..=2 {
        assert_eq!(control(&lab, &id, json!({"action": "step"})).await.status, 200);
        let began = std::time::Instant::now();
        loop {
            let run = lab.get(&path).await.json();
            if run["progress"]["decisions"] == steps && run["state"] == "paused" {
                break;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "{run}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    lab.get(&format!("{path}/export/trace.txt")).await.problem(409, "run.not_done");
    assert_eq!(control(&lab, &id, json!({"action": "cancel"})).await.status, 200);
    let run = lab.wait(&path, &["cancelled"]).await;
    assert_eq!(run["error"]["code"], "run.cancelled");
    // What it recorded is kept, and the service goes on.
    let events = lab.get(&format!("{path}/export/events.jsonl")).await;
    assert!(events.text().contains("\"decided\""));
    control(&lab, &id, json!({"action": "resume"})).await.problem(409, "run.ended");
    // Submitting it again computes it to the end.
    let id_again = lab.submit(&small_json(5)).await;
    assert_eq!(id_again, id);
    lab.done(&id).await;
}

#[tokio::test]
async fn orders_that_make_no_sense() {
    let lab = Lab::new();
    let mut scenario = small_json(6);
    scenario["paused"] = true.into();
    let id = lab.submit(&scenario).await;
    let detail = control(&lab, &id, json!({"action": "explode"})).await.problem(422, "control.unknown_action");
    assert!(detail.contains("explode") && detail.contains("pause, resume, step"), "{detail}");
    let detail = control(&lab, &id, json!({"action": "pace", "pace": "x"})).await.problem(422, "body.invalid");
    assert!(detail.starts_with("pace: invalid type: string \"x\", expected a number"), "{detail}");
    control(&lab, &id, json!({"action": "pace", "pace": -2})).await.problem(422, "control.bad_pace");
    control(&lab, &id, json!({"action": "pause", "pace": 2})).await.problem(422, "control.bad_pace");
    control(&lab, &id, json!({"action": "pause", "speed": 2})).await.problem(422, "body.invalid");
    control(&lab, &id, json!({})).await.problem(422, "body.invalid");
    assert_eq!(control(&lab, &id, json!({"action": "resume"})).await.status, 200);
    lab.done(&id).await;
}

#[tokio::test]
async fn held_and_paced_runs_leave_the_workers_to_others() {
    let lab = Lab::with(|config| config.limits.workers = 1);
    let mut held = small_json(1);
    held["paused"] = true.into();
    let mut paced = small_json(2);
    paced["pace"] = json!(1e-9);
    let (held, paced) = (lab.submit(&held).await, lab.submit(&paced).await);
    let free = lab.submit(&small_json(3)).await;
    lab.done(&free).await;
    lab.wait(&format!("/api/v1/runs/{paced}"), &["running"]).await;
    control(&lab, &paced, json!({"action": "pace", "pace": null})).await;
    lab.done(&paced).await;
    control(&lab, &held, json!({"action": "resume"})).await;
    lab.done(&held).await;
}

#[tokio::test]
async fn a_full_queue_takes_no_more_and_a_waiting_run_can_be_cancelled() {
    let lab = Lab::with(|config| {
        config.limits.workers = 1;
        config.limits.queued_runs = 1;
        config.limits.run_threads = 1;
    });
    let mut held = small_json(1);
    held["paused"] = true.into();
    let held = lab.submit(&held).await;
    let waiting = lab.submit(&small_json(2)).await;
    let full = lab.post_json("/api/v1/runs", &small_json(3)).await;
    full.problem(503, "queue.full");
    assert_eq!(full.header("retry-after"), "5");
    assert_eq!(control(&lab, &waiting, json!({"action": "cancel"})).await.status, 200);
    lab.wait(&format!("/api/v1/runs/{waiting}"), &["cancelled"]).await;
    let next = lab.submit(&small_json(3)).await;
    control(&lab, &held, json!({"action": "resume"})).await;
    lab.done(&next).await;
}

#[tokio::test]
async fn finished_runs_are_served_after_a_restart_and_interrupted_ones_run_again() {
    let lab = Lab::with(|config| config.limits.run_threads = 2);
    let finished = lab.submit(&small_json(1)).await;
    lab.stored(&finished).await;
    let before = lab.done(&finished).await;
    let events_before = lab.get(&format!("/api/v1/runs/{finished}/export/events.jsonl")).await.bytes;
    let mut held = small_json(2);
    held["paused"] = true.into();
    let held = lab.submit(&held).await;
    lab.wait(&format!("/api/v1/runs/{held}"), &["paused"]).await;
    // The program ends without a chance to tidy up: only what is in the directory remains.
    let Lab { dir, .. } = lab;
    let copy = tempfile::tempdir().unwrap();
    copy_directory(dir.path(), copy.path());

    let state = AppState::open(config(copy.path())).unwrap();
    let lab = Lab { app: router(state.clone()), state, dir: copy };
    lab.done(&held).await;
    let mut after = lab.get(&format!("/api/v1/runs/{finished}")).await.json();
    let mut before = before;
    for run in [&mut before, &mut after] {
        run.as_object_mut().unwrap().remove("progress");
        run.as_object_mut().unwrap().remove("finished_ms");
    }
    assert_eq!(after, before);
    assert_eq!(lab.get(&format!("/api/v1/runs/{finished}/export/events.jsonl")).await.bytes, events_before);
}

fn copy_directory(from: &std::path::Path, to: &std::path::Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            std::fs::create_dir_all(&target).unwrap();
            copy_directory(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[tokio::test]
async fn a_recording_that_was_lost_or_damaged_is_made_again() {
    let lab = Lab::with(|config| config.limits.recordings_bytes = 0);
    let (first, second) = (lab.submit(&small_json(1)).await, lab.submit(&small_json(2)).await);
    lab.done(&first).await;
    lab.done(&second).await;
    let file = |id: &str| lab.dir.path().join("runs").join(format!("{id}.recording"));
    let path = format!("/api/v1/runs/{first}/export/events.jsonl");
    let events = lab.get(&path).await.bytes;
    for damage in [None, Some(&b"not a recording"[..])] {
        // The other run takes the one place in memory.
        lab.get(&format!("/api/v1/runs/{second}/export/events.jsonl")).await;
        lab.stored(&first).await;
        match damage {
            None => std::fs::remove_file(file(&first)).unwrap(),
            Some(bytes) => std::fs::write(file(&first), bytes).unwrap(),
        }
        let began = std::time::Instant::now();
        loop {
            let again = lab.get(&path).await;
            if again.status == 200 {
                assert_eq!(again.bytes, events);
                break;
            }
            again.problem(409, "run.not_done");
            assert!(began.elapsed() < Duration::from_secs(30));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        lab.done(&first).await;
    }
}

#[tokio::test]
async fn a_run_that_records_without_end_is_stopped() {
    let lab = Lab::with(|config| config.limits.run_events = 1000);
    let mut scenario = large_json(1);
    scenario["pace"] = json!(0.001);
    let id = lab.submit(&scenario).await;
    let path = format!("/api/v1/runs/{id}");
    let began = std::time::Instant::now();
    loop {
        lab.state.runs.tidy();
        let run = lab.get(&path).await.json();
        assert_ne!(run["state"], "cancelled", "nobody asked for it");
        if run["state"] == "failed" {
            assert_eq!(run["error"]["code"], "run.too_long");
            break;
        }
        assert!(run["state"] == "queued" || run["state"] == "running", "{run}");
        assert!(began.elapsed() < Duration::from_secs(60), "{run}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    // Viewers, the store and a later start say the same.
    let stream = lab.get_as(&format!("{path}/events"), "text/event-stream").await;
    let end = stream.text().split("event: end").nth(1).unwrap_or_default();
    assert!(end.contains(r#""state":"failed""#) && end.contains("more than 1000 events"), "{end}");
    lab.stored(&id).await;
    assert_eq!(lab.state.store.run(&id).unwrap().unwrap().state, "failed");
}

#[tokio::test]
async fn a_run_that_stays_held_is_cancelled() {
    let lab = Lab::with(|config| config.limits.paused_for = Duration::from_millis(1));
    let mut held = small_json(1);
    held["paused"] = true.into();
    let id = lab.submit(&held).await;
    tokio::time::sleep(Duration::from_millis(5)).await;
    lab.state.runs.tidy();
    let run = lab.wait(&format!("/api/v1/runs/{id}"), &["cancelled"]).await;
    assert_eq!(run["error"]["code"], "run.paused_too_long");
}
