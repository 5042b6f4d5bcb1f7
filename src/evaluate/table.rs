//! Plain-text tables with aligned columns, for reports on a terminal.

use crate::gold::words::is_cjk;
use std::fmt::Write;

/// Plain text in columns: the first flush left, the others flush right.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Names over the columns.
    pub columns: Vec<String>,
    /// Cells, one vector a row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        Self { columns: columns.iter().map(|&name| name.to_owned()).collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells stay empty.
    pub fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as aligned lines, each ended by a line break.
    pub fn to_text(&self) -> String {
        let width = |text: &str| text.chars().map(|c| if is_cjk(c) { 2 } else { 1 }).sum::<usize>();
        let lines = || std::iter::once(&self.columns).chain(&self.rows);
        let mut widths = vec![0; lines().map(Vec::len).max().unwrap_or(0)];
        for line in lines() {
            for (column, cell) in line.iter().enumerate() {
                widths[column] = widths[column].max(width(cell));
            }
        }
        let mut text = String::new();
        for line in lines() {
            let mut row = String::new();
            for (column, cell) in line.iter().enumerate() {
                let space = " ".repeat(widths[column] - width(cell));
                if column == 0 {
                    row = format!("{cell}{space}");
                } else {
                    let _ = write!(row, "  {space}{cell}");
                }
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["name", "n"]);
        table.push(vec!["a".into(), "10".into()]);
        table.push(vec!["longer".into(), "2".into()]);
        assert_eq!(table.to_text(), "name     n\na       10\nlonger   2\n");
    }
}
