//! Controls Chromium over its debugging protocol; the only user of `headless_chrome`.
//!
//! `launch` starts a browser that ends when our process ends, `pipe` is the connection to it, and
//! `pool` lends its tabs. `tab` and `connection` communicate with one page. `page` leads from an
//! address to pictures; its last stage is `capturing`, which uses `pictures` and `hidden_text`.
//! `snapshot` converts the browser's data to that of a capture. `page_events` records what happens
//! in a page.

mod actions;
mod browser;
mod caller;
#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../tests/unit/chromium_caller.rs"]
mod caller_tests;
mod capturing;
mod connection;
mod consent;
mod encoding;
mod hidden_text;
mod launch;
mod memory;
mod network_activity;
mod open_page;
mod page;
mod page_events;
mod paused_response;
mod pictures;
mod pipe;
mod pool;
mod protocol;
mod requests;
#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../tests/unit/chromium_rows.rs"]
mod row_tests;
mod snapshot;
mod system;
mod tab;
#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../tests/unit/chromium.rs"]
mod tests;
mod waiting;
#[cfg(test)]
#[cfg(target_os = "linux")]
#[path = "../../tests/unit/chromium_walls.rs"]
mod wall_tests;

pub use connection::PageConnection;
pub use launch::find_browser;
pub use open_page::{OpenPageOptions, capture_open_page};
pub(super) use system::is_root;

use super::options::{Cancel, RenderOptions};
use super::programs::font_families;
use super::rendered::{Rendered, Timings};
use super::response;
use crate::net::{Proxy, without_refresh};
use pool::{Circumstances, Failure, Retry, Sharing, is_doubtful, is_suspect};
use requests::{Access, RecordedPage};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use vclean_core::capture::{Capture, Engine, Record};
use vclean_core::error::RenderError;
use vclean_core::page::{Body, Page, PageFiles, check, mhtml_for_browser};

/// Renders pages with Chromium.
pub(super) struct Chromium {
    options: RenderOptions,
    proxy: Arc<Proxy>,
    /// The proxy of tabs without network: it serves saved pages and blocks everything else.
    blocking_proxy: Proxy,
    pool: pool::Pool,
    fonts: Vec<String>,
    files: AtomicU64,
}

/// One attempt to render a page.
struct Attempt<'a> {
    page: &'a Page,
    options: &'a RenderOptions,
    cancel: &'a Cancel,
}

/// A file that the browser may read; dropping this value removes it.
struct TemporaryFile(PathBuf);

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Returns true if the scripts of a page run.
fn has_scripts(page: &Page, options: &RenderOptions) -> bool {
    options
        .scripts
        .run_on(matches!(page.body, Body::Address(_)))
}

fn proxy_access(proxy: &Proxy) -> launch::ProxyAccess {
    launch::ProxyAccess {
        port: proxy.port(),
        password: proxy.password().to_owned(),
    }
}

impl Chromium {
    pub(super) fn launch(
        options: RenderOptions,
        proxy: Arc<Proxy>,
        blocking_proxy: Proxy,
    ) -> Result<Self, RenderError> {
        let start = launch::Start {
            program: find_browser(options.browser.as_deref())?,
            no_sandbox: options.no_sandbox,
            proxy: proxy_access(&proxy),
            blocking_proxy: proxy_access(&blocking_proxy),
            viewport_px: options.viewport_px,
            memory: memory::MemoryLimits::new(options.browser_memory_bytes, options.tabs),
            as_robot: options.as_robot,
        };
        proxy.protect(blocking_proxy.port());
        let pool = pool::Pool::new(start, options.tabs, options.pages_per_browser)?;
        Ok(Self {
            options,
            proxy,
            blocking_proxy,
            pool,
            fonts: font_families(),
            files: AtomicU64::new(0),
        })
    }

    pub(super) fn restarts(&self) -> usize {
        self.pool.died()
    }

    pub(super) fn cpu_ms(&self) -> u64 {
        self.pool.cpu_ms()
    }

