//! Tables in Markdown: with bars as on GitHub, and as HTML where a cell covers several columns or
//! rows, or holds lines of code.

use super::blocks::Cell;
use super::format::EmitOptions;
use super::markdown_inline::{inline, lines};
use crate::capture::escape;
use crate::document::{Script, Segment, Span};
use crate::text::collapse;
use std::fmt::Write;

/// Largest number of columns that is written.
const MAX_COLUMNS: usize = 100;

/// The lines of a table.
pub(super) fn table_lines(rows: &[Vec<Cell<'_>>], options: &EmitOptions) -> String {
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
    let has_block = || {
        let segments = rows.iter().flatten().flat_map(|cell| &cell.segments);
        segments
            .into_iter()
            .any(|segment| is_block_of_code(segment))
    };
    if headers > 1 || rows.iter().enumerate().any(is_spanning) || has_block() {
        html_lines(rows, &columns, options)
    } else {
        pipe_lines(rows, &columns, options)
    }
}

/// Returns true if a cell's text is code whose lines would not be the same without indentation and
/// empty lines.
fn is_block_of_code(segment: &Segment) -> bool {
    let [span] = &segment.spans[..] else {
        return false;
    };
    let needs_its_space = |line: &str| line.is_empty() || line.starts_with(char::is_whitespace);
    span.is_code && span.text.contains('\n') && span.text.trim().lines().any(needs_its_space)
}

/// A block of code of a cell as HTML on one line, since an empty line would end the table.
fn html_code(segment: &Segment) -> String {
    let mut out = String::from("<pre><code>");
    let text = segment.text();
    escape(&mut out, text.trim_end(), false);
    out.replace('\n', "&#10;") + "</code></pre>"
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
    let mut is_after_text = false;
    for segment in &cell.segments {
        if is_block_of_code(segment) {
            line.push_str(&html_code(segment));
            is_after_text = false;
            continue;
        }
        let lines = lines(&segment.spans);
        let texts = lines.iter().map(|spans| html_inline(spans, options));
        for text in texts.filter(|text| !text.is_empty()) {
            line.push_str(if is_after_text { "<br>" } else { "" });
            line.push_str(&text);
            is_after_text = true;
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::blocks::{DocumentBlock, blocks};

    /// The first table of a page.
    fn written(html: &str) -> String {
        let segments = crate::document::all_kept(html);
        let tables = blocks(&segments).into_iter().find_map(|block| match block {
            DocumentBlock::Table(table) => Some(table_lines(&table.rows, &EmitOptions::default())),
            _ => None,
        });
        tables.unwrap_or_default()
    }

    #[test]
    fn code_in_cells_stays_there() {
        let table = |code: &str| {
            written(&format!(
                "<table><tr><th>a<th>b<tr><td>c<td><pre>{code}</pre></table>"
            ))
        };
        assert_eq!(
            table("x | y\nz"),
            "| a | b |\n| --- | --- |\n| c | `x \\| y`<br>`z` |"
        );
        assert_eq!(
            table("if x:\n  &lt;y&gt;\n\nz"),
            "<table>\n<tr><th>a</th><th>b</th></tr>\n\
             <tr><td>c</td><td><pre><code>if x:&#10;  &lt;y&gt;&#10;&#10;z</code></pre></td></tr>\n</table>"
        );
    }
}
