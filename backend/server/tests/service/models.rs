//! The models over HTTP: lists, tables computed for what was asked, problems that name the field.

use crate::common::Lab;

#[tokio::test]
async fn every_model_and_patch_is_listed_with_its_page() {
    let lab = Lab::new();
    let models = lab.get("/api/v1/models").await.json();
    let models = models["models"].as_array().unwrap();
    assert_eq!(models.len(), 12);
    for model in models {
        let page = model["links"]["page"].as_str().unwrap();
        assert_eq!(lab.get(page).await.status, 200, "{page}");
        assert!(
            !model["changes"].as_array().unwrap().is_empty() && !model["not_modelled"].as_array().unwrap().is_empty()
        );
    }
    let patches = lab.get("/api/v1/patches").await.json();
    let patches = patches["patches"].as_array().unwrap();
    assert_eq!(patches.len(), 23);
    let named = |name: &str| patches.iter().find(|patch| patch["name"] == name).unwrap();
    assert_eq!(named("thrashing-safe")["needs"], serde_json::json!(["ra-flags", "retain-inactive"]));
    assert_eq!(named("thrashing-safe")["models"], serde_json::json!(["linux-2.6.33"]));
    assert_eq!(named("keep-half-window")["conflicts"], serde_json::json!(["align-in-ra-order"]));
}

#[tokio::test]
async fn a_models_tables_follow_the_query() {
    let lab = Lab::new();
    let sizes = |answer: &serde_json::Value, request: u64| -> Vec<u64> {
        let rows = answer["table"].as_array().unwrap();
        let row = rows.iter().find(|row| row["request"] == request).unwrap();
        row["windows"].as_array().unwrap().iter().map(|window| window["size"].as_u64().unwrap()).collect()
    };
    // first_size(1) of 128 pages is 4; below 8, a sixteenth of the limit, four times, then twice.
    let answer = lab.get("/api/v1/models/linux-5.10?read_ahead_kb=512").await.json();
    assert_eq!(sizes(&answer, 1)[..5], [4, 16, 32, 64, 128]);
    assert_eq!(answer["settings"]["max_sectors_kb"], 512);
    let first = &answer["tree"][0];
    assert_eq!(
        (first["key"].as_str(), first["rungs"][0]["yes"]["code"].as_str()),
        (Some("sync"), Some("sync_readahead_off"))
    );
    // 512k-default changes the default that is shown.
    let answer = lab.get("/api/v1/models/linux-2.6.33?patch=512k-default").await.json();
    assert_eq!(
        (answer["settings"]["read_ahead_kb"].as_u64(), answer["patches"][0].as_str()),
        (Some(512), Some("512k-default"))
    );
}

#[tokio::test]
async fn a_setting_that_changes_nothing_is_named() {
    let lab = Lab::new();
    let unused = |answer: &serde_json::Value| -> Vec<String> {
        let list = answer["unused"].as_array().unwrap();
        list.iter().map(|one| one["field"].as_str().unwrap().to_owned()).collect()
    };
    let answer = lab.get("/api/v1/models/linux-2.6.33?max_sectors_kb=64").await.json();
    assert_eq!(unused(&answer), ["max_sectors_kb"]);
    let page = lab.get("/models/linux-2.6.33?max_sectors_kb=64").await;
    assert!(page.status == 200 && page.text().contains("max_sectors_kb changes no window of linux-2.6.33"));
    let answer = lab.get("/api/v1/models/linux-7.2?max_sectors_kb=64").await.json();
    assert!(unused(&answer).is_empty());
}

#[tokio::test]
async fn linux_2_4_is_shown_without_marker_and_plug() {
    let lab = Lab::new();
    let page = lab.get("/models/linux-2.4.23").await.text().to_owned();
    for part in ["released November 2003", "this kernel has no marker", "single buffer heads"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    for part in ["behind the <a", "a plug is flushed early", "divides ra_pages by 4"] {
        assert!(!page.contains(part), "{part}: {page}");
    }
    let page = lab.get("/models").await.text().to_owned();
    assert!(page.contains("Wu Fengguang&#39;s series of February 2010") && page.contains("November 2024"), "{page}");
}

#[tokio::test]
async fn what_is_wrong_is_a_problem_with_its_place() {
    let lab = Lab::new();
    let detail = lab.get("/api/v1/models/linux-7.2?patch=keep-half-window&patch=align-in-ra-order").await;
    assert!(detail.problem(422, "model.setting").contains("alternatives"));
    assert_eq!(detail.json()["place"], "patch");
    let detail = lab.get("/api/v1/models/linux-4.4?patch=2mb-cap").await.problem(422, "model.setting");
    assert!(detail.contains("does not apply to linux-4.4"), "{detail}");
    let detail = lab.get("/api/v1/models/linux-7.2?read_ahead_kb=99999999").await.problem(422, "model.setting");
    assert!(detail.contains("from 0 to 16384"), "{detail}");
    let detail = lab.get("/api/v1/models/linux-7.2?readahead=1").await.problem(422, "model.field");
    assert!(detail.contains("read_ahead_kb"), "{detail}");
    let detail = lab.get("/api/v1/models/linux-9").await.problem(404, "models.unknown_model");
    assert!(detail.contains("linux-7.2"), "{detail}");
}

#[tokio::test]
async fn conformance_begins_when_it_is_asked_for_and_its_counts_add_up() {
    let lab = Lab::new();
    for _ in 0..3 {
        let told = lab.get("/api/v1/conformance").await.json();
        assert!(told["cases"].as_u64().unwrap() > 400 && told["files"].as_u64().unwrap() > 10);
        assert!(told["done"].as_u64() <= told["cases"].as_u64());
        let sum: u64 = ["passed", "failed", "not_run"].iter().map(|key| told["totals"][key].as_u64().unwrap()).sum();
        assert!(sum <= told["done"].as_u64().unwrap(), "{told}");
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    let page = lab.get("/conformance").await;
    assert_eq!(page.status, 200);
    assert!(page.text().contains("By model"));
}
