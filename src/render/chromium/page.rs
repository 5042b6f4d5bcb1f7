//! Renders one page in one tab: loads it, waits until it is stable, and takes snapshot, screenshot and node mask.

use super::access::Access;
use super::answer::Snapshot;
use super::answer::parsed;
use super::coloring::take_mask;
use super::picture;
use super::showing;
use super::snapshot::{self, Converted};
use super::style::STYLES;
use super::tab::{QUICK, STEP_LIMIT, Tab};
use super::watch::network_error;
use crate::capture::Pictures;
use crate::error::{RenderError, Warning, WarningKind, Warnings};
use crate::net::{Proxy, is_saved_host};
use crate::render::hidden_page::{MIN_ROOT_OPACITY, shown_root};
use crate::render::{Cancel, RenderOptions, Timings};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

const SETTLE: &str = include_str!("../../../js/settle.js");
const REVEAL: &str = include_str!("../../../js/reveal.js");

/// A page is stable if it does not change for this long.
const QUIET: Duration = Duration::from_millis(150);
/// Interval at which the state of the page is read.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Number of scroll steps through the page, each most of a viewport; on endless pages, scrolling stops here.
const MAX_SCROLLS: u32 = 40;
/// Longest wait for one scroll step.
const SCROLL_LIMIT: Duration = Duration::from_secs(3);
/// Number of documents that a page may load in sequence (by refresh or script) before this counts as a loop.
const MAX_COMMITS: u32 = 8;
/// Extra time for the last document of a page that loads new documents until the time limit.
const LAST_DOCUMENT_LIMIT: Duration = Duration::from_secs(2);

/// Time to capture a page that was still loading at its time limit. Heuristic: three times what the largest ordinary
/// pages need on a busy machine.
const CAPTURE_LIMIT: Duration = Duration::from_secs(5);
/// Largest number of characters in the text and attributes of a page. Equal to the size limit of a document, so that only
/// scripts can make more.
const MAX_CHARACTERS: u64 = 64 << 20;
/// Longest preparation of a tab for the next page.
const RESET_LIMIT: Duration = Duration::from_secs(5);
/// The step of loading, in messages.
pub(super) const LOADING: &str = "loading the page";

/// The address that the browser loads, and how.
pub(super) struct Job<'a> {
    /// Address for the browser.
    pub(super) address: &'a str,
    /// Whether the page's scripts run.
    pub(super) scripts: bool,
    /// Whether the page may access the network.
    pub(super) live: bool,
    /// Whether it is a saved page.
    pub(super) is_saved: bool,
}

/// The result of rendering a page in a tab.
pub(super) struct LoadedPage {
    /// Tree, boxes, documents.
    pub(super) converted: Converted,
    /// The pictures.
    pub(super) pictures: Pictures,
    /// Address of the document that was shown.
    pub(super) final_url: String,
    /// Problems that did not stop it.
    pub(super) warnings: Warnings,
    /// Time per stage.
    pub(super) timings: Timings,
    /// Whether the page is inactive: it has no scripts and no network, and is loaded completely.
    pub(super) is_inactive: bool,
}

