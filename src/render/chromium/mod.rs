//! Chromium, driven over its debugging protocol; the only user of `headless_chrome`.
//!
//! `launch` starts a browser that cannot outlive us, `pool` lends its tabs, `tab` and `socket` talk to one page,
//! `page` is the procedure from address to pictures, `coloring` its last step, `snapshot` and `picture` turn what the browser gives into what a
//! capture holds, and `watch` knows what a page did meanwhile.

mod answer;
mod coloring;
mod find;
mod frame;
mod launch;
mod page;
mod picture;
mod pool;
mod sealed;
mod shot;
mod snapshot;
mod socket;
mod style;
mod system;
mod tab;
mod walk;
mod watch;

pub use find::find_browser;
pub(super) use system::is_root;

use super::options::RenderOptions;
use super::recorded::Visit;
use super::rendered::{Rendered, Timings};
use super::response;
use crate::capture::{Capture, Engine, Record};
use crate::error::RenderError;
use crate::net;
use crate::net::Proxy;
use crate::source::{self, Beside, Body, Page};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Renders pages with Chromium.
pub(super) struct Chromium {
    options: RenderOptions,
    proxy: Arc<Proxy>,
    /// The proxy of sealed tabs, which lets nothing through; it lives as long as they do.
    _wall: Proxy,
    pool: pool::Pool,
    fonts: Vec<String>,
    files: AtomicU64,
}

/// The archive that a page is of.
fn archive(page: &Page) -> Option<&Arc<source::Archive>> {
    match &page.body {
        Body::Html { beside: Beside::Archive(archive), .. } => Some(archive),
        _ => None,
    }
}

/// A file the browser may read for as long as this lives.
struct Lent(PathBuf);

impl Drop for Lent {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Chromium {
    pub(super) fn launch(options: RenderOptions, proxy: Arc<Proxy>, wall: Proxy) -> Result<Self, RenderError> {
        let start = launch::Start {
            program: find_browser(options.browser.as_deref())?,
            no_sandbox: options.no_sandbox,
            proxy_port: proxy.port(),
            wall_port: wall.port(),
            viewport_px: options.viewport_px,
        };
        proxy.protect(wall.port());
        let guard = Arc::clone(&proxy);
        let protect = Box::new(move |port| guard.protect(port));
        let pool = pool::Pool::new(start, options.tabs, options.pages_per_browser, protect)?;
        Ok(Self {
            options,
            proxy,
            _wall: wall,
            pool,
            fonts: super::installed_fonts::font_families(),
            files: AtomicU64::new(0),
        })
    }

    pub(super) fn version(&self) -> Option<String> {
        self.pool.version()
    }

    pub(super) fn restarts(&self) -> usize {
        self.pool.died()
    }

    pub(super) fn cpu_ms(&self) -> u64 {
        self.pool.cpu_ms()
    }

    /// Process group of the browser that runs now.
    #[cfg(test)]
    pub(super) fn group(&self) -> Option<u32> {
        self.pool.group()
    }

    pub(super) fn render(&self, page: &Page) -> Result<Rendered, RenderError> {
        match self.attempt(page) {
            // Once more, on a new tab or a new browser.
            Err((error, retry)) if retry => self.attempt(page).map_err(|(again, _)| match again {
                RenderError::Crash(cause) => RenderError::Crash(format!(
                    "{cause}, twice; leave the page out, or save its HTML and use vclean clean, which needs no browser"
                )),
                RenderError::TimeOut { .. } => error,
                other => other,
            }),
            result => result.map_err(|(error, _)| error),
        }
    }

