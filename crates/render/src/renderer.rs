//! Renders a page with the engine chosen for it, and falls back to another one if that fails.

use super::builtin::Builtin;
use super::chromium::{Chromium, find_browser};
use super::load::LoadOptions;
use super::options::{
    Cancel, EngineChoice, Fallback, INSTALL, PageOptions, RenderOptions, Scripts,
};
use super::rendered::{Rendered, Timings, replace_if_hidden};
use super::response;
use crate::net::{FetchLimits, Fetched, Fetcher, Policy, Proxy};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use url::Url;
use vclean_core::capture::{Capture, Engine};
use vclean_core::error::{RenderError, WarningKind};
use vclean_core::page::{Body, Page, is_empty_frame_set, is_unfilled, parse, without_frames};

/// Renders pages. Many threads may call it at once: in Chromium each uses a free tab, or waits for
/// one.
///
/// The browser starts with the first page that needs it, or immediately if all pages do. It ends,
/// and its folder is removed, when this value is dropped or the process ends, for any reason.
pub struct Renderer {
    options: RenderOptions,
    fetcher: Fetcher,
    builtin: Builtin,
    pub(super) chromium: LazyBrowser,
}

/// One page to render.
#[derive(Clone, Copy)]
struct Job<'a> {
    page: &'a Page,
    /// Options of the renderer, overridden by those of the page.
    options: &'a RenderOptions,
    only_visible: bool,
    cancel: &'a Cancel,
}

impl RenderOptions {
    /// Checks that `browser` names a program, if it is set.
    ///
    /// # Errors
    /// [`RenderError::Browser`] with the path if not.
    pub fn check_browser(&self) -> Result<(), RenderError> {
        self.browser
            .as_deref()
            .map_or(Ok(()), |path| find_browser(Some(path)).map(drop))
    }
}

impl Renderer {
    /// Prepares the renderer; starts the browser if all pages need it.
    ///
    /// # Errors
    /// [`RenderError::Engine`] if the options are incompatible; [`RenderError::Browser`] if
    /// `browser` does not name a program, or Chromium is requested and is missing, does not start,
    /// or its sandbox does not work on this machine.
    pub fn launch(options: RenderOptions) -> Result<Self, RenderError> {
        options.check()?;
        options.check_browser()?;
        let policy = Policy {
            allow_private: options.allow_private,
            offline: options.offline,
            outbound: options.proxy.clone(),
        };
        let proxy = Proxy::start(policy).map_err(|error| {
            RenderError::Browser(format!("cannot listen on the loopback interface: {error}"))
        })?;
        let proxy = Arc::new(proxy);
        let fetcher = Fetcher::through(Arc::clone(&proxy))?;
        let chromium = LazyBrowser::new(options.clone(), proxy);
        let is_browser_for_all = match options.engine() {
            EngineChoice::Chromium => true,
            EngineChoice::Auto => !cfg!(feature = "builtin"),
            EngineChoice::Builtin | EngineChoice::None => false,
        };
        if is_browser_for_all {
            chromium.get()?;
        }
        Ok(Self {
            builtin: Builtin::new(),
            options,
            fetcher,
            chromium,
        })
    }

    /// Renders one page, and measures the time.
    ///
    /// The capture's record names the engine. If the built-in engine fails,
    /// [`RenderOptions::fallback`] is applied, and the record gets a warning.
    ///
    /// # Errors
    /// [`RenderError`], naming cause and remedy; [`RenderError::Cancelled`] if it was cancelled. If
    /// a tab or browser died, the page is tried once more first.
    pub fn render(&self, page: &Page, options: &PageOptions) -> Result<Rendered, RenderError> {
        self.render_fetched(page, None, options)
    }

