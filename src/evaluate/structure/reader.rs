//! Collects the structure of a Markdown document from the events of its parser.

use super::addresses::Base;
use super::headings::Heading;
use super::html_table::{find_table, read_table, table_end, text_of};
use super::lists::{ListKind, ListNode};
use super::model::Structure;
use super::tables::TableNode;
use super::tree::Tree;
use crate::text::collapse;
use pulldown_cmark::{Event, Tag, TagEnd};
use std::ops::Range;

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
    Quote,
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
            Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
        }
    }

    /// The structure, after the last event.
    pub(super) fn finish(mut self) -> Structure {
        self.found.text = collapse(&self.found.text);
        self.found
    }

    /// Adds text to all open elements, and to the text of the page if it is not in a table. An item does not have the text
    /// of the items in it.
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

    /// Whether the dollar sign before `end` begins an amount of money: a digit follows. Pandoc's manual has this rule
    /// (`tex_math_dollars`), the parser does not.
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
            let Some(after) = table_end(source, start) else { break };
            self.found.tables.extend(read_table(&source[start..after]));
            // Another table may begin on the line on which this one ends.
            end = source[after..].find('\n').map_or(source.len(), |line| after + line);
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
        self.open.push(Open { kind, text: String::new() });
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
            Tag::BlockQuote(_) => self.open(OpenKind::Quote),
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
            Tag::Paragraph | Tag::FootnoteDefinition(_) => self.write(" "),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                let code = self.code.take().unwrap_or_default();
                let lines: Vec<&str> = code.lines().map(str::trim_end).collect();
                self.found.code.push(lines.join("\n").trim_matches('\n').to_owned());
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
            TagEnd::Table => self.found.tables.extend(self.table.take().map(|(tree, _)| tree)),
            TagEnd::TableHead => self.drop_empty_header(),
            TagEnd::Heading(_) => {
                self.close();
                self.write(" ");
            }
            TagEnd::BlockQuote(_) | TagEnd::TableCell | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Link => {
                self.close()
            }
            TagEnd::Image => self.pictures -= 1,
            TagEnd::Paragraph => self.write(" "),
            _ => {}
        }
    }

    /// Markdown has no table without a header row, so that an empty one is none.
    fn drop_empty_header(&mut self) {
        if let Some((tree, start)) = &mut self.table
            && tree.is_blank_from(*start + 1, |node| matches!(node, TableNode::Cell { text, .. } if text.is_empty()))
        {
            tree.truncate(*start);
        }
    }

    /// Closes the element that was opened last.
    fn close(&mut self) {
        let Some(Open { kind, text }) = self.open.pop() else { return };
        let text = collapse(&text);
        match kind {
            OpenKind::Heading(level) => self.found.headings.push(Heading { level, text }),
            OpenKind::Item(index) => match self.found.lists.label_mut(index) {
                ListNode::Item(own) | ListNode::Term(own) | ListNode::Definition(own) => *own = text,
                ListNode::List(_) => {}
            },
            OpenKind::Link(address) if !text.is_empty() => {
                self.found.links.push((text, self.base.resolve(&address)));
            }
            OpenKind::Emphasis { is_strong } if !text.is_empty() => self.found.emphasis.push((is_strong, text)),
            OpenKind::Quote if !self.open.iter().any(|open| matches!(open.kind, OpenKind::Quote)) => {
                self.found.quotes.push(text);
            }
            OpenKind::Cell => {
                if let Some((tree, _)) = &mut self.table {
                    tree.push(2, TableNode::Cell { spans: (1, 1), text });
                }
            }
            OpenKind::Link(_) | OpenKind::Emphasis { .. } | OpenKind::Quote => {}
        }
    }
}
