//! Readers' comments: what becomes of them, which segments are one comment, and who wrote it when.
//!
//! The element of a comment is the nearest one around its text that is marked as one (schema.org, or a class or id that
//! says so) or that is one of several siblings like it, and that holds an author or a date. Text without such an element is a
//! comment of its own, without author and date.

use super::document::{ReaderComment, Segment};
use super::metadata::read_date;
use crate::capture::{Capture, Dom, NodeId, NodeKind};
use crate::classify::{Decision, Label};
use crate::target::Target;
use crate::text::{collapse, collapse_within};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What becomes of readers' comments. The posts of a forum thread are no comments but the page's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReaderComments {
    /// They stand in the text, in document order.
    Keep,
    /// They are no text of the page.
    #[default]
    Drop,
    /// They are written apart from the text: in a part of their own after it, or under a key of their own.
    Separate,
    /// They are written alone, without the page's text.
    Only,
}

impl ReaderComments {
    /// All values by their name on the command line.
    pub const ALL: &[(&str, Self)] =
        &[("keep", Self::Keep), ("drop", Self::Drop), ("separate", Self::Separate), ("only", Self::Only)];
}

/// The decisions with the comments as content.
pub(super) fn with_comments(decisions: &[Decision]) -> Cow<'_, [Decision]> {
    if decisions.iter().all(|decision| decision.label != Label::Comments) {
        return Cow::Borrowed(decisions);
    }
    relabelled(decisions, |label| if label == Label::Comments { Label::Content } else { label }).into()
}

/// The decisions with nothing as content.
pub(super) fn nothing(decisions: &[Decision]) -> Cow<'_, [Decision]> {
    relabelled(decisions, |_| Label::Boilerplate).into()
}

/// The decisions with the comments alone as content.
pub(super) fn comments_alone(decisions: &[Decision]) -> Vec<Decision> {
    relabelled(decisions, |label| if label == Label::Comments { Label::Content } else { Label::Boilerplate })
}

fn relabelled(decisions: &[Decision], relabel: impl Fn(Label) -> Label) -> Vec<Decision> {
    decisions.iter().map(|decision| Decision { label: relabel(decision.label), ..decision.clone() }).collect()
}

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
        // A paragraph among siblings like it is none, nor is a list of comments.
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

/// Largest size of a script in bytes, and largest numbers of values examined and of comments kept.
const MAX_SCRIPT_BYTES: usize = 1 << 20;
const MAX_VALUES: usize = 20_000;
const MAX_COMMENTS: usize = 1000;

/// Letters and digits at the beginning of a text by which it is found.
const KEY_LETTERS: usize = 60;

/// The comments that a page describes: the beginnings of their texts, and their bylines.
#[derive(Debug, Default)]
pub(super) struct DescribedComments(Vec<(String, Byline)>);

impl DescribedComments {
    /// Reads the scripts of a page; `language` is that of the page.
    pub(super) fn read(dom: &Dom, language: Option<&str>) -> Self {
        let mut found = Vec::new();
        let is_data = |kind: &str| kind.trim().eq_ignore_ascii_case("application/ld+json");
        for script in dom.ids().filter(|&id| dom.tag(id) == "script" && dom.attribute(id, "type").is_some_and(is_data))
        {
            let text: String = dom.children(script).filter_map(|child| dom.text(child)).collect();
            if text.len() > MAX_SCRIPT_BYTES || !text.contains("Comment") {
                continue;
            }
            // serde_json limits the nesting.
            let Ok(root) = serde_json::from_str::<Value>(text.trim().trim_end_matches(';')) else { continue };
            let mut open = vec![&root];
            let mut seen = 0;
            while let Some(value) = open.pop() {
                seen += 1;
                if seen > MAX_VALUES || found.len() >= MAX_COMMENTS {
                    break;
                }
                match value {
                    Value::Array(values) => open.extend(values.iter().rev()),
                    Value::Object(object) => {
                        found.extend(comment(object, language));
                        open.extend(object.values().filter(|value| value.is_object() || value.is_array()));
                    }
                    _ => {}
                }
            }
        }
        Self(found)
    }

    /// The byline of the comment whose text begins like `text`.
    pub(super) fn find(&self, text: &str) -> Option<Byline> {
        let wanted = key(text);
        self.0.iter().find(|(key, _)| !key.is_empty() && *key == wanted).map(|(_, byline)| byline.clone())
    }
}

