//! The pages' forms: what they send is what a person meant.

use crate::common::Lab;
use serde_json::json;

/// The values of the fields of the settings form on a page, with another one for `key`.
fn form_with(page: &str, key: &str, value: &str) -> String {
    let start = page.find("<ra-settings>").unwrap();
    let form = &page[start..start + page[start..].find("</ra-settings>").unwrap()];
    let attribute = |tag: &str, name: &str| {
        let from = tag.find(&format!(" {name}=\"")).map(|at| at + name.len() + 3)?;
        let text = &tag[from..from + tag[from..].find('"')?];
        Some(text.replace("&#34;", "\"").replace("&quot;", "\"").replace("&#38;", "&").replace("&amp;", "&"))
    };
    let mut pairs = vec![("kernel.model".to_owned(), "linux-7.2".to_owned())];
    for tag in form.split("<input").skip(1).map(|rest| &rest[..rest.find('>').unwrap()]) {
        if attribute(tag, "type").as_deref() != Some("checkbox") {
            pairs.push((attribute(tag, "name").unwrap(), attribute(tag, "value").unwrap()));
        }
    }
    pairs.push(("device.model".to_owned(), "nvme".to_owned()));
    let place = pairs.iter().position(|(name, _)| name == key).unwrap();
    pairs[place].1 = value.to_owned();
    let encoded = |text: &str| text.bytes().map(|byte| format!("%{byte:02x}")).collect::<String>();
    pairs.iter().map(|(name, value)| format!("{}={}", encoded(name), encoded(value))).collect::<Vec<_>>().join("&")
}

const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn a_file_enlarged_on_the_page_is_the_run_that_the_same_setting_gives_anywhere() {
    let lab = Lab::new();
    let run = |size: &str| json!({"scenario": "mm-2026-keep-half-window", "set": [format!("file.0.size={size}")]});
    let id = lab.submit(&run("1M")).await;
    let page = lab.get(&format!("/runs/{id}")).await;
    assert!(page.text().contains("value=\"1M\""), "sizes stand with their units");
    let sent = lab.post("/runs", FORM, form_with(page.text(), "file.0.size", "2M")).await;
    assert_eq!(sent.status, 303, "{}", sent.text());
    let same = lab.post_json("/api/v1/runs", &run("2M")).await;
    assert_eq!(sent.header("location"), format!("/runs/{}", same.json()["id"].as_str().unwrap()));
    // 2 MiB by windows of 128 KiB and less: all of them are read, none is a hole.
    let done = lab.done(same.json()["id"].as_str().unwrap()).await;
    assert_eq!(done["device_read_bytes"], 2 << 20);
}

#[tokio::test]
async fn another_device_on_the_page_runs() {
    let lab = Lab::new();
    let body = json!({"scenario": "mm-2026-keep-half-window", "set": ["file.0.size=1M", "device.latency=200us"]});
    let id = lab.submit(&body).await;
    let page = lab.get(&format!("/runs/{id}")).await;
    let sent = lab.post("/runs", FORM, form_with(page.text(), "device.model", "instant")).await;
    assert_eq!(sent.status, 303, "{}", sent.text());
}

/// The part of a page from one text to another.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let start = page.find(from).unwrap_or_else(|| panic!("{from}: {page}"));
    &page[start..start + page[start..].find(to).unwrap()]
}

async fn page_of(lab: &Lab, body: &serde_json::Value) -> (String, String) {
    let id = lab.submit(body).await;
    lab.done(&id).await;
    let page = lab.get(&format!("/runs/{id}")).await.text().to_owned();
    (id, page)
}

