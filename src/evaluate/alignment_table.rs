//! What `vclean align` prints: one table per set, and the worst pages with the gold that is in no content block.

use super::agreement::kappa;
use super::alignment::{AlignedPage, AlignedSet};
use super::metrics::{BlockScore, mean};
use super::table::Table;
use crate::text;
use std::fmt::Write;

/// Characters of a segment that are quoted.
const QUOTED_CHARS: usize = 70;
/// Segments quoted of one page.
const QUOTED: usize = 8;
/// FIASCO called an alignment relatively good from this share of found segments on (section 5.1).
const GOOD_SHARE: f64 = 0.8;

/// The figures of a set, then its `worst` worst aligned pages.
pub fn report(set: &AlignedSet, worst: usize) -> String {
    format!("{}{}\n", figures(&set.name, &set.pages, set.left_out), page_lines(&set.pages, worst))
}

/// The figures of a set; `left_out` pages of it were left out for their alignment.
fn figures(set: &str, pages: &[AlignedPage], left_out: usize) -> String {
    let mut text = coverage_table(set, pages).to_text();
    let count = |is: &dyn Fn(&AlignedPage) -> bool| pages.iter().filter(|page| is(page)).count();
    let all = count(&|page| page.coverage.missing.is_empty());
    let good = count(&|page| page.coverage.segments_found() >= GOOD_SHARE) - all;
    let _ = writeln!(
        text,
        "gold segments in content blocks: all on {all} pages, {GOOD_SHARE} or more on {good}, fewer on {} (FIASCO: a third each)",
        pages.len() - all - good
    );
    let _ = writeln!(text, "bad pages: {}", count(&|page| page.quality.is_bad));
    if left_out > 0 {
        let _ = writeln!(text, "left out as worst aligned: {left_out}");
    }
    text.push_str(&human_table(pages));
    text
}

/// Sums and means over the pages of a set, in one row.
fn coverage_table(set: &str, pages: &[AlignedPage]) -> Table {
    let sum = |of: fn(&AlignedPage) -> usize| pages.iter().map(of).sum::<usize>().to_string();
    let share = |of: fn(&AlignedPage) -> f64| {
        format!("{:.3}", if pages.is_empty() { 0.0 } else { mean(&pages.iter().map(of).collect::<Vec<_>>()) })
    };
    let mut table = Table::new(&[
        set,
        "targets",
        "content",
        "boilerplate",
        "unlabelled",
        "gold found",
        "content is gold",
        "Dice",
        "F",
    ]);
    table.push(vec![
        format!("{} pages", pages.len()),
        sum(|page| page.coverage.targets()),
        sum(|page| page.coverage.content),
        sum(|page| page.coverage.boilerplate),
        sum(|page| page.coverage.unlabelled),
        share(|page| page.coverage.found),
        share(|page| page.coverage.gold),
        share(|page| page.coverage.dice),
        share(|page| page.quality.oracle.f1),
    ]);
    table
}

/// How well each alignment agrees with the human's labels; empty if there are none.
fn human_table(pages: &[AlignedPage]) -> String {
    let Some(first) = pages.iter().find(|page| !page.human.is_empty()) else { return String::new() };
    let mut table =
        Table::new(&["against human labels", "pages", "targets", "accuracy", "kappa", "content P", "R", "F"]);
    for (place, (name, _)) in first.human.iter().enumerate() {
        let scores: Vec<BlockScore> =
            pages.iter().filter_map(|page| page.human.get(place).map(|(_, score)| *score)).collect();
        let sum = scores.iter().fold(BlockScore::default(), |sum, score| sum.plus(*score));
        let content = sum.score();
        let mut cells = vec![(*name).to_owned(), scores.len().to_string(), sum.blocks().to_string()];
        cells.extend(
            [sum.accuracy(), kappa(sum), content.precision, content.recall, content.f1]
                .map(|value| format!("{value:.4}")),
        );
        table.push(cells);
    }
    table.to_text()
}

/// The `count` worst aligned pages, worst first, each with the segments of its gold that are in no content block.
fn page_lines(pages: &[AlignedPage], count: usize) -> String {
    let mut order: Vec<&AlignedPage> = pages.iter().collect();
    order.sort_by(|one, other| {
        one.quality.oracle.f1.total_cmp(&other.quality.oracle.f1).then_with(|| one.id.cmp(&other.id))
    });
    let mut text = String::new();
    for page in order.into_iter().take(count) {
        let coverage = &page.coverage;
        let _ = writeln!(
            text,
            "\n{}: {} targets, {} content, {} boilerplate, {} unlabelled; gold found {:.3}, content is gold {:.3}, Dice {:.3}, F {:.3}",
            page.id,
            coverage.targets(),
            coverage.content,
            coverage.boilerplate,
            coverage.unlabelled,
            coverage.found,
            coverage.gold,
            coverage.dice,
            page.quality.oracle.f1
        );
        if let Some(trouble) = &page.trouble {
            let _ = writeln!(text, "  bad: {trouble}");
        }
        for (name, score) in &page.human {
            let _ = writeln!(text, "  {name} against the human: {:.3} of {} targets", score.accuracy(), score.blocks());
        }
        if !coverage.missing.is_empty() {
            let _ = writeln!(
                text,
                "  gold in no content block, {} of {} segments:",
                coverage.missing.len(),
                coverage.segments
            );
        }
        for segment in coverage.missing.iter().take(QUOTED) {
            let _ = writeln!(text, "    \"{}\"", shortened(segment));
        }
        if coverage.missing.len() > QUOTED {
            let _ = writeln!(text, "    and {} more", coverage.missing.len() - QUOTED);
        }
    }
    text
}

fn shortened(segment: &str) -> String {
    text::shorten(&text::collapse(segment), QUOTED_CHARS, QUOTED_CHARS, "...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_segments_are_cut_at_a_character() {
        assert_eq!(shortened("  a\n b "), "a b");
        assert_eq!(shortened(&"字".repeat(QUOTED_CHARS + 1)), format!("{}...", "字".repeat(QUOTED_CHARS)));
    }

    #[test]
    fn a_set_without_pages_has_a_table() {
        assert!(figures("none", &[], 0).contains("0 pages"));
        assert_eq!(page_lines(&[], 3), "");
    }
}
