//! Kinds of elements: a bit for every kind of tag or role that a feature needs.
//!
//! Bits are inherited down the tree in one pass, so that "is there a `nav` above this text" is one `and`.

use crate::capture::Dom;
use crate::capture::NodeId;
use crate::elements::{self, Kind};

/// A set of kinds.
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
pub(super) const SUBSCRIPT: Kinds = 1 << 44;

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

/// The kinds of one element; `above` are those of its ancestors.
pub(super) fn kinds(dom: &Dom, id: NodeId, above: Kinds) -> Kinds {
    let mut kinds = tag_kinds(dom.tag(id), above);
    for (name, value) in dom.attributes(id) {
        match name {
            "href" if dom.tag(id) == "a" => {
                kinds |= LINK;
                if value.trim_start().get(..11).is_some_and(|start| start.eq_ignore_ascii_case("javascript:")) {
                    kinds |= SCRIPTED;
                }
            }
            "role" => kinds |= role_kinds(value.trim(), above),
            "aria-hidden" if value == "true" => kinds |= ARIA_HIDDEN,
            "aria-live" if value != "off" => kinds |= ALERT,
            "onclick" => kinds |= SCRIPTED,
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
    kinds
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

/// The kinds of a role: a `div` with a role counts as the tag that the role means.
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
    if above & (ARTICLE | MAIN | SECTION | ASIDE | NAVIGATION) == 0 { PAGE_HEADER } else { PART_HEADER }
}

fn footer(above: Kinds) -> Kinds {
    if above & (ARTICLE | MAIN | SECTION | ASIDE | NAVIGATION) == 0 { PAGE_FOOTER } else { PART_FOOTER }
}

/// 1 to 6 for a heading, 0 for all else. A heading by role alone counts as its `aria-level`, or 2.
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
    fn roles_count_as_tags_and_headers_belong_to_their_section() {
        let mut builder = DomBuilder::new();
        let header = builder.open("header", vec![]);
        builder.close();
        let nav = builder.open("div", vec![("role".into(), "navigation".into())]);
        builder.close();
        let heading = builder.open("h3", vec![]);
        let dom = builder.finish();
        assert_eq!(kinds(&dom, header, 0), PAGE_HEADER);
        assert_eq!(kinds(&dom, header, ARTICLE), PART_HEADER);
        assert_eq!(kinds(&dom, nav, 0), PLAIN_BLOCK | NAVIGATION);
        assert_eq!(heading_level(&dom, heading), 3);
        assert_eq!(heading_level(&dom, nav), 0);
    }
}
