//! Streams records out of an input. Owns what surrounds the events: packing, header lines, lines that are skipped (and
//! why), events that a mail program broke into several lines. Must not know what the events mean.

use crate::error::TraceError;
use crate::formats::{self, FORMATS, Format, Header};
use crate::input::{Input, Packing, Taken};
use crate::lines::{Lines, Next};
use crate::record::{Class, Item, classify};
use crate::scan::text;
use crate::split::strip_wrapping;
use memchr::memmem;
use std::io::Read;
use std::ops::Range;

/// Why a line was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// There is no event in it.
    NoEvent,
    /// It names a known event, but the text behind the name is not that event's.
    BadText,
    /// It is longer than 64 KiB.
    TooLong,
    /// The input ends in the middle of it.
    Cut,
}

impl SkipReason {
    /// For people.
    pub fn title(self) -> &'static str {
        match self {
            SkipReason::NoEvent => "no event in the line",
            SkipReason::BadText => "the text of a known event is not understood",
            SkipReason::TooLong => "longer than 64 KiB",
            SkipReason::Cut => "the input ends in the middle of the line",
        }
    }
}

/// Lines that were skipped for one reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Skipped {
    /// Why.
    pub reason: SkipReason,
    /// For people.
    pub title: &'static str,
    /// How many.
    pub count: u64,
    /// Number of the first of them.
    pub first_line: u64,
    /// Its beginning.
    pub first_text: String,
}

/// Longest beginning of a line that is kept, in characters.
const FIRST_TEXT_CHARS: usize = 120;
/// Most lines into which one event may be broken.
const BROKEN_LINES_MAX: u64 = 6;
/// Longest event that is put together from broken lines.
const BROKEN_BYTES_MAX: usize = 4096;

/// Where the item lies that was handed out last.
enum Place {
    Line(Range<usize>, u64),
    Scratch(u64),
}

/// Reads records from ftrace text, plain or packed.
pub struct TraceReader<'r> {
    lines: Lines<'r>,
    format: &'static Format,
    header: Header,
    header_lines: u64,
    skipped: Vec<Skipped>,
    broken: Broken,
    rejoined: u64,
    /// A line that had to be changed to be read.
    scratch: Vec<u8>,
}

