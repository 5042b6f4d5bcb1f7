//! The rows of the table of elements, and the lookup of a row by its name.

/// The kind of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An element whose kind nothing uses, or one that is not in the table.
    Other,
    /// `p`.
    Paragraph,
    /// `h1` to `h6`, by their level.
    Heading(u8),
    /// `li`.
    Item,
    /// `dt`.
    Term,
    /// `dd`.
    Description,
    /// `ul`, `ol`, `dl`.
    List,
    /// `menu`.
    Menu,
    /// `table`.
    Table,
    /// `caption`.
    TableCaption,
    /// `thead`, `tbody`, `tfoot`.
    RowGroup,
    /// `tr`.
    Row,
    /// `td`.
    Cell,
    /// `th`.
    HeadCell,
    /// `pre` and the obsolete elements like it.
    Preformatted,
    /// `code` and other computer text: `kbd`, `samp`, `tt`, `var`.
    Code,
    /// `blockquote`.
    Quote,
    /// `figure`.
    Figure,
    /// `figcaption`.
    Caption,
    /// Blocks without a meaning of their own: `div`, `center`, `fieldset`.
    PlainBlock,
    /// `article`.
    Article,
    /// `main`.
    Main,
    /// `section`.
    Section,
    /// `nav`.
    Navigation,
    /// `aside`.
    Aside,
    /// `header`.
    Header,
    /// `footer`.
    Footer,
    /// `form`, `search`.
    Form,
    /// `button`.
    Button,
    /// The other controls of forms, and their labels and options.
    Control,
    /// `address`.
    Address,
    /// `dialog`.
    Dialog,
    /// `details`, `summary`.
    Details,
    /// Bold, italic or underlined text: `b`, `strong`, `em`, `i`, `u`.
    Emphasis,
    /// Inline elements without a kind of their own, such as `abbr`.
    Inline,
    /// `sub`, `sup`.
    Subscript,
    /// `br`.
    Break,
    /// `img`, `picture`, `svg`.
    Image,
    /// Frames, players, plugins and canvases.
    Media,
    /// `time`.
    Time,
    /// `body`.
    Body,
}

/// A row of the table.
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) sets: Sets,
    /// The first eight bytes of the name, see [`key`].
    key: u64,
}

/// The sets that contain an element, one bit for each set.
pub(super) type Sets = u16;

pub(super) const BLOCK: Sets = 1;
pub(super) const SEPARATES_TEXT: Sets = 1 << 1;
pub(super) const ENDS_LINE: Sets = 1 << 2;
pub(super) const HIDDEN: Sets = 1 << 3;
pub(super) const IGNORED: Sets = 1 << 4;
pub(super) const UNCOUNTED: Sets = 1 << 5;
pub(super) const UNWRAPPED: Sets = 1 << 6;
pub(super) const NOT_COPIED: Sets = 1 << 7;
pub(super) const VOID: Sets = 1 << 8;
pub(super) const VOID_WRITTEN: Sets = 1 << 9;
pub(super) const LEAF: Sets = 1 << 10;
pub(super) const RAW_TEXT: Sets = 1 << 11;
pub(super) const FORMATTING: Sets = 1 << 12;

const fn row(name: &'static str, kind: Kind, sets: Sets) -> Row {
    Row {
        name,
        kind,
        sets,
        key: key(name.as_bytes()),
    }
}

