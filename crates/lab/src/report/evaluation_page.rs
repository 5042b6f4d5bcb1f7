//! Common parts of the pages of evaluation reports: the head of a page without scripts that loads
//! nothing, tables, legends.

use crate::evaluate::Table;
use image::Rgb;
use std::fmt::{self, Write};
use vclean_core::explain::Escaped;

/// Begins a page without scripts: head, and the style of evaluation reports.
pub(super) fn begin(page: &mut String, title: &str) -> fmt::Result {
    write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n{GENERATOR}\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        Escaped(title)
    )
}

pub(super) fn end(page: &mut String) {
    page.push_str("</body>\n</html>\n");
}

/// In the head of every page of an evaluation report; a folder is recognized as a report by it.
pub(crate) const GENERATOR: &str = "<meta name=\"generator\" content=\"vclean lab evaluate\">";

const STYLE: &str = include_str!("evaluation.css");

/// A table; the first column is text, the others are numbers.
pub(super) fn write_table(page: &mut String, table: &Table) -> fmt::Result {
    if table.rows.is_empty() {
        return Ok(());
    }
    page.push_str("<div class=\"wide\">\n<table>\n<thead><tr>");
    for column in &table.columns {
        write!(page, "<th scope=\"col\">{}</th>", Escaped(column))?;
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for (index, cell) in row.iter().enumerate() {
            let class = if index == 0 { "" } else { " class=\"number\"" };
            write!(page, "<td{class}>{}</td>", Escaped(cell))?;
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n</div>\n");
    Ok(())
}

/// A color in a legend.
pub(super) struct Swatch(pub(super) Rgb<u8>);

impl fmt::Display for Swatch {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0.0;
        write!(
            out,
            "<span class=\"swatch\" style=\"border-color:rgb({red},{green},{blue})\"></span>"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_escaped() {
        let mut table = Table::new(&["a<b", "n"]);
        table.push(vec!["<script>".into(), "1".into()]);
        let mut page = String::new();
        write_table(&mut page, &table).expect("writing to a string cannot fail");
        assert!(
            page.contains("<td>&lt;script&gt;</td><td class=\"number\">1</td>"),
            "{page}"
        );
        assert!(page.contains("a&lt;b"));
        let mut none = String::new();
        write_table(&mut none, &Table::new(&["a"])).expect("writing to a string cannot fail");
        assert_eq!(none, "");
    }
}
