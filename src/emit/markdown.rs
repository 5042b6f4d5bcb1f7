//! Markdown: CommonMark 0.31 with GitHub tables; text is escaped so that it is not read as markup.

use super::blocks::{Block, Cell, blocks};
use super::format::EmitOptions;
use crate::clean::{CleanDocument, Segment, SegmentKind, Span};
use crate::text::collapse;

/// Largest number of columns of a table that is written as a table.
const MAX_COLUMNS: usize = 100;

/// Writes `document` as Markdown; empty if there is no text.
pub(super) fn write(document: &CleanDocument, options: &EmitOptions) -> String {
    let mut out = String::new();
    // Width of the markers of the list items that are open, by depth.
    let mut indents: Vec<usize> = Vec::new();
    let mut was_quote = false;
    for block in blocks(&document.segments) {
        match block {
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
            out.push_str(&start_of_line(inline(&segment.spans, options, true)));
        }
        _ => out.push_str(&start_of_line(inline(&segment.spans, options, true))),
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
    let text = start_of_line(inline(&segment.spans, options, true));
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
    out.push_str(&text);
    out.push('\n');
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
        let parts =
            cell.into_iter().flat_map(|cell| &cell.segments).map(|segment| inline(&segment.spans, options, true));
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
            out.push_str(&address.replace('<', "%3C").replace('>', "%3E").replace(['\n', '\r'], ""));
            out.push_str(">)");
        }
    };
    for span in spans {
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
            out.push('[');
            link = wanted;
        }
        if span.is_code {
            write_code(&mut out, &text);
        } else {
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
            out.push_str(marker);
            escape(&mut out, &text);
            out.push_str(marker);
        }
        if span.text.ends_with(char::is_whitespace) {
            out.push(' ');
        }
    }
    end_link(&mut out, &mut link);
    out.trim().to_owned()
}

fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

fn write_code(out: &mut String, text: &str) {
    let fence = "`".repeat(longest_run(text) + 1);
    let blank = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    for piece in [&fence, blank, text, blank, &fence] {
        out.push_str(piece);
    }
}

/// Escapes characters that would be read as markup within a line.
fn escape(out: &mut String, text: &str) {
    let mut chars = text.chars().peekable();
    let mut before = out.chars().last().unwrap_or(' ');
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_markup = match c {
            '\\' | '`' | '[' | ']' | '<' => true,
            '*' => before != ' ' || next != ' ',
            // An underscore inside a word is not markup.
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()) && (before != ' ' || next != ' '),
            '~' => before == '~' || next == '~',
            '&' => next == '#' || next.is_ascii_alphabetic(),
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
}

/// Escapes characters that would be read as markup at the start of a line: headings, quotes, items, rules, fences.
fn start_of_line(text: String) -> String {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &text[digits..];
    let ends_word = |rest: &str| rest.is_empty() || rest.starts_with(' ');
    if (1..=9).contains(&digits) && rest.starts_with(['.', ')']) && ends_word(&rest[1..]) {
        return format!("{}\\{rest}", &text[..digits]);
    }
    let is_markup = match text.as_bytes().first() {
        Some(b'#') => ends_word(text.trim_start_matches('#')),
        Some(b'>' | b'|') => true,
        Some(first @ (b'-' | b'+' | b'=')) => {
            let mark = char::from(*first);
            ends_word(&text[1..]) || text.chars().all(|c| c == mark || c == ' ')
        }
        Some(b'~') => text.starts_with("~~~"),
        _ => false,
    };
    if is_markup { format!("\\{text}") } else { text }
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
    fn links_are_left_out_unless_requested() {
        assert!(!write(&sample(), &EmitOptions::default()).contains("a.example"));
    }

    #[test]
    fn markup_characters_are_escaped_at_the_start_of_a_line() {
        for (text, expected) in [
            ("# x", "\\# x"),
            ("#tag", "#tag"),
            ("- x", "\\- x"),
            ("-x", "-x"),
            ("---", "\\---"),
            ("12. x", "12\\. x"),
            ("12.5 x", "12.5 x"),
            ("> x", "\\> x"),
            ("2026", "2026"),
            ("===", "\\==="),
        ] {
            assert_eq!(start_of_line(text.into()), expected);
        }
    }
}