#[derive(Deserialize, PartialEq)]
struct State {
    loading: bool,
    fonts: bool,
    pictures: u32,
    nodes: u64,
    letters: u64,
    height: f64,
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

/// Loads and renders one page.
pub(super) fn load_and_capture(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    proxy: &Proxy,
) -> Result<LoadedPage, RenderError> {
    let began = Instant::now();
    let deadline = began + Duration::from_millis(options.page_timeout_ms);
    tab.end_at(deadline + CAPTURE_LIMIT, options.page_timeout_ms);
    let mut timings = Timings::default();
    let mut warnings = Warnings::new();
    tab.watch.reset();
    tab.set_saved(job.is_saved)?;
    tab.set_scripts(job.scripts)?;
    load(tab, job, options, proxy, deadline, &mut warnings)?;
    let is_inactive = !job.scripts && !job.live && warnings.is_empty();
    timings.navigate_ms = ms(began);

    let step = Instant::now();
    let world = settle(tab, job, options, deadline, &mut warnings)?;
    tab.watch.verdict(|host| proxy.cause(host))?;
    if job.scripts {
        // From here on the page must not change.
        tab.set_scripts(false)?;
    } else {
        let arguments = [json!({ "value": MIN_ROOT_OPACITY })];
        let shown: Vec<(String, String)> = tab.function(world, REVEAL, &arguments, "showing the page", QUICK)?;
        warnings.extend(shown.iter().map(|(tag, property)| shown_root(tag, property)));
    }
    check_size(tab, world)?;
    timings.settle_ms = ms(step);

    let step = Instant::now();
    let params = json!({ "computedStyles": STYLES, "includePaintOrder": true, "includeDOMRects": false });
    let method = "DOMSnapshot.captureSnapshot";
    let text = tab.call_text(method, &params, "the snapshot of the page", STEP_LIMIT)?;
    timings.snapshot_ms = ms(step);
    let step = Instant::now();
    let snapshot: Snapshot = parsed(&text, method)?;
    drop(text);
    let [page_width_px, page_height_px] = snapshot::page_size(&snapshot)?;
    let size = picture::size(page_width_px, page_height_px, options);
    if let Some(warning) = size.warning(page_height_px) {
        warnings.push(warning);
    }
    picture::prepare(tab, size)?;
    // The browser paints while we convert.
    let begun = picture::begin(tab, size)?;
    let mut converted = snapshot::convert(&snapshot)?;
    drop(snapshot);
    timings.convert_ms = ms(step);

    let step = Instant::now();
    let screenshot = picture::finish(tab, &begun, "the screenshot", STEP_LIMIT)?;
    timings.screenshot_ms = ms(step);

    let step = Instant::now();
    let colored = take_mask(tab, world, &converted, size, job.scripts, &mut warnings)?;
    timings.mask_ms = ms(step);

    let step = Instant::now();
    match showing::decide(tab, &converted, &screenshot, &colored, size) {
        Ok(found) => converted.layout.set_showing(found),
        Err(error) => warnings.push(format!("which text is hidden was not found out: {error}")),
    }
    timings.showing_ms = ms(step);
    let mask = colored.mask;
    warnings.extend(refused(tab, job, proxy));
    timings.total_ms = ms(began);
    let final_url = tab.watch.main.url.clone();
    Ok(LoadedPage { converted, pictures: Pictures::new(screenshot, mask), final_url, warnings, timings, is_inactive })
}

/// The warning that the page asked for what it may not load.
fn refused(tab: &Tab, job: &Job, proxy: &Proxy) -> Option<Warning> {
    let warning = |text: String| Warning::new(WarningKind::Forbidden, text);
    let hosts = &tab.watch.hosts;
    if tab.access == Access::Files && job.scripts {
        let host = hosts.iter().find(|host| !is_saved_host(host))?;
        return Some(warning(format!(
            "{host} was not loaded, because the scripts of a saved page could send it what they read; `allow_network` loads it"
        )));
    }
    let causes: Vec<String> = hosts.iter().filter_map(|host| proxy.refusal(host)).collect();
    let others = match causes.len() {
        0 | 1 => String::new(),
        count => format!(", and {} other hosts", count - 1),
    };
    causes.first().map(|cause| warning(format!("not all of the page was loaded: {cause}{others}")))
}

/// Navigates to the page; a problem with the server's response becomes the error of the page.
fn navigate(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    proxy: &Proxy,
    deadline: Instant,
) -> Result<(), RenderError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Navigated {
        error_text: Option<String>,
    }
    let left = deadline.saturating_duration_since(Instant::now());
    let navigated: Result<Navigated, _> = tab.call("Page.navigate", &json!({ "url": job.address }), LOADING, left);
    let verdict = tab.watch.verdict(|host| proxy.cause(host));
    match navigated {
        Ok(Navigated { error_text: Some(code) }) => {
            verdict?;
            let url = url::Url::parse(&tab.watch.main.url).or_else(|_| url::Url::parse(job.address)).ok();
            let cause = url.and_then(|url| url.host_str().and_then(|host| proxy.cause(host)));
            return Err(network_error(&code, cause));
        }
        Ok(_) => {}
        Err(RenderError::TimeOut { .. }) if tab.watch.commits > 0 => {}
        Err(error) => {
            verdict?;
            let timeout_error = RenderError::TimeOut { step: LOADING, limit_ms: options.page_timeout_ms };
            return Err(if matches!(error, RenderError::TimeOut { .. }) { timeout_error } else { error });
        }
    }
    verdict
}

