//! The elements of HTML: one table, and the queries of the rest of the program.
//!
//! Imports no other module of the program. Each row has the name of an element, its kind ([`Kind`]), and the sets that
//! contain it. Each set has one query function, whose documentation lists its content. Some sets differ in only a few
//! elements, since their users need that; the documentation of the functions names the differences. Lists of a
//! published method (jusText, Boilerpipe, texrex) are part of that method and not of this table. Names are in lower
//! case, as in the tree.

mod table;

pub use table::Kind;

use table::{
    BLOCK, ENDS_LINE, FORMATTING, IGNORED, LEAF, NOT_COPIED, RAW_TEXT, SEPARATES_TEXT, UNCOUNTED, UNSEEN, UNWRAPPED,
    VOID, VOID_WRITTEN, find, is_in,
};

/// The kind of an element.
pub fn kind(tag: &str) -> Kind {
    find(tag).map_or(Kind::Other, |element| element.kind)
}

/// The headings, at index level - 1.
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
    /// Inline, with a block inside.
    InlineBlock,
}

/// `display` in the default style sheet (HTML standard, section 15.3); `None` if it has no entry, as for inline
/// elements.
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

/// Elements whose borders separate text blocks, for the methods that define no such list: HTML 4 `%block;` and the
/// additions of HTML 5. Contains all elements with a [`default_display`], and also `frameset` and `option`; without
/// `button`, `listing`, `plaintext` and `xmp`.
pub fn separates_text_blocks(tag: &str) -> bool {
    is_in(tag, SEPARATES_TEXT)
}

/// Elements after which HTML output ends a line. Those of [`separates_text_blocks`] that contain the text of pages:
/// without `caption`, `center`, `details`, `hr`, `nav` and others that are rare in cleaned text or never copied.
pub fn ends_line(tag: &str) -> bool {
    is_in(tag, ENDS_LINE)
}

/// Elements whose text is never visible as text of the page. In addition to [`is_ignored`] also `datalist`, `frameset`
/// and `math-annotation`; without `applet`, whose fallback text current browsers show.
pub fn is_unseen(tag: &str) -> bool {
    is_in(tag, UNSEEN)
}

/// Elements that published methods skip unless they define their own list: programs, styles, and invisible content.
/// [`is_unseen`] is the same for our own method, with the differences named there; the published methods were measured
/// with this list.
pub fn is_ignored(tag: &str) -> bool {
    is_in(tag, IGNORED)
}

/// Elements whose text does not count when the parser checks whether a page has text: the most common ones of
/// [`is_unseen`], without `noscript`, since its text may replace that of the page.
pub fn is_uncounted(tag: &str) -> bool {
    is_in(tag, UNCOUNTED)
}

/// Elements that are removed from the pruned tree while their content is kept. Programs and plugins, forms and their
/// controls, and elements that would change how the surrounding text is parsed.
pub fn is_unwrapped(tag: &str) -> bool {
    is_in(tag, UNWRAPPED)
}

/// Elements that HTML output does not copy from the pruned tree: it writes them itself (`html`, `head`, `body`,
/// `title`, `meta`), or they change how a parser reads the following text.
pub fn is_not_copied(tag: &str) -> bool {
    is_in(tag, NOT_COPIED)
}

/// Elements without content and without an end tag (HTML standard, section 13.3, obsolete ones among them).
pub fn is_void(tag: &str) -> bool {
    is_in(tag, VOID)
}

/// As [`is_void`], for HTML output, with fewer elements: a tree made by a script may contain text in the other ones,
/// which therefore get an end tag.
pub fn is_void_in_output(tag: &str) -> bool {
    is_in(tag, VOID_WRITTEN)
}

/// Elements that contain no elements after parsing: they close at once, or their text is not markup ([`is_void`] or
/// [`is_raw_text`]). Without the obsolete `basefont`, `bgsound`, `frame`, `keygen` and without `plaintext`; with
/// `noscript`, `textarea` and `title`.
pub fn is_leaf(tag: &str) -> bool {
    is_in(tag, LEAF)
}

/// Elements whose text is written without escapes (HTML standard, section 13.3).
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

    /// A query and the names for which it is true.
    type Pinned = (fn(&str) -> bool, &'static str);

    /// The names for which each query was true when the separate lists became this table. A change here changes
    /// results: targets, features (and with them models), or the output.
    const PINNED: &[Pinned] = &[
        (
            |tag| default_display(tag) == Some(DefaultDisplay::Block),
            "html body address article aside blockquote center dd details dialog dir div dl dt fieldset \
             figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav ol \
             optgroup p plaintext pre search section summary ul xmp",
        ),
        (
            separates_text_blocks,
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
    fn names_are_unique_and_sorted() {
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
    fn each_set_has_its_pinned_content() {
        for (number, (query, names)) in PINNED.iter().enumerate() {
            let mut names: Vec<&str> = names.split_whitespace().collect();
            names.sort_unstable();
            let found: Vec<&str> = TABLE.iter().map(|element| element.name).filter(|name| query(name)).collect();
            assert_eq!(found, names, "set {number}");
        }
    }

    #[test]
    fn every_row_is_used_and_kinds_agree_with_sets() {
        for Element { name, kind, sets, .. } in &TABLE {
            assert!(*kind != Kind::Other || *sets != 0, "{name}");
            assert_eq!(matches!(kind, Kind::Heading(_)), heading_level(name).is_some(), "{name}");
            if let Kind::Heading(level) = kind {
                assert_eq!(HEADINGS[usize::from(*level) - 1], *name);
            }
            assert!(!separates_text_blocks(name) || default_display(name).is_some() || sets & UNSEEN != 0, "{name}");
            assert!(!ends_line(name) || separates_text_blocks(name), "{name}");
            assert!(!is_void_in_output(name) || is_void(name), "{name}");
            assert!(!is_uncounted(name) || is_unseen(name), "{name}");
        }
    }
}
