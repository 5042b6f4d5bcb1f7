//! Performs the caller's actions in a page before it is captured: clicks, types, presses keys,
//! scrolls and waits. The address policy is checked after each action, as for the page itself.

use super::page_events::PageEvents;
use super::tab::{QUICK, Tab};
use super::waiting::{CurrentPage, is_there, pause};
use crate::load::{Action, Direction, Key};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use vclean_core::error::{RenderError, WarningKind, Warnings};

const ACT: &str = vclean_js::ACT;

/// Longest wait for an action's element, and for a document that an action opens.
const ACTION_LIMIT: Duration = Duration::from_secs(10);
/// Time after an action in which a page starts loading another document. Heuristic: click handlers
/// react at once, or ask their server first.
const REACTION: Duration = Duration::from_millis(150);
/// Maximum number of elements that one action clicks.
const MAX_CLICKS: u64 = 100;

/// The actions of a page, and their context.
pub(super) struct Performance<'a> {
    pub(super) actions: &'a [Action],
    /// End of the page's time.
    pub(super) deadline: Instant,
    /// The time limit of the page, for messages.
    pub(super) limit_ms: u64,
    /// Returns an error if the page cannot be used, for example because of its address.
    pub(super) verdict: &'a dyn Fn(&PageEvents) -> Result<(), RenderError>,
}

impl Performance<'_> {
    /// Performs all actions in order. Actions for which no time is left cause a warning.
    ///
    /// # Errors
    /// If an action cannot be performed, if it leads to an address that may not be loaded or is not
    /// a page, or if the browser fails.
    pub(super) fn run(&self, tab: &mut Tab, warnings: &mut Warnings) -> Result<(), RenderError> {
        let mut page = CurrentPage::default();
        for (index, action) in self.actions.iter().enumerate() {
            if Instant::now() >= self.deadline {
                let text = format!(
                    "the `actions` from number {} on were not done within the {} ms of the page; it is taken as it was then",
                    index + 1,
                    self.limit_ms
                );
                warnings.add(WarningKind::NotAwaited, text);
                return Ok(());
            }
            let documents = tab.events.documents;
            let done = self.perform(tab, &mut page, action, index + 1, warnings);
            done.map_err(|error| match error {
                RenderError::Load(cause) => RenderError::Load(format!(
                    "number {} of `actions` ({}) cannot be done: {cause}",
                    index + 1,
                    action.name()
                )),
                other => other,
            })?;
            self.follow(tab, documents)?;
        }
        Ok(())
    }

    /// Waits for the document that an action opens, if any.
    pub(super) fn follow(&self, tab: &mut Tab, documents: u32) -> Result<(), RenderError> {
        let commits = tab.events.commits;
        let moment = self.deadline.min(Instant::now() + REACTION);
        if tab.wait(moment, |events| events.documents > documents)? {
            let end = self.deadline.min(Instant::now() + ACTION_LIMIT);
            let is_shown = |events: &PageEvents| {
                events.loaded && (events.commits > commits || events.has_shown_last())
            };
            // Downloads and forbidden pages are never shown.
            tab.wait(end, |events| {
                is_shown(events) || events.main.has_failed || (self.verdict)(events).is_err()
            })?;
        }
        (self.verdict)(&tab.events)
    }

    fn perform(
        &self,
        tab: &mut Tab,
        page: &mut CurrentPage,
        action: &Action,
        number: usize,
        warnings: &mut Warnings,
    ) -> Result<(), RenderError> {
        let end = self.deadline.min(Instant::now() + ACTION_LIMIT);
        match action {
            Action::Click { selector, all } => {
                find(tab, page, selector, end)?;
                let count = if *all {
                    page.function::<u64>(tab, ACT, &step("count", Some(selector), 0))?
                } else {
                    Some(1)
                };
                for index in 0..count.unwrap_or(0).min(MAX_CLICKS) {
                    click(tab, page, selector, index)?;
                }
                Ok(())
            }
            Action::Write { text, selector } => {
                if let Some(selector) = selector {
                    find(tab, page, selector, end)?;
                    act(tab, page, "focus", Some(selector), 0)?;
                }
                tab.call::<Value>(
                    "Input.insertText",
                    &json!({ "text": text.reveal() }),
                    "typing",
                    QUICK,
                )
                .map(drop)
            }
            Action::Press { key } => press(tab, key),
            Action::Scroll {
                direction,
                selector,
            } => {
                if let Some(selector) = selector {
                    find(tab, page, selector, end)?;
                }
                let sign = if *direction == Direction::Down { 1 } else { -1 };
                act(tab, page, "scroll", selector.as_deref(), sign).map(drop)
            }
            Action::Wait {
                milliseconds,
                selector,
            } => {
                let is_met = match (milliseconds, selector) {
                    (Some(ms), _) => pause(tab, Duration::from_millis(*ms), self.deadline)?,
                    (None, Some(selector)) => {
                        is_there(tab, page, "selector", selector, self.deadline)?
                    }
                    (None, None) => true,
                };
                if !is_met {
                    let text = format!(
                        "number {number} of `actions` (wait) did not end within the {} ms of the page",
                        self.limit_ms
                    );
                    warnings.add(WarningKind::NotAwaited, text);
                }
                Ok(())
            }
        }
    }
}

