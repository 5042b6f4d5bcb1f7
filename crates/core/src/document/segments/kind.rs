//! The elements around a block: the one that gives its kind, its quotations and its list items.
//!
//! The nearest element with a kind decides, except that all blocks of a cell of a data table belong
//! to the cell. Lists, definition lists and tables that are used for page layout have no kind.

use crate::capture::{Dom, NodeId};
use crate::document::code::blocks::CodeBlocks;
use crate::document::content::{Callout, ItemMark, Numbering, SegmentKind, Within};
use crate::document::non_text::{checkbox, is_checked};
use crate::document::posts::is_quoted;
use crate::document::segments::callouts::callout;
use crate::document::table::{CellPosition, Tables, table_tag};
use crate::elements::heading_level;
use std::collections::{BTreeMap, BTreeSet};

/// Largest subtree of a list item, in nodes; a larger one is a part of the page layout. Heuristic.
const MAX_ITEM_NODES: usize = 600;

/// Greatest depth of lists and quotations.
const MAX_DEPTH: usize = 20;

/// The element that gives a block its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::document) enum KindSource {
    Heading(u8),
    Item(NodeId),
    Term,
    Definition(NodeId),
    /// A caption, and the data table that it belongs to.
    Caption(Option<NodeId>),
    Code(NodeId),
    Quote,
    Cell(CellPosition),
    Nothing,
}

/// Finds the elements around the blocks of a page, which must be requested in document order.
#[derive(Debug)]
pub(in crate::document) struct KindFinder<'a> {
    dom: &'a Dom,
    code: &'a CodeBlocks,
    tables: Tables,
    /// Numbers of the tables of the text.
    table_numbers: BTreeMap<NodeId, u32>,
    /// For each `li`, `dt` and `dd`, true for an item that is not a part of the page layout; for
    /// each `dl`, true if it has terms and definitions; for each `ul` and `ol` with headings, true
    /// if its items are nothing else.
    items: BTreeMap<NodeId, bool>,
    /// For each list in another list, true if it belongs to the item before it.
    inner_lists: BTreeMap<NodeId, bool>,
    /// For each item of an `ol`, its number.
    numbers: BTreeMap<NodeId, Option<u32>>,
    /// Items and definitions with a segment.
    with_segment: BTreeSet<NodeId>,
    /// Quotation and callout of each element, by node; `None` if not computed yet.
    apart: Vec<Option<Apart>>,
}

/// Ways in which an element sets its content apart from the text around it.
#[derive(Debug, Clone, Copy)]
struct Apart {
    is_quotation: bool,
    callout: Option<Callout>,
}

impl<'a> KindFinder<'a> {
    pub(in crate::document) fn new(dom: &'a Dom, code: &'a CodeBlocks) -> Self {
        Self {
            dom,
            code,
            tables: Tables::default(),
            table_numbers: BTreeMap::new(),
            items: BTreeMap::new(),
            inner_lists: BTreeMap::new(),
            numbers: BTreeMap::new(),
            with_segment: BTreeSet::new(),
            apart: vec![None; dom.len()],
        }
    }

    /// The quotation or callout of an element, cached because blocks share the elements around
    /// them.
    fn apart(&mut self, id: NodeId) -> Apart {
        let dom = self.dom;
        *self.apart[id.index()].get_or_insert_with(|| {
            let tag = dom.tag(id);
            let is_quotation = tag == "blockquote" || (tag == "div" && is_quoted(dom, id));
            Apart {
                is_quotation,
                callout: callout(dom, id),
            }
        })
    }