    /// Returns the process group of the current browser.
    #[cfg(test)]
    pub(super) fn group(&self) -> Option<u32> {
        self.pool.group()
    }

    /// Renders a page with `options`; the browser itself runs with those of the renderer.
    pub(super) fn render(
        &self,
        page: &Page,
        options: &RenderOptions,
        cancel: &Cancel,
    ) -> Result<Rendered, RenderError> {
        let job = Attempt {
            page,
            options,
            cancel,
        };
        let first = match self.attempt(&job, Sharing::Shared) {
            Ok(rendered) => return Ok(rendered),
            Err(failure) => failure,
        };
        let sharing = match first.retry {
            Retry::No => return Err(first.error),
            Retry::Again => Sharing::Shared,
            Retry::Alone => Sharing::Alone,
        };
        self.attempt(&job, sharing).map_err(|again| match again.error {
            RenderError::Crash(cause) => RenderError::Crash(format!(
                "{cause}, twice; leave the page out, or save its HTML and use vclean clean, which needs no browser"
            )),
            RenderError::TimeOut { .. } | RenderError::TooSlow { .. } => first.error,
            other => other,
        })
    }

    /// Decides which resources the tab of a page may load. Scripts of a saved page could send away
    /// what they read, so they have no network unless it is allowed.
    fn access(&self, page: &Page, options: &RenderOptions) -> Access {
        match &page.body {
            Body::Html {
                files: PageFiles::Archive(_),
                ..
            } => Access::Archive,
            Body::Html { .. } | Body::Mhtml(_)
                if has_scripts(page, options) && !self.options.allow_network =>
            {
                Access::Files
            }
            _ => Access::Network,
        }
    }

    /// Renders a page once.
    fn attempt(&self, job: &Attempt<'_>, sharing: Sharing) -> Result<Rendered, Failure> {
        let mut lease = self
            .pool
            .lend(self.access(job.page, job.options), sharing)
            .map_err(|error| {
                let retry = if matches!(error, RenderError::Crash(_)) {
                    Retry::Again
                } else {
                    Retry::No
                };
                Failure { error, retry }
            })?;
        let version = lease.browser.version.clone();
        // A panic must not keep the tab, or the next page would wait for it forever.
        let result = match catch_unwind(AssertUnwindSafe(|| self.render_in(&mut lease, job))) {
            Ok(result) => result,
            Err(panic) => {
                self.pool.discard(lease, true);
                resume_unwind(panic)
            }
        };
        match result {
            Ok(loaded) => {
                let is_personal = job.options.load.is_personal();
                if is_personal {
                    self.pool.retire(lease);
                } else if page::reset(&mut lease.tab, loaded.is_inactive).is_ok() {
                    self.pool.give_back(lease);
                } else {
                    self.pool.discard(lease, false);
                }
                Ok(self.rendered(job, loaded, version))
            }
            Err(error) => {
                let browser = Arc::clone(&lease.browser);
                let (was_alone, has_begun) = (lease.was_alone(), lease.tab.events.commits > 0);
                let was_slowed = browser.was_slowed.load(Ordering::SeqCst);
                let is_personal = job.options.load.is_personal();
                let browser_died = if is_doubtful(&error)
                    || is_personal
                    || page::reset(&mut lease.tab, false).is_err()
                {
                    self.pool.discard(lease, is_suspect(&error))
                } else {
                    self.pool.give_back(lease);
                    false
                };
                Err(Failure::new(
                    error,
                    &browser,
                    Circumstances {
                        was_alone,
                        has_begun,
                        browser_died,
                        was_slowed,
                    },
                ))
            }
        }
    }

