//! Calls our own scripts in a page, in an isolated world that the page's scripts cannot see.

use super::tab::{QUICK, Tab};
use crate::error::RenderError;
use crate::text::excerpt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

impl Tab {
    /// An isolated world in a frame: the page's scripts cannot see our objects in it.
    pub(super) fn world(&mut self, frame: &str) -> Result<i64, RenderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct World {
            execution_context_id: i64,
        }
        let params = json!({ "frameId": frame, "worldName": "vclean" });
        let world: World = self.call("Page.createIsolatedWorld", &params, "preparing the page", QUICK)?;
        Ok(world.execution_context_id)
    }

    /// Calls one of our functions in an isolated world; if it returns a promise, waits for its result.
    pub(super) fn function<T: DeserializeOwned>(
        &mut self,
        world: i64,
        source: &str,
        arguments: &[Value],
        step: &'static str,
        limit: Duration,
    ) -> Result<T, RenderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Called {
            result: Remote,
            exception_details: Option<Value>,
        }
        #[derive(Deserialize)]
        struct Remote {
            #[serde(default)]
            value: Value,
        }
        let params = json!({
            "functionDeclaration": source,
            "executionContextId": world,
            "arguments": arguments,
            "returnByValue": true,
            "awaitPromise": true,
        });
        let called: Called = self.call("Runtime.callFunctionOn", &params, step, limit)?;
        if let Some(details) = called.exception_details {
            let message = details["exception"]["description"].as_str().unwrap_or_default();
            let message = excerpt(message.lines().next().unwrap_or_default(), 200);
            return Err(RenderError::Load(format!("the page stops our script ({message}); try it with scripts off")));
        }
        serde_json::from_value(called.result.value)
            .map_err(|error| RenderError::Crash(format!("{step} gave an unexpected answer: {error}")))
    }
}
