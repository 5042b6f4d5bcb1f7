//! Where a comment section goes: at the end of the element that holds the main text, after it, or after its parent.

use super::chance::Chance;
use super::insert::Place;
use crate::capture::{Dom, NodeId};
use crate::classify::Label;
use crate::target::Target;
use crate::text::count_letters;

/// Share of the letters of the main text that the element must hold. Not all: captions, the headline and the first picture
/// often stand apart.
const HELD: f64 = 0.9;
/// Least number of content blocks: with one, it is unknown where the text goes on.
const LEAST_BLOCKS: usize = 2;
/// Shares of sections at the end of the element and after it; the others go after its parent.
const AT_END: f64 = 0.35;
const AFTER: f64 = 0.45;

/// Elements into which a section may be inserted. In others it would stand among list items, rows or words.
fn may_hold(tag: &str) -> bool {
    matches!(tag, "body" | "div" | "section" | "article" | "main" | "td" | "center" | "form") || tag.contains('-')
}

/// Elements in which nothing may be inserted at any depth, because the parser would move it elsewhere, or because it is not
/// shown.
fn is_closed(tag: &str) -> bool {
    matches!(tag, "p" | "a" | "button" | "select" | "svg" | "math" | "object" | "head" | "template" | "noscript")
}

/// Chooses the place in a page with these blocks; `None` if there are too few content blocks, or there is no place.
pub(super) fn choose(dom: &Dom, targets: &[Target], labels: &[Option<Label>], chance: &mut Chance) -> Option<Place> {
    let holder = deepest_holder(dom, targets, labels)?;
    let holder = std::iter::once(holder).chain(dom.ancestors(holder)).find(|&id| is_open(dom, id))?;
    let at_end = Some(Place::at_end(dom, holder));
    let after = |id: NodeId| Place::after(dom, id).filter(|place| is_open(dom, place.parent));
    let after_parent = |id: NodeId| dom.parent(id).and_then(after);
    if chance.happens(AT_END) {
        at_end
    } else if chance.happens(AFTER / (1.0 - AT_END)) {
        after(holder).or(at_end)
    } else {
        after_parent(holder).or_else(|| after(holder)).or(at_end)
    }
}

fn is_open(dom: &Dom, id: NodeId) -> bool {
    may_hold(dom.tag(id)) && !dom.ancestors(id).any(|up| is_closed(dom.tag(up)))
}

/// The deepest element that holds nearly all letters of the content blocks.
fn deepest_holder(dom: &Dom, targets: &[Target], labels: &[Option<Label>]) -> Option<NodeId> {
    let content = || targets.iter().zip(labels).filter(|(_, label)| **label == Some(Label::Content));
    if content().count() < LEAST_BLOCKS {
        return None;
    }
    // Letters of content before each node in document order.
    let mut before = vec![0usize; dom.len() + 1];
    for text in content().flat_map(|(target, _)| &target.texts) {
        before[text.index() + 1] = count_letters(dom.text(*text).unwrap_or(""));
    }
    for index in 1..before.len() {
        before[index] += before[index - 1];
    }
    let all = before[dom.len()] as f64;
    let holds = |id: NodeId| (before[dom.end(id)] - before[id.index()]) as f64 >= HELD * all;
    // Elements that hold it contain each other, so the last in document order is the deepest.
    dom.ids().rfind(|&id| dom.is_element(id) && holds(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Capture;
    use crate::page::{Page, parse};
    use crate::target::{TargetRule, select};

    const STORY: &str = "The ferry leaves the island at noon and nobody on board minds the rain.";

    fn page(html: &str) -> (Capture, Vec<Target>, Vec<Option<Label>>) {
        let capture = parse(&Page::from_html("page", html.replace("STORY", STORY))).unwrap();
        let targets = select(&capture, TargetRule::default());
        let label = |target: &Target| {
            let is_story = target.text(&capture.dom).contains("ferry");
            Some(if is_story { Label::Content } else { Label::Boilerplate })
        };
        let labels = targets.iter().map(label).collect();
        (capture, targets, labels)
    }

    /// The parents of all places that are drawn, without repetition, as tags with classes.
    fn parents(html: &str) -> Vec<String> {
        let (capture, targets, labels) = page(html);
        let dom = &capture.dom;
        let mut found: Vec<String> = (0..60)
            .filter_map(|seed| choose(dom, &targets, &labels, &mut Chance::of_page(seed, "", "")))
            .map(|place| format!("{}{}", dom.tag(place.parent), dom.attribute(place.parent, "class").unwrap_or("")))
            .collect();
        found.sort();
        found.dedup();
        found
    }

    #[test]
    fn it_is_in_after_or_further_after_the_element_with_the_text() {
        let html = "<nav>menu</nav><main><div class=1><div class=2><p>STORY<p>STORY<p>STORY</div><p>tags</div></main>";
        assert_eq!(parents(html), ["div1", "div2", "main"]);
        // A caption apart is no reason to leave the element.
        let html = format!("<main><p>ferry</p><div class=2>{}</div></main>", "<p>STORY".repeat(5));
        assert_eq!(parents(&html), ["body", "div2", "main"]);
    }

    #[test]
    fn it_is_never_among_items_rows_or_words() {
        assert_eq!(parents("<ul><li>STORY<li>STORY</ul>"), ["body"]);
        assert_eq!(parents("<div class=1><ol><li><p>STORY<p>STORY</ol></div>"), ["body", "div1"]);
        assert_eq!(parents("<table><tr><td>STORY<td>STORY</table>"), ["body"]);
        // Not after a cell: that would be among the cells of the row.
        assert_eq!(parents("<table><tr><td class=1><p>STORY<p>STORY<td>menu</table>"), ["td1"]);
        assert_eq!(parents("<a href=x><div>STORY</div><div>STORY</div></a>"), ["body"]);
    }

    #[test]
    fn a_page_with_one_block_has_no_place() {
        assert!(parents("<div><p>STORY</p><p>menu</p></div>").is_empty());
        assert!(parents("<p>menu</p>").is_empty());
    }
}
