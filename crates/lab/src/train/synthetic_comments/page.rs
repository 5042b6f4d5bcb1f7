//! One page with comments: chosen, measured, and written with its gold.

use super::chance::Chance;
use super::markup::Element;
use super::section::draw_section;
use super::sentences::Sentences;
use crate::gold::{Alignment, label_for_training, read_gold};
use std::fs;
use vclean_core::capture::{Dom, DomBuilder, NodeId, NodeKind};
use vclean_core::classify::Label;
use vclean_core::error::Error;
use vclean_core::page::{Body, Page};
use vclean_core::target::{self, Target, TargetRule};
use vclean_core::text::count_letters;
use vclean_run::source::{DataSet, Row};

/// Kinds of pages that are never used: their main text is itself a list, or answers of readers.
const LEFT_OUT: &[&str] = &["listing", "collection", "forum", "home"];
/// Kinds of pages that seldom have comments, and the share of these that is used of the share that
/// would be.
const SELDOM: &[&str] = &["documentation", "service", "product"];
const SELDOM_SHARE: f64 = 0.4;
/// Larger pages are left out: they cost much time, and the few that there are hold data rather than
/// text.
const MOST_BYTES: u64 = 1_500_000;

/// A page with comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntheticPage {
    /// The page as HTML, which begins with a byte order mark.
    pub(super) html: String,
    /// The readers' comments, a line each.
    pub(super) comments: String,
    /// Texts that were added and are neither content nor comments.
    pub(super) others: Vec<String>,
}

/// Draws whether a page is used; `share` is from 0 to 1.
pub(super) fn is_drawn(row: &Row, share: f64, chance: &mut Chance) -> bool {
    let kind = row.page_type.as_deref().unwrap_or("");
    let is_html = row
        .page
        .extension()
        .is_some_and(|extension| extension == "html" || extension == "htm");
    let share = if SELDOM.contains(&kind) {
        share * SELDOM_SHARE
    } else {
        share
    };
    let is_small = || fs::metadata(&row.page).is_ok_and(|facts| facts.len() <= MOST_BYTES);
    chance.happens(share)
        && row.split == "train"
        && is_html
        && !LEFT_OUT.contains(&kind)
        && is_small()
}

/// Inserts a comment section into a page; `None` if its gold does not match it, or if there is no
/// place for one.
///
/// # Errors
/// If the page or its gold cannot be read.
pub(super) fn with_comments(
    set: &DataSet,
    row: &Row,
    sentences: &Sentences,
    chance: &mut Chance,
) -> Result<Option<SyntheticPage>, Error> {
    let page = row.open()?;
    let capture = vclean_core::page::parse(&page)?;
    let targets = target::select(&capture, TargetRule::default());
    let texts: Vec<String> = targets
        .iter()
        .map(|target| target.text(&capture.dom))
        .collect();
    let labelling = label_for_training(set, row, &capture, &targets, &texts, Alignment::Words)?;
    if labelling.quality.is_bad {
        return Ok(None);
    }
    let own = read_gold(set, row)?.text.unwrap_or_default();
    let Some(place) = choose_place(&capture.dom, &targets, &labelling.labels, chance) else {
        return Ok(None);
    };
    let Some(of_page) = sentences.of_page(row, &own) else {
        return Ok(None);
    };
    let Some(section) = draw_section(&row.lang, &of_page, chance) else {
        return Ok(None);
    };
    // The comments that the page has already count too, or they would be taken for other
    // boilerplate.
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for ((target, text), label) in targets.iter().zip(texts).zip(&labelling.labels) {
        if *label == Some(Label::Comments) {
            let is_before = target.first().index() < place.position;
            if is_before {
                before.push(text);
            } else {
                after.push(text);
            }
        }
    }
    let comments: Vec<String> = before
        .into_iter()
        .chain(section.comments)
        .chain(after)
        .collect();
    let dom = insert(&capture.dom, place, &section.elements);
    // The byte order mark overrules what the page says of its earlier encoding.
    let html = format!("\u{feff}{}{}", doctype(&page), dom.to_html());
    Ok(Some(SyntheticPage {
        html,
        comments: comments.join("\n"),
        others: section.others,
    }))
}

/// The document type as in the source; empty if there is none. Without it, browsers would lay the
/// page out in another way, and tables could be moved out of paragraphs.
fn doctype(page: &Page) -> &str {
    let Body::Html { html, .. } = &page.body else {
        return "";
    };
    let mut rest =
        html.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\u{feff}');
    loop {
        let end = match () {
            () if rest.starts_with("<!--") => "-->",
            () if rest.starts_with("<?") => ">",
            () => break,
        };
        let Some((_, after)) = rest.split_once(end) else {
            return "";
        };
        rest = after.trim_start();
    }
    let is_doctype = rest
        .get(..9)
        .is_some_and(|start| start.eq_ignore_ascii_case("<!doctype"));
    rest.find('>')
        .filter(|_| is_doctype)
        .map_or("", |end| &rest[..=end])
}

