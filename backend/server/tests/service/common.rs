//! A service on a temporary data directory, called without a socket.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use readahead_server::{AppState, Config, router};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tower::ServiceExt;

/// A scenario of 64 pages.
pub(crate) const SMALL: &str = r#"
title = "A small file read in 64 KiB"
seed = 1

[kernel]
model = "linux-7.2"

[device]
model = "nvme"

[[file]]
name = "data"
size = "256K"

[[stream]]
file = "data"
ops = [ { op = "read", len = "4K" }, { op = "read", len = "64K", until = "eof" } ]
"#;

/// The same as JSON, with another seed, so that it is another run.
pub(crate) fn small_json(seed: u64) -> Value {
    serde_json::json!({
        "title": "A small file read in 64 KiB",
        "seed": seed,
        "kernel": {"model": "linux-7.2"},
        "device": {"model": "nvme"},
        "file": [{"name": "data", "size": "256K"}],
        "stream": [{"file": "data", "ops": [{"op": "read", "len": "4K"}, {"op": "read", "len": "64K", "until": "eof"}]}],
    })
}

/// One that records some hundred thousand events.
pub(crate) fn large_json(seed: u64) -> Value {
    let mut scenario = small_json(seed);
    scenario["file"][0]["size"] = "1G".into();
    scenario["stream"][0]["ops"] = serde_json::json!([{"op": "read", "len": "4K", "until": "eof"}]);
    scenario
}

pub(crate) struct Lab {
    pub(crate) state: AppState,
    pub(crate) app: Router,
    pub(crate) dir: TempDir,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&self.bytes)))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    /// Checks that this is a whole RFC 9457 problem, and returns its detail.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, code: &str) -> String {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.bytes));
        assert_eq!(self.header("content-type"), "application/problem+json");
        let json = self.json();
        assert_eq!(json["code"], code, "{json}");
        assert_eq!(json["status"], status);
        assert_eq!(json["type"], format!("urn:readahead-lab:problem:{code}"));
        assert!(json["title"].as_str().is_some_and(|title| !title.is_empty()));
        let detail = json["detail"].as_str().unwrap_or_default().to_owned();
        assert!(!detail.is_empty() && !detail.contains('\n'), "{detail}");
        detail
    }
}

pub(crate) fn config(data: &Path) -> Config {
    let mut config = Config::new(data);
    config.listen = "127.0.0.1:0".parse().unwrap();
    config.limits.workers = 2;
    config.limits.shutdown_grace = Duration::from_secs(5);
    config
}

impl Lab {
    pub(crate) fn new() -> Self {
        Lab::with(|_| {})
    }

    pub(crate) fn with(change: impl FnOnce(&mut Config)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut config = config(dir.path());
        change(&mut config);
        let state = AppState::open(config).unwrap();
        Lab { app: router(state.clone()), state, dir }
    }

    pub(crate) async fn call(&self, request: Request<Body>) -> Answer {
        let response = self.app.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { status: parts.status, headers: parts.headers, bytes }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.call(Request::get(path).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn get_as(&self, path: &str, accept: &str) -> Answer {
        self.call(Request::get(path).header("accept", accept).body(Body::empty()).unwrap()).await
    }

    pub(crate) async fn post(&self, path: &str, kind: &str, body: impl Into<Body>) -> Answer {
        self.call(Request::post(path).header("content-type", kind).body(body.into()).unwrap()).await
    }

    pub(crate) async fn post_json(&self, path: &str, body: &Value) -> Answer {
        self.post(path, "application/json", body.to_string()).await
    }

    pub(crate) async fn post_toml(&self, path: &str, body: &str) -> Answer {
        self.post(path, "application/toml", body.to_owned()).await
    }

    /// Submits and returns the id.
    pub(crate) async fn submit(&self, body: &Value) -> String {
        let answer = self.post_json("/api/v1/runs", body).await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()["id"].as_str().unwrap().to_owned()
    }

    /// Waits until the thing at `path` is in one of these states.
    pub(crate) async fn wait(&self, path: &str, states: &[&str]) -> Value {
        let began = Instant::now();
        loop {
            let json = self.get(path).await.json();
            if states.iter().any(|state| json["state"] == *state) {
                return json;
            }
            assert!(began.elapsed() < Duration::from_secs(60), "{path} is still {}", json["state"]);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    pub(crate) async fn done(&self, id: &str) -> Value {
        self.wait(&format!("/api/v1/runs/{id}"), &["done"]).await
    }

    /// Waits until the store has the end of a run, which is a moment after it is seen.
    pub(crate) async fn stored(&self, id: &str) {
        let began = Instant::now();
        while self.state.store.run(id).unwrap().unwrap().finished_ms.is_none() {
            assert!(began.elapsed() < Duration::from_secs(60), "the end of {id} is not stored");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}
