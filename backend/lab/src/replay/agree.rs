//! Comparing what a call did in the trace with what the model did: decision by decision.

use super::recorded::{Deed, Trigger};
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write;

/// How a decision of the model differs from the kernel's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum MismatchKind {
    /// The kernel decided, the model did not.
    Missing,
    /// The model decided, the kernel did not.
    Extra,
    /// Another page, request or path triggered it.
    Trigger,
    /// The file's state before it was another.
    State,
    /// Start, size, async_size or order of the window.
    Window,
    /// The run of single folios.
    PlainRun,
    /// The folios added.
    Folios,
    /// Two tasks read the file at the same time: which of them met a marker, and which brought a page, is a race.
    Race,
    /// What follows such a race on the same open file, until the two agree again.
    AfterRace,
    /// A touch of a mapping that is inferred from folios: where it was is a guess.
    Touch,
    /// A data request that the model did not make.
    Request,
    /// The same, of folios of a decision that differs.
    RequestOfDifferent,
    /// A data request that only the model made.
    ExtraRequest,
    /// The same, of folios of a decision that differs.
    ExtraRequestOfDifferent,
}

impl MismatchKind {
    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            MismatchKind::Missing => "a decision that the model did not take",
            MismatchKind::Extra => "a decision that only the model took",
            MismatchKind::Trigger => "another trigger",
            MismatchKind::State => "another state before the decision",
            MismatchKind::Window => "another window",
            MismatchKind::PlainRun => "another run of single folios",
            MismatchKind::Folios => "other folios",
            MismatchKind::Race => "a decision in a race of two tasks that read the file at the same time",
            MismatchKind::AfterRace => {
                "a decision that follows such a race: the state of the open file is not in the trace"
            }
            MismatchKind::Touch => "a touch of a mapping, guessed from its folios",
            MismatchKind::Request => "a device request that the model did not make",
            MismatchKind::RequestOfDifferent => {
                "a device request that the model did not make, for folios that differ above"
            }
            MismatchKind::ExtraRequest => "a device request that only the model made",
            MismatchKind::ExtraRequestOfDifferent => {
                "a device request that only the model made, for folios that differ above"
            }
        }
    }
}

/// The lines of one decision.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) line: u64,
    pub(super) trigger: Option<Trigger>,
    pub(super) window: Option<(u64, u16, u64, u64)>,
    pub(super) plain: Vec<(u64, u64, u64)>,
    pub(super) folios: Vec<(u64, u8)>,
}

impl Group {
    fn begun(line: u64) -> Self {
        Group { line, ..Group::default() }
    }

    /// The window or the runs, and the folios, as one short text.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if let Some(trigger) = &self.trigger {
            let _ = write!(
                text,
                "{} index={} req_count={} (before: order={} size={} async_size={} ra_pages={} prev_pos={})",
                if trigger.is_async { "async" } else { "sync" },
                trigger.index,
                trigger.req,
                trigger.order,
                trigger.size,
                trigger.async_size,
                trigger.ra_pages,
                trigger.prev_pos
            );
        }
        if let Some((start, order, size, async_size)) = self.window {
            let gap = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{gap}window start={start} order={order} size={size} async_size={async_size}");
        }
        for (index, pages, lookahead) in &self.plain {
            let gap = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{gap}run index={index} nr_to_read={pages} lookahead_size={lookahead}");
        }
        if !self.folios.is_empty() {
            let gap = if text.is_empty() { "" } else { " " };
            let _ = write!(text, "{gap}folios");
            for (first, order) in self.folios.iter().take(12) {
                let _ = write!(text, " {first}:{order}");
            }
            if self.folios.len() > 12 {
                let _ = write!(text, " … ({} in all)", self.folios.len());
            }
        }
        if text.is_empty() { "nothing".into() } else { text }
    }

    /// How another differs; `None` when it does not. mmap_miss is left out: it depends on timing.
    pub(super) fn differs(&self, other: &Group) -> Option<MismatchKind> {
        let key = |trigger: &Trigger| (trigger.is_async, trigger.index, trigger.req);
        let state =
            |trigger: &Trigger| (trigger.order, trigger.size, trigger.async_size, trigger.ra_pages, trigger.prev_pos);
        if self.trigger.as_ref().map(key) != other.trigger.as_ref().map(key) {
            Some(MismatchKind::Trigger)
        } else if self.window != other.window {
            Some(MismatchKind::Window)
        } else if self.plain != other.plain {
            Some(MismatchKind::PlainRun)
        } else if self.folios != other.folios {
            Some(MismatchKind::Folios)
        } else if self.trigger.as_ref().map(state) != other.trigger.as_ref().map(state) {
            Some(MismatchKind::State)
        } else {
            None
        }
    }
}

