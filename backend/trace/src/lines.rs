//! Lines of a stream, with bounded memory: one buffer, from which the lines are borrowed. Must not know what a line says.

use crate::error::TraceError;
use crate::input::{Input, Packing, Taken};
use std::io::{ErrorKind, Read};
use std::ops::Range;

/// The longest line that is looked at; longer ones are skipped.
pub(crate) const LINE_BYTES_MAX: usize = 64 * 1024;
/// Room for a line and a good piece of input.
const BUFFER_BYTES: usize = 256 * 1024;

/// What comes next.
pub(crate) enum Next {
    /// A line, as a range of the buffer, without its end.
    Line(Range<usize>),
    /// A line that was too long; the range is its beginning.
    TooLong(Range<usize>),
    /// Nothing.
    End,
}

/// The lines of an input.
pub(crate) struct Lines<'r> {
    input: Input<'r>,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    at_end: bool,
    /// Number of the line that was returned last; the first is 1.
    pub(crate) number: u64,
    /// Bytes of text that were returned or skipped.
    pub(crate) offset: u64,
    /// The stream ended before its time: why.
    pub(crate) cut: Option<String>,
    /// The line that was returned last had no end.
    pub(crate) unfinished: bool,
}

impl<'r> Lines<'r> {
    /// Reads the first piece.
    pub(crate) fn new(input: Input<'r>) -> Result<Self, TraceError> {
        let mut lines = Lines {
            input,
            buffer: vec![0; BUFFER_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            at_end: false,
            number: 0,
            offset: 0,
            cut: None,
            unfinished: false,
        };
        while !lines.at_end && lines.end < 4096 {
            lines.fill()?;
        }
        Ok(lines)
    }

    /// The first piece of the text.
    pub(crate) fn head(&self) -> &[u8] {
        &self.buffer[self.start..self.end]
    }

    /// Leaves out this many bytes of the first piece.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.start = (self.start + bytes).min(self.end);
    }

    pub(crate) fn packing(&self) -> Packing {
        self.input.packing
    }

    pub(crate) fn taken(&self) -> Taken {
        self.input.taken.clone()
    }

    /// The bytes of a line that was returned last.
    #[inline(always)]
    pub(crate) fn get(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Moves on by one line.
    #[inline]
    pub(crate) fn advance(&mut self) -> Result<Next, TraceError> {
        let mut looked_at = 0;
        loop {
            let text = &self.buffer[self.start..self.end];
            if let Some(found) = memchr::memchr(b'\n', &text[looked_at..]) {
                let bytes = looked_at + found;
                return Ok(Next::Line(self.take(bytes, bytes + 1)));
            }
            looked_at = text.len();
            if self.at_end {
                if looked_at == 0 {
                    return Ok(Next::End);
                }
                self.unfinished = true;
                return Ok(Next::Line(self.take(looked_at, looked_at)));
            }
            if looked_at > LINE_BYTES_MAX {
                return self.skip_long();
            }
            self.fill()?;
        }
    }

    /// Takes `bytes` as a line and moves on by `step`.
    #[inline(always)]
    fn take(&mut self, bytes: usize, step: usize) -> Range<usize> {
        let mut range = self.start..self.start + bytes;
        if bytes > 0 && self.buffer[range.end - 1] == b'\r' {
            range.end -= 1;
        }
        self.start += step;
        self.offset += step as u64;
        self.number += 1;
        range
    }

    /// Drops a line that does not fit, but for its beginning.
    #[cold]
    fn skip_long(&mut self) -> Result<Next, TraceError> {
        const KEEP: usize = 256;
        self.number += 1;
        self.buffer.copy_within(self.start..self.start + KEEP, 0);
        self.offset += (self.end - self.start) as u64;
        (self.start, self.end) = (KEEP, KEEP);
        while !self.at_end {
            self.fill_behind(KEEP)?;
            match memchr::memchr(b'\n', &self.buffer[KEEP..self.end]) {
                Some(found) => {
                    self.start = KEEP + found + 1;
                    self.offset += found as u64 + 1;
                    break;
                }
                None => {
                    self.offset += (self.end - KEEP) as u64;
                    self.end = KEEP;
                }
            }
        }
        Ok(Next::TooLong(0..KEEP))
    }

    /// Moves what is left to the front and reads more.
    fn fill(&mut self) -> Result<(), TraceError> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        self.fill_behind(self.end)
    }

    /// Reads more behind `end`.
    fn fill_behind(&mut self, end: usize) -> Result<(), TraceError> {
        self.end = end;
        loop {
            match self.input.read(&mut self.buffer[end..]) {
                Ok(0) => self.at_end = true,
                Ok(bytes) => self.end = end + bytes,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => {
                    let broken = matches!(
                        error.kind(),
                        ErrorKind::UnexpectedEof | ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other
                    );
                    let read_before = self.offset > 0 || end > 0;
                    if self.packing() == Packing::Plain || !broken || !read_before {
                        return Err(TraceError::Read { offset: self.offset + end as u64, source: error });
                    }
                    self.cut = Some(error.to_string());
                    self.at_end = true;
                }
            }
            return Ok(());
        }
    }
}