impl<'r> TraceReader<'r> {
    /// Recognises packing and format. The input is read as a stream, in pieces of 256 KiB.
    pub fn new(reader: impl Read + Send + 'r) -> Result<Self, TraceError> {
        let mut lines = Lines::new(Input::new(reader)?)?;
        if lines.head().is_empty() {
            return match lines.cut.take() {
                Some(why) => Err(TraceError::Read { offset: 0, source: std::io::Error::other(why) }),
                None => Err(TraceError::Empty),
            };
        }
        if lines.head().starts_with(b"\xef\xbb\xbf") {
            lines.skip(3);
        }
        let head = &lines.head()[..lines.head().len().min(4096)];
        let binary = |byte: &u8| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127);
        if let Some(offset) = head.iter().position(binary) {
            return Err(TraceError::Binary { byte: head[offset], offset });
        }
        let format = formats::sniff(head);
        Ok(TraceReader {
            lines,
            format,
            header: Header::default(),
            header_lines: 0,
            skipped: Vec::new(),
            broken: Broken::default(),
            rejoined: 0,
            scratch: Vec::new(),
        })
    }

    /// Hands every record and gap to `visit`.
    pub fn for_each(&mut self, mut visit: impl FnMut(Item<'_>)) -> Result<(), TraceError> {
        while self.step(&mut visit)?.is_some() {}
        Ok(())
    }

    /// The next record or gap; `None` at the end. [`TraceReader::for_each`] is faster.
    pub fn next_item(&mut self) -> Result<Option<Item<'_>>, TraceError> {
        let Some(((), place)) = self.step(|_| ())? else { return Ok(None) };
        let (line, number) = match place {
            Place::Line(range, number) => (self.lines.get(range), number),
            Place::Scratch(number) => (self.scratch.as_slice(), number),
        };
        Ok(match classify(line, number) {
            Class::Event(record) => Some(Item::Record(record)),
            Class::Lost(lost) => Some(Item::Lost(lost)),
            _ => None,
        })
    }

    /// The format.
    pub fn format(&self) -> &'static Format {
        self.format
    }

    /// How the input is packed.
    pub fn packing(&self) -> Packing {
        self.lines.packing()
    }

    /// What the header lines said so far.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Lines read so far, of every kind.
    pub fn lines(&self) -> u64 {
        self.lines.number
    }

    /// Header lines so far.
    pub fn header_lines(&self) -> u64 {
        self.header_lines
    }

    /// Bytes of text read so far.
    pub fn text_bytes(&self) -> u64 {
        self.lines.offset
    }

    /// Tells, also while records are handed out, how much of the input was taken.
    pub fn taken(&self) -> Taken {
        self.lines.taken()
    }

    /// Lines skipped so far, by reason.
    pub fn skipped(&self) -> &[Skipped] {
        &self.skipped
    }

    /// Events that were put together from several lines.
    pub fn rejoined(&self) -> u64 {
        self.rejoined
    }

    /// Why the packed input ended before its time, if it did. What came before was read.
    pub fn cut(&self) -> Option<&str> {
        self.lines.cut.as_deref()
    }

    /// Goes on to the next item, hands it to `take` and says where it lies.
    #[inline]
    fn step<T>(&mut self, mut take: impl FnMut(Item<'_>) -> T) -> Result<Option<(T, Place)>, TraceError> {
        loop {
            let range = match self.lines.advance()? {
                Next::Line(range) => range,
                Next::TooLong(range) => {
                    let number = self.lines.number;
                    note_skipped(&mut self.skipped, SkipReason::TooLong, 1, number, self.lines.get(range));
                    continue;
                }
                Next::End => {
                    self.broken.give_up(&mut self.skipped);
                    return Ok(None);
                }
            };
            let number = self.lines.number;
            match classify(self.lines.get(range.clone()), number) {
                Class::Event(record) if !(self.lines.unfinished && self.lines.cut.is_some()) => {
                    let taken = take(Item::Record(record));
                    if !self.broken.text.is_empty() {
                        self.broken.give_up(&mut self.skipped);
                    }
                    return Ok(Some((taken, Place::Line(range, number))));
                }
                Class::Lost(lost) => {
                    let taken = take(Item::Lost(lost));
                    self.broken.give_up(&mut self.skipped);
                    return Ok(Some((taken, Place::Line(range, number))));
                }
                Class::Blank => {}
                class => {
                    let bad = matches!(class, Class::BadText);
                    if let Some(number) = self.odd_line(range, number, bad)
                        && let Class::Event(record) = classify(&self.scratch, number)
                    {
                        return Ok(Some((take(Item::Record(record)), Place::Scratch(record.line_no))));
                    }
                }
            }
        }
    }

    /// A line that is no event as it stands. `Some`: the scratch holds an event now, of this line number.
    #[cold]
    fn odd_line(&mut self, range: Range<usize>, number: u64, mut bad: bool) -> Option<u64> {
        let mut line = self.lines.get(range);
        if !bad && FORMATS.iter().any(|format| (format.header)(line, &mut self.header)) {
            self.header_lines += 1;
            return None;
        }
        if self.lines.unfinished && (bad || self.lines.cut.is_some()) {
            note_skipped(&mut self.skipped, SkipReason::Cut, 1, number, line);
            return None;
        }
        if clean(line, &mut self.scratch) {
            line = &self.scratch;
            match classify(line, number) {
                Class::Event(_) => return Some(number),
                class => bad = matches!(class, Class::BadText),
            }
        }
        if bad {
            self.broken.give_up(&mut self.skipped);
            self.broken.begin(line, number);
        } else if self.broken.append(strip_wrapping(line).trim_ascii_end()) {
            if matches!(classify(&self.broken.text, self.broken.first_line), Class::Event(_)) {
                std::mem::swap(&mut self.scratch, &mut self.broken.text);
                self.broken.text.clear();
                self.rejoined += 1;
                return Some(self.broken.first_line);
            }
        } else {
            self.broken.give_up(&mut self.skipped);
            note_skipped(&mut self.skipped, SkipReason::NoEvent, 1, number, line);
        }
        None
    }
}