/// Loads the page, and the documents that it then navigates to by itself.
fn load(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    proxy: &Proxy,
    deadline: Instant,
    warnings: &mut Warnings,
) -> Result<(), RenderError> {
    navigate(tab, job, options, proxy, deadline)?;
    loop {
        if !tab.wait(deadline, |watch| watch.loaded)? {
            tab.watch.verdict(|host| proxy.cause(host))?;
            if tab.watch.commits > 1 {
                // The page has loaded a new document, and the next one may be about to replace it. That one cannot load
                // another.
                tab.end_scripts()?;
                tab.wait(Instant::now() + LAST_DOCUMENT_LIMIT, |watch| watch.loaded)?;
            }
            tab.stop_scripts()?;
            let world = tab.world(&tab.watch.frame.clone())?;
            let state = state(tab, world)?;
            if state.letters == 0 {
                return Err(RenderError::TimeOut { step: LOADING, limit_ms: options.page_timeout_ms });
            }
            let limit_ms = options.page_timeout_ms;
            let text = format!("loading was cut off after {limit_ms} ms; some of the page may be missing");
            warnings.add(WarningKind::LoadingCutOff, text);
            return Ok(());
        }
        tab.watch.verdict(|host| proxy.cause(host))?;
        if !job.scripts || tab.watch.commits >= MAX_COMMITS {
            return Ok(());
        }
        // A page that navigates by itself does so directly after loading.
        let commits = tab.watch.commits;
        let moment = deadline.min(Instant::now() + POLL_INTERVAL);
        if !tab.wait(moment, |watch| watch.commits > commits)? {
            return Ok(());
        }
    }
}

fn state(tab: &mut Tab, world: i64) -> Result<State, RenderError> {
    tab.function(world, SETTLE, &[json!({ "value": "state" })], "looking at the page", QUICK)
}

/// Checks that the page is not too large to be copied: the copy takes several times its memory.
fn check_size(tab: &mut Tab, world: i64) -> Result<(), RenderError> {
    let arguments = [json!({ "value": "size" }), json!({ "value": MAX_CHARACTERS })];
    let characters: u64 = tab.function(world, SETTLE, &arguments, "looking at the page", QUICK)?;
    if characters > MAX_CHARACTERS {
        let limit = MAX_CHARACTERS >> 20;
        return Err(RenderError::Limit(format!(
            "the page has more than the {limit} million characters a page may have, with its attributes"
        )));
    }
    Ok(())
}

/// Waits until the page does not change; returns the isolated world of our scripts in it.
fn settle(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    deadline: Instant,
    warnings: &mut Warnings,
) -> Result<i64, RenderError> {
    let frame = tab.watch.frame.clone();
    for _ in 0..MAX_COMMITS {
        let commits = tab.watch.commits;
        let world = tab.world(&frame)?;
        match settle_document(tab, world, job, options, deadline) {
            Ok(()) if tab.watch.commits == commits => {
                if tab.watch.dialogs > 0 {
                    warnings.add(WarningKind::Disturbing, format!("{} dialogs were closed", tab.watch.dialogs));
                }
                return Ok(world);
            }
            // The page navigated meanwhile, and our isolated world is gone.
            Ok(()) => {}
            Err(RenderError::Crash(_)) if tab.watch.commits > commits && !tab.watch.is_dead() => {}
            Err(error) => return Err(error),
        }
        tab.wait(deadline, |watch| watch.loaded)?;
    }
    tab.stop_scripts()?;
    warnings.add(WarningKind::Disturbing, "the page keeps loading other pages; scripts were stopped");
    tab.world(&frame)
}