/// Puts the lines of a call together into decisions.
pub(super) fn group(deeds: impl Iterator<Item = (u64, Deed)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (line, deed) in deeds {
        match deed {
            Deed::Trigger(trigger) => groups.push(Group { trigger: Some(trigger), ..Group::begun(line) }),
            Deed::Window(start, order, size, async_size) => {
                let joins = groups
                    .last()
                    .is_some_and(|group| group.trigger.is_some() && group.window.is_none() && group.folios.is_empty());
                if !joins {
                    groups.push(Group::begun(line));
                }
                groups.last_mut().expect("pushed or joined").window = Some((start, order, size, async_size));
            }
            Deed::Plain(index, pages, lookahead) => {
                let joins = groups.last().is_some_and(|group| group.trigger.is_some() || group.window.is_some());
                if !joins {
                    groups.push(Group::begun(line));
                }
                groups.last_mut().expect("pushed or joined").plain.push((index, pages, lookahead));
            }
            Deed::Add(first, order, _) => {
                if groups.is_empty() {
                    groups.push(Group::begun(line));
                }
                groups.last_mut().expect("there is one").folios.push((first, order));
            }
        }
    }
    groups
}

/// Open files that lost a race to another task, until the model and the kernel agree on them again.
#[derive(Debug, Default)]
pub(super) struct Races {
    /// How many decisions in a row have agreed since.
    agreed: HashMap<usize, u8>,
}

impl Races {
    /// A decision on this open file differs. What it comes from, when that is a race.
    pub(super) fn differed(&mut self, open: Option<usize>, contended: bool) -> Option<MismatchKind> {
        let raced = open.is_some_and(|open| self.agreed.contains_key(&open));
        if let Some(open) = open.filter(|_| contended || raced) {
            self.agreed.insert(open, 0);
        }
        match (contended, raced) {
            (true, _) => Some(MismatchKind::Race),
            (false, true) => Some(MismatchKind::AfterRace),
            (false, false) => None,
        }
    }

    /// The decisions of a call on this open file agree. `enough`: that many in a row make it recovered.
    pub(super) fn agreed(&mut self, open: Option<usize>, enough: u8) {
        let Some(open) = open else { return };
        if let Some(agreed) = self.agreed.get_mut(&open) {
            *agreed += 1;
            if *agreed >= enough {
                self.agreed.remove(&open);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_race_is_named_until_both_agree_again() {
        let (mut races, one, other) = (Races::default(), Some(4), Some(5));
        assert_eq!(races.differed(one, false), None, "no race yet");
        assert_eq!(races.differed(one, true), Some(MismatchKind::Race));
        assert_eq!(races.differed(other, false), None, "another open file");
        races.agreed(one, 2);
        assert_eq!(races.differed(one, false), Some(MismatchKind::AfterRace), "one decision is not enough");
        races.agreed(one, 2);
        races.agreed(one, 2);
        assert_eq!(races.differed(one, false), None, "recovered");
        races.differed(one, true);
        races.agreed(one, 1);
        assert_eq!(races.differed(one, false), None, "one is enough where lines print the state");
    }
}
