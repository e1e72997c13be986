//! The canonical byte form of events and decisions: what digests are taken of, what recordings hold in memory and on
//! disk. Little, exact, and the same on every machine: varints, one byte a variant, times as differences.
//!
//! Must not know files or locks. A new event variant is one line in the table below.

use readahead_types::{
    Bytes, Decision, DecisionId, Event, EventKind, FileId, HandleId, Nanos, Old24, Order, PageIndex, Pages, Pattern,
    RaState, Reason, RequestId, Sectors, TaskId, Trim, Via, Window,
};

/// Bytes that are not the canonical form of anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BadBytes;

/// A position in encoded bytes.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn byte(&mut self) -> Result<u8, BadBytes> {
        let (first, rest) = self.bytes.split_first().ok_or(BadBytes)?;
        self.bytes = rest;
        Ok(*first)
    }

    /// What has not been taken yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }
}

/// A value with a byte form.
pub(crate) trait Coded: Copy {
    /// Appends the byte form.
    fn put(self, out: &mut Vec<u8>);
    /// Takes one value.
    fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes>;
}

impl Coded for u64 {
    /// LEB128: seven bits a byte, least significant first.
    #[inline]
    fn put(self, out: &mut Vec<u8>) {
        let mut rest = self;
        while rest >= 0x80 {
            out.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        out.push(rest as u8);
    }

    fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = from.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return Err(BadBytes);
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(BadBytes)
    }
}

impl Coded for i64 {
    /// Zigzag, so that −1 is one byte.
    fn put(self, out: &mut Vec<u8>) {
        (((self << 1) ^ (self >> 63)) as u64).put(out);
    }

    fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
        let raw = u64::get(from)?;
        Ok((raw >> 1) as i64 ^ -((raw & 1) as i64))
    }
}

impl Coded for bool {
    fn put(self, out: &mut Vec<u8>) {
        out.push(u8::from(self));
    }

    fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
        match from.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(BadBytes),
        }
    }
}

macro_rules! small_integer {
    ($($ty:ty),*) => {
        $(impl Coded for $ty {
            #[inline]
            fn put(self, out: &mut Vec<u8>) {
                u64::from(self).put(out);
            }

            fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
                u64::get(from)?.try_into().map_err(|_| BadBytes)
            }
        })*
    };
}

small_integer!(u8, u16, u32);

macro_rules! newtype {
    ($($ty:ident),*) => {
        $(impl Coded for $ty {
            #[inline]
            fn put(self, out: &mut Vec<u8>) {
                self.0.put(out);
            }

            fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
                Ok($ty(Coded::get(from)?))
            }
        })*
    };
}

newtype!(Bytes, DecisionId, FileId, HandleId, Nanos, Order, PageIndex, Pages, RequestId, Sectors, TaskId);

macro_rules! structure {
    ($ty:ident { $($field:ident),* $(,)? }) => {
        impl Coded for $ty {
            fn put(self, out: &mut Vec<u8>) {
                let $ty { $($field),* } = self;
                $($field.put(out);)*
            }

            fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
                $(let $field = Coded::get(from)?;)*
                Ok($ty { $($field),* })
            }
        }
    };
}

macro_rules! choice {
    ($ty:ident { $($tag:literal => $variant:ident { $($field:ident),* }),* $(,)? }) => {
        impl Coded for $ty {
            #[inline]
            fn put(self, out: &mut Vec<u8>) {
                match self {
                    $($ty::$variant { $($field),* } => {
                        out.push($tag);
                        $($field.put(out);)*
                    })*
                }
            }

            fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
                match from.byte()? {
                    $($tag => {
                        $(let $field = Coded::get(from)?;)*
                        Ok($ty::$variant { $($field),* })
                    })*
                    _ => Err(BadBytes),
                }
            }
        }
    };
}

