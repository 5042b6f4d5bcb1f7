//! Waits for the caller's conditions before a page is captured. The page may load other documents
//! meanwhile.

use super::capturing::POLL_INTERVAL;
use super::tab::Tab;
use crate::load::WaitFor;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use vclean_core::error::{RenderError, WarningKind, Warnings};

const AWAITED: &str = vclean_js::AWAITED;

/// The network is silent after this time without requests, as in Playwright and Puppeteer.
const SILENCE: Duration = Duration::from_millis(500);
/// Time limit for one check of the page; its scripts may be busy.
const LOOK_LIMIT: Duration = Duration::from_secs(3);

/// Waits for all conditions in order, until `deadline`; a condition that is not met by then causes
/// a warning. `limit_ms` is the time limit of the page, for messages.
///
/// # Errors
/// If a selector is invalid, or the browser fails.
pub(super) fn wait_for(
    tab: &mut Tab,
    conditions: &[WaitFor],
    deadline: Instant,
    limit_ms: u64,
    warnings: &mut Warnings,
) -> Result<(), RenderError> {
    let mut page = CurrentPage::default();
    for condition in conditions {
        let is_met = match condition {
            WaitFor::Selector(selector) => {
                is_there(tab, &mut page, "selector", selector, deadline)?
            }
            WaitFor::Text(text) => is_there(tab, &mut page, "text", text, deadline)?,
            WaitFor::Time(time) => pause(tab, *time, deadline)?,
            WaitFor::Idle => is_silent(tab, deadline)?,
        };
        if !is_met {
            let text = format!(
                "`wait_for` {condition} did not come within the {limit_ms} ms of the page; it is taken as it was then"
            );
            warnings.add(WarningKind::NotAwaited, text);
        }
    }
    Ok(())
}

/// Waits until an element or words are in the page; returns false if `deadline` comes first.
///
/// # Errors
/// If the selector is invalid.
pub(super) fn is_there(
    tab: &mut Tab,
    page: &mut CurrentPage,
    kind: &str,
    value: &str,
    deadline: Instant,
) -> Result<bool, RenderError> {
    let arguments = [json!({ "value": kind }), json!({ "value": value })];
    loop {
        match page.function::<Option<bool>>(tab, AWAITED, &arguments)? {
            Some(Some(true)) => return Ok(true),
            Some(None) => {
                return Err(RenderError::Load(format!(
                    "{value} is no CSS selector; check it"
                )));
            }
            // Not there yet, or the page has just loaded another document.
            Some(Some(false)) | None => {}
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tab.wait((Instant::now() + POLL_INTERVAL).min(deadline), |_| false)?;
    }
}

/// Waits for some time; returns false if `deadline` comes first.
pub(super) fn pause(tab: &mut Tab, time: Duration, deadline: Instant) -> Result<bool, RenderError> {
    let end = Instant::now() + time;
    tab.wait(end.min(deadline), |_| false)?;
    Ok(end <= deadline)
}

/// Waits until the network is silent; returns false if `deadline` comes first.
fn is_silent(tab: &mut Tab, deadline: Instant) -> Result<bool, RenderError> {
    loop {
        if tab
            .events
            .activity
            .silent_for()
            .is_some_and(|time| time >= SILENCE)
        {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        tab.wait((Instant::now() + POLL_INTERVAL).min(deadline), |_| false)?;
    }
}

/// The isolated world of our scripts in the document that the main frame shows, which may change at
/// any time.
#[derive(Debug, Default)]
pub(super) struct CurrentPage {
    /// Number of the document, and its isolated world.
    world: Option<(u32, i64)>,
}

impl CurrentPage {
    /// Calls one of our functions in the page; returns `None` if it has loaded another document
    /// meanwhile, or its scripts are busy.
    pub(super) fn function<T: DeserializeOwned>(
        &mut self,
        tab: &mut Tab,
        source: &str,
        arguments: &[Value],
    ) -> Result<Option<T>, RenderError> {
        let commits = tab.events.commits;
        let called = self.world(tab).and_then(|world| {
            tab.function::<T>(world, source, arguments, "looking at the page", LOOK_LIMIT)
        });
        match called {
            Ok(value) => Ok(Some(value)),
            Err(RenderError::TimeOut { .. }) => Ok(None),
            Err(RenderError::Crash(cause)) if !tab.events.is_dead() => {
                self.world = None;
                // The event for another document may arrive after our function has failed because
                // of it.
                let is_left = tab.wait(Instant::now() + POLL_INTERVAL, |events| {
                    events.commits > commits
                })?;
                if is_left {
                    Ok(None)
                } else {
                    Err(RenderError::Crash(cause))
                }
            }
            Err(error) => Err(error),
        }
    }

    fn world(&mut self, tab: &mut Tab) -> Result<i64, RenderError> {
        let commits = tab.events.commits;
        if let Some((known, world)) = self.world
            && known == commits
        {
            return Ok(world);
        }
        let frame = tab.events.frame.clone();
        let world = tab.world(&frame)?;
        self.world = Some((commits, world));
        Ok(world)
    }
}
