//! Comparing what a call did in the trace with what the model did: decision by decision.

use super::recorded::{Deed, Trigger};
use serde::Serialize;
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
    /// Folios of two tasks that added to one file at the same time: which of them got a page is a race.
    Race,
    /// A data request that the model did not make.
    Request,
    /// A data request that only the model made.
    ExtraRequest,
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
            MismatchKind::Race => "folios in a race of two tasks that added to the file at the same time",
            MismatchKind::Request => "a device request that the model did not make",
            MismatchKind::ExtraRequest => "a device request that only the model made",
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
