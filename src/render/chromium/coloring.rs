//! Makes the node mask of a page in a tab: every text node gets its own color, then a picture is taken.

use super::frame::{FrameTexts, TextKey};
use super::picture::{self, Size};
use super::sharpen::sharpened;
use super::snapshot::Converted;
use super::tab::{QUICK, STEP_LIMIT, Tab};
use crate::capture::Picture;
use crate::error::{RenderError, WarningKind, Warnings};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;

const COLLECT: &str = include_str!("../../../js/collect.js");
const COLOR: &str = include_str!("../../../js/color.js");
/// Keeps a page of another program as it was.
pub(super) const KEEP: &str = include_str!("../../../js/keep.js");

/// Number of frames that are colored; text in further frames is not in the mask.
const MAX_FRAMES: usize = 200;

/// A page whose text is colored.
pub(super) struct ColoredPage {
    /// The picture of the node mask.
    pub(super) mask: Picture,
    /// The colored documents.
    pub(super) frames: Vec<ColoredFrame>,
    /// Indices of text nodes that an effect around them may hide: opacity, filter, mask, clipping path, fill color.
    pub(super) affected: HashSet<u32>,
    /// Indices of transparent text nodes that wait to be faded in.
    pub(super) fading: HashSet<u32>,
}

/// A document whose text is colored.
pub(super) struct ColoredFrame {
    /// The isolated world of our scripts in it.
    pub(super) world: i64,
    /// Per text node that our script found, the index of the node of the capture, or -1.
    pub(super) numbers: Vec<i64>,
}

/// Colors the page and takes the mask; `third_look` makes the page usable again. `main_world` is the isolated world of
/// our scripts in its main frame, `scripts` is whether the page's scripts ran.
pub(super) fn take_mask(
    tab: &mut Tab,
    main_world: i64,
    converted: &Converted,
    size: Size,
    scripts: bool,
    warnings: &mut Warnings,
) -> Result<ColoredPage, RenderError> {
    #[derive(Deserialize)]
    struct Colored {
        soft: bool,
        tilted: u32,
        effects: Vec<u32>,
        fading: Vec<u32>,
    }
    let mut frames = Vec::new();
    let (mut affected, mut fading) = (HashSet::new(), HashSet::new());
    // Pictures of another scale are made smaller, which blurs edges.
    let mut soft = tab.screen_scale != 1.0;
    let mut tilted = 0;
    let mut lost = 0;
    for (number, frame) in converted.frames.iter().enumerate().take(MAX_FRAMES) {
        let world = if number == 0 {
            main_world
        } else if let Ok(world) = tab.world(&frame.frame) {
            world
        } else {
            lost += frame.texts.iter().filter(|text| text.has_lines).count();
            continue;
        };
        let shadow_nodes = shadow_nodes(tab, world, frame)?;
        let keys: Vec<i32> = tab.function(world, COLLECT, &shadow_nodes, "reading the page's text", STEP_LIMIT)?;
        if tab.is_of_others() {
            tab.function::<bool>(world, KEEP, &[json!({ "value": "note" })], "coloring the text", STEP_LIMIT)?;
            tab.keep_changes_of(world);
        }
        let (numbers, unmatched) = colors(&frame.texts, &keys);
        lost += unmatched;
        let arguments = [json!({ "value": numbers }), json!({ "value": scripts })];
        let colored: Colored = tab.function(world, COLOR, &arguments, "coloring the text", STEP_LIMIT)?;
        soft |= colored.soft;
        tilted += colored.tilted;
        affected.extend(colored.effects);
        fading.extend(colored.fading);
        frames.push(ColoredFrame { world, numbers });
    }
    if lost > 0 {
        warnings.add(WarningKind::NotInMask, format!("{lost} text nodes are missing from the node mask"));
    }
    if tilted > 0 {
        warnings.add(WarningKind::NotInMask, format!("{tilted} text nodes are rotated and missing from the node mask"));
    }
    let begun = picture::begin(tab, size)?;
    let mask = picture::finish(tab, &begun, "the node mask", STEP_LIMIT)?;
    let mask = if soft { sharpened(mask, converted)? } else { mask };
    Ok(ColoredPage { mask, frames, affected, fading })
}

/// One node inside each closed shadow tree, as arguments for our scripts.
fn shadow_nodes(tab: &mut Tab, world: i64, frame: &FrameTexts) -> Result<Vec<Value>, RenderError> {
    let mut arguments = Vec::new();
    for node in &frame.shadow_nodes {
        let params = json!({ "backendNodeId": node, "executionContextId": world });
        let resolved: Value = tab.call("DOM.resolveNode", &params, "reading the page's text", QUICK)?;
        arguments.push(json!({ "objectId": resolved["object"]["objectId"] }));
    }
    Ok(arguments)
}

/// Colors for the text nodes that the page's walk found (-1 for none), and the number of text nodes of the snapshot
/// that were not found.
///
/// Both lists are in document order, so equal lists match one by one. Where they differ, the next equal key nearby
/// matches.
fn colors(texts: &[TextKey], keys: &[i32]) -> (Vec<i64>, usize) {
    const NEAR: usize = 200;
    let mut numbers = vec![-1; keys.len()];
    let mut next = 0;
    let mut unmatched = 0;
    for text in texts {
        let near = &keys[next.min(keys.len())..keys.len().min(next + NEAR)];
        match near.iter().position(|&key| key == text.key) {
            Some(ahead) => {
                if text.has_lines {
                    numbers[next + ahead] = text.id.index() as i64;
                }
                next += ahead + 1;
            }
            None => unmatched += usize::from(text.has_lines),
        }
    }
    (numbers, unmatched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::NodeId;

    fn texts(keys: &[i32]) -> Vec<TextKey> {
        keys.iter()
            .enumerate()
            .map(|(index, &key)| TextKey { key, id: NodeId::new(index + 10), has_lines: key != 0 })
            .collect()
    }

    #[test]
    fn equal_lists_match_one_by_one() {
        assert_eq!(colors(&texts(&[1, 0, 1, 2]), &[1, 0, 1, 2]), (vec![10, -1, 12, 13], 0));
    }

    #[test]
    fn different_lists_match_again_after_the_difference() {
        assert_eq!(colors(&texts(&[1, 5, 2, 3]), &[1, 9, 9, 2, 3]), (vec![10, -1, -1, 12, 13], 1));
        assert_eq!(colors(&texts(&[1, 2]), &[]), (vec![], 2));
    }
}
