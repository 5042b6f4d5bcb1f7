//! The comparison of methods as a Markdown page: how it was made, a plot, one table per set,
//! published figures and ours.

use crate::compare::published::beside;
use crate::compare::ranking::SideBySide;
use crate::method::methods;
use std::fmt::Write;
use vclean_lab::evaluate::Table;

/// Writes the page; `command` is the command that makes it, `plot` the name of the picture next to
/// it.
pub fn markdown(sets: &[SideBySide], command: &str, plot: &str) -> String {
    let mut page = format!(
        "# Methods side by side\n\n\
         Every method on the same pages, against the same gold text, by the same scorer. Made by\n\n    {command}\n\n\
         P, R, F: words by alignment (difflib without autojunk; characters for Chinese and Japanese), mean over pages, and \
         the median of F; bag F: bags of words; shingle F: 4-grams of words; CLEANEVAL text and combined: its official \
         score, the second where the gold has marks; snippets F: pooled; block acc, block F: the method's own blocks \
         against labels aligned from the gold, content as the positive class; ms: median time a page, one thread, from the \
         decoded page to text, parsing included, or from a kept capture, rendering not included. Models were trained on the \
         `train` splits, on other sites than these pages.\n\n\
         F < .5 and F < .8: share of pages with a word F under that, which is where a page went wrong as a whole or in large \
         parts. In parentheses: the interval that holds 95 % of 1,000 resamples of the sites (cluster bootstrap, Field and \
         Welsh 2007), none for fewer than five sites and where no page differs. The last table of a set has the figures of the first method minus \
         those of each other one on the same pages, with intervals of the difference; other sites of the same kind would \
         most likely show a difference whose interval is without 0.\n\n\
         Options of vclean are chosen on held-out sites of `train`, not on these pages; models/MODELS.md names the \
         exceptions.\n\n\
         ![Precision against recall, a point a method]({plot})\n"
    );
    for set in sets {
        let _ = write!(
            page,
            "\n## {} ({}, {} pages)\n\n{}",
            set.set,
            set.split,
            set.pages,
            table(&set.table())
        );
        for intervals in set.interval_tables() {
            let _ = write!(page, "\n{}", table(&intervals));
        }
    }
    let published = beside(sets);
    if !published.is_empty() {
        let mut rows = Table::new(&[
            "method",
            "figure",
            "published",
            "ours",
            "published on",
            "ours on",
            "source",
        ]);
        for (published, ours) in published {
            let show = |value: f64| {
                if value > 1.0 {
                    format!("{value:.1}")
                } else {
                    format!("{value:.3}")
                }
            };
            rows.push(vec![
                published.method.to_owned(),
                published.figure.to_owned(),
                show(published.value),
                show(ours),
                published.data.to_owned(),
                published.set.to_owned(),
                published.source.to_owned(),
            ]);
        }
        let _ = write!(
            page,
            "\n## Published figures beside ours\n\n{}\n{DIFFERENCES}",
            table(&rows)
        );
    }
    page.push_str("\n## The methods\n\n");
    let mut rows = Table::new(&["method", "what it does", "source"]);
    for method in methods() {
        rows.push(vec![
            method.name.to_owned(),
            method.about.to_owned(),
            method.source.to_owned(),
        ]);
    }
    page.push_str(&table(&rows));
    page
}

/// Why published figures and ours differ.
const DIFFERENCES: &str = include_str!("differences.md");

/// A table in Markdown; the first column is text, columns of numbers are right-aligned.
fn table(table: &Table) -> String {
    let is_number = |column: usize| {
        table.rows.iter().all(|row| {
            row.get(column)
                .is_none_or(|cell| cell.is_empty() || cell.parse::<f64>().is_ok())
        })
    };
    let line = |cells: &[String]| {
        format!(
            "| {} |\n",
            cells
                .iter()
                .map(|cell| escaped(cell))
                .collect::<Vec<_>>()
                .join(" | ")
        )
    };
    let marks: Vec<String> = (0..table.columns.len())
        .map(|column| if is_number(column) { "--:" } else { "---" }.to_owned())
        .collect();
    let mut text = line(&table.columns) + &line(&marks);
    for row in &table.rows {
        text.push_str(&line(row));
    }
    text
}

fn escaped(cell: &str) -> String {
    cell.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ranking::samples::sample;

    #[test]
    fn the_page_has_one_table_per_set_and_published_figures() {
        let page = markdown(
            &[sample()],
            "vclean lab evaluate toy --methods all",
            "plot.svg",
        );
        assert!(
            page.contains("    vclean lab evaluate toy --methods all\n")
                && page.contains("](plot.svg)")
        );
        assert!(page.contains("## toy (dev, 1 pages)\n\n| method | P | R | F |"));
        assert!(
            page.contains("| dump minus | words | words F < .5 |")
                && page.contains("| dump | 0.667 | 0.000 | 1.000 |")
        );
        assert!(
            page.contains("| dump | 0.500 | 1.000 | 0.667 |") && page.contains("| --- | --: |")
        );
        assert!(!page.contains("Published figures"), "none is of this set");
        let page = markdown(
            &[SideBySide {
                set: "cleaneval_en".into(),
                ..sample()
            }],
            "x",
            "y",
        );
        assert!(page.contains("| ice-tree | text-only | 57.3 |"), "{page}");
    }

    #[test]
    fn bars_do_not_break_a_table() {
        let mut rows = Table::new(&["a"]);
        rows.push(vec!["x | y".into()]);
        assert_eq!(table(&rows), "| a |\n| --- |\n| x \\| y |\n");
    }
}
