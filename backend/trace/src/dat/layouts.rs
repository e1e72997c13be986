//! Binary layouts of the events: fields as the kernel names them, in its order, and how to print them. One table row an
//! event. Must not know records.

use crate::tracepoints::exists_in;
use crate::tracepoints::rwbs::Rwbs;
use crate::tracepoints::shape::Form;

/// How an event lies in memory.
pub(super) struct Layout {
    pub(super) system: &'static str,
    pub(super) name: &'static str,
    fields: &'static [Field],
    print: &'static str,
}

/// One field.
struct Field {
    /// Its C type; of an array, without the brackets.
    ctype: &'static str,
    name: &'static str,
    kind: Kind,
}

/// What a field holds.
#[derive(Clone, Copy)]
enum Kind {
    /// A number of this many bytes.
    Unsigned(usize),
    /// A number with a sign.
    Signed(usize),
    /// A text in a fixed place of this many bytes.
    Chars(usize),
    /// A text behind the fields; the field holds its place and length.
    Text,
}

/// A value of a field.
#[derive(Clone, Copy)]
pub(super) enum Value<'a> {
    Number(u64),
    Text(&'a str),
    Letters(Rwbs),
}

/// Most fields of an event.
pub(super) const FIELDS_MAX: usize = 10;
/// Bytes of the fields that all events have.
const COMMON_BYTES: usize = 8;

/// The values of an event, in the order of its fields; the rest is not looked at.
pub(super) type Values<'a> = [Value<'a>; FIELDS_MAX];

macro_rules! layouts {
    ($( $system:literal $name:literal [ $( $kind:expr, $ctype:literal $field:literal );+ $(;)? ] $print:expr; )+) => {
        /// All layouts.
        pub(super) const LAYOUTS: &[Layout] = &[ $(
            Layout {
                system: $system,
                name: $name,
                fields: &[ $( Field { ctype: $ctype, name: $field, kind: $kind } ),+ ],
                print: $print,
            },
        )+ ];
    };
}

