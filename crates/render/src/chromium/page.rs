//! Renders one page in one tab: loads it, waits until it is stable, and takes snapshot, screenshot
//! and node mask.

use super::actions::Performance;
use super::caller;
use super::capturing::{
    FILL_LIMIT, Overlays, POLL_INTERVAL, QUIET, SETTLE, capture_page, check_size, fill, freeze, ms,
    quiet, rows, scroll, state,
};
use super::consent;
use super::encoding;
use super::page_events::network_error;
use super::requests::Access;
use super::snapshot::Converted;
use super::tab::{QUICK, Tab};
use super::waiting;
use crate::load::Consent;
use crate::net::{Proxy, is_saved_host};
use crate::rendered::{MIN_ROOT_OPACITY, shown_root};
use crate::{Cancel, RenderOptions, Timings};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};
use vclean_core::capture::Pictures;
use vclean_core::error::{RenderError, Warning, WarningKind, Warnings};

const REVEAL: &str = vclean_js::REVEAL;
/// Error of the browser for an answer whose compression is damaged.
const DAMAGED: &str = "ERR_CONTENT_DECODING_FAILED";

/// Number of documents that a page may load in sequence (by refresh or script) before this counts
/// as a loop.
const MAX_COMMITS: u32 = 8;
/// Extra time for the last document of a page that loads new documents until the time limit.
const LAST_DOCUMENT_LIMIT: Duration = Duration::from_secs(2);

/// Time limit for capturing a page that was still loading at its own limit. Heuristic: the largest
/// ordinary pages need a third of it on a busy machine.
const CAPTURE_LIMIT: Duration = Duration::from_secs(5);
/// Longest preparation of a tab for the next page.
const RESET_LIMIT: Duration = Duration::from_secs(5);
/// Name of the loading step in messages.
pub(super) const LOADING: &str = "loading the page";

/// The address that the browser loads, and how.
pub(super) struct Job<'a> {
    /// Address to load; a saved page has a made-up one.
    pub(super) address: &'a str,
    /// True if the page's scripts run.
    pub(super) scripts: bool,
    /// True if the page may access the network.
    pub(super) live: bool,
    /// True for a saved page.
    pub(super) is_saved: bool,
}

/// The result of rendering a page in a tab.
pub(super) struct LoadedPage {
    /// Tree, boxes and documents of the page, from its snapshot.
    pub(super) converted: Converted,
    /// The screenshot and the node mask.
    pub(super) pictures: Pictures,
    /// Address of the document that was shown.
    pub(super) final_url: String,
    /// Problems that did not stop the page.
    pub(super) warnings: Warnings,
    /// Time of each stage.
    pub(super) timings: Timings,
    /// True if the page is inactive: it has no scripts and no network, and is loaded completely.
    pub(super) is_inactive: bool,
}

/// Loads and renders one page.
pub(super) fn load_and_capture(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    proxy: &Proxy,
) -> Result<LoadedPage, RenderError> {
    let started = Instant::now();
    let deadline = started + Duration::from_millis(options.page_timeout_ms());
    tab.end_at(deadline + CAPTURE_LIMIT, options.page_timeout_ms());
    let mut timings = Timings::default();
    let mut warnings = Warnings::new();
    tab.events.reset();
    tab.set_saved(job.is_saved)?;
    tab.set_scripts(job.scripts)?;
    caller::set_device(tab, &options.load, options.viewport_px)?;
    if options.load.needs_address().is_some() && !job.is_saved {
        caller::give(tab, &options.load, job.address)?;
    }
    load(tab, job, options, proxy, deadline, &mut warnings)?;
    if job.live && !job.is_saved && warnings.is_empty() && encoding::seems_wrong(tab)? {
        tab.events.reset();
        tab.set_reads_bytes(true)?;
        let loaded = load(tab, job, options, proxy, deadline, &mut warnings);
        tab.set_reads_bytes(false)?;
        loaded?;
    }
    let is_inactive = !job.scripts && !job.live && warnings.is_empty();
    timings.navigate_ms = ms(started);
    let performance = Performance {
        actions: options.load.actions.list(),
        deadline,
        limit_ms: options.page_timeout_ms(),
        verdict: &|events| events.verdict(|host| proxy.cause(host)),
    };
    if job.scripts && options.load.consent != Consent::Ignore {
        consent::answer(tab, options.load.consent, &performance, &mut warnings)?;
    }
    performance.run(tab, &mut warnings)?;
    waiting::wait_for(
        tab,
        &options.load.wait_for,
        deadline,
        options.page_timeout_ms(),
        &mut warnings,
    )?;

    let step = Instant::now();
    let world = settle(tab, job, options, deadline, &mut warnings)?;
    tab.events.verdict(|host| proxy.cause(host))?;
    if job.scripts {
        // From here on the page must not change.
        tab.set_scripts(false)?;
        rows(tab, world, "restore")?;
    }
    let arguments = [
        json!({ "value": MIN_ROOT_OPACITY }),
        json!({ "value": job.scripts }),
    ];
    let shown: Vec<(String, String)> =
        tab.function(world, REVEAL, &arguments, "showing the page", QUICK)?;
    warnings.extend(
        shown
            .iter()
            .map(|(tag, property)| shown_root(tag, property, job.scripts)),
    );
    timings.settle_ms = ms(step);

    let (converted, pictures) = capture_page(
        tab,
        world,
        job.scripts,
        options,
        &mut timings,
        &mut warnings,
    )?;
    warnings.extend(refused(tab, job, proxy));
    timings.total_ms = ms(started);
    let final_url = tab.events.main.url.clone();
    Ok(LoadedPage {
        converted,
        pictures,
        final_url,
        warnings,
        timings,
        is_inactive,
    })
}