fn comment(object: &Map<String, Value>, language: Option<&str>) -> Option<(String, Byline)> {
    let is_comment = match object.get("@type")? {
        Value::String(kind) => kind.ends_with("Comment"),
        Value::Array(kinds) => kinds.iter().any(|kind| kind.as_str().is_some_and(|kind| kind.ends_with("Comment"))),
        _ => false,
    };
    if !is_comment {
        return None;
    }
    let given = |name: &str| object.get(name).and_then(Value::as_str);
    let text = given("text").or(given("description"))?;
    let author = match object.get("author")? {
        Value::Array(authors) => authors.first()?,
        author => author,
    };
    let author = author.as_str().or_else(|| author.get("name")?.as_str()).map(collapse);
    let when = given("dateCreated").or(given("datePublished"));
    let byline =
        Byline { author: author.filter(|author| !author.is_empty()), date: when.and_then(|when| date(when, language)) };
    Some((key(&without_tags(text)), byline))
}

/// A text without what looks like tags of HTML.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_tag = false;
    for c in text.chars() {
        match c {
            '<' => is_tag = true,
            '>' if is_tag => is_tag = false,
            _ if !is_tag => out.push(c),
            _ => {}
        }
    }
    out
}

fn key(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(KEY_LETTERS).collect()
}

/// Longest name, and longest text with a date, in characters.
const MAX_NAME_CHARS: usize = 60;
const MAX_DATE_CHARS: usize = 100;
/// Most words of a name that nothing marks as one.
const MAX_NAME_WORDS: usize = 4;
/// Nodes of a comment that are examined: its byline stands at its beginning or its end.
const MAX_BYLINE_NODES: usize = 400;

/// Classes of an author's name, the most telling first.
const AUTHORS: &[&str] = &[
    "fn",
    "comment-author-name",
    "comment-author-link",
    "author-name",
    "comment-author",
    "comment__author",
    "comment_author",
    "commentauthor",
    "comment-user",
    "comment-username",
    "commenter",
    "author",
    "username",
    "user-name",
    "user_name",
    "nickname",
    "autor",
    "auteur",
];

/// Parts of classes of a date.
const DATES: &[&str] = &["date", "time", "published", "posted", "ago", "datum", "fecha", "meta"];

/// Words after a name, in lower case.
const AFTER: &[&str] = &[
    "says", "said", "said...", "said,", "wrote", "writes", "sagt", "schreibt", "schrieb", "dit", "dice", ":", "•", "·",
];

/// Author and date of a comment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Byline {
    pub(super) author: Option<String>,
    /// With its time as written if it is in the form of ISO 8601, else as `YYYY-MM-DD` if it can be read.
    pub(super) date: Option<String>,
}

/// The byline in the element of a comment, whose text is in `container`; `language` is that of the page.
pub(super) fn byline(dom: &Dom, element: NodeId, container: NodeId, language: Option<&str>) -> Byline {
    let end = dom.end(element).min(element.index() + MAX_BYLINE_NODES);
    let nodes: Vec<NodeId> = (element.index()..end).map(NodeId::new).collect();
    let author = marked_author(dom, &nodes);
    let date = marked_date(dom, &nodes, language);
    let before: Vec<NodeId> = nodes.into_iter().filter(|id| id.index() < container.index()).collect();
    Byline {
        author: author.or_else(|| plain_author(dom, &before, language)),
        date: date.or_else(|| plain_date(dom, &before, language)),
    }
}

fn tokens<'a>(dom: &'a Dom, id: NodeId, name: &str) -> impl Iterator<Item = &'a str> {
    dom.attribute(id, name).unwrap_or_default().split_ascii_whitespace()
}

/// The text below a node, collapsed; `None` if there is none or it is longer than `limit` characters.
fn text(dom: &Dom, id: NodeId, limit: usize) -> Option<String> {
    let mut all = String::new();
    for below in (id.index()..dom.end(id)).map(NodeId::new) {
        if let Some(part) = dom.text(below) {
            all.push_str(part);
            all.push(' ');
        }
        if all.len() > 8 * limit {
            return None;
        }
    }
    collapse_within(&all, limit + 1).filter(|cut| all.split_whitespace().count() == cut.split(' ').count())
}

/// A name without the words after it.
fn name(text: &str) -> Option<String> {
    let mut words: Vec<&str> = text.split(' ').collect();
    while words.last().is_some_and(|word| {
        let word = word.to_lowercase();
        AFTER.contains(&word.as_str()) || AFTER.contains(&word.trim_end_matches(':'))
    }) {
        words.pop();
    }
    let name = words.join(" ");
    let name = name.trim_end_matches([':', ',']).trim();
    name.chars().any(char::is_alphanumeric).then(|| name.to_owned())
}

