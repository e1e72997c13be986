//! An uploaded trace as it is shown.

use crate::problem::Problem;
use crate::runs::Failure;
use crate::store::TraceRow;
use axum::http::StatusCode;
use serde_json::Value;

/// An upload as it stands.
#[derive(Clone, Debug)]
pub struct TraceView {
    /// Its id.
    pub id: String,
    /// File name as the uploader gave it.
    pub name: String,
    /// Size as uploaded.
    pub bytes: u64,
    /// `inspecting`, `ready` or `failed`.
    pub state: String,
    /// Bytes of it that the inspection has read, while it goes on.
    pub read_bytes: Option<u64>,
    /// What was understood: the `json` of `inspect`.
    pub inspection: Option<Value>,
    /// Why nothing was.
    pub failure: Option<Failure>,
    /// When it was uploaded, in milliseconds since 1970.
    pub created_ms: i64,
}

impl TraceView {
    pub(super) fn new(row: TraceRow, read_bytes: Option<u64>) -> Result<Self, Problem> {
        let inspection = match &row.inspection {
            Some(json) => {
                let parsed = serde_json::from_str(json);
                Some(parsed.map_err(|e| Problem::internal(format!("the stored inspection of {}: {e}", row.id)))?)
            }
            None => None,
        };
        Ok(TraceView {
            id: row.id,
            name: row.name,
            bytes: row.bytes.unsigned_abs(),
            state: row.state,
            read_bytes,
            inspection,
            failure: row.error.as_deref().map(Failure::parse),
            created_ms: row.created_ms,
        })
    }

    /// Whether it was understood, or the problem that says why not (yet).
    pub fn need_ready(&self) -> Result<(), Problem> {
        match (self.state.as_str(), &self.failure) {
            ("ready", _) => Ok(()),
            (_, Some(failure)) => {
                Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, failure.code.clone(), failure.detail.clone()))
            }
            _ => Err(Problem::new(
                StatusCode::CONFLICT,
                "trace.inspecting",
                format!(
                    "trace {} is still being inspected: {} of {} bytes",
                    self.id,
                    self.read_bytes.unwrap_or(0),
                    self.bytes
                ),
            )
            .retry_after(1)),
        }
    }

    /// The `json` of `inspect` with what the service adds.
    pub fn json(&self) -> Value {
        let mut object = match &self.inspection {
            Some(Value::Object(object)) => object.clone(),
            _ => serde_json::Map::new(),
        };
        for (key, value) in [
            ("id", Value::from(self.id.clone())),
            ("name", self.name.clone().into()),
            ("bytes", self.bytes.into()),
            ("state", self.state.clone().into()),
            ("created_ms", self.created_ms.into()),
            ("links", trace_links(&self.id)),
        ] {
            object.insert(key.to_owned(), value);
        }
        if let Some(read) = self.read_bytes {
            object.insert("read_bytes".to_owned(), read.into());
        }
        if let Some(failure) = &self.failure {
            object.insert("error".to_owned(), serde_json::json!({"code": failure.code, "detail": failure.detail}));
        }
        Value::Object(object)
    }
}

pub(crate) fn trace_links(id: &str) -> Value {
    let api = format!("/api/v1/traces/{id}");
    serde_json::json!({
        "self": api,
        "page": format!("/traces/{id}"),
        "replay": format!("{api}/replay"),
        "windows": format!("{api}/figures/windows.svg?file=0"),
    })
}