// Where a comment section goes: at the end of the element that holds the main text, after it, or
// after its parent.

/// Share of the letters of the main text that the element must hold. Not all: captions, the
/// headline and the first picture often stand apart.
const HELD: f64 = 0.9;
/// Least number of content blocks: with one, it is unknown where the text continues.
const LEAST_BLOCKS: usize = 2;
/// Shares of sections at the end of the element and after it; the others go after its parent.
const AT_END: f64 = 0.35;
const AFTER: f64 = 0.45;

/// Elements into which a section may be inserted. In others it would stand among list items, rows
/// or words.
fn may_hold(tag: &str) -> bool {
    matches!(
        tag,
        "body" | "div" | "section" | "article" | "main" | "td" | "center" | "form"
    ) || tag.contains('-')
}

/// Elements in which nothing may be inserted at any depth, because the parser would move it
/// elsewhere, or because it is not shown.
fn is_closed(tag: &str) -> bool {
    matches!(
        tag,
        "p" | "a"
            | "button"
            | "select"
            | "svg"
            | "math"
            | "object"
            | "head"
            | "template"
            | "noscript"
    )
}

/// Chooses the place in a page with these blocks; `None` if there are too few content blocks, or
/// there is no place.
fn choose_place(
    dom: &Dom,
    targets: &[Target],
    labels: &[Option<Label>],
    chance: &mut Chance,
) -> Option<InsertionPoint> {
    let holder = deepest_holder(dom, targets, labels)?;
    let holder = std::iter::once(holder)
        .chain(dom.ancestors(holder))
        .find(|&id| is_open(dom, id))?;
    let at_end = Some(InsertionPoint::at_end(dom, holder));
    let after =
        |id: NodeId| InsertionPoint::after(dom, id).filter(|place| is_open(dom, place.parent));
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
    let content = || {
        targets
            .iter()
            .zip(labels)
            .filter(|(_, label)| **label == Some(Label::Content))
    };
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

/// Where in a tree something is inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InsertionPoint {
    /// The parent of what is inserted.
    pub(super) parent: NodeId,
    /// The position in document order: that of a child of the parent, or the parent's end.
    pub(super) position: usize,
}

impl InsertionPoint {
    /// At the end of `parent`.
    pub(super) fn at_end(dom: &Dom, parent: NodeId) -> Self {
        Self {
            parent,
            position: dom.end(parent),
        }
    }

    /// After `node`; `None` for the root.
    pub(super) fn after(dom: &Dom, node: NodeId) -> Option<Self> {
        Some(Self {
            parent: dom.parent(node)?,
            position: dom.end(node),
        })
    }
}