/// The beginning of an event that perhaps goes on in the next line, as mail programs break them.
#[derive(Default)]
struct Broken {
    text: Vec<u8>,
    first_line: u64,
    lines: u64,
    /// Where in the text the second line begins.
    second: usize,
}

impl Broken {
    fn begin(&mut self, line: &[u8], number: u64) {
        let line = line.get(..BROKEN_BYTES_MAX).unwrap_or(line);
        self.text.clear();
        self.text.extend_from_slice(line.trim_ascii_end());
        (self.first_line, self.lines, self.second) = (number, 1, self.text.len());
    }

    /// Appends a line; `false` when there is nothing to append to, or no room.
    fn append(&mut self, line: &[u8]) -> bool {
        if self.text.is_empty() || self.lines == BROKEN_LINES_MAX || self.text.len() + line.len() > BROKEN_BYTES_MAX {
            return false;
        }
        // Quoted-printable mail breaks inside words, with an equals sign at the end of the line.
        if self.text.last() == Some(&b'=') {
            self.text.pop();
        } else {
            self.text.push(b' ');
        }
        if self.lines == 1 {
            self.second = self.text.len();
        }
        self.text.extend_from_slice(line);
        self.lines += 1;
        true
    }

    /// No event came of it: the lines are skipped after all.
    fn give_up(&mut self, skipped: &mut Vec<Skipped>) {
        if self.text.is_empty() {
            return;
        }
        let (first, second) = self.text.split_at(self.second);
        note_skipped(skipped, SkipReason::BadText, 1, self.first_line, first);
        if self.lines > 1 {
            note_skipped(skipped, SkipReason::NoEvent, self.lines - 1, self.first_line + 1, second);
        }
        self.text.clear();
    }
}

/// Takes out of a line what other programs put in: colours of grep, quoted-printable signs, the `\n\` of a trace in a
/// JavaScript string. `false`: there is nothing of the kind.
fn clean(line: &[u8], out: &mut Vec<u8>) -> bool {
    let line_end = line.strip_suffix(b"\\n\\");
    let coloured = memchr::memchr(0x1b, line).is_some();
    let quoted_printable = memmem::find(line, b"=3D").is_some();
    if line_end.is_none() && !coloured && !quoted_printable {
        return false;
    }
    out.clear();
    let mut rest = line_end.unwrap_or(line);
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match (byte, tail) {
            (0x1b, [b'[', sequence @ ..]) => {
                let end = sequence.iter().position(|byte| (0x40..=0x7e).contains(byte)).unwrap_or(sequence.len());
                rest = sequence.get(end + 1..).unwrap_or(&[]);
            }
            (b'=', [high, low, behind @ ..]) if quoted_printable && high.is_ascii_hexdigit() => {
                match u8::from_str_radix(text(&[*high, *low]), 16) {
                    Ok(decoded) => {
                        out.push(decoded);
                        rest = behind;
                    }
                    Err(_) => out.push(b'='),
                }
            }
            _ => out.push(*byte),
        }
    }
    true
}

/// Counts a skipped line.
#[cold]
fn note_skipped(skipped: &mut Vec<Skipped>, reason: SkipReason, count: u64, line_no: u64, line: &[u8]) {
    let entry = match skipped.iter_mut().find(|entry| entry.reason == reason) {
        Some(entry) => entry,
        None => {
            skipped.push(Skipped {
                reason,
                title: reason.title(),
                count: 0,
                first_line: u64::MAX,
                first_text: String::new(),
            });
            skipped.sort_by_key(|entry| entry.reason);
            skipped.iter_mut().find(|entry| entry.reason == reason).expect("it was just added")
        }
    };
    entry.count += count;
    if line_no < entry.first_line {
        entry.first_line = line_no;
        let beginning = line.get(..4 * FIRST_TEXT_CHARS).unwrap_or(line);
        entry.first_text = String::from_utf8_lossy(beginning).chars().take(FIRST_TEXT_CHARS).collect();
    }
}