    /// The element that gives the kind of a block.
    pub(in crate::document) fn source(&mut self, container: NodeId) -> KindSource {
        let dom = self.dom;
        let block = self.code.enclosing(dom, container);
        let mut nearest = KindSource::Nothing;
        for up in std::iter::once(container).chain(dom.ancestors(container)) {
            let is_in_code = block.is_some_and(|block| block < up);
            let found = match table_tag(dom, up) {
                // In code, the items of a list and the rows of a table are lines.
                tag if is_in_code => {
                    heading_level(tag).map_or(KindSource::Nothing, KindSource::Heading)
                }
                _ if block == Some(up) => {
                    return if nearest == KindSource::Nothing {
                        KindSource::Code(up)
                    } else {
                        nearest
                    };
                }
                "td" | "th" => match self.tables.position(dom, up) {
                    Some(position) => return KindSource::Cell(position),
                    None => KindSource::Nothing,
                },
                "table" if self.tables.is_data(dom, up) => return nearest,
                _ if nearest != KindSource::Nothing => continue,
                "blockquote" => KindSource::Quote,
                "caption" => KindSource::Caption(
                    dom.parent(up)
                        .filter(|&table| self.tables.is_data(dom, table)),
                ),
                "figcaption" => KindSource::Caption(None),
                "li" if self.is_item(up) => KindSource::Item(up),
                "dt" if self.is_item(up) && self.is_defined(up) => KindSource::Term,
                "dd" if self.is_item(up) && self.is_defined(up) => KindSource::Definition(up),
                tag => match heading_level(tag) {
                    Some(level) => self
                        .item_of_headings(up)
                        .map_or(KindSource::Heading(level), KindSource::Item),
                    None if dom.attribute(up, "role") == Some("heading") => {
                        let level = dom
                            .attribute(up, "aria-level")
                            .and_then(|level| level.trim().parse::<u8>().ok());
                        KindSource::Heading(level.unwrap_or(2).clamp(1, 6))
                    }
                    None => KindSource::Nothing,
                },
            };
            if nearest == KindSource::Nothing {
                nearest = found;
            }
        }
        nearest
    }

    /// The cell of a data table that contains a block of code, if the row has other text: code
    /// alone in a row is not a part of a table, nor is code beside the numbers of its lines.
    pub(in crate::document) fn cell_of_code(&mut self, block: NodeId) -> Option<KindSource> {
        let dom = self.dom;
        let cell = dom
            .ancestors(block)
            .find(|&up| matches!(table_tag(dom, up), "td" | "th" | "table"))?;
        let position = self.tables.position(dom, cell)?;
        let is_text = |id: NodeId| {
            dom.text(id)
                .is_some_and(|text| text.contains(char::is_alphabetic))
        };
        let mut others = dom
            .parent(cell)
            .into_iter()
            .flat_map(|row| dom.children(row))
            .filter(|&other| other != cell);
        others
            .any(|other| dom.descendants(other).take(MAX_ITEM_NODES).any(is_text))
            .then_some(KindSource::Cell(position))
    }

    /// The quotations and list items around a block.
    pub(in crate::document) fn within(&mut self, source: KindSource, container: NodeId) -> Within {
        let dom = self.dom;
        let mut within = Within::default();
        for up in std::iter::once(container).chain(dom.ancestors(container)) {
            let Apart {
                is_quotation,
                callout,
            } = self.apart(up);
            match table_tag(dom, up) {
                _ if is_quotation || callout.is_some() => {
                    within.quotes = within.quotes.saturating_add(1);
                }
                "li" if !matches!(source, KindSource::Item(_)) && self.is_item(up) => {
                    within.items = within.items.saturating_add(1);
                }
                "ul" | "ol"
                    if !matches!(source, KindSource::Item(_)) && self.is_in_item_before(up) =>
                {
                    within.items = within.items.saturating_add(1);
                }
                // Content of a data table belongs to the table alone.
                "table" if self.tables.is_data(dom, up) => within = Within::default(),
                _ => {}
            }
        }
        let limit = MAX_DEPTH as u8;
        Within {
            quotes: within.quotes.min(limit),
            items: within.items.min(limit),
        }
    }

    /// The callout around a block, if this is the first block of it that is requested.
    pub(in crate::document) fn begun_callout(&mut self, container: NodeId) -> Option<Callout> {
        let dom = self.dom;
        let mut nearest = None;
        for up in std::iter::once(container).chain(dom.ancestors(container)) {
            if nearest.is_none() {
                nearest = self.apart(up).callout.map(|kind| (up, kind));
            } else if dom.tag(up) == "table" && self.tables.is_data(dom, up) {
                // Content of a data table belongs to the table alone.
                nearest = None;
            }
        }
        let (element, kind) = nearest?;
        self.with_segment.insert(element).then_some(kind)
    }

