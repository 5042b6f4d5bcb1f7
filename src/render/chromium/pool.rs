//! Browsers and their tabs: lends a free tab to each worker, replaces a browser after a number of pages, and kills a
//! browser that crashed or hangs.

use super::launch::{Process, Start};
use super::sealed;
use super::tab::Tab;
use crate::error::RenderError;
use headless_chrome::Browser;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::time::Duration;

/// Longest wait for a tab to open.
const OPEN_LIMIT: Duration = Duration::from_secs(30);
/// `headless_chrome` closes its connection when it receives nothing for this long, and after any call that takes
/// longer. Our own limits are much shorter.
const IDLE_LIMIT: Duration = Duration::from_hours(720);
/// Longest wait for a response that shows that the browser works.
const LIFE_LIMIT: Duration = Duration::from_secs(3);

/// A running browser.
pub(super) struct Engine {
    browser: Browser,
    /// Product and version, such as `HeadlessChrome/140.0.0.0`.
    pub(super) version: String,
    user_agent: String,
    pages: AtomicUsize,
    retired_cpu_ms: Arc<AtomicU64>,
    /// The last field, so that it is dropped after the connection.
    pub(super) process: Process,
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.retired_cpu_ms.fetch_add(self.process.cpu_ms(), Ordering::Relaxed);
    }
}

impl Engine {
    fn start(start: &Start, retired_cpu_ms: Arc<AtomicU64>) -> Result<Self, RenderError> {
        let process = Process::start(start)?;
        let address = format!("ws://127.0.0.1:{}{}", process.port, process.path);
        let connected = within(OPEN_LIMIT, move || {
            let browser = Browser::connect_with_timeout(address, IDLE_LIMIT).map_err(|error| error.to_string())?;
            let version = browser.get_version().map_err(|error| error.to_string())?;
            Ok((browser, version))
        });
        let (browser, version) = connected.map_err(|error| {
            RenderError::Browser(format!("the browser does not answer: {error}; run vclean doctor"))
        })?;
        Ok(Self {
            browser,
            user_agent: version.user_agent.replace("Headless", ""),
            version: version.product,
            pages: AtomicUsize::new(0),
            retired_cpu_ms,
            process,
        })
    }

    /// Opens a tab with its own browser context, so that tabs share no cookies.
    fn open(&self, start: &Start, is_sealed: bool) -> Result<Tab, RenderError> {
        let viewport_px = start.viewport_px;
        if is_sealed {
            let id = sealed::open(&self.process, start.blocking_proxy_port)?;
            return Tab::attach(&id, self.process.port, viewport_px, &self.user_agent, true);
        }
        let browser = self.browser.clone();
        let id = within(OPEN_LIMIT, move || {
            let context = browser.new_context().map_err(|error| error.to_string())?;
            let tab = context.new_tab().map_err(|error| error.to_string())?;
            Ok(tab.get_target_id().clone())
        });
        let id = id.map_err(|error| RenderError::Crash(format!("the browser opens no tab: {error}; try again")))?;
        Tab::attach(&id, self.process.port, viewport_px, &self.user_agent, false)
    }

