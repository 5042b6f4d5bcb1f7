//! The elements of HTML: one table, and what the rest of the program asks of it.
//!
//! Imports nothing of the program. Each row names an element, what it stands for ([`Kind`]), and the sets it belongs to.
//! A set has one query function, whose documentation says what is in it. Some sets nearly agree and still differ in a few
//! elements, since their users need that; the functions say where. Lists that belong to a published method (jusText,
//! Boilerpipe, texrex) are not here but with the method. Names are in lower case, as in the tree.

mod table;

pub use table::Kind;

use table::{
    BLOCK, ENDS_LINE, FORMATTING, IGNORED, LEAF, NOT_COPIED, PARTS_TEXT, RAW_TEXT, UNCOUNTED, UNSEEN, UNWRAPPED, VOID,
    VOID_WRITTEN, find, is_in,
};

/// What an element stands for.
pub fn kind(tag: &str) -> Kind {
    find(tag).map_or(Kind::Other, |element| element.kind)
}

/// The headings, by level less 1.
pub const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// 1 to 6 for `h1` to `h6`.
pub fn heading_level(tag: &str) -> Option<u8> {
    match tag.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

/// Whether an element is `h1` to `h6`.
pub fn is_heading(tag: &str) -> bool {
    heading_level(tag).is_some()
}

/// How an element is laid out by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefaultDisplay {
    /// As a block.
    Block,
    /// As an item of a list.
    ListItem,
    /// As a table.
    Table,
    /// As a row of a table, or a group of rows.
    TableRow,
    /// As a cell of a table, or its caption.
    TableCell,
    /// In a line, with a block inside.
    InlineBlock,
}

/// `display` in the default style sheet (HTML standard, section 15.3); `None` where it names none, as for what stands in a
/// line.
pub fn default_display(tag: &str) -> Option<DefaultDisplay> {
    let element = find(tag)?;
    Some(match element.kind {
        Kind::Item => DefaultDisplay::ListItem,
        Kind::Table => DefaultDisplay::Table,
        Kind::Row | Kind::RowGroup => DefaultDisplay::TableRow,
        Kind::Cell | Kind::HeadCell | Kind::TableCaption => DefaultDisplay::TableCell,
        Kind::Button => DefaultDisplay::InlineBlock,
        _ if element.sets & BLOCK != 0 => DefaultDisplay::Block,
        _ => return None,
    })
}

/// Elements whose borders part text blocks for the methods that name none of their own: HTML 4 `%block;` and what HTML 5
/// added. All that has a [`default_display`], and also `frameset` and `option`; without `button`, `listing`, `plaintext`
/// and `xmp`.
pub fn parts_text_blocks(tag: &str) -> bool {
    is_in(tag, PARTS_TEXT)
}

/// Elements after which HTML output ends a line. Of [`parts_text_blocks`] those that hold the text of pages: without
/// `caption`, `center`, `details`, `hr`, `nav` and others that are rare in cleaned text or never copied.
pub fn ends_line(tag: &str) -> bool {
    is_in(tag, ENDS_LINE)
}

/// Elements whose text a reader never sees as text of the page. Besides [`is_ignored`] also `datalist`, `frameset` and
/// `math-annotation`; without `applet`, whose fallback text the browsers of today show.
pub fn is_unseen(tag: &str) -> bool {
    is_in(tag, UNSEEN)
}

/// Elements that published methods pass over where they do not say otherwise: programs, styles, and what a reader does
/// not see. [`is_unseen`] is the same for our own method; it differs as said there, and figures of the published methods
/// were measured with this one.
pub fn is_ignored(tag: &str) -> bool {
    is_in(tag, IGNORED)
}

/// Elements whose text does not count when the parser asks whether a page has text: the most common of [`is_unseen`],
/// without `noscript`, since it is the text of that which may take the page's place.
pub fn is_uncounted(tag: &str) -> bool {
    is_in(tag, UNCOUNTED)
}

/// Elements that do not stay around kept text in the pruned tree; what is in them does. Programs and plugins, forms and
/// their controls, and what would change how the text around is read.
pub fn is_unwrapped(tag: &str) -> bool {
    is_in(tag, UNWRAPPED)
}

/// Elements that HTML output does not copy from the pruned tree: it writes them itself (`html`, `head`, `body`, `title`,
/// `meta`), or they change how a parser reads what follows.
pub fn is_not_copied(tag: &str) -> bool {
    is_in(tag, NOT_COPIED)
}

/// Elements without content and without an end tag (HTML standard, section 13.3, obsolete ones among them).
pub fn is_void(tag: &str) -> bool {
    is_in(tag, VOID)
}

/// [`is_void`] in HTML output, which holds fewer elements: a tree that a script made may hold text in the other ones, and
/// there they get an end tag.
pub fn is_void_in_output(tag: &str) -> bool {
    is_in(tag, VOID_WRITTEN)
}

/// Elements that hold no elements when they are parsed: they close at once, or their text is no markup; whether [`is_void`] or [`is_raw_text`]. Without the obsolete ones
/// `basefont`, `bgsound`, `frame`, `keygen` and without `plaintext`; with `noscript`, `textarea` and `title`.
pub fn is_leaf(tag: &str) -> bool {
    is_in(tag, LEAF)
}

/// Elements whose text is written as it is, without escapes (HTML standard, section 13.3).
pub fn is_raw_text(tag: &str) -> bool {
    is_in(tag, RAW_TEXT)
}