    /// The kind that the element gives; `None` if it gives none.
    pub(in crate::document) fn kind(
        &mut self,
        source: KindSource,
        container: NodeId,
    ) -> Option<SegmentKind> {
        Some(match source {
            KindSource::Heading(level) => SegmentKind::Heading { level },
            KindSource::Quote => SegmentKind::Quote,
            KindSource::Term => SegmentKind::Term,
            KindSource::Definition(dd) => SegmentKind::Definition {
                continues: !self.with_segment.insert(dd),
            },
            KindSource::Caption(table) => SegmentKind::Caption {
                table: table.map(|table| self.table_number(table)),
            },
            KindSource::Item(li) => {
                let depth = self.depth(li);
                let continues = !self.with_segment.insert(li);
                let checkbox =
                    checkbox(self.dom, li, self.dom.end(container)).filter(|_| !continues);
                let checked = checkbox.map(|input| is_checked(self.dom, input));
                SegmentKind::ListItem {
                    depth,
                    number: self.number(li),
                    continues,
                    checked,
                }
            }
            KindSource::Cell(position) => SegmentKind::TableCell {
                table: self.table_number(position.table),
                row: position.row,
                column: position.column,
                is_header: position.is_header,
                row_span: position.row_span,
                column_span: position.column_span,
            },
            KindSource::Code(_) | KindSource::Nothing => return None,
        })
    }

    /// Number of the items around an item; a list that is a child of another one is in the item
    /// before it.
    fn depth(&mut self, li: NodeId) -> u8 {
        let dom = self.dom;
        let mut depth = 0;
        for up in dom.ancestors(li) {
            let is_around = match dom.tag(up) {
                "li" => self.is_item(up),
                "ul" | "ol" => self.is_in_item_before(up),
                _ => false,
            };
            depth += usize::from(is_around);
        }
        depth.min(MAX_DEPTH) as u8
    }

    /// Returns true if a list is a child of another list and an item is before it there, as some
    /// editors write it.
    fn is_in_item_before(&mut self, list: NodeId) -> bool {
        let dom = self.dom;
        let outer = dom
            .parent(list)
            .filter(|&up| matches!(dom.tag(up), "ul" | "ol"));
        let Some(outer) = outer else {
            return false;
        };
        if let Some(&is_inner) = self.inner_lists.get(&list) {
            return is_inner;
        }
        let mut is_after_item = false;
        for child in dom.children(outer) {
            match dom.tag(child) {
                "li" => is_after_item = self.is_item(child),
                "ul" | "ol" => {
                    self.inner_lists.insert(child, is_after_item);
                }
                _ => {}
            }
        }
        self.inner_lists.get(&list).copied().unwrap_or(false)
    }

    /// The list of an item; for code, quotations and captions in an item, the item if it begins
    /// with this block.
    pub(in crate::document) fn item(
        &mut self,
        source: KindSource,
        within: Within,
        container: NodeId,
    ) -> Option<ItemMark> {
        match source {
            KindSource::Item(li) => Some(self.mark(li)),
            KindSource::Code(_) | KindSource::Quote | KindSource::Caption(None)
                if within.items > 0 =>
            {
                self.begun_item(container)
            }
            _ => None,
        }
    }

    /// The innermost item around a block, if this is the first block of it that is requested.
    pub(in crate::document) fn begun_item(&mut self, block: NodeId) -> Option<ItemMark> {
        let dom = self.dom;
        let li = std::iter::once(block)
            .chain(dom.ancestors(block))
            .find(|&up| dom.tag(up) == "li")?;
        (self.is_item(li) && self.with_segment.insert(li)).then(|| self.mark(li))
    }

    fn mark(&mut self, li: NodeId) -> ItemMark {
        let dom = self.dom;
        let list = dom.parent(li).unwrap_or(li);
        ItemMark {
            list,
            numbering: numbering(dom, list),
            number: self.number(li),
            quotes: self.within(KindSource::Item(li), li).quotes,
        }
    }

    /// The tables of the text with their numbers, in the order of the numbers.
    pub(in crate::document) fn numbered_tables(&self) -> Vec<(NodeId, u32)> {
        let mut tables: Vec<(NodeId, u32)> = self
            .table_numbers
            .iter()
            .map(|(&table, &number)| (table, number))
            .collect();
        tables.sort_unstable_by_key(|(_, number)| *number);
        tables
    }

    fn table_number(&mut self, table: NodeId) -> u32 {
        let next = self.table_numbers.len() as u32;
        *self.table_numbers.entry(table).or_insert(next)
    }

