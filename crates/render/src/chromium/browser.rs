//! A running browser, the connection to it, and its tabs: opens them, signs them in to the proxy,
//! and closes them.

use super::launch::{Process, Start};
use super::memory::MemoryWatch;
use super::pipe::Pipe;
use super::requests::Access;
use super::tab::{QUICK, Tab};
use crate::load::ROBOT_USER_AGENT;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use vclean_core::error::RenderError;

/// Longest time for a tab to open.
const OPEN_LIMIT: Duration = Duration::from_secs(30);
/// Longest wait for a response that proves that the browser works.
const LIFE_LIMIT: Duration = Duration::from_secs(3);

/// A running browser, its connection, and its open tabs.
pub(super) struct Browser {
    pipe: Pipe,
    /// The browser contexts of the open tabs, by tab id.
    contexts: Mutex<BTreeMap<String, String>>,
    /// Product and version, such as `HeadlessChrome/140.0.0.0`.
    pub(super) version: String,
    user_agent: String,
    /// Number of pages rendered so far.
    pub(super) pages: AtomicUsize,
    /// Number of pages open now.
    pub(super) open_pages: AtomicUsize,
    /// True once a page has kept the browser busy, so that other pages may have been too slow.
    pub(super) was_slowed: AtomicBool,
    retired_cpu_ms: Arc<AtomicU64>,
    /// Watches the browser's memory; it ends before the process does.
    pub(super) memory: MemoryWatch,
    /// The last field, so that it is dropped after the connection.
    pub(super) process: Process,
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.retired_cpu_ms
            .fetch_add(self.process.cpu_ms(), Ordering::Relaxed);
    }
}

impl Browser {
    /// Starts a browser; when it ends, its CPU time is added to `retired_cpu_ms`.
    pub(super) fn start(
        start: &Start,
        retired_cpu_ms: Arc<AtomicU64>,
    ) -> Result<Self, RenderError> {
        let (process, pipe, version) = Process::start(start)?;
        let memory = MemoryWatch::start(process.group, start.memory).map_err(|error| {
            RenderError::Browser(format!("cannot watch the browser's memory: {error}"))
        })?;
        Ok(Self {
            pipe,
            contexts: Mutex::default(),
            user_agent: if start.as_robot {
                ROBOT_USER_AGENT.to_owned()
            } else {
                version.user_agent.replace("Headless", "")
            },
            version: version.product,
            pages: AtomicUsize::new(0),
            open_pages: AtomicUsize::new(0),
            was_slowed: AtomicBool::new(false),
            retired_cpu_ms,
            memory,
            process,
        })
    }

    /// Opens a tab with its own browser context, so that tabs share no cookies.
    pub(super) fn open(&self, start: &Start, access: Access) -> Result<Tab, RenderError> {
        let (proxy, is_sealed) = match access {
            Access::Network => (&start.proxy, false),
            Access::Files | Access::Archive => (&start.blocking_proxy, true),
        };
        let id = self.open_target(is_sealed.then_some(proxy.port))?;
        let mut tab = Tab::attach(&id, &self.pipe, start.viewport_px, &self.user_agent, access)?;
        // Pages of archives need no proxy.
        if access != Access::Archive {
            sign_in(&mut tab, &proxy.password)?;
        }
        Ok(tab)
    }

    /// Opens a target in a new browser context, with the proxy on this loopback port or else the
    /// browser's own; returns its id.
    fn open_target(&self, proxy_port: Option<u16>) -> Result<String, RenderError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Context {
            browser_context_id: String,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Target {
            target_id: String,
        }
        let params = proxy_port.map_or_else(
            || json!({}),
            |port| json!({ "proxyServer": format!("http://127.0.0.1:{port}"), "proxyBypassList": "<-loopback>" }),
        );
        let context: Context =
            self.pipe
                .call("Target.createBrowserContext", &params, OPEN_LIMIT)?;
        let blank = json!({ "url": "about:blank", "browserContextId": context.browser_context_id });
        let target: Target = self.pipe.call("Target.createTarget", &blank, OPEN_LIMIT)?;
        let mut contexts = self.contexts.lock().unwrap_or_else(PoisonError::into_inner);
        contexts.insert(target.target_id.clone(), context.browser_context_id);
        Ok(target.target_id)
    }

    /// Returns true if the browser still responds.
    pub(super) fn is_alive(&self) -> bool {
        self.pipe
            .call::<Value>("Browser.getVersion", &json!({}), LIFE_LIMIT)
            .is_ok()
    }

    /// Closes a tab with its browser context; returns true if the browser responded.
    pub(super) fn close(&self, tab: &str) -> bool {
        let context = self
            .contexts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(tab);
        let Some(context) = context else { return false };
        let params = json!({ "browserContextId": context });
        self.pipe
            .call::<Value>("Target.disposeBrowserContext", &params, LIFE_LIMIT)
            .is_ok()
    }
}

/// Any address that the proxy answers itself, with a page that does not exist.
const ADDRESS: &str = "http://sign-in.saved.invalid/";

/// Signs the tab's browser context in: from now on the browser sends the password with all requests
/// of its pages, including requests that no tab sees, such as those of workers and sockets.
fn sign_in(tab: &mut Tab, password: &str) -> Result<(), RenderError> {
    tab.password = Some(password.to_owned());
    tab.setting(
        "Fetch.enable",
        &json!({ "patterns": [{ "urlPattern": "*" }], "handleAuthRequests": true }),
    )?;
    tab.call::<Value>(
        "Page.navigate",
        &json!({ "url": ADDRESS }),
        "opening a tab",
        QUICK,
    )?;
    tab.wait(Instant::now() + QUICK, |events| events.loaded)?;
    tab.setting("Fetch.disable", &json!({}))?;
    tab.password = None;
    let status = tab.events.main.status;
    tab.events.reset();
    tab.setting("Page.navigate", &json!({ "url": "about:blank" }))?;
    tab.wait(Instant::now() + QUICK, |events| events.loaded)?;
    tab.events.reset();
    tab.setting("Page.resetNavigationHistory", &json!({}))?;
    if status == 404 {
        return Ok(());
    }
    Err(RenderError::Crash(format!(
        "the browser does not sign in to the proxy (status {status}); run vclean doctor"
    )))
}
