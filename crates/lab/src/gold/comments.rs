//! Finds the targets of a page that are readers' comments, by gold text, or weakly, by the markup
//! of well-known comment systems.
//!
//! [`by_gold`] aligns the words of `gold_comments/ID.txt`; [`weak_labels`] is for pages of sets
//! without such gold, and is used for training only. Content stays content in both.

use super::align;
use super::labelling::{CommentKnowledge, Labelling};
use super::words::TokenUnit;
use vclean_core::capture::{Dom, NodeId};
use vclean_core::classify::Label;
use vclean_core::target::Target;

/// Labels as comments the targets that are not content and have the words of `gold`, the page's
/// comments. Where most of the words are not found, no target is labelled and the comments stay
/// unknown.
pub(super) fn by_gold(labelling: &mut Labelling, texts: &[String], gold: &str, unit: TokenUnit) {
    labelling.comments = CommentKnowledge::Gold;
    if gold.trim().is_empty() {
        return;
    }
    let others: Vec<usize> = (0..texts.len())
        .filter(|&target| labelling.labels[target] != Some(Label::Content))
        .collect();
    let their_texts: Vec<String> = others.iter().map(|&target| texts[target].clone()).collect();
    let aligned = align::words(&their_texts, gold, unit);
    if aligned.quality.is_bad {
        labelling.comments = CommentKnowledge::Unknown;
        return;
    }
    for (&target, label) in others.iter().zip(&aligned.labels) {
        if *label == Some(Label::Content) {
            labelling.labels[target] = Some(Label::Comments);
        }
    }
}

/// Weak labels: boilerplate that lies in a well-known comment system is labelled as comments. The
/// comments of a page count as weakly known if such a target is found, or if no name in its markup
/// refers to comments.
pub(super) fn weak_labels(labelling: &mut Labelling, dom: &Dom, targets: &[Target]) {
    let mut found = false;
    for (label, is_inside) in labelling
        .labels
        .iter_mut()
        .zip(in_comment_systems(dom, targets))
    {
        if is_inside {
            // Content in a comment system, such as the posts of a forum, is also known not to be a
            // comment.
            found = true;
            if *label == Some(Label::Boilerplate) {
                *label = Some(Label::Comments);
            }
        }
    }
    if found || !may_have_comments(dom) {
        labelling.comments = CommentKnowledge::Weak;
    }
}

/// Ids of containers of comments, in lower case; digits count as `0`. By system: WordPress with its
/// themes and Drupal, Disqus, Blogger, others.
const IDS: &[&str] = &[
    "comments",
    "comment-0",
    "div-comment-0",
    "li-comment-0",
    "disqus_thread",
    "dsq-comments",
    "comment-holder",
    "comments-block",
    "blog0_comments-block-wrapper",
    "commento",
    "coral_talk_stream",
    "coral_thread",
    "cusdis_thread",
    "discourse-comments",
    "gitalk-container",
    "hyvor-talk-view",
    "idc-container",
    "idc-commentarea",
    "isso-thread",
    "livefyre-comments",
    "remark42",
    "vcomments",
    "vuukle-comments",
    "waline",
];

/// Classes of such containers, in lower case. By system: WordPress, Disqus, Blogger with Movable
/// Type and TypePad, Drupal, Stack Exchange, others.
const CLASSES: &[&str] = &[
    "commentlist",
    "comment-list",
    "comments-area",
    "wp-block-comments",
    "wp-block-comment-template",
    "dsq-comment",
    "comment-thread",
    "comments-content",
    "comments-open-content",
    "comment-wrapper",
    // Remarks under questions and answers.
    "js-comments-container",
    "fb-comments",
    "giscus",
    "isso-comment",
    "squarespace-comments",
    "utterances",
    "utterances-frame",
    "p-comment",
    "u-comment",
];

/// Types and properties of schema.org.
const TYPES: &[&str] = &["schema.org/comment", "schema.org/usercomments"];

/// Elements in such a container that are not comments: forms, buttons, headings, links between
/// pages of comments.
const OTHER_TAGS: &[&str] = &[
    "form", "button", "nav", "label", "select", "textarea", "noscript", "h1", "h2", "h3", "h4",
    "h5", "h6",
];

/// Ids and classes of such elements.
const OTHER_NAMES: &[&str] = &[
    "respond",
    "comment-respond",
    "comment-form",
    "commentform",
    "comment-reply-link",
    "reply",
    "comment-actions",
    "comment-navigation",
    "comments-pagination",
    "comments-title",
    "comment-edit-link",
    "no-comments",
    "nocomments",
    "must-log-in",
    "dsq-brlink",
];