    /// The list item that is nothing but this heading, in a list that has only such items: headings
    /// without text.
    fn item_of_headings(&mut self, heading: NodeId) -> Option<NodeId> {
        let dom = self.dom;
        let li = dom
            .ancestors(heading)
            .take(2)
            .find(|&up| dom.tag(up) == "li")?;
        let list = dom
            .parent(li)
            .filter(|&up| matches!(dom.tag(up), "ul" | "ol"))?;
        let is_such = *self.items.entry(list).or_insert_with(|| {
            let items: Vec<NodeId> = dom
                .children(list)
                .filter(|&id| dom.tag(id) == "li")
                .collect();
            items.len() > 1 && items.iter().all(|&li| is_one_heading(dom, li))
        });
        is_such.then(|| {
            self.items.insert(li, true);
            li
        })
    }

    fn is_item(&mut self, id: NodeId) -> bool {
        let dom = self.dom;
        *self.items.entry(id).or_insert_with(|| {
            dom.end(id) - id.index() <= MAX_ITEM_NODES
                && !dom
                    .descendants(id)
                    .any(|id| matches!(dom.tag(id), "h1" | "h2" | "h3" | "article" | "section"))
        })
    }

    /// Returns true if the definition list around a `dt` or `dd` has both; without terms it indents
    /// text, as on talk pages of wikis.
    fn is_defined(&mut self, id: NodeId) -> bool {
        let dom = self.dom;
        let Some(list) = dom.ancestors(id).take(2).find(|&up| dom.tag(up) == "dl") else {
            return false;
        };
        *self.items.entry(list).or_insert_with(|| {
            let has = |tag: &str| {
                dom.children(list).any(|child| {
                    let is_group = dom.tag(child) == "div";
                    dom.tag(child) == tag
                        || is_group && dom.children(child).any(|below| dom.tag(below) == tag)
                })
            };
            has("dt") && has("dd")
        })
    }

    fn number(&mut self, li: NodeId) -> Option<u32> {
        let list = self.dom.parent(li).filter(|&up| self.dom.tag(up) == "ol")?;
        if !self.numbers.contains_key(&li) {
            let read = |id, name| {
                self.dom
                    .attribute(id, name)
                    .and_then(|value| value.trim().parse::<i64>().ok())
            };
            let items: Vec<_> = self
                .dom
                .children(list)
                .filter(|&id| self.dom.tag(id) == "li")
                .collect();
            let step = if self.dom.attribute(list, "reversed").is_some() {
                -1
            } else {
                1
            };
            let first = if step == 1 { 1 } else { items.len() as i64 };
            let mut number = read(list, "start").unwrap_or(first);
            for item in items {
                number = read(item, "value").unwrap_or(number);
                self.numbers.insert(item, u32::try_from(number).ok());
                number = number.saturating_add(step);
            }
        }
        self.numbers.get(&li).copied().flatten()
    }
}

/// Names of numberings: values of `type`, of `list-style-type`, and classes of Sphinx and
/// Asciidoctor.
const NUMBERINGS: &[(Numbering, &[&str])] = &[
    (
        Numbering::LowerLetters,
        &["a", "lower-alpha", "lower-latin", "loweralpha"],
    ),
    (
        Numbering::UpperLetters,
        &["A", "upper-alpha", "upper-latin", "upperalpha"],
    ),
    (Numbering::LowerRoman, &["i", "lower-roman", "lowerroman"]),
    (Numbering::UpperRoman, &["I", "upper-roman", "upperroman"]),
];

/// The numbering of a list by its attributes.
fn numbering(dom: &Dom, list: NodeId) -> Numbering {
    if dom.tag(list) != "ol" {
        return Numbering::Decimal;
    }
    let named = |name: &str| {
        let known = NUMBERINGS
            .iter()
            .find(|(_, names)| names.contains(&name.trim()));
        known.map(|(numbering, _)| *numbering)
    };
    let of_type = dom.attribute(list, "type").and_then(named);
    let of_style = || {
        let style = dom.attribute(list, "style")?;
        style.split(';').find_map(|declaration| {
            let (property, value) = declaration.split_once(':')?;
            property.trim().starts_with("list-style").then_some(())?;
            value.split_ascii_whitespace().find_map(named)
        })
    };
    // One letter is the class of anything.
    let of_class = || {
        let class = dom.attribute(list, "class")?;
        let mut names = class.split_ascii_whitespace().filter(|name| name.len() > 1);
        names.find_map(named)
    };
    of_type
        .or_else(of_style)
        .or_else(of_class)
        .unwrap_or_default()
}

