//! Readers' comments: their treatment, the segments that form each one, its author and date.
//!
//! The element of a comment is the nearest one around its text that is marked as one (schema.org,
//! or a class or id that says so) or that is one of several siblings like it, and that holds an
//! author or a date. Text without such an element is a separate comment, without author and date.

use super::byline::{Byline, byline, byline_nodes};
use super::page::PageParts;
use super::posts::{DescribedPosts, add_described, comment_details};
use crate::capture::{Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::content::{Post, PostRole, Segment};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Treatment of readers' comments. The posts of a forum thread are not comments but the page's
/// text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReaderComments {
    /// They are written within the text, in document order.
    Keep,
    /// They are left out.
    #[default]
    Drop,
    /// They are written apart from the text: in a part of their own after it, or under a key of
    /// their own.
    Separate,
    /// They are written alone, without the page's text.
    Only,
}

impl ReaderComments {
    /// All values by their name on the command line.
    pub const ALL: &[(&str, Self)] = &[
        ("keep", Self::Keep),
        ("drop", Self::Drop),
        ("separate", Self::Separate),
        ("only", Self::Only),
    ];
}

/// The decisions with the comments as content.
pub(super) fn with_comments(decisions: &[Decision]) -> Cow<'_, [Decision]> {
    if decisions
        .iter()
        .all(|decision| decision.label != Label::Comments)
    {
        return Cow::Borrowed(decisions);
    }
    relabelled(decisions, |label| {
        if label == Label::Comments {
            Label::Content
        } else {
            label
        }
    })
    .into()
}

/// The decisions with nothing as content.
pub(super) fn nothing(decisions: &[Decision]) -> Cow<'_, [Decision]> {
    relabelled(decisions, |_| Label::Boilerplate).into()
}

/// The decisions with the comments alone as content.
pub(super) fn comments_alone(decisions: &[Decision]) -> Vec<Decision> {
    relabelled(decisions, |label| {
        if label == Label::Comments {
            Label::Content
        } else {
            Label::Boilerplate
        }
    })
}

fn relabelled(decisions: &[Decision], relabel: impl Fn(Label) -> Label) -> Vec<Decision> {
    decisions
        .iter()
        .map(|decision| Decision {
            label: relabel(decision.label),
            ..decision.clone()
        })
        .collect()
}

/// Number of elements around a text that are examined. Heuristic: the element of a comment is near
/// its text.
const MAX_LEVELS: usize = 12;

/// Largest element of a comment with the replies inside it, in nodes; a larger one is the whole
/// section. Heuristic.
const MAX_NODES: usize = 4000;

/// Classes of the element of a comment.
const CLASSES: &[&str] = &[
    "comment",
    "comment-body",
    "comment-item",
    "comment-list-item",
    "comment-entry",
    "comment-block",
    "comment-container",
    "comment-wrapper",
    "comment-wrap",
    "commentitem",
    "commententry",
    "single-comment",
    "user-comment",
    "reader-comment",
    "post-comment",
    "kommentar",
    "commentaire",
    "comentario",
];

/// The comments of a page; `segments` are their text.
pub(super) fn records(page: &PageParts<'_>, segments: &[Segment]) -> Vec<Post> {
    let PageParts { dom, targets, .. } = *page;
    let language = dom.ids().take(64).find_map(|id| dom.attribute(id, "lang"));
    let mut bylines: BTreeMap<NodeId, Byline> = BTreeMap::new();
    let mut comments: Vec<(Option<NodeId>, Post)> = Vec::new();
    for (index, segment) in segments.iter().enumerate() {
        let container = targets.get(segment.target).map(|target| target.container);
        let element =
            container.and_then(|container| element(dom, container, language, &mut bylines));
        match comments.last_mut() {
            Some((before, last)) if element.is_some() && element == *before => {
                last.segments.end = index + 1;
            }
            _ => {
                let byline = element
                    .and_then(|element| bylines.get(&element).cloned())
                    .unwrap_or_default();
                let Byline { author, date } = byline;
                let comment = Post {
                    role: PostRole::Comment,
                    author,
                    date,
                    segments: index..index + 1,
                    ..Post::default()
                };
                comments.push((element, comment));
            }
        }
    }
    add_details(page, &mut comments);
    let mut comments: Vec<Post> = comments.into_iter().map(|(_, comment)| comment).collect();
    forget_labels(&mut comments);
    let described = DescribedPosts::read(dom, language);
    for comment in &mut comments {
        let texts: Vec<String> = segments[comment.segments.clone()]
            .iter()
            .map(Segment::text)
            .collect();
        add_described(comment, &texts.join(" "), &described);
    }
    comments
}

