//! One decision for what a template writes in the same place of each entry: all items of a list, the first cells of all rows.
//!
//! Models decide on each block alone, and twenty equal items around probability .5 come out torn. A reader wants all
//! ingredients of a recipe or none.

use super::threshold::page_threshold;
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::clean::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;
use crate::hash::Fnv;
use crate::text::count_letters;
use std::collections::BTreeMap;

/// Entries: the items of lists and definitions, and the rows of tables.
const ENTRIES: [Element; 4] = [Element::known("li"), Element::known("dd"), Element::known("dt"), Element::known("tr")];
/// How far above a block its entry is looked for.
const MAX_ABOVE: usize = 8;
/// Fewest blocks that are decided together: two are often a name and its value.
const MIN_TOGETHER: usize = 3;

/// The place of a block in the entries of a list: the list, and the path from its entry down to the block.
type Slot = (NodeId, u64);

/// Gives all targets in the same place of the entries of a list the same label: content if their mean probability is one at
/// which targets of this page are kept. Places with comments are left; margins and probabilities stay.
pub(super) fn keep_entries_together(page: &PageParts<'_>, decisions: &mut [Decision]) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let threshold = page_threshold(decisions);
    let mut slots: BTreeMap<Slot, Vec<usize>> = BTreeMap::new();
    for (index, target) in targets.iter().enumerate().take(decisions.len()) {
        if let Some(slot) = slot(dom, target.container) {
            slots.entry(slot).or_default().push(index);
        }
    }
    for members in slots.into_values().filter(|members| members.len() >= MIN_TOGETHER) {
        let count = |label: Label| members.iter().filter(|&&index| decisions[index].label == label).count();
        if count(Label::Content) == 0 || count(Label::Boilerplate) == 0 || count(Label::Comments) > 0 {
            continue;
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for &index in &members {
            let texts = targets[index].texts.iter().filter_map(|&id| dom.text(id));
            let weight = (texts.map(count_letters).sum::<usize>() as f32 + 2.0).ln();
            sum += decisions[index].probability * weight;
            weights += weight;
        }
        let label = if sum >= threshold * weights { Label::Content } else { Label::Boilerplate };
        for index in members {
            decisions[index].label = label;
        }
    }
    Ok(())
}

/// The place of a block in its entry; `None` for a block in no list.
fn slot(dom: &Dom, container: NodeId) -> Option<Slot> {
    let mut path = Fnv::new();
    for id in std::iter::once(container).chain(dom.ancestors(container)).take(MAX_ABOVE) {
        path.add(b'/');
        dom.tag(id).bytes().for_each(|byte| path.add(byte));
        if ENTRIES.contains(&dom.element(id)) {
            return Some((dom.parent(id)?, path.finish()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The kept texts of a page on which the probability of each block is the number at its end, in hundredths.
    fn kept(html: &str) -> Vec<String> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let texts: Vec<String> = targets.iter().map(|target| target.text(&capture.dom)).collect();
        let decide = |text: &String| {
            let probability = text.split(' ').next_back().unwrap().parse::<f32>().unwrap() / 100.0;
            let label = if probability >= 0.5 { Label::Content } else { Label::Boilerplate };
            Decision { margin: 0.0, probability, label, comments: None }
        };
        let mut decisions: Vec<Decision> = texts.iter().map(decide).collect();
        keep_entries_together(&PageParts::new(&capture, &targets), &mut decisions).unwrap();
        let kept = texts.into_iter().zip(decisions).filter(|(_, made)| made.label == Label::Content);
        kept.map(|(text, _)| text).collect()
    }

    #[test]
    fn a_list_is_whole_or_not_there() {
        let list = |numbers: [u8; 4]| {
            let items: Vec<String> = numbers.iter().map(|number| format!("<li>flour {number}</li>")).collect();
            kept(&format!("<p>text 90</p><ul>{}</ul><p>menu 10</p>", items.concat())).len() - 1
        };
        assert_eq!(list([60, 60, 45, 60]), 4);
        assert_eq!(list([60, 30, 20, 10]), 0);
        assert_eq!(list([10, 10, 10, 10]), 0);
    }

    #[test]
    fn parts_of_entries_are_decided_apart() {
        let item = |name: u8, button: u8| format!("<li><h3>name {name}</h3><div><a>more {button}</a></div></li>");
        let html = format!("<ul>{}{}{}</ul>", item(60, 10), item(45, 55), item(70, 10));
        assert_eq!(kept(&html), ["name 60", "name 45", "name 70"]);
        assert_eq!(kept("<ul><li>a 60<li>b 40</ul>"), ["a 60"]);
        assert_eq!(kept("<p>a 60<p>b 40<p>c 60<p>d 40"), ["a 60", "c 60"]);
    }
}
