//! Collects the structure of a Markdown document from the events of its parser.

use super::model::{Heading, ListKind, ListNode, Structure};
use super::tables::TableNode;
use super::tree::Tree;
use pulldown_cmark::{BlockQuoteKind, Event, Tag, TagEnd};
use std::ops::Range;
use url::Url;
use vclean_core::capture::{Capture, Dom, NodeId};
use vclean_core::html::parse_html;
use vclean_core::text::collapse;

/// An element whose text is being collected.
struct Open {
    kind: OpenKind,
    text: String,
}

enum OpenKind {
    Heading(u8),
    /// An item, a term or a definition, by its position among the nodes of lists.
    Item(usize),
    Link(String),
    Emphasis {
        is_strong: bool,
    },
    /// A quotation; of a callout, with its kind.
    Quote(Option<BlockQuoteKind>),
    /// A note, by its label.
    Note(String),
    Cell,
}

/// Collects the structure of one document.
pub(super) struct Reader<'a> {
    source: &'a str,
    base: &'a Base,
    found: Structure,
    open: Vec<Open>,
    /// Depth of the next node of a list.
    depth: usize,
    /// The code block that is open.
    code: Option<String>,
    /// The table that is open, and where its current row begins.
    table: Option<(Tree<TableNode>, usize)>,
    /// The piece of HTML that is open.
    html: Option<String>,
    /// Labels of the marks of notes.
    marks: Vec<String>,
    /// Label and text of each note.
    notes: Vec<(String, String)>,
    /// Number of pictures that are open.
    pictures: usize,
    /// Events that start before this position of the source belong to a table in HTML.
    skip_until: usize,
}

impl<'a> Reader<'a> {
    /// A reader of a document whose links are relative to `base`.
    pub(super) fn new(source: &'a str, base: &'a Base) -> Self {
        Self {
            source,
            base,
            found: Structure::default(),
            open: Vec::new(),
            depth: 0,
            code: None,
            table: None,
            html: None,
            marks: Vec::new(),
            notes: Vec::new(),
            pictures: 0,
            skip_until: 0,
        }
    }

