//! The service as a whole: starting on good and bad directories, real connections, stopping.

use crate::common::{config, small_json};
use readahead_server::{AppState, Config, Server};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

#[tokio::test]
async fn a_data_directory_that_cannot_be_used_stops_the_start_with_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("a-file");
    std::fs::write(&file, b"x").unwrap();
    let error = AppState::open(config(&file.join("data"))).unwrap_err();
    assert!(format!("{error:#}").contains(file.to_str().unwrap()), "{error:#}");

    let data = dir.path().join("data");
    std::fs::create_dir_all(data.join("readahead-lab.sqlite3")).unwrap();
    let error = AppState::open(config(&data)).unwrap_err();
    assert!(format!("{error:#}").contains("readahead-lab.sqlite3"), "{error:#}");

    let data = dir.path().join("other");
    std::fs::create_dir_all(&data).unwrap();
    std::fs::write(data.join("readahead-lab.sqlite3"), b"this is not a database, and long enough to be looked at")
        .unwrap();
    let error = AppState::open(config(&data)).unwrap_err();
    assert!(format!("{error:#}").contains("not a database"), "{error:#}");
}

#[tokio::test]
async fn a_read_only_data_directory_stops_the_start_with_its_path() {
    // A file system that nobody can write, root included.
    let error = AppState::open(config(std::path::Path::new("/proc/readahead-lab"))).unwrap_err();
    assert!(format!("{error:#}").contains("/proc/readahead-lab"), "{error:#}");
}

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<anyhow::Result<()>>,
}

async fn start(data: &std::path::Path) -> Running {
    start_with(data, |_| {}).await
}

async fn start_with(data: &std::path::Path, change: impl FnOnce(&mut Config)) -> Running {
    let mut config = config(data);
    change(&mut config);
    let server = Server::bind(config).await.unwrap();
    let address = server.address().unwrap();
    let (stop, stopped) = oneshot::channel();
    let served = tokio::spawn(server.run(async move {
        let _ = stopped.await;
    }));
    Running { address, stop, served }
}

/// One request on a connection of its own, read to the end.
async fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer
}