/// Adds to comments with known elements their addresses and votes, and which comment each answers.
fn add_details(page: &PageParts<'_>, comments: &mut [(Option<NodeId>, Post)]) {
    let mut elements: Vec<NodeId> = comments
        .iter()
        .filter_map(|(element, _)| *element)
        .collect();
    elements.sort_unstable();
    elements.dedup();
    let found = comment_details(page, &elements);
    let mut first: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (number, element) in comments
        .iter()
        .enumerate()
        .filter_map(|(number, (element, _))| Some((number, (*element)?)))
    {
        first.entry(element).or_insert(number);
    }
    let numbers: Vec<Option<usize>> = elements
        .iter()
        .map(|element| first.get(element).copied())
        .collect();
    for (number, (element, comment)) in comments.iter_mut().enumerate() {
        let at = element.and_then(|element| elements.binary_search(&element).ok());
        let Some((details, parent)) = at.and_then(|at| found.get(at)) else {
            continue;
        };
        comment.author = comment.author.take().or_else(|| details.author.clone());
        comment.date = comment.date.take().or_else(|| details.date.clone());
        (comment.url, comment.votes) = (details.url.clone(), details.votes);
        comment.parent = parent
            .and_then(|parent| numbers[parent])
            .filter(|&parent| parent < number);
    }
}

/// Fewest comments with one common author for which that name counts as a label of the page.
const MIN_SAME: usize = 3;

/// Removes the author if it is the same in all comments: it is then a label, not a name.
fn forget_labels(comments: &mut [Post]) {
    let first = comments.first().and_then(|comment| comment.author.clone());
    if comments.len() >= MIN_SAME
        && first.is_some()
        && comments.iter().all(|comment| comment.author == first)
    {
        for comment in comments {
            comment.author = None;
        }
    }
}

/// The element of the comment that a container of text is in.
fn element(
    dom: &Dom,
    container: NodeId,
    language: Option<&str>,
    bylines: &mut BTreeMap<NodeId, Byline>,
) -> Option<NodeId> {
    let around = std::iter::once(container)
        .chain(dom.ancestors(container))
        .take(MAX_LEVELS);
    let mut first_marked = None;
    for up in around {
        if matches!(dom.tag(up), "body" | "html" | "") || dom.end(up) - up.index() > MAX_NODES {
            break;
        }
        let is_marked = is_marked(dom, up);
        if !is_marked && !has_like(dom, up) {
            continue;
        }
        let found = bylines.entry(up).or_insert_with(|| {
            let (nodes, before) = byline_nodes(dom, up, container);
            byline(dom, &nodes, &before, language)
        });
        // A paragraph among similar siblings is not a comment, nor is a list of comments.
        if found.author.is_some() || found.date.is_some() {
            return Some(up);
        }
        first_marked = first_marked.or(is_marked.then_some(up));
    }
    first_marked
}