fn settle_document(
    tab: &mut Tab,
    world: i64,
    job: &Job,
    options: &RenderOptions,
    deadline: Instant,
) -> Result<(), RenderError> {
    let limit = Duration::from_millis(options.settle_ms);
    if job.scripts {
        quiet(tab, world, deadline.min(Instant::now() + limit), QUIET)?;
        scroll(tab, world, options, deadline.min(Instant::now() + limit))?;
        quiet(tab, world, deadline.min(Instant::now() + limit), QUIET)?;
    } else {
        // The page itself cannot change; only pictures and fonts of other servers may still be loading.
        let limit = if job.live { limit } else { limit.min(Duration::from_secs(1)) };
        quiet(tab, world, deadline.min(Instant::now() + limit), Duration::ZERO)?;
    }
    tab.function::<u32>(world, SETTLE, &[json!({ "value": "freeze" })], "freezing the page", QUICK)?;
    Ok(())
}

/// Waits until nothing changes for `quiet` and fonts and pictures are loaded.
fn quiet(tab: &mut Tab, world: i64, deadline: Instant, quiet: Duration) -> Result<(), RenderError> {
    let mut last = state(tab, world)?;
    let mut since = Instant::now();
    loop {
        let ready = last.fonts && last.pictures == 0 && !last.loading;
        if ready && since.elapsed() >= quiet || Instant::now() >= deadline {
            return Ok(());
        }
        tab.wait((Instant::now() + POLL_INTERVAL).min(deadline), |_| false)?;
        let now = state(tab, world)?;
        if now != last {
            since = Instant::now();
        }
        last = now;
    }
}

/// Scrolls through the page once, so that lazily loaded content is loaded, and back to the top.
fn scroll(tab: &mut Tab, world: i64, options: &RenderOptions, deadline: Instant) -> Result<(), RenderError> {
    #[derive(Deserialize)]
    struct Scrolled {
        height: f64,
    }
    let viewport = f64::from(options.viewport_px[1]);
    let to = |tab: &mut Tab, top: f64| -> Result<Option<Scrolled>, RenderError> {
        let arguments = [json!({ "value": "scroll" }), json!({ "value": top })];
        match tab.function(world, SETTLE, &arguments, "scrolling the page", SCROLL_LIMIT) {
            Ok(scrolled) => Ok(Some(scrolled)),
            // Its scripts are busy, or were just stopped; the page is captured as it is.
            Err(RenderError::TimeOut { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    };
    let mut top = 0.0;
    for _ in 0..MAX_SCROLLS {
        let Some(Scrolled { height }) = to(tab, top)? else { break };
        top += 0.8 * viewport;
        if top + 0.2 * viewport >= height.min(f64::from(options.max_height_px)) || Instant::now() >= deadline {
            break;
        }
    }
    to(tab, 0.0).map(drop)
}

/// Prepares the tab for the next page: removes cookies and storage of the last one. An inactive page (loaded
/// completely, without scripts or network) may stay until the next one replaces it; any other page is replaced by a
/// blank one.
pub(super) fn reset(tab: &mut Tab, is_inactive: bool) -> Result<(), RenderError> {
    tab.end_when(&Cancel::default());
    tab.end_at(Instant::now() + RESET_LIMIT, RESET_LIMIT.as_millis() as u64);
    let origin = url::Url::parse(&tab.watch.main.url).ok().map(|url| url.origin().ascii_serialization());
    tab.set_scripts(false)?;
    tab.setting("Network.clearBrowserCookies", &json!({}))?;
    if let Some(origin) = origin.filter(|origin| origin.starts_with("http") && !origin.ends_with(".saved.invalid")) {
        tab.setting("Storage.clearDataForOrigin", &json!({ "origin": origin, "storageTypes": "all" }))?;
    }
    tab.watch.reset();
    tab.set_visible_area(None)?;
    if !is_inactive {
        tab.setting("Page.navigate", &json!({ "url": "about:blank" }))?;
        tab.wait(Instant::now() + QUICK, |watch| watch.loaded)?;
    }
    tab.setting("Page.resetNavigationHistory", &json!({}))
}
