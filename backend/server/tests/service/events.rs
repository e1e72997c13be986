//! Live streams: batches, resuming, slow viewers, viewers that leave, and a terminal's trace_pipe.

use crate::common::{Lab, large_json, small_json};
use axum::body::Body;
use axum::http::Request;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::time::Duration;
use tower::ServiceExt;

/// One server-sent event.
#[derive(Debug)]
struct Sent {
    event: String,
    id: Option<usize>,
    data: Value,
}

fn parse(text: &str) -> Vec<Sent> {
    text.split("\n\n")
        .filter(|block| !block.trim().is_empty())
        .filter_map(|block| {
            let field = |name: &str| {
                block.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim_start().to_owned())
            };
            let event = field("event:")?;
            let data = serde_json::from_str(&field("data:")?).unwrap();
            Some(Sent { event, id: field("id:").map(|id| id.parse().unwrap()), data })
        })
        .collect()
}

/// Sequence numbers that the batches cover, coalesced rows counted in full.
fn covered(sent: &[Sent]) -> Vec<usize> {
    let mut seqs = Vec::new();
    for batch in sent.iter().filter(|sent| sent.event == "batch") {
        let mut next = batch.data["first"].as_u64().unwrap() as usize;
        for row in batch.data["events"].as_array().unwrap() {
            assert_eq!(row["seq"], next);
            let count = row.get("count").map_or(1, |count| count.as_u64().unwrap() as usize);
            seqs.extend(next..next + count);
            next += count;
        }
        assert_eq!(batch.id, Some(next));
    }
    seqs
}

#[tokio::test]
async fn a_finished_run_streams_whole_and_resumes_anywhere() {
    let lab = Lab::new();
    let id = lab.submit(&small_json(1)).await;
    lab.done(&id).await;
    let path = format!("/api/v1/runs/{id}/events");
    let answer = lab.get_as(&path, "text/event-stream").await;
    assert_eq!(answer.header("content-type"), "text/event-stream");
    assert_eq!(answer.header("content-encoding"), "");
    let sent = parse(answer.text());
    assert_eq!(sent[0].event, "state");
    let last = sent.last().unwrap();
    assert_eq!((last.event.as_str(), &last.data["state"]), ("end", &json!("done")));
    let total = last.data["events"].as_u64().unwrap() as usize;
    assert_eq!(covered(&sent), (0..total).collect::<Vec<_>>());

    let middle = total / 2;
    let from = parse(lab.get_as(&format!("{path}?from={middle}"), "text/event-stream").await.text());
    assert_eq!(covered(&from), (middle..total).collect::<Vec<_>>());
    let request = Request::get(format!("{path}?from=0")).header("last-event-id", middle.to_string());
    let resumed = parse(lab.call(request.body(Body::empty()).unwrap()).await.text());
    assert_eq!(covered(&resumed), (middle..total).collect::<Vec<_>>());
    let beyond = parse(lab.get_as(&format!("{path}?from={}", total + 5), "text/event-stream").await.text());
    assert_eq!(beyond.last().unwrap().event, "end");

    let bad = Request::get(&path).header("last-event-id", "x").body(Body::empty()).unwrap();
    let detail = lab.call(bad).await.problem(400, "events.bad_last_event_id");
    assert_eq!(detail, "Last-Event-ID: `x`; expected the number that the last batch had as its id");
    lab.get(&format!("{path}?from=-1")).await.problem(400, "query.invalid");
    lab.get_as(&path, "application/json").await.problem(406, "events.not_acceptable");
}

#[tokio::test]
async fn batches_are_bounded_and_say_the_same_as_the_export() {
    let lab = Lab::with(|config| {
        config.limits.batch_events = 50;
        config.limits.batch_bytes = 2000;
    });
    let id = lab.submit(&small_json(1)).await;
    lab.done(&id).await;
    let sent = parse(lab.get_as(&format!("/api/v1/runs/{id}/events"), "text/event-stream").await.text());
    let batches: Vec<&Sent> = sent.iter().filter(|sent| sent.event == "batch").collect();
    assert!(batches.len() > 3);
    for batch in &batches {
        let rows = batch.data["events"].as_array().unwrap();
        assert!(rows.len() <= 50);
        // The last row may pass the bound; a row is less than 4 KiB.
        assert!(batch.data.to_string().len() < 2000 + 4096);
    }
    let export = lab.get(&format!("/api/v1/runs/{id}/export/events.jsonl")).await;
    let exported: Vec<Value> = export.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for row in batches.iter().flat_map(|batch| batch.data["events"].as_array().unwrap()) {
        let mut row = row.clone();
        row.as_object_mut().unwrap().remove("count");
        assert_eq!(row, exported[row["seq"].as_u64().unwrap() as usize]);
    }
}

#[tokio::test]
async fn the_text_form_is_the_trace_without_its_header() {
    let lab = Lab::new();
    let id = lab.submit(&small_json(1)).await;
    lab.done(&id).await;
    let live = lab.get_as(&format!("/api/v1/runs/{id}/events"), "text/plain").await;
    assert_eq!(live.header("content-type"), "text/plain; charset=utf-8");
    let whole = lab.get(&format!("/api/v1/runs/{id}/export/trace.txt")).await;
    let lines: Vec<&str> = whole.text().lines().filter(|line| !line.starts_with('#')).collect();
    assert!(lines.len() > 10);
    assert_eq!(live.text().lines().collect::<Vec<_>>(), lines);
}

