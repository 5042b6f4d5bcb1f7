//! The markup of a comment section: which elements with which names hold the parts of a comment.

use super::chance::Chance;
use super::languages::{DateForm, Phrases, phrases};
use vclean_core::capture::DomBuilder;

/// An element and its class, or its id after `#`; the tag is empty if the part has no element of
/// its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Part {
    pub(super) tag: &'static str,
    pub(super) name: String,
}

impl Part {
    pub(super) fn new(tag: &'static str, name: &str) -> Self {
        Self {
            tag,
            name: name.to_owned(),
        }
    }
}

/// The elements of a comment section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Markup {
    /// Around the section.
    pub(super) top: Part,
    /// Around the comments.
    pub(super) list: Part,
    /// A comment. `table` is a table of its own, `tr` a row of author and text in the table that
    /// `list` is, and `dd` is preceded by a `dt` with the author in the definition list that `list`
    /// is.
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
    let nested = if matches!(list, "ol" | "ul") {
        list
    } else {
        "div"
    };
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
        // A list that is a table or a definition list holds nothing but items, so answers have a
        // list of another kind.
        nested,
    ];
    let parts = tags.map(|tag| Part {
        tag,
        name: name(speaks, chance),
    });
    let [
        top,
        list,
        item,
        head,
        author,
        date,
        wrap,
        body,
        foot,
        link,
        nested,
    ] = parts;
    Markup {
        top,
        list,
        item,
        head,
        author,
        date,
        wrap,
        body,
        foot,
        link,
        nested,
    }
}

/// A class, sometimes an id of the section; empty for one part in five.
fn name(speaks: bool, chance: &mut Chance) -> String {
    match () {
        () if chance.happens(0.2) => String::new(),
        () if speaks && chance.happens(0.8) => (chance.pick(SPEAKING)).to_owned(),
        () => chance.letters(),
    }
}

// Elements that are made here, before they are inserted into the tree of a page.

/// A piece of made markup.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Piece {
    Element(Element),
    Text(String),
}

/// An element with its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Element {
    tag: &'static str,
    attributes: Vec<(&'static str, String)>,
    content: Vec<Piece>,
}

impl Element {
    pub(super) fn new(tag: &'static str) -> Self {
        Self {
            tag,
            attributes: Vec::new(),
            content: Vec::new(),
        }
    }

    /// Sets the class, or the id if `name` begins with `#`; an empty name sets nothing.
    pub(super) fn named(self, name: &str) -> Self {
        match name.strip_prefix('#') {
            _ if name.is_empty() => self,
            Some(id) => self.with("id", id),
            None => self.with("class", name),
        }
    }

    /// Sets an attribute.
    pub(super) fn with(mut self, attribute: &'static str, value: impl Into<String>) -> Self {
        self.attributes.push((attribute, value.into()));
        self
    }

    /// Adds an element at the end.
    pub(super) fn add(&mut self, element: Self) {
        self.content.push(Piece::Element(element));
    }

    /// Adds text at the end; texts that meet become one, as in a parsed tree.
    pub(super) fn add_text(&mut self, text: &str) {
        if let Some(Piece::Text(last)) = self.content.last_mut() {
            last.push_str(text);
        } else if !text.is_empty() {
            self.content.push(Piece::Text(text.to_owned()));
        }
    }

    /// Adds an element at the end.
    pub(super) fn holding(mut self, element: Self) -> Self {
        self.add(element);
        self
    }

    /// Adds text at the end.
    pub(super) fn saying(mut self, text: &str) -> Self {
        self.add_text(text);
        self
    }

    /// Whether it has no content.
    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty()
    }

    /// Its text, in document order.
    pub(super) fn text(&self) -> String {
        let one = |piece: &Piece| match piece {
            Piece::Element(element) => element.text(),
            Piece::Text(text) => text.clone(),
        };
        self.content.iter().map(one).collect()
    }

    /// Writes it below the node that is open.
    pub(super) fn build(&self, builder: &mut DomBuilder) {
        let attributes = self
            .attributes
            .iter()
            .map(|(name, value)| ((*name).into(), value.as_str().into()))
            .collect();
        builder.open(self.tag, attributes);
        for piece in &self.content {
            match piece {
                Piece::Element(element) => element.build(builder),
                Piece::Text(text) => {
                    builder.text(text);
                }
            }
        }
        builder.close();
    }
}

