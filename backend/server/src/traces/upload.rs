//! One upload: bytes arrive, go to a partial file, and become a trace when they are complete.

use super::{Traces, io_problem, random_hex};
use crate::problem::Problem;
use crate::store::{TraceRow, now_ms};
use axum::http::StatusCode;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::fs::File;
use tokio::io::{AsyncWriteExt, BufWriter};

/// Extension of files that are still arriving.
pub(super) const PARTIAL: &str = "partial";
/// Characters of a name that are kept.
const NAME_CHARS_MAX: usize = 120;

/// Bytes that boundaries, heads of parts and other fields may take in a form with a file.
const FORM_BYTES: u64 = 64 << 10;

fn too_large(size: &str, most: u64) -> Problem {
    let detail = format!("the upload has {size}; this service takes at most {most}");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "upload.too_large", detail)
}

/// An upload that is arriving. Dropped before [`Upload::finish`], it leaves nothing.
#[derive(Debug)]
pub struct Upload {
    traces: Arc<Traces>,
    id: String,
    path: PathBuf,
    file: Option<BufWriter<File>>,
    bytes: u64,
}

/// A complete upload.
#[derive(Clone, Debug)]
pub struct Uploaded {
    /// Its id.
    pub id: String,
    /// Allows deleting it; shown once.
    pub token: String,
    /// Its size.
    pub bytes: u64,
}

impl Traces {
    /// Refuses an upload whose head says already that it is too large. A form around a file takes some bytes of its own.
    pub(crate) fn check_announced(&self, bytes: Option<u64>, form: bool) -> Result<(), Problem> {
        let (most, around) = (self.limits.upload_bytes, if form { FORM_BYTES } else { 0 });
        match bytes {
            Some(bytes) if bytes > most.saturating_add(around) => Err(too_large(&format!("{bytes} bytes"), most)),
            _ => Ok(()),
        }
    }

    /// Begins an upload.
    pub async fn begin(self: &Arc<Self>) -> Result<Upload, Problem> {
        let id = random_hex(10)?;
        let path = self.dir.join(format!("{id}.{PARTIAL}"));
        let file = File::create_new(&path).await.map_err(|error| io_problem("beginning the upload", &error))?;
        let file = Some(BufWriter::with_capacity(256 << 10, file));
        Ok(Upload { traces: Arc::clone(self), id, path, file, bytes: 0 })
    }
}

impl Upload {
    /// Takes the next bytes.
    pub async fn write(&mut self, chunk: &[u8]) -> Result<(), Problem> {
        self.bytes += chunk.len() as u64;
        let most = self.traces.limits.upload_bytes;
        if self.bytes > most {
            return Err(too_large(&format!("more than {most} bytes"), most));
        }
        let Some(file) = &mut self.file else { return Err(Problem::internal("a write after the end of an upload")) };
        file.write_all(chunk).await.map_err(|error| io_problem("writing the upload", &error))?;
        self.traces.metrics.upload_bytes.inc_by(chunk.len() as u64);
        Ok(())
    }

    /// Makes the upload a trace and has it inspected.
    pub async fn finish(mut self, name: Option<&str>) -> Result<Uploaded, Problem> {
        if self.bytes == 0 {
            let detail = "the upload is empty: 0 bytes; expected a trace file, plain or compressed";
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "upload.empty", detail));
        }
        let Some(mut file) = self.file.take() else { return Err(Problem::internal("an upload ended twice")) };
        let kept = async {
            file.flush().await?;
            file.get_ref().sync_all().await?;
            tokio::fs::rename(&self.path, self.traces.path(&self.id)).await
        };
        kept.await.map_err(|error| io_problem("keeping the upload", &error))?;
        let token = random_hex(16)?;
        let row = TraceRow {
            id: self.id.clone(),
            token_hash: blake3::hash(token.as_bytes()).to_hex().to_string(),
            name: display_name(name),
            bytes: i64::try_from(self.bytes).unwrap_or(i64::MAX),
            state: "inspecting".to_owned(),
            error: None,
            inspection: None,
            created_ms: now_ms(),
        };
        if let Err(problem) = self.traces.store.call(move |store| store.add_trace(&row)).await {
            // Without a row the file is only waste.
            let _ = tokio::fs::remove_file(self.traces.path(&self.id)).await;
            return Err(problem);
        }
        self.traces.inspect_later(&self.id);
        Ok(Uploaded { id: self.id.clone(), token, bytes: self.bytes })
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // After finish there is nothing under this name any more; otherwise the partial file is waste.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The last part of the name as given, without control characters; for display only.
fn display_name(name: Option<&str>) -> String {
    let name = name.unwrap_or_default();
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let clean: String = last.chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    if clean.trim().is_empty() { "trace".to_owned() } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_for_display_only() {
        assert_eq!(display_name(Some("../../etc/passwd")), "passwd");
        assert_eq!(display_name(Some("C:\\x\\trace.dat")), "trace.dat");
        assert_eq!(display_name(Some("a\u{0}\nb")), "ab");
        assert_eq!(display_name(Some("/")), "trace");
        assert_eq!(display_name(None), "trace");
        assert_eq!(display_name(Some(&"x".repeat(1000))).len(), NAME_CHARS_MAX);
    }
}
