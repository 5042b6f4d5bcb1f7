//! Captures a loaded page: waits until the page is stable (nothing changes, fonts and pictures are
//! loaded, and lazily loaded content has come into view), then takes snapshot, screenshot and node
//! mask.

use super::protocol::{Snapshot, parsed};
use super::snapshot::Converted;
use super::tab::{QUICK, STEP_LIMIT, Tab};
use super::{hidden_text, pictures, snapshot};
use crate::{RenderOptions, Timings};
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};
use vclean_core::capture::{PANEL_RULES, Pictures};
use vclean_core::error::{RenderError, WarningKind, Warnings};
use vclean_core::features::MAX_TARGETS;
use vclean_core::rendering::COMPUTED_STYLES;

pub(super) const SETTLE: &str = vclean_js::SETTLE;
const UNFOLD: &str = vclean_js::UNFOLD;
const ROWS: &str = vclean_js::ROWS;
const UNCOVER: &str = vclean_js::UNCOVER;

/// A page is stable if it does not change for this long.
pub(super) const QUIET: Duration = Duration::from_millis(150);
/// Longest wait for scripts to fill an application. Heuristic: one from a single server has done so
/// by then.
pub(super) const FILL_LIMIT: Duration = Duration::from_secs(3);
/// Interval at which the state of the page is read.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum number of scroll steps through the page, each most of a viewport; on endless pages,
/// scrolling stops here.
const MAX_SCROLLS: u32 = 40;
/// Time limit for one scroll step.
const SCROLL_LIMIT: Duration = Duration::from_secs(3);

#[derive(Deserialize, PartialEq)]
pub(super) struct State {
    loading: bool,
    fonts: bool,
    pictures: u32,
    nodes: u64,
    pub(super) letters: u64,
    height: f64,
}

pub(super) fn state(tab: &mut Tab, world: i64) -> Result<State, RenderError> {
    tab.function(
        world,
        SETTLE,
        &[json!({ "value": "state" })],
        "looking at the page",
        QUICK,
    )
}

