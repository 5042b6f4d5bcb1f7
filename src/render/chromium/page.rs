//! One page in one tab: load, settle, snapshot, screenshot, node mask.

use super::answer::Snapshot;
use super::answer::parsed;
use super::coloring::take_mask;
use super::picture;
use super::snapshot::{self, Converted};
use super::style::STYLES;
use super::tab::{QUICK, STEP_LIMIT, Tab};
use super::watch::network_error;
use crate::capture::Pictures;
use crate::error::RenderError;
use crate::net::Proxy;
use crate::render::{RenderOptions, Timings};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

const SETTLE: &str = include_str!("../../../js/settle.js");

/// The page is quiet when it stays the same for this long.
const QUIET: Duration = Duration::from_millis(150);
/// Time between two looks at the page.
const LOOK: Duration = Duration::from_millis(50);
/// Steps of the scroll through the page, each most of a viewport; infinite pages end here.
const MAX_SCROLLS: u32 = 40;
/// Longest wait for one of them.
const SCROLL_LIMIT: Duration = Duration::from_secs(3);
/// Documents a page may lead to by itself (refresh, scripts) before it is taken for a loop.
const MAX_COMMITS: u32 = 8;
/// Time for a last document where a page leads on until its time is up.
const GRACE: Duration = Duration::from_secs(2);

/// Where the browser loads a page from, and how.
pub(super) struct Job<'a> {
    /// Address for the browser.
    pub(super) address: &'a str,
    /// Whether the page's scripts run.
    pub(super) scripts: bool,
    /// Whether the page may still load things from the network.
    pub(super) live: bool,
}

/// What a page became.
pub(super) struct Taken {
    /// Tree, boxes, documents.
    pub(super) converted: Converted,
    /// The pictures.
    pub(super) pictures: Pictures,
    /// Address of the document that was shown.
    pub(super) final_url: String,
    /// What went wrong without stopping it.
    pub(super) warnings: Vec<String>,
    /// Where the time went.
    pub(super) timings: Timings,
    /// Whether nothing of it goes on in the tab: no scripts, no network, loaded whole.
    pub(super) still: bool,
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

/// Loads and takes one page.
pub(super) fn take(tab: &mut Tab, job: &Job, options: &RenderOptions, proxy: &Proxy) -> Result<Taken, RenderError> {
    let began = Instant::now();
    let deadline = began + Duration::from_millis(options.page_timeout_ms);
    let mut timings = Timings::default();
    let mut warnings = Vec::new();
    tab.watch.reset();
    tab.set_scripts(job.scripts)?;
    load(tab, job, options, proxy, deadline, &mut warnings)?;
    let still = !job.scripts && !job.live && warnings.is_empty();
    timings.navigate_ms = ms(began);

    let step = Instant::now();
    let world = settle(tab, job, options, deadline, &mut warnings)?;
    tab.watch.verdict(proxy.secret(), |host| proxy.cause(host))?;
    if job.scripts {
        // From here on the page must stay as it is.
        tab.set_scripts(false)?;
    }
    timings.settle_ms = ms(step);

    let step = Instant::now();
    let params = json!({ "computedStyles": STYLES, "includePaintOrder": true, "includeDOMRects": false });
    let method = "DOMSnapshot.captureSnapshot";
    let text = tab.ask(method, &params, "the snapshot of the page", STEP_LIMIT)?;
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
    let converted = snapshot::convert(&snapshot)?;
    drop(snapshot);
    timings.convert_ms = ms(step);

    let step = Instant::now();
    let screenshot = picture::finish(tab, &begun, "the screenshot", STEP_LIMIT)?;
    timings.screenshot_ms = ms(step);

    let step = Instant::now();
    let mask = take_mask(tab, world, &converted, size, &mut warnings)?;
    timings.mask_ms = ms(step);
    timings.total_ms = ms(began);
    let final_url = tab.watch.main.url.clone();
    Ok(Taken { converted, pictures: Pictures::new(screenshot, mask), final_url, warnings, timings, still })
}

/// Asks the browser for the page, and takes what is wrong with its answer for the page's error.
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
    let navigated: Result<Navigated, _> =
        tab.call("Page.navigate", &json!({ "url": job.address }), "loading the page", left);
    let verdict = tab.watch.verdict(proxy.secret(), |host| proxy.cause(host));
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
            let late = RenderError::TimeOut { step: "loading the page", limit_ms: options.page_timeout_ms };
            return Err(if matches!(error, RenderError::TimeOut { .. }) { late } else { error });
        }
    }
    verdict
}

