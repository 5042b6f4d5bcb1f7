//! The post that a post answers: the enclosing one, the one that it names, the one above it in the
//! levels of a tree, or the one that it quotes.

use super::thread::Thread;
use crate::capture::{Dom, NodeId};
use crate::document::content::PostRole;
use rustc_hash::FxHashMap;

/// Attributes of a post that name the one it answers, and that give its depth.
const PARENTS: &[&str] = &[
    "parentid",
    "data-parent-id",
    "data-parentid",
    "data-parent",
    "data-parent-comment-id",
    "data-reply-to",
];
const DEPTHS: &[&str] = &["depth", "data-depth", "data-level", "aria-level", "indent"];
/// Attributes of a post that name it.
const NAMES: &[&str] = &[
    "id",
    "thingid",
    "data-post-id",
    "data-comment-id",
    "data-answerid",
    "data-questionid",
    "data-pid",
    "data-id",
];
/// Attributes of a quotation that name its author, and its post.
const QUOTED_AUTHORS: &[&str] = &[
    "data-username",
    "data-quote",
    "data-ipsquote-username",
    "data-author",
];
const QUOTED_POSTS: &[&str] = &[
    "data-post",
    "data-source",
    "data-post-id",
    "data-ipsquote-contentcommentid",
    "cite",
];
/// Parts of addresses of posts; others are of their authors.
const LINKS: &[&str] = &["#", "post", "comment", "pid=", "msg", "item?id="];
/// Nodes in which a quotation names its author, and most words of a name and of those nodes.
const MAX_HEAD_NODES: usize = 30;
const MAX_NAME_WORDS: usize = 4;
const MAX_HEAD_WORDS: usize = 20;

/// For each post the index of the one that it answers, if the page says so; always an earlier one.
/// `authors` has the author of each post.
pub(in crate::document) fn find(
    dom: &Dom,
    thread: &Thread,
    authors: &[Option<&str>],
) -> Vec<Option<usize>> {
    let mut known = Known::default();
    let mut levels: Vec<(u32, usize)> = Vec::new();
    let mut parents = Vec::with_capacity(thread.records.len());
    for (index, record) in thread.records.iter().enumerate() {
        let named = || {
            let named = PARENTS
                .iter()
                .find_map(|name| dom.attribute(record.element, name))?;
            known.post(named)
        };
        let above = depth(dom, thread, index).and_then(|depth| {
            while levels.last().is_some_and(|&(other, _)| other >= depth) {
                levels.pop();
            }
            let above = levels.last().map(|&(_, above)| above);
            levels.push((depth, index));
            above
        });
        let linked = || {
            let marks = &thread.system.answers;
            let mut nodes = thread.own_nodes(index).filter(|_| !marks.is_empty());
            let link = nodes.find(|&id| marks.iter().any(|mark| mark.matches(dom, id)))?;
            known.find_named_post(dom, link)
        };
        let quoted = || known.find_named_post(dom, quotation(dom, thread, index)?);
        let of_role = || match record.role {
            PostRole::Answer => thread.records[..index]
                .iter()
                .position(|earlier| earlier.role == PostRole::Question),
            PostRole::Comment if thread.system.is_forum => thread.records[..index]
                .iter()
                .rposition(|earlier| earlier.role != PostRole::Comment),
            _ => None,
        };
        let parent = record
            .outer
            .or_else(named)
            .or(above)
            .or_else(linked)
            .or_else(quoted)
            .or_else(of_role);
        parents.push(parent.filter(|&parent| parent < index));
        known.add(
            dom,
            record.element,
            index,
            authors.get(index).copied().flatten(),
        );
    }
    parents
}

/// The posts so far by their names and authors.
#[derive(Debug, Default)]
struct Known<'a> {
    names: FxHashMap<&'a str, usize>,
    /// The last post of each author.
    authors: FxHashMap<&'a str, usize>,
}

