//! Request bodies that come too slowly: a wrapper that ends them with an error.
//!
//! Owns the two times and the error by which handlers know them. Must not know what a body is for.

use crate::problem::Problem;
use axum::body::Body;
use axum::extract::Request;
use axum::http::StatusCode;
use futures_util::{StreamExt, stream};
use std::error::Error;
use std::fmt;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long a body may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// For its next bytes.
    pub(crate) idle: Duration,
    /// For all of it; `None`: as long as bytes keep coming.
    pub(crate) whole: Option<Duration>,
}

/// A body that took too long.
#[derive(Clone, Copy, Debug)]
struct TooSlow {
    waited: Duration,
    whole: bool,
}

impl fmt::Display for TooSlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooSlow { waited, whole } = self;
        if *whole {
            write!(f, "the body was not whole after {waited:?}")
        } else {
            write!(f, "no byte of the body came for {waited:?}")
        }
    }
}

impl Error for TooSlow {}

impl Patience {
    /// The request, with a body that ends with an error when the patience does.
    pub(crate) fn with(self, request: Request) -> Request {
        request.map(|body| {
            let last = self.whole.map(|whole| Instant::now() + whole);
            let parts = stream::unfold(Some(body.into_data_stream()), move |body| async move {
                let mut body = body?;
                let next = Instant::now() + self.idle;
                let whole = last.is_some_and(|last| last < next);
                match timeout_at(last.filter(|_| whole).unwrap_or(next), body.next()).await {
                    Ok(part) => part.map(|part| (part, Some(body))),
                    Err(_) => {
                        let waited = self.whole.filter(|_| whole).unwrap_or(self.idle);
                        Some((Err(axum::Error::new(TooSlow { waited, whole })), None))
                    }
                }
            });
            Body::from_stream(parts)
        })
    }
}

/// The problem of a body that was too slow, when that is what the error is about.
pub(crate) fn problem(error: &(dyn Error + 'static)) -> Option<Problem> {
    let mut error = Some(error);
    while let Some(this) = error {
        if let Some(slow) = this.downcast_ref::<TooSlow>() {
            return Some(Problem::new(StatusCode::REQUEST_TIMEOUT, "body.timeout", slow.to_string()));
        }
        error = this.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::{Bytes, to_bytes};

    async fn read(patience: Patience, parts: usize, every: Duration) -> Result<usize, Problem> {
        let parts = stream::unfold(0, move |place| async move {
            tokio::time::sleep(every).await;
            (place < parts).then(|| (Ok::<_, std::io::Error>(Bytes::from_static(b"x")), place + 1))
        });
        let request = patience.with(Request::new(Body::from_stream(parts)));
        let read = to_bytes(request.into_body(), 1000).await;
        read.map(|bytes| bytes.len()).map_err(|error| problem(&error).expect("only slowness fails here"))
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_may_be_slow_but_not_silent_and_not_endless() {
        let second = Duration::from_secs(1);
        let idle = Patience { idle: 10 * second, whole: None };
        assert_eq!(read(idle, 100, 9 * second).await.unwrap(), 100);
        let silent = read(idle, 100, 11 * second).await.unwrap_err();
        assert_eq!((silent.status, silent.detail.as_str()), (408, "no byte of the body came for 10s"));
        let whole = Patience { whole: Some(30 * second), ..idle };
        assert_eq!(read(whole, 3, 7 * second).await.unwrap(), 3);
        let endless = read(whole, 100, 9 * second).await.unwrap_err();
        assert_eq!(
            (endless.code.as_ref(), endless.detail.as_str()),
            ("body.timeout", "the body was not whole after 30s")
        );
    }
}