/// Returns true if the markup of an element says that it is a comment.
fn is_marked(dom: &Dom, id: NodeId) -> bool {
    let has = |name: &str, found: &dyn Fn(&str) -> bool| {
        dom.attribute(id, name)
            .is_some_and(|value| value.split_ascii_whitespace().any(found))
    };
    let is_type = |value: &str| {
        let name = value.rsplit(['/', ':', '#']).next().unwrap_or_default();
        matches!(name, "Comment" | "UserComments")
    };
    let is_numbered = |value: &str| {
        let (name, number) = value.rsplit_once(['-', '_']).unwrap_or_default();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number
            && matches!(
                name.to_ascii_lowercase().as_str(),
                "comment" | "li-comment" | "div-comment"
            )
    };
    has("itemtype", &is_type)
        || has("typeof", &is_type)
        || has("itemprop", &|value| value == "comment")
        || has("class", &|value| {
            CLASSES.contains(&value.to_ascii_lowercase().as_str())
        })
        || has("id", &is_numbered)
}

/// Returns true if a sibling of an element has the same tag and first class.
fn has_like(dom: &Dom, id: NodeId) -> bool {
    let is_like = |other: NodeId| {
        other != id
            && dom.tag(other) == dom.tag(id)
            && dom.attribute(other, "class").map(first_class)
                == dom.attribute(id, "class").map(first_class)
    };
    dom.parent(id)
        .is_some_and(|parent| dom.children(parent).any(is_like))
}

