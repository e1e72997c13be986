//! Compares over HTTP.

use crate::common::{Lab, small_json};
use serde_json::json;

#[tokio::test]
async fn two_sides_are_run_and_compared() {
    let lab = Lab::new();
    let mut scenario = small_json(1);
    scenario["file"][0]["size"] = "8M".into();
    scenario["stream"][0]["ops"][1]["len"] = "1M".into();
    let question = json!({"scenario": scenario, "a": "kernel.patches=", "b": "kernel.patches=keep-half-window"});
    let created = lab.post_json("/api/v1/compare", &question).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let id = created.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/compare/{id}");
    assert_eq!(created.header("location"), path);
    let compare = lab.wait(&path, &["done"]).await;
    assert_eq!(compare["a"]["run_id"], created.json()["a"]);
    assert_eq!(compare["b"]["patches"], json!(["keep-half-window"]));
    let (a, b) = (compare["a"]["device_reads"].as_u64().unwrap(), compare["b"]["device_reads"].as_u64().unwrap());
    assert!(a > b, "the patch makes fewer and larger requests: {a} and {b}");
    assert!(!compare["differences"].is_null());
    assert!(compare["first_divergence"].is_object(), "{}", compare["first_divergence"]);

    let mail = lab.get(&format!("{path}/lkml.txt")).await;
    assert_eq!(mail.header("content-type"), "text/plain; charset=utf-8");
    assert!(mail.text().lines().all(|line| line.chars().count() <= 72), "{}", mail.text());
    assert!(mail.text().contains(&a.to_string()) && mail.text().contains(&b.to_string()));
    let figures = lab.get("/api/v1/figures").await.json();
    let name = figures["figures"][0]["name"].as_str().unwrap().to_owned();
    let svg = lab.get(&format!("{path}/figures/{name}.svg")).await;
    assert_eq!((svg.status.as_u16(), svg.header("content-type")), (200, "image/svg+xml"));
    lab.get(&format!("{path}/figures/nothing.svg")).await.problem(404, "figure.unknown");

    let again = lab.post_json("/api/v1/compare", &question).await;
    assert_eq!((again.status.as_u16(), again.header("location")), (303, path.as_str()));
    assert_eq!(lab.get("/api/v1/compare").await.json()["compares"][0]["id"], *id);
}

#[tokio::test]
async fn wrong_questions_name_the_side() {
    let lab = Lab::new();
    let ask = |a: &str, b: &str| json!({"scenario": small_json(1), "a": a, "b": b});
    let answer = lab.post_json("/api/v1/compare", &ask("seed=1", "kernel.patches=no-such-patch")).await;
    assert_eq!(answer.status, 422);
    let json = answer.json();
    assert_eq!(json["place"], "b");
    assert!(json["detail"].as_str().unwrap().contains("no-such-patch"), "{json}");
    assert_eq!(lab.post_json("/api/v1/compare", &ask("kernel.modle=x", "")).await.json()["place"], "a");
    // Neither side of a wrong question is run.
    assert!(lab.get("/api/v1/runs").await.json()["runs"].as_array().unwrap().is_empty());
    lab.post_json("/api/v1/compare", &json!({"scenario": small_json(1), "a": ""})).await.problem(422, "body.invalid");
    lab.get("/api/v1/compare/00000000000000000000").await.problem(404, "compare.not_found");
    lab.get("/api/v1/compare/xyz").await.problem(400, "id.malformed");
}

#[tokio::test]
async fn a_compare_whose_runs_are_not_done_has_no_text_yet() {
    let lab = Lab::with(|config| {
        config.limits.workers = 1;
        config.limits.run_threads = 1;
    });
    let mut held = small_json(9);
    held["paused"] = true.into();
    let held = lab.submit(&held).await;
    let question = json!({"scenario": small_json(1), "a": "seed=1", "b": "seed=2"});
    let id = lab.post_json("/api/v1/compare", &question).await.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/compare/{id}");
    let compare = lab.get(&path).await.json();
    assert_eq!((&compare["state"], &compare["differences"]), (&json!("queued"), &json!(null)));
    lab.get(&format!("{path}/lkml.txt")).await.problem(409, "compare.not_done");
    lab.post_json(&format!("/api/v1/runs/{held}/control"), &json!({"action": "cancel"})).await;
    lab.wait(&path, &["done"]).await;
    assert_eq!(lab.get(&format!("{path}/lkml.txt")).await.status, 200);
}
