//! Trains the perceptron of texrex on gold text (Schäfer 2013, section 3), and measures it by folds
//! of sites.
//!
//! The paper has one page per host; our sets have many pages of some sites, so a page gives at most
//! [`SampleOptions::of_page`] rows and folds are by site. The snapshot with the lowest training
//! error is used, as there.

use super::gold_page::{GoldPage, LearnOptions, Learned};
pub(crate) use super::texrex_folds::Sampled;

use super::texrex_folds::{Folds, crossvalidate};
use crate::method::model_file;
use crate::method::texrex::{NAME, Texrex, blocks, measure};
use crate::mlp::{self, CurvePoint, MlpOptions};
use ndarray::ArrayView2;
use rayon::prelude::*;
use std::fmt::Write as _;
use vclean_core::classify::PageShape;
use vclean_core::error::ModelError;
use vclean_lab::evaluate::Table;
use vclean_lab::train::sample::{SampleOptions, TrainingPage, draw, folds, gather};

/// How texrex is trained and measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TexrexOptions {
    /// How training blocks are drawn.
    pub sample: SampleOptions,
    /// How the perceptron is trained.
    pub mlp: MlpOptions,
    /// Folds by site, at least 2.
    pub folds: usize,
}

impl Default for TexrexOptions {
    /// 60,000 blocks, 3,000 epochs, a snapshot every 100. Chosen on dev by the mean word F over
    /// `styled`, `canola`, `wcxb` and `scrapinghub`: .877 (.872 after 1,000 epochs, .875 after
    /// 300). With the paper's number of blocks it soon overfits: .874 after 300 epochs, .868 after
    /// 3,000, .858 after 20,000.
    fn default() -> Self {
        let sample = SampleOptions {
            total: 60_000,
            ..SampleOptions::default()
        };
        let mlp = MlpOptions {
            epochs: 3_000,
            snapshot_every: 100,
            ..MlpOptions::default()
        };
        Self {
            sample,
            mlp,
            folds: 10,
        }
    }
}

impl TexrexOptions {
    /// The paper's 9,917 blocks, 50,000 epochs, and a snapshot every 1,000.
    pub(crate) fn paper() -> Self {
        let sample = SampleOptions {
            total: 9_917,
            ..Self::default().sample
        };
        Self {
            sample,
            mlp: MlpOptions::default(),
            folds: 10,
        }
    }

    /// For the table of classifiers: the paper's number of blocks, our number of epochs.
    pub(crate) fn table() -> Self {
        Self {
            sample: Self::paper().sample,
            ..Self::default()
        }
    }

    /// Sets the seed of all random draws.
    #[must_use]
    pub(crate) fn seeded(mut self, seed: u64) -> Self {
        self.sample.seed = seed;
        self.mlp.seed = seed;
        self
    }
}

/// Measures and labels the blocks of all pages; pages that do not match their gold are left out.
fn training_pages(pages: &[GoldPage]) -> Vec<TrainingPage> {
    let page = |page: &GoldPage| {
        let blocks = blocks(&page.capture.dom);
        let rows = measure(&page.capture.dom, &page.source(), &blocks);
        let texts: Vec<String> = blocks.into_iter().map(|block| block.text).collect();
        let labelling = page.label(&texts);
        let shape = PageShape {
            lengths: vec![1; texts.len()],
            groups: vec![[0, 0]; texts.len()],
        };
        let labels = labelling.labels;
        let engine = page.capture.record.engine;
        let (set, site, comments) = (page.set.clone(), page.site.clone(), labelling.comments);
        let (is_whole, kind) = (true, None);
        let made = TrainingPage {
            set,
            site,
            rows,
            labels,
            comments,
            shape,
            engine,
            is_whole,
            kind,
        };
        (!labelling.quality.is_bad).then_some(made)
    };
    pages
        .par_iter()
        .map(page)
        .collect::<Vec<_>>()
        .into_iter()
        .flatten()
        .collect()
}