/// Returns true if a list item has one heading and no other text.
fn is_one_heading(dom: &Dom, li: NodeId) -> bool {
    if dom.end(li) - li.index() > MAX_ITEM_NODES {
        return false;
    }
    let mut headings = dom
        .descendants(li)
        .filter(|&id| heading_level(dom.tag(id)).is_some());
    let (Some(heading), None) = (headings.next(), headings.next()) else {
        return false;
    };
    let is_other = |id: NodeId| {
        !dom.contains(heading, id) && dom.text(id).is_some_and(|text| !text.trim().is_empty())
    };
    !dom.descendants(li).any(is_other)
}

#[cfg(test)]
mod tests {
    use crate::document::SegmentKind;
    use crate::document::content::{Segment, Within};
    use crate::document::segments::segment::tests::all_kept;

    fn outline(html: &str) -> Vec<(String, SegmentKind, Within)> {
        all_kept(html)
            .iter()
            .map(|segment| (segment.text(), segment.kind.clone(), segment.within))
            .collect()
    }

    fn items(html: &str) -> Vec<(String, Option<u32>, Option<bool>)> {
        let item = |segment: Segment| match segment.kind {
            SegmentKind::ListItem {
                number, checked, ..
            } => Some((segment.text(), number, checked)),
            _ => None,
        };
        all_kept(html).into_iter().filter_map(item).collect()
    }

    #[test]
    fn quotations_and_items_around_a_block_are_counted() {
        let html = "<blockquote><p>a</p><blockquote>b<ul><li>c</ul></blockquote></blockquote>\
                    <ul><li>d<pre>e</pre><blockquote>f</blockquote></li></ul><p>g</p>";
        let found: Vec<_> = outline(html)
            .into_iter()
            .map(|(text, _, Within { quotes, items })| (text, quotes, items))
            .collect();
        let expected = [
            ("a", 1, 0),
            ("b", 2, 0),
            ("c", 2, 0),
            ("d", 0, 0),
            ("e", 0, 1),
            ("f", 1, 1),
            ("g", 0, 0),
        ];
        assert_eq!(
            found,
            expected.map(|(text, quotes, items)| (text.to_owned(), quotes, items))
        );
    }

    #[test]
    fn a_list_in_a_list_belongs_to_the_item_before_it() {
        let html = "<ul><li>a</li><ul><li>b</li><ol><li>c</li></ol></ul><li>d</li></ul>\
                    <ul><ul><li>e</li></ul></ul><ul><li>f</li><ul><li><pre>g</pre></li></ul></ul>";
        let depths: Vec<u8> = all_kept(html)
            .iter()
            .map(|segment| match segment.kind {
                SegmentKind::ListItem { depth, .. } => depth,
                _ => 9 + segment.within.items,
            })
            .collect();
        assert_eq!(depths, [0, 1, 2, 0, 0, 0, 11]);
    }

    #[test]
    fn items_begin_with_other_blocks_than_paragraphs() {
        let html = "<ol><li><pre>a</pre><p>b</p></li><li value=5><blockquote>c</blockquote></li>\
                    <li><p>d</p><pre>e</pre></li></ol><pre>f</pre>";
        let found: Vec<_> = all_kept(html)
            .iter()
            .map(|segment| {
                let number = segment.item.map(|item| item.number.unwrap());
                let continues = matches!(
                    segment.kind,
                    SegmentKind::ListItem {
                        continues: true,
                        ..
                    }
                );
                (segment.text(), number, continues)
            })
            .collect();
        let expected = [
            ("a", Some(1), false),
            ("b", Some(1), true),
            ("c", Some(5), false),
            ("d", Some(6), false),
            ("e", None, false),
            ("f", None, false),
        ];
        assert_eq!(
            found,
            expected.map(|(text, number, continues)| (text.to_owned(), number, continues))
        );
    }

    #[test]
    fn lists_are_numbered_by_letters() {
        for (html, expected) in [
            ("<ol type=a><li>x</ol>", "b"),
            ("<ol type=I><li>x</ol>", "II"),
            ("<ol style='list-style: upper-alpha inside'><li>x</ol>", "B"),
            ("<ol class='lowerroman simple'><li>x</ol>", "ii"),
        ] {
            let item = all_kept(html)[0].item.unwrap();
            assert_eq!(item.numbering.letters(2).as_deref(), Some(expected));
        }
        let plain = all_kept("<ol class='a i'><li>x</ol>")[0].item.unwrap();
        assert_eq!(plain.numbering, super::Numbering::Decimal);
    }

