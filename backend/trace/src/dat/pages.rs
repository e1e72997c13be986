//! Ring-buffer pages: a time stamp and a length, then events, each with the time since the one before. Must not know what
//! an event holds.

/// Bytes of a page.
pub(super) const PAGE_BYTES: usize = 4096;
/// The stamp and the length in front of a page's data.
const HEADER_BYTES: usize = 16;

/// The layout of a page, as trace files describe it.
pub(super) const PAGE_LAYOUT: &str = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\
     \tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n\
     \tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\
     \tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

/// The layout of an event's header, as trace files describe it.
pub(super) const EVENT_LAYOUT: &str = "# compressed entry header\n\
     \ttype_len    :    5 bits\n\
     \ttime_delta  :   27 bits\n\
     \tarray       :   32 bits\n\n\
     \tpadding     : type == 29\n\
     \ttime_extend : type == 30\n\
     \ttime_stamp : type == 31\n\
     \tdata max type_len  == 28\n";

/// Bits of the time since the event before.
const DELTA_BITS: u32 = 27;
/// Most words of an event whose length fits its header.
const SMALL_WORDS_MAX: usize = 28;
/// The type of a header that carries a longer time only.
const TIME_EXTEND: u32 = 30;

/// The pages of one processor.
#[derive(Default)]
pub(super) struct Pages {
    bytes: Vec<u8>,
    /// Where the current page begins.
    page: usize,
    /// The time of the event before.
    last_ns: u64,
}

impl Pages {
    /// Appends an event. Time does not run backwards in a ring buffer: an earlier time counts as that of the event before.
    pub(super) fn push(&mut self, at_ns: u64, event: &[u8]) {
        let words = event.len().div_ceil(4);
        let at_ns = if self.bytes.is_empty() { at_ns } else { at_ns.max(self.last_ns) };
        let long = words > SMALL_WORDS_MAX;
        let extended = (at_ns - self.last_ns) >> DELTA_BITS != 0;
        let needed = 4 + 4 * words + if long { 4 } else { 0 } + if extended { 8 } else { 0 };
        if self.bytes.is_empty() || self.bytes.len() - self.page + needed > PAGE_BYTES {
            self.start_page(at_ns);
        }
        let mut delta = at_ns - self.last_ns;
        if delta >> DELTA_BITS != 0 {
            self.word(TIME_EXTEND | (delta as u32) << 5);
            self.word((delta >> DELTA_BITS) as u32);
            delta = 0;
        }
        let delta = (delta as u32) << 5;
        if long {
            self.word(delta);
            self.word(4 * words as u32 + 4);
        } else {
            self.word(words as u32 | delta);
        }
        self.bytes.extend_from_slice(event);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.last_ns = at_ns;
    }

    fn word(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn start_page(&mut self, at_ns: u64) {
        self.end_page();
        self.page = self.bytes.len();
        self.bytes.extend_from_slice(&at_ns.to_le_bytes());
        self.bytes.extend_from_slice(&0u64.to_le_bytes());
        self.last_ns = at_ns;
    }

    /// Notes how much of the page is used, and fills it.
    fn end_page(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let used = (self.bytes.len() - self.page - HEADER_BYTES) as u64;
        self.bytes[self.page + 8..self.page + HEADER_BYTES].copy_from_slice(&used.to_le_bytes());
        self.bytes.resize(self.page + PAGE_BYTES, 0);
    }

    /// The pages, whole.
    pub(super) fn finish(mut self) -> Vec<u8> {
        self.end_page();
        self.bytes
    }
}