    /// Renders a page. If its address was already fetched, `fetched` is that response, and it is
    /// not fetched again. Chromium loads the page itself in any case.
    ///
    /// # Errors
    /// Those of [`Self::render`].
    pub fn render_fetched(
        &self,
        page: &Page,
        fetched: Option<&Page>,
        page_options: &PageOptions,
    ) -> Result<Rendered, RenderError> {
        let mut options = page_options.applied_to(&self.options);
        options.check_load()?;
        if let Body::Address(address) = &page.body
            && let Ok(address) = Url::parse(address)
        {
            options.load = options.load_of(&address).into_owned();
        }
        if !matches!(page.body, Body::Address(_)) {
            options.load.check_without_address()?;
        }
        let only_visible = page_options.only_visible || options.only_visible;
        let cancel = &page_options.cancel;
        let job = Job {
            page,
            options: &options,
            only_visible,
            cancel,
        };
        let mut rendered = self.render_as_chosen(&job, fetched)?;
        let filled = self.fill(&job, &rendered);
        let is_filled = filled.is_some();
        rendered = filled.unwrap_or(rendered);
        let is_address = matches!(page.body, Body::Address(_));
        let is_chromium = rendered.capture.record.engine == Engine::Chromium;
        let ran_scripts = is_filled || is_chromium && options.scripts.run_on(is_address);
        if ran_scripts && is_unfilled(&rendered.capture.dom) {
            let text = "the page looks like an application that its scripts fill, and they did not within 3 s: it has hardly any \
                        text; name what to wait for by `wait_for`, or try again later";
            rendered
                .capture
                .record
                .warnings
                .add(WarningKind::NeedsScripts, text);
        }
        if only_visible {
            return Ok(rendered);
        }
        replace_if_hidden(&mut rendered, ran_scripts, |capture| {
            // A page with an address was loaded by the engine, so it is available only in its state
            // after loading.
            let loaded = || Capture::parsed(capture.dom.clone(), capture.record.clone());
            if is_address {
                Some(loaded())
            } else {
                parse(page).ok()
            }
        });
        Ok(rendered)
    }

    /// Returns the engine that renders a page with these options, provided that a browser works
    /// where one is needed.
    pub fn engine_of(&self, page: &Page, page_options: &PageOptions) -> Engine {
        let options = page_options.applied_to(&self.options);
        let is_faulty = options.engine() == EngineChoice::Auto && self.chromium.fault().is_some();
        match options.engine_for(page) {
            Engine::Chromium if is_faulty => Engine::Builtin,
            engine => engine,
        }
    }

    /// Renders a page with the engine that is chosen for it.
    fn render_as_chosen(
        &self,
        job: &Job<'_>,
        fetched: Option<&Page>,
    ) -> Result<Rendered, RenderError> {
        let Job {
            page,
            options,
            cancel,
            ..
        } = *job;
        if matches!(page.body, Body::Capture(_)) {
            return Err(RenderError::Load(
                "a capture is rendered already; clean it as it is".to_owned(),
            ));
        }
        if options.engine_for(page) == Engine::Chromium {
            match self.chromium.get() {
                Ok(chromium) => {
                    return render_with_frames(page, |page| chromium.render(page, options, cancel));
                }
                Err(error)
                    if options.engine() == EngineChoice::Chromium
                        || options.load.needs_chromium().is_some() =>
                {
                    return Err(error);
                }
                // The built-in engine replaces Chromium; `notice` reports it.
                Err(_) => {}
            }
        }
        let Body::Address(requested) = &page.body else {
            return self.render_saved(job, page);
        };
        let started = Instant::now();
        let fetched = match fetched {
            Some(fetched) => fetched,
            None => &self.fetch_page(job, requested)?,
        };
        let navigate_ms = started.elapsed().as_secs_f64() * 1000.0;
        let mut rendered = self.render_saved(job, fetched)?;
        let record = &mut rendered.capture.record;
        if record.engine != Engine::Chromium {
            let requested = page.url.clone().unwrap_or_else(|| requested.to_owned());
            let is_moved = |found: &String| {
                Url::parse(&requested).map_or(true, |requested| requested.as_str() != found)
            };
            record.final_url = fetched.url.clone().filter(is_moved);
            record.url = Some(requested);
            rendered.timings.navigate_ms += navigate_ms;
            rendered.timings.total_ms += navigate_ms;
        }
        Ok(rendered)
    }

