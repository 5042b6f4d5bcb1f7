//! Markdown: CommonMark 0.31 with GitHub tables; text is escaped so that it is not read as markup.
//!
//! What CommonMark has no marks for is written so that it is read as text, and by readers of Pandoc's or PHP's extensions as
//! what it is: a term in bold with its definitions after colons, boxes of task lists, formulas between dollar signs. Tables
//! with cells over several columns or rows are elements of HTML.

use super::blocks::{Block, COMMENTS_HEADING, Table, blocks_with_comments};
use super::content::content;
use super::format::EmitOptions;
use super::front_matter::after_front_matter;
use super::markdown_escape::longest_run;
use super::markdown_inline::{address, inline, paragraph};
use super::markdown_table::table_lines;
use crate::clean::{CleanDocument, Segment, SegmentKind, Span};

/// Writes `document` as Markdown, after its metadata if they are asked for; without them, empty if there is no text.
pub(super) fn write(document: &CleanDocument, options: &EmitOptions) -> String {
    let text = write_text(document, options);
    if options.metadata { after_front_matter(&document.metadata, &text) } else { text }
}

fn write_text(document: &CleanDocument, options: &EmitOptions) -> String {
    let segments = content(document, options);
    let mut writer = Writer { out: String::new(), options, items: Vec::new(), item_quotes: 0, before: None };
    for block in blocks_with_comments(&segments, document) {
        match block {
            Block::CommentsHeading => writer.write_block(0, 0, &format!("## {COMMENTS_HEADING}")),
            Block::Table(table) => writer.write_table(&table),
            Block::One(segment) => writer.write_segment(segment),
        }
    }
    writer.out
}

/// A Markdown document that is being written.
struct Writer<'o> {
    out: String,
    options: &'o EmitOptions,
    /// Width of the markers of the list items that are open, by depth.
    items: Vec<usize>,
    /// Number of quotations around these items.
    item_quotes: usize,
    /// The block before: its quotations, and whether it is a term or a definition.
    before: Option<(usize, bool)>,
}