impl<'a> Known<'a> {
    fn add(&mut self, dom: &'a Dom, element: NodeId, index: usize, author: Option<&'a str>) {
        for name in NAMES.iter().filter_map(|name| dom.attribute(element, name)) {
            self.names.entry(key(name)).or_insert(index);
        }
        if let Some(author) = author {
            self.authors.insert(author, index);
        }
    }

    /// The post that an address or a name leads to.
    fn post(&self, name: &str) -> Option<usize> {
        self.names.get(key(name)).copied()
    }

    /// The post that an element with a quotation or a reference names, by attributes, by a link, or
    /// by its author.
    fn find_named_post(&self, dom: &Dom, element: NodeId) -> Option<usize> {
        let head: Vec<NodeId> = std::iter::once(element)
            .chain(dom.descendants(element))
            .take(MAX_HEAD_NODES)
            .collect();
        let attribute = |names: &'static [&'static str]| {
            head.iter()
                .flat_map(move |&id| names.iter().filter_map(move |name| dom.attribute(id, name)))
        };
        let links =
            attribute(&["href"]).filter(|href| LINKS.iter().any(|part| href.contains(part)));
        let by_post = attribute(QUOTED_POSTS)
            .chain(links)
            .find_map(|name| self.post(name));
        let by_author = || {
            attribute(QUOTED_AUTHORS)
                .find_map(|name| self.author(name.split(", post:").next()?.trim()))
        };
        by_post
            .or_else(by_author)
            .or_else(|| self.named_in(dom, &head))
    }

    fn author(&self, name: &str) -> Option<usize> {
        self.authors.get(name).copied()
    }

    /// The post of the first author whose name is among the first words of a quotation.
    fn named_in(&self, dom: &Dom, head: &[NodeId]) -> Option<usize> {
        let texts = head.iter().filter_map(|&id| dom.text(id));
        let words: Vec<&str> = texts
            .flat_map(str::split_whitespace)
            .take(MAX_HEAD_WORDS)
            .collect();
        (0..words.len()).find_map(|at| {
            (1..=MAX_NAME_WORDS)
                .rev()
                .filter_map(|count| words.get(at..at + count))
                .find_map(|words| {
                    let name = words.join(" ");
                    self.author(&name).or_else(|| {
                        self.author(name.trim_end_matches([':', ',', '\u{2191}']).trim())
                    })
                })
        })
    }
}

/// The key of a post, regardless of how its address or id is written: the last run of letters and
/// digits, or for `p123` the number.
fn key(name: &str) -> &str {
    let name = name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
    let start = name
        .rfind(|c: char| !c.is_ascii_alphanumeric())
        .map_or(0, |at| {
            at + name[at..].chars().next().map_or(1, char::len_utf8)
        });
    let last = &name[start..];
    let number = last.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { number } else { last }
}

/// Depth of a post in its tree, as its markup gives it.
fn depth(dom: &Dom, thread: &Thread, index: usize) -> Option<u32> {
    let element = thread.records[index].element;
    let given = |id: NodeId| {
        DEPTHS
            .iter()
            .find_map(|name| dom.attribute(id, name)?.parse().ok())
    };
    let of_class = || {
        let classes = dom.attribute(element, "class")?.split_ascii_whitespace();
        classes
            .filter_map(|class| {
                class
                    .strip_prefix("depth-")
                    .or(class.strip_prefix("level-"))
            })
            .find_map(|level| level.parse().ok())
    };
    // Hacker News gives the depth in a cell of the row.
    let of_cell = || {
        let cells = dom.descendants(element).take(20);
        cells
            .filter(|&id| dom.element(id) == TD)
            .find_map(|id| dom.attribute(id, "indent")?.parse().ok())
    };
    given(element)
        .or_else(of_class)
        .or_else(|| (dom.tag(element) == "tr").then(of_cell).flatten())
}

const TD: crate::elements::Element = crate::elements::Element::known("td");

