//! A decision ladder as a picture: questions from top to bottom, each with the branch of its yes. Two shapes of the same:
//! branches beside the questions, and branches below them for a narrow window.
//!
//! Colours come from the page by class names. Must not know what is asked.

use super::tree::{Branch, Ladder, Leaf};
use super::windows::Cell;
use std::fmt::Write;

/// The shape of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Branches beside their questions.
    Wide,
    /// Branches below their questions.
    Narrow,
}

/// Where things stand, in pixels.
struct Plan {
    width: f64,
    ask_width: f64,
    leaf_left: f64,
    leaf_width: f64,
}

const LINE: f64 = 18.0;
const PAD: f64 = 10.0;
const GAP: f64 = 22.0;
/// From a question to the branch below it.
const DROP: f64 = 12.0;
/// Where the line of the noes runs in the narrow shape.
const SPINE: f64 = 12.0;

impl Shape {
    fn plan(self) -> Plan {
        match self {
            Shape::Wide => Plan { width: 1000.0, ask_width: 440.0, leaf_left: 520.0, leaf_width: 479.0 },
            Shape::Narrow => Plan { width: 330.0, ask_width: 329.0, leaf_left: 50.0, leaf_width: 279.0 },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Shape::Wide => "wide",
            Shape::Narrow => "narrow",
        }
    }
}

/// About how wide a character of the pages' type is at 13 px; a little too wide rather than too narrow.
fn advance(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 4.0,
        'f' | 'r' | 't' | ' ' | '\u{a0}' | '(' | ')' | 'I' | '-' | '/' => 5.2,
        'm' | 'w' | 'M' | 'W' | '→' => 11.6,
        '_' => 6.6,
        c if c.is_ascii_uppercase() => 9.4,
        _ => 7.7,
    }
}

/// Breaks words into lines of at most `width` pixels.
fn lines(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<(String, f64)> = vec![(String::new(), 0.0)];
    // An assignment stays on one line.
    let text = text.replace(" = ", "\u{a0}=\u{a0}");
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let long: f64 = word.chars().map(advance).sum();
        let last = lines.last_mut().expect("there is always a line");
        if last.0.is_empty() {
            *last = (word.to_owned(), long);
        } else if last.1 + advance(' ') + long <= width {
            last.0.push(' ');
            last.0.push_str(word);
            last.1 += advance(' ') + long;
        } else {
            lines.push((word.to_owned(), long));
        }
    }
    lines.into_iter().map(|(line, _)| line).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A box with lines of text: where it ends.
struct Boxed {
    height: f64,
    head: Option<String>,
    text: Vec<String>,
    class: &'static str,
    round: f64,
}

impl Boxed {
    fn question(text: &str, plan: &Plan) -> Self {
        let text = lines(text, plan.ask_width - 2.0 * PAD);
        Boxed { height: text.len() as f64 * LINE + 2.0 * PAD - 4.0, head: None, text, class: "ask", round: 4.0 }
    }

    fn leaf(leaf: &Leaf, plan: &Plan) -> Self {
        let text = lines(&leaf.then, plan.leaf_width - 2.0 * PAD - 4.0);
        let (head, class) = match leaf.branch {
            Branch::Reason(code) | Branch::Trim(code) if code != "none" => (Some(code.to_owned()), "leaf"),
            Branch::Ladder(key) => (Some(format!("↷ {key}")), "leaf on"),
            _ => (None, "leaf none"),
        };
        let rows = text.len() as f64 + if head.is_some() { 1.0 } else { 0.0 };
        Boxed { height: rows * LINE + 2.0 * PAD - 4.0, head, text, class, round: 9.0 }
    }

    fn draw(&self, out: &mut String, x: f64, y: f64, width: f64) {
        let (class, round, height) = (self.class, self.round, self.height);
        let _ = write!(
            out,
            "<g class=\"{class}\"><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" rx=\"{round}\"/>",
            x + 0.5,
            y + 0.5,
            width - 1.0
        );
        let mut base = y + PAD + 11.0;
        let left = x + PAD + 2.0;
        if let Some(head) = &self.head {
            let _ = write!(out, "<text class=\"code\" x=\"{left:.1}\" y=\"{base:.1}\">{}</text>", escaped(head));
            base += LINE;
        }
        for line in &self.text {
            let _ = write!(out, "<text x=\"{left:.1}\" y=\"{base:.1}\">{}</text>", escaped(line));
            base += LINE;
        }
        out.push_str("</g>");
    }
}

fn arrow(out: &mut String, path: &str, tip: (f64, f64), down: bool) {
    let (x, y) = tip;
    let head = if down { format!("M{:.1} {:.1}l4 -7h-8z", x, y) } else { format!("M{:.1} {:.1}l-7 -4v8z", x, y) };
    let _ = write!(out, "<path class=\"line\" d=\"{path}\"/><path class=\"tip-of\" d=\"{head}\"/>");
}

