//! Waits until a page is stable: nothing changes, fonts and pictures are loaded, and what loads when it comes into view has
//! come into view.

use super::tab::{QUICK, Tab};
use crate::error::RenderError;
use crate::render::RenderOptions;
use serde::Deserialize;
use serde_json::json;
use std::time::{Duration, Instant};

pub(super) const SETTLE: &str = include_str!("../../../js/settle.js");

/// A page is stable if it does not change for this long.
pub(super) const QUIET: Duration = Duration::from_millis(150);
/// Interval at which the state of the page is read.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// Number of scroll steps through the page, each most of a viewport; on endless pages, scrolling stops here.
const MAX_SCROLLS: u32 = 40;
/// Longest wait for one scroll step.
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
    tab.function(world, SETTLE, &[json!({ "value": "state" })], "looking at the page", QUICK)
}

/// Waits until nothing changes for `quiet` and fonts and pictures are loaded.
pub(super) fn quiet(tab: &mut Tab, world: i64, deadline: Instant, quiet: Duration) -> Result<(), RenderError> {
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
pub(super) fn scroll(tab: &mut Tab, world: i64, options: &RenderOptions, deadline: Instant) -> Result<(), RenderError> {
    let viewport = f64::from(options.viewport_px[1]);
    let mut top = 0.0;
    for _ in 0..MAX_SCROLLS {
        let Some(height) = scroll_to(tab, world, top)? else { break };
        top += 0.8 * viewport;
        if top + 0.2 * viewport >= height.min(f64::from(options.max_height_px)) || Instant::now() >= deadline {
            break;
        }
    }
    to_top(tab, world)
}

/// Scrolls to the top of the page.
pub(super) fn to_top(tab: &mut Tab, world: i64) -> Result<(), RenderError> {
    scroll_to(tab, world, 0.0).map(drop)
}

/// Scrolls down to `top` (CSS px) and returns the height of the page; `None` if its scripts are busy.
fn scroll_to(tab: &mut Tab, world: i64, top: f64) -> Result<Option<f64>, RenderError> {
    #[derive(Deserialize)]
    struct Scrolled {
        height: f64,
    }
    let arguments = [json!({ "value": "scroll" }), json!({ "value": top })];
    match tab.function::<Scrolled>(world, SETTLE, &arguments, "scrolling the page", SCROLL_LIMIT) {
        Ok(scrolled) => Ok(Some(scrolled.height)),
        // Its scripts are busy, or were just stopped; the page is captured as it is.
        Err(RenderError::TimeOut { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