/// Returns the warning about requests for resources that the page may not load.
fn refused(tab: &Tab, job: &Job, proxy: &Proxy) -> Option<Warning> {
    let warning = |text: String| Warning::new(WarningKind::Forbidden, text);
    let hosts = &tab.events.hosts;
    if tab.access == Access::Files && job.scripts {
        let host = hosts.iter().find(|host| !is_saved_host(host))?;
        return Some(warning(format!(
            "{host} was not loaded, because the scripts of a saved page could send it what they read; `allow_network` loads it"
        )));
    }
    let causes: Vec<String> = hosts
        .iter()
        .filter_map(|host| proxy.refusal(host))
        .collect();
    let others = match causes.len() {
        0 | 1 => String::new(),
        count => format!(", and {} other hosts", count - 1),
    };
    causes
        .first()
        .map(|cause| warning(format!("not all of the page was loaded: {cause}{others}")))
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
    let navigated: Result<Navigated, _> = tab.call(
        "Page.navigate",
        &json!({ "url": job.address }),
        LOADING,
        left,
    );
    let verdict = tab.events.verdict(|host| proxy.cause(host));
    match navigated {
        Ok(Navigated {
            error_text: Some(code),
        }) => {
            verdict?;
            let url = url::Url::parse(&tab.events.main.url)
                .or_else(|_| url::Url::parse(job.address))
                .ok();
            let cause = url.and_then(|url| url.host_str().and_then(|host| proxy.cause(host)));
            return Err(network_error(&code, cause));
        }
        Ok(_) => {}
        Err(RenderError::TimeOut { .. }) if tab.events.commits > 0 => {}
        Err(error) => {
            verdict?;
            let timeout_error = RenderError::TimeOut {
                step: LOADING,
                limit_ms: options.page_timeout_ms(),
            };
            return Err(if matches!(error, RenderError::TimeOut { .. }) {
                timeout_error
            } else {
                error
            });
        }
    }
    verdict
}

/// Loads the page, and any documents that it then navigates to by itself.
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
        let has_ended = tab.wait(deadline, |events| {
            events.loaded || events.main.is_cut_off || events.is_over()
        })?;
        if tab.events.main.is_cut_off {
            // Its pending requests may still be answered.
            let moment = deadline.min(Instant::now() + Duration::from_millis(options.settle_ms));
            tab.wait(moment, |events| events.loaded)?;
        }
        if !has_ended || !tab.events.loaded {
            tab.events.verdict(|host| proxy.cause(host))?;
            return take_as_it_is(tab, options, warnings);
        }
        tab.events.verdict(|host| proxy.cause(host))?;
        if !job.scripts || tab.events.commits >= MAX_COMMITS {
            return Ok(());
        }
        // A page that navigates by itself does so directly after loading.
        let commits = tab.events.commits;
        let moment = deadline.min(Instant::now() + POLL_INTERVAL);
        if !tab.wait(moment, |events| events.commits > commits)? {
            return Ok(());
        }
    }
}

/// Stops loading an incomplete page, which is then captured as far as it is loaded.
///
/// # Errors
/// If no part of it is loaded.
fn take_as_it_is(
    tab: &mut Tab,
    options: &RenderOptions,
    warnings: &mut Warnings,
) -> Result<(), RenderError> {
    let is_cut_off = tab.events.main.is_cut_off;
    if tab.events.commits > 1 && !is_cut_off {
        // The page has loaded a new document, which may be about to load another. It is prevented
        // from that.
        tab.end_scripts()?;
        tab.wait(Instant::now() + LAST_DOCUMENT_LIMIT, |events| events.loaded)?;
    }
    tab.stop_scripts()?;
    let world = tab.world(&tab.events.frame.clone())?;
    let is_empty = state(tab, world)?.letters == 0;
    let limit_ms = options.page_timeout_ms();
    let text = match (is_cut_off, is_empty) {
        (true, true) if tab.events.main.failure.ends_with(DAMAGED) => {
            return Err(network_error(DAMAGED, None));
        }
        (true, true) => {
            let cause = "the server broke off the connection; try again later".to_owned();
            return Err(RenderError::Later {
                cause,
                after_s: None,
            });
        }
        (false, true) => {
            return Err(RenderError::TimeOut {
                step: LOADING,
                limit_ms,
            });
        }
        (true, false) => {
            "the server broke off the connection; the end of the page is missing".to_owned()
        }
        (false, false) => {
            format!("loading was cut off after {limit_ms} ms; some of the page may be missing")
        }
    };
    warnings.add(WarningKind::LoadingCutOff, text);
    Ok(())
}