// How the texts are printed; the values are those of the fields.
const FOLIO: &str = concat!(
    r#""dev %d:%d ino %lx pfn=0x%lx ofs=%lu order=%u", "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->pfn, REC->index << 12, "#,
    r#"REC->order"#,
);
const FOLIO_5_10: &str = concat!(
    r#""dev %d:%d ino %lx pfn=%lu ofs=%lu", "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->pfn, REC->index << 12"#,
);
const PAGE_RANGE: &str = concat!(
    r#""dev=%d:%d ino=%lx ofs=%lu-%lu", "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->index << 12, "#,
    r#"((REC->last_index + 1) << 12) - 1"#,
);
const FAULT: &str = concat!(
    r#""dev=%d:%d ino=%lx ofs=%lu", "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->index << 12"#,
);
const RA_TRIGGER: &str = concat!(
    r#""dev=%d:%d ino=%lx index=%lu req_count=%lu order=%u size=%u async_size=%u ra_pages=%u mmap_miss=%u prev_pos=%lld", "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->index, REC->req_count, "#,
    r#"REC->order, REC->size, REC->async_size, REC->ra_pages, REC->mmap_miss, REC->prev_pos"#,
);
const RA_ORDER: &str = concat!(
    r#""dev=%d:%d ino=%lx index=%lu order=%u size=%u async_size=%u ra_pages=%u", "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->index, REC->order, "#,
    r#"REC->size, REC->async_size, REC->ra_pages"#,
);
const RA_UNBOUNDED: &str = concat!(
    r#""dev=%d:%d ino=%lx index=%lu nr_to_read=%lu lookahead_size=%lu", "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->index, REC->nr_to_read, "#,
    r#"REC->lookahead_size"#,
);
/// As the second posting of the 2010 series: the pattern is a number, which is named when it is printed.
const RA_WINDOW: &str = concat!(
    r#""readahead-%s(dev=%d:%d, ino=%llu, req=%lu+%lu, ra=%lu+%u-%u, async=%d) = %lu", "#,
    r#"__print_symbolic(REC->pattern, { 0, "initial" }, { 1, "subsequent" }, { 2, "context" }, { 3, "thrash" }, "#,
    r#"{ 4, "around" }, { 5, "fadvise" }, { 6, "random" }, { 7, "all" }), "#,
    r#"REC->s_dev >> 20, REC->s_dev & 1048575, REC->i_ino, REC->index, REC->req, REC->start, REC->size, "#,
    r#"REC->async_size, REC->start > REC->index, REC->actual"#,
);
const BIO: &str = concat!(
    r#""%d,%d %s %llu + %u [%s]", "#,
    r#"REC->dev >> 20, REC->dev & 1048575, REC->rwbs, REC->sector, REC->nr_sector, "#,
    r#"REC->comm"#,
);
const SPLIT: &str = concat!(
    r#""%d,%d %s %llu / %llu [%s]", "#,
    r#"REC->dev >> 20, REC->dev & 1048575, REC->rwbs, REC->sector, REC->new_sector, "#,
    r#"REC->comm"#,
);
const REQUEST: &str = concat!(
    r#""%d,%d %s %u (%s) %llu + %u %s,%u,%u [%s]", "#,
    r#"REC->dev >> 20, REC->dev & 1048575, REC->rwbs, REC->bytes, __get_str(cmd), "#,
    r#"REC->sector, REC->nr_sector, "#,
    r#"__print_symbolic((REC->ioprio >> 13) & 7, { 0, "none" }, { 1, "rt" }, { 2, "be" }, { 3, "idle" }, { 7, "invalid" }), "#,
    r#"(REC->ioprio >> 3) & 1023, REC->ioprio & 7, REC->comm"#,
);
const REQUEST_DONE: &str = concat!(
    r#""%d,%d %s (%s) %llu + %u %s,%u,%u [%d]", "#,
    r#"REC->dev >> 20, REC->dev & 1048575, REC->rwbs, __get_str(cmd), REC->sector, "#,
    r#"REC->nr_sector, "#,
    r#"__print_symbolic((REC->ioprio >> 13) & 7, { 0, "none" }, { 1, "rt" }, { 2, "be" }, { 3, "idle" }, { 7, "invalid" }), "#,
    r#"(REC->ioprio >> 3) & 1023, REC->ioprio & 7, REC->error"#,
);
const REQUEST_6_1: &str = concat!(
    r#""%d,%d %s %u (%s) %llu + %u [%s]", "#,
    r#"REC->dev >> 20, REC->dev & 1048575, REC->rwbs, REC->bytes, __get_str(cmd), "#,
    r#"REC->sector, REC->nr_sector, REC->comm"#,
);
const REQUEST_DONE_6_1: &str = concat!(
    r#""%d,%d %s (%s) %llu + %u [%d]", "#,
    r#"REC->dev >> 20, REC->dev & 1048575, REC->rwbs, __get_str(cmd), REC->sector, "#,
    r#"REC->nr_sector, REC->error"#,
);
const SYS_ENTER_PREAD64: &str = concat!(
    r#""fd: 0x%08lx, buf: 0x%08lx, count: 0x%08lx, pos: 0x%08lx", "#,
    r#"REC->fd, REC->buf, REC->count, REC->pos"#,
);
const SYS_ENTER_FADVISE64: &str = concat!(
    r#""fd: 0x%08lx, offset: 0x%08lx, len: 0x%08lx, advice: 0x%08lx", "#,
    r#"REC->fd, REC->offset, REC->len, REC->advice"#,
);
const SYS_ENTER_MMAP: &str = concat!(
    r#""addr: 0x%08lx, len: 0x%08lx, prot: 0x%08lx, flags: 0x%08lx, fd: 0x%08lx, off: 0x%08lx", "#,
    r#"REC->addr, REC->len, REC->prot, REC->flags, REC->fd, REC->off"#,
);
const SYS_ENTER_MADVISE: &str =
    concat!(r#""start: 0x%08lx, len_in: 0x%08lx, behavior: 0x%08lx", "#, r#"REC->start, REC->len_in, REC->behavior"#,);
const SYS_ENTER_OPENAT: &str = concat!(
    r#""dfd: 0x%08lx, filename: 0x%08lx \"%s\", "#,
    r#"flags: 0x%08lx, mode: 0%03lo", REC->dfd, REC->filename, __get_str(__filename_val), "#,
    r#"REC->flags, REC->mode"#,
);
const SYS_ENTER_OPENAT_6_12: &str = concat!(
    r#""dfd: 0x%08lx, filename: 0x%08lx, flags: 0x%08lx, mode: 0x%08lx", "#,
    r#"REC->dfd, REC->filename, REC->flags, REC->mode"#,
);
const SYS_EXIT: &str = concat!(r#""0x%lx", "#, r#"REC->ret"#,);

use Kind::{Chars, Signed, Text, Unsigned};

layouts! {
    "filemap" "mm_filemap_add_to_page_cache" [
        Unsigned(8), "u64" "i_ino"; Unsigned(8), "unsigned long" "pfn"; Unsigned(8), "unsigned long" "index";
        Unsigned(4), "dev_t" "s_dev"; Unsigned(1), "unsigned char" "order";
    ] FOLIO;
    "filemap" "mm_filemap_delete_from_page_cache" [
        Unsigned(8), "u64" "i_ino"; Unsigned(8), "unsigned long" "pfn"; Unsigned(8), "unsigned long" "index";
        Unsigned(4), "dev_t" "s_dev"; Unsigned(1), "unsigned char" "order";
    ] FOLIO;
    "filemap" "mm_filemap_get_pages" [
        Unsigned(8), "u64" "i_ino"; Unsigned(4), "dev_t" "s_dev"; Unsigned(8), "unsigned long" "index";
        Unsigned(8), "unsigned long" "last_index";
    ] PAGE_RANGE;
    "filemap" "mm_filemap_map_pages" [
        Unsigned(8), "u64" "i_ino"; Unsigned(4), "dev_t" "s_dev"; Unsigned(8), "unsigned long" "index";
        Unsigned(8), "unsigned long" "last_index";
    ] PAGE_RANGE;
    "filemap" "mm_filemap_fault" [
        Unsigned(8), "u64" "i_ino"; Unsigned(4), "dev_t" "s_dev"; Unsigned(8), "unsigned long" "index";
    ] FAULT;
    "readahead" "page_cache_sync_ra" [
        Unsigned(8), "u64" "i_ino"; Signed(8), "loff_t" "prev_pos"; Unsigned(8), "unsigned long" "index";
        Unsigned(8), "unsigned long" "req_count"; Unsigned(4), "dev_t" "s_dev"; Unsigned(4), "unsigned int" "order";
        Unsigned(4), "unsigned int" "size"; Unsigned(4), "unsigned int" "async_size";
        Unsigned(4), "unsigned int" "ra_pages"; Unsigned(4), "unsigned int" "mmap_miss";
    ] RA_TRIGGER;
    "readahead" "page_cache_async_ra" [
        Unsigned(8), "u64" "i_ino"; Signed(8), "loff_t" "prev_pos"; Unsigned(8), "unsigned long" "index";
        Unsigned(8), "unsigned long" "req_count"; Unsigned(4), "dev_t" "s_dev"; Unsigned(4), "unsigned int" "order";
        Unsigned(4), "unsigned int" "size"; Unsigned(4), "unsigned int" "async_size";
        Unsigned(4), "unsigned int" "ra_pages"; Unsigned(4), "unsigned int" "mmap_miss";
    ] RA_TRIGGER;
    "readahead" "page_cache_ra_order" [
        Unsigned(8), "u64" "i_ino"; Unsigned(4), "dev_t" "s_dev"; Unsigned(8), "unsigned long" "index";
        Unsigned(4), "unsigned int" "order"; Unsigned(4), "unsigned int" "size"; Unsigned(4), "unsigned int" "async_size";
        Unsigned(4), "unsigned int" "ra_pages";
    ] RA_ORDER;
    "readahead" "page_cache_ra_unbounded" [
        Unsigned(8), "u64" "i_ino"; Unsigned(4), "dev_t" "s_dev"; Unsigned(8), "unsigned long" "index";
        Unsigned(8), "unsigned long" "nr_to_read"; Unsigned(8), "unsigned long" "lookahead_size";
    ] RA_UNBOUNDED;
    "readahead" "readahead" [
        Unsigned(4), "unsigned int" "pattern"; Unsigned(4), "dev_t" "s_dev"; Unsigned(8), "u64" "i_ino";
        Unsigned(8), "unsigned long" "index"; Unsigned(8), "unsigned long" "req"; Unsigned(8), "unsigned long" "start";
        Unsigned(4), "unsigned int" "size"; Unsigned(4), "unsigned int" "async_size"; Unsigned(8), "unsigned long" "actual";
    ] RA_WINDOW;
    "block" "block_bio_queue" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(4), "unsigned int" "nr_sector";
        Chars(10), "char" "rwbs"; Chars(16), "char" "comm";
    ] BIO;
    "block" "block_getrq" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(4), "unsigned int" "nr_sector";
        Chars(10), "char" "rwbs"; Chars(16), "char" "comm";
    ] BIO;
    "block" "block_bio_backmerge" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(4), "unsigned int" "nr_sector";
        Chars(10), "char" "rwbs"; Chars(16), "char" "comm";
    ] BIO;
    "block" "block_bio_frontmerge" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(4), "unsigned int" "nr_sector";
        Chars(10), "char" "rwbs"; Chars(16), "char" "comm";
    ] BIO;
    "block" "block_split" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(8), "sector_t" "new_sector";
        Chars(10), "char" "rwbs"; Chars(16), "char" "comm";
    ] SPLIT;
    "block" "block_plug" [ Chars(16), "char" "comm" ] r#""[%s]", REC->comm"#;
    "block" "block_unplug" [ Signed(4), "int" "nr_rq"; Chars(16), "char" "comm" ] r#""[%s] %d", REC->comm, REC->nr_rq"#;
    "block" "block_rq_issue" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(4), "unsigned int" "nr_sector";
        Unsigned(4), "unsigned int" "bytes"; Unsigned(2), "unsigned short" "ioprio"; Chars(10), "char" "rwbs";
        Chars(16), "char" "comm"; Text, "char[]" "cmd";
    ] REQUEST;
    "block" "block_rq_insert" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(4), "unsigned int" "nr_sector";
        Unsigned(4), "unsigned int" "bytes"; Unsigned(2), "unsigned short" "ioprio"; Chars(10), "char" "rwbs";
        Chars(16), "char" "comm"; Text, "char[]" "cmd";
    ] REQUEST;
    "block" "block_rq_complete" [
        Unsigned(4), "dev_t" "dev"; Unsigned(8), "sector_t" "sector"; Unsigned(4), "unsigned int" "nr_sector";
        Signed(4), "int" "error"; Unsigned(2), "unsigned short" "ioprio"; Chars(10), "char" "rwbs"; Text, "char[]" "cmd";
    ] REQUEST_DONE;
    "syscalls" "sys_enter_read" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "unsigned int" "fd"; Unsigned(8), "char *" "buf";
        Unsigned(8), "size_t" "count";
    ] r#""fd: 0x%08lx, buf: 0x%08lx, count: 0x%08lx", REC->fd, REC->buf, REC->count"#;
    "syscalls" "sys_enter_pread64" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "unsigned int" "fd"; Unsigned(8), "char *" "buf";
        Unsigned(8), "size_t" "count"; Unsigned(8), "loff_t" "pos";
    ] SYS_ENTER_PREAD64;
    "syscalls" "sys_enter_lseek" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "unsigned int" "fd"; Unsigned(8), "off_t" "offset";
        Unsigned(8), "unsigned int" "whence";
    ] r#""fd: 0x%08lx, offset: 0x%08lx, whence: 0x%08lx", REC->fd, REC->offset, REC->whence"#;
    "syscalls" "sys_enter_fadvise64" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "int" "fd"; Unsigned(8), "loff_t" "offset";
        Unsigned(8), "size_t" "len"; Unsigned(8), "int" "advice";
    ] SYS_ENTER_FADVISE64;
    "syscalls" "sys_enter_readahead" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "int" "fd"; Unsigned(8), "loff_t" "offset";
        Unsigned(8), "size_t" "count";
    ] r#""fd: 0x%08lx, offset: 0x%08lx, count: 0x%08lx", REC->fd, REC->offset, REC->count"#;
    "syscalls" "sys_enter_mmap" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "unsigned long" "addr"; Unsigned(8), "unsigned long" "len";
        Unsigned(8), "unsigned long" "prot"; Unsigned(8), "unsigned long" "flags"; Unsigned(8), "unsigned long" "fd";
        Unsigned(8), "unsigned long" "off";
    ] SYS_ENTER_MMAP;
    "syscalls" "sys_enter_munmap" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "unsigned long" "addr"; Unsigned(8), "size_t" "len";
    ] r#""addr: 0x%08lx, len: 0x%08lx", REC->addr, REC->len"#;
    "syscalls" "sys_enter_madvise" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "unsigned long" "start"; Unsigned(8), "size_t" "len_in";
        Unsigned(8), "int" "behavior";
    ] SYS_ENTER_MADVISE;
    "syscalls" "sys_enter_close" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "unsigned int" "fd";
    ] r#""fd: 0x%08lx", REC->fd"#;
    "syscalls" "sys_enter_openat" [
        Signed(4), "int" "__syscall_nr"; Unsigned(8), "int" "dfd"; Unsigned(8), "const char *" "filename";
        Unsigned(8), "int" "flags"; Unsigned(8), "umode_t" "mode"; Text, "char[]" "__filename_val";
    ] SYS_ENTER_OPENAT;
    "syscalls" "sys_exit_read" [ Signed(4), "int" "__syscall_nr"; Signed(8), "long" "ret" ] SYS_EXIT;
    "syscalls" "sys_exit_pread64" [ Signed(4), "int" "__syscall_nr"; Signed(8), "long" "ret" ] SYS_EXIT;
    "syscalls" "sys_exit_openat" [ Signed(4), "int" "__syscall_nr"; Signed(8), "long" "ret" ] SYS_EXIT;
    "syscalls" "sys_exit_close" [ Signed(4), "int" "__syscall_nr"; Signed(8), "long" "ret" ] SYS_EXIT;
    "syscalls" "sys_exit_lseek" [ Signed(4), "int" "__syscall_nr"; Signed(8), "long" "ret" ] SYS_EXIT;
    "syscalls" "sys_exit_mmap" [ Signed(4), "int" "__syscall_nr"; Signed(8), "long" "ret" ] SYS_EXIT;
    "syscalls" "sys_exit_madvise" [ Signed(4), "int" "__syscall_nr"; Signed(8), "long" "ret" ] SYS_EXIT;
}

