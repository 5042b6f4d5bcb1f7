//! The markup of a comment section: which elements with which names hold the parts of a comment.

use super::chance::Chance;

/// An element and its class, or its id after `#`; the tag is empty if the part has no element of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) tag: &'static str,
    pub(super) name: String,
}

impl Part {
    pub(super) fn new(tag: &'static str, name: &str) -> Self {
        Self { tag, name: name.to_owned() }
    }
}

/// The elements of a comment section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Markup {
    /// Around the section.
    pub(super) top: Part,
    /// Around the comments.
    pub(super) list: Part,
    /// A comment. `table` is a table of its own, `tr` a row of author and text in the table that `list` is, and `dd` is
    /// preceded by a `dt` with the author in the definition list that `list` is.
    pub(super) item: Part,
    /// Around author and date.
    pub(super) head: Part,
    /// The author.
    pub(super) author: Part,
    /// The date.
    pub(super) date: Part,
    /// Around the paragraphs.
    pub(super) wrap: Part,
    /// A paragraph.
    pub(super) body: Part,
    /// Around votes and links.
    pub(super) foot: Part,
    /// A link.
    pub(super) link: Part,
    /// Around answers to a comment.
    pub(super) nested: Part,
}

/// Names that speak of comments, as sites give them.
const SPEAKING: &[&str] = &[
    "comment",
    "comments",
    "commentlist",
    "comment-body",
    "comment-content",
    "reply",
    "opinion",
    "reader",
    "post",
    "message",
    "discussion",
    "user-comment",
    "talkback",
    "feedback",
    "c-item",
    "cmt",
];
/// Share of sections whose names speak of comments.
const SPEAKS: f64 = 0.45;

/// A markup drawn part by part, as no system in particular has it.
pub(super) fn draw(chance: &mut Chance) -> Markup {
    let speaks = chance.happens(SPEAKS);
    let list = chance.pick(&["div", "div", "section", "ol", "ul", "dl", "table"]);
    let item = match list {
        "ol" | "ul" => "li",
        "dl" => "dd",
        "table" => "tr",
        _ => chance.pick(&["div", "div", "div", "article", "table", "blockquote"]),
    };
    let nested = if matches!(list, "ol" | "ul") { list } else { "div" };
    let tags = [
        "div",
        list,
        item,
        chance.pick(&["div", "p", "span", "h4", "header", "", ""]),
        chance.pick(&["a", "span", "strong", "b", "cite", ""]),
        chance.pick(&["span", "a", "time", "small", "em", "", "none"]),
        chance.pick(&["div", "div", "", "section"]),
        chance.pick(&["p", "p", "p", "div", "blockquote", "span"]),
        chance.pick(&["div", "p", "ul"]),
        "a",
        // A list that is a table or a definition list holds nothing but items, so answers have a list of another kind.
        nested,
    ];
    let parts = tags.map(|tag| Part { tag, name: name(speaks, chance) });
    let [top, list, item, head, author, date, wrap, body, foot, link, nested] = parts;
    Markup { top, list, item, head, author, date, wrap, body, foot, link, nested }
}

/// A class, sometimes an id of the section; empty for one part in five.
fn name(speaks: bool, chance: &mut Chance) -> String {
    match () {
        () if chance.happens(0.2) => String::new(),
        () if speaks && chance.happens(0.8) => (chance.pick(SPEAKING)).to_owned(),
        () => chance.letters(),
    }
}
