//! What holds for every route: problems, headers, who may call, what the API says about itself.

use crate::common::{Lab, SMALL};
use axum::body::Body;
use axum::http::Request;

#[tokio::test]
async fn unknown_addresses_and_methods_are_problems() {
    let lab = Lab::new();
    lab.get("/api/v1/nothing").await.problem(404, "route.not_found");
    lab.get("/api/v2/runs").await.problem(404, "route.not_found");
    lab.get("/static/no-such-file.js").await.problem(404, "route.not_found");
    lab.get("/static/..%2f..%2fCargo.toml").await.problem(404, "route.not_found");
    let answer = lab.call(Request::put("/api/v1/runs").body(Body::empty()).unwrap()).await;
    answer.problem(405, "method.not_allowed");
    let allow = answer.header("allow");
    assert!(allow.contains("POST") && allow.contains("GET"), "{allow}");
    lab.call(Request::delete("/healthz").body(Body::empty()).unwrap()).await.problem(405, "method.not_allowed");
}

#[tokio::test]
async fn every_answer_carries_the_headers_that_browsers_obey() {
    let lab = Lab::new();
    for path in ["/healthz", "/api/v1/nothing", "/api/v1/models"] {
        let answer = lab.get(path).await;
        assert!(answer.header("content-security-policy").contains("script-src 'self'"), "{path}");
        assert!(!answer.header("content-security-policy").contains("unsafe"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(answer.header("x-request-id").len(), 36, "{path}");
    }
}

#[tokio::test]
async fn changes_are_only_taken_from_this_site() {
    let lab = Lab::new();
    let post = |headers: &[(&str, &str)]| {
        let mut request = Request::post("/api/v1/runs").header("content-type", "application/toml");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::from(SMALL)).unwrap()
    };
    let cross = [("host", "localhost:8080"), ("sec-fetch-site", "cross-site"), ("origin", "https://example.com")];
    lab.call(post(&cross)).await.problem(403, "request.cross_site");
    lab.call(post(&[("host", "localhost:8080"), ("origin", "https://example.com")]))
        .await
        .problem(403, "request.cross_site");
    let same = [("host", "localhost:8080"), ("sec-fetch-site", "same-origin"), ("origin", "http://localhost:8080")];
    assert_eq!(lab.call(post(&same)).await.status, 201);
}

#[tokio::test]
async fn only_our_own_names_are_answered() {
    let lab = Lab::new();
    let get = |host: &str| Request::get("/healthz").header("host", host).body(Body::empty()).unwrap();
    lab.call(get("rebound.example.com:8080")).await.problem(421, "request.foreign_host");
    for host in ["localhost:8080", "127.0.0.1", "[::1]:8080"] {
        assert_eq!(lab.call(get(host)).await.status, 200, "{host}");
    }
    let named = Lab::with(|config| config.allowed_hosts = vec!["lab.example.com".to_owned()]);
    assert_eq!(named.call(get("lab.example.com")).await.status, 200);
    named.call(get("other.example.com")).await.problem(421, "request.foreign_host");
    let open = Lab::with(|config| config.listen = "0.0.0.0:0".parse().unwrap());
    assert_eq!(open.call(get("anything.example.com")).await.status, 200);
}

#[tokio::test]
async fn lists_name_what_there_is() {
    let lab = Lab::new();
    for (path, key, name) in [
        ("/api/v1/models", "models", "linux-7.2"),
        ("/api/v1/patches", "patches", "keep-half-window"),
        ("/api/v1/devices", "devices", "nvme"),
        ("/api/v1/scenarios", "scenarios", "mm-2026-keep-half-window"),
    ] {
        let list = lab.get(path).await.json();
        let names: Vec<&str> =
            list[key].as_array().unwrap().iter().filter_map(|entry| entry["name"].as_str()).collect();
        assert!(names.contains(&name), "{path}: {names:?}");
    }
    assert!(!lab.get("/api/v1/formats").await.json()["formats"].as_array().unwrap().is_empty());
    let schema = lab.get("/api/v1/schema").await;
    assert_eq!(schema.header("content-type"), "application/schema+json");
    assert!(schema.json()["properties"]["kernel"].is_object() || schema.json()["$defs"].is_object());
    lab.get("/api/v1/scenarios/nothing").await.problem(404, "library.unknown_scenario");
}

#[tokio::test]
async fn what_is_not_modelled_is_a_page_that_the_footer_links_to() {
    let lab = Lab::new();
    let page = lab.get("/limits").await;
    let text = page.text();
    assert!(text.contains("<h1>What the lab does not model</h1>") && text.contains("<h2>Kernels</h2>"), "{text}");
    let headings = include_str!("../../../../LIMITATIONS.md").matches("\n## ").count();
    assert_eq!(text.matches("<h2>").count(), headings);
    for path in ["/", "/learn"] {
        assert!(lab.get(path).await.text().contains(r#"href="/limits""#), "{path}");
    }
}

#[tokio::test]
async fn the_api_describes_every_route_of_itself() {
    let lab = Lab::new();
    let description = lab.get("/api/v1/openapi.json").await.json();
    let paths = description["paths"].as_object().unwrap();
    for (path, item) in paths {
        let operations = item.as_object().unwrap().values();
        for parameter in operations.flat_map(|one| one["parameters"].as_array().cloned().unwrap_or_default()) {
            let in_path = path.contains(&format!("{{{}}}", parameter["name"].as_str().unwrap()));
            assert_eq!(parameter["in"] == "path", in_path, "{path}: {parameter}");
            // No query parameter has to be given.
            assert_eq!(parameter["required"] == true, in_path, "{path}: {parameter}");
        }
    }
    for path in [
        "/api/v1/runs",
        "/api/v1/runs/{id}",
        "/api/v1/runs/{id}/events",
        "/api/v1/runs/{id}/stats",
        "/api/v1/runs/{id}/control",
        "/api/v1/runs/{id}/series/{figure}",
        "/api/v1/runs/{id}/figures/{figure}",
        "/api/v1/runs/{id}/export/{file}",
        "/api/v1/compare",
        "/api/v1/compare/{id}",
        "/api/v1/compare/{id}/lkml.txt",
        "/api/v1/compare/{id}/figures/{figure}",
        "/api/v1/traces",
        "/api/v1/traces/{id}",
        "/api/v1/traces/{id}/figures/{figure}",
        "/api/v1/traces/{id}/replay",
        "/api/v1/traces/{id}/stats",
        "/api/v1/traces/{id}/series/{figure}",
        "/api/v1/models",
        "/api/v1/patches",
        "/api/v1/devices",
        "/api/v1/scenarios",
        "/api/v1/formats",
        "/healthz",
        "/metrics",
    ] {
        assert!(paths.contains_key(path), "{path} is not described");
    }
    for (path, methods) in paths {
        for (method, operation) in methods.as_object().unwrap() {
            assert!(operation["summary"].as_str().is_some_and(|summary| !summary.is_empty()), "{method} {path}");
        }
    }
    assert!(description["components"]["schemas"]["Problem"].is_object());
}

#[tokio::test]
async fn counters_count() {
    let lab = Lab::new();
    lab.get("/api/v1/nothing").await;
    lab.get("/healthz").await;
    let metrics = lab.get("/metrics").await;
    assert!(metrics.header("content-type").starts_with("application/openmetrics-text"));
    let text = metrics.text();
    assert!(text.contains(r#"http_answers_total{method="GET",route="/healthz",status="200"} 1"#), "{text}");
    assert!(text.contains(r#"route="none",status="404"} 1"#), "{text}");
}

#[tokio::test]
async fn large_answers_are_compressed_when_asked_for() {
    let lab = Lab::new();
    let request = Request::get("/api/v1/schema").header("accept-encoding", "gzip").body(Body::empty()).unwrap();
    assert_eq!(lab.call(request).await.header("content-encoding"), "gzip");
}
