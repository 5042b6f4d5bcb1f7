//! Which segments of the comments are one comment, and who wrote it when.
//!
//! The element of a comment is the nearest one around its text that is marked as one (schema.org, or a class or id that
//! says so) or that stands beside others like it, and that holds an author or a date. Text without such an element is a
//! comment of its own, without author and date.

use super::comment_byline::{Byline, byline};
use super::comment_data::DescribedComments;
use super::document::{ReaderComment, Segment};
use crate::capture::{Capture, Dom, NodeId};
use crate::target::Target;
use crate::text::collapse;
use std::collections::BTreeMap;

/// How many elements around a text are examined. Heuristic: the element of a comment is near its text.
const MAX_LEVELS: usize = 12;

/// Largest element of a comment with the replies inside it, in nodes; a larger one is the whole section. Heuristic.
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
pub(super) fn records(capture: &Capture, targets: &[Target], segments: &[Segment]) -> Vec<ReaderComment> {
    let dom = &capture.dom;
    let language = dom.ids().take(64).find_map(|id| dom.attribute(id, "lang"));
    let mut bylines: BTreeMap<NodeId, Byline> = BTreeMap::new();
    let described = DescribedComments::read(dom, language);
    let mut comments: Vec<ReaderComment> = Vec::new();
    let mut before: Option<NodeId> = None;
    for (index, segment) in segments.iter().enumerate() {
        let container = targets.get(segment.target).map(|target| target.container);
        let element = container.and_then(|container| element(dom, container, language, &mut bylines));
        match comments.last_mut() {
            Some(last) if element.is_some() && element == before => last.segments.end = index + 1,
            _ => {
                let byline = element.and_then(|element| bylines.get(&element).cloned()).unwrap_or_default();
                let Byline { author, date } = byline;
                comments.push(ReaderComment { author, date, segments: index..index + 1 });
            }
        }
        before = element;
    }
    forget_labels(&mut comments);
    for comment in &mut comments {
        if comment.author.is_none() || comment.date.is_none() {
            let texts: Vec<String> = segments[comment.segments.clone()].iter().map(Segment::text).collect();
            let Some(Byline { author, date }) = described.find(&collapse(&texts.join(" "))) else { continue };
            comment.author = comment.author.take().or(author);
            comment.date = comment.date.take().or(date);
        }
    }
    comments
}

/// Fewest comments of which all have one author for the name to be a label of the page.
const MIN_SAME: usize = 3;