impl Writer<'_> {
    fn write_segment(&mut self, segment: &Segment) {
        let (quotes, items) = (usize::from(segment.within.quotes), usize::from(segment.within.items));
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
                self.write_block(quotes, items, &format!("{fence}{language}\n{text}\n{fence}"));
            }
            SegmentKind::ListItem { depth, number, continues, checked } => {
                self.write_item(segment, usize::from(*depth), *number, *continues, *checked);
            }
            SegmentKind::Term => {
                let text = inline(&segment.spans, self.options, false);
                self.write_block(quotes, items, &format!("**{text}**"));
                self.before = Some((quotes, true));
            }
            SegmentKind::Definition { continues } => self.write_definition(segment, *continues),
            SegmentKind::Image { source, alternative } => {
                let span = Span { text: alternative.clone(), ..Span::default() };
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

    /// Writes lines as a block of its own within so many quotations and, where they are open, items of lists.
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

    /// The marks before each line of a block in so many quotations and the open items.
    fn prefix(&self, quotes: usize) -> String {
        if self.items.is_empty() {
            return "> ".repeat(quotes);
        }
        let indent = " ".repeat(self.items.iter().sum());
        "> ".repeat(self.item_quotes) + &indent + &"> ".repeat(quotes - self.item_quotes)
    }

    /// Writes the empty line between two blocks, which is in the quotations that both are in.
    fn separate(&mut self, quotes: usize) {
        if let Some((before, _)) = self.before {
            let common = before.min(quotes);
            let is_inside = self.items.is_empty() || common > self.item_quotes;
            let marks = if is_inside { self.prefix(common) } else { "> ".repeat(common) };
            self.out.push_str(marks.trim_end());
            self.out.push('\n');
        }
    }

    fn write_lines(&mut self, first: &str, others: &str, lines: &str) {
        for (index, line) in lines.split('\n').enumerate() {
            let prefix = if index == 0 { first } else { others };
            let prefix = if line.is_empty() { prefix.trim_end() } else { prefix };
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

    /// Writes the first paragraph of a footnote, without the links from it back to its references.
    fn write_note(&mut self, segment: &Segment) {
        let is_way_back = |span: &Span| {
            let is_sign = |c: char| c.is_ascii_digit() || "^\u{2191}\u{21a9}\u{fe0e}[]. ".contains(c);
            span.link.is_some() && span.text.chars().all(is_sign)
        };
        let mut spans = &segment.spans[..];
        while let Some((_, rest)) = spans.split_first().filter(|(first, _)| is_way_back(first)) {
            spans = rest;
        }
        while let Some((_, rest)) = spans.split_last().filter(|(last, _)| is_way_back(last)) {
            spans = rest;
        }
        let text = paragraph(spans, self.options).replace('\n', "\n    ");
        let lines = format!("[^{}]: {text}", segment.note.unwrap_or_default());
        self.write_block(usize::from(segment.within.quotes), 0, &lines);
    }

    /// Writes a definition directly below its term, with a colon before it.
    fn write_definition(&mut self, segment: &Segment, continues: bool) {
        let (quotes, items) = (usize::from(segment.within.quotes), usize::from(segment.within.items));
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
        let Some(first) = table.rows.first().and_then(|row| row.first()?.segments.first().copied()) else { return };
        let lines = table_lines(&table.rows, self.options);
        self.write_block(usize::from(first.within.quotes), usize::from(first.within.items), &lines);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clean::{FormulaStyle, Script};
    use crate::emit::tests::sample;

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
        for (index, text) in [(2, "Roses are red,\n# violets\n"), (3, "a\nb"), (4, "c\nd"), (7, "so\n> it is")] {
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
        let span = |text: &str| Span { text: text.into(), ..Span::default() };
        document.segments.truncate(2);
        document.segments[1].spans = vec![
            span("H"),
            Span { script: Some(Script::Sub), ..span("2*") },
            span("O is "),
            Span { is_deleted: true, is_strong: true, ..span("not") },
            Span { formula: Some(FormulaStyle::Inline), ..span(" $a_1*b_1$") },
        ];
        let written = write(&document, &EmitOptions::default());
        assert!(written.ends_with("\n\nH<sub>2\\*</sub>O is <del>**not**</del> $a_1*b_1$\n"), "{written}");
    }

    #[test]
    fn emphasis_may_hold_punctuation_next_to_white_space() {
        let mut document = sample();
        document.segments.truncate(2);
        let span = |text: &str, is_strong| Span { text: text.into(), is_strong, ..Span::default() };
        document.segments[1].spans =
            vec![span("Note:", true), span(" a (b)", false), span("(c)", true), span("d", false)];
        let written = write(&document, &EmitOptions::default());
        assert!(written.ends_with("\n\n**Note:** a (b)(c)d\n"), "{written}");
        document.segments[1].spans = vec![span("US$ 5 or 6$", false), span(" and $", false)];
        let written = write(&document, &EmitOptions::default());
        assert!(written.ends_with("\n\nUS$ 5 or 6\\$ and $\n"), "{written}");
    }

    #[test]
    fn structures_nest_and_notes_and_definitions_have_their_marks() {
        let segment = |kind, quotes, items, text: &str| {
            let within = crate::clean::Within { quotes, items };
            Segment { within, ..crate::clean::plain_segment(kind, text.into(), 0) }
        };
        let item = |depth, number, checked| SegmentKind::ListItem { depth, number, continues: false, checked };
        let definition = |continues| SegmentKind::Definition { continues };
        let mut document = crate::emit::tests::empty();
        let mut note = segment(SegmentKind::Paragraph, 0, 0, "a note");
        note.note = Some(1);
        let mut reference = segment(SegmentKind::Paragraph, 2, 0, "so");
        reference.spans.push(Span { text: "[1]".into(), note: Some(1), ..Span::default() });
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
"###);
    }

    #[test]
    fn links_are_left_out_unless_requested() {
        assert!(!write(&sample(), &EmitOptions::default()).contains("a.example"));
    }
}
