//! An element as a number, and the queries about it: each is a lookup in an array.

use super::table::{
    BLOCK, ENDS_LINE, FORMATTING, HIDDEN, IGNORED, Kind, LEAF, NOT_COPIED, RAW_TEXT,
    SEPARATES_TEXT, Sets, TABLE, UNCOUNTED, UNWRAPPED, VOID, VOID_WRITTEN, find,
};

/// An element of HTML, or [`UNKNOWN`](Self::UNKNOWN) for any other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element(u8);

/// How an element is laid out by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DefaultDisplay {
    Block,
    /// An item of a list.
    ListItem,
    Table,
    /// A row of a table, or a group of rows.
    TableRow,
    /// A cell of a table, or its caption.
    TableCell,
    /// Inline, with a block inside.
    InlineBlock,
}

/// Kinds and sets by number. Every byte has an entry, so that a lookup needs no bounds check.
static KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Other; 256];
    let mut number = 0;
    while number < TABLE.len() {
        kinds[number] = TABLE[number].kind;
        number += 1;
    }
    kinds
};

static SETS: [Sets; 256] = {
    let mut sets = [0; 256];
    let mut number = 0;
    while number < TABLE.len() {
        sets[number] = TABLE[number].sets;
        number += 1;
    }
    sets
};

impl Element {
    /// Any element that is not in the table.
    pub const UNKNOWN: Self = Self(u8::MAX);

    /// The element with this name, in lower case.
    pub const fn named(tag: &str) -> Self {
        match find(tag) {
            Some(number) => Self(number),
            None => Self::UNKNOWN,
        }
    }

    /// The element with this name, for constants, which can be compared and matched as numbers.
    ///
    /// # Panics
    /// If the name is not in the table; in a constant that is an error of the build.
    pub const fn known(tag: &str) -> Self {
        match find(tag) {
            Some(number) => Self(number),
            None => panic!("the table of elements has no such name"),
        }
    }

    /// The element with this number.
    pub(crate) fn from_number(number: u8) -> Self {
        Self(number)
    }

    /// The number of the element, which may change between versions of the program.
    pub(crate) fn number(self) -> u8 {
        self.0
    }

    /// The name of the element; `""` for [`UNKNOWN`](Self::UNKNOWN).
    pub fn name(self) -> &'static str {
        TABLE.get(usize::from(self.0)).map_or("", |row| row.name)
    }

    /// The kind from the table; [`Kind::Other`] for [`UNKNOWN`](Self::UNKNOWN).
    pub fn kind(self) -> Kind {
        KINDS[usize::from(self.0)]
    }

    fn is_in(self, set: Sets) -> bool {
        SETS[usize::from(self.0)] & set != 0
    }

    /// The `display` value in the default style sheet (HTML standard, section 15.3); `None` for
    /// elements that it does not list, such as inline elements.
    pub(crate) fn default_display(self) -> Option<DefaultDisplay> {
        Some(match self.kind() {
            Kind::Item => DefaultDisplay::ListItem,
            Kind::Table => DefaultDisplay::Table,
            Kind::Row | Kind::RowGroup => DefaultDisplay::TableRow,
            Kind::Cell | Kind::HeadCell | Kind::TableCaption => DefaultDisplay::TableCell,
            Kind::Button => DefaultDisplay::InlineBlock,
            _ if self.is_in(BLOCK) => DefaultDisplay::Block,
            _ => return None,
        })
    }

    /// Returns true for `h1` to `h6`.
    pub fn is_heading(self) -> bool {
        matches!(self.kind(), Kind::Heading(_))
    }

    /// Elements whose borders separate text blocks, for the methods that define no such list: HTML
    /// 4 `%block;` and the additions of HTML 5. Contains all elements with a
    /// [`default_display`](Self::default_display), and also `frameset` and `option`; without
    /// `button`, `listing`, `plaintext` and `xmp`.
    pub fn separates_text_blocks(self) -> bool {
        self.is_in(SEPARATES_TEXT)
    }

    /// Elements after which HTML output ends a line. Those of
    /// [`separates_text_blocks`](Self::separates_text_blocks) that contain the text of pages:
    /// without `caption`, `center`, `details`, `hr`, `nav` and others that are rare in cleaned text
    /// or never copied.
    pub(crate) fn ends_line(self) -> bool {
        self.is_in(ENDS_LINE)
    }

    /// Elements whose text is never visible as text of the page. In addition to
    /// [`is_ignored`](Self::is_ignored) also `datalist`, `frameset` and `math-annotation`; without
    /// `applet`, whose fallback text current browsers show.
    pub fn is_hidden(self) -> bool {
        self.is_in(HIDDEN)
    }

    /// Elements that published methods skip unless they define their own list: programs, styles,
    /// and invisible content. Our own method uses [`is_hidden`](Self::is_hidden), which differs as
    /// documented there; the published methods were measured with this list.
    pub fn is_ignored(self) -> bool {
        self.is_in(IGNORED)
    }

    /// Elements whose text does not count when the parser checks whether a page has text: the most
    /// common ones of [`is_hidden`](Self::is_hidden), without `noscript`, since its text may
    /// replace that of the page.
    pub(crate) fn is_uncounted(self) -> bool {
        self.is_in(UNCOUNTED)
    }

    /// Elements that are removed from the pruned tree while their content is kept. Programs and
    /// plugins, forms and their controls, and elements that would change how the surrounding text
    /// is parsed.
    pub(crate) fn is_unwrapped(self) -> bool {
        self.is_in(UNWRAPPED)
    }

    /// Elements that HTML output does not copy from the pruned tree: it writes them itself (`html`,
    /// `head`, `body`, `title`, `meta`), or they change how a parser reads the following text.
    pub(crate) fn is_not_copied(self) -> bool {
        self.is_in(NOT_COPIED)
    }

    /// Elements without content and without an end tag (HTML standard, section 13.3), including
    /// obsolete ones.
    pub(crate) fn is_void(self) -> bool {
        self.is_in(VOID)
    }

    /// Elements that HTML output writes without an end tag. They are fewer than
    /// [`is_void`](Self::is_void), because a tree made by a script may contain text in the others,
    /// which therefore get an end tag.
    pub(crate) fn is_void_in_output(self) -> bool {
        self.is_in(VOID_WRITTEN)
    }

    /// Elements that contain no elements after parsing: they close at once, or their text is not
    /// markup ([`is_void`](Self::is_void) or [`is_raw_text`](Self::is_raw_text)). Without the
    /// obsolete `basefont`, `bgsound`, `frame`, `keygen` and without `plaintext`; with `noscript`,
    /// `textarea` and `title`.
    pub(crate) fn is_leaf(self) -> bool {
        self.is_in(LEAF)
    }

    /// Elements whose text is written without escapes (HTML standard, section 13.3).
    pub(crate) fn is_raw_text(self) -> bool {
        self.is_in(RAW_TEXT)
    }

    /// Elements that the parser opens again in the next paragraph (HTML standard, section
    /// 13.2.4.3).
    pub(crate) fn is_formatting(self) -> bool {
        self.is_in(FORMATTING)
    }
}