/// All elements, sorted by name.
pub(super) static TABLE: [Row; 124] = [
    row("a", Kind::Other, FORMATTING),
    row("abbr", Kind::Inline, 0),
    row("address", Kind::Address, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("applet", Kind::Other, IGNORED | UNWRAPPED),
    row("area", Kind::Other, VOID | VOID_WRITTEN | LEAF),
    row("article", Kind::Article, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("aside", Kind::Aside, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("audio", Kind::Media, HIDDEN | IGNORED | UNWRAPPED),
    row("b", Kind::Emphasis, FORMATTING),
    row("base", Kind::Other, UNWRAPPED | NOT_COPIED | VOID | LEAF),
    row("basefont", Kind::Other, VOID),
    row("bgsound", Kind::Other, VOID),
    row("big", Kind::Inline, FORMATTING),
    row(
        "blockquote",
        Kind::Quote,
        BLOCK | SEPARATES_TEXT | ENDS_LINE,
    ),
    row("body", Kind::Body, BLOCK | SEPARATES_TEXT | NOT_COPIED),
    row("br", Kind::Break, VOID | VOID_WRITTEN | LEAF),
    row("button", Kind::Button, UNWRAPPED),
    row("canvas", Kind::Media, HIDDEN | IGNORED | UNWRAPPED),
    row("caption", Kind::TableCaption, SEPARATES_TEXT),
    row("center", Kind::PlainBlock, BLOCK | SEPARATES_TEXT),
    row("cite", Kind::Inline, 0),
    row("code", Kind::Code, FORMATTING),
    row("col", Kind::Other, VOID | VOID_WRITTEN | LEAF),
    row("datalist", Kind::Other, HIDDEN),
    row("dd", Kind::Description, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("del", Kind::Inline, 0),
    row("details", Kind::Details, BLOCK | SEPARATES_TEXT),
    row("dialog", Kind::Dialog, BLOCK | SEPARATES_TEXT | UNWRAPPED),
    row("dir", Kind::Other, BLOCK | SEPARATES_TEXT),
    row("div", Kind::PlainBlock, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("dl", Kind::List, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("dt", Kind::Term, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("em", Kind::Emphasis, FORMATTING),
    row(
        "embed",
        Kind::Media,
        HIDDEN | IGNORED | UNWRAPPED | VOID | LEAF,
    ),
    row(
        "fieldset",
        Kind::PlainBlock,
        BLOCK | SEPARATES_TEXT | UNWRAPPED,
    ),
    row(
        "figcaption",
        Kind::Caption,
        BLOCK | SEPARATES_TEXT | ENDS_LINE,
    ),
    row("figure", Kind::Figure, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("font", Kind::Inline, FORMATTING),
    row("footer", Kind::Footer, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("form", Kind::Form, BLOCK | SEPARATES_TEXT | UNWRAPPED),
    row("frame", Kind::Other, UNWRAPPED | VOID),
    row("frameset", Kind::Other, SEPARATES_TEXT | HIDDEN | UNWRAPPED),
    row("h1", Kind::Heading(1), BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("h2", Kind::Heading(2), BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("h3", Kind::Heading(3), BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("h4", Kind::Heading(4), BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("h5", Kind::Heading(5), BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("h6", Kind::Heading(6), BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row(
        "head",
        Kind::Other,
        HIDDEN | IGNORED | UNCOUNTED | UNWRAPPED | NOT_COPIED,
    ),
    row("header", Kind::Header, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("hgroup", Kind::Other, BLOCK | SEPARATES_TEXT),
    row(
        "hr",
        Kind::Other,
        BLOCK | SEPARATES_TEXT | VOID | VOID_WRITTEN | LEAF,
    ),
    row("html", Kind::Other, BLOCK | SEPARATES_TEXT | NOT_COPIED),
    row("i", Kind::Emphasis, FORMATTING),
    row(
        "iframe",
        Kind::Media,
        HIDDEN | IGNORED | UNWRAPPED | LEAF | RAW_TEXT,
    ),
    row("img", Kind::Image, VOID | VOID_WRITTEN | LEAF),
    row(
        "input",
        Kind::Control,
        UNWRAPPED | VOID | VOID_WRITTEN | LEAF,
    ),
    row("ins", Kind::Inline, 0),
    row("kbd", Kind::Code, 0),
    row("keygen", Kind::Other, VOID),
    row("label", Kind::Control, UNWRAPPED),
    row("legend", Kind::Control, BLOCK | SEPARATES_TEXT),
    row("li", Kind::Item, SEPARATES_TEXT | ENDS_LINE),
    row("link", Kind::Other, UNWRAPPED | NOT_COPIED | VOID | LEAF),
    row("listing", Kind::Preformatted, BLOCK),
    row("main", Kind::Main, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("mark", Kind::Inline, 0),
    row("marquee", Kind::Other, UNWRAPPED),
    row("math", Kind::Other, UNWRAPPED),
    row("math-annotation", Kind::Other, HIDDEN),
    row("menu", Kind::Menu, BLOCK | SEPARATES_TEXT),
    row("meta", Kind::Other, UNWRAPPED | NOT_COPIED | VOID | LEAF),
    row("nav", Kind::Navigation, BLOCK | SEPARATES_TEXT),
    row("nobr", Kind::Other, FORMATTING),
    row(
        "noembed",
        Kind::Other,
        HIDDEN | IGNORED | UNWRAPPED | LEAF | RAW_TEXT,
    ),
    row(
        "noframes",
        Kind::Other,
        HIDDEN | IGNORED | UNWRAPPED | LEAF | RAW_TEXT,
    ),
    row("noscript", Kind::Other, HIDDEN | IGNORED | UNWRAPPED | LEAF),
    row("object", Kind::Media, HIDDEN | IGNORED | UNWRAPPED),
    row("ol", Kind::List, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("optgroup", Kind::Other, BLOCK | SEPARATES_TEXT),
    row(
        "option",
        Kind::Control,
        SEPARATES_TEXT | HIDDEN | IGNORED | UNWRAPPED,
    ),
    row("p", Kind::Paragraph, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("param", Kind::Other, VOID | LEAF),
    row("picture", Kind::Image, 0),
    row(
        "plaintext",
        Kind::Preformatted,
        BLOCK | UNWRAPPED | NOT_COPIED | RAW_TEXT,
    ),
    row("portal", Kind::Other, UNWRAPPED),
    row(
        "pre",
        Kind::Preformatted,
        BLOCK | SEPARATES_TEXT | ENDS_LINE,
    ),
    row("q", Kind::Inline, 0),
    row("s", Kind::Inline, FORMATTING),
    row("samp", Kind::Code, 0),
    row(
        "script",
        Kind::Other,
        HIDDEN | IGNORED | UNCOUNTED | UNWRAPPED | NOT_COPIED | LEAF | RAW_TEXT,
    ),
    row("search", Kind::Form, BLOCK | SEPARATES_TEXT),
    row("section", Kind::Section, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("select", Kind::Control, HIDDEN | IGNORED | UNWRAPPED),
    row("slot", Kind::Other, UNWRAPPED),
    row("small", Kind::Inline, FORMATTING),
    row("source", Kind::Other, VOID | LEAF),
    row("span", Kind::Inline, 0),
    row("strike", Kind::Other, FORMATTING),
    row("strong", Kind::Emphasis, FORMATTING),
    row(
        "style",
        Kind::Other,
        HIDDEN | IGNORED | UNCOUNTED | UNWRAPPED | NOT_COPIED | LEAF | RAW_TEXT,
    ),
    row("sub", Kind::Subscript, 0),
    row("summary", Kind::Details, BLOCK | SEPARATES_TEXT),
    row("sup", Kind::Subscript, 0),
    row("svg", Kind::Image, HIDDEN | IGNORED | UNCOUNTED | UNWRAPPED),
    row("table", Kind::Table, SEPARATES_TEXT | ENDS_LINE),
    row("tbody", Kind::RowGroup, SEPARATES_TEXT | ENDS_LINE),
    row("td", Kind::Cell, SEPARATES_TEXT | ENDS_LINE),
    row(
        "template",
        Kind::Other,
        HIDDEN | IGNORED | UNCOUNTED | UNWRAPPED,
    ),
    row(
        "textarea",
        Kind::Control,
        HIDDEN | IGNORED | UNCOUNTED | UNWRAPPED | LEAF,
    ),
    row("tfoot", Kind::RowGroup, SEPARATES_TEXT | ENDS_LINE),
    row("th", Kind::HeadCell, SEPARATES_TEXT | ENDS_LINE),
    row("thead", Kind::RowGroup, SEPARATES_TEXT | ENDS_LINE),
    row("time", Kind::Time, 0),
    row(
        "title",
        Kind::Other,
        HIDDEN | IGNORED | UNCOUNTED | UNWRAPPED | NOT_COPIED | LEAF,
    ),
    row("tr", Kind::Row, SEPARATES_TEXT | ENDS_LINE),
    row("track", Kind::Other, VOID | LEAF),
    row("tt", Kind::Code, FORMATTING),
    row("u", Kind::Emphasis, FORMATTING),
    row("ul", Kind::List, BLOCK | SEPARATES_TEXT | ENDS_LINE),
    row("var", Kind::Code, 0),
    row("video", Kind::Media, HIDDEN | IGNORED | UNWRAPPED),
    row("wbr", Kind::Other, VOID | VOID_WRITTEN | LEAF),
    row(
        "xmp",
        Kind::Preformatted,
        BLOCK | UNWRAPPED | NOT_COPIED | LEAF | RAW_TEXT,
    ),
];

/// Number of slots of the hash table: few enough to stay in the cache, and enough that no two
/// elements share a slot.
const SLOTS: usize = 1024;

/// Index of the row in each slot of the hash table; [`EMPTY`] for an unused slot.
static ROW_OF_SLOT: [u8; SLOTS] = row_of_slot();

const EMPTY: u8 = u8::MAX;

/// The first eight bytes of a name as a number.
const fn key(name: &[u8]) -> u64 {
    let (mut key, mut at) = (0, 0);
    while at < name.len() && at < 8 {
        key = key << 8 | name[at] as u64;
        at += 1;
    }
    key
}

/// The slot of a key (multiplicative hashing; Knuth, The Art of Computer Programming, section 6.4).
/// The factor was found by trying random ones until no two names of the table shared a slot; the
/// build fails when a new row breaks that.
const fn slot(key: u64) -> usize {
    (key.wrapping_mul(0xdfa3_357f_67fc_77b7) >> (64 - SLOTS.ilog2())) as usize
}

const fn row_of_slot() -> [u8; SLOTS] {
    let mut rows = [EMPTY; SLOTS];
    let mut number = 0;
    while number < TABLE.len() {
        let slot = slot(TABLE[number].key);
        assert!(
            rows[slot] == EMPTY,
            "two elements share a slot: choose another factor"
        );
        rows[slot] = number as u8;
        number += 1;
    }
    rows
}

/// The index of the row with this name.
pub(super) const fn find(tag: &str) -> Option<u8> {
    let key = key(tag.as_bytes());
    let number = ROW_OF_SLOT[slot(key)];
    if number == EMPTY {
        return None;
    }
    let row = &TABLE[number as usize];
    // Comparing numbers takes half the time of comparing strings, and most names are short.
    if row.key == key
        && row.name.len() == tag.len()
        && (tag.len() <= 8 || ends_equal(row.name, tag))
    {
        Some(number)
    } else {
        None
    }
}

/// Returns true if two names of the same length are equal after their first eight bytes.
const fn ends_equal(one: &str, other: &str) -> bool {
    let mut at = 8;
    while at < one.len() {
        if one.as_bytes()[at] != other.as_bytes()[at] {
            return false;
        }
        at += 1;
    }
    true
}