impl<T: Coded> Coded for Option<T> {
    fn put(self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    fn get(from: &mut Reader<'_>) -> Result<Self, BadBytes> {
        Ok(if bool::get(from)? { Some(T::get(from)?) } else { None })
    }
}

choice!(EventKind {
    0 => Open { file, handle },
    1 => Close { file, handle },
    2 => Read { file, handle, pos, len },
    3 => ReadDone { file, handle, pos, len, latency },
    4 => Lseek { file, handle, pos },
    5 => Fadvise { file, handle, pos, len, advice },
    6 => Readahead { file, handle, pos, len },
    7 => Mmap { file, handle, advice, exec },
    8 => Touch { file, handle, page },
    9 => TouchDone { file, handle, page, major, latency },
    10 => DropCaches {},
    11 => Decided { decision },
    12 => PlainRun { file, index, pages, lookahead },
    13 => FolioAdded { file, first, order, marked, pfn },
    14 => FolioRemoved { file, first, order, used, reclaimed, pfn },
    15 => MarkerCleared { file, first },
    16 => GetPages { file, first, last },
    17 => Fault { file, page },
    18 => MapPages { file, first, last },
    19 => Used { file, first, pages, fresh },
    20 => Wait { file, page },
    21 => Wake { file, page, waited },
    22 => BioQueued { file, sector, sectors, ahead },
    23 => Split { sector, rest, ahead },
    24 => BackMerged { sector, sectors, ahead },
    25 => FrontMerged { sector, sectors, ahead },
    26 => GetRequest { sector, sectors, ahead },
    27 => Plugged {},
    28 => Unplugged { requests },
    29 => Issued { request, file, offset, sector, sectors, ahead, depth },
    30 => Completed { request, file, offset, sector, sectors, ahead, depth },
    31 => TaskDone {},
    32 => Retained { file, first, pages },
    33 => DirectRead { file, handle },
});

choice!(Via {
    0 => Sync {},
    1 => Async {},
    2 => Around {},
    3 => Force {},
    4 => Random {},
    5 => Page {},
    6 => Legacy {},
});

choice!(Pattern {
    0 => Initial {},
    1 => Subsequent {},
    2 => Context {},
    3 => Thrash {},
    4 => Around {},
    5 => Fadvise {},
    6 => Random {},
});

choice!(Reason {
    0 => SyncReadaheadOff { index, limit },
    1 => SyncRandomFile { index, req, limit },
    2 => SyncStartOfFile { req, max, size },
    3 => SyncOversize { index, req, max, size },
    4 => SyncSequential { index, prev_index, req, max, size },
    5 => SyncSmallRandom { index, req, history, inside },
    6 => SyncHistory { index, req, max, history, size, inside },
    7 => SyncHistoryFromStart { index, req, max, history, size, inside },
    8 => AsyncReadaheadOff { index },
    9 => AsyncExpected { index, from_start, from, max, start, size },
    10 => AsyncUnexpected { index, gap, req, max, size, inside },
    11 => AsyncNoGap { index, max, inside },
    12 => FaultRandom { page },
    13 => FaultReadaheadOff { page },
    14 => FaultTooManyMisses { page, misses },
    15 => FaultHuge { page, size, order },
    16 => FaultExec { page, size, order },
    17 => FaultAround { page, ra_pages, start, misses },
    18 => FaultAroundFloor { page, ra_pages, start, misses, floor },
    19 => FaultMarkerRandom { page },
    20 => FaultMarkerReadaheadOff { page },
    21 => Forced { index, req },
    22 => ForcedCut { index, req, limit },
    23 => SinglePage { page, order },
    24 => SyncNoReadahead { index },
    25 => SyncExpected { index, from_start, from, max, start, size },
    26 => SyncWindowEnd { index, from_start, from, max, size },
    27 => SyncNoHistory { index, req },
    28 => AsyncStartOfFile { req, max, size },
    29 => AsyncWindowEnd { index, from_start, from, max, size },
    30 => AsyncPastCached { index, at, req, max, size },
    31 => SyncStartAfterSeek { req, max },
    32 => ContextMiss { index, history, counted, min, max, size, async_size },
    33 => ContextMarker { index, history, counted, ahead, min, max, size, async_size },
    34 => ContextEnough { index, history, ahead },
    35 => ContextRandom { index, req, max, size },
    36 => ContextThrashed { index, from_start, from, min, size },
    37 => FaultNoMemory { page, ra_pages },
    38 => OldSync { index, allowed, size, in_context },
    39 => OldAsync { index, allowed, size, end },
    40 => OldCluster { page, start, size },
    41 => OldClusterAhead { page, start, size },
    42 => PagePastEnd { page },
});

choice!(Trim {
    0 => None {},
    1 => Aligned { end, align },
    2 => Cut { end, align, to, from_size, size },
    3 => NotCut { end, align, to },
    4 => Halved { end, asked, align, to, from_size, size },
    5 => ShrunkToOrder { end, order, to, from_size, size },
    6 => OrderAligned { end, order },
    7 => OrderNotCut { end, order, to },
    8 => OrderNotLarge {},
    9 => Merged { from_size, size, async_size },
    10 => MergedToLimit { from_size, size, async_size },
    11 => GrownPastEnd { start, by, size },
});

structure!(Old24 { raend, ralen, ramax, rawin, reada });
structure!(RaState {
    start,
    size,
    async_size,
    ra_pages,
    order,
    mmap_miss,
    prev_pos,
    random,
    thrashed,
    faulted,
    moved,
    pattern,
    old
});
structure!(Window { start, size, async_size, order });
structure!(Decision { file, handle, via, index, req, max, before, after, window, reason, trim, pattern });

/// Appends an event; its time as the difference to the event before it.
#[inline]
pub(crate) fn put_event(event: &Event, previous_at: Nanos, out: &mut Vec<u8>) {
    event.at.0.wrapping_sub(previous_at.0).put(out);
    event.task.put(out);
    event.kind.put(out);
}

/// Takes the event that follows one at `previous_at`.
pub(crate) fn get_event(from: &mut Reader<'_>, previous_at: Nanos) -> Result<Event, BadBytes> {
    let at = Nanos(previous_at.0.wrapping_add(u64::get(from)?));
    Ok(Event { at, task: Coded::get(from)?, kind: Coded::get(from)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_come_back(value in any::<u64>(), signed in any::<i64>(), small in any::<u16>()) {
            let mut bytes = Vec::new();
            value.put(&mut bytes);
            signed.put(&mut bytes);
            small.put(&mut bytes);
            let mut reader = Reader::new(&bytes);
            prop_assert_eq!(u64::get(&mut reader), Ok(value));
            prop_assert_eq!(i64::get(&mut reader), Ok(signed));
            prop_assert_eq!(u16::get(&mut reader), Ok(small));
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn any_bytes_give_a_value_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            // Whatever decodes, decodes the same again after encoding: the form is a function of the value.
            let mut reader = Reader::new(&bytes);
            if let Ok(event) = get_event(&mut reader, Nanos(7)) {
                let mut again = Vec::new();
                put_event(&event, Nanos(7), &mut again);
                prop_assert_eq!(get_event(&mut Reader::new(&again), Nanos(7)), Ok(event));
            }
            let mut reader = Reader::new(&bytes);
            if let Ok(decision) = Decision::get(&mut reader) {
                let mut again = Vec::new();
                decision.put(&mut again);
                prop_assert_eq!(Decision::get(&mut Reader::new(&again)), Ok(decision));
            }
        }
    }

    #[test]
    fn a_decision_of_the_worked_example_comes_back() {
        let reason = Reason::AsyncExpected { index: 384, from_start: 384, from: 126, max: 128, start: 510, size: 128 };
        let decision = Decision {
            file: FileId(0),
            handle: HandleId(3),
            via: Via::Async,
            index: 384,
            req: 129,
            max: 128,
            before: RaState::opened(32),
            after: RaState { start: 510, size: 2, async_size: 2, order: 8, prev_pos: 1 << 40, ..RaState::opened(32) },
            window: Some(Window { start: 510, size: 2, async_size: 2, order: 8 }),
            reason,
            trim: Trim::Cut { end: 638, align: 128, to: 512, from_size: 128, size: 2 },
            pattern: None,
        };
        let mut bytes = Vec::new();
        decision.put(&mut bytes);
        assert_eq!(Decision::get(&mut Reader::new(&bytes)), Ok(decision));
    }

    #[test]
    fn an_overlong_number_is_refused() {
        assert_eq!(u64::get(&mut Reader::new(&[0xff; 11])), Err(BadBytes));
        assert_eq!(u16::get(&mut Reader::new(&[0xff, 0xff, 0x7f])), Err(BadBytes));
    }
}
