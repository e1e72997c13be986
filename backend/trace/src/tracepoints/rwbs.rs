//! The letters that say what a block request does: an optional F (preflush), the operation, then F (forced unit access),
//! A (readahead), S (synchronous), M (metadata).

use super::shape::{Codec, Form};
use crate::scan::Scan;

/// Most letters that are kept; kernels print at most nine.
const MAX: usize = 11;

/// The letters of one request.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rwbs {
    len: u8,
    letters: [u8; MAX],
}

impl Rwbs {
    /// From letters; `None` when there is none, too many, or one that is not a capital.
    #[inline(always)]
    pub fn new(text: &[u8]) -> Option<Self> {
        if text.is_empty() || text.len() > MAX || !text.iter().all(u8::is_ascii_uppercase) {
            return None;
        }
        let mut letters = [0; MAX];
        letters[..text.len()].copy_from_slice(text);
        Some(Rwbs { len: text.len() as u8, letters })
    }

    /// The letters of a read: `R`, with `A` when it is readahead.
    pub fn read(ahead: bool) -> Self {
        Rwbs::new(if ahead { b"RA" } else { b"R" }).expect("capital letters")
    }

    /// The letters of a read by O_DIRECT: synchronous.
    pub fn direct_read() -> Self {
        Rwbs::new(b"RS").expect("capital letters")
    }

    /// The letters.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.letters[..usize::from(self.len)]).expect("only capital letters are kept")
    }

    /// The operation's letter.
    pub fn operation(&self) -> u8 {
        match &self.letters[..usize::from(self.len)] {
            [b'F', operation, ..] => *operation,
            letters => letters[0],
        }
    }

    /// The letters behind the operation.
    fn flags(&self) -> &[u8] {
        let before = if self.letters[0] == b'F' && self.len > 1 { 2 } else { 1 };
        &self.letters[before..usize::from(self.len)]
    }

    /// It reads data.
    pub fn is_read(&self) -> bool {
        self.operation() == b'R'
    }

    /// It writes data.
    pub fn is_write(&self) -> bool {
        self.operation() == b'W'
    }

    /// It reads ahead.
    pub fn is_readahead(&self) -> bool {
        self.is_read() && self.flags().contains(&b'A')
    }

    /// It is for metadata of the file system.
    pub fn is_meta(&self) -> bool {
        self.flags().contains(&b'M')
    }

    /// Somebody waits for it.
    pub fn is_sync(&self) -> bool {
        self.flags().contains(&b'S')
    }
}

impl std::fmt::Debug for Rwbs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The letters up to the next blank.
pub(crate) struct RwbsText;
impl<'a> Codec<'a, Rwbs> for RwbsText {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<Rwbs> {
        Rwbs::new(scan.word())
    }
    fn write(value: &Rwbs, _form: Form, out: &mut Vec<u8>) {
        out.extend_from_slice(value.as_str().as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_say_what_a_request_does() {
        let of = |text: &str| Rwbs::new(text.as_bytes()).unwrap();
        assert!(of("RA").is_read() && of("RA").is_readahead() && !of("RA").is_meta());
        assert!(of("RAM").is_readahead() && of("RAM").is_meta());
        assert!(of("RSM").is_read() && of("RSM").is_sync() && !of("RSM").is_readahead());
        assert!(of("WFSU").is_write() && !of("WFSU").is_read());
        assert!(of("FWFSM").is_write() && of("FWFSM").is_meta());
        assert_eq!(of("FF").operation(), b'F');
        assert_eq!(of("FN").operation(), b'N');
        assert_eq!(of("NS").operation(), b'N');
        assert!(!of("ZA").is_readahead());
        assert_eq!(Rwbs::new(b""), None);
        assert_eq!(Rwbs::new(b"R+"), None);
        assert_eq!(Rwbs::read(true).as_str(), "RA");
    }
}