/// Builds the arguments of a step of our script.
fn step(name: &str, selector: Option<&str>, number: i64) -> [Value; 3] {
    [
        json!({ "value": name }),
        json!({ "value": selector }),
        json!({ "value": number }),
    ]
}

/// Waits for an element.
///
/// # Errors
/// If it does not appear.
fn find(
    tab: &mut Tab,
    page: &mut CurrentPage,
    selector: &str,
    end: Instant,
) -> Result<(), RenderError> {
    if is_there(tab, page, "selector", selector, end)? {
        return Ok(());
    }
    Err(RenderError::Load(format!(
        "nothing in the page matches {selector}; check the selector"
    )))
}

/// Performs one step of our script; returns a point in the window, in CSS px.
fn act(
    tab: &mut Tab,
    page: &mut CurrentPage,
    name: &str,
    selector: Option<&str>,
    number: i64,
) -> Result<Option<[f64; 2]>, RenderError> {
    Ok(page
        .function::<Option<[f64; 2]>>(tab, ACT, &step(name, selector, number))?
        .flatten())
}

/// Clicks in the middle of an element, as a user would: an element that covers it gets the click.
fn click(
    tab: &mut Tab,
    page: &mut CurrentPage,
    selector: &str,
    index: u64,
) -> Result<(), RenderError> {
    let Some([x, y]) = act(tab, page, "point", Some(selector), index as i64)? else {
        // An earlier click may have removed it.
        let cause = format!("what matches {selector} is not shown; check the selector");
        return if index == 0 {
            Err(RenderError::Load(cause))
        } else {
            Ok(())
        };
    };
    for kind in ["mouseMoved", "mousePressed", "mouseReleased"] {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        let params = json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 });
        tab.call::<Value>("Input.dispatchMouseEvent", &params, "clicking", QUICK)?;
    }
    Ok(())
}

fn press(tab: &mut Tab, name: &str) -> Result<(), RenderError> {
    let Some(key) = Key::named(name) else {
        return Err(RenderError::Load("there is no such key".to_owned()));
    };
    for kind in ["keyDown", "keyUp"] {
        let mut params = json!({ "type": kind, "key": key.name, "code": key.code, "windowsVirtualKeyCode": key.number });
        if let (Some(text), "keyDown") = (&key.text, kind) {
            params["text"] = text.as_str().into();
        }
        tab.call::<Value>("Input.dispatchKeyEvent", &params, "pressing a key", QUICK)?;
    }
    Ok(())
}
