//! Trace text ↔ typed records: reads ftrace text (the `trace` file of tracefs, `trace-cmd report`, `perf script`), plain
//! or packed, prints records as the trace file of a kernel does, and writes them as `trace.dat`.
//!
//! One table a tracepoint gives its struct, its parser and its printer ([`tracepoints`]). Must not know the engine,
//! scenarios, HTTP or paths.

pub mod dat;
pub mod error;
pub mod formats;
mod input;
pub mod inspect;
mod lines;
pub mod prefix;
pub mod print;
pub mod reader;
pub mod record;
mod scan;
mod split;
pub mod tracepoints;

pub use dat::DatWriter;
pub use error::TraceError;
pub use formats::{FORMATS, Format, Header};
pub use input::{Packing, Taken};
pub use inspect::{Inspection, Inspector, inspect};
pub use prefix::{Columns, Flags, Stamp, TimeDigits};
pub use print::Printer;
pub use reader::{SkipReason, Skipped, TraceReader};
pub use record::{Item, Lost, Record};
pub use tracepoints::Tracepoint;
pub use tracepoints::block::{Bio, BioDone, IoClass, IoPriority, Plug, Remap, Request, RequestDone, Split, Unplug};
pub use tracepoints::filemap::{ByteRange, Fault, Folio, Frame, PageRange};
pub use tracepoints::openat::{OpenFlags, Openat};
pub use tracepoints::raw_syscalls::{RawEnter, RawExit};
pub use tracepoints::readahead::{RaOrder, RaTrigger, RaUnbounded};
pub use tracepoints::rwbs::Rwbs;
pub use tracepoints::series_2010::{PATTERN_NAMES, RaWindow, ShownPattern};
pub use tracepoints::shape::{Dev, Form};
pub use tracepoints::syscalls::{SysExit, Syscall};