    /// Reads the next event, which has this range of the source.
    pub(super) fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        let is_text = !matches!(event, Event::Start(_) | Event::End(_));
        if is_text && range.start < self.skip_until {
            return;
        }
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match (&mut self.code, &mut self.html) {
                (Some(code), _) => code.push_str(&text),
                (_, Some(html)) => html.push_str(&text),
                _ => self.write(&text),
            },
            Event::Code(text) => self.write(&text),
            Event::InlineMath(_) if self.is_amount(range.end) => self.write(&self.source[range]),
            Event::InlineMath(tex) => self.formula(&tex, "$"),
            Event::DisplayMath(tex) => self.formula(&tex, "$$"),
            Event::Html(html) | Event::InlineHtml(html) => self.html(&html, range),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.write(" "),
            Event::FootnoteReference(label) => self.marks.push(label.into_string()),
            Event::TaskListMarker(_) => {}
        }
    }

    /// The structure, after the last event.
    pub(super) fn finish(mut self) -> Structure {
        self.found.text = collapse(&self.found.text);
        for mark in self.marks {
            // A note with several marks counts once.
            if let Some(at) = self.notes.iter().position(|(label, _)| *label == mark) {
                self.found.notes.push(self.notes.remove(at).1);
            }
        }
        self.found
    }

    /// Adds text to all open elements, and to the text of the page if it is not in a table. An item
    /// does not have the text of the items in it.
    fn write(&mut self, text: &str) {
        if self.pictures > 0 {
            return;
        }
        if self.table.is_none() {
            self.found.text.push_str(text);
        }
        let mut has_item = false;
        for open in self.open.iter_mut().rev() {
            let is_item = matches!(open.kind, OpenKind::Item(_));
            if !is_item || !has_item {
                open.text.push_str(text);
            }
            has_item |= is_item;
        }
    }

    /// Whether the dollar sign before `end` begins an amount of money: a digit follows. Pandoc's
    /// manual has this rule (`tex_math_dollars`), the parser does not.
    fn is_amount(&self, end: usize) -> bool {
        self.source[end..].starts_with(|c: char| c.is_ascii_digit())
    }

    fn formula(&mut self, tex: &str, mark: &str) {
        if self.table.is_some() {
            self.write(&[mark, tex, mark].concat());
        } else {
            self.found.formulas.push(tex.split_whitespace().collect());
        }
    }

    fn html(&mut self, html: &str, range: Range<usize>) {
        let source = self.source;
        let (mut at, mut end, mut has_table) = (range.start, range.end, false);
        while let Some(start) = find_table(source, at, end) {
            let Some(after) = table_end(source, start) else {
                break;
            };
            self.found.tables.extend(read_table(&source[start..after]));
            // Another table may begin on the line on which this one ends.
            end = source[after..]
                .find('\n')
                .map_or(source.len(), |line| after + line);
            (at, has_table) = (after, true);
        }
        if has_table {
            self.skip_until = end;
        } else if let Some(open) = &mut self.html {
            open.push_str(html);
        } else if html.starts_with("<br") {
            self.write(" ");
        }
    }

    fn open(&mut self, kind: OpenKind) {
        self.open.push(Open {
            kind,
            text: String::new(),
        });
    }

    fn list(&mut self, kind: ListKind) {
        self.found.lists.push(self.depth, ListNode::List(kind));
        self.depth += 1;
    }

    fn item(&mut self, node: fn(String) -> ListNode) {
        let index = self.found.lists.push(self.depth, node(String::new()));
        self.depth += 1;
        self.write(" ");
        self.open(OpenKind::Item(index));
    }

    fn row(&mut self, is_header: bool) {
        if let Some((tree, start)) = &mut self.table {
            *start = tree.push(1, TableNode::Row { is_header });
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.write(" ");
                self.open(OpenKind::Heading(level as u8));
            }
            Tag::BlockQuote(kind) => self.open(OpenKind::Quote(kind)),
            Tag::FootnoteDefinition(label) => {
                self.write(" ");
                self.open(OpenKind::Note(label.into_string()));
            }
            Tag::CodeBlock(_) => self.code = Some(String::new()),
            Tag::HtmlBlock => self.html = Some(String::new()),
            Tag::List(first) => self.list(first.map_or(ListKind::Bullets, ListKind::Numbers)),
            Tag::DefinitionList => self.list(ListKind::Definitions),
            Tag::Item => self.item(ListNode::Item),
            Tag::DefinitionListTitle => self.item(ListNode::Term),
            Tag::DefinitionListDefinition => self.item(ListNode::Definition),
            Tag::Table(_) => {
                let mut tree = Tree::default();
                tree.push(0, TableNode::Table);
                self.table = Some((tree, 0));
            }
            Tag::TableHead => self.row(true),
            Tag::TableRow => self.row(false),
            Tag::TableCell => self.open(OpenKind::Cell),
            Tag::Emphasis => self.open(OpenKind::Emphasis { is_strong: false }),
            Tag::Strong => self.open(OpenKind::Emphasis { is_strong: true }),
            Tag::Link { dest_url, .. } => self.open(OpenKind::Link(dest_url.into_string())),
            Tag::Image { .. } => self.pictures += 1,
            Tag::Paragraph => self.write(" "),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                let lines: Vec<&str> = code.lines().map(str::trim_end).collect();
                self.found
                    .code
                    .push(lines.join("\n").trim_matches('\n').to_owned());
            }
            TagEnd::HtmlBlock => {
                let html = self.html.take().unwrap_or_default();
                let text = text_of(&html);
                self.write(&[" ", &text, " "].concat());
            }
            TagEnd::List(_) | TagEnd::DefinitionList => self.depth -= 1,
            TagEnd::Item | TagEnd::DefinitionListTitle | TagEnd::DefinitionListDefinition => {
                self.depth -= 1;
                self.close();
                self.write(" ");
            }
            TagEnd::Table => self
                .found
                .tables
                .extend(self.table.take().map(|(tree, _)| tree)),
            TagEnd::TableHead => self.drop_empty_header(),
            TagEnd::Heading(_) => {
                self.close();
                self.write(" ");
            }
            TagEnd::BlockQuote(_)
            | TagEnd::FootnoteDefinition
            | TagEnd::TableCell
            | TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Link => {
                self.close();
            }
            TagEnd::Image => self.pictures -= 1,
            TagEnd::Paragraph => self.write(" "),
            _ => {}
        }
    }

    /// Markdown has no table without a header row, so that an empty one is none.
    fn drop_empty_header(&mut self) {
        if let Some((tree, start)) = &mut self.table
            && tree.is_blank_from(
                *start + 1,
                |node| matches!(node, TableNode::Cell { text, .. } if text.is_empty()),
            )
        {
            tree.truncate(*start);
        }
    }

    /// Closes the element that was opened last.
    fn close(&mut self) {
        let Some(Open { kind, text }) = self.open.pop() else {
            return;
        };
        let text = collapse(&text);
        match kind {
            OpenKind::Heading(level) => self.found.headings.push(Heading { level, text }),
            OpenKind::Item(index) => match self.found.lists.label_mut(index) {
                ListNode::Item(own) | ListNode::Term(own) | ListNode::Definition(own) => {
                    *own = text;
                }
                ListNode::List(_) => {}
            },
            OpenKind::Link(address) if !text.is_empty() => {
                self.found.links.push((text, self.base.resolve(&address)));
            }
            OpenKind::Emphasis { is_strong } if !text.is_empty() => {
                self.found.emphasis.push((is_strong, text));
            }
            OpenKind::Quote(kind) => {
                self.found
                    .callouts
                    .extend(kind.map(|kind| (format!("{kind:?}"), text.clone())));
                if !self
                    .open
                    .iter()
                    .any(|open| matches!(open.kind, OpenKind::Quote(_)))
                {
                    self.found.quotes.push(text);
                }
            }
            OpenKind::Note(label) => self.notes.push((label, text)),
            OpenKind::Cell => {
                if let Some((tree, _)) = &mut self.table {
                    tree.push(
                        2,
                        TableNode::Cell {
                            spans: (1, 1),
                            text,
                        },
                    );
                }
            }
            OpenKind::Link(_) | OpenKind::Emphasis { .. } => {}
        }
    }
}