    #[test]
    fn callouts_are_quotations_with_a_kind() {
        for html in [
            "<div class='markdown-alert markdown-alert-warning'><p class=markdown-alert-title>Warning</p><p>hot</p></div><p>so</p>",
            "<div class='theme-admonition theme-admonition-warning alert'><div>Warning</div><div><p>hot</p></div></div><p>so</p>",
            "<div class=callout data-callout=warning><div class=callout-title>Warning</div><div><p>hot</p></div></div><p>so</p>",
            "<div class='admonition warning'><p class=admonition-title>Warning</p><p>hot</p></div><p>so</p>",
        ] {
            let found: Vec<_> = all_kept(html)
                .iter()
                .map(|segment| (segment.within.quotes, segment.callout))
                .collect();
            assert_eq!(
                found,
                [(1, Some(super::Callout::Warning)), (1, None), (0, None)],
                "{html}"
            );
        }
    }

    #[test]
    fn all_blocks_of_a_cell_belong_to_it() {
        let html = "<table><tr><th>a<th>b<tr><td><ul><li>c<li>d</ul><td><h4>e</h4></table>";
        let cells = outline(html)
            .into_iter()
            .filter(|(_, kind, _)| matches!(kind, SegmentKind::TableCell { .. }));
        assert_eq!(cells.count(), 5);
    }

    #[test]
    fn code_in_a_cell_belongs_to_it() {
        let html = "<table><tr><th>a<th>b<tr><td>c<td><pre>d\n  e</pre></table>\
                    <table><tr><th colspan=2>f.py<tr><td class=n>1<td><pre>g</pre></table>";
        let found = outline(html);
        let is_cell = |(_, kind, _): &&(String, SegmentKind, Within)| {
            matches!(kind, SegmentKind::TableCell { .. })
        };
        let cells = found.iter().filter(is_cell);
        assert_eq!(cells.filter(|(text, ..)| text == "d\n  e").count(), 1);
        let is_code =
            |(text, kind, _): &&_| text == "g" && matches!(kind, SegmentKind::Code { .. });
        assert!(found.iter().any(|one| is_code(&one)), "{found:?}");
    }

    #[test]
    fn a_list_of_headings_is_a_list() {
        let html = "<ul><li><h3>a</h3><li><h3><a href=x>b</a></h3></ul><ul><li><h3>c</h3><li><h3>d</h3><p>e</p></ul>";
        let found: Vec<_> = outline(html).into_iter().map(|(_, kind, _)| kind).collect();
        let item = SegmentKind::ListItem {
            depth: 0,
            number: None,
            continues: false,
            checked: None,
        };
        let heading = SegmentKind::Heading { level: 3 };
        assert_eq!(
            found,
            [
                item.clone(),
                item,
                heading.clone(),
                heading,
                SegmentKind::Paragraph
            ]
        );
    }

    #[test]
    fn definition_lists_have_terms_and_definitions() {
        let html = "<dl><dt>a<dd><p>b</p><p>c</p></dl><dl><dd>d</dl><dl><div><dt>e</dt><dd>f</dd></div></dl>";
        let kinds: Vec<_> = outline(html).into_iter().map(|(_, kind, _)| kind).collect();
        let definition = |continues| SegmentKind::Definition { continues };
        let expected = [
            SegmentKind::Term,
            definition(false),
            definition(true),
            SegmentKind::Paragraph,
            SegmentKind::Term,
            definition(false),
        ];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn captions_know_their_table() {
        let html = "<table><caption>a</caption><tr><th>b<th>c<tr><td>d<td>e</table><figure><img><figcaption>f</figcaption></figure>";
        let found = outline(html);
        assert_eq!(found[0].1, SegmentKind::Caption { table: Some(0) });
        assert_eq!(found[5].1, SegmentKind::Caption { table: None });
    }

    #[test]
    fn items_have_their_checkboxes_and_numbers() {
        let html = "<ul><li><input type=checkbox checked> a<li><p><input type=CHECKBOX>b</p><li>c<input type=checkbox></ul>\
                    <ol reversed><li>d<li value=7>e<li>f</ol>";
        let expected = [
            ("a", None, Some(true)),
            ("b", None, Some(false)),
            ("c", None, None),
            ("d", Some(3), None),
            ("e", Some(7), None),
            ("f", Some(6), None),
        ];
        assert_eq!(
            items(html),
            expected.map(|(text, number, checked)| (text.to_owned(), number, checked))
        );
    }
}
