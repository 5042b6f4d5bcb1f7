//! The elements of HTML: one table, and the queries of the rest of the program.
//!
//! Imports no other module of the program. Each row has the name of an element, its kind
//! ([`Kind`]), and the sets that contain it. Each set has one query of [`Element`], whose
//! documentation lists its content, and a function for callers that only have the name. Some sets
//! differ in only a few elements, since their users need that; the documentation of the queries
//! names the differences. Lists of a published method (jusText, Boilerpipe, texrex) are part of
//! that method and not of this table. Names are in lower case, as in the tree.

mod element;
mod table;

pub(crate) use element::DefaultDisplay;
pub use element::Element;
pub use table::Kind;

/// The headings; the index is the level minus 1.
pub(crate) const HEADINGS: [&str; 6] = ["h1", "h2", "h3", "h4", "h5", "h6"];

/// The level of a heading: 1 to 6 for `h1` to `h6`.
pub fn heading_level(tag: &str) -> Option<u8> {
    match tag.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

/// Returns true for `h1` to `h6`.
pub fn is_heading(tag: &str) -> bool {
    heading_level(tag).is_some()
}

/// [`Element::kind`] by name.
pub fn kind(tag: &str) -> Kind {
    Element::named(tag).kind()
}

/// [`Element::separates_text_blocks`] by name.
pub fn separates_text_blocks(tag: &str) -> bool {
    Element::named(tag).separates_text_blocks()
}

/// [`Element::ends_line`] by name.
pub(crate) fn ends_line(tag: &str) -> bool {
    Element::named(tag).ends_line()
}

/// [`Element::is_hidden`] by name.
pub fn is_hidden(tag: &str) -> bool {
    Element::named(tag).is_hidden()
}

/// [`Element::is_ignored`] by name.
pub fn is_ignored(tag: &str) -> bool {
    Element::named(tag).is_ignored()
}

/// [`Element::is_uncounted`] by name.
pub(crate) fn is_uncounted(tag: &str) -> bool {
    Element::named(tag).is_uncounted()
}

/// [`Element::is_not_copied`] by name.
pub(crate) fn is_not_copied(tag: &str) -> bool {
    Element::named(tag).is_not_copied()
}

/// [`Element::is_void`] by name.
pub(crate) fn is_void(tag: &str) -> bool {
    Element::named(tag).is_void()
}

/// [`Element::is_void_in_output`] by name.
pub(crate) fn is_void_in_output(tag: &str) -> bool {
    Element::named(tag).is_void_in_output()
}

/// [`Element::is_leaf`] by name.
pub(crate) fn is_leaf(tag: &str) -> bool {
    Element::named(tag).is_leaf()
}

/// [`Element::is_raw_text`] by name.
pub(crate) fn is_raw_text(tag: &str) -> bool {
    Element::named(tag).is_raw_text()
}

/// [`Element::is_formatting`] by name.
pub(crate) fn is_formatting(tag: &str) -> bool {
    Element::named(tag).is_formatting()
}

#[cfg(test)]
mod tests {
    use super::table::{HIDDEN, Row, TABLE};
    use super::*;

    /// A query, and the names for which it is true, separated by spaces.
    type Pinned = (fn(&str) -> bool, &'static str);

    /// The names for which each query was true when the separate lists became this table. A change
    /// here changes results: targets, features (and with them models), or the output.
    const PINNED: &[Pinned] = &[
        (
            |tag| Element::named(tag).default_display() == Some(DefaultDisplay::Block),
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
            is_hidden,
            "script style noscript template head title textarea select option datalist iframe object embed audio \
             video canvas svg math-annotation noframes noembed frameset",
        ),
        (
            is_ignored,
            "script style head title noscript template option select textarea object embed applet svg canvas \
             audio video iframe noframes noembed",
        ),
        (
            is_uncounted,
            "script style head title template textarea svg",
        ),
        (
            |tag| Element::named(tag).is_unwrapped(),
            "applet audio base button canvas dialog embed fieldset form frame frameset head iframe input label \
             link marquee math meta noembed noframes noscript object option plaintext portal script select slot \
             style svg template textarea title video xmp",
        ),
        (
            is_not_copied,
            "html head body title meta base link script style plaintext xmp",
        ),
        (
            is_void,
            "area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr",
        ),
        (is_void_in_output, "area br col hr img input wbr"),
        (
            is_leaf,
            "area base br col embed hr iframe img input link meta noembed noframes noscript param script source \
             style textarea title track wbr xmp",
        ),
        (
            is_raw_text,
            "style script xmp iframe noembed noframes plaintext",
        ),
        (
            is_formatting,
            "a b big code em font i nobr s small strike strong tt u",
        ),
        (
            |tag| Element::named(tag).default_display() == Some(DefaultDisplay::ListItem),
            "li",
        ),
        (
            |tag| Element::named(tag).default_display() == Some(DefaultDisplay::Table),
            "table",
        ),
        (
            |tag| Element::named(tag).default_display() == Some(DefaultDisplay::TableRow),
            "tr thead tbody tfoot",
        ),
        (
            |tag| Element::named(tag).default_display() == Some(DefaultDisplay::TableCell),
            "td th caption",
        ),
        (
            |tag| Element::named(tag).default_display() == Some(DefaultDisplay::InlineBlock),
            "button",
        ),
        (|tag| kind(tag) == Kind::PlainBlock, "div center fieldset"),
        (
            |tag| kind(tag) == Kind::Inline,
            "span font abbr cite q mark small s del ins big",
        ),
        (|tag| kind(tag) == Kind::Emphasis, "b strong em i u"),
        (|tag| kind(tag) == Kind::Subscript, "sub sup"),
        (|tag| kind(tag) == Kind::List, "ul ol dl"),
        (|tag| kind(tag) == Kind::Image, "img picture svg"),
        (
            |tag| kind(tag) == Kind::Preformatted,
            "pre listing xmp plaintext",
        ),
        (|tag| kind(tag) == Kind::Code, "code kbd samp tt var"),
        (
            |tag| kind(tag) == Kind::Control,
            "input select textarea label option legend",
        ),
        (|tag| kind(tag) == Kind::Form, "form search"),
        (|tag| kind(tag) == Kind::Details, "details summary"),
        (
            |tag| kind(tag) == Kind::Media,
            "iframe video audio object embed canvas",
        ),
    ];

    #[test]
    fn names_are_unique_and_sorted() {
        assert!(TABLE.is_sorted_by(|one, next| one.name < next.name));
        for (number, row) in TABLE.iter().enumerate() {
            let element = Element::named(row.name);
            assert_eq!(
                (usize::from(element.number()), element.name()),
                (number, row.name)
            );
            assert_eq!(row.name, row.name.to_ascii_lowercase());
        }
        assert_eq!(
            (Element::UNKNOWN.name(), Element::UNKNOWN.kind()),
            ("", Kind::Other)
        );
        for other in [
            "",
            "h",
            "h0",
            "h7",
            "H1",
            "divs",
            "x-card",
            "P",
            "\0p",
            "plaintexts",
            "blockquotf",
        ] {
            assert_eq!(Element::named(other), Element::UNKNOWN, "{other}");
        }
    }

    #[test]
    fn each_set_has_its_pinned_content() {
        for (number, (query, names)) in PINNED.iter().enumerate() {
            let mut names: Vec<&str> = names.split_whitespace().collect();
            names.sort_unstable();
            let found: Vec<&str> = TABLE
                .iter()
                .map(|row| row.name)
                .filter(|name| query(name))
                .collect();
            assert_eq!(found, names, "set {number}");
        }
    }

    #[test]
    fn every_row_is_used_and_kinds_agree_with_sets() {
        for Row {
            name, kind, sets, ..
        } in &TABLE
        {
            assert!(*kind != Kind::Other || *sets != 0, "{name}");
            assert_eq!(
                matches!(kind, Kind::Heading(_)),
                heading_level(name).is_some(),
                "{name}"
            );
            if let Kind::Heading(level) = kind {
                assert_eq!(HEADINGS[usize::from(*level) - 1], *name);
            }
            assert!(
                !separates_text_blocks(name)
                    || Element::named(name).default_display().is_some()
                    || sets & HIDDEN != 0,
                "{name}"
            );
            assert!(!ends_line(name) || separates_text_blocks(name), "{name}");
            assert!(!is_void_in_output(name) || is_void(name), "{name}");
            assert!(!is_uncounted(name) || is_hidden(name), "{name}");
        }
    }
}