    /// Whether the browser still responds.
    fn is_alive(&self) -> bool {
        self.http("GET /json/version")
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

/// A tab lent to a worker.
pub(super) struct Lease {
    pub(super) tab: Tab,
    pub(super) engine: Arc<Engine>,
}

struct State {
    engine: Option<Arc<Engine>>,
    idle: Vec<Tab>,
    lent: usize,
    /// Whether a thread is starting a browser now.
    starting: bool,
}

/// The pool.
pub(super) struct Pool {
    start: Start,
    tabs: usize,
    pages_per_browser: usize,
    state: Mutex<State>,
    changed: Condvar,
    retired_cpu_ms: Arc<AtomicU64>,
    /// Number of browsers that died and were replaced.
    died: AtomicUsize,
    /// Called with every debugging port.
    protect: Box<dyn Fn(u16) + Send + Sync>,
}

impl Pool {
    /// A pool with one running browser.
    pub(super) fn new(
        start: Start,
        tabs: usize,
        pages_per_browser: usize,
        protect: Box<dyn Fn(u16) + Send + Sync>,
    ) -> Result<Self, RenderError> {
        let pool = Self {
            start,
            tabs: tabs.max(1),
            pages_per_browser: pages_per_browser.max(1),
            state: Mutex::new(State { engine: None, idle: Vec::new(), lent: 0, starting: false }),
            changed: Condvar::new(),
            retired_cpu_ms: Arc::default(),
            died: AtomicUsize::new(0),
            protect,
        };
        let engine = pool.start_engine()?;
        pool.state().engine = Some(engine);
        Ok(pool)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn start_engine(&self) -> Result<Arc<Engine>, RenderError> {
        let start = || Engine::start(&self.start, Arc::clone(&self.retired_cpu_ms));
        // Try a second time: a browser may be killed while it starts if the machine is short of memory for a moment.
        let engine = start().or_else(|_| start())?;
        (self.protect)(engine.process.port);
        Ok(Arc::new(engine))
    }

    /// Product and version of the current browser.
    pub(super) fn version(&self) -> Option<String> {
        self.state().engine.as_ref().map(|engine| engine.version.clone())
    }

    /// Process group of the current browser.
    #[cfg(test)]
    pub(super) fn group(&self) -> Option<u32> {
        self.state().engine.as_ref().map(|engine| engine.process.group)
    }

    /// Number of browsers that died.
    pub(super) fn died(&self) -> usize {
        self.died.load(Ordering::Relaxed)
    }

    /// CPU time of all browsers so far, in ms.
    pub(super) fn cpu_ms(&self) -> u64 {
        let current = self.state().engine.clone();
        self.retired_cpu_ms.load(Ordering::Relaxed) + current.map_or(0, |engine| engine.process.cpu_ms())
    }

    /// A free tab, a new one, or, if all are lent, the next one that is returned; a sealed one for pages of archives.
    pub(super) fn lend(&self, is_sealed: bool) -> Result<Lease, RenderError> {
        let mut state = self.state();
        while state.lent >= self.tabs || state.starting {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.lent += 1;
        let is_due =
            state.engine.as_ref().is_some_and(|engine| engine.pages.load(Ordering::Relaxed) >= self.pages_per_browser);
        let mut old = Vec::new();
        if is_due {
            // The browser runs until its lent tabs are returned.
            old = std::mem::take(&mut state.idle);
            let engine = state.engine.take();
            drop(state);
            drop(old.drain(..));
            drop(engine);
            state = self.state();
        }
        drop(old);
        let engine = if let Some(engine) = &state.engine {
            Arc::clone(engine)
        } else {
            state.starting = true;
            drop(state);
            let started = self.start_engine();
            state = self.state();
            state.starting = false;
            self.changed.notify_all();
            match started {
                Ok(engine) => {
                    state.engine = Some(Arc::clone(&engine));
                    engine
                }
                Err(error) => {
                    state.lent -= 1;
                    return Err(error);
                }
            }
        };
        engine.pages.fetch_add(1, Ordering::Relaxed);
        let fitting = state.idle.iter().rposition(|tab| tab.is_sealed == is_sealed);
        let idle = fitting.map(|index| state.idle.swap_remove(index));
        drop(state);
        let tab = match idle {
            Some(tab) => Ok(tab),
            None => engine.open(&self.start, is_sealed),
        };
        tab.map(|tab| Lease { tab, engine: Arc::clone(&engine) }).inspect_err(|_| {
            self.abandon(&engine, None);
        })
    }

    /// Takes back a tab that is ready for the next page.
    pub(super) fn give_back(&self, lease: Lease) {
        let Lease { tab, engine } = lease;
        let mut state = self.state();
        state.lent -= 1;
        let is_current = state.engine.as_ref().is_some_and(|current| Arc::ptr_eq(current, &engine));
        if is_current {
            state.idle.push(tab);
        }
        drop(state);
        self.changed.notify_one();
        // If this was the last tab of a replaced browser, the browser ends here, outside the lock.
        drop(engine);
    }

    /// Takes back a tab that is dead or may be, and returns whether its browser is dead too; if so, it is replaced.
    pub(super) fn discard(&self, lease: Lease) -> bool {
        let Lease { tab, engine } = lease;
        let id = tab.id().to_owned();
        drop(tab);
        self.abandon(&engine, Some(&id))
    }

    fn abandon(&self, engine: &Arc<Engine>, tab: Option<&str>) -> bool {
        let closed = tab.is_some_and(|id| engine.http(&format!("GET /json/close/{id}")));
        let is_dead = !closed && !engine.is_alive() || tab.is_none();
        let mut state = self.state();
        state.lent -= 1;
        let mut ended = None;
        if is_dead && state.engine.as_ref().is_some_and(|current| Arc::ptr_eq(current, engine)) {
            ended = state.engine.take();
            state.idle.clear();
            self.died.fetch_add(1, Ordering::Relaxed);
        }
        drop(state);
        self.changed.notify_all();
        drop(ended);
        is_dead
    }
}
