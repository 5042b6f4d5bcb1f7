//! Kinds of elements: one bit for every kind of tag or role that a feature needs.
//!
//! The bits of ancestors are collected in one pass down the tree, so that one `and` tells if there
//! is a `nav` above a text.

use crate::capture::{Dom, NodeId};
use crate::elements::{self, Kind};
use crate::text;

pub(super) type Kinds = u64;

pub(super) const PARAGRAPH: Kinds = 1;
pub(super) const HEADING: Kinds = 1 << 1;
pub(super) const ITEM: Kinds = 1 << 2;
pub(super) const LIST: Kinds = 1 << 3;
pub(super) const TABLE: Kinds = 1 << 4;
pub(super) const CELL: Kinds = 1 << 5;
pub(super) const HEAD_CELL: Kinds = 1 << 6;
pub(super) const TERM: Kinds = 1 << 7;
pub(super) const DESCRIPTION: Kinds = 1 << 8;
pub(super) const PREFORMATTED: Kinds = 1 << 9;
pub(super) const CODE: Kinds = 1 << 10;
pub(super) const QUOTE: Kinds = 1 << 11;
pub(super) const CAPTION: Kinds = 1 << 12;
pub(super) const FIGURE: Kinds = 1 << 13;
pub(super) const PLAIN_BLOCK: Kinds = 1 << 14;
/// `a` with an address.
pub(super) const LINK: Kinds = 1 << 15;
pub(super) const CONTROL: Kinds = 1 << 16;
pub(super) const ARTICLE: Kinds = 1 << 17;
pub(super) const MAIN: Kinds = 1 << 18;
pub(super) const SECTION: Kinds = 1 << 19;
pub(super) const NAVIGATION: Kinds = 1 << 20;
pub(super) const ASIDE: Kinds = 1 << 21;
/// `header` of the page, not of an article or section.
pub(super) const PAGE_HEADER: Kinds = 1 << 22;
/// `footer` of the page, not of an article or section.
pub(super) const PAGE_FOOTER: Kinds = 1 << 23;
pub(super) const PART_HEADER: Kinds = 1 << 24;
pub(super) const PART_FOOTER: Kinds = 1 << 25;
pub(super) const FORM: Kinds = 1 << 26;
pub(super) const ADDRESS: Kinds = 1 << 27;
pub(super) const DIALOG: Kinds = 1 << 28;
pub(super) const DETAILS: Kinds = 1 << 29;
pub(super) const MENU: Kinds = 1 << 30;
pub(super) const EMPHASIS: Kinds = 1 << 31;
pub(super) const INLINE: Kinds = 1 << 32;
pub(super) const BREAK: Kinds = 1 << 33;
pub(super) const IMAGE: Kinds = 1 << 34;
pub(super) const MEDIA: Kinds = 1 << 35;
pub(super) const TIME: Kinds = 1 << 36;
pub(super) const BODY: Kinds = 1 << 37;
/// `aria-hidden="true"`.
pub(super) const ARIA_HIDDEN: Kinds = 1 << 38;
/// `itemprop` `articleBody`, `text`, `reviewBody` or `description`.
pub(super) const ITEM_BODY: Kinds = 1 << 39;
/// `itemprop` `name` or `headline`.
pub(super) const ITEM_NAME: Kinds = 1 << 40;
/// `onclick`, or a link to `javascript:`.
pub(super) const SCRIPTED: Kinds = 1 << 41;
/// A live region, an alert or a status line.
pub(super) const ALERT: Kinds = 1 << 42;
pub(super) const ROW: Kinds = 1 << 43;
const SUBSCRIPT: Kinds = 1 << 44;
/// Has the attribute `datetime`.
pub(super) const DATETIME: Kinds = 1 << 45;
/// Text that consists of white space.
pub(super) const BLANK: Kinds = 1 << 46;
/// A text that has a digit, is long, or has a non-ASCII character that may be a number.
pub(super) const NUMBERED: Kinds = 1 << 47;
/// `itemtype` of an article, a product, a recipe, a thread, a list.
pub(super) const ARTICLE_ITEM: Kinds = 1 << 48;
pub(super) const PRODUCT_ITEM: Kinds = 1 << 49;
pub(super) const RECIPE_ITEM: Kinds = 1 << 50;
pub(super) const THREAD_ITEM: Kinds = 1 << 51;
pub(super) const LIST_ITEM: Kinds = 1 << 52;

