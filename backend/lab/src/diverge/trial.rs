//! One workload on both kernels, and the first window that differs.

use super::workload::Workload;
use super::{Divergence, Kernel};
use crate::rows::decision_json;
use readahead_policy::ModelId;
use readahead_sim::world::Step;
use readahead_sim::{Observer, VirtualHost};
use readahead_types::{Decision, Event, EventKind, Nanos, TaskId, Via, Window, reason};
use serde::Serialize;
use serde_json::Value;
use std::ops::Range;

/// A window as it was decided and laid out.
struct Seen {
    operation: usize,
    decision: Decision,
    window: Window,
    /// Its folios among those of the run.
    folios: Range<usize>,
}

/// What one side did.
#[derive(Default)]
struct Run {
    operation: usize,
    windows: Vec<Seen>,
    /// First page, order, marked.
    folios: Vec<(u64, u8, bool)>,
    /// The folios that are added belong to the last window.
    open: bool,
}

impl Observer for Run {
    fn decided(&mut self, _at: Nanos, _task: TaskId, decision: &Decision) {
        // A window of no pages reads nothing and moves nothing that a reader could meet.
        let window = decision.window.filter(|window| window.size > 0);
        self.open = window.is_some();
        if let Some(window) = window {
            let from = self.folios.len();
            self.windows.push(Seen { operation: self.operation, decision: *decision, window, folios: from..from });
        }
    }

    fn event(&mut self, event: &Event) {
        if let EventKind::FolioAdded { first, order, marked, .. } = event.kind
            && let (true, Some(seen)) = (self.open, self.windows.last_mut())
        {
            self.folios.push((first.0, order.0, marked));
            seen.folios.end = self.folios.len();
        }
    }
}

impl Run {
    fn clear(&mut self) {
        self.windows.clear();
        self.folios.clear();
        self.operation = 0;
        self.open = false;
    }

    /// The window where two runs part; nothing when this one has none in that operation.
    fn at(&self, place: Place) -> Option<&Seen> {
        self.windows.get(place.window).filter(|seen| seen.operation == place.operation)
    }

    fn folios_of(&self, seen: &Seen) -> &[(u64, u8, bool)] {
        &self.folios[seen.folios.clone()]
    }
}

impl Seen {
    /// How the window came about, in the words that every generation has: a step of linux-2.4 is synchronous or
    /// asynchronous too.
    fn way(&self) -> Via {
        match (self.decision.via, self.window.async_size) {
            (Via::Legacy, 0) => Via::Sync,
            (Via::Legacy, _) => Via::Async,
            (via, _) => via,
        }
    }

    /// The window without its order, which not every generation has.
    fn extent(&self) -> (u64, u64, u64) {
        (self.window.start, self.window.size, self.window.async_size)
    }
}

/// Both kernels, with what they did last.
pub(super) struct Trial {
    kernels: [Kernel; 2],
    runs: [Run; 2],
}

/// Where two runs part.
#[derive(Clone, Copy, Debug)]
struct Place {
    operation: usize,
    /// The first window that differs, by its place in either run.
    window: usize,
}

/// How two runs part.
pub(super) struct Parting {
    /// The same pages are read with the same marker; only the way that leads there differs.
    pub(super) only_way: bool,
    /// The page behind the last one of each window where they part.
    pub(super) ends: Vec<u64>,
}

/// What one side decided where they part.
#[derive(Clone, Debug, Serialize)]
pub struct SideDecision {
    /// How it came about.
    pub via: Via,
    /// The window as decided.
    pub window: Window,
    /// First pages of the folios that carry its marker.
    pub marks: Vec<u64>,
    /// Folios added: first page and order.
    pub folios: Vec<(u64, u8)>,
    /// The branch of the code.
    pub reason: &'static str,
    /// The decision in a sentence.
    pub sentence: String,
    /// Everything about the decision.
    pub decision: Value,
}

impl Trial {
    pub(super) fn new(a: Kernel, b: Kernel) -> Self {
        Trial { kernels: [a, b], runs: [Run::default(), Run::default()] }
    }

    /// The workload can be run, and the two decide differently on it.
    pub(super) fn differs(&mut self, workload: &Workload) -> bool {
        self.place(workload).is_some()
    }

    /// How the two part on the workload; nothing when they do not.
    pub(super) fn parting(&mut self, workload: &Workload) -> Option<Parting> {
        let place = self.place(workload)?;
        let [a, b] = self.runs.each_ref().map(|run| run.at(place));
        let only_way = match (a, b) {
            (Some(a), Some(b)) => a.extent() == b.extent() && self.runs[0].folios_of(a) == self.runs[1].folios_of(b),
            _ => false,
        };
        let ends = [a, b].into_iter().flatten().map(|seen| seen.window.start.saturating_add(seen.window.size));
        Some(Parting { only_way, ends: ends.collect() })
    }

    pub(super) fn models(&self) -> [ModelId; 2] {
        self.kernels.map(|kernel| kernel.model)
    }

    fn place(&mut self, workload: &Workload) -> Option<Place> {
        if !workload.is_sound() {
            return None;
        }
        for (kernel, run) in self.kernels.iter().zip(&mut self.runs) {
            run.clear();
            let mut host = VirtualHost::new(workload.world(*kernel)).ok()?;
            host.run(run);
            for (number, op) in workload.ops.iter().enumerate() {
                run.operation = number;
                host.push(TaskId(0), &Step::Op(*op));
                host.run(run);
            }
        }
        let [a, b] = &self.runs;
        let same = |(left, right): &(&Seen, &Seen)| {
            left.operation == right.operation
                && left.way() == right.way()
                && left.extent() == right.extent()
                && a.folios_of(left) == b.folios_of(right)
        };
        let window = a.windows.iter().zip(&b.windows).take_while(same).count();
        let operation = |run: &Run| run.windows.get(window).map(|seen| seen.operation);
        let operation = match (operation(a), operation(b)) {
            (Some(a), Some(b)) => a.min(b),
            (Some(operation), None) | (None, Some(operation)) => operation,
            (None, None) => return None,
        };
        Some(Place { operation, window })
    }

    /// The workload with the place where they part, both decisions there, and the scenario.
    pub(super) fn explain(&mut self, workload: Workload, seed: u64) -> Divergence {
        let place = self.place(&workload).expect("the search found that they differ");
        let side = |run: &Run| {
            let seen = run.at(place)?;
            let folios = run.folios_of(seen);
            let decision = &seen.decision;
            Some(SideDecision {
                via: decision.via,
                window: seen.window,
                marks: folios.iter().filter(|(.., marked)| *marked).map(|(first, ..)| *first).collect(),
                folios: folios.iter().map(|(first, order, _)| (*first, *order)).collect(),
                reason: decision.reason.code(),
                sentence: reason::sentence(&decision.reason, &decision.trim),
                decision: decision_json(place.window as u32, decision),
            })
        };
        let [a, b] = self.kernels;
        let title = format!("{} and {} part", a.name(), b.name());
        let source = format!("readahead-lab diverge --a {} --b {} --seed {seed}", a.name(), b.name());
        let about = format!(
            "A shortest workload on which the two decide differently: at operation {}. The search knows no time; here the device takes some.",
            place.operation + 1
        );
        Divergence {
            operation: place.operation + 1,
            same_before: place.window,
            a: side(&self.runs[0]),
            b: side(&self.runs[1]),
            scenario: workload.scenario(a, &title, &source, &about),
            compare: [a.settings(), b.settings()],
            workload,
        }
    }
}
