//! Markdown: CommonMark 0.31 with GitHub tables; text is escaped so that it is not read as markup.

use super::blocks::{Block, COMMENTS_HEADING, Cell, document_blocks};
use super::format::EmitOptions;
use super::front_matter::after_front_matter;
use super::markdown_escape::{escape, longest_run, start_of_line, write_code};
use super::title::missing_title;
use crate::clean::{CleanDocument, Script, Segment, SegmentKind, Span};
use crate::text::collapse;
use std::borrow::Cow;

/// Largest number of columns of a table that is written as a table.
const MAX_COLUMNS: usize = 100;

/// Writes `document` as Markdown, after its metadata if they are asked for; without them, empty if there is no text.
pub(super) fn write(document: &CleanDocument, options: &EmitOptions) -> String {
    let text = write_text(document, options);
    if options.metadata { after_front_matter(&document.metadata, &text) } else { text }
}

fn write_text(document: &CleanDocument, options: &EmitOptions) -> String {
    let mut out = String::new();
    // Width of the markers of the list items that are open, by depth.
    let mut indents: Vec<usize> = Vec::new();
    let mut was_quote = false;
    if let Some(title) = missing_title(document, options) {
        write_block(&mut out, &title, options);
    }
    for block in document_blocks(document) {
        match block {
            Block::CommentsHeading => {
                indents.clear();
                separate(&mut out);
                out.extend(["## ", COMMENTS_HEADING, "\n"]);
            }
            Block::Table(rows) => {
                indents.clear();
                separate(&mut out);
                write_table(&mut out, &rows, options);
            }
            Block::One(segment) => match &segment.kind {
                SegmentKind::ListItem { depth, number, continues } => {
                    write_item(&mut out, segment, (*depth, *number, *continues), &mut indents, options);
                }
                kind => {
                    indents.clear();
                    let is_quote = *kind == SegmentKind::Quote;
                    if is_quote && was_quote {
                        out.push_str(">\n"); // one quotation of several paragraphs
                    } else {
                        separate(&mut out);
                    }
                    write_block(&mut out, segment, options);
                    was_quote = is_quote;
                    continue;
                }
            },
        }
        was_quote = false;
    }
    out
}

/// Separates a block from the text before it.
fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push('\n');
    }
}

fn write_block(out: &mut String, segment: &Segment, options: &EmitOptions) {
    match &segment.kind {
        SegmentKind::Heading { level } => {
            out.push_str(&"#".repeat(usize::from((*level).clamp(1, 6))));
            out.push(' ');
            let text = inline(&segment.spans, options, false);
            // A run of # at the end would be read as markup.
            match text.strip_suffix('#') {
                Some(rest) => out.extend([rest, "\\#"]),
                None => out.push_str(&text),
            }
        }
        SegmentKind::Code { language } => {
            let text = segment.text();
            let fence = "`".repeat(longest_run(&text).max(2) + 1);
            out.push_str(&fence);
            out.push_str(language.as_deref().unwrap_or(""));
            out.push('\n');
            out.push_str(text.trim_end_matches('\n'));
            out.push('\n');
            out.push_str(&fence);
        }
        SegmentKind::Quote => {
            out.push_str("> ");
            out.push_str(&paragraph(&segment.spans, options, "> "));
        }
        _ => out.push_str(&paragraph(&segment.spans, options, "")),
    }
    out.push('\n');
}

fn write_item(
    out: &mut String,
    segment: &Segment,
    (depth, number, continues): (u8, Option<u32>, bool),
    indents: &mut Vec<usize>,
    options: &EmitOptions,
) {
    let depth = usize::from(depth).min(indents.len());
    if continues && depth < indents.len() {
        indents.truncate(depth + 1);
        out.push('\n');
        out.push_str(&" ".repeat(indents.iter().sum()));
    } else {
        let is_first = indents.is_empty();
        indents.truncate(depth);
        if is_first {
            separate(out);
        }
        out.push_str(&" ".repeat(indents.iter().sum()));
        // CommonMark allows at most nine digits in a number.
        let marker =
            number.filter(|number| *number <= 999_999_999).map_or("- ".to_owned(), |number| format!("{number}. "));
        out.push_str(&marker);
        indents.push(marker.len());
    }
    out.push_str(&paragraph(&segment.spans, options, &" ".repeat(indents.iter().sum())));
    out.push('\n');
}

/// The formatted text of a paragraph with its line breaks; `start` is written at the start of each further line.
fn paragraph(spans: &[Span], options: &EmitOptions, start: &str) -> String {
    let lines = lines(spans).into_iter().map(|line| inline(&line, options, true)).filter(|line| !line.is_empty());
    let lines: Vec<String> = lines.map(start_of_line).collect();
    lines.join(&format!("\\\n{start}"))
}

/// The spans of each line of a text; code has none.
fn lines(spans: &[Span]) -> Vec<Cow<'_, [Span]>> {
    if spans.iter().all(|span| !span.text.contains('\n')) {
        return vec![Cow::Borrowed(spans)];
    }
    let mut lines = vec![Vec::new()];
    for span in spans {
        for (index, text) in span.text.split('\n').enumerate() {
            if index > 0 {
                lines.push(Vec::new());
            }
            let line = lines.last_mut().expect("there is a first line");
            line.push(Span { text: text.to_owned(), ..span.clone() });
        }
    }
    lines.into_iter().map(Cow::Owned).collect()
}

