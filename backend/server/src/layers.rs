//! What is around every request: its id and log line, counters, the guard against panics, the headers that browsers
//! obey, who may call, and the promise that every failure is a problem.

use crate::config::Limits;
use crate::pages;
use crate::problem::{MEDIA_TYPE, Problem};
use crate::slow::Patience;
use crate::state::AppState;
use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use std::future::{Ready, ready};
use std::net::IpAddr;
use std::time::{Duration, Instant};
use tower::{Layer, Service, ServiceBuilder};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::csrf::{CsrfLayer, ProtectionError};
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::{DefaultOnResponse, TraceLayer};
use tracing::{Level, Span};

/// Only this origin, no inline script or style, no frames around us.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
     font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; \
     frame-ancestors 'none'";

/// Wraps all routes.
pub(crate) fn around(routes: Router<AppState>, state: &AppState) -> Router<AppState> {
    let csrf = CsrfLayer::new().with_rejection_response(|_: ProtectionError| {
        let detail = "a request that changes something came from another site; it is only taken from this one";
        Problem::new(StatusCode::FORBIDDEN, "request.cross_site", detail).into_response()
    });
    let header =
        |name: HeaderName, value| SetResponseHeaderLayer::if_not_present(name, HeaderValue::from_static(value));
    let trace =
        TraceLayer::new_for_http().make_span_with(span).on_response(DefaultOnResponse::new().level(Level::INFO));
    routes.layer(
        ServiceBuilder::new()
            .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
            .layer(PropagateRequestIdLayer::x_request_id())
            .layer(trace)
            .layer(from_fn_with_state(state.clone(), count))
            .layer(header(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
            .layer(header(header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
            .layer(header(header::REFERRER_POLICY, "no-referrer"))
            .layer(header(HeaderName::from_static("cross-origin-opener-policy"), "same-origin"))
            .layer(header(HeaderName::from_static("cross-origin-resource-policy"), "same-origin"))
            .layer(from_fn(every_failure_is_a_problem))
            .layer(CatchPanicLayer::custom(panicked))
            .layer(from_fn_with_state(state.clone(), addressed_to_us))
            .layer(csrf),
    )
}

/// What a log line says of its request. Not the query: it may hold the token of an upload.
fn span(request: &Request) -> Span {
    let id = request.headers().get("x-request-id").and_then(|id| id.to_str().ok()).unwrap_or_default();
    tracing::info_span!("request", method = %request.method(), path = request.uri().path(), id)
}

/// Answers that are whole and small enough to compress. Streams must not be: a compressor holds events back.
pub(crate) fn compressed<S: Clone + Send + Sync + 'static>(routes: Router<S>) -> Router<S> {
    routes.layer(CompressionLayer::new())
}

/// Answers that must come within a time.
pub(crate) fn timeout(limit: Duration) -> TimeoutLayer {
    TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, limit)
}

/// Routes whose bodies must come within a time: all of it, and its next bytes.
pub(crate) fn patient(limits: &Limits) -> impl Fn(Request) -> Ready<Request> + Clone + Send + Sync + 'static {
    let patience = Patience { idle: limits.body_idle_time, whole: Some(limits.body_time) };
    move |request| ready(patience.with(request))
}

/// Routes of uploads: as long as bytes keep coming, they may.
pub(crate) fn patient_with_uploads(
    limits: &Limits,
) -> impl Fn(Request) -> Ready<Request> + Clone + Send + Sync + 'static {
    let patience = Patience { idle: limits.body_idle_time, whole: None };
    move |request| ready(patience.with(request))
}

/// Static files: the browser asks each time and gets 304 while nothing has changed.
pub(crate) fn cached<S>(files: S) -> <SetResponseHeaderLayer<HeaderValue> as Layer<S>>::Service
where
    S: Service<Request>,
{
    SetResponseHeaderLayer::if_not_present(header::CACHE_CONTROL, HeaderValue::from_static("no-cache")).layer(files)
}

async fn count(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = match request.method() {
        // Anyone can invent methods; their number must stay bounded.
        known @ (&Method::GET | &Method::HEAD | &Method::POST | &Method::DELETE | &Method::OPTIONS) => {
            known.to_string()
        }
        _ => "other".to_owned(),
    };
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let response = next.run(request).await;
    state.metrics.answered(&method, &route, response.status().as_u16(), started.elapsed());
    response
}

