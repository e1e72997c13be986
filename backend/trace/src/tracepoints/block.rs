//! The `block:` events: bios and requests on their way to a device. Sectors are 512 bytes; `dev` of a request is the
//! disk, of a bio it may be the partition.

use super::rwbs::{Rwbs, RwbsText};
use super::shape::{Codec, Comm, Decimal, Dev, DevWith, Form, Signed, TextUntil, shape};
use crate::scan::{Scan, push_decimal};
use readahead_types::{Bytes, Sectors};

shape! {
    /// block_bio_queue, block_getrq, block_bio_backmerge, block_bio_frontmerge.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct Bio<'a> {
        "" dev: Dev => DevWith<b','>,
        " " rwbs: Rwbs => RwbsText,
        " " sector: Sectors => Decimal,
        " + " nr_sector: Sectors => Decimal,
        " [" comm: &'a str => Comm,
    }
}

shape! {
    /// block_bio_complete.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct BioDone {
        "" dev: Dev => DevWith<b','>,
        " " rwbs: Rwbs => RwbsText,
        " " sector: Sectors => Decimal,
        " + " nr_sector: Sectors => Decimal,
        " [" error: i32 => Signed;
        "]"
    }
}

shape! {
    /// block_bio_remap: `sector` of `dev` is `old_sector` of `old_dev`.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct Remap {
        "" dev: Dev => DevWith<b','>,
        " " rwbs: Rwbs => RwbsText,
        " " sector: Sectors => Decimal,
        " + " nr_sector: Sectors => Decimal,
        " <- (" old_dev: Dev => DevWith<b','>,
        ") " old_sector: Sectors => Decimal,
    }
}

shape! {
    /// block_split: the bio at `sector` was split, the rest begins at `new_sector`.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct Split<'a> {
        "" dev: Dev => DevWith<b','>,
        " " rwbs: Rwbs => RwbsText,
        " " sector: Sectors => Decimal,
        " / " new_sector: Sectors => Decimal,
        " [" comm: &'a str => Comm,
    }
}

shape! {
    /// block_rq_issue, block_rq_insert, block_rq_merge, block_io_start, block_io_done.
    pub struct Request<'a> {
        ""
        /// The disk.
        dev: Dev => DevWith<b','>,
        " "
        /// What it does.
        rwbs: Rwbs => RwbsText,
        " "
        /// Its length.
        bytes: Bytes => Decimal,
        " ("
        /// The command of a passthrough request; empty for ordinary I/O.
        cmd: &'a str => TextUntil<b')'>,
        " "
        /// Where it begins.
        sector: Sectors => Decimal,
        " + "
        /// Its length in sectors.
        nr_sector: Sectors => Decimal,
        ""
        /// Its priority, from linux-6.12 on.
        ioprio: Option<IoPriority> => IoPriorityText,
        ""
        /// An alignment, printed by no mainline kernel.
        alignment: Option<u64> => AlignmentText,
        " ["
        /// The task.
        comm: &'a str => Comm,
    }
}

shape! {
    /// block_rq_complete, block_rq_error, block_rq_requeue.
    pub struct RequestDone<'a> {
        ""
        /// The disk.
        dev: Dev => DevWith<b','>,
        " "
        /// What it did.
        rwbs: Rwbs => RwbsText,
        " ("
        /// The command of a passthrough request; empty for ordinary I/O.
        cmd: &'a str => TextUntil<b')'>,
        " "
        /// Where it begins (2^64 − 1 for a flush).
        sector: Sectors => Decimal,
        " + "
        /// Sectors that are done.
        nr_sector: Sectors => Decimal,
        ""
        /// Its priority, from linux-6.12 on.
        ioprio: Option<IoPriority> => IoPriorityText,
        " ["
        /// 0 or a negative errno.
        error: i32 => Signed;
        "]"
    }
}

shape! {
    /// block_plug.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct Plug<'a> {
        "[" comm: &'a str => Comm,
    }
}

shape! {
    /// block_unplug: the plug is flushed with `nr_rq` requests in it.
    #[expect(missing_docs, reason = "the fields are those of the event")]
    pub struct Unplug<'a> {
        "[" comm: &'a str => Comm,
        " " nr_rq: u32 => Decimal,
    }
}