/// The first class; the others may tell elements of one kind apart.
fn first_class(classes: &str) -> &str {
    classes.split_ascii_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::{PruneOptions, ReaderComments, prune_with};
    use super::*;
    use crate::capture::{Capture, Record};
    use crate::html::parse_html;
    use crate::target::{Target, TargetRule, select};
    use Label::{Boilerplate, Comments, Content};

    #[test]
    fn comments_become_content_where_they_are_written() {
        let decision = |label| Decision {
            margin: 0.0,
            probability: 0.5,
            label,
            comments: None,
        };
        let decisions = [Content, Comments, Boilerplate].map(decision);
        let labels = |decisions: &[Decision]| {
            decisions
                .iter()
                .map(|decision| decision.label)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            labels(&with_comments(&decisions)),
            [Content, Content, Boilerplate]
        );
        assert_eq!(
            labels(&comments_alone(&decisions)),
            [Boilerplate, Content, Boilerplate]
        );
        assert!(matches!(with_comments(&decisions[..1]), Cow::Borrowed(_)));
    }

    /// Author, date and text of the comments of a page; blocks that contain "remark" are comments.
    fn comments(html: &str) -> Vec<[String; 3]> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let decide = |target: &Target| {
            let is_comment = target.text(&capture.dom).contains("remark");
            let label = if is_comment {
                Label::Comments
            } else {
                Label::Boilerplate
            };
            Decision {
                margin: 0.0,
                probability: 0.5,
                label,
                comments: Some(0.5),
            }
        };
        let decisions: Vec<Decision> = targets.iter().map(decide).collect();
        let options = PruneOptions {
            comments: ReaderComments::Separate,
            ..PruneOptions::default()
        };
        let document = prune_with(
            &PageParts::new(&capture, &targets),
            &decisions,
            vec![],
            options,
        );
        let part = document.comments.unwrap();
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        part.records
            .iter()
            .map(|comment| {
                let texts: Vec<String> = part.segments[comment.segments.clone()]
                    .iter()
                    .map(Segment::text)
                    .collect();
                [text(&comment.author), text(&comment.date), texts.join("|")]
            })
            .collect()
    }

    fn expected(rows: &[[&str; 3]]) -> Vec<[String; 3]> {
        rows.iter().map(|row| row.map(str::to_owned)).collect()
    }

    #[test]
    fn comments_in_microdata() {
        let found = comments(
            "<section>
             <article itemprop=comment itemscope itemtype='https://schema.org/Comment'>
               <p itemprop=author itemscope itemtype='https://schema.org/Person'><span itemprop=name>Ann Lee</span></p>
               <meta itemprop=dateCreated content='2021-05-03T10:20:00Z'>
               <div itemprop=text><p>A first remark.</p><p>The remark goes on.</p></div>
               <article itemprop=comment itemscope itemtype='https://schema.org/Comment'>
                 <b itemprop=author>Bo</b> <time datetime='2021-05-04'>yesterday</time><p>A remark in reply.</p>
               </article>
             </article></section>",
        );
        let rows = [
            [
                "Ann Lee",
                "2021-05-03T10:20:00Z",
                "A first remark.|The remark goes on.",
            ],
            ["Bo", "2021-05-04", "A remark in reply."],
        ];
        assert_eq!(found, expected(&rows));
    }

    #[test]
    fn comments_by_their_classes() {
        let found = comments(
            "<ol class=commentlist>
             <li id=comment-7 class='comment even'><div id=div-comment-7 class=comment-body>
               <div class='comment-author vcard'><cite class=fn><a href=/x>Carla</a></cite> <span class=says>says:</span></div>
               <div class=comment-meta><a href=#>March 4, 2019 at 9:15 am</a></div>
               <p>One remark.</p></div>
               <ul class=children><li id=comment-8 class='comment odd'><div class=comment-body>
                 <div class='comment-author vcard'><cite class=fn>Dee</cite> says:</div>
                 <div class=comment-meta><a href=#>March 5, 2019 at 10:00 am</a></div><p>Another remark.</p></div></li></ul>
             </li></ol>",
        );
        let rows = [
            ["Carla", "2019-03-04", "One remark."],
            ["Dee", "2019-03-05", "Another remark."],
        ];
        assert_eq!(found, expected(&rows));
    }

    #[test]
    fn comments_by_structure_alone() {
        let found = comments(
            "<div><div class=a1><b>Emil</b> <i>3 May 2020, 18:41</i><p>Some remark here.</p><p>More of the remark.</p></div>
             <div class=a1><b>Fay Novak</b> <i>4 May 2020, 07:02</i><p>A short remark.</p></div></div>
             <p>A remark without a name.</p>",
        );
        let rows = [
            [
                "Emil",
                "2020-05-03",
                "Some remark here.|More of the remark.",
            ],
            ["Fay Novak", "2020-05-04", "A short remark."],
            ["", "", "A remark without a name."],
        ];
        assert_eq!(found, expected(&rows));
    }

    #[test]
    fn what_is_the_same_in_all_comments_is_no_name() {
        let comment = |name: &str, day: u8| {
            format!(
                "<div><b>{name}</b> <time datetime='2020-01-0{day}'></time><p>A remark {day}.</p></div>"
            )
        };
        let page = |names: [&str; 3]| {
            comments(
                &[1, 2, 3]
                    .map(|day| comment(names[day as usize - 1], day))
                    .concat(),
            )
        };
        let authors = |names| {
            page(names)
                .into_iter()
                .map(|[author, ..]| author)
                .collect::<Vec<_>>()
        };
        assert_eq!(authors(["Profile"; 3]), [""; 3]);
        assert_eq!(
            authors(["Ann said...", "Bo wrote:", "Ann says :"]),
            ["Ann", "Bo", "Ann"]
        );
    }

    #[test]
    fn comments_described_in_json() {
        let found = comments(
            r#"<script type="application/ld+json">{"@type": "Article", "comment": [
                 {"@type": "Comment", "author": {"name": "Gil"}, "dateCreated": "2022-01-02", "text": "My <b>remark</b> is long enough."},
                 {"@type": "Comment", "author": "Hal", "datePublished": "2022-01-03T04:05", "text": "Another remark."}]}</script>
               <section><p>My remark is long enough.</p><p>Another remark.</p></section>"#,
        );
        let rows = [
            ["Gil", "2022-01-02", "My remark is long enough."],
            ["Hal", "2022-01-03T04:05", "Another remark."],
        ];
        assert_eq!(found, expected(&rows));
    }
}
