//! Tables in Markdown: a table of GitHub's Markdown where it can hold the table, else the elements of HTML, which Markdown
//! allows.

use super::blocks::Cell;
use super::format::EmitOptions;
use super::markdown_inline::{inline, lines};
use crate::capture::escape;
use crate::clean::{Script, Span};
use crate::text::collapse;
use std::fmt::Write;

/// Largest number of columns that are written.
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
    if headers > 1 || rows.iter().enumerate().any(is_spanning) {
        html_lines(rows, &columns, options)
    } else {
        pipe_lines(rows, &columns, options)
    }
}

/// Whether all cells of a row are header cells.
fn is_header(row: &[Cell<'_>]) -> bool {
    row.iter().all(|cell| cell.is_header)
}

/// Number of written columns that a cell covers.
fn width(cell: &Cell<'_>, columns: &[usize]) -> usize {
    let end = cell.column.saturating_add(cell.column_span);
    columns.iter().filter(|&&column| (cell.column..end).contains(&column)).count()
}

/// Number of written rows that a cell of the row at `index` covers.
fn height(cell: &Cell<'_>, rows: &[Vec<Cell<'_>>], index: usize) -> usize {
    let end = (cell.row as usize).saturating_add(cell.row_span);
    let is_covered = |row: &Vec<Cell<'_>>| row.first().is_some_and(|cell| (cell.row as usize) < end);
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
        let lines = cell.into_iter().flat_map(|cell| &cell.segments).flat_map(|segment| lines(&segment.spans));
        let parts = lines.map(|line| inline(&line, options, true)).filter(|line| !line.is_empty());
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
    // For each column, the number of following rows that a cell from above still covers.
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
                // A cell that claims a covered column stands in the next free one.
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
    let texts =
        cell.segments.iter().flat_map(|segment| lines(&segment.spans)).map(|spans| html_inline(&spans, options));
    line.push_str(&texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("<br>"));
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
        let script = span.script.map(|script| if script == Script::Sub { "sub" } else { "sup" });
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
    use crate::clean::{Segment, SegmentKind};
    use crate::emit::blocks::{Block, blocks};

    /// A table by its cells: row, column, whether it is a header, rows and columns covered, text.
    fn written(cells: &[(u32, u32, bool, u32, u32, &str)]) -> String {
        let segment = |&(row, column, is_header, row_span, column_span, text): &(u32, u32, bool, u32, u32, &str)| {
            let kind = SegmentKind::TableCell { table: 0, row, column, is_header, row_span, column_span };
            let span = Span { text: text.into(), is_strong: text == "bold", ..Span::default() };
            Segment::new(kind, vec![span], 0)
        };
        let segments: Vec<Segment> = cells.iter().map(segment).collect();
        match &blocks(&segments)[..] {
            [Block::Table(table)] => table_lines(&table.rows, &EmitOptions::default()),
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
        let cells =
            [(0, 0, true, 1, 1, "a"), (0, 1, true, 9, 3, "b"), (5, 0, true, 1, 1, "c"), (5, 4, false, 1, 1, "d")];
        assert!(written(&cells).starts_with("<table>"));
        let cells =
            [(0, 0, true, 1, 1, "a"), (0, 1, true, 3, 3, "b"), (5, 0, true, 1, 1, "c"), (5, 1, false, 1, 1, "d")];
        assert_eq!(written(&cells), "| a | b |\n| --- | --- |\n| c | d |");
        // A row with a header in its first cell only is no row of headers.
        assert_eq!(written(&[(0, 0, true, 1, 1, "a"), (0, 1, false, 1, 1, "b")]), "| | |\n| --- | --- |\n| a | b |");
    }
}
