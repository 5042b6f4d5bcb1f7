//! The node mask of a page in a tab: every text node gets a color of its own, then a picture is taken.

use super::frame::{FrameTexts, TextKey};
use super::picture::{self, Size};
use super::snapshot::Converted;
use super::tab::{QUICK, STEP_LIMIT, Tab};
use crate::capture::Picture;
use crate::error::RenderError;
use serde::Deserialize;
use serde_json::{Value, json};

const COLLECT: &str = include_str!("../../../js/collect.js");
const COLOR: &str = include_str!("../../../js/color.js");

/// Frames of a page that are colored; those beyond are left out of the mask.
const MAX_FRAMES: usize = 200;

/// Colors the page for good and takes the mask. `main_world` is the world of our scripts in its main frame.
pub(super) fn take_mask(
    tab: &mut Tab,
    main_world: i64,
    converted: &Converted,
    size: Size,
    warnings: &mut Vec<String>,
) -> Result<Picture, RenderError> {
    #[derive(Deserialize)]
    struct Colored {
        soft: bool,
        tilted: u32,
    }
    let mut soft = false;
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
        let insiders = insiders(tab, world, frame)?;
        let keys: Vec<i32> = tab.function(world, COLLECT, &insiders, "reading the page's text", STEP_LIMIT)?;
        let (numbers, unmatched) = colors(&frame.texts, &keys);
        lost += unmatched;
        let colored: Colored =
            tab.function(world, COLOR, &[json!({ "value": numbers })], "coloring the text", STEP_LIMIT)?;
        soft |= colored.soft;
        tilted += colored.tilted;
    }
    if lost > 0 {
        warnings.push(format!("{lost} text nodes are missing from the node mask"));
    }
    if tilted > 0 {
        warnings.push(format!("{tilted} text nodes are turned and missing from the node mask"));
    }
    let begun = picture::begin(tab, size)?;
    let mask = picture::finish(tab, &begun, "the node mask", STEP_LIMIT)?;
    if soft { picture::sharpened(mask, converted) } else { Ok(mask) }
}

/// One node inside each closed shadow tree, as arguments for our scripts.
fn insiders(tab: &mut Tab, world: i64, frame: &FrameTexts) -> Result<Vec<Value>, RenderError> {
    let mut arguments = Vec::new();
    for node in &frame.insiders {
        let params = json!({ "backendNodeId": node, "executionContextId": world });
        let resolved: Value = tab.call("DOM.resolveNode", &params, "reading the page's text", QUICK)?;
        arguments.push(json!({ "objectId": resolved["object"]["objectId"] }));
    }
    Ok(arguments)
}

/// Colors for the text nodes that the page's walk found, -1 for none, and how many of the snapshot's were not found.
///
/// Both lists are in document order, so equal lists match one by one; where they differ, the next equal one nearby does.
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
    fn lists_that_differ_find_one_another_again() {
        assert_eq!(colors(&texts(&[1, 5, 2, 3]), &[1, 9, 9, 2, 3]), (vec![10, -1, -1, 12, 13], 1));
        assert_eq!(colors(&texts(&[1, 2]), &[]), (vec![], 2));
    }
}
