//! TEDS: similarity of tables by the edit distance of trees (Zhong, ShafieiBavani and Jimeno Yepes
//! 2020, "Image-based table recognition: data, model, and evaluation", section 5).
//!
//! A table is a tree of rows with cells, as in the paper. A cell costs 1 if its spans differ, else
//! the normalized edit distance of the texts. The paper tells header rows by `thead`; here a row is
//! a header or not, because Markdown knows header rows only, and a difference costs 1 for the row.
//! Captions, which the paper does not have, are nodes with text.

use super::tree::{self, Tree, text_similarity};

/// A node of the tree of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TableNode {
    /// The table.
    Table,
    /// Its caption.
    Caption(String),
    /// A row.
    Row {
        /// Whether it is a header row.
        is_header: bool,
    },
    /// A cell.
    Cell {
        /// Number of columns and rows that it spans.
        spans: (u32, u32),
        /// Its text.
        text: String,
    },
}

/// Whether texts count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    /// Rows, cells and their texts.
    Texts,
    /// Rows and cells only.
    Structure,
}

/// TEDS of the tables of a page, 0 to 1; `None` if there are no tables in both. Tables are matched
/// in order so that the sum of their similarities is largest; the sum is divided by the number of
/// tables of the document that has more.
pub(super) fn score(
    output: &[Tree<TableNode>],
    gold: &[Tree<TableNode>],
    compared: Compared,
) -> Option<f64> {
    let most = output.len().max(gold.len());
    (most > 0).then(|| matched(output, gold, compared) / most as f64)
}

/// The largest sum of similarities of tables matched in order.
fn matched(output: &[Tree<TableNode>], gold: &[Tree<TableNode>], compared: Compared) -> f64 {
    let mut sums = vec![0.0; gold.len() + 1];
    for table in output {
        let mut corner = 0.0;
        for (index, wanted) in gold.iter().enumerate() {
            let found = similarity(table, wanted, compared);
            let best = f64::max(corner + found, f64::max(sums[index], sums[index + 1]));
            corner = std::mem::replace(&mut sums[index + 1], best);
        }
    }
    sums.last().copied().unwrap_or(0.0)
}

fn similarity(one: &Tree<TableNode>, other: &Tree<TableNode>, compared: Compared) -> f64 {
    let text_cost = |one: &str, other: &str| match compared {
        Compared::Texts => 1.0 - text_similarity(one, other),
        Compared::Structure => 0.0,
    };
    tree::similarity(one, other, |one, other| match (one, other) {
        (TableNode::Table, TableNode::Table) => 0.0,
        (TableNode::Caption(one), TableNode::Caption(other)) => text_cost(one, other),
        (TableNode::Row { is_header: one }, TableNode::Row { is_header: other }) => {
            f64::from(u8::from(one != other))
        }
        (
            TableNode::Cell { spans, text },
            TableNode::Cell {
                spans: others,
                text: other,
            },
        ) if spans == others => text_cost(text, other),
        _ => 1.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::structure::markdown::read_markdown;
    use crate::evaluate::structure::reader::Base;

    fn compare(output: &str, gold: &str, compared: Compared) -> Option<f64> {
        let tables = |markdown: &str| read_markdown(markdown, &Base::default()).tables;
        score(&tables(output), &tables(gold), compared)
    }

    fn teds(output: &str, gold: &str) -> f64 {
        compare(output, gold, Compared::Texts).unwrap_or(f64::NAN)
    }

    const GOLD: &str = "| bird | eggs |\n|---|---|\n| gull | 3 |\n| tern | 2 |\n";

    #[test]
    fn values_by_hand() {
        // Ten nodes: the table, three rows, six cells.
        assert!((teds(GOLD, GOLD) - 1.0).abs() < 1e-12);
        // One of four letters of one cell.
        assert!((teds(&GOLD.replace("gull", "bull"), GOLD) - (1.0 - 0.25 / 10.0)).abs() < 1e-12);
        assert_eq!(
            compare(&GOLD.replace("gull", "bull"), GOLD, Compared::Structure),
            Some(1.0)
        );
        // A row with its two cells is lost.
        assert!((teds(&GOLD.replace("| tern | 2 |\n", ""), GOLD) - 0.7).abs() < 1e-12);
        // A header row that is an ordinary one.
        let plain = GOLD.replace(
            "| bird | eggs |\n|---|---|\n",
            "| | |\n|---|---|\n| bird | eggs |\n",
        );
        assert!((teds(&plain, GOLD) - 0.9).abs() < 1e-12);
        // No table at all.
        assert_eq!(compare("bird, eggs", GOLD, Compared::Texts), Some(0.0));
        assert_eq!(compare("bird", "eggs", Compared::Texts), None);
    }

    #[test]
    fn tables_of_html_are_the_same_tables() {
        let html = "<table><tr><th>bird</th><th>eggs</th></tr><tr><td>gull</td><td>3</td></tr>\
                    <tr><td>tern</td><td>2</td></tr></table>\n";
        assert!((teds(html, GOLD) - 1.0).abs() < 1e-12);
        let spanned = html.replace("<td>3</td>", "<td rowspan=\"2\">3</td>");
        assert!((teds(&spanned, GOLD) - 0.9).abs() < 1e-12);
        // A caption is an eleventh node.
        let captioned = html.replace("<table>", "<table><caption>Nests</caption>");
        assert!((teds(&captioned, GOLD) - (1.0 - 1.0 / 11.0)).abs() < 1e-12);
    }

    #[test]
    fn several_tables_are_matched_in_order() {
        let other = "| fish | depth |\n|---|---|\n| cod | 200 |\n";
        let both = format!("{GOLD}\n{other}");
        assert!((teds(&both, &both) - 1.0).abs() < 1e-12);
        assert!((teds(other, &both) - 0.5).abs() < 1e-12);
        assert!((teds(&both, other) - 0.5).abs() < 1e-12);
        // Crossing matches are not allowed.
        let crossed = teds(&format!("{other}\n{GOLD}"), &both);
        assert!((0.5..0.9).contains(&crossed), "{crossed}");
    }
}