/// Parts of names that refer to comments, discussions or reviews, in the languages that occur in
/// class names.
const SUSPICIOUS: &[&str] = &[
    "comment",
    "komment",
    "coment",
    "disqus",
    "discuss",
    "reply",
    "replies",
    "review",
    "thread",
    "feedback",
    "guestbook",
    "respond",
];

/// An id in lower case, with each run of digits replaced by `0`.
fn generic(id: &str) -> String {
    let mut name = String::with_capacity(id.len());
    for c in id.chars() {
        let c = if c.is_ascii_digit() {
            '0'
        } else {
            c.to_ascii_lowercase()
        };
        if !(c == '0' && name.ends_with('0')) {
            name.push(c);
        }
    }
    name
}

fn words<'a>(dom: &'a Dom, id: NodeId, attribute: &str) -> impl Iterator<Item = &'a str> {
    dom.attribute(id, attribute)
        .unwrap_or("")
        .split_ascii_whitespace()
}

fn is_named(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| name.eq_ignore_ascii_case(word))
}

/// True if an element is a container of comments, or a comment.
fn is_comment_container(dom: &Dom, id: NodeId) -> bool {
    if matches!(
        dom.tag(id),
        "html" | "body" | "a" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "span"
    ) {
        // Anchors and headings only mark where the comments begin.
        return false;
    }
    dom.attribute(id, "id")
        .is_some_and(|name| IDS.contains(&&*generic(name.trim())))
        || words(dom, id, "class").any(|word| is_named(word, CLASSES))
        || words(dom, id, "itemprop").any(|word| word.eq_ignore_ascii_case("comment"))
        || words(dom, id, "itemtype").any(|address| {
            let address = address.to_ascii_lowercase();
            TYPES
                .iter()
                .any(|kind| address.trim_end_matches('/').ends_with(kind))
        })
}

/// True if an element in a container is not a comment.
fn is_other(dom: &Dom, id: NodeId) -> bool {
    OTHER_TAGS.contains(&dom.tag(id))
        || words(dom, id, "class")
            .chain(words(dom, id, "id"))
            .any(|word| is_named(word, OTHER_NAMES))
}

/// For each target, true if it lies in a comment of a well-known system. Linear in the nodes of the
/// page.
pub(crate) fn in_comment_systems(dom: &Dom, targets: &[Target]) -> Vec<bool> {
    let mut is_comment = vec![false; dom.len()];
    let mut is_excluded = vec![false; dom.len()];
    for id in dom.ids().skip(1) {
        let (parent, index) = (dom.parent(id).map_or(0, NodeId::index), id.index());
        is_comment[index] = is_comment[parent] || is_comment_container(dom, id);
        is_excluded[index] = is_excluded[parent] || is_other(dom, id);
    }
    let is_inside = |target: &Target| {
        let node = target.first().index();
        is_comment[node] && !is_excluded[node]
    };
    targets.iter().map(is_inside).collect()
}