/// Elements that divide a page into sections.
pub(super) const SECTIONS: Kinds = ARTICLE
    | MAIN
    | SECTION
    | NAVIGATION
    | ASIDE
    | PAGE_HEADER
    | PAGE_FOOTER
    | PART_HEADER
    | PART_FOOTER
    | FORM
    | DIALOG
    | BODY;

/// Kinds and attributes of an element, read in one pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Markup<'d> {
    pub(super) kinds: Kinds,
    pub(super) class: Option<&'d str>,
    pub(super) href: Option<&'d str>,
}

/// Reads the attributes of an element; `above` are the kinds of its ancestors.
pub(super) fn markup(dom: &Dom, id: NodeId, above: Kinds) -> Markup<'_> {
    let tag = dom.tag(id);
    let mut kinds = tag_kinds(tag, above);
    let (mut class, mut href) = (None, None);
    for (name, value) in dom.attributes(id).iter() {
        match name {
            "class" => class = class.or(Some(value)),
            "href" => {
                href = href.or(Some(value));
                if tag == "a" {
                    kinds |= LINK;
                    if value
                        .trim_start()
                        .get(..11)
                        .is_some_and(|start| start.eq_ignore_ascii_case("javascript:"))
                    {
                        kinds |= SCRIPTED;
                    }
                }
            }
            "role" => kinds |= role_kinds(value.trim(), above),
            "aria-hidden" if value == "true" => kinds |= ARIA_HIDDEN,
            "aria-live" if value != "off" => kinds |= ALERT,
            "datetime" => kinds |= DATETIME,
            "onclick" => kinds |= SCRIPTED,
            "itemtype" => kinds |= item_kinds(value.rsplit('/').next().unwrap_or("")),
            "itemprop" => {
                for word in value.split_ascii_whitespace() {
                    kinds |= match word {
                        "articleBody" | "text" | "reviewBody" | "description" => ITEM_BODY,
                        "name" | "headline" => ITEM_NAME,
                        _ => 0,
                    };
                }
            }
            _ => {}
        }
    }
    Markup { kinds, class, href }
}

/// The kinds for a type of schema.org.
pub(super) fn item_kinds(name: &str) -> Kinds {
    match name {
        "Product" | "ProductGroup" | "IndividualProduct" | "Book" | "SoftwareApplication" => {
            PRODUCT_ITEM
        }
        "Recipe" => RECIPE_ITEM,
        "DiscussionForumPosting" | "QAPage" => THREAD_ITEM,
        "ItemList" | "CollectionPage" | "SearchResultsPage" | "OfferCatalog" | "Blog" => LIST_ITEM,
        "BlogPosting" | "Report" => ARTICLE_ITEM,
        name if name.ends_with("Article") => ARTICLE_ITEM,
        _ => 0,
    }
}

/// Maximum length in bytes of texts that are examined for their kinds; longer ones are mostly
/// programs.
const SHORT_BYTES: usize = 512;

pub(super) fn text_kinds(text: &str) -> Kinds {
    let (mut is_blank, mut may_have_number) = (true, false);
    if text.len() <= SHORT_BYTES {
        for byte in text.bytes() {
            is_blank &= matches!(byte, b' ' | b'\t'..=b'\r');
            may_have_number |= byte.is_ascii_digit() || !byte.is_ascii();
        }
    } else {
        (is_blank, may_have_number) = (false, true);
    }
    // Other white space is searched for only where it may occur.
    let is_blank = is_blank || (may_have_number && text::is_blank(text));
    (if is_blank { BLANK } else { 0 }) | (if may_have_number { NUMBERED } else { 0 })
}

fn tag_kinds(tag: &str, above: Kinds) -> Kinds {
    match elements::kind(tag) {
        Kind::PlainBlock => PLAIN_BLOCK,
        Kind::Inline => INLINE,
        Kind::Paragraph => PARAGRAPH,
        Kind::Emphasis => INLINE | EMPHASIS,
        Kind::Subscript => INLINE | SUBSCRIPT,
        Kind::Item => ITEM,
        Kind::List => LIST,
        Kind::Menu => LIST | MENU,
        Kind::Break => BREAK,
        Kind::Image => IMAGE,
        Kind::Heading(_) => HEADING,
        Kind::Cell => CELL,
        Kind::HeadCell => CELL | HEAD_CELL,
        Kind::Row => ROW,
        Kind::Table => TABLE,
        Kind::Term => TERM,
        Kind::Description => DESCRIPTION,
        Kind::Preformatted => PREFORMATTED,
        Kind::Code => CODE,
        Kind::Quote => QUOTE,
        Kind::Caption | Kind::TableCaption => CAPTION,
        Kind::Figure => FIGURE,
        Kind::Control | Kind::Button => CONTROL,
        Kind::Article => ARTICLE,
        Kind::Main => MAIN,
        Kind::Section => SECTION,
        Kind::Navigation => NAVIGATION,
        Kind::Aside => ASIDE,
        Kind::Header => header(above),
        Kind::Footer => footer(above),
        Kind::Form => FORM,
        Kind::Address => ADDRESS,
        Kind::Dialog => DIALOG,
        Kind::Details => DETAILS,
        Kind::Media => MEDIA,
        Kind::Time => TIME,
        Kind::Body => BODY,
        Kind::RowGroup | Kind::Other => 0,
    }
}