/// A copy of the tree with `elements` at `place`.
pub(super) fn insert(dom: &Dom, place: InsertionPoint, elements: &[Element]) -> Dom {
    let mut builder = DomBuilder::new();
    let mut open: Vec<NodeId> = Vec::new();
    let build =
        |builder: &mut DomBuilder| elements.iter().for_each(|element| element.build(builder));
    for index in 1..=dom.len() {
        while let Some(last) = open.pop_if(|last| dom.end(*last) <= index) {
            if last == place.parent && place.position == dom.end(last) {
                build(&mut builder);
            }
            builder.close();
        }
        if place.position == index && open.last() == Some(&place.parent) {
            build(&mut builder);
        }
        if index == dom.len() {
            break;
        }
        let id = NodeId::new(index);
        match dom.kind(id) {
            NodeKind::Text(text) => {
                builder.text(text);
                continue;
            }
            NodeKind::Document => builder.open_document(),
            NodeKind::Element { tag, attributes } => builder.open_with(tag, attributes.iter()),
        };
        open.push(id);
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use vclean_core::capture::Capture;
    use vclean_core::html::parse_html;
    use vclean_core::page::{Page, parse};
    use vclean_core::target::{TargetRule, select};

    #[test]
    fn the_document_type_stays() {
        let of = |html: &str| doctype(&Page::from_html("page", html)).to_owned();
        assert_eq!(
            of("\n<!-- saved --><?xml version='1.0'?> <!DOCTYPE html><p>text"),
            "<!DOCTYPE html>"
        );
        assert_eq!(
            of("<!doctype HTML PUBLIC \"x\">\n<html>"),
            "<!doctype HTML PUBLIC \"x\">"
        );
        assert!(
            ["<html><!DOCTYPE html>", "<!doc", "", "<!-- open", "text"]
                .iter()
                .all(|html| of(html).is_empty())
        );
    }

    const STORY: &str = "The ferry leaves the island at noon and nobody on board minds the rain.";

    fn page(html: &str) -> (Capture, Vec<Target>, Vec<Option<Label>>) {
        let capture = parse(&Page::from_html("page", html.replace("STORY", STORY))).unwrap();
        let targets = select(&capture, TargetRule::default());
        let label = |target: &Target| {
            let is_story = target.text(&capture.dom).contains("ferry");
            Some(if is_story {
                Label::Content
            } else {
                Label::Boilerplate
            })
        };
        let labels = targets.iter().map(label).collect();
        (capture, targets, labels)
    }

    /// The parents of all places that are drawn, without repetition, as tags with classes.
    fn parents(html: &str) -> Vec<String> {
        let (capture, targets, labels) = page(html);
        let dom = &capture.dom;
        let mut found: Vec<String> = (0..60)
            .filter_map(|seed| {
                choose_place(dom, &targets, &labels, &mut Chance::of_page(seed, "", ""))
            })
            .map(|place| {
                format!(
                    "{}{}",
                    dom.tag(place.parent),
                    dom.attribute(place.parent, "class").unwrap_or("")
                )
            })
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
        let html = format!(
            "<main><p>ferry</p><div class=2>{}</div></main>",
            "<p>STORY".repeat(5)
        );
        assert_eq!(parents(&html), ["body", "div2", "main"]);
    }

    #[test]
    fn it_is_never_among_items_rows_or_words() {
        assert_eq!(parents("<ul><li>STORY<li>STORY</ul>"), ["body"]);
        assert_eq!(
            parents("<div class=1><ol><li><p>STORY<p>STORY</ol></div>"),
            ["body", "div1"]
        );
        assert_eq!(parents("<table><tr><td>STORY<td>STORY</table>"), ["body"]);
        // Not after a cell: that would be among the cells of the row.
        assert_eq!(
            parents("<table><tr><td class=1><p>STORY<p>STORY<td>menu</table>"),
            ["td1"]
        );
        assert_eq!(
            parents("<a href=x><div>STORY</div><div>STORY</div></a>"),
            ["body"]
        );
    }

    #[test]
    fn a_page_with_one_block_has_no_place() {
        assert!(parents("<div><p>STORY</p><p>menu</p></div>").is_empty());
        assert!(parents("<p>menu</p>").is_empty());
    }

    fn find(dom: &Dom, tag: &str) -> NodeId {
        dom.ids()
            .find(|&id| dom.tag(id) == tag)
            .unwrap_or(Dom::ROOT)
    }

    #[test]
    fn it_goes_to_the_end_or_after() {
        let dom = parse_html("<div><p>one<p>two</div><i>three</i>");
        let added = [Element::new("b").saying("new")];
        let body = |place: InsertionPoint| {
            let html = insert(&dom, place, &added).to_html();
            html.replace("<html><head></head><body>", "")
                .replace("</body></html>", "")
        };
        let (div, p) = (find(&dom, "div"), find(&dom, "p"));
        assert_eq!(
            body(InsertionPoint::at_end(&dom, div)),
            "<div><p>one</p><p>two</p><b>new</b></div><i>three</i>"
        );
        assert_eq!(
            body(InsertionPoint {
                parent: div,
                position: dom.end(p)
            }),
            "<div><p>one</p><b>new</b><p>two</p></div><i>three</i>"
        );
        let after = InsertionPoint::after(&dom, div);
        assert_eq!(
            after.map(body).as_deref(),
            Some("<div><p>one</p><p>two</p></div><b>new</b><i>three</i>")
        );
        let last = InsertionPoint::after(&dom, find(&dom, "i"));
        assert_eq!(last, Some(InsertionPoint::at_end(&dom, find(&dom, "body"))));
        assert_eq!(InsertionPoint::after(&dom, Dom::ROOT), None);
    }

    proptest! {
        #[test]
        fn nothing_else_changes(html in "(<(/?(p|b|div|table|tr|td|ul|li|form))>|[a-z ]{0,4}){0,40}", at in 0usize..40) {
            let dom = parse_html(&html);
            let parents: Vec<NodeId> = dom.ids().filter(|&id| dom.is_element(id)).collect();
            let place = InsertionPoint::at_end(&dom, parents[at % parents.len()]);
            prop_assert_eq!(&insert(&dom, place, &[]), &dom);
            let grown = insert(&dom, place, &[Element::new("hr")]);
            prop_assert!(grown.len() == dom.len() + 1 && grown.ids().any(|id| grown.tag(id) == "hr"));
        }
    }
}
