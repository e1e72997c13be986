//! A run as one self-contained HTML file: figures inside, no script, no address of anything else.

use crate::LabError;
use crate::figures::{self, Range, Theme};
use crate::metrics::Summary;
use crate::run::Recording;
use crate::text::units;
use std::fmt::Write;

/// Styles of the report; both grounds, and print.
const STYLE: &str = "body{font:15px/1.5 Inter,system-ui,sans-serif;font-variant-numeric:tabular-nums;max-width:980px;\
margin:32px auto;padding:0 16px;color:#20242a;background:#fbfaf7}h1{font-size:24px;margin:0 0 4px}\
h2{font-size:15px;margin:32px 0 8px}p{margin:4px 0}.quiet{color:#5c636e}\
.chip{display:inline-block;border:1px dashed #5c636e;border-radius:99px;padding:0 10px;font-size:13px}\
table{border-collapse:collapse}td,th{padding:3px 16px 3px 0;border-bottom:1px solid #e6e4de;text-align:left;font-weight:400}\
td.n{text-align:right}figure{margin:16px 0;background:#fff;border:1px solid #e6e4de;border-radius:10px;padding:8px}\
figure svg{width:100%;height:auto;display:block}figcaption{font-size:13px;color:#5c636e;padding:4px 8px}\
pre{overflow-x:auto;font:13px/1.4 \"JetBrains Mono\",ui-monospace,monospace;background:#fff;border:1px solid #e6e4de;\
border-radius:10px;padding:12px}@media print{body{background:#fff;margin:0}figure{break-inside:avoid}}";

/// The report of a run that is done.
pub fn report_html(recording: &Recording) -> Result<String, LabError> {
    let summary = recording.need_summary()?;
    let scenario = recording.scenario();
    let mut page = String::new();
    let title = escape(&summary.title);
    let put = "writing to a string succeeds";
    write!(page, "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>").expect(put);
    write!(page, "<meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head><body>")
        .expect(put);
    write!(page, "<h1>{title}</h1>").expect(put);
    let word = if summary.simulated { "SIMULATED" } else { "MEASURED" };
    let patches = if summary.patches.is_empty() { "no patches".to_string() } else { summary.patches.join(", ") };
    write!(
        page,
        "<p><span class=\"chip\">{word}</span> {} · {} · {} · read_ahead_kb {} · max_sectors_kb {}</p>",
        escape(&summary.model),
        escape(&patches),
        escape(&summary.device),
        summary.read_ahead_kb,
        summary.max_sectors_kb
    )
    .expect(put);
    for text in [scenario.about(), scenario.source()] {
        write!(page, "<p class=\"quiet\">{}</p>", escape(text)).expect(put);
    }
    page.push_str("<h2>Numbers</h2><table>");
    for (name, value) in numbers(&summary) {
        write!(page, "<tr><td>{}</td><td class=\"n\">{}</td></tr>", escape(name), escape(&value)).expect(put);
    }
    page.push_str("</table>");
    let checks = scenario.check_expected(&summary);
    if !checks.is_empty() {
        page.push_str(
            "<h2>Against what is expected</h2><table><tr><th>field</th><th>measured by the source</th><th>expected here</th>\
             <th>this run</th><th></th></tr>",
        );
        for check in checks {
            let verdict = if check.met { "agrees" } else { "differs" };
            write!(
                page,
                "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{} ± {}</td><td class=\"n\">{}</td><td>{verdict}</td></tr>",
                escape(&check.field),
                check.measured.map_or_else(|| "—".to_string(), units::count),
                units::count(check.expected),
                units::count(check.within),
                units::count(check.value)
            )
            .expect(put);
        }
        page.push_str("</table>");
    }
    page.push_str("<h2>Figures</h2>");
    for info in figures::FIGURES {
        let figure = figures::figure(info.name, recording, Range::default())?;
        let svg = figures::svg(&figure, Theme::Light, 960, 320);
        write!(page, "<figure>{svg}<figcaption>{}</figcaption></figure>", escape(info.about)).expect(put);
    }
    write!(page, "<h2>Windows by pattern</h2><pre>{}</pre>", escape(&summary.stats.text())).expect(put);
    let canonical = serde_json::to_string_pretty(scenario.canonical_value()).expect("a scenario is plain data");
    write!(page, "<h2>Scenario</h2><pre>{}</pre>", escape(&canonical)).expect(put);
    write!(
        page,
        "<p class=\"quiet\">Run {}, engine {}, digest {}.</p></body></html>",
        escape(&summary.run_id),
        escape(&summary.engine_version),
        escape(&summary.digest)
    )
    .expect(put);
    Ok(page)
}

fn numbers(summary: &Summary) -> Vec<(&'static str, String)> {
    vec![
        ("device reads (file data)", units::count(summary.device_reads)),
        ("mean read size", units::bytes(summary.device_read_bytes_mean)),
        ("elapsed", units::duration(summary.elapsed_ns)),
        ("throughput", units::rate(summary.throughput_bytes_per_s)),
        ("time waiting for pages", units::duration(summary.wait_ns)),
        ("windows", units::count(summary.windows)),
        ("windows trimmed below half", units::count(summary.trimmed_below_half)),
        ("pages read", units::count(summary.pages_read)),
        ("pages read, never used", units::count(summary.pages_unused)),
        ("pages evicted before use", units::count(summary.pages_evicted_unused)),
        ("cache hits", units::count(summary.cache_hits)),
        ("cache misses", units::count(summary.cache_misses)),
        ("major faults", units::count(summary.major_faults)),
    ]
}

/// Text as HTML text.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
