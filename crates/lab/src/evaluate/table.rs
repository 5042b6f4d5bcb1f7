//! Plain-text tables with aligned columns, for reports on a terminal.

use comfy_table::{CellAlignment, presets};

/// Plain text in columns: the first left-aligned, the others right-aligned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells, one vector per row.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table with these columns.
    pub fn new(columns: &[&str]) -> Self {
        Self {
            columns: columns.iter().map(|&name| name.to_owned()).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row; missing cells stay empty.
    pub fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as aligned lines, each ended by a line break.
    pub fn to_text(&self) -> String {
        let mut table = comfy_table::Table::new();
        table
            .load_style(presets::NOTHING)
            .set_header(&self.columns)
            .add_rows(&self.rows);
        for (index, column) in table.column_iter_mut().enumerate() {
            if index == 0 {
                column.set_padding((0, 0));
            } else {
                column
                    .set_padding((2, 0))
                    .set_cell_alignment(CellAlignment::Right);
            }
        }
        table.trim_fmt() + "\n"
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
        table.push(vec!["漢字のe\u{301}".into()]);
        table.push(vec![String::new(), "3".into(), "x".into()]);
        assert_eq!(
            table.to_text(),
            "name      n\na        10\nlonger    2\n漢字のe\u{301}\n          3  x\n"
        );
    }
}
