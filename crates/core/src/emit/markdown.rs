//! Markdown: CommonMark 0.31 with GitHub tables; text is escaped so that it is not read as markup.
//!
//! Markup that CommonMark lacks is written so that it is readable as text, and is recognized by
//! readers of the Pandoc or PHP extensions: a term in bold with its definitions after colons, boxes
//! of task lists, formulas between dollar signs. Tables with cells over several columns or rows are
//! HTML elements.

use super::blocks::{COMMENTS_HEADING, Cell, DocumentBlock, Table, blocks, blocks_with_comments};
use super::format::{EmitOptions, content};
use super::markdown_inline::{address, inline, lines, longest_run, paragraph};
use super::posts::{describe, post_parts};
use crate::capture::escape;
use crate::document::{Document, Metadata, Post, Script, Segment, SegmentKind, Span};
use crate::text::collapse;
use serde_json::Value;
use std::fmt::Write;

/// Writes `document` as Markdown, after its metadata if the options ask for them. Without them, the
/// result is empty if there is no text.
pub(super) fn write(document: &Document, options: &EmitOptions) -> String {
    let text = write_text(document, options);
    if options.metadata {
        after_front_matter(&document.metadata, &text)
    } else {
        text
    }
}

fn write_text(document: &Document, options: &EmitOptions) -> String {
    let mut writer = Writer {
        out: String::new(),
        options,
        items: Vec::new(),
        item_quotes: 0,
        is_note: false,
        before: None,
    };
    if document.posts.is_empty() {
        writer.write_blocks(blocks(&content(document, options)));
    }
    for (post, segments) in post_parts(document, options)
        .iter()
        .filter(|_| !document.posts.is_empty())
    {
        if let Some((_, post)) = post {
            writer.write_byline(post, &document.posts);
        }
        writer.write_blocks(blocks(segments));
    }
    writer.write_blocks(blocks_with_comments(&[], document));
    writer.out
}

/// A Markdown document that is being written.
struct Writer<'o> {
    out: String,
    options: &'o EmitOptions,
    /// Width of the markers of the open list items, by depth.
    items: Vec<usize>,
    /// Number of quotations around these items.
    item_quotes: usize,
    /// True if the open item is a footnote.
    is_note: bool,
    /// The previous block: its number of quotations, and whether it is a term or a definition.
    before: Option<(usize, bool)>,
}