/// Loads the page, and those that it leads to by itself.
fn load(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    proxy: &Proxy,
    deadline: Instant,
    warnings: &mut Vec<String>,
) -> Result<(), RenderError> {
    navigate(tab, job, options, proxy, deadline)?;
    loop {
        if !tab.wait(deadline, |watch| watch.loaded)? {
            tab.watch.verdict(proxy.secret(), |host| proxy.cause(host))?;
            if tab.watch.commits > 1 {
                // It leads on, and this may be the moment between two documents: the next one can lead no further.
                tab.end_scripts()?;
                tab.wait(Instant::now() + GRACE, |watch| watch.loaded)?;
            }
            tab.stop_scripts()?;
            let world = tab.world(&tab.watch.frame.clone())?;
            let state = state(tab, world)?;
            if state.letters == 0 {
                return Err(RenderError::TimeOut { step: "loading the page", limit_ms: options.page_timeout_ms });
            }
            warnings.push(format!(
                "loading was cut off after {} ms; some of the page may be missing",
                options.page_timeout_ms
            ));
            return Ok(());
        }
        tab.watch.verdict(proxy.secret(), |host| proxy.cause(host))?;
        if !job.scripts || tab.watch.commits >= MAX_COMMITS {
            return Ok(());
        }
        // A page that leads on does so right after loading.
        let commits = tab.watch.commits;
        let moment = deadline.min(Instant::now() + LOOK);
        if !tab.wait(moment, |watch| watch.commits > commits)? {
            return Ok(());
        }
    }
}

fn state(tab: &mut Tab, world: i64) -> Result<State, RenderError> {
    tab.function(world, SETTLE, &[json!({ "value": "state" })], "looking at the page", QUICK)
}

/// Waits until the page stays as it is; gives the world of our scripts in it.
fn settle(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    deadline: Instant,
    warnings: &mut Vec<String>,
) -> Result<i64, RenderError> {
    let frame = tab.watch.frame.clone();
    for _ in 0..MAX_COMMITS {
        let commits = tab.watch.commits;
        let world = tab.world(&frame)?;
        match settle_document(tab, world, job, options, deadline) {
            Ok(()) if tab.watch.commits == commits => {
                if tab.watch.dialogs > 0 {
                    warnings.push(format!("{} dialogs were closed", tab.watch.dialogs));
                }
                return Ok(world);
            }
            // The page went elsewhere meanwhile, and our world with it.
            Ok(()) => {}
            Err(RenderError::Crash(_)) if tab.watch.commits > commits && !tab.watch.is_dead() => {}
            Err(error) => return Err(error),
        }
        tab.wait(deadline, |watch| watch.loaded)?;
    }
    tab.stop_scripts()?;
    warnings.push("the page leads on to other pages without end; scripts were stopped".to_owned());
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
        // Nothing moves; only pictures and fonts from elsewhere may be on their way.
        let limit = if job.live { limit } else { limit.min(Duration::from_secs(1)) };
        quiet(tab, world, deadline.min(Instant::now() + limit), Duration::ZERO)?;
    }
    tab.function::<u32>(world, SETTLE, &[json!({ "value": "freeze" })], "freezing the page", QUICK)?;
    Ok(())
}

/// Waits until nothing changes for `quiet` and fonts and pictures are there.
fn quiet(tab: &mut Tab, world: i64, deadline: Instant, quiet: Duration) -> Result<(), RenderError> {
    let mut last = state(tab, world)?;
    let mut since = Instant::now();
    loop {
        let ready = last.fonts && last.pictures == 0 && !last.loading;
        if ready && since.elapsed() >= quiet || Instant::now() >= deadline {
            return Ok(());
        }
        tab.wait((Instant::now() + LOOK).min(deadline), |_| false)?;
        let now = state(tab, world)?;
        if now != last {
            since = Instant::now();
        }
        last = now;
    }
}

/// Scrolls once through the page, so that what loads when it comes into view is loaded, and back to the top.
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
            // Its scripts are busy, or were just stopped: it is taken as it is.
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

/// Makes the tab ready for the next page, without cookies and storage of the last. A page that is `still`, loaded whole
/// and without scripts or network, may stand until the next one takes its place; any other gives way to a blank one.
pub(super) fn reset(tab: &mut Tab, still: bool) -> Result<(), RenderError> {
    let origin = url::Url::parse(&tab.watch.main.url).ok().map(|url| url.origin().ascii_serialization());
    tab.set_scripts(false)?;
    tab.setting("Network.clearBrowserCookies", &json!({}))?;
    if let Some(origin) = origin.filter(|origin| origin.starts_with("http") && !origin.ends_with(".saved.invalid")) {
        tab.setting("Storage.clearDataForOrigin", &json!({ "origin": origin, "storageTypes": "all" }))?;
    }
    tab.watch.reset();
    tab.look(None)?;
    if !still {
        tab.setting("Page.navigate", &json!({ "url": "about:blank" }))?;
        tab.wait(Instant::now() + QUICK, |watch| watch.loaded)?;
    }
    tab.setting("Page.resetNavigationHistory", &json!({}))
}