/// A failure that a library answered in its own words becomes a problem; a browser that navigates gets a page.
async fn every_failure_is_a_problem(request: Request, next: Next) -> Response {
    let for_people = wants_page(&request);
    let response = next.run(request).await;
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let problem = if kind.starts_with(MEDIA_TYPE) {
        response.extensions().get::<Problem>().cloned()
    } else if kind.starts_with("text/html") {
        return response;
    } else {
        Some(of_status(status))
    };
    match problem {
        Some(problem) if for_people => {
            let mut page = pages::problem_page(&problem);
            *page.status_mut() = status;
            keep_headers(&response, page)
        }
        Some(problem) if !kind.starts_with(MEDIA_TYPE) => keep_headers(&response, problem.into_response()),
        _ => response,
    }
}

/// `Allow`, `Retry-After` and the like belong to the status, not to the body that is replaced.
fn keep_headers(from: &Response, mut to: Response) -> Response {
    for (name, value) in from.headers() {
        if ![header::CONTENT_TYPE, header::CONTENT_LENGTH, header::CONTENT_ENCODING].contains(name) {
            to.headers_mut().entry(name).or_insert_with(|| value.clone());
        }
    }
    to
}

/// Whether a browser navigates here, as against a script, an image or curl.
fn wants_page(request: &Request) -> bool {
    let accepts = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    !request.uri().path().starts_with("/api/") && accepts.contains("text/html")
}

fn of_status(status: StatusCode) -> Problem {
    let (code, detail) = match status {
        StatusCode::NOT_FOUND => ("route.not_found", "there is nothing at this address"),
        StatusCode::METHOD_NOT_ALLOWED => {
            ("method.not_allowed", "this address does not take this method; `Allow` names those it takes")
        }
        StatusCode::PAYLOAD_TOO_LARGE => ("body.too_large", "the body is larger than this service takes here"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => ("body.media_type", "the body has a content type that is not taken here"),
        StatusCode::GATEWAY_TIMEOUT => ("answer.timeout", "the answer took too long and was given up"),
        status if status.is_client_error() => ("request.invalid", "the request was not understood"),
        _ => ("internal", "the service failed at this request; its log says where"),
    };
    Problem::new(status, code, detail)
}

fn panicked(panic: Box<dyn std::any::Any + Send>) -> Response {
    let text =
        panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_owned()));
    tracing::error!(panic = text.unwrap_or_default(), "a handler panicked");
    Problem::internal("the service failed at this request; its log says where").into_response()
}

/// Refuses requests addressed to a name that is not ours. A page elsewhere can point its own name at this machine's
/// loopback address; the browser then takes the two for one origin, and only the name gives it away.
async fn addressed_to_us(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let config = &state.config;
    let named = request
        .uri()
        .authority()
        .map(|authority| authority.as_str())
        .or_else(|| request.headers().get(header::HOST).and_then(|host| host.to_str().ok()));
    let open = config.allowed_hosts.is_empty() && !config.listen.ip().is_loopback();
    let ours = match named {
        None => true,
        Some(named) => {
            let host = host_of(named);
            open || is_loopback(host) || config.allowed_hosts.iter().any(|allowed| allowed.eq_ignore_ascii_case(host))
        }
    };
    if ours {
        return next.run(request).await;
    }
    let detail = "this service answers to loopback names (and to the names it was started with) only";
    Problem::new(StatusCode::MISDIRECTED_REQUEST, "request.foreign_host", detail).at("Host").into_response()
}

/// The host of `host:port`, without the brackets of an IPv6 address.
fn host_of(named: &str) -> &str {
    if let Some(rest) = named.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    named.rsplit_once(':').map_or(named, |(host, _)| host)
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_told_apart() {
        for ours in ["localhost", "localhost:8080", "127.0.0.1:1", "[::1]:8080", "LOCALHOST"] {
            assert!(is_loopback(host_of(ours)), "{ours}");
        }
        for foreign in ["example.com", "localhost.example.com:80", "127.0.0.1.example.com", "10.0.0.1:8080", ""] {
            assert!(!is_loopback(host_of(foreign)), "{foreign}");
        }
    }
}