impl Writer<'_> {
    fn write_blocks(&mut self, blocks: Vec<DocumentBlock<'_>>) {
        for block in blocks {
            match block {
                DocumentBlock::CommentsHeading => {
                    self.write_block(0, 0, &format!("## {COMMENTS_HEADING}"));
                }
                DocumentBlock::Table(table) => self.write_table(&table),
                DocumentBlock::One(segment) => self.write_segment(segment),
            }
        }
    }

    /// Writes the line above a post: its author, date, role, the author it answers, and its votes.
    fn write_byline(&mut self, post: &Post, all: &[Post]) {
        let plain = |text: &str| {
            inline(
                &[Span {
                    text: collapse(text),
                    ..Span::default()
                }],
                self.options,
                false,
            )
        };
        let author = post
            .author
            .as_deref()
            .map(|author| format!("**{}**", plain(author)));
        let when = post.date.as_deref().map(|date| match &post.url {
            Some(url) if self.options.links => format!("[{}]({})", plain(date), address(url)),
            _ => plain(date),
        });
        let answered = post
            .parent
            .and_then(|parent| all.get(parent)?.author.as_deref());
        let what = match (describe(post), answered) {
            (what, None) => what,
            (what, Some(author)) => {
                let what = what.map_or_else(String::new, |what| what + " ");
                Some(format!("{what}to {}", plain(author)))
            }
        };
        let votes = post.votes.map(|votes| match votes {
            1 => "1 vote".to_owned(),
            _ => format!("{votes} votes").replace('-', "\u{2212}"),
        });
        let more = [what, votes]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        let more = (!more.is_empty()).then(|| format!("({more})"));
        let byline = [author, when]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(", ");
        let line = [Some(byline).filter(|byline| !byline.is_empty()), more]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        if !line.is_empty() {
            self.write_block(0, 0, &line);
        }
    }

    fn write_segment(&mut self, segment: &Segment) {
        let (quotes, items) = (
            usize::from(segment.within.quotes),
            usize::from(segment.within.items),
        );
        if let Some(callout) = segment.callout {
            let name = callout.name().to_uppercase();
            // A callout begins its own quotation.
            if let Some((before, _)) = &mut self.before
                && quotes > 0
            {
                *before = (*before).min(quotes - 1);
            }
            self.write_block(quotes, items, &format!("[!{name}]"));
            // The mark of the callout already holds the title.
            if crate::document::is_name_of_kind(&segment.text(), callout) {
                return;
            }
        }
        match &segment.kind {
            _ if segment.note.is_some() => self.write_note(segment),
            SegmentKind::Heading { level } => {
                let mut text = inline(&segment.spans, self.options, false);
                // A run of # at the end would be read as markup.
                if text.ends_with('#') {
                    text.insert(text.len() - 1, '\\');
                }
                let marks = "#".repeat(usize::from((*level).clamp(1, 6)));
                self.write_block(quotes, items, &format!("{marks} {text}"));
            }
            SegmentKind::Code { language } => {
                let text = segment.text();
                let fence = "`".repeat(longest_run(&text).max(2) + 1);
                let language = language.as_deref().unwrap_or("");
                let text = text.trim_end_matches('\n');
                self.write_block(
                    quotes,
                    items,
                    &format!("{fence}{language}\n{text}\n{fence}"),
                );
            }
            SegmentKind::ListItem {
                depth,
                number,
                continues,
                checked,
            } => {
                self.write_item(segment, usize::from(*depth), *number, *continues, *checked);
            }
            SegmentKind::Term => {
                let text = inline(&segment.spans, self.options, false);
                self.write_block(quotes, items, &format!("**{text}**"));
                self.before = Some((quotes, true));
            }
            SegmentKind::Definition { continues } => self.write_definition(segment, *continues),
            SegmentKind::Image {
                source,
                alternative,
            } => {
                let span = Span {
                    text: alternative.clone(),
                    ..Span::default()
                };
                let text = inline(&[span], self.options, false);
                self.write_block(quotes, items, &format!("![{text}]({})", address(source)));
            }
            SegmentKind::Paragraph
            | SegmentKind::Quote
            | SegmentKind::Caption { .. }
            | SegmentKind::TableCell { .. } => {
                let text = paragraph(&segment.spans, self.options);
                self.write_block(quotes, items, &text);
            }
        }
    }

    /// Writes lines as a separate block inside `quotes` quotations and, where they are open,
    /// `items` list items.
    fn write_block(&mut self, quotes: usize, items: usize, lines: &str) {
        if items == 0 || self.items.len() < items || quotes < self.item_quotes {
            self.items.clear();
        }
        self.items.truncate(items);
        let prefix = self.prefix(quotes);
        self.separate(quotes);
        self.write_lines(&prefix, &prefix, lines);
        self.before = Some((quotes, false));
    }

    /// The marks before each line of a block inside `quotes` quotations and the open items.
    fn prefix(&self, quotes: usize) -> String {
        if self.items.is_empty() {
            return "> ".repeat(quotes);
        }
        let indent = " ".repeat(self.items.iter().sum());
        "> ".repeat(self.item_quotes) + &indent + &"> ".repeat(quotes - self.item_quotes)
    }

    /// Writes the empty line between two blocks, marked with the quotations that contain both.
    fn separate(&mut self, quotes: usize) {
        if let Some((before, _)) = self.before {
            let common = before.min(quotes);
            let is_inside = self.items.is_empty() || common > self.item_quotes;
            let marks = if is_inside {
                self.prefix(common)
            } else {
                "> ".repeat(common)
            };
            self.out.push_str(marks.trim_end());
            self.out.push('\n');
        }
    }

    fn write_lines(&mut self, first: &str, others: &str, lines: &str) {
        for (index, line) in lines.split('\n').enumerate() {
            let prefix = if index == 0 { first } else { others };
            let prefix = if line.is_empty() {
                prefix.trim_end()
            } else {
                prefix
            };
            self.out.extend([prefix, line, "\n"]);
        }
    }

    fn write_item(
        &mut self,
        segment: &Segment,
        depth: usize,
        number: Option<u32>,
        continues: bool,
        checked: Option<bool>,
    ) {
        let quotes = usize::from(segment.within.quotes);
        if quotes != self.item_quotes {
            self.items.clear();
        }
        let text = paragraph(&segment.spans, self.options);
        if self.is_note && !continues && depth == 0 {
            self.items.clear();
            self.is_note = false;
        }
        let depth = depth.min(self.items.len());
        if continues && depth < self.items.len() {
            self.items.truncate(depth + 1);
            self.separate(quotes);
            let prefix = self.prefix(quotes);
            self.write_lines(&prefix, &prefix, &text);
        } else {
            let is_first = self.items.is_empty();
            self.items.truncate(depth);
            if is_first {
                self.separate(quotes);
                self.item_quotes = quotes;
            }
            // CommonMark allows at most nine digits in a number.
            let marker = number.filter(|number| *number <= 999_999_999);
            let marker = marker.map_or("- ".to_owned(), |number| format!("{number}. "));
            let checkbox = checked.map_or("", |checked| if checked { "[x] " } else { "[ ] " });
            let before = "> ".repeat(quotes) + &" ".repeat(self.items.iter().sum());
            self.items.push(marker.len());
            let others = self.prefix(quotes);
            self.write_lines(&format!("{before}{marker}{checkbox}"), &others, &text);
        }
        self.before = Some((quotes, false));
    }

    /// Writes the first paragraph of a footnote without its label. The rest of the note is indented
    /// like the content of an item.
    fn write_note(&mut self, segment: &Segment) {
        const INDENT: usize = 4;
        let label = segment
            .spans
            .iter()
            .take_while(|span| span.note == segment.note)
            .count();
        let quotes = usize::from(segment.within.quotes);
        let text = match &segment.kind {
            SegmentKind::Code { .. } => inline(&segment.spans, self.options, true),
            _ => paragraph(&segment.spans[label..], self.options),
        };
        let text = text.replace('\n', &format!("\n{}", " ".repeat(INDENT)));
        let lines = format!("[^{}]: {text}", segment.note.unwrap_or_default());
        self.write_block(quotes, 0, &lines);
        (self.items, self.item_quotes, self.is_note) = (vec![INDENT], quotes, true);
    }

    /// Writes a definition directly below its term, with a colon before it.
    fn write_definition(&mut self, segment: &Segment, continues: bool) {
        let (quotes, items) = (
            usize::from(segment.within.quotes),
            usize::from(segment.within.items),
        );
        let text = paragraph(&segment.spans, self.options).replace('\n', "\n  ");
        let lines = format!("{}{text}", if continues { "  " } else { ": " });
        if self.before == Some((quotes, true)) && !continues {
            let prefix = self.prefix(quotes);
            self.write_lines(&prefix, &prefix, &lines);
        } else {
            self.write_block(quotes, items, &lines);
        }
        self.before = Some((quotes, true));
    }

    fn write_table(&mut self, table: &Table<'_>) {
        for segment in &table.caption {
            self.write_segment(segment);
        }
        let Some(first) = table
            .rows
            .first()
            .and_then(|row| row.first()?.segments.first().copied())
        else {
            return;
        };
        let lines = table_lines(&table.rows, self.options);
        self.write_block(
            usize::from(first.within.quotes),
            usize::from(first.within.items),
            &lines,
        );
    }
}

