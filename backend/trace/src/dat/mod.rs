//! Writes records as a `trace.dat` file, version 6, which `trace-cmd report` and KernelShark read. The file describes
//! itself: sections of event layouts, then ring-buffer pages of each processor. Must not know where the records come from.

mod layouts;
mod pages;
mod values;

use crate::prefix::{Flags, Stamp};
use crate::record::Record;
use crate::tracepoints::shape::Form;
use layouts::{LAYOUTS, Layout};
use pages::{PAGE_BYTES, Pages};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Identifier of the first layout; the others follow. Identifiers mean something inside one file only.
const FIRST_ID: u16 = 100;
/// Processors that are kept apart at most.
const CPUS_MAX: usize = 1024;

/// Options of the file, by number.
const OPTION_END: u16 = 0;
const OPTION_CLOCK: u16 = 4;
const OPTION_UNAME: u16 = 5;

/// Collects records and writes the file. The sizes of all processors' pages stand in front of the pages, so they are held
/// in memory until the end: about 40 bytes an event.
pub struct DatWriter {
    cpus: Vec<Pages>,
    comms: BTreeMap<i32, String>,
    uname: String,
    event: Vec<u8>,
    left_out: u64,
    form: Form,
}

impl DatWriter {
    /// For a machine of this generation with this many processors; `uname` is what the file says made it.
    pub fn new(form: Form, cpus: u16, uname: &str) -> Self {
        let cpus = usize::from(cpus).clamp(1, CPUS_MAX);
        DatWriter {
            cpus: (0..cpus).map(|_| Pages::default()).collect(),
            comms: BTreeMap::new(),
            uname: uname.to_owned(),
            event: Vec::new(),
            left_out: 0,
            form,
        }
    }

    /// Takes a record. `false`: it has no layout in this generation, no time, or a processor that the machine does not
    /// have; it is left out.
    pub fn push(&mut self, record: &Record<'_>) -> bool {
        let pages = self.cpus.get_mut(usize::from(record.cpu.unwrap_or(0)));
        let (Some(pages), Some(Stamp::Time(at))) = (pages, record.at) else {
            self.left_out += 1;
            return false;
        };
        let known = values::values(&record.event).filter(|(layout, _)| LAYOUTS[*layout].exists_in(self.form));
        let Some((layout, values)) = known else {
            self.left_out += 1;
            return false;
        };
        let pid = record.pid.unwrap_or(0);
        if pid != 0 && !self.comms.contains_key(&pid) {
            self.comms.insert(pid, record.comm.to_owned());
        }
        let (flags, preempt) = common_flags(record.flags);
        self.event.clear();
        self.event.extend_from_slice(&(FIRST_ID + layout as u16).to_le_bytes());
        self.event.extend_from_slice(&[flags, preempt]);
        self.event.extend_from_slice(&pid.to_le_bytes());
        LAYOUTS[layout].encode(&values, self.form, &mut self.event);
        pages.push(at.0, &self.event);
        true
    }

    /// Records that were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Writes the file.
    pub fn finish(self, mut out: impl Write) -> io::Result<()> {
        let mut head = b"\x17\x08\x44tracing6\0".to_vec();
        head.extend_from_slice(&[0, 8]); // little endian, longs of 8 bytes
        head.extend_from_slice(&(PAGE_BYTES as u32).to_le_bytes());
        section(&mut head, b"header_page\0", pages::PAGE_LAYOUT);
        section(&mut head, b"header_event\0", pages::EVENT_LAYOUT);
        head.extend_from_slice(&0u32.to_le_bytes()); // no layouts of the tracers' own events
        self.layouts(&mut head);
        head.extend_from_slice(&0u32.to_le_bytes()); // no symbols
        head.extend_from_slice(&0u32.to_le_bytes()); // no printk formats
        let comms: String = self.comms.iter().map(|(pid, comm)| format!("{pid} {comm}\n")).collect();
        head.extend_from_slice(&(comms.len() as u64).to_le_bytes());
        head.extend_from_slice(comms.as_bytes());
        head.extend_from_slice(&(self.cpus.len() as u32).to_le_bytes());
        head.extend_from_slice(b"options  \0");
        option(&mut head, OPTION_CLOCK, b"[local]\n\0");
        option(&mut head, OPTION_UNAME, format!("{}\0", self.uname).as_bytes());
        head.extend_from_slice(&OPTION_END.to_le_bytes());
        head.extend_from_slice(b"flyrecord\0");

        let first_page = (head.len() + 16 * self.cpus.len()).next_multiple_of(PAGE_BYTES);
        let mut at = first_page as u64;
        let cpus: Vec<Vec<u8>> = self.cpus.into_iter().map(Pages::finish).collect();
        for pages in &cpus {
            head.extend_from_slice(&(if pages.is_empty() { 0 } else { at }).to_le_bytes());
            head.extend_from_slice(&(pages.len() as u64).to_le_bytes());
            at += pages.len() as u64;
        }
        head.resize(first_page, 0);
        out.write_all(&head)?;
        for pages in &cpus {
            out.write_all(pages)?;
        }
        out.flush()
    }

    /// The layouts, grouped by system.
    fn layouts(&self, head: &mut Vec<u8>) {
        let mut systems: BTreeMap<&str, Vec<(u16, &Layout)>> = BTreeMap::new();
        for (id, layout) in (FIRST_ID..).zip(LAYOUTS).filter(|(_, layout)| layout.exists_in(self.form)) {
            systems.entry(layout.system).or_default().push((id, layout));
        }
        head.extend_from_slice(&(systems.len() as u32).to_le_bytes());
        for (system, layouts) in systems {
            head.extend_from_slice(system.as_bytes());
            head.push(0);
            head.extend_from_slice(&(layouts.len() as u32).to_le_bytes());
            for (id, layout) in layouts {
                let text = layout.text(id, self.form);
                head.extend_from_slice(&(text.len() as u64).to_le_bytes());
                head.extend_from_slice(text.as_bytes());
            }
        }
    }
}

/// A named section: name, size, text.
fn section(head: &mut Vec<u8>, name: &[u8], text: &str) {
    head.extend_from_slice(name);
    head.extend_from_slice(&(text.len() as u64).to_le_bytes());
    head.extend_from_slice(text.as_bytes());
}

/// An option: number, size, data.
fn option(head: &mut Vec<u8>, number: u16, data: &[u8]) {
    head.extend_from_slice(&number.to_le_bytes());
    head.extend_from_slice(&(data.len() as u32).to_le_bytes());
    head.extend_from_slice(data);
}

/// The two bytes that every event carries, from the characters that the trace file shows for them.
fn common_flags(flags: Flags) -> (u8, u8) {
    const IRQS_OFF: u8 = 0x01;
    const NEED_RESCHED: u8 = 0x04;
    const HARD_IRQ: u8 = 0x08;
    const SOFT_IRQ: u8 = 0x10;
    let letters = flags.as_str().as_bytes();
    let mut bits = 0;
    if matches!(letters.first(), Some(b'd' | b'D')) {
        bits |= IRQS_OFF;
    }
    if matches!(letters.get(1), Some(b'N' | b'n')) {
        bits |= NEED_RESCHED;
    }
    match letters.get(2) {
        Some(b'h') => bits |= HARD_IRQ,
        Some(b's') => bits |= SOFT_IRQ,
        Some(b'H') => bits |= HARD_IRQ | SOFT_IRQ,
        _ => {}
    }
    let preempt = match letters.get(3) {
        Some(digit @ b'0'..=b'9') => digit - b'0',
        _ => 0,
    };
    (bits, preempt)
}
