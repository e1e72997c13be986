//! What the service counts about itself, in the Prometheus text form.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::{Registry, Unit};
use std::time::Duration;

/// Labels of a counted answer. The route is the pattern, never the path, so that their number is bounded.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answer {
    method: String,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    state: String,
}

/// Counters and gauges.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    answers: Family<Answer, Counter>,
    answer_seconds: Histogram,
    pub(crate) runs_accepted: Counter,
    runs_ended: Family<Ended, Counter>,
    run_seconds: Histogram,
    events_recorded: Counter,
    pub(crate) runs_running: Gauge,
    pub(crate) runs_waiting: Gauge,
    pub(crate) viewers: Gauge,
    pub(crate) events_skipped: Counter,
    pub(crate) upload_bytes: Counter,
    pub(crate) store_failures: Counter,
    pub(crate) recordings_bytes: Gauge,
    pub(crate) recordings_loaded: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("readahead_lab");
        let answers = Family::default();
        registry.register("http_answers", "Answers by route pattern and status", answers.clone());
        let answer_seconds = Histogram::new(exponential_buckets(0.0005, 4.0, 9));
        registry.register_with_unit(
            "http_answer",
            "Time to the head of an answer",
            Unit::Seconds,
            answer_seconds.clone(),
        );
        let runs_accepted = Counter::default();
        registry.register("runs_accepted", "Runs accepted", runs_accepted.clone());
        let runs_ended = Family::default();
        registry.register("runs_ended", "Runs that ended, by how", runs_ended.clone());
        let run_seconds = Histogram::new(exponential_buckets(0.001, 4.0, 9));
        registry.register_with_unit("run", "Real time of a run", Unit::Seconds, run_seconds.clone());
        let events_recorded = Counter::default();
        registry.register("events_recorded", "Events recorded by runs that ended", events_recorded.clone());
        let runs_running = Gauge::default();
        registry.register("runs_running", "Runs that have a thread", runs_running.clone());
        let runs_waiting = Gauge::default();
        registry.register("runs_waiting", "Runs that wait for a worker", runs_waiting.clone());
        let viewers = Gauge::default();
        registry.register("viewers", "Live streams open", viewers.clone());
        let events_skipped = Counter::default();
        registry.register("events_skipped", "Events that slow viewers were moved past", events_skipped.clone());
        let upload_bytes = Counter::default();
        registry.register_with_unit("uploads", "Uploaded", Unit::Bytes, upload_bytes.clone());
        let store_failures = Counter::default();
        registry.register("store_failures", "Results that could not be written", store_failures.clone());
        let recordings_bytes = Gauge::default();
        registry.register_with_unit("recordings_in_memory", "Recordings held", Unit::Bytes, recordings_bytes.clone());
        let recordings_loaded = Counter::default();
        registry.register("recordings_loaded", "Recordings read from their files", recordings_loaded.clone());
        Metrics {
            registry,
            answers,
            answer_seconds,
            runs_accepted,
            runs_ended,
            run_seconds,
            events_recorded,
            runs_running,
            runs_waiting,
            viewers,
            events_skipped,
            upload_bytes,
            store_failures,
            recordings_bytes,
            recordings_loaded,
        }
    }
}

impl Metrics {
    pub(crate) fn answered(&self, method: &str, route: &str, status: u16, took: Duration) {
        let answer = Answer { method: method.to_owned(), route: route.to_owned(), status };
        self.answers.get_or_create(&answer).inc();
        self.answer_seconds.observe(took.as_secs_f64());
    }

    pub(crate) fn run_ended(&self, state: &str, took: Duration, events: usize) {
        self.runs_ended.get_or_create(&Ended { state: state.to_owned() }).inc();
        self.run_seconds.observe(took.as_secs_f64());
        self.events_recorded.inc_by(events as u64);
    }

    /// Everything in the text form.
    pub fn text(&self) -> String {
        let mut text = String::new();
        // Writing into a String cannot fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_appear_in_the_text_form() {
        let metrics = Metrics::default();
        metrics.answered("GET", "/healthz", 200, Duration::from_millis(2));
        metrics.run_ended("done", Duration::from_secs(1), 1234);
        let text = metrics.text();
        assert!(
            text.contains(r#"readahead_lab_http_answers_total{method="GET",route="/healthz",status="200"} 1"#),
            "{text}"
        );
        assert!(text.contains("readahead_lab_events_recorded_total 1234"), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
