//! Trains `density-lm`: one language model for the lines to keep, and one for those to discard (Pal
//! 2009).

use super::gold_page::{GoldPage, LearnOptions, Learned};
use crate::method::density_lm::{Counter, DensityModel, Line, filter, lines};
use crate::method::model_file;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write;
use vclean_core::classify::Label;
use vclean_core::error::ModelError;

/// Share of the pages for training; the others are for testing (Pal 2009).
const LEARNED_SHARE: f64 = 0.9;

/// Maximum number of characters counted per page and kind of line, so that no page dominates.
/// Heuristic: the length of a long article.
const MAX_CHARS: usize = 30_000;

/// Maximum number of n-grams of a model; the rarest are left out, because with all n-grams the file
/// has tens of megabytes.
const MAX_GRAMS: usize = 350_000;

/// Minimum counts of an n-gram that are tried, in ascending order.
const AT_LEAST: [u32; 9] = [1, 2, 3, 6, 12, 24, 48, 96, 192];

/// A line with its label.
type Labelled = (Line, bool);

pub(super) fn learn(
    pages: &[GoldPage],
    options: &LearnOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Learned, ModelError> {
    let labelled: Vec<Vec<Labelled>> = pages.par_iter().map(label).collect();
    let is_learned = learned_sites(pages, options.seed);
    let learned = || {
        labelled
            .iter()
            .zip(&is_learned)
            .filter(|(_, learned)| **learned)
            .map(|(page, _)| page)
    };
    let tested: Vec<&Labelled> = labelled
        .iter()
        .zip(&is_learned)
        .filter(|(_, learned)| !**learned)
        .flat_map(|(page, _)| page)
        .collect();
    let (mut keep, mut discard) = (Counter::default(), Counter::default());
    let mut counts = [0u32; 2];
    for (number, page) in learned().enumerate() {
        let mut left = [MAX_CHARS; 2];
        for (line, is_kept) in page {
            counts[usize::from(*is_kept)] += 1;
            let left = &mut left[usize::from(*is_kept)];
            let text: String = line.text.chars().take(*left).collect();
            *left -= text.chars().count();
            if *is_kept {
                keep.count(&text);
            } else {
                discard.count(&text);
            }
        }
        if number % 100 == 99 {
            progress(&format!("{} pages counted", number + 1));
        }
    }
    if counts.contains(&0) {
        return Err(ModelError::Training(format!(
            "{} lines to keep and {} to discard have enough text; name sets with pages that have both",
            counts[1], counts[0]
        )));
    }
    let made = |at_least| DensityModel {
        keep: keep.model(at_least),
        discard: discard.model(at_least),
        kept_lines: counts[1],
        discarded_lines: counts[0],
    };
    let taken = AT_LEAST
        .iter()
        .position(|&at_least| grams(&made(at_least)) <= MAX_GRAMS);
    let taken = taken.unwrap_or(AT_LEAST.len() - 1);
    let mut report = format!(
        "{} pages, {} learned from: {} lines to keep, {} to discard; {} lines of the other pages to test on\n",
        pages.len(),
        learned().count(),
        counts[1],
        counts[0],
        tested.len()
    );
    report.push_str(&table(&tested, taken, &made));
    let model = made(AT_LEAST[taken]);
    Ok(Learned {
        bytes: model_file::to_bytes("density-lm", &options.provenance, &model),
        report,
    })
}

/// Number of n-grams of both models.
fn grams(model: &DensityModel) -> usize {
    model.keep.grams() + model.discard.grams()
}

/// Error rates of models with more and with fewer n-grams than the chosen one, on the lines of
/// other sites.
fn table(tested: &[&Labelled], taken: usize, made: &impl Fn(u32) -> DensityModel) -> String {
    let mut report = "n-grams at least  number of n-grams  error rate  all kept\n".to_owned();
    let near = taken.saturating_sub(1)..=taken + 1;
    for (place, &at_least) in AT_LEAST
        .iter()
        .enumerate()
        .filter(|(place, _)| near.contains(place))
    {
        let model = made(at_least);
        let _ = writeln!(
            report,
            "{:16}  {:17}  {:8.2} %  {:6.2} %{}",
            at_least,
            grams(&model),
            100.0 * error_rate(tested, |text| model.log_odds(text) > 0.0),
            100.0 * error_rate(tested, |_| true),
            if place == taken { "  taken" } else { "" }
        );
    }
    report
}

/// The lines of a page that are mostly text, labelled by the markers of a template if there are
/// any, otherwise by the gold.
fn label(page: &GoldPage) -> Vec<Labelled> {
    let source = page.source();
    let lines = filter(lines(&source));
    if lines.iter().any(|line| line.is_marked.is_some()) {
        return lines
            .into_iter()
            .map(|line| (line.is_marked == Some(true), line))
            .map(|(kept, line)| (line, kept))
            .collect();
    }
    let texts: Vec<String> = lines
        .iter()
        .map(|line| html_escape::decode_html_entities(&line.text).into_owned())
        .collect();
    let labels = page.label(&texts).labels;
    lines
        .into_iter()
        .zip(labels)
        .filter_map(|(line, label)| Some((line, label? == Label::Content)))
        .collect()
}

/// Selects the sites for training: one flag per page, equal for all pages of a site.
fn learned_sites(pages: &[GoldPage], seed: u64) -> Vec<bool> {
    let sites: BTreeSet<&str> = pages.iter().map(|page| page.site.as_str()).collect();
    let mut sites: Vec<&str> = sites.into_iter().collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut sites);
    // If there are two sites, at least one is for testing.
    let count = ((sites.len() as f64 * LEARNED_SHARE) as usize).max(1);
    let learned: BTreeSet<&str> = sites.into_iter().take(count).collect();
    pages
        .iter()
        .map(|page| learned.contains(page.site.as_str()))
        .collect()
}

