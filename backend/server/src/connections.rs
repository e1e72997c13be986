//! The loop that takes connections and serves each.
//!
//! Owns how long a client may take for the head of a request, and the end of all connections at a stop. `axum::serve`
//! has no such bound: a client that sends half a head would hold its connection for ever. Must not know routes.

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io::ErrorKind;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tower::ServiceExt;

/// How long to wait when the machine has no room for one more connection.
const NO_ROOM: Duration = Duration::from_secs(1);

/// Serves connections until `stop` is ready, then waits until those that are open have answered what they were asked.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    head_time: Duration,
    stop: impl Future<Output = ()> + Send,
) {
    let mut http = http1::Builder::new();
    // The time also runs on a connection that is kept open between two requests.
    http.timer(TokioTimer::new()).header_read_timeout(head_time);
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            () = &mut stop => break,
        };
        // A batch of a live stream should leave at once, not wait for the next one.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection keeps Nagle's algorithm");
        }
        let service = app.clone().map_request(|request: Request<Incoming>| request.map(Body::new));
        let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // Clients that go away, are too slow or speak another language are no failure of the service.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

/// The next connection, past those that failed before they were taken.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => match error.kind() {
                ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset => {}
                // No descriptors are left, most likely: some connection has to end first.
                _ => {
                    tracing::error!(%error, "no connection can be taken");
                    tokio::time::sleep(NO_ROOM).await;
                }
            },
        }
    }
}