/// Draws blocks evenly from pages and divides them into folds by site.
///
/// # Errors
/// If there are fewer sites than folds.
pub(crate) fn sample(pages: &[GoldPage], options: &TexrexOptions) -> Result<Sampled, ModelError> {
    let pages = training_pages(pages);
    let pages: Vec<&TrainingPage> = pages.iter().collect();
    let fold_of_page = folds(&pages, options.folds, options.sample.seed)?;
    let places = draw(&pages, &options.sample);
    let matrices: Vec<ArrayView2<'_, f32>> = pages.iter().map(|page| page.rows.view()).collect();
    let (rows, is_content) = gather(&pages, &matrices, &places);
    let mut drawn: Vec<usize> = places.iter().map(|place| place.page).collect();
    drawn.dedup();
    let mut sites: Vec<&str> = drawn
        .iter()
        .map(|&page| pages[page].site.as_str())
        .collect();
    sites.sort_unstable();
    sites.dedup();
    let fold_of = places
        .iter()
        .map(|place| fold_of_page[place.page])
        .collect();
    Ok(Sampled {
        rows,
        is_content,
        fold_of,
        pages: drawn.len(),
        sites: sites.len(),
    })
}

/// Trains with the default options.
pub(crate) fn learn(
    pages: &[GoldPage],
    options: &LearnOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Learned, ModelError> {
    learn_with(
        pages,
        &options.provenance,
        &TexrexOptions::default().seeded(options.seed),
        progress,
    )
}

/// Trains, and measures by folds; reports its steps, one line each.
///
/// # Errors
/// If an option is out of range or there are too few blocks.
pub(crate) fn learn_with(
    pages: &[GoldPage],
    provenance: &str,
    options: &TexrexOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Learned, ModelError> {
    options.mlp.check()?;
    progress("measuring and labelling blocks");
    let sampled = sample(pages, options)?;
    progress(&format!("training on {} blocks", sampled.is_content.len()));
    let on_snapshot = |point: &CurvePoint| {
        if point
            .epoch
            .is_multiple_of(options.mlp.snapshot_every.saturating_mul(10))
        {
            progress(&format!(
                "epoch {}: training error {:.5}",
                point.epoch, point.training
            ));
        }
    };
    let trained = mlp::fit(
        sampled.rows.view(),
        &sampled.is_content,
        None,
        &options.mlp,
        &on_snapshot,
    )?;
    let folds = crossvalidate(&sampled, &options.mlp, progress)?;
    let report = report(&sampled, &trained.curve, trained.epoch, &folds);
    Ok(Learned {
        bytes: model_file::to_bytes(NAME, provenance, &Texrex { mlp: trained.mlp }),
        report,
    })
}

/// Maximum number of lines in the table of the error curve.
const CURVE_LINES: usize = 25;

fn report(sampled: &Sampled, curve: &[CurvePoint], epoch: u32, folds: &Folds) -> String {
    let boilerplate = sampled
        .is_content
        .iter()
        .filter(|content| !**content)
        .count();
    let blocks = sampled.is_content.len();
    let mut report = format!(
        "{blocks} blocks of {} pages of {} sites; {:.1} % are boilerplate\n\n",
        sampled.pages,
        sampled.sites,
        100.0 * boilerplate as f64 / blocks as f64
    );
    let every = curve.len().div_ceil(CURVE_LINES);
    let testing = folds.mean_curve();
    let cells = |(number, point): (usize, &CurvePoint)| {
        let (training, testing) = testing.get(number).copied().unwrap_or_default();
        vec![
            point.epoch.to_string(),
            format!("{:.5}", point.training),
            format!("{training:.5}"),
            format!("{testing:.5}"),
        ]
    };
    let last = curve.len() - 1;
    let shown = curve
        .iter()
        .enumerate()
        .filter(|(number, _)| (number + 1) % every == 0 || *number == last);
    let _ = writeln!(
        report,
        "Mean square error as FANN reports it; the model is that of epoch {epoch}\n"
    );
    let mut table = Table::new(&[
        "epoch",
        "all blocks",
        "folds, training",
        "folds, validation",
    ]);
    shown.map(cells).for_each(|row| table.push(row));
    report.push_str(&table.to_text());
    report.push('\n');
    report.push_str(&folds.report());
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method::model_file;
    use vclean_core::page::{Body, Page, parse};
    use vclean_lab::gold::TokenUnit;

    /// Pages of many sites: paragraphs are content, lists of links are not.
    fn gold_pages(count: usize) -> Vec<GoldPage> {
        let page = |number: usize| {
            let words = |from: usize| {
                (from..from + 30)
                    .map(|word| format!("w{word}"))
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            let gold: Vec<String> = (0..3)
                .map(|part| words(1000 * number + 40 * part) + ".")
                .collect();
            let link = |at: usize| format!("<li><a href=\"/{at}\">L{number} M{at}</a></li>");
            let links: String = (0..6).map(link).collect();
            let html = format!(
                "<!doctype html><body><ul>{links}</ul><p>{}</p>",
                gold.join("</p><p>")
            );
            let body = Body::html(html.clone());
            GoldPage {
                set: "drawn".into(),
                id: number.to_string(),
                site: format!("site {number}"),
                lang: "en".into(),
                unit: TokenUnit::Words,
                capture: parse(&Page::new("x", body)).unwrap(),
                source: Some(html),
                gold: gold.join("\n"),
                marked: None,
            }
        };
        (0..count).map(page).collect()
    }

    fn small() -> TexrexOptions {
        let mlp = MlpOptions {
            epochs: 60,
            snapshot_every: 20,
            ..MlpOptions::default()
        };
        TexrexOptions {
            sample: SampleOptions {
                total: 100,
                of_page: 7,
                seed: 2,
                pages_alike: false,
            },
            mlp,
            folds: 3,
        }
    }

    #[test]
    fn the_model_separates_text_from_links_and_is_reproducible() {
        let pages = gold_pages(12);
        let learned = learn_with(&pages, "test", &small(), &|_| ()).unwrap();
        assert_eq!(
            learned,
            learn_with(&pages, "test", &small(), &|_| ()).unwrap()
        );
        let (texrex, provenance): (Texrex, String) =
            model_file::from_bytes(NAME, &learned.bytes).unwrap();
        let page = &gold_pages(13)[12];
        let dom = &page.capture.dom;
        let scores = texrex
            .mlp
            .outputs(measure(dom, &page.source(), &blocks(dom)).view());
        assert_eq!((scores.len(), provenance.as_str()), (9, "test"));
        assert!(
            scores[..6].iter().all(|score| *score > 0.5)
                && scores[6..].iter().all(|score| *score < 0.5)
        );
        let report = learned.report;
        assert!(
            report.starts_with("84 blocks of 12 pages of 12 sites") && report.ends_with('\n'),
            "{report}"
        );
        assert!(
            report.contains("\n20 ") && report.contains("\n60 ") && report.contains("Table 2"),
            "{report}"
        );
    }

    #[test]
    fn a_site_is_in_one_fold() {
        let mut pages = gold_pages(12);
        for page in &mut pages[..6] {
            page.site = "one".into();
        }
        let sampled = sample(&pages, &small()).unwrap();
        assert_eq!((sampled.sites, sampled.rows.dim()), (7, (84, 37)));
        assert!(
            sampled.fold_of[..42]
                .iter()
                .all(|fold| *fold == sampled.fold_of[0])
        );
        let (inside, labels) = sampled.part(sampled.fold_of[0], true);
        assert_eq!(inside.nrows(), labels.len());
        assert_eq!(
            inside.nrows() + sampled.part(sampled.fold_of[0], false).0.nrows(),
            84
        );
        let error = sample(&pages[..6], &small()).unwrap_err().to_string();
        assert!(error.contains("1 sites"), "{error}");
    }
}