impl Layout {
    /// Whether that generation has the event.
    pub(super) fn exists_in(&self, form: Form) -> bool {
        exists_in(self.name, form)
    }

    /// Whether that generation's event has the field.
    fn has(field: &Field, form: Form) -> bool {
        match field.name {
            // Of added folios; the events that have a window's order are younger.
            "order" => form >= Form::Linux6_1,
            "ioprio" => form >= Form::Linux6_12,
            "__filename_val" => form >= Form::Linux7_2,
            _ => true,
        }
    }

    /// How that generation prints the event.
    fn print(&self, form: Form) -> &'static str {
        match self.print {
            FOLIO if form < Form::Linux6_1 => FOLIO_5_10,
            REQUEST if form < Form::Linux6_12 => REQUEST_6_1,
            REQUEST_DONE if form < Form::Linux6_12 => REQUEST_DONE_6_1,
            SYS_ENTER_OPENAT if form < Form::Linux7_2 => SYS_ENTER_OPENAT_6_12,
            print => print,
        }
    }

    /// The text that describes the layout, as tracefs's `format` files do.
    pub(super) fn text(&self, id: u16, form: Form) -> String {
        let mut text = format!(
            "name: {}\nID: {id}\nformat:\n\
             \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
             \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
             \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
             \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
            self.name
        );
        let mut end = COMMON_BYTES;
        for field in self.fields.iter().filter(|field| Layout::has(field, form)) {
            let (offset, size) = field.place(end);
            let (ctype, name) = (field.ctype, field.name);
            let declaration = match field.kind {
                Kind::Chars(bytes) => format!("{ctype} {name}[{bytes}]"),
                Kind::Text => format!("__data_loc {ctype} {name}"),
                Kind::Unsigned(_) | Kind::Signed(_) => format!("{ctype} {name}"),
            };
            let signed = u8::from(matches!(field.kind, Kind::Signed(_)));
            text += &format!("\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n");
            end = offset + size;
        }
        text += &format!("\nprint fmt: {}\n", self.print(form));
        text
    }

    /// Appends the fields to `event`, which holds those that all events have.
    pub(super) fn encode(&self, values: &Values<'_>, form: Form, event: &mut Vec<u8>) {
        let mut texts: [(usize, &str); FIELDS_MAX] = [(0, ""); FIELDS_MAX];
        let mut texts_len = 0;
        for (field, value) in self.fields.iter().zip(values).filter(|(field, _)| Layout::has(field, form)) {
            let (offset, size) = field.place(event.len());
            event.resize(offset, 0);
            match (field.kind, value) {
                (Kind::Unsigned(_) | Kind::Signed(_), Value::Number(number)) => {
                    event.extend_from_slice(&number.to_le_bytes()[..size]);
                }
                (Kind::Chars(bytes), Value::Text(text)) => push_chars(event, text, bytes),
                (Kind::Chars(bytes), Value::Letters(letters)) => push_chars(event, letters.as_str(), bytes),
                (Kind::Text, Value::Text(text)) => {
                    texts[texts_len] = (event.len(), text);
                    texts_len += 1;
                }
                (_, Value::Number(_) | Value::Text(_) | Value::Letters(_)) => {}
            }
            event.resize(offset + size, 0);
        }
        for (place, text) in &texts[..texts_len] {
            let text = text.as_bytes();
            let text = &text[..text.len().min(1024)];
            let at = event.len() as u32 | (text.len() as u32 + 1) << 16;
            event[*place..*place + 4].copy_from_slice(&at.to_le_bytes());
            event.extend_from_slice(text);
            event.push(0);
        }
    }
}

/// A text in a fixed place. The last byte stays 0, as it does in the kernel.
fn push_chars(event: &mut Vec<u8>, text: &str, bytes: usize) {
    let text = text.as_bytes();
    event.extend_from_slice(&text[..text.len().min(bytes - 1)]);
}

impl Field {
    /// Offset and size of the field behind `end`.
    fn place(&self, end: usize) -> (usize, usize) {
        match self.kind {
            Kind::Unsigned(size) | Kind::Signed(size) => (end.next_multiple_of(size), size),
            Kind::Chars(size) => (end, size),
            Kind::Text => (end.next_multiple_of(4), 4),
        }
    }
}