/// What stands in the place of the author in all comments is no name.
fn forget_labels(comments: &mut [ReaderComment]) {
    let first = comments.first().and_then(|comment| comment.author.clone());
    if comments.len() >= MIN_SAME && first.is_some() && comments.iter().all(|comment| comment.author == first) {
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
    let around = std::iter::once(container).chain(dom.ancestors(container)).take(MAX_LEVELS);
    let mut first_marked = None;
    for up in around {
        if matches!(dom.tag(up), "body" | "html" | "") || dom.end(up) - up.index() > MAX_NODES {
            break;
        }
        let is_marked = is_marked(dom, up);
        if !is_marked && !has_like(dom, up) {
            continue;
        }
        let found = bylines.entry(up).or_insert_with(|| byline(dom, up, container, language));
        // A paragraph beside others like it is none, nor is a list of comments.
        if found.author.is_some() || found.date.is_some() {
            return Some(up);
        }
        first_marked = first_marked.or(is_marked.then_some(up));
    }
    first_marked
}

/// Whether an element says that it is a comment.
fn is_marked(dom: &Dom, id: NodeId) -> bool {
    let has = |name: &str, found: &dyn Fn(&str) -> bool| {
        dom.attribute(id, name).is_some_and(|value| value.split_ascii_whitespace().any(found))
    };
    let is_type = |value: &str| {
        let name = value.rsplit(['/', ':', '#']).next().unwrap_or_default();
        matches!(name, "Comment" | "UserComments")
    };
    let is_numbered = |value: &str| {
        let (name, number) = value.rsplit_once(['-', '_']).unwrap_or_default();
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number && matches!(name.to_ascii_lowercase().as_str(), "comment" | "li-comment" | "div-comment")
    };
    has("itemtype", &is_type)
        || has("typeof", &is_type)
        || has("itemprop", &|value| value == "comment")
        || has("class", &|value| CLASSES.contains(&value.to_ascii_lowercase().as_str()))
        || has("id", &is_numbered)
}

/// Whether an element has a sibling of the same tag and classes next to it.
fn has_like(dom: &Dom, id: NodeId) -> bool {
    let is_like = |other: NodeId| {
        other != id
            && dom.tag(other) == dom.tag(id)
            && dom.attribute(other, "class").map(first_class) == dom.attribute(id, "class").map(first_class)
    };
    dom.parent(id).is_some_and(|parent| dom.children(parent).any(is_like))
}

/// The first class: others may say which of several an element is.
fn first_class(classes: &str) -> &str {
    classes.split_ascii_whitespace().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::classify::{Decision, Label};
    use crate::clean::{ReaderComments, prune_with};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// Author, date and text of the comments of a page on which the text with "remark" is that of comments.
    fn comments(html: &str) -> Vec<[String; 3]> {
        let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
        let targets = select(&capture, TargetRule::Blocks);
        let decide = |target: &Target| {
            let is_comment = target.text(&capture.dom).contains("remark");
            let label = if is_comment { Label::Comments } else { Label::Boilerplate };
            Decision { margin: 0.0, probability: 0.5, label, comments: Some(0.5) }
        };
        let decisions: Vec<Decision> = targets.iter().map(decide).collect();
        let document = prune_with(&capture, &targets, &decisions, vec![], ReaderComments::Separate);
        let part = document.comments.unwrap();
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        part.records
            .iter()
            .map(|comment| {
                let texts: Vec<String> = part.segments[comment.segments.clone()].iter().map(Segment::text).collect();
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
            ["Ann Lee", "2021-05-03T10:20:00Z", "A first remark.|The remark goes on."],
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
        let rows = [["Carla", "2019-03-04", "One remark."], ["Dee", "2019-03-05", "Another remark."]];
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
            ["Emil", "2020-05-03", "Some remark here.|More of the remark."],
            ["Fay Novak", "2020-05-04", "A short remark."],
            ["", "", "A remark without a name."],
        ];
        assert_eq!(found, expected(&rows));
    }

    #[test]
    fn what_is_the_same_in_all_comments_is_no_name() {
        let comment = |name: &str, day: u8| {
            format!("<div><b>{name}</b> <time datetime='2020-01-0{day}'></time><p>A remark {day}.</p></div>")
        };
        let page = |names: [&str; 3]| comments(&[1, 2, 3].map(|day| comment(names[day as usize - 1], day)).concat());
        let authors = |names| page(names).into_iter().map(|[author, ..]| author).collect::<Vec<_>>();
        assert_eq!(authors(["Profile"; 3]), [""; 3]);
        assert_eq!(authors(["Ann said...", "Bo wrote:", "Ann says :"]), ["Ann", "Bo", "Ann"]);
    }

    #[test]
    fn comments_described_in_json() {
        let found = comments(
            r#"<script type="application/ld+json">{"@type": "Article", "comment": [
                 {"@type": "Comment", "author": {"name": "Gil"}, "dateCreated": "2022-01-02", "text": "My <b>remark</b> is long enough."},
                 {"@type": "Comment", "author": "Hal", "datePublished": "2022-01-03T04:05", "text": "Another remark."}]}</script>
               <section><p>My remark is long enough.</p><p>Another remark.</p></section>"#,
        );
        let rows = [["Gil", "2022-01-02", "My remark is long enough."], ["Hal", "2022-01-03T04:05", "Another remark."]];
        assert_eq!(found, expected(&rows));
    }
}