fn word(out: &mut String, text: &str, x: f64, y: f64) {
    let _ = write!(out, "<text class=\"word\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
}

/// The picture of a ladder. `label` is the id of the element that names it.
pub fn svg(ladder: &Ladder, shape: Shape, label: &str) -> String {
    let plan = shape.plan();
    let mut body = String::new();
    let mut y = 0.0;
    for rung in &ladder.rungs {
        let ask = Boxed::question(&rung.ask, &plan);
        let leaf = Boxed::leaf(&rung.yes, &plan);
        match shape {
            Shape::Wide => {
                let row = ask.height.max(leaf.height);
                ask.draw(&mut body, 0.0, y, plan.ask_width);
                leaf.draw(&mut body, plan.leaf_left, y, plan.leaf_width);
                let middle = y + (ask.height.min(leaf.height) / 2.0).round() + 0.5;
                let path = format!("M{:.1} {middle:.1}H{:.1}", plan.ask_width, plan.leaf_left - 4.0);
                arrow(&mut body, &path, (plan.leaf_left, middle), false);
                word(&mut body, "yes", plan.ask_width + 26.0, middle - 5.0);
                let from = y + ask.height;
                let next = y + row + GAP;
                arrow(&mut body, &format!("M40.5 {from:.1}V{:.1}", next - 4.0), (40.5, next), true);
                word(&mut body, "no", 48.0, next - 7.0);
                y = next;
            }
            Shape::Narrow => {
                ask.draw(&mut body, 0.0, y, plan.ask_width);
                let below = y + ask.height;
                let leaf_top = below + DROP;
                leaf.draw(&mut body, plan.leaf_left, leaf_top, plan.leaf_width);
                let middle = leaf_top + 19.5;
                let next = leaf_top + leaf.height + GAP;
                arrow(&mut body, &format!("M{SPINE}.5 {below:.1}V{:.1}", next - 4.0), (SPINE + 0.5, next), true);
                arrow(
                    &mut body,
                    &format!("M{SPINE}.5 {middle:.1}H{:.1}", plan.leaf_left - 4.0),
                    (plan.leaf_left, middle),
                    false,
                );
                word(&mut body, "yes", SPINE + 8.0, middle - 5.0);
                word(&mut body, "no", SPINE + 8.0, next - 6.0);
                y = next;
            }
        }
    }
    let last = Boxed::leaf(&ladder.otherwise, &plan);
    let last_width = if shape == Shape::Wide { plan.leaf_width } else { plan.ask_width };
    last.draw(&mut body, 0.0, y, last_width);
    let height = y + last.height + 1.0;
    format!(
        "<svg class=\"ladder {}\" viewBox=\"0 0 {} {height:.0}\" width=\"{}\" height=\"{height:.0}\" role=\"img\" \
         aria-labelledby=\"{label}\">{body}</svg>",
        shape.name(),
        plan.width,
        plan.width
    )
}

/// Height of the bars of windows.
const BARS: f64 = 28.0;
const BAR: f64 = 13.0;

/// The windows of a row as bars: the pale part in front of the marker, the full part behind it; open when aligning
/// left less than half. `most` fills the height.
pub fn bars(windows: &[Cell], most: u64) -> String {
    let mut out = String::new();
    let scale = BARS / most.max(1) as f64;
    for (place, window) in windows.iter().enumerate() {
        let x = place as f64 * (BAR + 2.0);
        let full = (window.size.min(most) as f64 * scale).max(1.0);
        let behind = (window.async_size.min(window.size).min(most) as f64 * scale).min(full);
        let front = BARS - full;
        if window.below_half {
            // An open bar: the shape says it too.
            let (left, top, width) = (x + 0.75, (front + 0.75).min(BARS - 1.5), BAR - 1.5);
            let height = (full - 1.5).max(0.5);
            let _ = write!(
                out,
                "<rect class=\"below\" x=\"{left}\" y=\"{top:.1}\" width=\"{width}\" height=\"{height:.1}\"/>"
            );
            continue;
        }
        let _ = write!(
            out,
            "<rect class=\"front\" x=\"{x}\" y=\"{front:.1}\" width=\"{BAR}\" height=\"{full:.1}\"/>\
             <rect x=\"{x}\" y=\"{:.1}\" width=\"{BAR}\" height=\"{behind:.1}\"/>",
            BARS - behind,
        );
    }
    let width = windows.len() as f64 * (BAR + 2.0);
    format!(
        "<svg class=\"bars\" viewBox=\"0 0 {width} {BARS}\" width=\"{width}\" height=\"{BARS}\" aria-hidden=\"true\">{out}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::tree::tree;
    use readahead_policy::{ModelId, Patches};

    #[test]
    fn a_picture_holds_every_code_and_nothing_that_is_not_escaped() {
        for ladder in tree(ModelId::Linux7_2, Patches::default()) {
            for shape in [Shape::Wide, Shape::Narrow] {
                let picture = svg(&ladder, shape, "t");
                for leaf in ladder.leaves() {
                    if let Branch::Reason(code) = leaf.branch {
                        assert!(picture.contains(&format!(">{code}</text>")), "{code}");
                    }
                }
                assert!(!picture.contains("NaN") && !picture.contains("> 100"), "{picture}");
            }
        }
    }

    #[test]
    fn lines_break_between_words_and_hold_all_of_them() {
        let text = "index = start + size − async: the page that would carry the last window's marker?";
        let broken = lines(text, 200.0);
        assert!(broken.len() > 2);
        assert_eq!(broken.join(" ").replace('\u{a0}', " "), text);
    }
}