fn marked_author(dom: &Dom, nodes: &[NodeId]) -> Option<String> {
    let property = |id: NodeId, wanted: &str| tokens(dom, id, "itemprop").any(|token| token == wanted);
    let of_node = |id: NodeId| {
        let content = dom.attribute(id, "content").map(str::to_owned);
        name(&content.or_else(|| text(dom, id, MAX_NAME_CHARS))?)
    };
    let in_microdata = nodes.iter().filter(|&&id| property(id, "author") || property(id, "creator")).find_map(|&id| {
        let below = (id.index()..dom.end(id)).map(NodeId::new);
        below.filter(|&inner| property(inner, "name")).find_map(of_node).or_else(|| of_node(id))
    });
    let by_rel = || {
        nodes.iter().filter(|&&id| tokens(dom, id, "rel").any(|token| token == "author")).find_map(|&id| of_node(id))
    };
    let by_class = || {
        AUTHORS.iter().find_map(|class| {
            let has = |id: &&NodeId| tokens(dom, **id, "class").any(|token| token.eq_ignore_ascii_case(class));
            nodes.iter().filter(has).find_map(|&id| of_node(id))
        })
    };
    in_microdata.or_else(by_rel).or_else(by_class)
}

fn marked_date(dom: &Dom, nodes: &[NodeId], language: Option<&str>) -> Option<String> {
    let is_property = |id: &&NodeId| {
        tokens(dom, **id, "itemprop").any(|token| {
            matches!(token, "dateCreated" | "datePublished" | "uploadDate" | "commentTime" | "dateModified")
        })
    };
    let of_node = |id: NodeId| {
        let given = ["datetime", "content", "title"].into_iter().filter_map(|name| dom.attribute(id, name));
        given.into_iter().find_map(|value| date(value, language)).or_else(|| {
            let shown = text(dom, id, MAX_DATE_CHARS)?;
            date(&shown, language)
        })
    };
    let by_property = nodes.iter().filter(is_property).find_map(|&id| of_node(id));
    let by_time = || nodes.iter().filter(|&&id| dom.tag(id) == "time").find_map(|&id| of_node(id));
    let by_class = || {
        let is_date = |token: &str| DATES.iter().any(|part| token.to_ascii_lowercase().contains(part));
        nodes.iter().filter(|&&id| tokens(dom, id, "class").any(is_date)).find_map(|&id| of_node(id))
    };
    by_property.or_else(by_time).or_else(by_class)
}

/// A date as records have it.
pub(super) fn date(value: &str, language: Option<&str>) -> Option<String> {
    let value = value.trim().trim_end_matches('.');
    let read = read_date(value, language)?;
    let is_exact = value.len() >= 16
        && value.len() <= 35
        && value.starts_with(&read)
        && matches!(value.as_bytes().get(10), Some(b'T' | b' '))
        && value.is_ascii();
    Some(if is_exact { value.replacen(' ', "T", 1) } else { read })
}

/// The first short text before a comment that may be a name: in bold, a link, a heading or a citation.
fn plain_author(dom: &Dom, before: &[NodeId], language: Option<&str>) -> Option<String> {
    let is_name = |text: &str| {
        text.split(' ').count() <= MAX_NAME_WORDS
            && text.chars().all(|c| !c.is_ascii_digit() || text.len() > 2)
            && !text.ends_with(['.', '!', '?'])
            && date(text, language).is_none()
    };
    let is_element =
        |id: &&NodeId| matches!(dom.tag(**id), "b" | "strong" | "a" | "cite" | "h2" | "h3" | "h4" | "h5" | "h6" | "dt");
    before.iter().filter(is_element).find_map(|&id| name(&text(dom, id, MAX_NAME_CHARS)?).filter(|name| is_name(name)))
}

/// The first short text before a comment that is a date.
fn plain_date(dom: &Dom, before: &[NodeId], language: Option<&str>) -> Option<String> {
    before.iter().find_map(|&id| match dom.kind(id) {
        NodeKind::Text(shown) => date(&collapse_within(shown, MAX_DATE_CHARS)?, language),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{ReaderComments, prune_with};
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};
    use Label::{Boilerplate, Comments, Content};

    #[test]
    fn comments_become_content_where_they_are_written() {
        let decision = |label| Decision { margin: 0.0, probability: 0.5, label, comments: None };
        let decisions = [Content, Comments, Boilerplate].map(decision);
        let labels = |decisions: &[Decision]| decisions.iter().map(|decision| decision.label).collect::<Vec<_>>();
        assert_eq!(labels(&with_comments(&decisions)), [Content, Content, Boilerplate]);
        assert_eq!(labels(&comments_alone(&decisions)), [Boilerplate, Content, Boilerplate]);
        assert!(matches!(with_comments(&decisions[..1]), Cow::Borrowed(_)));
    }

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
