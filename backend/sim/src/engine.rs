//! The event loop, without I/O: it emits device requests and takes completions. A host owns the clock and the device.

use crate::block::DeviceRequest;
use crate::call::Flow;
use crate::kernel::Kernel;
use crate::observer::Observer;
use crate::queue::{Due, Queue};
use crate::section::Section;
use crate::task::Task;
use crate::world::{Step, WorldSpec};
use readahead_policy::FolioRef;
use readahead_types::{FileId, HandleId, Nanos, Order, PageIndex, RaState, TaskId};

/// Sections that a task runs ahead at most before the host gets control again.
const RUN_AHEAD_SECTIONS: u32 = 512;

/// The engine.
pub struct Engine {
    now: Nanos,
    queue: Queue,
    kernel: Kernel,
    tasks: Vec<Task>,
    decisions: u32,
    woken: Vec<TaskId>,
}

impl Engine {
    /// An engine with this world, at time 0. The world has been checked.
    pub(crate) fn new(spec: &WorldSpec) -> Self {
        let mut queue = Queue::default();
        for (number, stream) in spec.streams.iter().enumerate() {
            queue.push(stream.start, Due::Task(TaskId(number as u32)));
        }
        Engine {
            now: Nanos(0),
            queue,
            kernel: Kernel::new(spec),
            tasks: spec
                .streams
                .iter()
                .enumerate()
                .map(|(number, stream)| Task::new(stream, number, spec.seed))
                .collect(),
            decisions: 0,
            woken: Vec::new(),
        }
    }

    /// The run's clock.
    pub fn now(&self) -> Nanos {
        self.now
    }

    /// When the next thing is due that needs no completion; `None` when only completions can go on.
    pub fn next_at(&self) -> Option<Nanos> {
        self.queue.next_at()
    }

    /// Requests in the device or waiting for it.
    pub fn in_flight(&self) -> usize {
        self.kernel.block.in_flight()
    }

    /// Requests stay with the engine until a task waits for one of them.
    pub(crate) fn completes_on_wait(&self) -> bool {
        self.kernel.on_wait
    }