// Markup as well-known comment systems write it. Only the structure matters: tags, and the names by
// which sites know them.

/// Share of sections in the markup of a well-known system.
const KNOWN: f64 = 0.4;

/// The parts of a system, in the order of the fields of [`Markup`].
type Parts = [(&'static str, &'static str); 11];

const SYSTEMS: &[Parts] = &[
    // WordPress, themes since 2013.
    [
        ("div", "comments-area"),
        ("ol", "comment-list"),
        ("li", "comment"),
        ("footer", "comment-meta"),
        ("b", "fn"),
        ("time", ""),
        ("div", "comment-content"),
        ("p", ""),
        ("div", "reply"),
        ("a", "comment-reply-link"),
        ("ol", "children"),
    ],
    // WordPress, older themes.
    [
        ("div", "#comments"),
        ("ol", "commentlist"),
        ("li", "alt"),
        ("div", "comment-author vcard"),
        ("cite", "fn"),
        ("a", ""),
        ("", ""),
        ("p", ""),
        ("div", "reply"),
        ("a", "comment-reply-link"),
        ("ul", "children"),
    ],
    // Disqus, as archived pages hold it.
    [
        ("div", "#disqus_thread"),
        ("ul", "post-list"),
        ("li", "post"),
        ("header", "comment__header"),
        ("span", "post-byline"),
        ("a", "time-ago"),
        ("div", "post-message"),
        ("p", ""),
        ("footer", "comment__footer"),
        ("a", ""),
        ("ul", "children"),
    ],
    // Blogger, definition lists.
    [
        ("div", "comments"),
        ("dl", "#comments-block"),
        ("dd", "comment-body"),
        ("", ""),
        ("a", ""),
        ("none", ""),
        ("", ""),
        ("p", ""),
        ("div", "comment-footer"),
        ("a", "comment-timestamp"),
        ("div", ""),
    ],
    // Blogger, threaded.
    [
        ("div", "comment-thread"),
        ("ol", ""),
        ("li", "comment"),
        ("div", "comment-header"),
        ("cite", "user"),
        ("span", "datetime"),
        ("", ""),
        ("p", "comment-content"),
        ("span", "comment-actions"),
        ("a", "comment-reply"),
        ("ol", ""),
    ],
    // phpBB: a row with the author next to the text.
    [
        ("div", "forumbg"),
        ("table", "tablebg"),
        ("tr", "row1"),
        ("div", "postprofile"),
        ("b", "postauthor"),
        ("span", "postdetails"),
        ("div", "postbody"),
        ("div", ""),
        ("div", "gensmall"),
        ("a", ""),
        ("div", ""),
    ],
    // vBulletin: a table for each post.
    [
        ("div", "#posts"),
        ("div", "page"),
        ("table", "tborder"),
        ("div", "thead"),
        ("a", "bigusername"),
        ("", ""),
        ("div", ""),
        ("div", ""),
        ("div", "smallfont"),
        ("a", ""),
        ("div", ""),
    ],
    // Drupal.
    [
        ("section", "comment-wrapper"),
        ("div", ""),
        ("article", "comment"),
        ("p", "submitted"),
        ("span", "username"),
        ("span", ""),
        ("div", "field-item"),
        ("p", ""),
        ("ul", "links inline"),
        ("a", ""),
        ("div", "indented"),
    ],
    // Movable Type.
    [
        ("div", "comments-open"),
        ("div", "comments-content"),
        ("div", "comment"),
        ("div", "comment-header"),
        ("a", "vcard author"),
        ("a", "published"),
        ("div", "comment-content"),
        ("p", ""),
        ("div", "comment-footer"),
        ("a", ""),
        ("div", ""),
    ],
    // Newspapers of the 2010s.
    [
        ("section", "reader-comments"),
        ("div", "stream"),
        ("div", "item"),
        ("h4", "item-head"),
        ("span", "nick"),
        ("span", "when"),
        ("", ""),
        ("p", "item-text"),
        ("div", "item-tools"),
        ("a", "tool"),
        ("div", "answers"),
    ],
    // Plain lists of the early years: no name at all.
    [
        ("div", ""),
        ("ul", ""),
        ("li", ""),
        ("", ""),
        ("b", ""),
        ("", ""),
        ("", ""),
        ("div", ""),
        ("div", ""),
        ("a", ""),
        ("ul", ""),
    ],
    // Tables about 2005: no name at all.
    [
        ("div", ""),
        ("table", ""),
        ("tr", ""),
        ("", ""),
        ("b", ""),
        ("small", ""),
        ("", ""),
        ("div", ""),
        ("p", ""),
        ("a", ""),
        ("div", ""),
    ],
    // Programs that shorten names.
    [
        ("div", "css-1x4k"),
        ("div", "css-9ab0"),
        ("div", "css-77qf"),
        ("div", "css-2k1m"),
        ("a", "css-a01z"),
        ("span", "css-0pl3"),
        ("div", "css-p3v"),
        ("span", "css-k8"),
        ("div", "css-lm4"),
        ("a", "css-b"),
        ("div", "css-9ab0"),
    ],
];