/// Share of the lines that are classified wrongly; 0 for no lines.
fn error_rate(lines: &[&Labelled], keeps: impl Fn(&str) -> bool + Sync) -> f64 {
    let wrong = lines
        .par_iter()
        .filter(|(line, is_kept)| keeps(&line.text) != *is_kept)
        .count();
    wrong as f64 / lines.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::samples::gold_page;
    use super::*;

    fn pages() -> Vec<GoldPage> {
        let page = |number: usize| {
            let text = format!(
                "On island {number} the gulls of the sea drop the mussels on the rocks and eat them there. "
            );
            let code = format!(
                "if (window.x{number}) {{ window.y({{a: {number}, b: 'c', d: window.z()}}); return; }} else {{}}\n"
            );
            let html = format!(
                "<p>{text}</p>\n<script>\n{}</script>\n<p>{text}</p>",
                code.repeat(3)
            );
            gold_page(
                &format!("site{number}.example"),
                &html,
                &format!("{text}\n{text}"),
            )
        };
        (0..20).map(page).collect()
    }

    #[test]
    fn lines_of_other_sites_are_classified() {
        let options = LearnOptions {
            seed: 1,
            provenance: "x".into(),
        };
        let learned = learn(&pages(), &options, &|_| ()).unwrap();
        let (model, _): (DensityModel, String) =
            model_file::from_bytes("density-lm", &learned.bytes).unwrap();
        assert!(model.log_odds("the gulls of another island drop the mussels on the rocks") > 0.0);
        assert!(model.log_odds("window.q({a: 3, b: 'c'}); return;") < 0.0);
        assert!(
            learned
                .report
                .contains("18 learned from: 36 lines to keep, 54 to discard"),
            "{}",
            learned.report
        );
        assert!(
            learned.report.contains("0.00 %   60.00 %  taken"),
            "{}",
            learned.report
        );
        assert_eq!(learn(&pages(), &options, &|_| ()).unwrap(), learned);
    }

    #[test]
    fn markers_of_a_template_label_the_lines() {
        let line = format!("<p>{}</p>\n", "some words of text ".repeat(5));
        let html = format!("{line}<!-- content -->\n{line}<!-- /content -->\n");
        let labels: Vec<bool> = label(&gold_page("a", &html, "nothing of this"))
            .into_iter()
            .map(|(_, kept)| kept)
            .collect();
        assert_eq!(labels, [false, true]);
    }

    #[test]
    fn one_kind_alone_cannot_be_learned() {
        let html = format!("<p>{}</p>", "some words of text ".repeat(5));
        let error = learn(
            &[gold_page("a", &html, &html)],
            &LearnOptions {
                seed: 1,
                provenance: String::new(),
            },
            &|_| (),
        );
        assert!(error.unwrap_err().to_string().contains("0 to discard"));
    }
}