    /// Renders a saved page that looks like an application in Chromium with its scripts, which have
    /// no network access. Returns `None` if the engine may not be chosen, or if the scripts do not
    /// fill the page.
    fn fill(&self, job: &Job<'_>, rendered: &Rendered) -> Option<Rendered> {
        let Job {
            page,
            options,
            cancel,
            ..
        } = *job;
        let may_run = cfg!(feature = "chromium")
            && options.engine() == EngineChoice::Auto
            && options.scripts == Scripts::Auto;
        let is_saved = matches!(page.body, Body::Html { .. });
        if !may_run || !is_saved || !is_unfilled(&rendered.capture.dom) {
            return None;
        }
        let options = RenderOptions {
            scripts: Scripts::On,
            ..options.clone()
        };
        let mut filled = self
            .chromium
            .get()
            .ok()?
            .render(page, &options, cancel)
            .ok()?;
        if is_unfilled(&filled.capture.dom) {
            return None;
        }
        let text = "rendered in Chromium with its scripts, because the page looks like an application that they fill";
        filled
            .capture
            .record
            .warnings
            .add(WarningKind::NeedsScripts, text);
        Some(filled)
    }

    /// Fetches the document of a page that has an address.
    fn fetch_page(&self, job: &Job<'_>, requested: &str) -> Result<Page, RenderError> {
        let url = response::address(requested)?;
        let timeout = Duration::from_millis(job.options.page_timeout_ms());
        let limits = FetchLimits {
            timeout,
            ..FetchLimits::default()
        };
        self.fetcher
            .fetch(&url, limits, &job.options.load, job.cancel)?
            .into_page(&job.page.input)
    }

    /// Renders `saved`, which is the page of `job` or the document fetched from its address,
    /// without a browser.
    fn render_saved(&self, job: &Job<'_>, saved: &Page) -> Result<Rendered, RenderError> {
        match render_with_frames(saved, |saved| self.builtin.render(saved, job.options)) {
            // If a page cannot be read at all, no other engine can render it either.
            Err(RenderError::Source(error)) => Err(RenderError::Source(error)),
            Err(error) => self.fall_back(job, saved, error),
            rendered => rendered,
        }
    }

    fn fall_back(
        &self,
        job: &Job<'_>,
        saved: &Page,
        error: RenderError,
    ) -> Result<Rendered, RenderError> {
        let Job {
            page,
            options,
            only_visible,
            cancel,
        } = *job;
        let mut cause = format!("the built-in engine failed on it ({error})");
        match options.fallback() {
            Fallback::None => return Err(error),
            Fallback::Static => {}
            Fallback::Chromium => match self
                .chromium
                .get()
                .and_then(|chromium| chromium.render(page, options, cancel))
            {
                Ok(mut rendered) => {
                    rendered.capture.record.warnings.add(
                        WarningKind::OtherEngine,
                        format!("rendered in Chromium, because {cause}"),
                    );
                    return Ok(rendered);
                }
                Err(other) => cause = format!("{cause}, and Chromium does not help ({other})"),
            },
        }
        if only_visible {
            return Err(error);
        }
        let started = Instant::now();
        let Ok(mut capture) = parse(saved) else {
            return Err(error);
        };
        capture.record.warnings.add(
            WarningKind::OtherEngine,
            format!("parsed without layout, because {cause}"),
        );
        let timings = Timings {
            total_ms: started.elapsed().as_secs_f64() * 1000.0,
            ..Timings::default()
        };
        Ok(Rendered { capture, timings })
    }

    /// Fetches one document without the browser, under the same network policy; needs no tab.
    ///
    /// # Errors
    /// [`RenderError::Load`] for an address that cannot be fetched at all,
    /// [`RenderError::Forbidden`] for one that may not be fetched, [`RenderError::Later`] for one
    /// that cannot be fetched now, [`RenderError::TimeOut`] if it takes too long.
    pub fn fetch(&self, url: &Url, limits: FetchLimits) -> Result<Fetched, RenderError> {
        self.fetcher
            .fetch(url, limits, &LoadOptions::default(), &Cancel::default())
    }

    /// Fetches the document of a page like [`Self::fetch`], but with the headers and cookies for
    /// its host from `load`, or else from the renderer's options.
    ///
    /// # Errors
    /// Those of [`Self::fetch`], and [`RenderError::Cancelled`].
    pub fn fetch_document(
        &self,
        url: &Url,
        limits: FetchLimits,
        load: Option<&LoadOptions>,
        cancel: &Cancel,
    ) -> Result<Fetched, RenderError> {
        let own = self.options.load_of(url);
        self.fetcher
            .fetch(url, limits, load.unwrap_or(&own), cancel)
    }

