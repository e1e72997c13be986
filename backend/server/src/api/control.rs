//! `/runs/{id}/control`: pause, resume, step, pace, cancel.

use super::body::JsonBody;
use super::params::{id, shown};
use crate::problem::Problem;
use crate::runs::Action;
use crate::state::AppState;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// What is asked of a run that has not ended.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// `pause`, `resume`, `step` (to the next decision), `pace` or `cancel`.
    action: String,
    /// For `pace`: virtual seconds for each real second; left out or null: as fast as possible.
    #[serde(default)]
    pace: Option<f64>,
}

impl Order {
    fn action(&self) -> Result<Action, Problem> {
        let action = match self.action.as_str() {
            "pause" => Action::Pause,
            "resume" => Action::Resume,
            "step" => Action::Step,
            "cancel" => Action::Cancel,
            "pace" => Action::Pace(self.pace),
            other => {
                let shown = shown(other);
                let detail = format!("action: `{shown}`; expected pause, resume, step, pace or cancel");
                return Err(
                    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "control.unknown_action", detail).at("action")
                );
            }
        };
        if self.pace.is_some() && !matches!(action, Action::Pace(_)) {
            let detail = format!("pace: only the action `pace` takes it, not `{}`", self.action);
            return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "control.bad_pace", detail).at("pace"));
        }
        Ok(action)
    }
}

/// Steer a run that has not ended.
#[utoipa::path(
    post, path = "/runs/{id}/control", tag = "runs", params(("id" = String, Path, description = "Run id")),
    request_body = Order,
    responses(
        (status = 200, description = "Obeyed; the run's `state` as of now"),
        (status = 409, body = Problem, content_type = "application/problem+json", description = "The run has ended"),
        (status = 422, body = Problem, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn control(
    State(state): State<AppState>,
    Path(run): Path<String>,
    JsonBody(order): JsonBody<Order>,
) -> Result<Json<Value>, Problem> {
    let run = id(&run)?;
    state.control(run, order.action()?).await?;
    let view = state.run(run).await?;
    Ok(Json(json!({"id": view.id, "state": view.state, "progress": view.progress})))
}