/// Waits until the page stops changing; returns the isolated world of our scripts in it.
fn settle(
    tab: &mut Tab,
    job: &Job,
    options: &RenderOptions,
    deadline: Instant,
    warnings: &mut Warnings,
) -> Result<i64, RenderError> {
    let frame = tab.events.frame.clone();
    for _ in 0..MAX_COMMITS {
        let commits = tab.events.commits;
        let world = tab.world(&frame)?;
        match settle_document(tab, world, job, options, deadline) {
            Ok(overlays) if tab.events.commits == commits => {
                overlays.warn(warnings);
                if tab.events.dialogs > 0 {
                    warnings.add(
                        WarningKind::Disturbing,
                        format!("{} dialogs were closed", tab.events.dialogs),
                    );
                }
                return Ok(world);
            }
            // The page navigated meanwhile, and our isolated world is gone.
            Ok(_) => {}
            Err(RenderError::Crash(_)) if tab.events.commits > commits && !tab.events.is_dead() => {
            }
            Err(error) => return Err(error),
        }
        tab.wait(deadline, |events| events.loaded)?;
    }
    tab.stop_scripts()?;
    warnings.add(
        WarningKind::Disturbing,
        "the page keeps loading other pages; scripts were stopped",
    );
    tab.world(&frame)
}

fn settle_document(
    tab: &mut Tab,
    world: i64,
    job: &Job,
    options: &RenderOptions,
    deadline: Instant,
) -> Result<Overlays, RenderError> {
    let mut overlays = Overlays::default();
    let limit = Duration::from_millis(options.settle_ms);
    check_size(tab, world)?;
    tab.function::<bool>(
        world,
        SETTLE,
        &[json!({ "value": "load" })],
        "loading the pictures",
        QUICK,
    )?;
    if job.scripts {
        quiet(tab, world, deadline.min(Instant::now() + limit), QUIET)?;
        if fill(tab, world, deadline.min(Instant::now() + FILL_LIMIT))? {
            quiet(tab, world, deadline.min(Instant::now() + limit), QUIET)?;
        }
        // Pages under a wall often cannot be scrolled.
        overlays.lift(tab, world)?;
        scroll(tab, world, options, deadline.min(Instant::now() + limit))?;
        quiet(tab, world, deadline.min(Instant::now() + limit), QUIET)?;
    } else {
        // The page itself cannot change; only pictures and fonts of other servers may still be
        // loading.
        let limit = if job.live {
            limit
        } else {
            limit.min(Duration::from_secs(1))
        };
        quiet(
            tab,
            world,
            deadline.min(Instant::now() + limit),
            Duration::ZERO,
        )?;
    }
    freeze(tab, world, job.scripts)?;
    overlays.lift(tab, world)?;
    Ok(overlays)
}

/// Prepares the tab for the next page: removes the cookies and storage of the previous one. An
/// inactive page (loaded completely, without scripts or network) may stay until the next one
/// replaces it; any other page is replaced by a blank one.
pub(super) fn reset(tab: &mut Tab, is_inactive: bool) -> Result<(), RenderError> {
    tab.end_when(&Cancel::default());
    tab.end_at(Instant::now() + RESET_LIMIT, RESET_LIMIT.as_millis() as u64);
    let origin = url::Url::parse(&tab.events.main.url)
        .ok()
        .map(|url| url.origin().ascii_serialization());
    tab.set_scripts(false)?;
    tab.setting("Network.clearBrowserCookies", &json!({}))?;
    if let Some(origin) =
        origin.filter(|origin| origin.starts_with("http") && !origin.ends_with(".saved.invalid"))
    {
        tab.setting(
            "Storage.clearDataForOrigin",
            &json!({ "origin": origin, "storageTypes": "all" }),
        )?;
    }
    tab.events.reset();
    tab.set_visible_area(None)?;
    if !is_inactive {
        tab.setting("Page.navigate", &json!({ "url": "about:blank" }))?;
        tab.wait(Instant::now() + QUICK, |events| events.loaded)?;
    }
    tab.setting("Page.resetNavigationHistory", &json!({}))
}
