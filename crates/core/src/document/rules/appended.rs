//! Articles that scrolling appends below the page's own: each has a headline and an address of its
//! own, so none of them is the text of this page.

use super::headline::find_headline;
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::elements::Element;
use crate::error::CaptureError;
use crate::text::count_letters;
use std::ops::Range;

const H1: Element = Element::known("h1");
const BODY: Element = Element::known("body");
/// Letters of kept text from which a part of a page is an article. Heuristic: teasers have fewer.
const MIN_LETTERS: usize = 400;
/// Parts of the names of attributes that hold the address of an article.
const ADDRESSES: [&str; 5] = ["url", "href", "link", "path", "itemid"];
/// Levels below an article's element at which its address may be declared.
const MAX_BELOW: usize = 3;

/// Drops the articles after the page's own, if the page's headline is in the first of them.
pub(super) fn drop_appended(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let PageParts { dom, targets, .. } = *page;
    let first_kept = decisions
        .iter()
        .position(|decision| decision.label == Label::Content);
    let Some(headline) = first_kept.and_then(|first| find_headline(page, first)) else {
        return Ok(());
    };
    let container = targets[headline].container;
    let mut around = std::iter::once(container).chain(dom.ancestors(container));
    let Some(h1) = around.find(|&id| dom.element(id) == H1) else {
        return Ok(());
    };
    let Some(border) = border(page, h1, decisions) else {
        return Ok(());
    };
    for (target, decision) in targets.iter().zip(decisions) {
        if border.contains(&target.first().index()) {
            decision.label = Label::Boilerplate;
        }
    }
    Ok(())
}

/// The nodes of the appended articles: from the first to the end of the last.
fn border(page: &PageParts<'_>, h1: NodeId, decisions: &[Decision]) -> Option<Range<usize>> {
    let dom = page.dom;
    let kept = KeptLetters::new(page, decisions);
    for own in dom.ancestors(h1).take_while(|&up| dom.element(up) != BODY) {
        let end = dom.parent(own).map_or(0, |parent| dom.end(parent));
        let mut next = dom.end(own);
        let mut appended: Option<Range<usize>> = None;
        while next < end {
            let other = NodeId::new(next);
            next = dom.end(other);
            if is_other_article(page, own, other) && kept.inside(dom, other) >= MIN_LETTERS {
                let start = appended.map_or(other.index(), |range| range.start);
                appended = Some(start..next);
            }
        }
        if appended.is_some() {
            return appended.filter(|_| kept.inside(dom, own) >= MIN_LETTERS);
        }
    }
    None
}

/// The letters of kept targets, as sums over all targets before each.
struct KeptLetters {
    firsts: Vec<NodeId>,
    sums: Vec<usize>,
}

impl KeptLetters {
    fn new(page: &PageParts<'_>, decisions: &[Decision]) -> Self {
        let mut sums = vec![0];
        for (target, decision) in page.targets.iter().zip(decisions) {
            let texts = target.texts.iter().filter_map(|&id| page.dom.text(id));
            let letters = if decision.label == Label::Content {
                texts.map(count_letters).sum()
            } else {
                0
            };
            sums.push(sums[sums.len() - 1] + letters);
        }
        let firsts = page.targets.iter().zip(decisions);
        Self {
            firsts: firsts.map(|(target, _)| target.first()).collect(),
            sums,
        }
    }

    /// The kept letters in an element.
    fn inside(&self, dom: &Dom, id: NodeId) -> usize {
        let start = self.firsts.partition_point(|first| *first < id);
        let end = self
            .firsts
            .partition_point(|first| first.index() < dom.end(id));
        self.sums[end] - self.sums[start]
    }
}

/// Returns true if an element beside the page's own article is made like it, and has a headline and
/// an address of its own.
fn is_other_article(page: &PageParts<'_>, own: NodeId, other: NodeId) -> bool {
    let dom = page.dom;
    let class = |id: NodeId| {
        dom.attribute(id, "class")
            .unwrap_or_default()
            .split(' ')
            .next()
    };
    dom.tag(own) == dom.tag(other)
        && class(own) == class(other)
        && dom.descendants(other).any(|id| dom.element(id) == H1)
        && has_other_address(page, other)
}

/// Returns true if an element declares an address that is not the page's.
fn has_other_address(page: &PageParts<'_>, article: NodeId) -> bool {
    let dom = page.dom;
    let depth = dom.depth(article);
    let near = dom
        .descendants(article)
        .filter(|&id| dom.depth(id) <= depth + MAX_BELOW);
    let declared = |id: NodeId| {
        let is_address = |(name, value): (&str, &str)| {
            let names_one = (name.starts_with("data-") || name == "itemid")
                && ADDRESSES.iter().any(|part| name.contains(part));
            names_one
                && (value.starts_with('/') || value.starts_with("http"))
                && !page.addresses.is_here(value)
        };
        dom.attributes(id).iter().any(is_address) || is_linked_headline(page, id)
    };
    std::iter::once(article).chain(near).any(declared)
}

/// Returns true for a link in a headline, or marked as that of an article, to another page.
fn is_linked_headline(page: &PageParts<'_>, id: NodeId) -> bool {
    let dom: &Dom = page.dom;
    let is_marked = || dom.attribute(id, "rel") == Some("bookmark");
    let is_in_h1 = || dom.ancestors(id).take(2).any(|up| dom.element(up) == H1);
    dom.tag(id) == "a"
        && (is_marked() || is_in_h1())
        && dom
            .attribute(id, "href")
            .is_some_and(|address| !page.addresses.is_here(address))
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_if;
    use super::*;

    fn article(name: &str, attributes: &str) -> String {
        let text =
            format!("{name} drop mussels on rocks, from a height that depends on the shell. ")
                .repeat(8);
        format!(
            "<article class=story {attributes}><h1>{name} of the coast</h1><p>{text}</p></article>"
        )
    }

    fn headlines(html: &str) -> Vec<String> {
        let kept = kept_if(drop_appended, html, |_| 1.0);
        kept.into_iter()
            .filter(|text| text.ends_with("coast"))
            .collect()
    }

    #[test]
    fn articles_below_the_page_s_own_are_dropped() {
        let head = "<title>Gulls of the coast | Shore</title><main>";
        let appended = format!(
            "{head}{}{}{}",
            article("Gulls", "data-url=/gulls"),
            article("Terns", "data-url=/terns"),
            article("Auks", "data-url=/auks")
        );
        assert_eq!(headlines(&appended), ["Gulls of the coast"]);
        let wrapped = format!(
            "{head}<div class=w>{}</div><div class=w>{}</div>",
            article("Gulls", ""),
            article("Terns", "data-permalink='https://a.example/terns'")
        );
        assert_eq!(headlines(&wrapped), ["Gulls of the coast"]);
    }

    #[test]
    fn lists_of_articles_and_chapters_stay() {
        let both = |title: &str, attributes: &str| {
            let html = format!(
                "<title>{title}</title>{}{}",
                article("Gulls", attributes),
                article("Terns", attributes)
            );
            headlines(&html).len()
        };
        assert_eq!(both("Shore, a blog about birds", "data-url=/one"), 2);
        assert_eq!(both("Gulls of the coast | Shore", ""), 2);
    }
}
