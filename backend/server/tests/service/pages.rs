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