    /// Sends a body by POST under the same network policy, and returns the status of the response.
    /// Redirects are not followed.
    ///
    /// # Errors
    /// Those of [`Self::fetch`].
    pub fn post(
        &self,
        url: &Url,
        headers: &[(String, String)],
        body: &[u8],
        timeout: Duration,
    ) -> Result<u16, RenderError> {
        self.fetcher.post(url, headers, body, timeout)
    }

    /// Blocks a port of this machine for pages, under any policy, such as the port of a service
    /// that renders for others.
    pub fn protect(&self, port: u16) {
        self.fetcher.protect(port);
    }

    /// Returns a message to show once if pages meant for Chromium are rendered without it, with
    /// cause and remedy; otherwise `None`.
    pub fn notice(&self) -> Option<String> {
        let cause = self.chromium.fault()?;
        let install = if cause.contains(INSTALL) {
            String::new()
        } else {
            format!("; to install one: {INSTALL}")
        };
        Some(format!(
            "no browser works here, so the built-in engine renders the pages meant for it: addresses from their document alone, without its style sheets and pictures, and scripts do not run: {cause}{install}"
        ))
    }

    /// Returns the number of browsers that died and were replaced.
    pub fn restarts(&self) -> usize {
        self.chromium.launched().map_or(0, Chromium::restarts)
    }

    /// Returns the CPU time of the browsers so far, in ms: all processes of their groups, including
    /// ended ones.
    pub fn browser_cpu_ms(&self) -> u64 {
        self.chromium.launched().map_or(0, Chromium::cpu_ms)
    }
}

/// A browser that is launched on first use. Threads share it and wait while it starts.
pub(super) struct LazyBrowser {
    options: RenderOptions,
    proxy: Arc<Proxy>,
    /// The result of the launch. The error is stored, so that a browser that does not work is not
    /// launched again for every page.
    launched: OnceLock<Result<Chromium, String>>,
}

impl LazyBrowser {
    pub(super) fn new(options: RenderOptions, proxy: Arc<Proxy>) -> Self {
        Self {
            options,
            proxy,
            launched: OnceLock::new(),
        }
    }

    /// Returns the browser, and launches it if necessary.
    ///
    /// # Errors
    /// [`RenderError::Browser`] if it cannot be launched, the same error each time.
    pub(super) fn get(&self) -> Result<&Chromium, RenderError> {
        let launched = self
            .launched
            .get_or_init(|| self.launch().map_err(|error| error.to_string()));
        launched
            .as_ref()
            .map_err(|cause| RenderError::Browser(cause.clone()))
    }

    /// Returns the browser, if it was launched.
    pub(super) fn launched(&self) -> Option<&Chromium> {
        self.launched.get()?.as_ref().ok()
    }

    /// Returns the error, if a browser was needed and could not be launched.
    fn fault(&self) -> Option<&str> {
        self.launched.get()?.as_ref().err().map(String::as_str)
    }

    fn launch(&self) -> Result<Chromium, RenderError> {
        // Pages of archives must not use the network, whatever the policy for other pages.
        let blocking_proxy = Proxy::start(Policy {
            allow_private: false,
            offline: true,
            outbound: None,
        })
        .map_err(|error| {
            RenderError::Browser(format!("cannot listen on the loopback interface: {error}"))
        })?;
        Chromium::launch(
            self.options.clone(),
            Arc::clone(&self.proxy),
            blocking_proxy,
        )
    }
}

/// Renders a page. If it is a frame set without any saved frame, renders its content for browsers
/// without frames.
fn render_with_frames(
    page: &Page,
    render: impl Fn(&Page) -> Result<Rendered, RenderError>,
) -> Result<Rendered, RenderError> {
    let rendered = render(page)?;
    let Body::Html { html, files } = &page.body else {
        return Ok(rendered);
    };
    if !is_empty_frame_set(&rendered.capture.dom) {
        return Ok(rendered);
    }
    let Some(alternative) = without_frames(html) else {
        return Ok(rendered);
    };
    let body = Body::Html {
        html: alternative.html,
        files: files.clone(),
    };
    let mut rendered = render(&Page {
        body,
        ..page.clone()
    })?;
    let warnings = &mut rendered.capture.record.warnings;
    warnings.add(WarningKind::MissingParts, alternative.warning);
    Ok(rendered)
}