async fn post_run(address: SocketAddr, body: &serde_json::Value) -> String {
    let body = body.to_string();
    let request = format!(
        "POST /api/v1/runs HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    let answer = exchange(address, &request).await;
    assert!(answer.starts_with("HTTP/1.1 201") || answer.starts_with("HTTP/1.1 303"), "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str::<serde_json::Value>(body).unwrap()["id"].as_str().unwrap().to_owned()
}

async fn open_stream(address: SocketAddr, id: &str, accept: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /api/v1/runs/{id}/events HTTP/1.1\r\nhost: {address}\r\naccept: {accept}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

async fn read_until(stream: &mut TcpStream, needle: &str) -> String {
    let mut text = String::new();
    let mut buffer = vec![0; 1 << 16];
    let reading = async {
        while !text.contains(needle) {
            let n = stream.read(&mut buffer).await.unwrap();
            assert!(n > 0, "the connection ended without `{needle}`: {text}");
            text.push_str(&String::from_utf8_lossy(&buffer[..n]));
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reading).await.unwrap();
    text
}

/// What the service says before it ends a connection, which must be soon.
async fn told_and_ended(address: SocketAddr, sent: &str) -> String {
    let answer = tokio::time::timeout(Duration::from_secs(10), exchange(address, sent));
    answer.await.expect("the connection is still held")
}

#[tokio::test]
async fn clients_that_send_half_and_wait_hold_no_connection() {
    let dir = tempfile::tempdir().unwrap();
    let running = start_with(dir.path(), |config| {
        config.limits.head_time = Duration::from_millis(200);
        config.limits.body_idle_time = Duration::from_millis(200);
        config.limits.upload_bytes = 1 << 30;
    })
    .await;
    let address = running.address;
    for silent in ["", "GET /healthz HT", "GET /healthz HTTP/1.1\r\nhost: localhost\r\n"] {
        let told = told_and_ended(address, silent).await;
        assert!(!told.contains("200 OK"), "{told}");
    }
    // A connection that is kept open ends in the same time.
    assert!(told_and_ended(address, "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n").await.contains("200 OK"));
    for (path, kind) in [
        ("/api/v1/runs", "application/json"),
        ("/api/v1/traces", "application/octet-stream"),
        ("/api/v1/traces", "multipart/form-data; boundary=b"),
    ] {
        let request = format!(
            "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\ncontent-length: 900000\r\n\r\n--b\r\n"
        );
        let told = told_and_ended(address, &request).await;
        assert!(told.starts_with("HTTP/1.1 408") && told.contains("body.timeout"), "{path} {kind}: {told}");
    }
    let form = "content-type: application/x-www-form-urlencoded\r\ncontent-length: 9000\r\n\r\nname=";
    let told = told_and_ended(address, &format!("POST /runs HTTP/1.1\r\nhost: localhost\r\n{form}")).await;
    assert!(told.starts_with("HTTP/1.1 4"), "{told}");
    // What is too large is refused at its head, without a byte of it.
    let large = format!(
        "POST /api/v1/traces HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        2u64 << 30
    );
    let told = told_and_ended(address, &large).await;
    assert!(told.starts_with("HTTP/1.1 413") && told.contains("upload.too_large"), "{told}");
    assert!(told.contains("2147483648 bytes") && told.contains("at most 1073741824"), "{told}");
    assert_eq!(std::fs::read_dir(dir.path().join("traces")).unwrap().count(), 0);
    running.stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(20), running.served).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn a_browser_that_closes_during_a_run_changes_nothing_and_stopping_ends_streams_with_an_event() {
    let dir = tempfile::tempdir().unwrap();
    let running = start(dir.path()).await;
    let mut held = small_json(1);
    held["paused"] = true.into();
    let id = post_run(running.address, &held).await;

    let mut closing = open_stream(running.address, &id, "text/event-stream").await;
    let head = read_until(&mut closing, "event: state").await;
    assert!(head.contains("content-type: text/event-stream"), "{head}");
    drop(closing);

    let mut watching = open_stream(running.address, &id, "text/event-stream").await;
    read_until(&mut watching, "\"paused\"").await;
    running.stop.send(()).unwrap();
    let rest = read_until(&mut watching, "event: stopping").await;
    assert!(!rest.contains("event: end"), "{rest}");
    drop(watching);
    tokio::time::timeout(Duration::from_secs(20), running.served).await.unwrap().unwrap().unwrap();

    // What was held when the service stopped runs after the next start.
    let running = start(dir.path()).await;
    let mut lines = open_stream(running.address, &id, "text/plain").await;
    let text = read_until(&mut lines, "\r\n0\r\n\r\n").await;
    assert!(text.contains("content-type: text/plain"), "{text}");
    drop(lines);
    let request = format!("GET /api/v1/runs/{id} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n", running.address);
    assert!(exchange(running.address, &request).await.contains("\"state\":\"done\""));
    running.stop.send(()).unwrap();
    tokio::time::timeout(Duration::from_secs(20), running.served).await.unwrap().unwrap().unwrap();
    // Closed cleanly: the log has been written into the database.
    let wal = dir.path().join("readahead-lab.sqlite3-wal");
    assert!(!wal.exists() || std::fs::metadata(&wal).unwrap().len() == 0);
}

#[tokio::test]
async fn a_data_directory_that_is_lost_while_running_is_told_and_the_service_lives() {
    let dir = tempfile::tempdir().unwrap();
    let lab = crate::common::Lab::with(|config| config.data = dir.path().join("data"));
    let kept = lab.submit(&small_json(1)).await;
    lab.done(&kept).await;
    lab.stored(&kept).await;
    // Another program takes the database.
    let other = rusqlite::Connection::open(dir.path().join("data/readahead-lab.sqlite3")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    lab.post_json("/api/v1/runs", &small_json(2)).await.problem(503, "store.busy");
    lab.get("/healthz").await.problem(503, "store.busy");
    // What is there is still shown.
    assert_eq!(lab.get(&format!("/api/v1/runs/{kept}")).await.json()["state"], "done");
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(lab.get("/healthz").await.status, 200);
    let id = lab.submit(&small_json(2)).await;
    lab.stored(&id).await;

    // The directories of files vanish: a run is still computed and shown, an upload is refused.
    std::fs::remove_dir_all(dir.path().join("data/runs")).unwrap();
    std::fs::remove_dir_all(dir.path().join("data/traces")).unwrap();
    let id = lab.submit(&small_json(3)).await;
    lab.done(&id).await;
    let upload = lab.post("/api/v1/traces", "application/octet-stream", "x").await;
    upload.problem(503, "store.unavailable");
    let began = std::time::Instant::now();
    while !lab.state.metrics.text().contains("readahead_lab_store_failures_total 1\n") {
        assert!(began.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(lab.get(&format!("/api/v1/runs/{id}/export/events.jsonl")).await.status, 200);
}