    /// Requests that the device is to start now, in order.
    pub fn take_issued(&mut self) -> std::vec::Drain<'_, DeviceRequest> {
        self.kernel.block.take_issued()
    }

    /// The completion of the request in this slot is due at `at`.
    pub fn complete_at(&mut self, at: Nanos, slot: u32) {
        self.queue.push(at.max(self.now), Due::Completion(slot));
    }

    /// Adds a step to a stream's program; its task goes on now if it had ended.
    pub fn push(&mut self, task: TaskId, step: &Step) {
        let state = &mut self.tasks[task.0 as usize];
        let had_ended = state.ended;
        state.push(step);
        if had_ended {
            self.queue.push(self.now, Due::Task(task));
        }
    }

    /// Somebody writes queue/read_ahead_kb, in pages. Files that are open keep theirs.
    pub fn set_ra_pages(&mut self, ra_pages: u32) {
        self.kernel.set_ra_pages(ra_pages);
    }

    /// The next folio that is added at `first` of `file` lies at page frame `pfn`.
    pub fn know_frame(&mut self, file: FileId, first: PageIndex, pfn: u64) {
        self.kernel.frames.know(file, first.0, pfn);
    }

    /// Makes the page cache hold exactly this folio in its place, as a real kernel was seen to.
    pub fn adopt_folio(
        &mut self,
        file: FileId,
        first: PageIndex,
        order: Order,
        marked: bool,
        observer: &mut impl Observer,
    ) {
        let mut section =
            Section { now: self.now, task: TaskId(0), observer, cost: Nanos(0), decisions: self.decisions };
        self.kernel.adopt_folio(&mut section, file, first.0, order.0, marked);
    }

    /// The next decision finds this folio cached only when its own folios are added: another task was quicker.
    pub fn add_meanwhile(&mut self, file: FileId, first: PageIndex, order: Order) {
        self.kernel.meanwhile.push((file, first.0, order.0));
    }

    /// None is added any more.
    pub fn end_meanwhile(&mut self) {
        self.kernel.meanwhile.clear();
    }

    /// Takes the folio that holds this page out of the page cache, as a real kernel was seen to.
    pub fn adopt_removal(&mut self, file: FileId, page: PageIndex, observer: &mut impl Observer) {
        let mut section =
            Section { now: self.now, task: TaskId(0), observer, cost: Nanos(0), decisions: self.decisions };
        if let Some(id) = self.kernel.cache.find(file, page.0) {
            self.kernel.remove_folio(&mut section, id, true);
        }
    }

    /// Readahead state of an open file, for whoever knows better than the model.
    pub fn readahead_state(&mut self, handle: HandleId) -> Option<&mut RaState> {
        self.kernel.open.get_mut(handle.0 as usize).map(|open| &mut open.ra)
    }

    /// Whether this page is cached, and whether its folio carries the lookahead marker.
    pub fn cached(&self, file: FileId, page: PageIndex) -> Option<bool> {
        self.kernel.cache.find(file, page.0).map(|id| self.kernel.cache.folio(id).marked)
    }

    /// The folio that holds this page.
    pub fn folio(&self, file: FileId, page: PageIndex) -> Option<FolioRef> {
        self.kernel.cache.find(file, page.0).map(|id| self.kernel.cache.folio(id).as_ref())
    }

    /// Whether the open file's mapping has a page-table entry for this page.
    pub fn is_mapped(&self, handle: HandleId, page: PageIndex) -> bool {
        self.kernel
            .open
            .get(handle.0 as usize)
            .and_then(|open| open.mapping)
            .is_some_and(|mapping| self.kernel.mappings[mapping].is_present(page.0))
    }

    /// Handles the next entry of the queue; false when the queue is empty.
    pub fn step(&mut self, observer: &mut impl Observer) -> bool {
        let Some((at, due)) = self.queue.pop() else { return false };
        self.now = at;
        match due {
            Due::Completion(slot) => {
                let mut section =
                    Section { now: at, task: TaskId(0), observer, cost: Nanos(0), decisions: self.decisions };
                self.kernel.complete(&mut section, slot);
                self.wake();
            }
            Due::Task(task) => self.run(task, observer),
        }
        true
    }

    /// Puts the tasks that became runnable into the queue.
    fn wake(&mut self) {
        std::mem::swap(&mut self.woken, &mut self.kernel.woken);
        for task in self.woken.drain(..) {
            self.queue.push(self.now, Due::Task(task));
        }
    }

    /// Lets a task run, ahead of the clock as long as nothing else is due before it.
    fn run(&mut self, task: TaskId, observer: &mut impl Observer) {
        for _ in 0..RUN_AHEAD_SECTIONS {
            let mut section =
                Section { now: self.now, task, observer: &mut *observer, cost: Nanos(0), decisions: self.decisions };
            let state = &mut self.tasks[task.0 as usize];
            let flow = state.advance(&mut self.kernel, &mut section);
            let ended = state.ended;
            let decided = section.decisions != self.decisions;
            self.decisions = section.decisions;
            let next = Nanos(self.now.0.saturating_add(section.cost.0));
            if !self.kernel.woken.is_empty() {
                self.wake();
            }
            match flow {
                Flow::Sleep(folio) => {
                    self.kernel.sleep_on(task, folio);
                    if self.kernel.on_wait {
                        let mut section = Section {
                            now: self.now,
                            task,
                            observer: &mut *observer,
                            cost: Nanos(0),
                            decisions: self.decisions,
                        };
                        self.kernel.complete_all(&mut section);
                        self.wake();
                    }
                    return;
                }
                Flow::Starved => {
                    self.kernel.starved.push(task);
                    return;
                }
                Flow::Returned if ended => return,
                Flow::Returned | Flow::Again => {}
            }
            let others = self.queue.next_at().is_some_and(|at| at <= next);
            let issued = self.kernel.block.has_issued() && !self.kernel.on_wait;
            if decided || others || issued {
                self.queue.push(next, Due::Task(task));
                return;
            }
            self.now = next;
        }
        self.queue.push(self.now, Due::Task(task));
    }
}