#[tokio::test]
async fn only_what_a_source_measured_is_called_measured() {
    let lab = Lab::new();
    let (id, page) = page_of(&lab, &json!({"scenario": "old-2-4-stream"})).await;
    let answer = between(&page, "id=\"answer\"", "</section>");
    assert!(answer.contains("✓ Pages read: expected 245, computed 245."), "{answer}");
    assert!(!answer.to_lowercase().contains("measured"), "{answer}");
    let report = lab.get(&format!("/api/v1/runs/{id}/export/report.html")).await.text().to_owned();
    assert!(report.contains("<td>pages_read</td><td class=\"n\">—</td>"), "{report}");
    let (_, page) = page_of(&lab, &json!({"scenario": "mm-2026-keep-half-window"})).await;
    let answer = between(&page, "id=\"answer\"", "</section>");
    assert!(answer.contains("The source measured 3,329 device reads") && answer.contains(">MEASURED<"), "{answer}");
}

#[tokio::test]
async fn a_run_offers_the_patches_of_its_kernel_and_every_export() {
    let lab = Lab::new();
    let (id, page) = page_of(&lab, &json!({"scenario": "old-2-4-stream"})).await;
    assert!(page.contains("kernels=\"linux-2.4.23\""), "{page}");
    let boxes = between(&page, "<ra-patches>", "</div>");
    assert_eq!((boxes.matches("type=\"checkbox\"").count(), boxes.contains("last-page")), (1, true), "{boxes}");
    let template = between(&page, "<template data-model=\"linux-4.14\">", "</template>");
    assert!(template.contains("value=\"stable-io-pages\""), "{template}");
    assert_eq!(page.matches("Compare with ").count(), 1);
    for export in ["trace.txt", "events.jsonl", "summary.json", "trace.dat", "report.html", "lkml.txt"] {
        let address = format!("/api/v1/runs/{id}/export/{export}");
        assert!(page.contains(&address), "{export}");
        assert_eq!(lab.get(&address).await.status, 200, "{export}");
    }
    // A patch of the old kernel is refused by the new one, with the names of those that apply.
    let form = "name=old-2-4-stream&kernel.model=linux-4.14&kernel.patches=last-page";
    let refused = lab.post("/runs", FORM, form.to_owned()).await;
    assert!(refused.status == 422 && refused.text().contains("stable-io-pages"), "{}", refused.text());
}

#[tokio::test]
async fn comparisons_bring_what_their_patches_need_and_run() {
    let lab = Lab::new();
    let (_, page) = page_of(&lab, &json!({"scenario": "series-2010-cp-test-file"})).await;
    let offered = between(&page, "id=\"against\"", "</form>");
    let settings: Vec<&str> =
        offered.split("name=\"b\" value=\"").skip(1).map(|rest| &rest[..rest.find('"').unwrap()]).collect();
    assert!(settings.len() > 6 && offered.contains("<details>"), "{offered}");
    // The run's own patches stay on, but for the one that takes them off.
    assert_eq!(settings[0], "kernel.patches=");
    assert!(
        settings[1..].iter().all(|one| one.contains("thrashing-safe") && one.contains("trace-event")),
        "{settings:?}"
    );
    for b in settings {
        let body = json!({"scenario": "series-2010-cp-test-file", "a": "", "b": b});
        let accepted = lab.post_json("/api/v1/compare", &body).await;
        assert!(matches!(accepted.status.as_u16(), 200..=299), "{b}: {}", accepted.text());
    }
}

#[tokio::test]
async fn a_comparison_of_two_kernels_names_both_and_no_default() {
    let lab = Lab::new();
    let body =
        json!({"scenario": "first-sequential-read", "a": "kernel.model=linux-2.6.33", "b": "kernel.model=linux-7.2"});
    let accepted = lab.post_json("/api/v1/compare", &body).await.json();
    for side in ["a", "b"] {
        lab.done(accepted[side].as_str().unwrap()).await;
    }
    let text =
        lab.get(&format!("/api/v1/compare/{}/lkml.txt", accepted["id"].as_str().unwrap())).await.text().to_owned();
    assert!(text.contains("Simulated: linux-2.6.33 (A), linux-7.2 (B)"), "{text}");
    assert!(text.contains("A: kernel.model = linux-2.6.33\nB: kernel.model = linux-7.2\n\n"), "{text}");
}