/// Reads frames of a stream until `enough` says so.
async fn read_until(body: &mut Body, mut enough: impl FnMut(&str) -> bool) -> String {
    let mut text = String::new();
    let reading = async {
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame.unwrap().into_data() {
                text.push_str(std::str::from_utf8(&data).unwrap());
            }
            if enough(&text) {
                break;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), reading).await.expect("the stream brings what was waited for");
    text
}

async fn open(lab: &Lab, id: &str) -> Body {
    let request = Request::get(format!("/api/v1/runs/{id}/events")).header("accept", "text/event-stream");
    let response = lab.app.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), 200);
    response.into_body()
}

#[tokio::test]
async fn a_live_run_is_followed_while_it_is_steered() {
    let lab = Lab::new();
    let mut scenario = small_json(3);
    scenario["paused"] = true.into();
    let id = lab.submit(&scenario).await;
    let mut body = open(&lab, &id).await;
    let text = read_until(&mut body, |text| text.contains("\"paused\"")).await;
    assert!(covered(&parse(&text)).is_empty());
    let control = format!("/api/v1/runs/{id}/control");
    lab.post_json(&control, &json!({"action": "step"})).await;
    let mut text = text + &read_until(&mut body, |text| text.contains("\"decided\"")).await;
    lab.post_json(&control, &json!({"action": "resume"})).await;
    text += &read_until(&mut body, |text| text.contains("event: end") && text.ends_with("\n\n")).await;
    let sent = parse(&text);
    let end = sent.last().unwrap();
    assert_eq!(end.data["state"], "done");
    assert_eq!(covered(&sent), (0..end.data["events"].as_u64().unwrap() as usize).collect::<Vec<_>>());
    let states: Vec<&str> =
        sent.iter().filter(|sent| sent.event == "state").map(|sent| sent.data["state"].as_str().unwrap()).collect();
    assert!(states.contains(&"paused"), "{states:?}");
}

#[tokio::test]
async fn a_viewer_that_leaves_or_stops_reading_does_not_touch_the_run() {
    let lab = Lab::new();
    let mut scenario = large_json(1);
    scenario["paused"] = true.into();
    let id = lab.submit(&scenario).await;
    let mut leaving = open(&lab, &id).await;
    let mut stalled = open(&lab, &id).await;
    read_until(&mut leaving, |text| text.contains("event: state")).await;
    read_until(&mut stalled, |text| text.contains("event: state")).await;
    assert_eq!(
        lab.state.metrics.text().lines().find(|line| line.starts_with("readahead_lab_viewers ")),
        Some("readahead_lab_viewers 2")
    );
    drop(leaving);
    lab.post_json(&format!("/api/v1/runs/{id}/control"), &json!({"action": "resume"})).await;
    let run = lab.done(&id).await;
    assert_eq!(run["pages_read"], 262_144);
    assert!(lab.state.metrics.text().contains("readahead_lab_viewers 1\n"));
    drop(stalled);
    assert!(lab.state.metrics.text().contains("readahead_lab_viewers 0\n"));
}

#[tokio::test]
async fn a_viewer_too_far_behind_a_live_run_is_moved_on_and_told() {
    let lab = Lab::with(|config| {
        config.limits.viewer_behind_for = Duration::ZERO;
        config.limits.viewer_behind_events = 100;
        config.limits.batch_events = 50;
    });
    let mut scenario = large_json(2);
    scenario["pace"] = json!(0.05);
    let id = lab.submit(&scenario).await;
    let mut body = open(&lab, &id).await;
    read_until(&mut body, |text| text.contains("event: state")).await;
    // Not reading while thousands of events are recorded.
    let began = std::time::Instant::now();
    while lab.get(&format!("/api/v1/runs/{id}")).await.json()["progress"]["events"].as_u64().unwrap() < 5000 {
        assert!(began.elapsed() < Duration::from_secs(30));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let text = read_until(&mut body, |text| {
        text.contains("event: skipped") && text.matches("event: batch").count() > 1 && text.ends_with("\n\n")
    })
    .await;
    lab.post_json(&format!("/api/v1/runs/{id}/control"), &json!({"action": "cancel"})).await;
    let sent = parse(&text);
    let at = sent.iter().position(|sent| sent.event == "skipped").unwrap();
    let (from, to) = (sent[at].data["from"].as_u64().unwrap(), sent[at].data["to"].as_u64().unwrap());
    assert!(to > from + 100, "{from} … {to}");
    assert_eq!(sent[at].id, Some(to as usize));
    let next = sent[at..].iter().find(|sent| sent.event == "batch").unwrap();
    assert_eq!(next.data["first"], to);
}

#[tokio::test]
async fn there_are_only_so_many_viewers() {
    let lab = Lab::with(|config| config.limits.viewers = 1);
    let mut scenario = small_json(3);
    scenario["paused"] = true.into();
    let id = lab.submit(&scenario).await;
    let first = open(&lab, &id).await;
    lab.get(&format!("/api/v1/runs/{id}/events")).await.problem(503, "viewers.full");
    drop(first);
    let again = open(&lab, &id).await;
    drop(again);
    lab.post_json(&format!("/api/v1/runs/{id}/control"), &json!({"action": "cancel"})).await;
}
