//! Prints records as the trace file of a kernel does: header and lines, byte for byte. Must not know where the records
//! come from.

use crate::prefix::{Columns, Flags};
use crate::record::{Lost, Record};
use crate::scan::push_decimal;
use crate::tracepoints::shape::Form;
use std::io::{self, Write};

/// What the flag characters mean, up to linux-5.11.
const LEGEND_OF_FOUR: &[&str] = &[
    "                                _-----=> irqs-off",
    "                               / _----=> need-resched",
    "                              | / _---=> hardirq/softirq",
    "                              || / _--=> preempt-depth",
    "                              ||| /     delay",
];

/// What they mean since.
const LEGEND_OF_FIVE: &[&str] = &[
    "                                _-----=> irqs-off/BH-disabled",
    "                               / _----=> need-resched",
    "                              | / _---=> hardirq/softirq",
    "                              || / _--=> preempt-depth",
    "                              ||| / _-=> migrate-disable",
    "                              |||| /     delay",
];

/// The header that knew no flags and no counts.
const HEADER_OF_2_6_33: &str = "# tracer: nop\n#\n\
                                #           TASK-PID    CPU#    TIMESTAMP  FUNCTION\n\
                                #              | |       |          |         |\n";

/// Prints the trace file of one kernel generation with one set of options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printer {
    /// Whose text.
    pub form: Form,
    /// Which columns.
    pub columns: Columns,
}

impl Printer {
    /// The default options of this generation.
    pub fn new(form: Form) -> Self {
        Printer { form, columns: Columns::default() }
    }

    /// The flags of an event in a task: nothing is off.
    pub fn task_flags(&self) -> Flags {
        Flags::new(if self.form < Form::Linux6_1 { b"...." } else { b"....." }).expect("dots are flags")
    }

    /// The flags of an event in an interrupt that came while nothing was off.
    pub fn interrupt_flags(&self) -> Flags {
        Flags::new(if self.form < Form::Linux6_1 { b"d.h." } else { b"d.h.." }).expect("letters and dots are flags")
    }

    /// Appends one record as a line.
    pub fn line(&self, record: &Record<'_>, out: &mut Vec<u8>) {
        match self.form {
            Form::Linux2_6_33 => record.prefix().write_2_6_33(out),
            _ => record.prefix().write(self.columns, out),
        }
        record.event.write(self.form, out);
        out.push(b'\n');
    }

    /// Appends the line that marks a gap.
    pub fn lost(&self, lost: &Lost, out: &mut Vec<u8>) {
        out.extend_from_slice(b"CPU:");
        push_decimal(out, u64::from(lost.cpu.unwrap_or(0)));
        out.extend_from_slice(b" [LOST ");
        if let Some(events) = lost.events {
            push_decimal(out, events);
            out.push(b' ');
        }
        out.extend_from_slice(b"EVENTS]\n");
    }

    /// Appends the header of the trace file.
    pub fn header(&self, entries_in_buffer: u64, entries_written: u64, cpus: u64, out: &mut Vec<u8>) {
        if self.form == Form::Linux2_6_33 {
            out.extend_from_slice(HEADER_OF_2_6_33.as_bytes());
            return;
        }
        let mut text = format!(
            "# tracer: nop\n#\n# entries-in-buffer/entries-written: {entries_in_buffer}/{entries_written}   #P:{cpus}\n#\n"
        );
        let (task, pid_mark) = ("#           TASK-PID     ", "#              | |         ");
        let (tgid, tgid_mark, tgid_width) =
            if self.columns.tgid { ("  TGID    ", "  |       ", 10) } else { ("", "", 0) };
        if self.columns.flags {
            let (legend, bars, time) = if self.form < Form::Linux6_1 {
                (LEGEND_OF_FOUR, "||||", "  ")
            } else {
                (LEGEND_OF_FIVE, "|||||", " ")
            };
            for line in legend {
                text += &format!("#{:tgid_width$}{line}\n", "");
            }
            text += &format!("{task}{tgid}CPU#  {bars} {time}TIMESTAMP  FUNCTION\n");
            text += &format!("{pid_mark}{tgid_mark}|   {bars}    {time}|         |\n");
        } else {
            text += &format!("{task}{tgid}CPU#     TIMESTAMP  FUNCTION\n");
            text += &format!("{pid_mark}{tgid_mark}|         |         |\n");
        }
        out.extend_from_slice(text.as_bytes());
    }

    /// Writes header and lines to `to`.
    pub fn write_all<'a>(
        &self,
        records: impl ExactSizeIterator<Item = Record<'a>>,
        cpus: u64,
        mut to: impl Write,
    ) -> io::Result<()> {
        let mut buffer = Vec::with_capacity(64 * 1024);
        let entries = records.len() as u64;
        self.header(entries, entries, cpus, &mut buffer);
        for record in records {
            self.line(&record, &mut buffer);
            if buffer.len() > 60 * 1024 {
                to.write_all(&buffer)?;
                buffer.clear();
            }
        }
        to.write_all(&buffer)
    }
}
