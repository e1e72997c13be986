//! Figures: every one of every kind of run makes sense as data and draws as SVG and PNG.

use readahead_lab_core::figures::{self, FIGURES, Figure, Range, Shape, Theme};
use readahead_lab_core::library;
use readahead_lab_core::run::run_to_end;

fn sound(figure: &Figure, px: u32, name: &str) {
    assert!(figure.x.max > figure.x.min, "{name}");
    assert!(!figure.panels.is_empty() && figure.description.ends_with('.'), "{name}: {}", figure.description);
    for panel in &figure.panels {
        assert!(panel.y.max > panel.y.min, "{name}");
        for series in &panel.series {
            let len = series.x.len();
            assert_eq!(series.y.len(), len, "{name} {}", series.name);
            let needs = |needed: bool| if needed { len } else { 0 };
            assert_eq!(series.x_end.len(), needs(matches!(series.shape, Shape::Bars | Shape::Cells)), "{name}");
            assert_eq!(series.y_end.len(), needs(series.shape == Shape::Cells), "{name}");
            assert!(series.labels.is_empty() || series.labels.len() == len, "{name}");
            let values = [&series.x, &series.y, &series.x_end, &series.y_end];
            assert!(values.iter().all(|values| values.iter().all(|value| value.is_finite())), "{name}");
            if series.shape != Shape::Cells {
                assert!(len <= 2 * px as usize + 64, "{name} {}: {len} values for {px} px", series.name);
            }
        }
    }
}

#[test]
fn every_figure_of_every_scenario_is_sound() {
    for entry in library::scenarios() {
        let run = run_to_end(&library::scenario(&entry.name).unwrap()).unwrap();
        for info in FIGURES {
            for range in [Range::default(), Range { from: Some(0), to: None, px: 300 }] {
                let figure = figures::figure(info.name, &run, range).unwrap();
                sound(&figure, range.px, &format!("{} {}", entry.name, info.name));
            }
        }
    }
}

#[test]
fn comparisons_draw_both_sides_in_both_themes() {
    let a = library::scenario("mm-2026-keep-half-window").unwrap();
    let b = a.set("kernel.patches=keep-half-window").unwrap();
    let (a, b) = (run_to_end(&a).unwrap(), run_to_end(&b).unwrap());
    for info in FIGURES {
        let figure = figures::compare_figure(info.name, &a, &b, Range::default()).unwrap();
        sound(&figure, 960, info.name);
        for theme in [Theme::Light, Theme::Dark] {
            let svg = figures::svg(&figure, theme, 960, 420);
            for said in ["role=\"img\"", "<title>", "<desc>", "SIMULATED", "A · as it is", "B · keep-half-window"] {
                assert!(svg.contains(said), "{}: {said}", info.name);
            }
            let png = figures::png(&figure, theme, 480, 260);
            let decoder = png::Decoder::new(std::io::Cursor::new(png));
            let reader = decoder.read_info().unwrap();
            assert_eq!((reader.info().width, reader.info().height), (480, 260));
        }
    }
}

/// Counted from the windows of the worked example: A cuts windows below half, B never does.
#[test]
fn the_windows_figure_says_which_side_leaves_crumbs() {
    let a = library::scenario("mm-2026-keep-half-window").unwrap();
    let b = a.set("kernel.patches=keep-half-window").unwrap();
    let (a, b) = (run_to_end(&a).unwrap(), run_to_end(&b).unwrap());
    let figure = figures::compare_figure("windows", &a, &b, Range::default()).unwrap();
    let crumbs = |panel: usize| {
        let series = figure.panels[panel].series.iter().find(|series| series.name == "trimmed below half");
        series.map_or(0, |series| series.x.len())
    };
    assert!(crumbs(0) > 3 && crumbs(1) == 0);
    assert!(figure.description.contains("3,327 windows") && figure.description.contains("1,030 windows"));
}

#[test]
fn what_does_not_exist_is_answered_with_what_does() {
    let run = run_to_end(&library::scenario("first-sequential-read").unwrap()).unwrap();
    let error = figures::figure("window", &run, Range::default()).unwrap_err();
    assert!(error.code == "figure.unknown" && error.message.contains("did you mean `windows`?"), "{error}");
    let range = Range { from: Some(9), to: Some(9), px: 100 };
    assert_eq!(figures::figure("windows", &run, range).unwrap_err().code, "figure.bad_range");
    // A pixel count of nonsense is bounded, not believed.
    for px in [0, 1, u32::MAX] {
        let range = Range { px, ..Range::default() };
        assert!(figures::figure("windows", &run, range).is_ok());
    }
}
