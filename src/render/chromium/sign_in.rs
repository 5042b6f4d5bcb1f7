//! Signs a new tab in to the proxy.

use super::tab::{QUICK, Tab};
use crate::error::RenderError;
use serde_json::{Value, json};
use std::time::Instant;

/// Any address that the proxy itself responds to, with a page that does not exist.
const ADDRESS: &str = "http://sign-in.saved.invalid/";

/// Signs the tab's browser context in: from now on the browser sends the password with all requests of its pages,
/// including those that no tab can see, such as those of workers and sockets.
pub(super) fn sign_in(tab: &mut Tab, password: &str) -> Result<(), RenderError> {
    tab.password = Some(password.to_owned());
    tab.setting("Fetch.enable", &json!({ "patterns": [{ "urlPattern": "*" }], "handleAuthRequests": true }))?;
    tab.call::<Value>("Page.navigate", &json!({ "url": ADDRESS }), "opening a tab", QUICK)?;
    tab.wait(Instant::now() + QUICK, |watch| watch.loaded)?;
    tab.setting("Fetch.disable", &json!({}))?;
    tab.password = None;
    let status = tab.watch.main.status;
    tab.watch.reset();
    tab.setting("Page.navigate", &json!({ "url": "about:blank" }))?;
    tab.wait(Instant::now() + QUICK, |watch| watch.loaded)?;
    tab.watch.reset();
    tab.setting("Page.resetNavigationHistory", &json!({}))?;
    if status == 404 {
        return Ok(());
    }
    Err(RenderError::Crash(format!("the browser does not sign in to the proxy (status {status}); run vclean doctor")))
}