/// Draws the markup of a section: that of a well-known system, or parts put together at random.
pub(super) fn draw_markup(chance: &mut Chance) -> Markup {
    if !chance.happens(KNOWN) {
        return draw(chance);
    }
    let parts = chance.pick(SYSTEMS).map(|(tag, name)| Part::new(tag, name));
    let [
        top,
        list,
        item,
        head,
        author,
        date,
        wrap,
        body,
        foot,
        link,
        nested,
    ] = parts;
    Markup {
        top,
        list,
        item,
        head,
        author,
        date,
        wrap,
        body,
        foot,
        link,
        nested,
    }
}

// How the comment section of a page looks: its markup, and which of the usual parts it has.

/// How often a comment continues with another sentence: usually, and in sections of long comments.
const GOES_ON: f64 = 0.45;
const GOES_ON_LONG: f64 = 0.78;

/// How a comment section looks.
#[derive(Debug)]
pub(super) struct Look {
    pub(super) phrases: &'static Phrases,
    pub(super) markup: Markup,
    /// Element of the heading; empty if there is none.
    pub(super) title: &'static str,
    /// Links under each comment.
    pub(super) actions: Vec<&'static str>,
    /// Between author and date.
    pub(super) says: Option<&'static str>,
    pub(super) dates: DateForm,
    /// Probability that a comment continues with another sentence.
    pub(super) goes_on: f64,
    /// Whether there are counts of votes, pictures of authors, comments of several paragraphs,
    /// answers below comments.
    pub(super) has_votes: bool,
    pub(super) has_avatars: bool,
    pub(super) has_paragraphs: bool,
    pub(super) has_answers: bool,
    /// Whether author and date follow the comment.
    pub(super) author_follows: bool,
    /// Whether numbers of answers are given, such as `5 replies`.
    pub(super) counts_answers: bool,
}

impl Look {
    /// Draws the look of a section in the language `lang`.
    pub(super) fn draw(lang: &str, chance: &mut Chance) -> Self {
        let phrases = phrases(lang);
        let markup = draw_markup(chance);
        let count = chance.pick(&[0, 0, 1, 1, 2, 3]);
        Self {
            phrases,
            markup,
            title: chance.pick(&["h2", "h3", "h4", "div", "p", ""]),
            actions: (0..count).map(|_| chance.pick(phrases.actions)).collect(),
            says: chance.happens(0.3).then(|| chance.pick(phrases.says)),
            dates: DateForm::draw(chance),
            goes_on: if chance.happens(0.3) {
                GOES_ON_LONG
            } else {
                GOES_ON
            },
            has_votes: chance.happens(0.3),
            has_avatars: chance.happens(0.4),
            has_paragraphs: chance.happens(0.4),
            has_answers: chance.happens(0.35),
            author_follows: chance.happens(0.25),
            counts_answers: chance.happens(0.3),
        }
    }
}