/// An I/O priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoPriority {
    /// The class.
    pub class: IoClass,
    /// The hint.
    pub hint: u16,
    /// The level inside the class.
    pub level: u8,
}

impl IoPriority {
    /// What reads of an ordinary process carry.
    pub const DEFAULT: IoPriority = IoPriority { class: IoClass::BestEffort, hint: 0, level: 4 };
    /// What a request without a priority shows.
    pub const NONE: IoPriority = IoPriority { class: IoClass::None, hint: 0, level: 0 };

    /// From the packed form: three bits of class, ten of hint, three of level.
    pub fn from_packed(packed: u64) -> Option<Self> {
        let packed = u16::try_from(packed).ok()?;
        Some(IoPriority {
            class: IoClass::from_number(u64::from(packed >> 13)),
            hint: packed >> 3 & 0x3ff,
            level: (packed & 7) as u8,
        })
    }
}

/// The class of an I/O priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the kernel's names")]
pub enum IoClass {
    None,
    Realtime,
    BestEffort,
    Idle,
    Invalid,
}

impl IoClass {
    const NAMES: [(IoClass, &'static str); 5] = [
        (IoClass::None, "none"),
        (IoClass::Realtime, "rt"),
        (IoClass::BestEffort, "be"),
        (IoClass::Idle, "idle"),
        (IoClass::Invalid, "invalid"),
    ];

    fn name(self) -> &'static str {
        IoClass::NAMES.iter().find(|(class, _)| *class == self).map_or("invalid", |(_, name)| name)
    }

    fn from_number(number: u64) -> Self {
        match number {
            0 => IoClass::None,
            1 => IoClass::Realtime,
            2 => IoClass::BestEffort,
            3 => IoClass::Idle,
            _ => IoClass::Invalid,
        }
    }
}

/// ` be,0,4`, as trace-cmd ` 0x2,0,4`, or nothing.
struct IoPriorityText;
impl<'a> Codec<'a, Option<IoPriority>> for IoPriorityText {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<Option<IoPriority>> {
        let mut ahead = *scan;
        ahead.literal(" ")?;
        let class = match ahead.rest {
            [b'[' | b'|', ..] | [] => return Some(None),
            [b'b', b'e', b',', rest @ ..] => {
                ahead.rest = rest;
                IoClass::BestEffort
            }
            [b'0'..=b'9', ..] => {
                let class = IoClass::from_number(ahead.hexadecimal()?);
                ahead.literal(",")?;
                class
            }
            _ => {
                let name = ahead.until(b',')?;
                IoClass::NAMES.iter().find(|(_, known)| known.as_bytes() == name).map(|(class, _)| *class)?
            }
        };
        let hint = u16::try_from(ahead.decimal()?).ok()?;
        ahead.literal(",")?;
        let level = u8::try_from(ahead.decimal()?).ok()?;
        *scan = ahead;
        Some(Some(IoPriority { class, hint, level }))
    }
    fn write(value: &Option<IoPriority>, form: Form, out: &mut Vec<u8>) {
        if form < Form::Linux6_12 {
            return;
        }
        let value = value.unwrap_or(IoPriority::NONE);
        out.push(b' ');
        out.extend_from_slice(value.class.name().as_bytes());
        out.push(b',');
        push_decimal(out, u64::from(value.hint));
        out.push(b',');
        push_decimal(out, u64::from(value.level));
    }
}

/// ` |32768|`, or nothing.
struct AlignmentText;
impl<'a> Codec<'a, Option<u64>> for AlignmentText {
    #[inline(always)]
    fn read(scan: &mut Scan<'a>) -> Option<Option<u64>> {
        if let [b' ', b'|', rest @ ..] = scan.rest {
            scan.rest = rest;
            let value = scan.decimal()?;
            return scan.take(b'|').then_some(Some(value));
        }
        Some(None)
    }
    fn write(value: &Option<u64>, _form: Form, out: &mut Vec<u8>) {
        if let Some(value) = value {
            out.extend_from_slice(b" |");
            push_decimal(out, *value);
            out.push(b'|');
        }
    }
}