#[cfg(test)]
#[cfg(feature = "builtin")]
mod tests {
    use super::*;

    /// Creates a renderer whose browser does not start.
    fn renderer(engine: EngineChoice, fallback: Option<Fallback>) -> Renderer {
        let browser = Some("/bin/true".into());
        Renderer::launch(RenderOptions {
            engine: Some(engine),
            fallback,
            browser,
            ..RenderOptions::default()
        })
        .unwrap()
    }

    fn fallen(renderer: &Renderer) -> Result<Capture, RenderError> {
        let page = Page::new("x", Body::html("<p>text"));
        let error = RenderError::Limit("9 boxes are more than 8".into());
        let job = Job {
            page: &page,
            options: &renderer.options,
            only_visible: false,
            cancel: &Cancel::default(),
        };
        renderer
            .fall_back(&job, &page, error)
            .map(|rendered| rendered.capture)
    }

    #[test]
    fn a_page_on_which_the_built_in_engine_fails_is_parsed_with_a_warning() {
        let builtin = renderer(EngineChoice::Builtin, None);
        let capture = fallen(&builtin).unwrap();
        assert!(capture.layout.is_none() && capture.record.engine == Engine::Parser);
        let warning = capture.record.warnings.last().unwrap();
        assert!(
            warning.contains("without layout") && warning.contains("9 boxes"),
            "{warning}"
        );
        assert_eq!(builtin.notice(), None, "Chromium was not requested for");
    }

    #[test]
    fn if_the_fallback_to_chromium_fails_the_warning_has_both_causes() {
        let auto = renderer(EngineChoice::Auto, None);
        assert_eq!(auto.notice(), None);
        let warning = fallen(&auto).unwrap().record.warnings.pop().unwrap();
        assert!(
            warning.contains("9 boxes") && warning.contains("Chromium does not help"),
            "{warning}"
        );
        let notice = auto.notice().unwrap();
        assert!(
            notice.contains("scripts do not run") && notice.contains(INSTALL),
            "{notice}"
        );
        assert_eq!((auto.restarts(), auto.browser_cpu_ms()), (0, 0));
    }

    #[test]
    fn without_a_fallback_the_page_fails() {
        let message = fallen(&renderer(EngineChoice::Auto, Some(Fallback::None))).unwrap_err();
        assert!(
            matches!(&message, RenderError::Limit(cause) if cause.contains("9 boxes")),
            "{message}"
        );
    }

    #[test]
    fn where_only_visible_text_may_be_taken_nothing_is_parsed_instead() {
        let builtin = renderer(EngineChoice::Builtin, None);
        let html = format!(
            "<p>a notice</p><div style='display: none'><p>{}</p></div>",
            "word ".repeat(200)
        );
        let page = Page::from_html("x", &html);
        let is_parsed = |only_visible: bool| {
            let options = PageOptions {
                only_visible,
                ..PageOptions::default()
            };
            builtin
                .render(&page, &options)
                .unwrap()
                .capture
                .layout
                .is_none()
        };
        assert!(is_parsed(false) && !is_parsed(true));
        let error = RenderError::Limit("9 boxes are more than 8".into());
        let job = Job {
            page: &page,
            options: &builtin.options,
            only_visible: true,
            cancel: &Cancel::default(),
        };
        assert!(matches!(
            builtin.fall_back(&job, &page, error),
            Err(RenderError::Limit(_))
        ));
    }

    #[test]
    fn a_browser_that_is_not_a_program_is_refused_with_every_engine() {
        for engine in [EngineChoice::Auto, EngineChoice::Builtin] {
            let options = RenderOptions {
                engine: Some(engine),
                browser: Some("/nowhere/chromium".into()),
                ..RenderOptions::default()
            };
            let message = Renderer::launch(options).err().unwrap().to_string();
            assert!(
                message.contains("/nowhere/chromium") && message.contains("check the path"),
                "{message}"
            );
        }
    }

    #[test]
    fn captures_are_not_rendered_again() {
        let page = Page::new("x", Body::Capture("x".into()));
        let message = renderer(EngineChoice::Auto, None)
            .render(&page, &PageOptions::default())
            .unwrap_err()
            .to_string();
        assert!(message.contains("rendered already"), "{message}");
    }
}
