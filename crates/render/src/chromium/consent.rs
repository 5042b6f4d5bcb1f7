//! Answers the consent dialog of a page before it is captured, if the caller asks for it: clicks
//! the button of a well-known platform, in the page or in a frame of it.

use super::actions::Performance;
use super::capturing::POLL_INTERVAL;
use super::tab::{QUICK, Tab};
use super::waiting::CurrentPage;
use crate::load::Consent;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use vclean_core::error::{RenderError, WarningKind, Warnings};

const CONSENT: &str = vclean_js::CONSENT;

/// Longest time for all clicks on a page. Heuristic: platforms load their dialogs after the page.
const LIMIT: Duration = Duration::from_secs(3);
/// Time in which a sign of a platform appears. Heuristic: a tag manager loads its scripts.
const SIGN_LIMIT: Duration = Duration::from_secs(1);
/// Maximum number of frames that are searched for a dialog.
const MAX_FRAMES: usize = 20;

/// A finding or step of our script; the platform is named beside it.
#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Step {
    /// The platform has no such button, or not yet.
    Wait,
    /// The dialog is in a frame.
    Frame,
    /// The settings were opened.
    Open,
    /// The button was clicked.
    Answer,
}

/// Clicks at most two buttons. Nothing happens if there is no platform, or it lacks the button.
///
/// # Errors
/// If the click leads to an address that may not be loaded or is not a page, or the browser fails.
pub(super) fn answer(
    tab: &mut Tab,
    choice: Consent,
    performance: &Performance,
    warnings: &mut Warnings,
) -> Result<(), RenderError> {
    let started = Instant::now();
    let end = performance.deadline.min(started + LIMIT);
    let mut page = CurrentPage::default();
    let mut opened: Option<String> = None;
    loop {
        let documents = tab.events.documents;
        let looked = look(tab, &mut page, choice, opened.as_deref())?;
        let is_sign = looked.is_some() || opened.is_some();
        match looked {
            Some((Step::Answer, platform)) => {
                let text = format!(
                    "the consent dialog of {platform} was answered: {}",
                    choice.name()
                );
                warnings.add(WarningKind::Consent, text);
                return performance.follow(tab, documents);
            }
            Some((Step::Open, platform)) => {
                opened = Some(platform);
                performance.follow(tab, documents)?;
            }
            _ => {}
        }
        let now = Instant::now();
        if now >= end || !is_sign && now >= started + SIGN_LIMIT {
            break;
        }
        tab.wait(end.min(now + POLL_INTERVAL), |_| false)?;
    }
    if let Some(platform) = opened {
        let text = format!(
            "the settings of the consent dialog of {platform} were opened and not answered"
        );
        warnings.add(WarningKind::Consent, text);
    }
    Ok(())
}

/// Looks once, in the page and then in its frames if the dialog is there.
fn look(
    tab: &mut Tab,
    page: &mut CurrentPage,
    choice: Consent,
    opened: Option<&str>,
) -> Result<Option<(Step, String)>, RenderError> {
    let arguments = |is_frame: bool| {
        [choice.name().into(), opened.into(), is_frame.into()]
            .map(|value: Value| json!({ "value": value }))
    };
    let found = page
        .function::<Option<(Step, String)>>(tab, CONSENT, &arguments(false))?
        .flatten();
    if !matches!(found, Some((Step::Frame, _))) {
        return Ok(found);
    }
    for frame in frames(tab)? {
        // A frame may be gone by now.
        let Ok(world) = tab.world(&frame) else {
            continue;
        };
        let step = "looking for a consent dialog";
        let inner: Result<Option<(Step, String)>, RenderError> =
            tab.function(world, CONSENT, &arguments(true), step, QUICK);
        if let Ok(Some((Step::Answer | Step::Open, _))) = inner {
            return inner;
        }
    }
    Ok(found)
}

/// Lists the frames in the main frame.
fn frames(tab: &mut Tab) -> Result<Vec<String>, RenderError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Response {
        frame_tree: Tree,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Tree {
        frame: Frame,
        #[serde(default)]
        child_frames: Vec<Tree>,
    }
    #[derive(Deserialize)]
    struct Frame {
        id: String,
    }
    let response: Response =
        tab.call("Page.getFrameTree", &json!({}), "finding the frames", QUICK)?;
    let mut found = Vec::new();
    let mut waiting = response.frame_tree.child_frames;
    while let Some(tree) = waiting.pop().filter(|_| found.len() < MAX_FRAMES) {
        found.push(tree.frame.id);
        waiting.extend(tree.child_frames);
    }
    Ok(found)
}
