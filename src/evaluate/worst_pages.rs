//! The pages that went worst, for people who look at why.

use super::metrics::{Counts, PageScore, SnippetCounts};
use super::table::Table;

/// The `count` pages with the lowest F as a table, worst first; `None` for none. Words are characters on Chinese and
/// Japanese pages; on a page with snippets only, precision, recall and F are those of its snippets.
pub fn worst_pages(scores: &[PageScore], count: usize) -> Option<Table> {
    let worst: Vec<&PageScore> = PageScore::worst_first(scores).into_iter().take(count).collect();
    let has_type = worst.iter().any(|page| page.page_type.is_some());
    let mut names = vec!["worst pages"];
    names.extend(has_type.then_some("page type"));
    names.extend(["F", "P", "R", "words kept", "words of gold"]);
    let mut table = Table::new(&names);
    for page in worst {
        let mut cells = vec![page.id.clone()];
        cells.extend(has_type.then(|| page.page_type.clone().unwrap_or_default()));
        let score = page.words.map(Counts::score).or_else(|| page.snippets.map(SnippetCounts::score));
        let score = score.unwrap_or_default();
        cells.extend([score.f1, score.precision, score.recall].map(|value| format!("{value:.3}")));
        if let Some(Counts { true_positive, false_positive, false_negative }) = page.words {
            cells.extend(
                [true_positive + false_positive, true_positive + false_negative].map(|words| words.to_string()),
            );
        }
        table.push(cells);
    }
    (!table.rows.is_empty()).then_some(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::metrics::{Output, score_page_in_brief};
    use crate::evaluate::page::samples::row;
    use crate::gold::{Gold, Snippets};

    #[test]
    fn the_worst_pages_come_with_their_type_and_words() {
        let gold = Gold { text: Some("a b".into()), ..Gold::default() };
        let page = |id: &str, text: &str| {
            let mut row = row(id);
            row.page_type = Some(format!("type of {id}"));
            score_page_in_brief(&row, Some(Output { text, ..Output::default() }), &gold)
        };
        let pages = [page("good", "a b"), page("long", "a b c d e f g h"), page("empty", "")];
        let table = worst_pages(&pages, 2).unwrap();
        assert_eq!(table.columns, ["worst pages", "page type", "F", "P", "R", "words kept", "words of gold"]);
        assert_eq!(table.rows[0][..3], ["empty", "type of empty", "0.000"]);
        assert_eq!(table.rows[1], ["long", "type of long", "0.400", "0.250", "1.000", "8", "2"]);
        assert_eq!(worst_pages(&pages, 0), None);
    }

    #[test]
    fn pages_with_snippets_only_have_no_words() {
        let gold =
            Gold { snippets: Some(Snippets { with: vec!["a".into()], without: vec!["b".into()] }), ..Gold::default() };
        let page = score_page_in_brief(&row("1"), Some(Output { text: "a", ..Output::default() }), &gold);
        assert_eq!(worst_pages(&[page], 1).unwrap().rows, [["1", "1.000", "1.000", "1.000"]]);
    }
}