/// Elements that the parser opens again in the next paragraph (HTML standard, section 13.2.4.3).
pub fn is_formatting(tag: &str) -> bool {
    is_in(tag, FORMATTING)
}

#[cfg(test)]
mod tests {
    use super::table::{Element, TABLE};
    use super::*;

    /// A query and the names for which it holds.
    type Pinned = (fn(&str) -> bool, &'static str);

    /// What each query held for when the lists of the single files became this table. A change here is a change of
    /// results: of targets, of features (and with them of models), or of what is written.
    const PINNED: &[Pinned] = &[
        (
            |tag| default_display(tag) == Some(DefaultDisplay::Block),
            "html body address article aside blockquote center dd details dialog dir div dl dt fieldset \
             figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav ol \
             optgroup p plaintext pre search section summary ul xmp",
        ),
        (
            parts_text_blocks,
            "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset \
             figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu \
             nav ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul",
        ),
        (
            ends_line,
            "address article aside blockquote dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header li \
             main ol p pre section table tbody td tfoot th thead tr ul",
        ),
        (
            is_unseen,
            "script style noscript template head title textarea select option datalist iframe object embed audio \
             video canvas svg math-annotation noframes noembed frameset",
        ),
        (
            is_ignored,
            "script style head title noscript template option select textarea object embed applet svg canvas \
             audio video iframe noframes noembed",
        ),
        (is_uncounted, "script style head title template textarea svg"),
        (
            is_unwrapped,
            "applet audio base button canvas dialog embed fieldset form frame frameset head iframe input label \
             link marquee math meta noembed noframes noscript object option plaintext portal script select slot \
             style svg template textarea title video xmp",
        ),
        (is_not_copied, "html head body title meta base link script style plaintext xmp"),
        (is_void, "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr"),
        (is_void_in_output, "area br col hr img wbr"),
        (
            is_leaf,
            "area base br col embed hr iframe img input link meta noembed noframes noscript param script source \
             style textarea title track wbr xmp",
        ),
        (is_raw_text, "style script xmp iframe noembed noframes plaintext"),
        (is_formatting, "a b big code em font i nobr s small strike strong tt u"),
        (|tag| default_display(tag) == Some(DefaultDisplay::ListItem), "li"),
        (|tag| default_display(tag) == Some(DefaultDisplay::Table), "table"),
        (|tag| default_display(tag) == Some(DefaultDisplay::TableRow), "tr thead tbody tfoot"),
        (|tag| default_display(tag) == Some(DefaultDisplay::TableCell), "td th caption"),
        (|tag| default_display(tag) == Some(DefaultDisplay::InlineBlock), "button"),
        (|tag| kind(tag) == Kind::PlainBlock, "div center fieldset"),
        (|tag| kind(tag) == Kind::Inline, "span font abbr cite q mark small s del ins big"),
        (|tag| kind(tag) == Kind::Emphasis, "b strong em i u"),
        (|tag| kind(tag) == Kind::Subscript, "sub sup"),
        (|tag| kind(tag) == Kind::List, "ul ol dl"),
        (|tag| kind(tag) == Kind::Image, "img picture svg"),
        (|tag| kind(tag) == Kind::Preformatted, "pre listing xmp plaintext"),
        (|tag| kind(tag) == Kind::Code, "code kbd samp tt var"),
        (|tag| kind(tag) == Kind::Control, "input select textarea label option legend"),
        (|tag| kind(tag) == Kind::Form, "form search"),
        (|tag| kind(tag) == Kind::Details, "details summary"),
        (|tag| kind(tag) == Kind::Media, "iframe video audio object embed canvas"),
    ];

    #[test]
    fn each_name_is_there_once_and_in_order() {
        assert!(TABLE.is_sorted_by(|one, next| one.name < next.name));
        for element in &TABLE {
            assert_eq!(find(element.name).map(|found| found.name), Some(element.name));
            assert_eq!(element.name, element.name.to_ascii_lowercase());
        }
        for other in ["", "h", "h0", "h7", "H1", "divs", "x-card", "P", "\0p", "plaintexts", "blockquotf"] {
            assert!(find(other).is_none(), "{other}");
        }
    }

    #[test]
    fn each_set_holds_what_it_held() {
        for (number, (query, names)) in PINNED.iter().enumerate() {
            let mut names: Vec<&str> = names.split_whitespace().collect();
            names.sort_unstable();
            let found: Vec<&str> = TABLE.iter().map(|element| element.name).filter(|name| query(name)).collect();
            assert_eq!(found, names, "set {number}");
        }
    }

    #[test]
    fn no_row_is_without_use_and_kinds_agree_with_sets() {
        for Element { name, kind, sets, .. } in &TABLE {
            assert!(*kind != Kind::Other || *sets != 0, "{name}");
            assert_eq!(matches!(kind, Kind::Heading(_)), heading_level(name).is_some(), "{name}");
            if let Kind::Heading(level) = kind {
                assert_eq!(HEADINGS[usize::from(*level) - 1], *name);
            }
            assert!(!parts_text_blocks(name) || default_display(name).is_some() || sets & UNSEEN != 0, "{name}");
            assert!(!ends_line(name) || parts_text_blocks(name), "{name}");
            assert!(!is_void_in_output(name) || is_void(name), "{name}");
            assert!(!is_uncounted(name) || is_unseen(name), "{name}");
        }
    }
}
