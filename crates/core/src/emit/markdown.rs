//! Markdown: CommonMark 0.31 with GitHub tables; text is escaped so that it is not read as markup.
//!
//! Markup that CommonMark lacks is written so that it is readable as text, and is recognized by
//! readers of the Pandoc or PHP extensions: a term in bold with its definitions after colons, boxes
//! of task lists, formulas between dollar signs. Tables with cells over several columns or rows are
//! HTML elements.

use super::blocks::{
    COMMENTS_HEADING, DocumentBlock, Table, blocks, blocks_with_comments, is_begun_by_block,
};
use super::format::{EmitOptions, content};
use super::markdown_inline::{address, inline, longest_run, paragraph};
use super::markdown_table::table_lines;
use super::posts::{describe, post_parts};
use crate::capture::NodeId;
use crate::document::{Document, ItemMark, Metadata, Post, Segment, SegmentKind, Span};
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
        begun: None,
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
    /// The open list items, by depth.
    items: Vec<OpenItem>,
    /// Number of quotations around these items.
    item_quotes: usize,
    /// The list item that begins with the next block.
    begun: Option<ItemMark>,
    /// True if the open item is a footnote.
    is_note: bool,
    /// The previous block: its number of quotations, and whether it is a term or a definition.
    before: Option<(usize, bool)>,
}

