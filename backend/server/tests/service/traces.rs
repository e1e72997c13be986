//! Uploads: raw and multipart, too large, empty, broken, and what happens to them afterwards.

use crate::common::{Answer, Lab};
use axum::body::{Body, Bytes};
use axum::http::Request;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};
use std::io::Write;

/// Some lines of ftrace text of our own: a read of the first pages of a file.
fn trace() -> String {
    let mut text = String::from("# tracer: nop\n#\n");
    for page in 0..8 {
        let us = 100 + page;
        text += &format!(
            "             cat-100     [000] .....     1.000{us}: mm_filemap_add_to_page_cache: dev 8:1 ino 2f pfn=0x{:x} ofs={} order=0\n",
            4096 + page,
            page * 4096
        );
    }
    text
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

async fn upload(lab: &Lab, bytes: impl Into<Body>) -> Answer {
    lab.post("/api/v1/traces?name=x.trace", "application/octet-stream", bytes).await
}

async fn inspected(lab: &Lab, answer: &Answer) -> Value {
    assert_eq!(answer.status, 201, "{}", answer.text());
    lab.wait(&format!("/api/v1/traces/{}", answer.json()["id"].as_str().unwrap()), &["ready", "failed"]).await
}

#[tokio::test]
async fn raw_compressed_and_multipart_uploads_are_understood_alike() {
    let lab = Lab::new();
    let plain = inspected(&lab, &upload(&lab, trace()).await).await;
    assert_eq!(plain["state"], "ready", "{plain}");
    assert_eq!(plain["events"]["mm_filemap_add_to_page_cache"], 8);
    assert_eq!(plain["name"], "x.trace");
    let compressed = inspected(&lab, &upload(&lab, gzip(trace().as_bytes())).await).await;
    assert_eq!(compressed["events"], plain["events"]);
    let form = format!(
        "--B\r\ncontent-disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--B\r\ncontent-disposition: form-data; \
         name=\"trace\"; filename=\"../../a b.trace\"\r\ncontent-type: text/plain\r\n\r\n{}\r\n--B--\r\n",
        trace()
    );
    let form = lab.post("/api/v1/traces", "multipart/form-data; boundary=B", form).await;
    let form = inspected(&lab, &form).await;
    assert_eq!((&form["events"], &form["name"]), (&plain["events"], &json!("a b.trace")));
    assert_eq!(lab.get("/api/v1/traces").await.json()["traces"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn uploads_are_not_bound_like_other_bodies() {
    let lab = Lab::new();
    let large = trace().repeat(6000);
    assert!(large.len() > 3 * lab.state.config.limits.body_bytes);
    let raw = inspected(&lab, &upload(&lab, large.clone()).await).await;
    assert_eq!(raw["events"]["mm_filemap_add_to_page_cache"], 8 * 6000);
    let form =
        format!("--B\r\ncontent-disposition: form-data; name=\"trace\"; filename=\"t\"\r\n\r\n{large}\r\n--B--\r\n");
    let form = lab.post("/api/v1/traces", "multipart/form-data; boundary=B", form).await;
    assert_eq!(inspected(&lab, &form).await["events"], raw["events"]);
}

#[tokio::test]
async fn empty_and_formless_uploads() {
    let lab = Lab::new();
    upload(&lab, "").await.problem(422, "upload.empty");
    let no_file = "--B\r\ncontent-disposition: form-data; name=\"note\"\r\n\r\nhello\r\n--B--\r\n";
    lab.post("/api/v1/traces", "multipart/form-data; boundary=B", no_file).await.problem(422, "upload.no_file");
    lab.post("/api/v1/traces", "multipart/form-data", "x").await.problem(400, "upload.malformed");
    let empty_file = "--B\r\ncontent-disposition: form-data; name=\"t\"; filename=\"t\"\r\n\r\n\r\n--B--\r\n";
    lab.post("/api/v1/traces", "multipart/form-data; boundary=B", empty_file).await.problem(422, "upload.empty");
    let broken = "--B\r\ncontent-disposition: form-data; name=\"t\"; filename=\"t\"\r\n\r\nabc";
    lab.post("/api/v1/traces", "multipart/form-data; boundary=B", broken).await.problem(400, "upload.broken_off");
    assert_eq!(files(&lab), 0);
}

#[tokio::test]
async fn uploads_that_hold_no_trace_fail_with_a_sentence_and_the_service_goes_on() {
    let lab = Lab::new();
    let binary: Vec<u8> = (0..20_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let whole = gzip(trace().repeat(50).as_bytes());
    let cases: [(&str, Vec<u8>); 4] = [
        ("binary", binary),
        ("text without events", b"Dear all,\nthis is not a trace.\n".to_vec()),
        ("a gzip of nothing", gzip(b"")),
        ("a gzip cut in its header", whole[..6].to_vec()),
    ];
    for (what, bytes) in cases {
        let answer = upload(&lab, bytes).await;
        let trace = inspected(&lab, &answer).await;
        assert_eq!(trace["state"], "failed", "{what}: {trace}");
        let detail = trace["error"]["detail"].as_str().unwrap();
        assert!(detail.len() > 10 && !detail.contains('\n'), "{what}: {detail}");
        let code = trace["error"]["code"].as_str().unwrap();
        let path = format!("/api/v1/traces/{}", answer.json()["id"].as_str().unwrap());
        lab.post_json(&format!("{path}/replay"), &json!({"model": "linux-7.2"})).await.problem(422, code);
        lab.get(&format!("{path}/figures/windows.svg")).await.problem(422, code);
    }
    // A gzip cut in the middle gives what it holds, and says that it is cut, or fails and says that.
    let cut = inspected(&lab, &upload(&lab, whole[..whole.len() / 2].to_vec()).await).await;
    let said = cut.to_string();
    assert!(["ends before its time", "truncated", "is cut"].iter().any(|word| said.contains(word)), "{said}");
    let good = inspected(&lab, &upload(&lab, trace()).await).await;
    assert_eq!(good["state"], "ready");
}

#[tokio::test]
async fn too_large_uploads_and_broken_connections_leave_nothing() {
    let lab = Lab::with(|config| config.limits.upload_bytes = 1000);
    let detail = upload(&lab, vec![b'x'; 1001]).await.problem(413, "upload.too_large");
    assert!(detail.contains("1000"), "{detail}");
    let chunks = vec![Ok(Bytes::from_static(b"# tracer")), Err(std::io::Error::other("reset by peer"))];
    let request = Request::post("/api/v1/traces").body(Body::from_stream(futures_util::stream::iter(chunks))).unwrap();
    lab.call(request).await.problem(400, "upload.broken_off");
    assert_eq!(files(&lab), 0);
    assert_eq!(upload(&lab, vec![b'x'; 1000]).await.status, 201);
}

fn files(lab: &Lab) -> usize {
    std::fs::read_dir(lab.dir.path().join("traces")).unwrap().count()
}

#[tokio::test]
async fn deleting_needs_the_token() {
    let lab = Lab::new();
    let answer = upload(&lab, trace()).await;
    inspected(&lab, &answer).await;
    let (id, token) =
        (answer.json()["id"].as_str().unwrap().to_owned(), answer.json()["token"].as_str().unwrap().to_owned());
    let path = format!("/api/v1/traces/{id}");
    let delete = |query: &str, bearer: Option<&str>| {
        let mut request = Request::delete(format!("{path}{query}"));
        if let Some(bearer) = bearer {
            request = request.header("authorization", format!("Bearer {bearer}"));
        }
        request.body(Body::empty()).unwrap()
    };
    lab.call(delete("", None)).await.problem(401, "trace.token_missing");
    lab.call(delete("?token=00", None)).await.problem(403, "trace.token_wrong");
    lab.call(delete("", Some("wrong"))).await.problem(403, "trace.token_wrong");
    assert_eq!(lab.get(&path).await.status, 200);
    assert_eq!(lab.call(delete("", Some(&token))).await.status, 204);
    lab.get(&path).await.problem(404, "trace.not_found");
    lab.call(delete("", Some(&token))).await.problem(404, "trace.not_found");
    assert_eq!(files(&lab), 0);
}

#[tokio::test]
async fn a_trace_is_drawn_and_replayed() {
    let lab = Lab::new();
    let answer = upload(&lab, include_bytes!("fixtures/7.2-xfs-J.trace.gz").to_vec()).await;
    let trace = inspected(&lab, &answer).await;
    assert_eq!(trace["state"], "ready", "{trace}");
    let path = format!("/api/v1/traces/{}", trace["id"].as_str().unwrap());
    let svg = lab.get(&format!("{path}/figures/windows.svg?file=0&theme=dark")).await;
    assert_eq!((svg.status.as_u16(), svg.header("content-type")), (200, "image/svg+xml"), "{}", svg.text());
    lab.get(&format!("{path}/figures/nothing.svg")).await.problem(404, "figure.unknown");
    let series = lab.get(&format!("{path}/series/windows?file=0&px=300")).await;
    assert!(series.json()["panels"].is_array(), "{}", series.text());
    lab.get(&format!("{path}/series/windows?px=1")).await.problem(400, "series.bad_range");
    let stats = lab.get(&format!("{path}/stats")).await.json();
    assert_eq!(stats["events"], trace["events"]);
    assert!(stats["devices"][0]["reads"].as_u64().unwrap() > 0);
    assert!(stats["files"][0].get("windows").is_none());
    let replay = lab.post_json(&format!("{path}/replay"), &json!({"model": "linux-7.2"})).await;
    assert_eq!(replay.status, 200, "{}", replay.text());
    assert_eq!(replay.json()["agreement"], 1.0, "{}", replay.text());
    let detail = lab.post_json(&format!("{path}/replay"), &json!({"model": "linux-0.1"})).await;
    assert_eq!(detail.status, 422, "{}", detail.text());
    lab.post_json(&format!("{path}/replay"), &json!({"modell": "linux-7.2"})).await.problem(422, "body.invalid");
}

#[tokio::test]
async fn traces_that_do_not_exist() {
    let lab = Lab::new();
    let nowhere = "00000000000000000000";
    lab.get(&format!("/api/v1/traces/{nowhere}")).await.problem(404, "trace.not_found");
    lab.get(&format!("/api/v1/traces/{nowhere}/figures/windows.svg")).await.problem(404, "trace.not_found");
    lab.post_json(&format!("/api/v1/traces/{nowhere}/replay"), &json!({"model": "linux-7.2"}))
        .await
        .problem(404, "trace.not_found");
    lab.get("/api/v1/traces/..%2f..%2fsecret").await.problem(400, "id.malformed");
}