fn write_table(out: &mut String, rows: &[Vec<Cell<'_>>], options: &EmitOptions) {
    // Columns without cells are left out.
    let mut columns: Vec<usize> = rows.iter().flatten().map(|cell| cell.column).collect();
    columns.sort_unstable();
    columns.dedup();
    columns.truncate(MAX_COLUMNS);
    let mut line = |cells: &mut dyn Iterator<Item = String>| {
        out.push('|');
        for cell in cells {
            out.push(' ');
            out.push_str(&cell);
            out.push_str(if cell.is_empty() { "|" } else { " |" });
        }
        out.push('\n');
    };
    let text = |row: &[Cell<'_>], column: &usize| {
        let cell = row.iter().find(|cell| cell.column == *column);
        let lines = cell.into_iter().flat_map(|cell| &cell.segments).flat_map(|segment| lines(&segment.spans));
        let parts = lines.map(|line| inline(&line, options, true)).filter(|line| !line.is_empty());
        parts.collect::<Vec<_>>().join("<br>").replace('|', "\\|")
    };
    let has_header = rows.first().is_some_and(|row| row.iter().any(|cell| cell.is_header));
    if has_header {
        line(&mut columns.iter().map(|column| text(&rows[0], column)));
    } else {
        line(&mut columns.iter().map(|_| String::new()));
    }
    line(&mut columns.iter().map(|_| "---".to_owned()));
    for row in rows.iter().skip(usize::from(has_header)) {
        line(&mut columns.iter().map(|column| text(row, column)));
    }
}

/// The formatted text on one line; headings have no emphasis.
fn inline(spans: &[Span], options: &EmitOptions, has_emphasis: bool) -> String {
    let mut out = String::new();
    let mut link: Option<&str> = None;
    let end_link = |out: &mut String, link: &mut Option<&str>| {
        if let Some(address) = link.take() {
            out.push_str("](<");
            let address = address.replace('<', "%3C").replace('>', "%3E").replace('\\', "%5C");
            out.push_str(&address.replace(['\n', '\r'], ""));
            out.push_str(">)");
        }
    };
    for (index, span) in spans.iter().enumerate() {
        let wanted = span.link.as_deref().filter(|_| options.links);
        let text = collapse(&span.text);
        if wanted != link {
            end_link(&mut out, &mut link);
        }
        let starts_with_space = span.text.starts_with(char::is_whitespace);
        if starts_with_space && !out.is_empty() && !out.ends_with(' ') {
            out.push(' ');
        }
        if text.is_empty() {
            continue;
        }
        if wanted != link {
            // "![" would begin a picture.
            if out.ends_with('!') {
                out.insert(out.len() - 1, '\\');
            }
            out.push('[');
            link = wanted;
        }
        let next = following(&span.text, &spans[index + 1..]);
        write_span(&mut out, span, &text, next, has_emphasis);
        if span.text.ends_with(char::is_whitespace) {
            out.push(' ');
        }
    }
    end_link(&mut out, &mut link);
    out.trim().to_owned()
}

/// Writes the text of a span with its formatting; `next` is the character that follows.
fn write_span(out: &mut String, span: &Span, text: &str, next: char, has_emphasis: bool) {
    if span.formula.is_some() {
        // Readers of formulas take backslashes and underscores as they are.
        out.push_str(text);
        return;
    }
    if span.is_code && !out.ends_with('`') {
        write_code(out, text);
        return;
    }
    let marker = match (has_emphasis && span.is_strong, has_emphasis && span.is_emphasis) {
        (true, true) => "***",
        (true, false) => "**",
        (false, true) => "*",
        (false, false) => "",
    };
    // Emphasis markers work only at the start and end of words; inside words and around punctuation they would
    // be shown as text.
    let is_apart = !out.ends_with(|c: char| c.is_alphanumeric() || "*_".contains(c))
        && text.starts_with(char::is_alphanumeric)
        && text.ends_with(char::is_alphanumeric);
    let marker = if is_apart { marker } else { "" };
    let around = elements(span);
    out.extend(around.iter().flat_map(|tag| ["<", tag, ">"]));
    out.push_str(marker);
    escape(out, text, if around.is_empty() { next } else { ' ' });
    out.push_str(marker);
    out.extend(around.iter().rev().flat_map(|tag| ["</", tag, ">"]));
}

/// The elements of HTML for formatting that CommonMark has no marks for.
fn elements(span: &Span) -> Vec<&'static str> {
    let script = span.script.map(|script| match script {
        Script::Sub => "sub",
        Script::Sup => "sup",
    });
    span.is_deleted.then_some("del").into_iter().chain(script).collect()
}

/// The character that is written after the text of a span: a space at a word's end and at the end of the line.
fn following(text: &str, rest: &[Span]) -> char {
    if text.ends_with(char::is_whitespace) {
        return ' ';
    }
    let next = rest.iter().find_map(|span| span.text.chars().next());
    next.filter(|next| !next.is_whitespace()).unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;
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
            Span { formula: Some(crate::clean::FormulaStyle::Inline), ..span(" $a_1*b_1$") },
        ];
        let written = write(&document, &EmitOptions::default());
        assert!(written.ends_with("\n\nH<sub>2\\*</sub>O is <del>**not**</del> $a_1*b_1$\n"), "{written}");
    }

    #[test]
    fn links_are_left_out_unless_requested() {
        assert!(!write(&sample(), &EmitOptions::default()).contains("a.example"));
    }
}
