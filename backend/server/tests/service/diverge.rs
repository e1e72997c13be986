//! `/diverge`: two kernels, and the shortest workload on which they part.

use super::common::Lab;

const PATCHED: &str = "a=linux-7.2&b=linux-7.2%2Bkeep-half-window";

#[tokio::test]
async fn the_answer_is_a_workload_with_both_decisions_and_a_scenario_that_runs() {
    let lab = Lab::new();
    let answer = lab.get(&format!("/api/v1/diverge?{PATCHED}")).await.json();
    let found = &answer["found"];
    assert_eq!(found["ops"], serde_json::json!(["read 4K", "read 16K"]));
    assert_eq!(found["operation"], 2);
    // The window of 16 pages from page 12 on would end at page 28: cut to 16 by the one, to 24 by the other.
    assert_eq!((found["a"]["window"]["size"].as_u64(), found["b"]["window"]["size"].as_u64()), (Some(4), Some(12)));
    assert_eq!(found["a"]["reason"], "async_expected");
    let scenario = found["scenario"].as_str().unwrap();
    assert!(readahead_lab_core::scenario::Scenario::from_toml(scenario, "diverge").is_ok(), "{scenario}");
    // A plus sign that was not encoded is a space in a query.
    let same = lab.get("/api/v1/diverge?a=linux-7.2&b=linux-7.2+keep-half-window&seed=1").await.json();
    assert_eq!(same, answer);
}

#[tokio::test]
async fn a_kernel_that_does_not_exist_is_named() {
    let lab = Lab::new();
    let detail = lab.get("/api/v1/diverge?a=linux-1.0&b=linux-7.2").await.problem(422, "diverge.unknown_model");
    assert!(detail.starts_with("a: unknown model `linux-1.0`"), "{detail}");
    let answer = lab.get("/diverge?a=linux-7.2&b=linux-4.4%2B2mb-cap").await;
    assert_eq!(answer.status, 422);
    let page = answer.text().to_owned();
    assert!(page.contains("role=\"alert\"") && page.contains("does not apply to linux-4.4"), "{page}");
}

#[tokio::test]
async fn the_page_shows_the_form_and_the_answer() {
    let lab = Lab::new();
    let page = lab.get("/diverge").await.text().to_owned();
    assert!(page.contains("action=\"/diverge\"") && page.contains("linux-2.6.33+2mb-cap"), "{page}");
    // What needs others stands behind them.
    let series = "linux-2.6.33+ra-flags+retain-inactive+thrashing-safe";
    for kernel in ["", "+patterns", "+patterns+trace-event", "+patterns+stats", "+patterns+lseek-flag"] {
        assert!(page.contains(&format!("<option value=\"{series}{kernel}\">")), "{kernel}: {page}");
    }
    let page = lab.get(&format!("/diverge?{PATCHED}")).await.text().to_owned();
    for part in ["read 16K", "here they part", "12+4-4", "12+12-12", "action=\"/compare\""] {
        assert!(page.contains(part), "{part}: {page}");
    }
}