/// A list item that is being written.
#[derive(Debug, Clone, Copy, Default)]
struct OpenItem {
    /// Width of its marker.
    width: usize,
    /// The element of its list, if it is known.
    list: Option<NodeId>,
    /// True if its marker is a number.
    is_ordered: bool,
    /// True if its list has the second kind of marker, `*` or `1)`, because it follows another one
    /// directly: readers take lists with the same markers for one.
    has_other_marker: bool,
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
        self.begun = segment.item.filter(|_| is_begun_by_block(segment));
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
                let depth = usize::from(*depth);
                let text = paragraph(&segment.spans, self.options);
                if *continues && depth < self.items.len() {
                    self.continue_item(segment, depth, &text);
                } else {
                    self.write_item(segment, depth, *number, *checked, &text);
                }
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
        if let Some(mark) = self.begun.take() {
            self.begin_item(mark, quotes, items.saturating_sub(1), lines);
            return;
        }
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
        let indent = self.indent();
        "> ".repeat(self.item_quotes) + &indent + &"> ".repeat(quotes - self.item_quotes)
    }

    fn indent(&self) -> String {
        " ".repeat(self.items.iter().map(|item| item.width).sum())
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

    /// Writes a further paragraph of the open item at a depth.
    fn continue_item(&mut self, segment: &Segment, depth: usize, text: &str) {
        let quotes = usize::from(segment.within.quotes);
        if quotes != self.item_quotes {
            let mark = segment.item;
            self.write_item(
                segment,
                depth,
                mark.and_then(|mark| mark.number),
                None,
                text,
            );
            return;
        }
        self.items.truncate(depth + 1);
        self.separate(quotes);
        let prefix = self.prefix(quotes);
        self.write_lines(&prefix, &prefix, text);
        self.before = Some((quotes, false));
    }

    fn write_item(
        &mut self,
        segment: &Segment,
        depth: usize,
        number: Option<u32>,
        checked: Option<bool>,
        text: &str,
    ) {
        let quotes = usize::from(segment.within.quotes);
        let letters = segment
            .item
            .and_then(|item| item.numbering.letters(number?));
        let marker = if letters.is_some() { None } else { number };
        let first = self.open_item(depth, quotes, marker, segment.item.map(|item| item.list));
        let others = self.prefix(quotes);
        let letters = letters.map_or_else(String::new, |letters| format!("{letters}. "));
        let checkbox = checked.map_or("", |checked| if checked { "[x] " } else { "[ ] " });
        self.write_lines(&format!("{first}{checkbox}{letters}"), &others, text);
        self.before = Some((quotes, false));
    }

    /// Writes a block that begins an item, beside the marker of the item.
    fn begin_item(&mut self, mark: ItemMark, quotes: usize, depth: usize, lines: &str) {
        let item_quotes = usize::from(mark.quotes).min(quotes);
        let letters = mark
            .number
            .and_then(|number| mark.numbering.letters(number));
        let number = mark.number.filter(|_| letters.is_none());
        let first = self.open_item(depth, item_quotes, number, Some(mark.list));
        if let Some(letters) = letters {
            self.out.extend([first.as_str(), letters.as_str(), ".\n"]);
            self.before = Some((item_quotes, false));
            self.write_block(quotes, depth + 1, lines);
            return;
        }
        let inner = "> ".repeat(quotes - item_quotes);
        let others = self.prefix(quotes);
        self.write_lines(&(first + &inner), &others, lines);
        self.before = Some((quotes, false));
    }

    /// Opens an item at a depth; returns the start of its first line.
    fn open_item(
        &mut self,
        depth: usize,
        quotes: usize,
        number: Option<u32>,
        list: Option<NodeId>,
    ) -> String {
        if quotes != self.item_quotes || self.is_note && depth == 0 {
            self.items.clear();
            self.is_note = false;
        }
        // CommonMark allows at most nine digits in a number.
        let number = number.filter(|number| *number <= 999_999_999);
        let is_ordered = number.is_some();
        let depth = depth.min(self.items.len());
        let is_first = self.items.is_empty();
        let before = self
            .items
            .get(depth)
            .copied()
            .filter(|before| before.is_ordered == is_ordered);
        let is_new = before.is_some_and(|before| before.list != list);
        let has_other_marker = before.is_some_and(|before| before.has_other_marker != is_new);
        // A line that begins with another number than 1 would belong to the paragraph before it.
        let is_inner = depth > 0 && depth == self.items.len();
        let needs_line = is_inner && number.is_some_and(|number| number != 1);
        self.items.truncate(depth);
        if is_first || is_new || needs_line {
            self.separate(quotes);
        }
        if is_first {
            self.item_quotes = quotes;
        }
        let marker = match (number, has_other_marker) {
            (Some(number), false) => format!("{number}. "),
            (Some(number), true) => format!("{number}) "),
            (None, false) => "- ".to_owned(),
            (None, true) => "* ".to_owned(),
        };
        let first = "> ".repeat(quotes) + &self.indent() + &marker;
        self.items.push(OpenItem {
            width: marker.len(),
            list,
            is_ordered,
            has_other_marker,
        });
        first
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
        let item = OpenItem {
            width: INDENT,
            ..OpenItem::default()
        };
        (self.items, self.item_quotes, self.is_note) = (vec![item], quotes, true);
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
    use crate::document::{FormulaStyle, Script};
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

    fn markdown_of(html: &str) -> String {
        let segments = crate::document::all_kept(html);
        let document = Document {
            segments,
            ..crate::emit::tests::empty()
        };
        write(&document, &EmitOptions::default())
    }

    #[test]
    fn lists_side_by_side_are_two_when_they_are_read_again() {
        assert_eq!(
            markdown_of(
                "<ol><li>a<li>b</ol><ol><li>c</ol><ul><li>d</ul><ul><li>e</ul><ul><li>f</ul>"
            ),
            "1. a\n2. b\n\n1) c\n- d\n\n* e\n\n- f\n"
        );
        assert_eq!(
            markdown_of("<ul><li>a<ol start=4><li>b</ol></ul><p>c</p><ul><li>d</ul>"),
            "- a\n\n  4. b\n\nc\n\n- d\n"
        );
    }

    #[test]
    fn items_that_begin_with_code_or_quotations_keep_their_numbers() {
        assert_eq!(
            markdown_of("<ol><li><pre>a\n b</pre><p>c</p><li><blockquote>d</blockquote></ol>"),
            "1. ```\n   a\n    b\n   ```\n\n   c\n2. > d\n"
        );
        assert_eq!(
            markdown_of("<blockquote><ul><li>x<ul><li><pre>a</pre></ul></ul></blockquote>"),
            "> - x\n>   - ```\n>     a\n>     ```\n"
        );
        assert_eq!(
            markdown_of("<ol type=a><li>x<li><pre>y</pre><li value=27>z</ol>"),
            "- a. x\n- b.\n\n  ```\n  y\n  ```\n- aa. z\n"
        );
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