/// The kinds of a role: a `div` with a role counts as the equivalent tag.
fn role_kinds(role: &str, above: Kinds) -> Kinds {
    match role {
        "navigation" | "directory" => NAVIGATION,
        "contentinfo" => footer(above),
        "banner" => header(above),
        "complementary" => ASIDE,
        "dialog" | "alertdialog" | "tooltip" => DIALOG,
        "main" => MAIN,
        "article" => ARTICLE,
        "search" | "form" => FORM,
        "heading" => HEADING,
        "menu" | "menubar" | "menuitem" | "tab" | "tablist" | "toolbar" => MENU,
        "button" => CONTROL,
        "alert" | "status" | "log" | "marquee" => ALERT,
        "listitem" => ITEM,
        "list" => LIST,
        _ => 0,
    }
}

fn header(above: Kinds) -> Kinds {
    if above & (ARTICLE | MAIN | SECTION | ASIDE | NAVIGATION) == 0 {
        PAGE_HEADER
    } else {
        PART_HEADER
    }
}

fn footer(above: Kinds) -> Kinds {
    if above & (ARTICLE | MAIN | SECTION | ASIDE | NAVIGATION) == 0 {
        PAGE_FOOTER
    } else {
        PART_FOOTER
    }
}

/// 1 to 6 for a heading, 0 for everything else. If only the role makes it a heading, its level is
/// `aria-level`, or 2.
pub(super) fn heading_level(dom: &Dom, id: NodeId) -> u8 {
    match elements::heading_level(dom.tag(id)) {
        Some(level) => level,
        None if dom.attribute(id, "role") == Some("heading") => dom
            .attribute(id, "aria-level")
            .and_then(|level| level.parse().ok())
            .map_or(2, |level: u8| level.clamp(1, 6)),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::DomBuilder;

    #[test]
    fn texts_are_blank_or_may_have_numbers() {
        for (text, kinds) in [
            ("", BLANK),
            (" \u{b}\n", BLANK),
            (" \u{a0}", BLANK | NUMBERED),
            (" a", 0),
            (" 1", NUMBERED),
        ] {
            assert_eq!(text_kinds(text), kinds, "{text:?}");
        }
        assert_eq!(
            [" ", "x"].map(|c| text_kinds(&c.repeat(1000))),
            [BLANK | NUMBERED, NUMBERED]
        );
        assert_eq!(
            [text_kinds("\u{663}"), text_kinds("\u{e4} ")],
            [NUMBERED; 2]
        );
    }

    #[test]
    fn the_first_of_equal_attributes_counts() {
        let mut builder = DomBuilder::new();
        let attributes = [
            ("class", "x"),
            ("href", "/y"),
            ("class", "z"),
            ("href", "#"),
            ("datetime", ""),
        ];
        let link = builder.open(
            "a",
            attributes
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
        );
        let dom = builder.finish();
        assert_eq!(
            markup(&dom, link, 0),
            Markup {
                kinds: LINK | DATETIME,
                class: Some("x"),
                href: Some("/y")
            }
        );
    }

    #[test]
    fn roles_count_as_tags_and_headers_belong_to_their_section() {
        let mut builder = DomBuilder::new();
        let header = builder.open("header", vec![]);
        builder.close();
        let nav = builder.open("div", vec![("role".into(), "navigation".into())]);
        builder.close();
        let heading = builder.open("h3", vec![]);
        let dom = builder.finish();
        let kinds = |id, above| markup(&dom, id, above).kinds;
        assert_eq!(kinds(header, 0), PAGE_HEADER);
        assert_eq!(kinds(header, ARTICLE), PART_HEADER);
        assert_eq!(kinds(nav, 0), PLAIN_BLOCK | NAVIGATION);
        assert_eq!(heading_level(&dom, heading), 3);
        assert_eq!(heading_level(&dom, nav), 0);
    }
}
