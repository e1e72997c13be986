//! What the service is told when it starts: where it listens, where it keeps things, and every bound it holds.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Settings of the service.
#[derive(Clone, Debug)]
pub struct Config {
    /// Address to listen on; port 0 takes a free one.
    pub listen: SocketAddr,
    /// Directory of the database, the recordings and the uploads. It is made when it is missing.
    pub data: PathBuf,
    /// Directory of what the browser loads as is, served under `/static/`.
    pub static_files: PathBuf,
    /// Names that requests may be addressed to besides loopback ones. Empty: when listening on loopback only loopback
    /// names are answered (which stops other sites from reaching in by DNS rebinding), otherwise every name.
    pub allowed_hosts: Vec<String>,
    /// The bounds.
    pub limits: Limits,
}

/// Every bound of the service in one place.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Runs computed at the same time at full speed.
    pub workers: usize,
    /// Threads of runs altogether: paused and paced ones do not count as working, but each holds a thread.
    pub run_threads: usize,
    /// Runs that wait for a worker.
    pub queued_runs: usize,
    /// Events that one run may record; a run that passes it is stopped.
    pub run_events: usize,
    /// A run that stays paused for longer is cancelled.
    pub paused_for: Duration,
    /// Bytes of recordings kept in memory. Ended ones make room for those that go on.
    pub recordings_bytes: usize,
    /// Largest body of a request that is not an upload.
    pub body_bytes: usize,
    /// Largest upload.
    pub upload_bytes: u64,
    /// Longest time for the head of a request, and for a connection to stay open without one.
    pub head_time: Duration,
    /// Longest time without a byte of a body that is still coming.
    pub body_idle_time: Duration,
    /// Longest time for the whole body of a request that is not an upload.
    pub body_time: Duration,
    /// Longest time for an answer that is neither a stream nor an upload.
    pub answer_time: Duration,
    /// Live streams at the same time.
    pub viewers: usize,
    /// Time between batches of a live stream.
    pub batch_every: Duration,
    /// Most events in one batch.
    pub batch_events: usize,
    /// Most bytes of events in one batch; the last event may pass it.
    pub batch_bytes: usize,
    /// A viewer of a live run who has been behind for this long …
    pub viewer_behind_for: Duration,
    /// … and by more than this many events is moved on.
    pub viewer_behind_events: usize,
    /// A comment is sent to a silent stream this often, so that proxies keep it open.
    pub keep_alive: Duration,
    /// Inspections and replays of uploads at the same time.
    pub inspections: usize,
    /// Figures made at the same time: each decodes a whole run.
    pub drawings: usize,
    /// How long running work may go on after a signal to stop.
    pub shutdown_grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            workers: std::thread::available_parallelism().map_or(2, usize::from),
            run_threads: 64,
            queued_runs: 256,
            run_events: 40_000_000,
            paused_for: Duration::from_secs(3600),
            recordings_bytes: 1 << 30,
            body_bytes: 1 << 20,
            upload_bytes: 4 << 30,
            head_time: Duration::from_secs(20),
            body_idle_time: Duration::from_secs(20),
            body_time: Duration::from_secs(30),
            answer_time: Duration::from_secs(60),
            viewers: 256,
            batch_every: Duration::from_millis(33),
            batch_events: 2000,
            batch_bytes: 256 << 10,
            viewer_behind_for: Duration::from_secs(10),
            viewer_behind_events: 200_000,
            keep_alive: Duration::from_secs(15),
            inspections: 2,
            drawings: std::thread::available_parallelism().map_or(2, usize::from),
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

impl Config {
    /// Listens on loopback, port 8080, keeps its things in `data`, and serves the static files of the place it was
    /// started from.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Config {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            data: data.into(),
            static_files: default_static_files(),
            allowed_hosts: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// `static` in the current directory, or beside the program (as in the container), or in the source tree it was built
/// from: the first that exists.
fn default_static_files() -> PathBuf {
    let beside_program = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.join("static")));
    let source_tree = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../static"));
    let here = PathBuf::from("static");
    [Some(here.clone()), beside_program, Some(source_tree)]
        .into_iter()
        .flatten()
        .find(|dir| dir.is_dir())
        .unwrap_or(here)
}