/// True if a name in the markup of a page refers to comments, so that the page may have comments in
/// an unknown system.
pub(crate) fn may_have_comments(dom: &Dom) -> bool {
    let is_suspicious = |value: &str| {
        let value = value.to_ascii_lowercase();
        SUSPICIOUS.iter().any(|part| value.contains(part))
    };
    dom.ids().any(|id| {
        dom.attributes(id).iter().any(|(name, value)| {
            matches!(name, "id" | "class" | "itemprop" | "itemtype") && is_suspicious(value)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::labelling::Quality;
    use Label::{Boilerplate, Comments, Content};
    use vclean_core::page::{Page, parse};
    use vclean_core::target::{TargetRule, select};

    const POST: &str =
        "The ferry leaves the island at noon, and nobody on board seemed to mind the rain.";
    const REMARK: &str =
        "I took the same ferry last year and it was late by two hours, so bring a book with you.";

    fn texts() -> Vec<String> {
        ["Home", POST, "Anna wrote", REMARK, "Reply"]
            .map(str::to_owned)
            .to_vec()
    }

    #[test]
    fn gold_comments_label_what_is_not_content() {
        let texts = texts();
        let mut labelling = align::words(&texts, POST, TokenUnit::Words);
        assert_eq!(labelling.comments, CommentKnowledge::Unknown);
        by_gold(
            &mut labelling,
            &texts,
            &format!("Anna wrote\n{REMARK}"),
            TokenUnit::Words,
        );
        let expected = [Boilerplate, Content, Comments, Comments, Boilerplate];
        assert_eq!(labelling.labels, expected.map(Some));
        assert_eq!(labelling.comments, CommentKnowledge::Gold);

        // Content stays content even if the comments repeat it.
        let mut labelling = align::words(&texts, &format!("{POST}\n{REMARK}"), TokenUnit::Words);
        by_gold(&mut labelling, &texts, REMARK, TokenUnit::Words);
        assert_eq!(labelling.labels[3], Some(Content));
    }

    #[test]
    fn a_page_without_comments_is_known_and_one_with_other_comments_is_not() {
        let texts = texts();
        let mut labelling = align::words(&texts, POST, TokenUnit::Words);
        by_gold(&mut labelling, &texts, " \n", TokenUnit::Words);
        assert_eq!(labelling.comments, CommentKnowledge::Gold);
        assert!(!labelling.labels.contains(&Some(Comments)));
        by_gold(
            &mut labelling,
            &texts,
            "These words of a reader are nowhere on the page as it was saved",
            TokenUnit::Words,
        );
        assert_eq!(labelling.comments, CommentKnowledge::Unknown);
        assert!(!labelling.labels.contains(&Some(Comments)));
    }

    fn weakly(html: &str, label: impl Fn(usize) -> Label) -> (Vec<Label>, CommentKnowledge) {
        let capture = vclean_core::page::parse(&Page::from_html("page", html)).unwrap();
        let targets = select(&capture, TargetRule::default());
        let labels = (0..targets.len())
            .map(|target| Some(label(target)))
            .collect();
        let scores = vec![0.0; targets.len()];
        let mut labelling = Labelling {
            labels,
            scores,
            quality: Quality::default(),
            comments: CommentKnowledge::Unknown,
        };
        weak_labels(&mut labelling, &capture.dom, &targets);
        (
            labelling.labels.into_iter().flatten().collect(),
            labelling.comments,
        )
    }

    #[test]
    fn weak_labels_are_given_to_boilerplate_only() {
        let html =
            "<p>post</p><ol class=commentlist><li>one</li><li>two</li></ol><footer>legal</footer>";
        let label = |target| if target < 2 { Content } else { Boilerplate };
        assert_eq!(
            weakly(html, label),
            (
                vec![Content, Content, Comments, Boilerplate],
                CommentKnowledge::Weak
            )
        );
        let silent = weakly("<p>post</p><div class=teasers>other</div>", label);
        assert_eq!(silent, (vec![Content, Content], CommentKnowledge::Weak));
        let doubtful = weakly("<p>post</p><div class=user-comments-box>other</div>", label);
        assert_eq!(doubtful.1, CommentKnowledge::Unknown);
    }

    fn inside(html: &str) -> Vec<String> {
        let capture = parse(&Page::from_html("page", html)).unwrap();
        let targets = select(&capture, TargetRule::default());
        let inside = in_comment_systems(&capture.dom, &targets);
        let kept = targets.iter().zip(inside).filter(|(_, inside)| *inside);
        kept.map(|(target, _)| target.text(&capture.dom)).collect()
    }

    #[test]
    fn comments_of_known_systems_are_found_without_their_forms() {
        let wordpress = "<p>post</p><div id=comments class=comments-area><h2 class=comments-title>2 remarks</h2>\
            <ol class=comment-list><li id=comment-81><div><b>Anna</b></div><p>first</p>\
            <div class=reply><a href=#>Reply</a></div></li></ol>\
            <div id=respond><h3>Leave one</h3><form><p>Mail</p></form></div></div>";
        assert_eq!(inside(wordpress), ["Anna", "first"]);
        let schema = "<p>post</p><div itemscope itemtype=https://schema.org/Comment><p>one</p></div>\
            <div itemprop=comment><p>two</p></div><section id=Blog1_comments-block-wrapper><p>three</p></section>";
        assert_eq!(inside(schema), ["one", "two", "three"]);
    }

    #[test]
    fn what_only_speaks_of_comments_is_left_alone() {
        let html = "<h3 id=comments>Remarks</h3><p><a class=comments-link href=#c>3 comments</a></p>\
            <ul class=recentcomments><li>Anna on the ferry</ul><body class=comments-area><p>text</p>";
        assert!(inside(html).is_empty());
        let has =
            |html: &str| may_have_comments(&parse(&Page::from_html("page", html)).unwrap().dom);
        assert!(has(html) && !has("<div class='layout responsive'><p>text</p></div>"));
    }
}
