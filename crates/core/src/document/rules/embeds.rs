//! Posts of social networks within the text: the text of each is kept.
//!
//! A script of the network or the site's own template shows such a post: a quotation, or a link
//! around name, text and counts. Models see a short block with links. A reader sees what the text
//! is about.

use super::headings::{letters, may_be_kept};
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::error::CaptureError;
use std::ops::Range;

/// Most blocks of an embedded post, nodes of its element, and elements around a block in it.
const MAX_BLOCKS: usize = 12;
const MAX_NODES: usize = 200;
const MAX_ABOVE: usize = 8;
/// Fewest letters of the text of a post; names and counts have fewer. Heuristic.
const MIN_LETTERS: usize = 20;

/// Parts of the addresses of single posts: of Twitter and Mastodon, and of sites with a host of
/// their own, whose second part must be there too.
const STATUS: [&str; 2] = ["/status/", "/statuses/"];
const POSTS: [(&str, &str); 4] = [
    ("bsky.app/", "/post/"),
    ("threads.net/", "/post/"),
    ("threads.com/", "/post/"),
    ("substack.com/", "/note/c-"),
];

/// Sets the decision on the text of an embedded post to content where it stands between kept texts.
/// Margins and probabilities stay.
pub(super) fn keep_embedded_posts(
    page: &PageParts<'_>,
    decisions: &mut [Decision],
) -> Result<(), CaptureError> {
    let kept: Vec<usize> = (0..decisions.len())
        .filter(|&index| decisions[index].label == Label::Content)
        .collect();
    for between in kept.windows(2) {
        let gap = between[0] + 1..between[1];
        if (1..=MAX_BLOCKS).contains(&gap.len()) {
            keep_in_gap(page, decisions, gap);
        }
    }
    Ok(())
}

/// Keeps the text of the posts among blocks that were dropped between two kept ones.
fn keep_in_gap(page: &PageParts<'_>, decisions: &mut [Decision], gap: Range<usize>) {
    let PageParts { dom, targets, .. } = *page;
    let outside = [gap.start - 1, gap.end].map(|index| targets[index].first());
    let embedded: Vec<Option<NodeId>> = gap
        .clone()
        .map(|index| embedded_around(dom, targets[index].container, outside))
        .collect();
    let mut at = gap.start;
    for blocks in embedded.chunk_by(|one, other| one == other) {
        let indices = at..at + blocks.len();
        at = indices.end;
        let Some(element) = blocks[0] else { continue };
        let text = indices
            .map(|index| (letters(dom, &targets[index]), index))
            .max_by_key(|(letters, index)| (*letters, std::cmp::Reverse(*index)));
        if let Some((letters, index)) = text
            && letters >= MIN_LETTERS
            && may_be_kept(&decisions[index])
            && leads_to_post(dom, element)
        {
            decisions[index].label = Label::Content;
        }
    }
}

/// The largest element around a block that has neither of two other nodes in it, if the element
/// around it has both, as that of paragraphs and a post between them has.
fn embedded_around(dom: &Dom, container: NodeId, outside: [NodeId; 2]) -> Option<NodeId> {
    let mut around = std::iter::once(container)
        .chain(dom.ancestors(container))
        .take(MAX_ABOVE);
    let has_none = |up: NodeId| outside.iter().all(|&id| !dom.contains(up, id));
    let inside = around.by_ref().take_while(|&up| has_none(up)).last()?;
    let outer = dom.parent(inside)?;
    outside
        .iter()
        .all(|&id| dom.contains(outer, id))
        .then_some(inside)
}

fn leads_to_post(dom: &Dom, element: NodeId) -> bool {
    std::iter::once(element)
        .chain(dom.descendants(element).take(MAX_NODES))
        .filter(|&id| dom.tag(id) == "a")
        .filter_map(|id| dom.attribute(id, "href"))
        .any(is_of_post)
}

/// Returns true for the address of one post of a social network.
fn is_of_post(address: &str) -> bool {
    let begins_with_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let has_number_after = |part: &str| {
        let after = address.split_once(part).map(|(_, after)| after);
        after.is_some_and(begins_with_digit)
    };
    let is_of_account = || {
        let after = address
            .split_once("/@")
            .and_then(|(_, after)| after.split_once('/'));
        after.is_some_and(|(_, number)| begins_with_digit(number))
    };
    let is_of_host = |(host, part): &(&str, &str)| {
        address
            .split_once(host)
            .is_some_and(|(_, after)| after.contains(part))
    };
    STATUS.iter().any(|part| has_number_after(part))
        || POSTS.iter().any(is_of_host)
        || is_of_account()
}

#[cfg(test)]
mod tests {
    use super::super::trial::kept_by;
    use super::*;

    #[test]
    fn the_text_of_a_post_between_texts_is_kept_without_names_and_counts() {
        let page = |post: &str| {
            let html =
                format!("<div><p>text one 90</p>{post}<p>text two 90</p></div><p>menu 10</p>");
            kept_by(keep_embedded_posts, &html)
        };
        let card = |address: &str| {
            format!(
                "<div class=x><a href='{address}'><div>Ann @ann 10</div>Forty gulls were on the pier today. 20</a>\
                 <a href=/><div>25 likes 10</div></a></div>"
            )
        };
        let with_post = [
            "text one 90",
            "Forty gulls were on the pier today. 20",
            "text two 90",
        ];
        for address in [
            "https://twitter.com/x/status/1",
            "https://coast.example/@ann/11223344",
            "https://bsky.app/profile/ann.example/post/3k",
        ] {
            assert_eq!(page(&card(address)), with_post, "{address}");
        }
        let without = ["text one 90", "text two 90"];
        assert_eq!(page(&card("/news/gulls")), without);
        let quoted = "<blockquote><p>Forty gulls were on the pier today. 20</p>Ann 10 \
                      <a href='https://twitter.com/ann/status/2'>3 May 10</a></blockquote>";
        assert_eq!(page(quoted), with_post);
        let last = format!(
            "<div><p>text 90</p>{}</div>",
            card("https://twitter.com/x/status/1")
        );
        assert_eq!(kept_by(keep_embedded_posts, &last), ["text 90"]);
    }
}