/// Waits until nothing changes for `quiet` and fonts and pictures are loaded.
pub(super) fn quiet(
    tab: &mut Tab,
    world: i64,
    deadline: Instant,
    quiet: Duration,
) -> Result<(), RenderError> {
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

/// Waits until a page that looks like an unfilled application no longer does; returns true if it
/// was filled meanwhile.
pub(super) fn fill(tab: &mut Tab, world: i64, deadline: Instant) -> Result<bool, RenderError> {
    let mut has_waited = false;
    loop {
        let step = [json!({ "value": "shell" })];
        if !tab.function::<bool>(world, SETTLE, &step, "looking at the page", QUICK)? {
            return Ok(has_waited);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        has_waited = true;
        tab.wait((Instant::now() + POLL_INTERVAL).min(deadline), |_| false)?;
    }
}

/// Scrolls through the page once, so that lazily loaded content is loaded and lists show all their
/// rows, and back to the top.
pub(super) fn scroll(
    tab: &mut Tab,
    world: i64,
    options: &RenderOptions,
    deadline: Instant,
) -> Result<(), RenderError> {
    let mut top = 0.0;
    rows(tab, world, "watch")?;
    for _ in 0..MAX_SCROLLS {
        let Some(Scrolled { height, window }) = scroll_to(tab, world, top)? else {
            break;
        };
        if top > 0.0 {
            rows(tab, world, "note")?;
        }
        let window = window.clamp(1.0, f64::from(options.viewport_px[1]));
        top += 0.8 * window;
        if top + 0.2 * window >= height.min(f64::from(options.max_height_px))
            || Instant::now() >= deadline
        {
            break;
        }
    }
    to_top(tab, world)
}

/// Scrolls to the top of the page.
pub(super) fn to_top(tab: &mut Tab, world: i64) -> Result<(), RenderError> {
    scroll_to(tab, world, 0.0).map(drop)
}

/// Performs a step for lists that show only the rows near the viewport: "watch" before scrolling,
/// "note" after each scroll, and "restore" once the page's scripts have ended.
pub(super) fn rows(tab: &mut Tab, world: i64, step: &str) -> Result<u32, RenderError> {
    let arguments = [json!({ "value": step })];
    match tab.function(world, ROWS, &arguments, "reading the rows of lists", QUICK) {
        Err(RenderError::TimeOut { .. }) => Ok(0),
        other => other,
    }
}

/// Height of what is scrolled, and of the part that is in view, in CSS px.
#[derive(Deserialize)]
struct Scrolled {
    height: f64,
    window: f64,
}

/// Scrolls down to `top` (CSS px); returns `None` if the page's scripts are busy.
fn scroll_to(tab: &mut Tab, world: i64, top: f64) -> Result<Option<Scrolled>, RenderError> {
    let arguments = [json!({ "value": "scroll" }), json!({ "value": top })];
    match tab.function(
        world,
        SETTLE,
        &arguments,
        "scrolling the page",
        SCROLL_LIMIT,
    ) {
        Ok(scrolled) => Ok(Some(scrolled)),
        // Its scripts are busy, or were just stopped; the page is captured in its present state.
        Err(RenderError::TimeOut { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Overlays that were made invisible, by tag and id or class.
#[derive(Default)]
pub(super) struct Overlays(Vec<String>);

impl Overlays {
    /// Makes overlays over the first screen of a page invisible; the page is scrolled to its top.
    pub(super) fn lift(&mut self, tab: &mut Tab, world: i64) -> Result<(), RenderError> {
        let found: Vec<String> = tab.function(world, UNCOVER, &[], "uncovering the page", QUICK)?;
        self.0.extend(found);
        Ok(())
    }

    /// Adds a warning if there were any.
    pub(super) fn warn(&self, warnings: &mut Warnings) {
        let Some(first) = self.0.first() else {
            return;
        };
        let others = match self.0.len() {
            1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        let text = format!("{first}{others} covered the page and is left out of the picture");
        warnings.add(WarningKind::Overlay, text);
    }
}

/// Freezes a loaded page: unfolds its panels, moves its animations to their end, and if its
/// `scripts` ran, keeps the content for browsers without scripts hidden.
pub(super) fn freeze(tab: &mut Tab, world: i64, scripts: bool) -> Result<(), RenderError> {
    let panels = [json!({ "value": PANEL_RULES })];
    tab.function::<u32>(world, UNFOLD, &panels, "unfolding the page", QUICK)?;
    let arguments = [json!({ "value": "freeze" }), json!({ "value": scripts })];
    tab.function::<u32>(world, SETTLE, &arguments, "freezing the page", QUICK)
        .map(drop)
}

/// Maximum number of characters in the text and attributes of a page. The size limit of a document
/// is the same, so only scripts can create more.
const MAX_CHARACTERS: u64 = 64 << 20;

/// Milliseconds since a point in time.
pub(super) fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}

/// Takes the tree and the pictures. `world` is the isolated world of our scripts in the main frame;
/// `scripts` is set if the page's scripts ran. They must not run any more.
pub(super) fn capture_page(
    tab: &mut Tab,
    world: i64,
    scripts: bool,
    options: &RenderOptions,
    timings: &mut Timings,
    warnings: &mut Warnings,
) -> Result<(Converted, Pictures), RenderError> {
    check_size(tab, world)?;
    let step = Instant::now();
    let params = json!({ "computedStyles": COMPUTED_STYLES, "includePaintOrder": true, "includeDOMRects": false });
    let method = "DOMSnapshot.captureSnapshot";
    let text = tab.call_text(method, &params, "the snapshot of the page", STEP_LIMIT)?;
    timings.snapshot_ms = ms(step);
    let step = Instant::now();
    let snapshot: Snapshot = parsed(&text, method)?;
    drop(text);
    let [page_width_px, page_height_px] = snapshot::page_size(&snapshot)?;
    let size = pictures::size(page_width_px, page_height_px, options);
    if let Some(warning) = size.warning(page_height_px) {
        warnings.push(warning);
    }
    pictures::prepare(tab, size)?;
    // The browser paints while we convert.
    let begun = pictures::begin(tab, size)?;
    let mut converted = snapshot::convert(&snapshot)?;
    drop(snapshot);
    timings.convert_ms = ms(step);

    let step = Instant::now();
    let screenshot = pictures::finish(tab, &begun, "the screenshot", STEP_LIMIT)?;
    timings.screenshot_ms = ms(step);

    let step = Instant::now();
    let colored = pictures::take_mask(tab, world, &converted, size, scripts, warnings)?;
    timings.mask_ms = ms(step);

    let step = Instant::now();
    match hidden_text::decide(tab, &converted, &screenshot, &colored, size) {
        Ok(found) => converted.layout.set_visibility(found),
        Err(error) => warnings.push(format!("which text is hidden was not found out: {error}")),
    }
    timings.hidden_ms = ms(step);
    Ok((converted, Pictures::new(screenshot, colored.mask)))
}

/// Size of a page, up to just above the limits.
#[derive(Deserialize)]
struct PageSize {
    characters: u64,
    blocks: usize,
}

/// Checks that the page is not too large to be copied (a copy takes several times its memory) and
/// to be cleaned afterwards.
pub(super) fn check_size(tab: &mut Tab, world: i64) -> Result<(), RenderError> {
    let arguments = [
        json!({ "value": "size" }),
        json!({ "value": [MAX_CHARACTERS, MAX_TARGETS] }),
    ];
    let PageSize { characters, blocks } =
        tab.function(world, SETTLE, &arguments, "looking at the page", QUICK)?;
    if blocks > MAX_TARGETS {
        return Err(RenderError::Limit(format!(
            "the page has more than the {MAX_TARGETS} text blocks a page may have; split the page"
        )));
    }
    if characters > MAX_CHARACTERS {
        let limit = MAX_CHARACTERS >> 20;
        return Err(RenderError::Limit(format!(
            "the page has more than the {limit} million characters a page may have, with its attributes"
        )));
    }
    Ok(())
}
