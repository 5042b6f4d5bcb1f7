//! Tables as XML elements, whose attributes each format names in its own way.

use super::blocks::{Table, by_column};
use super::format::EmitOptions;
use super::xml_inline::{InlineNames, write_lines};
use super::xml_writer::XmlWriter;

/// The names of a format for the cells of tables.
pub(super) struct TableNames {
    /// The `role` of a header cell, and of another one.
    pub(super) header: &'static str,
    pub(super) data: Option<&'static str>,
    /// The attributes for the number of rows and columns that a cell covers.
    pub(super) rows: &'static str,
    pub(super) columns: &'static str,
}

/// Writes a table with its caption as `head`.
pub(super) fn write_table(
    xml: &mut XmlWriter,
    table: &Table<'_>,
    inline: &InlineNames,
    names: &TableNames,
    options: &EmitOptions,
) {
    xml.open("table", &[]);
    if !table.caption.is_empty() {
        xml.open("head", &[]);
        write_lines(xml, &table.caption, inline, options);
        xml.close("head");
    }
    for row in &table.rows {
        xml.open("row", &[]);
        for cell in by_column(row) {
            let Some(cell) = cell else {
                xml.empty("cell", &[]);
                continue;
            };
            let [rows, columns] = [cell.row_span, cell.column_span].map(|span| (span > 1).then(|| span.to_string()));
            let role = if cell.is_header { Some(names.header) } else { names.data };
            xml.open("cell", &[("role", role), (names.rows, rows.as_deref()), (names.columns, columns.as_deref())]);
            write_lines(xml, &cell.segments, inline, options);
            xml.close("cell");
        }
        xml.close("row");
    }
    xml.close("table");
}

#[cfg(test)]
mod tests {
    use crate::clean::{SegmentKind, plain_segment};
    use crate::emit::tests::empty;
    use crate::emit::{EmitOptions, find};

    #[test]
    fn captions_and_spans_are_kept() {
        let cell = |row, column, row_span, column_span, text: &str| {
            let kind = SegmentKind::TableCell { table: 0, row, column, is_header: row == 0, row_span, column_span };
            plain_segment(kind, text.to_owned(), 0)
        };
        let caption = plain_segment(SegmentKind::Caption { table: Some(0) }, "c".into(), 0);
        let mut document = empty();
        document.segments = vec![caption, cell(0, 0, 1, 2, "a"), cell(1, 0, 2, 1, "b"), cell(1, 1, 1, 1, "d")];
        let written = |name| {
            let format = find(name).map(|format| format.write);
            format.map(|write| write(&document, &EmitOptions::default())).unwrap_or_default()
        };
        assert!(written("tei").contains(
            "<table><head>c</head><row><cell role=\"label\" cols=\"2\">a</cell></row>\
             <row><cell role=\"data\" rows=\"2\">b</cell><cell role=\"data\">d</cell></row></table>"
        ));
        assert!(
            written("xml")
                .contains("<row><cell role=\"head\" colspan=\"2\">a</cell></row><row><cell rowspan=\"2\">b</cell>")
        );
    }
}