    fn render_in(
        &self,
        lease: &mut pool::Lease,
        job: &Attempt<'_>,
    ) -> Result<page::LoadedPage, RenderError> {
        let Attempt {
            page,
            options,
            cancel,
        } = *job;
        lease.tab.end_when(cancel);
        let browser = Arc::clone(&lease.browser);
        let access = lease.tab.access;
        let scripts = has_scripts(page, options);
        let is_saved = !matches!(page.body, Body::Address(_));
        let load = |tab: &mut tab::Tab, address: &str, live: bool| {
            page::load_and_capture(
                tab,
                &page::Job {
                    address,
                    scripts,
                    live,
                    is_saved,
                },
                options,
                &self.proxy,
            )
        };
        match &page.body {
            Body::Address(address) => {
                let url = response::address(address)?;
                load(&mut lease.tab, url.as_str(), true)
            }
            Body::Html {
                html,
                files: PageFiles::Archive(archive),
            } => {
                // The first page waits for the index of its archive; this does not count as its own
                // time.
                let warning = archive.prepare();
                let recorded_page =
                    RecordedPage::new(archive, page.url.as_deref(), without_refresh(html));
                let address = recorded_page.address().to_owned();
                lease.tab.recorded_page = Some(recorded_page);
                let loaded = load(&mut lease.tab, &address, true);
                let recorded_page = lease.tab.recorded_page.take();
                let mut loaded = loaded?;
                loaded.warnings.extend(
                    warning
                        .into_iter()
                        .chain(recorded_page.and_then(|recorded| recorded.warning())),
                );
                Ok(loaded)
            }
            Body::Html { html, files } => {
                let has_network = access == Access::Network;
                let proxy = if has_network {
                    &self.proxy
                } else {
                    &self.blocking_proxy
                };
                // Scripts that may use the network must not read the files.
                let files = if scripts && has_network {
                    &PageFiles::Nothing
                } else {
                    files
                };
                let served = proxy.saved().add(html, files);
                let mut loaded = load(
                    &mut lease.tab,
                    &served.address(),
                    has_network && !self.options.offline,
                )?;
                loaded.warnings.extend(served.warning());
                Ok(loaded)
            }
            Body::Mhtml(bytes) => {
                let warnings = check(page)?;
                let number = self.files.fetch_add(1, Ordering::Relaxed);
                let unusable = |cause: String| {
                    RenderError::Browser(format!("cannot pass the page to the browser: {cause}"))
                };
                let file = browser
                    .process
                    .write_readable(&format!("{number}.mhtml"), &mhtml_for_browser(bytes))
                    .map(TemporaryFile)
                    .map_err(|error| unusable(error.to_string()))?;
                let address = url::Url::from_file_path(&file.0)
                    .map_err(|()| unusable("its path is relative".into()))?;
                let mut loaded = load(&mut lease.tab, address.as_str(), false)?;
                loaded.warnings.extend(warnings);
                Ok(loaded)
            }
            Body::Capture(_) => Err(RenderError::Load(
                "a capture is rendered already; clean it as it is".to_owned(),
            )),
        }
    }

    fn rendered(&self, job: &Attempt<'_>, loaded: page::LoadedPage, version: String) -> Rendered {
        let page = job.page;
        let page::LoadedPage {
            converted,
            pictures,
            final_url,
            warnings,
            timings,
            ..
        } = loaded;
        let requested = match &page.body {
            Body::Address(address) => page.url.clone().or_else(|| Some(address.clone())),
            _ => page.url.clone(),
        };
        let is_address = matches!(page.body, Body::Address(_));
        let final_url = Some(final_url)
            .filter(|url| is_address && !url.is_empty() && requested.as_ref() != Some(url));
        let record = Record {
            input: page.input.clone(),
            url: requested,
            final_url,
            captured_at_s: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .ok()
                .map(|age| age.as_secs()),
            engine: Engine::Chromium,
            browser: Some(version),
            viewport_px: Some(job.options.viewport_px),
            fonts: self.fonts.clone(),
            warnings: page
                .origin
                .warnings
                .iter()
                .cloned()
                .chain(warnings)
                .collect(),
        };
        let timings: Timings = timings;
        Rendered {
            capture: Capture {
                record,
                dom: converted.dom,
                layout: Some(converted.layout),
                pictures: Some(pictures),
            },
            timings,
        }
    }
}