/// Largest number of columns that is written.
const MAX_COLUMNS: usize = 100;

/// The lines of a table.
fn table_lines(rows: &[Vec<Cell<'_>>], options: &EmitOptions) -> String {
    // Columns without cells are left out.
    let mut columns: Vec<usize> = rows.iter().flatten().map(|cell| cell.column).collect();
    columns.sort_unstable();
    columns.dedup();
    columns.truncate(MAX_COLUMNS);
    let is_spanning = |(index, row): (usize, &Vec<Cell<'_>>)| {
        let spans = |cell: &Cell<'_>| width(cell, &columns) > 1 || height(cell, rows, index) > 1;
        row.iter().any(spans)
    };
    let headers = rows.iter().take_while(|row| is_header(row)).count();
    if headers > 1 || rows.iter().enumerate().any(is_spanning) {
        html_lines(rows, &columns, options)
    } else {
        pipe_lines(rows, &columns, options)
    }
}

/// Returns true if all cells of a row are header cells.
fn is_header(row: &[Cell<'_>]) -> bool {
    row.iter().all(|cell| cell.is_header)
}

/// Number of written columns that a cell covers.
fn width(cell: &Cell<'_>, columns: &[usize]) -> usize {
    let end = cell.column.saturating_add(cell.column_span);
    columns
        .iter()
        .filter(|&&column| (cell.column..end).contains(&column))
        .count()
}

/// Number of written rows that a cell of the row at `index` covers.
fn height(cell: &Cell<'_>, rows: &[Vec<Cell<'_>>], index: usize) -> usize {
    let end = (cell.row as usize).saturating_add(cell.row_span);
    let is_covered =
        |row: &Vec<Cell<'_>>| row.first().is_some_and(|cell| (cell.row as usize) < end);
    rows.partition_point(is_covered).saturating_sub(index)
}

fn pipe_lines(rows: &[Vec<Cell<'_>>], columns: &[usize], options: &EmitOptions) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| {
        let mut line = String::from("|");
        for cell in cells {
            line.push(' ');
            line.push_str(&cell);
            line.push_str(if cell.is_empty() { "|" } else { " |" });
        }
        line
    };
    let text = |row: &[Cell<'_>], column: &usize| {
        let cell = row.iter().find(|cell| cell.column == *column);
        let lines = cell
            .into_iter()
            .flat_map(|cell| &cell.segments)
            .flat_map(|segment| lines(&segment.spans));
        let parts = lines
            .map(|line| inline(&line, options, true))
            .filter(|line| !line.is_empty());
        parts.collect::<Vec<_>>().join("<br>").replace('|', "\\|")
    };
    let has_header = rows.first().is_some_and(|row| is_header(row));
    let mut written = vec![match rows.first().filter(|_| has_header) {
        Some(row) => line(&mut columns.iter().map(|column| text(row, column))),
        None => line(&mut columns.iter().map(|_| String::new())),
    }];
    written.push(line(&mut columns.iter().map(|_| "---".to_owned())));
    for row in rows.iter().skip(usize::from(has_header)) {
        written.push(line(&mut columns.iter().map(|column| text(row, column))));
    }
    written.join("\n")
}

fn html_lines(rows: &[Vec<Cell<'_>>], columns: &[usize], options: &EmitOptions) -> String {
    // The number of following rows in each column that a cell from above still covers.
    let mut covered = vec![0usize; columns.len()];
    let mut written = vec![String::from("<table>")];
    for (index, row) in rows.iter().enumerate() {
        let mut line = String::from("<tr>");
        let mut at = 0;
        let mut cells = row.iter().peekable();
        while at < columns.len() {
            if covered[at] > 0 {
                covered[at] -= 1;
                at += 1;
                // A cell that claims a covered column moves to the next free one.
                continue;
            }
            let Some(cell) = cells.next_if(|cell| cell.column <= columns[at]) else {
                line.push_str("<td></td>");
                at += 1;
                continue;
            };
            let wide = width(cell, columns).max(1);
            let high = height(cell, rows, index).max(1);
            write_cell(&mut line, cell, wide, high, options);
            for column in covered.iter_mut().skip(at).take(wide) {
                *column = high - 1;
            }
            at += wide;
        }
        line.push_str("</tr>");
        written.push(line);
    }
    written.push("</table>".to_owned());
    written.join("\n")
}

fn write_cell(line: &mut String, cell: &Cell<'_>, wide: usize, high: usize, options: &EmitOptions) {
    let tag = if cell.is_header { "th" } else { "td" };
    line.extend(["<", tag]);
    for (name, span) in [("colspan", wide), ("rowspan", high)] {
        if span > 1 {
            let _ = write!(line, " {name}=\"{span}\"");
        }
    }
    line.push('>');
    let texts = cell
        .segments
        .iter()
        .flat_map(|segment| lines(&segment.spans))
        .map(|spans| html_inline(&spans, options));
    line.push_str(
        &texts
            .filter(|text| !text.is_empty())
            .collect::<Vec<_>>()
            .join("<br>"),
    );
    line.extend(["</", tag, ">"]);
}

/// The formatted text of a line as HTML.
fn html_inline(spans: &[Span], options: &EmitOptions) -> String {
    let mut out = String::new();
    let mut needs_space = false;
    for span in spans {
        let text = collapse(&span.text);
        needs_space |= span.text.starts_with(char::is_whitespace);
        if text.is_empty() {
            continue;
        }
        if std::mem::take(&mut needs_space) && !out.is_empty() {
            out.push(' ');
        }
        needs_space = span.text.ends_with(char::is_whitespace);
        let script = span
            .script
            .map(|script| if script == Script::Sub { "sub" } else { "sup" });
        let tags = [
            span.is_deleted.then_some("del"),
            script,
            span.is_strong.then_some("strong"),
            span.is_emphasis.then_some("em"),
            span.is_code.then_some("code"),
        ];
        let link = span.link.as_deref().filter(|_| options.links);
        if let Some(link) = link {
            out.push_str("<a href=\"");
            escape(&mut out, &link.replace(['\n', '\r'], ""), true);
            out.push_str("\">");
        }
        out.extend(tags.iter().flatten().flat_map(|tag| ["<", tag, ">"]));
        escape(&mut out, &text, false);
        out.extend(tags.iter().rev().flatten().flat_map(|tag| ["</", tag, ">"]));
        if link.is_some() {
            out.push_str("</a>");
        }
    }
    out
}

/// The metadata of the page between two lines of `---`, with an empty line after it: the title
/// first, the others by name. Values are written as JSON with additional escapes, so that they are
/// valid in YAML 1.1 and 1.2.
///
/// ```
/// let page = "<html lang=en><title>Gulls</title><p>Herring gulls drop mussels on rocks.";
/// let cleaned = vclean_core::pipeline::extract(page, None)?;
/// let text = vclean_core::emit::front_matter(cleaned.metadata()) + &cleaned.markdown();
/// assert!(text.starts_with("---\ntitle: \"Gulls\"\nlanguage: \"en\"\n---\n\n"), "{text}");
/// # Ok::<(), vclean_core::error::Error>(())
/// ```
pub fn front_matter(metadata: &Metadata) -> String {
    let Ok(Value::Object(values)) = serde_json::to_value(metadata) else {
        return String::new();
    };
    let mut out = String::from("---\n");
    let (title, others): (Vec<_>, Vec<_>) = values.iter().partition(|(name, _)| *name == "title");
    for (name, value) in title.into_iter().chain(others) {
        // The sources of values are meant for programs, which read JSON; the date keeps its source.
        let is_left_out =
            value.is_null() || value.as_array().is_some_and(Vec::is_empty) || name == "sources";
        if !is_left_out {
            let _ = writeln!(out, "{name}: {}", escaped(&value.to_string()));
        }
        if let Some(source) = metadata.date_source().filter(|_| name == "date") {
            let _ = writeln!(
                out,
                "date_source: {}",
                escaped(&Value::from(source).to_string())
            );
        }
    }
    out.push_str("---\n\n");
    out
}

/// A text preceded by the front matter of its page.
fn after_front_matter(metadata: &Metadata, text: &str) -> String {
    let mut out = front_matter(metadata);
    if text.is_empty() {
        out.truncate(out.trim_end().len() + 1);
    }
    out.push_str(text);
    out
}

/// JSON with additional escapes for characters that YAML does not allow unescaped, or reads as line
/// breaks.
fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(
            c,
            '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        ) {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;
    use crate::document::FormulaStyle;
    use proptest::prelude::*;

    #[test]
    fn every_kind_has_its_markup() {
        insta::assert_snapshot!(write(&sample(), &EmitOptions { links: true, ..EmitOptions::default() }), @r###"
# Tea & \<coffee>

One [link](<https://a.example/x y>) **strong** ***and both***, 2\*3\*4 snake_case \[x\] ``a`b``.

1\. no list # no heading

3. three
   - inner
4. four

   more of four

> quoted

| Name | A\|B |
| --- | --- |
| Ann<br>Lee | |
| | 5 |

````rust
fn main() {

    ```
}
````
"###);
    }

    #[test]
    fn lines_of_verse_stay_lines() {
        let mut document = sample();
        for (index, text) in [
            (2, "Roses are red,\n# violets\n"),
            (3, "a\nb"),
            (4, "c\nd"),
            (7, "so\n> it is"),
        ] {
            document.segments[index].spans[0].text = text.into();
        }
        document.segments[9].spans[0].text = "A\nB".into();
        let written = write(&document, &EmitOptions::default());
        for part in [
            "\n\nRoses are red,\\\n\\# violets\n\n3. a\\\n   b\n   - c\\\n     d\n",
            "\n\n> so\\\n> \\> it is\n",
            "| A<br>B |",
        ] {
            assert!(written.contains(part), "{written}");
        }
    }

    #[test]
    fn small_struck_and_mathematical_text_keeps_its_form() {
        let mut document = sample();
        let span = |text: &str| Span {
            text: text.into(),
            ..Span::default()
        };
        document.segments.truncate(2);
        document.segments[1].spans = vec![
            span("H"),
            Span {
                script: Some(Script::Sub),
                ..span("2*")
            },
            span("O is "),
            Span {
                is_deleted: true,
                is_strong: true,
                ..span("not")
            },
            Span {
                formula: Some(FormulaStyle::Inline),
                ..span(" $a_1*b_1$")
            },
        ];
        let written = write(&document, &EmitOptions::default());
        assert!(
            written.ends_with("\n\nH<sub>2\\*</sub>O is <del>**not**</del> $a_1*b_1$\n"),
            "{written}"
        );
    }

    #[test]
    fn emphasis_may_hold_punctuation_next_to_white_space() {
        let mut document = sample();
        document.segments.truncate(2);
        let span = |text: &str, is_strong| Span {
            text: text.into(),
            is_strong,
            ..Span::default()
        };
        document.segments[1].spans = vec![
            span("Note:", true),
            span(" a (b)", false),
            span("(c)", true),
            span("d", false),
        ];
        let written = write(&document, &EmitOptions::default());
        assert!(written.ends_with("\n\n**Note:** a (b)(c)d\n"), "{written}");
        document.segments[1].spans = vec![span("US$ 5 or 6$", false), span(" and $", false)];
        let written = write(&document, &EmitOptions::default());
        assert!(written.ends_with("\n\nUS$ 5 or 6\\$ and $\n"), "{written}");
    }

    #[test]
    fn structures_nest_and_notes_and_definitions_have_their_marks() {
        let segment = |kind, quotes, items, text: &str| {
            let within = crate::document::Within { quotes, items };
            Segment {
                within,
                ..crate::document::plain_segment(kind, text.into(), 0)
            }
        };
        let item = |depth, number, checked| SegmentKind::ListItem {
            depth,
            number,
            continues: false,
            checked,
        };
        let definition = |continues| SegmentKind::Definition { continues };
        let mut document = crate::emit::tests::empty();
        let mut note = segment(SegmentKind::Paragraph, 0, 0, "a note");
        note.note = Some(1);
        note.spans.insert(
            0,
            Span {
                text: "1 ".into(),
                note: Some(1),
                ..Span::default()
            },
        );
        let mut reference = segment(SegmentKind::Paragraph, 2, 0, "so");
        reference.spans.push(Span {
            text: "[1]".into(),
            note: Some(1),
            ..Span::default()
        });
        document.segments = vec![
            segment(SegmentKind::Quote, 1, 0, "quoted"),
            segment(item(0, Some(1), None), 1, 0, "one"),
            segment(SegmentKind::Code { language: None }, 1, 1, "a\n\n  b"),
            segment(item(0, Some(2), None), 1, 0, "two"),
            reference,
            segment(item(0, None, Some(true)), 0, 0, "done"),
            segment(item(1, None, Some(false)), 0, 0, "open"),
            segment(SegmentKind::Term, 0, 0, "term"),
            segment(definition(false), 0, 0, "meaning"),
            segment(definition(true), 0, 0, "more"),
            note,
            segment(
                SegmentKind::ListItem {
                    depth: 0,
                    number: None,
                    continues: true,
                    checked: None,
                },
                0,
                0,
                "more of it",
            ),
            segment(SegmentKind::Code { language: None }, 0, 1, "code"),
            segment(item(0, None, None), 0, 0, "an item"),
        ];
        insta::assert_snapshot!(write(&document, &EmitOptions::default()), @r###"
> quoted
>
> 1. one
>
>    ```
>    a
>
>      b
>    ```
> 2. two
>
> > so[^1]

- [x] done
  - [ ] open

**term**
: meaning

  more

[^1]: a note

    more of it

    ```
    code
    ```

- an item
"###);
    }

    #[test]
    fn callouts_are_those_of_github() {
        use crate::document::Callout;
        let segment = |text: &str, callout| Segment {
            within: crate::document::Within {
                quotes: 1,
                items: 0,
            },
            callout,
            ..crate::document::plain_segment(SegmentKind::Paragraph, text.into(), 0)
        };
        let mut document = crate::emit::tests::empty();
        document.segments = vec![
            segment("Tip", Some(Callout::Tip)),
            segment("So it is.", None),
        ];
        let write = |document: &Document| write(document, &EmitOptions::default());
        assert_eq!(write(&document), "> [!TIP]\n>\n> So it is.\n");
        document.segments[0].spans[0].text = "Mind this".into();
        assert_eq!(
            write(&document),
            "> [!TIP]\n>\n> Mind this\n>\n> So it is.\n"
        );
        let written = write(&crate::emit::tests::with_callouts());
        let callouts = "- one\n\n  > [!NOTE]\n  >\n  > Of one.\n\n> [!WARNING]\n>\n> Hot\n>\n> It burns.\n\n\
                        > [!TIP]\n>\n> Wait.\n\nSo.\n";
        assert!(written.contains(callouts), "{written}");
    }

    #[test]
    fn links_are_left_out_unless_requested() {
        assert!(!write(&sample(), &EmitOptions::default()).contains("a.example"));
    }

    /// Writes a table given by its cells: row, column, whether it is a header, rows and columns
    /// covered, text.
    fn written(cells: &[(u32, u32, bool, u32, u32, &str)]) -> String {
        let segment = |&(row, column, is_header, row_span, column_span, text): &(
            u32,
            u32,
            bool,
            u32,
            u32,
            &str,
        )| {
            let kind = SegmentKind::TableCell {
                table: 0,
                row,
                column,
                is_header,
                row_span,
                column_span,
            };
            let span = Span {
                text: text.into(),
                is_strong: text == "bold",
                ..Span::default()
            };
            Segment::new(kind, vec![span], 0)
        };
        let segments: Vec<Segment> = cells.iter().map(segment).collect();
        match &blocks(&segments)[..] {
            [DocumentBlock::Table(table)] => table_lines(&table.rows, &EmitOptions::default()),
            _ => String::new(),
        }
    }

    #[test]
    fn a_table_with_spans_is_html() {
        let cells = [
            (0, 0, true, 2, 1, "a"),
            (0, 1, true, 1, 2, "b"),
            (1, 1, true, 1, 1, "c"),
            (1, 2, true, 1, 1, "d"),
            (2, 0, false, 1, 1, "1 < 2"),
            (2, 2, false, 1, 1, "bold"),
        ];
        let expected = "<table>\n<tr><th rowspan=\"2\">a</th><th colspan=\"2\">b</th></tr>\n<tr><th>c</th><th>d</th></tr>\n\
                        <tr><td>1 &lt; 2</td><td></td><td><strong>bold</strong></td></tr>\n</table>";
        assert_eq!(written(&cells), expected);
    }

    #[test]
    fn spans_over_columns_and_rows_without_other_cells_do_not_count() {
        let cells = [
            (0, 0, true, 1, 1, "a"),
            (0, 1, true, 9, 3, "b"),
            (5, 0, true, 1, 1, "c"),
            (5, 4, false, 1, 1, "d"),
        ];
        assert!(written(&cells).starts_with("<table>"));
        let cells = [
            (0, 0, true, 1, 1, "a"),
            (0, 1, true, 3, 3, "b"),
            (5, 0, true, 1, 1, "c"),
            (5, 1, false, 1, 1, "d"),
        ];
        assert_eq!(written(&cells), "| a | b |\n| --- | --- |\n| c | d |");
        // A row with a header only in its first cell is not a header row.
        assert_eq!(
            written(&[(0, 0, true, 1, 1, "a"), (0, 1, false, 1, 1, "b")]),
            "| | |\n| --- | --- |\n| a | b |"
        );
    }

    #[test]
    fn values_are_quoted_and_escaped() {
        let metadata = Metadata {
            title: Some("A \"quoted\" title: # no comment\n---\n\u{85}\u{2028}\u{7f}".into()),
            author: Some("yes".into()),
            date: Some("2020-01-02".into()),
            tags: vec!["a, b".into(), "- c".into()],
            ..Metadata::default()
        };
        assert_eq!(
            front_matter(&metadata),
            "---\ntitle: \"A \\\"quoted\\\" title: # no comment\\n---\\n\\u0085\\u2028\\u007f\"\nauthor: \"yes\"\ndate: \
             \"2020-01-02\"\ntags: [\"a, b\",\"- c\"]\n---\n\n"
        );
        assert!(after_front_matter(&metadata, "").ends_with("]\n---\n"));
    }

    proptest! {
        #[test]
        fn every_value_is_one_line_that_is_read_back(title in "\\PC{0,20}", site in proptest::collection::vec(any::<char>(), 0..20)) {
            let site: String = site.into_iter().collect();
            let metadata = Metadata { title: Some(title.clone()), site: Some(site.clone()), ..Metadata::default() };
            let written = front_matter(&metadata);
            let lines: Vec<&str> = written.split('\n').collect();
            prop_assert_eq!(lines.len(), 6, "{}", written);
            for (line, name, value) in [(lines[1], "title: ", &title), (lines[2], "site: ", &site)] {
                let json = line.strip_prefix(name).unwrap();
                prop_assert_eq!(&serde_json::from_str::<String>(json).unwrap(), value);
                // Every character is printable in YAML 1.1, and none is a line break.
                let is_printable = |c| matches!(c, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10ffff}');
                prop_assert!(json.chars().all(|c| is_printable(c) && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}')), "{}", json);
            }
        }
    }
}