// Tables that a Markdown document writes as HTML.

/// Where the table that starts at `start` of `source` ends, with tables within it; `None` if it
/// does not end.
pub(super) fn table_end(source: &str, start: usize) -> Option<usize> {
    let mut open = 0usize;
    let mut at = start;
    while let Some(found) = source[at..].find('<') {
        at += found + 1;
        let rest = &source.as_bytes()[at..];
        if is_tag(rest, b"table") {
            open += 1;
        } else if is_tag(rest, b"/table") {
            open = open.saturating_sub(1);
            if open == 0 {
                return source[at..].find('>').map(|end| at + end + 1);
            }
        }
    }
    None
}

/// Position of the first `<table` in `source` from `start` to `end`.
pub(super) fn find_table(source: &str, start: usize, end: usize) -> Option<usize> {
    let part = source.get(start..end)?;
    part.match_indices('<')
        .map(|(at, _)| start + at)
        .find(|at| is_tag(&source.as_bytes()[at + 1..], b"table"))
}

fn is_tag(text: &[u8], name: &[u8]) -> bool {
    let after = text.get(name.len());
    text.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name))
        && after.is_none_or(|after| !after.is_ascii_alphanumeric() && *after != b'-')
}

/// The table of a piece of HTML. A table within a cell is text of the cell. A row whose cells are
/// all `th`, or that is in a `thead`, is a header row.
pub(super) fn read_table(html: &str) -> Option<Tree<TableNode>> {
    let dom = parse_html(html);
    let table = dom.ids().find(|&id| dom.tag(id) == "table")?;
    let mut tree = Tree::default();
    tree.push(0, TableNode::Table);
    let mut skip_until = 0;
    let mut row = None;
    for id in dom.descendants(table).filter(|&id| dom.is_element(id)) {
        if id.index() < skip_until {
            continue;
        }
        match dom.tag(id) {
            "caption" => {
                tree.push(1, TableNode::Caption(text(&dom, id)));
                skip_until = dom.end(id);
            }
            "tr" => {
                row = Some(tree.push(
                    1,
                    TableNode::Row {
                        is_header: is_header(&dom, id),
                    },
                ));
            }
            "td" | "th" if row.is_some() => {
                let spans = (span(&dom, id, "colspan"), span(&dom, id, "rowspan"));
                tree.push(
                    2,
                    TableNode::Cell {
                        spans,
                        text: text(&dom, id),
                    },
                );
                skip_until = dom.end(id);
            }
            _ => {}
        }
    }
    Some(tree)
}

/// The text of a piece of HTML, without scripts and styles.
pub(super) fn text_of(html: &str) -> String {
    let dom = parse_html(html);
    text(&dom, Dom::ROOT)
}

fn is_header(dom: &Dom, row: NodeId) -> bool {
    let mut cells = dom
        .children(row)
        .filter(|&id| matches!(dom.tag(id), "td" | "th"))
        .peekable();
    let has_cells = cells.peek().is_some();
    has_cells
        && (dom.parent(row).is_some_and(|up| dom.tag(up) == "thead")
            || cells.all(|id| dom.tag(id) == "th"))
}

