//! A running browser, the connection to it, and its tabs: opens them, signs them in to the proxy, and closes them.

use super::connection::{Incoming, Socket};
use super::launch::{Process, Start};
use super::memory::MemoryWatch;
use super::protocol::parsed;
use super::requests::Access;
use super::tab::{QUICK, Tab};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};
use vclean_core::error::RenderError;

/// Longest wait for a tab to open.
const OPEN_LIMIT: Duration = Duration::from_secs(30);
/// `headless_chrome` closes its connection when it receives nothing for this long, and after any call that takes
/// longer. Our own limits are much shorter.
const IDLE_LIMIT: Duration = Duration::from_hours(720);
/// Longest wait for a response that shows that the browser works.
const LIFE_LIMIT: Duration = Duration::from_secs(3);

/// A running browser.
pub(super) struct Browser {
    connection: headless_chrome::Browser,
    /// Product and version, such as `HeadlessChrome/140.0.0.0`.
    pub(super) version: String,
    user_agent: String,
    /// Number of pages so far.
    pub(super) pages: AtomicUsize,
    /// Number of pages now.
    pub(super) open_pages: AtomicUsize,
    retired_cpu_ms: Arc<AtomicU64>,
    /// Observes its memory; it ends before the process does.
    pub(super) memory: MemoryWatch,
    /// The last field, so that it is dropped after the connection.
    pub(super) process: Process,
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.retired_cpu_ms.fetch_add(self.process.cpu_ms(), Ordering::Relaxed);
    }
}

impl Browser {
    /// Starts a browser; when it ends, its CPU time is added to `retired_cpu_ms`.
    pub(super) fn start(start: &Start, retired_cpu_ms: Arc<AtomicU64>) -> Result<Self, RenderError> {
        let process = Process::start(start)?;
        let memory = MemoryWatch::start(process.group, start.memory)
            .map_err(|error| RenderError::Browser(format!("cannot watch the browser's memory: {error}")))?;
        let address = format!("ws://127.0.0.1:{}{}", process.port, process.path);
        let connected = within(OPEN_LIMIT, move || {
            let browser = headless_chrome::Browser::connect_with_timeout(address, IDLE_LIMIT);
            let browser = browser.map_err(|error| error.to_string())?;
            let version = browser.get_version().map_err(|error| error.to_string())?;
            Ok((browser, version))
        });
        let (browser, version) = connected.map_err(|error| {
            RenderError::Browser(format!("the browser does not answer: {error}; run vclean doctor"))
        })?;
        Ok(Self {
            connection: browser,
            user_agent: version.user_agent.replace("Headless", ""),
            version: version.product,
            pages: AtomicUsize::new(0),
            open_pages: AtomicUsize::new(0),
            retired_cpu_ms,
            memory,
            process,
        })
    }

    /// Opens a tab with its own browser context, so that tabs share no cookies.
    pub(super) fn open(&self, start: &Start, access: Access) -> Result<Tab, RenderError> {
        let (id, proxy) = if access == Access::Network {
            (self.open_target()?, &start.proxy)
        } else {
            (open_sealed_target(&self.process, start.blocking_proxy.port)?, &start.blocking_proxy)
        };
        let mut tab = Tab::attach(&id, self.process.port, start.viewport_px, &self.user_agent, access)?;
        // Pages of archives need no proxy.
        if access != Access::Archive {
            sign_in(&mut tab, &proxy.password)?;
        }
        Ok(tab)
    }

    /// Opens a target with the browser's own proxy.
    fn open_target(&self) -> Result<String, RenderError> {
        let browser = self.connection.clone();
        let id = within(OPEN_LIMIT, move || {
            let context = browser.new_context().map_err(|error| error.to_string())?;
            let tab = context.new_tab().map_err(|error| error.to_string())?;
            Ok(tab.get_target_id().clone())
        });
        id.map_err(|error| RenderError::Crash(format!("the browser opens no tab: {error}; try again")))
    }

    /// Whether the browser still responds.
    pub(super) fn is_alive(&self) -> bool {
        self.http("GET /json/version")
    }

    /// Closes a tab; returns whether the browser has responded.
    pub(super) fn close(&self, tab: &str) -> bool {
        self.http(&format!("GET /json/close/{tab}"))
    }

    fn http(&self, request: &str) -> bool {
        let address = (Ipv4Addr::LOCALHOST, self.process.port).into();
        let Ok(mut stream) = TcpStream::connect_timeout(&address, LIFE_LIMIT) else { return false };
        let mut answer = [0; 12];
        stream
            .set_read_timeout(Some(LIFE_LIMIT))
            .and_then(|()| write!(stream, "{request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
            .and_then(|()| stream.read_exact(&mut answer))
            .is_ok()
            && answer.ends_with(b"200")
    }
}

/// Runs a blocking call of `headless_chrome` with our own time limit.
fn within<T: Send + 'static>(
    limit: Duration,
    call: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let (sender, receiver) = mpsc::channel();
    std::thread::Builder::new()
        .name("vclean-browser".into())
        .spawn(move || {
            let _ = sender.send(call());
        })
        .map_err(|error| error.to_string())?;
    receiver.recv_timeout(limit).map_err(|_| format!("no answer within {} s", limit.as_secs()))?
}

/// Opens a tab with its own browser context, whose proxy is `blocking_proxy_port` on the loopback interface; returns
/// the id of its target.
///
/// `headless_chrome` can only create contexts with the browser's own proxy.
fn open_sealed_target(process: &Process, blocking_proxy_port: u16) -> Result<String, RenderError> {
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
    let mut socket = Socket::connect(process.port, &process.path)?;
    let params =
        json!({ "proxyServer": format!("http://127.0.0.1:{blocking_proxy_port}"), "proxyBypassList": "<-loopback>" });
    let context: Context = call(&mut socket, "Target.createBrowserContext", &params)?;
    let blank = json!({ "url": "about:blank", "browserContextId": context.browser_context_id });
    let target: Target = call(&mut socket, "Target.createTarget", &blank)?;
    Ok(target.target_id)
}

fn call<T: DeserializeOwned>(socket: &mut Socket, method: &str, params: &Value) -> Result<T, RenderError> {
    let number = socket.send(method, params, None)?;
    let deadline = Instant::now() + OPEN_LIMIT;
    loop {
        match socket.receive(deadline)? {
            Some(Incoming::Response(call, text)) if call == number => return parsed(&text, method),
            Some(_) => {}
            None => return Err(RenderError::Crash("the browser opens no tab; try again".to_owned())),
        }
    }
}

/// Any address that the proxy itself responds to, with a page that does not exist.
const ADDRESS: &str = "http://sign-in.saved.invalid/";

/// Signs the tab's browser context in: from now on the browser sends the password with all requests of its pages,
/// including those that no tab can see, such as those of workers and sockets.
fn sign_in(tab: &mut Tab, password: &str) -> Result<(), RenderError> {
    tab.password = Some(password.to_owned());
    tab.setting("Fetch.enable", &json!({ "patterns": [{ "urlPattern": "*" }], "handleAuthRequests": true }))?;
    tab.call::<Value>("Page.navigate", &json!({ "url": ADDRESS }), "opening a tab", QUICK)?;
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
    Err(RenderError::Crash(format!("the browser does not sign in to the proxy (status {status}); run vclean doctor")))
}