    /// One try; an error comes with whether another try makes sense.
    fn attempt(&self, page: &Page) -> Result<Rendered, (RenderError, bool)> {
        let mut lease = self.pool.lend(archive(page).is_some()).map_err(|error| {
            let retry = matches!(error, RenderError::Crash(_));
            (error, retry)
        })?;
        let version = lease.engine.version.clone();
        match self.render_in(&mut lease, page) {
            Ok(taken) => {
                if page::reset(&mut lease.tab, taken.still).is_ok() {
                    self.pool.give_back(lease);
                } else {
                    self.pool.discard(lease);
                }
                Ok(self.rendered(page, taken, version))
            }
            Err(error) => {
                let doubtful = matches!(error, RenderError::Crash(_) | RenderError::TimeOut { .. });
                let browser_died = if doubtful || page::reset(&mut lease.tab, false).is_err() {
                    self.pool.discard(lease)
                } else {
                    self.pool.give_back(lease);
                    false
                };
                let retry = browser_died || matches!(error, RenderError::Crash(_));
                Err((error, retry))
            }
        }
    }

    fn render_in(&self, lease: &mut pool::Lease, page: &Page) -> Result<page::Taken, RenderError> {
        let engine = Arc::clone(&lease.engine);
        let take = |tab: &mut tab::Tab, address: &str, is_saved: bool, live: bool| {
            let scripts = self.options.scripts.unwrap_or(!is_saved);
            page::take(tab, &page::Job { address, scripts, live }, &self.options, &self.proxy)
        };
        match &page.body {
            Body::Address(address) => {
                let url = response::address(address)?;
                take(&mut lease.tab, url.as_str(), false, true)
            }
            Body::Html { html, beside: Beside::Archive(archive) } => {
                // The first page waits for the index of its archive, which is no fault of its own.
                let warning = archive.prepare();
                let visit = Visit::new(archive, page.url.as_deref(), net::without_refresh(html));
                let address = visit.address().to_owned();
                lease.tab.visit = Some(visit);
                let taken = take(&mut lease.tab, &address, true, true);
                let visit = lease.tab.visit.take();
                let mut taken = taken?;
                taken.warnings.extend(warning.into_iter().chain(visit.and_then(|visit| visit.warning())));
                Ok(taken)
            }
            Body::Html { html, beside } => {
                let served = self.proxy.saved().add(html, beside.folder());
                take(&mut lease.tab, &served.address(), true, !self.options.offline)
            }
            Body::Mhtml(bytes) => {
                let cut_off = source::check(page)?;
                let number = self.files.fetch_add(1, Ordering::Relaxed);
                let unusable =
                    |cause: String| RenderError::Browser(format!("cannot lend the page to the browser: {cause}"));
                let file = engine
                    .process
                    .lend(&format!("{number}.mhtml"), bytes)
                    .map(Lent)
                    .map_err(|error| unusable(error.to_string()))?;
                let address =
                    url::Url::from_file_path(&file.0).map_err(|()| unusable("its path is relative".into()))?;
                let mut taken = take(&mut lease.tab, address.as_str(), true, false)?;
                taken.warnings.extend(cut_off);
                Ok(taken)
            }
            Body::Capture(_) => Err(RenderError::Load("a capture is rendered already; clean it as it is".to_owned())),
        }
    }

    fn rendered(&self, page: &Page, taken: page::Taken, version: String) -> Rendered {
        let page::Taken { converted, pictures, final_url, warnings, timings, .. } = taken;
        let asked = match &page.body {
            Body::Address(address) => page.url.clone().or_else(|| Some(address.clone())),
            _ => page.url.clone(),
        };
        let is_address = matches!(page.body, Body::Address(_));
        let final_url = Some(final_url).filter(|url| is_address && !url.is_empty() && asked.as_ref() != Some(url));
        let record = Record {
            input: page.input.clone(),
            url: asked,
            final_url,
            captured_at_s: SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|age| age.as_secs()),
            engine: Engine::Chromium,
            browser: Some(version),
            viewport_px: Some(self.options.viewport_px),
            fonts: self.fonts.clone(),
            warnings,
        };
        let timings: Timings = timings;
        Rendered {
            capture: Capture { record, dom: converted.dom, layout: Some(converted.layout), pictures: Some(pictures) },
            timings,
        }
    }
}