fn span(dom: &Dom, cell: NodeId, name: &str) -> u32 {
    dom.attribute(cell, name)
        .and_then(|value| value.trim().parse().ok())
        .filter(|span| *span > 0)
        .unwrap_or(1)
}

/// The text below a node; line breaks and the borders of elements inside are spaces only where the
/// source has them.
fn text(dom: &Dom, id: NodeId) -> String {
    let mut out = String::new();
    for id in dom.descendants(id) {
        let is_code = dom
            .parent(id)
            .is_some_and(|up| matches!(dom.tag(up), "script" | "style"));
        match (dom.text(id), dom.tag(id)) {
            (Some(text), _) if !is_code => out.push_str(text),
            (None, "br" | "p" | "div" | "li" | "tr" | "td" | "th" | "table") => out.push(' '),
            _ => {}
        }
    }
    collapse(&out)
}

// Resolves the addresses of links, so that a relative one equals the whole one.

/// What the addresses of a page are relative to; by default nothing, so that they are not changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Base(Option<Url>);

impl Base {
    /// The base of a page: its first `<base href>`, else its own address.
    pub(super) fn of(capture: &Capture) -> Self {
        let own = capture
            .address()
            .and_then(|address| Url::parse(address).ok());
        let dom = &capture.dom;
        let stated = dom
            .ids()
            .filter(|&id| dom.tag(id) == "base")
            .find_map(|id| dom.attribute(id, "href"));
        let stated = stated.and_then(|href| match &own {
            Some(own) => own.join(href.trim()).ok(),
            None => Url::parse(href.trim()).ok(),
        });
        Self(stated.filter(|url| !url.cannot_be_a_base()).or(own))
    }

    /// The whole address, in the form of the URL standard; an address that cannot be resolved is
    /// not changed.
    pub(super) fn resolve(&self, address: &str) -> String {
        let address = address.trim();
        let resolved = match &self.0 {
            Some(base) => base.join(address),
            None => Url::parse(address),
        };
        resolved.map_or_else(|_| address.to_owned(), String::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vclean_core::page::{Page, parse};

    #[test]
    fn a_table_ends_after_those_within_it() {
        let source = "x <TABLE a><tr><td><table></table></td></tr></table > y";
        let start = find_table(source, 0, source.len()).unwrap();
        assert_eq!(
            &source[start..table_end(source, start).unwrap()],
            &source[2..source.len() - 2]
        );
        assert_eq!(table_end("<table><tr>", 0), None);
        assert_eq!(find_table("<tablet> <table-x>", 0, 18), None);
        assert_eq!(find_table("<table>", 1, 7), None);
    }

    #[test]
    fn rows_cells_and_spans_are_read() {
        let html = "<table><caption>Nests</caption><thead><tr><td>a</td></tr></thead><tbody>\
                    <tr><th>b</th><td colspan=2 rowspan=0>c<br>d <table><tr><td>e</table></td></tr></table>";
        let cell = |spans, text: &str| {
            (
                2,
                TableNode::Cell {
                    spans,
                    text: text.to_owned(),
                },
            )
        };
        let expected = [
            (0, TableNode::Table),
            (1, TableNode::Caption("Nests".to_owned())),
            (1, TableNode::Row { is_header: true }),
            cell((1, 1), "a"),
            (1, TableNode::Row { is_header: false }),
            cell((1, 1), "b"),
            cell((2, 1), "c d e"),
        ];
        assert_eq!(read_table(html).unwrap().nodes(), expected);
        assert_eq!(read_table("<p>no table"), None);
    }

    #[test]
    fn addresses_are_resolved_as_browsers_do() {
        let base = |html: &str| {
            Base::of(&parse(&Page::from_html("x", html).with_url("https://a.org/b/c")).unwrap())
        };
        assert_eq!(
            base("<p>x").resolve(" d?e=ä#f "),
            "https://a.org/b/d?e=%C3%A4#f"
        );
        assert_eq!(
            base("<base href='//x.org/y/'>").resolve("d"),
            "https://x.org/y/d"
        );
        assert_eq!(base("<p>x").resolve("HTTPS://X.org"), "https://x.org/");
        let unknown = Base::of(&parse(&Page::from_html("x", "<p>x")).unwrap());
        assert_eq!(unknown, Base::default());
        assert_eq!(unknown.resolve("d/e"), "d/e");
    }
}
