//! Starting, wiring and stopping the service.

use crate::api;
use crate::config::Config;
use crate::connections;
use crate::layers;
use crate::pages;
use crate::state::AppState;
use anyhow::Context;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tower_http::services::ServeDir;

/// How often held and endless runs are looked after.
const TIDY_EVERY: Duration = Duration::from_millis(250);

/// Everything that answers requests. Tests call this without a socket.
pub fn router(state: AppState) -> Router {
    let (api, description) = api::router(&state.config.limits).split_for_parts();
    let static_files = ServeDir::new(&state.config.static_files).precompressed_gzip();
    let routes = Router::new()
        .merge(api)
        .merge(api::description(description))
        .merge(layers::compressed(pages::router(&state.config.limits)))
        .nest_service("/static", layers::cached(static_files))
        .fallback(api::not_found)
        .method_not_allowed_fallback(api::method_not_allowed)
        .layer(DefaultBodyLimit::max(state.config.limits.body_bytes));
    layers::around(routes, &state).with_state(state)
}

/// A service that listens but does not answer yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    state: AppState,
}

impl Server {
    /// Opens the data directory and the port. Errors name the path or the address.
    pub async fn bind(config: Config) -> anyhow::Result<Self> {
        let listen = config.listen;
        let state = AppState::open(config)?;
        let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen on {listen}"))?;
        Ok(Server { listener, state })
    }

    /// The address it listens on, with the port that was free.
    pub fn address(&self) -> anyhow::Result<SocketAddr> {
        self.listener.local_addr().context("the listening socket has no address")
    }

    /// The service's parts.
    pub fn state(&self) -> &AppState {
        &self.state
    }

    /// Answers until `stop` is ready, then lets what goes on come to an end: no new connections, live streams end with
    /// an event, runs end or are taken up after the next start, the database is closed.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> anyhow::Result<()> {
        let Server { listener, state } = self;
        let tidying = tokio::spawn(tidy(state.clone()));
        let stopping = state.stopping.clone();
        let signal = async move {
            stop.await;
            tracing::info!("stopping");
            stopping.cancel();
        };
        let app = router(state.clone());
        let served = connections::serve(listener, app, state.config.limits.head_time, signal);
        let stopped = state.stopping.clone();
        let grace = state.config.limits.shutdown_grace;
        tokio::select! {
            () = served => {}
            // A client that neither reads nor closes must not keep the service from stopping.
            () = async { stopped.cancelled().await; tokio::time::sleep(grace).await } => {
                tracing::warn!("connections still open after {grace:?} are dropped");
            }
        }
        tidying.abort();
        state.stop().await;
        Ok(())
    }
}

/// Serves until SIGINT or SIGTERM.
pub async fn serve(config: Config) -> anyhow::Result<()> {
    let server = Server::bind(config).await?;
    let address = server.address()?;
    tracing::info!("listening on http://{address}");
    let stop = signal()?;
    server.run(stop).await
}

/// Ready at the first SIGINT or SIGTERM.
fn signal() -> anyhow::Result<impl Future<Output = ()> + Send + 'static> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt()).context("SIGINT cannot be handled")?;
    let mut terminate = signal(SignalKind::terminate()).context("SIGTERM cannot be handled")?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

async fn tidy(state: AppState) {
    let mut every = tokio::time::interval(TIDY_EVERY);
    every.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
    loop {
        every.tick().await;
        state.runs.tidy();
        state.metrics.recordings_bytes.set(i64::try_from(state.runs.held_bytes()).unwrap_or(i64::MAX));
    }
}