/// The first quotation in a post.
fn quotation(dom: &Dom, thread: &Thread, index: usize) -> Option<NodeId> {
    let body = thread.records[index].body;
    let mut nodes = thread
        .own_nodes(index)
        .filter(|&id| body.is_none_or(|body| body < id && dom.contains(body, id)));
    nodes.find(|&id| is_quotation(dom, id))
}

/// Returns true if an element holds text that a post quotes although it is not a `blockquote` and
/// has none inside.
pub(in crate::document) fn is_quoted(dom: &Dom, id: NodeId) -> bool {
    let is_quoted = |class: &str| matches!(class, "bbcode_quote" | "quotecontent" | "quotebody");
    dom.attribute(id, "class")
        .is_some_and(|classes| classes.split_ascii_whitespace().any(is_quoted))
}

/// True if an element in the text of a post is in a quotation, or in a preview of another page.
pub(in crate::document) fn is_in_quotation(dom: &Dom, id: NodeId, body: NodeId) -> bool {
    let mut around = std::iter::once(id)
        .chain(dom.ancestors(id))
        .take_while(|&up| up > body);
    around.any(|up| dom.tag(up) == "aside" || is_quotation(dom, up))
}

/// Returns true if an element is a quotation, or names the author of the quotation after it.
fn is_quotation(dom: &Dom, id: NodeId) -> bool {
    dom.tag(id) == "blockquote"
        || dom
            .attribute(id, "class")
            .is_some_and(|classes| classes.split_ascii_whitespace().any(is_quote_class))
}

/// Returns true for classes that forums give to quotations and to the names of the quoted authors.
fn is_quote_class(class: &str) -> bool {
    matches!(
        class,
        "quote"
            | "quotetitle"
            | "quotecontent"
            | "quoteheader"
            | "quotebody"
            | "quote_container"
            | "bbcode_quote"
            | "bbcode_container"
            | "bbCodeQuote"
            | "ipsQuote"
            | "bbc_standard_quote"
            | "bbc_block"
            | "mycode_quote"
            | "UserQuote"
            | "quoteStyle"
            | "post-quote"
    )
}

#[cfg(test)]
mod tests {
    use super::super::thread::find_known;
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn a_name_is_the_end_of_an_id_or_address() {
        for (name, found) in [
            ("p123", "123"),
            ("viewtopic.php?p=45#p45", "45"),
            ("post: 678", "678"),
            ("thing_t1_o8nd42m", "o8nd42m"),
            ("t3_1rku5x9", "1rku5x9"),
            ("#", ""),
            ("\u{e9}\u{2014}7", "7"),
        ] {
            assert_eq!(key(name), found, "{name}");
        }
    }

    #[test]
    fn a_post_answers_what_it_quotes() {
        let post = |number: u32, body: &str| {
            format!("<div class=post id=p{number}><div class=content>{body}</div></div>")
        };
        let dom = parse_html(
            &[
                post(1, "one"),
                post(
                    2,
                    "<blockquote><cite>Ann Lee wrote:</cite> one</blockquote>two",
                ),
                post(
                    3,
                    "<blockquote><a href='viewtopic.php?p=2#p2'>\u{2191}</a> two</blockquote>three",
                ),
                post(4, "four"),
            ]
            .concat(),
        );
        let thread = find_known(&dom).unwrap();
        let names = [Some("Ann Lee"), Some("Bo"), Some("Cy"), None];
        assert_eq!(find(&dom, &thread, &names), [None, Some(0), Some(1), None]);
    }

    #[test]
    fn depths_make_a_tree() {
        let row = |indent: u32| {
            format!(
                "<tr class='athing comtr' id=4{indent}><td class=ind indent={indent}></td><td><div class=commtext>x</div></td></tr>"
            )
        };
        let dom = parse_html(&format!(
            "<table>{}{}{}{}</table>",
            row(0),
            row(1),
            row(2),
            row(1)
        ));
        let thread = find_known(&dom).unwrap();
        assert_eq!(find(&dom, &thread, &[]), [None, Some(0), Some(1), Some(0)]);
    }
}
