//! Fits the stage that tells comments from other boilerplate.
//!
//! It learns from the targets that are not content, on pages whose comments are known, by gold or
//! weakly. Every page weighs alike. The calibration and the score are from margins of held-out
//! sites.

use super::sample::TrainingPage;
use crate::evaluate::BlockScore;
use crate::fitting::calibrate::fit_platt;
use crate::fitting::rows::fit_scaler;
use crate::fitting::{BoostedOptions, boosted};
use ndarray::{Array2, Axis};
use rayon::prelude::*;
use std::collections::BTreeSet;
use vclean_core::classify::model::{Machine, MarginInput, Stage};
use vclean_core::classify::{Boosted, CommentStage, Label, Scaler};
use vclean_core::error::ModelError;

/// Maximum number of rows of one page: more of them add little.
const ROWS_OF_PAGE: usize = 150;
/// Minimum number of sites with comments; with fewer, the stage would learn these sites by heart.
const MIN_SITES: usize = 5;

/// The stage with its score on held-out sites.
pub(super) struct FittedComments {
    pub(super) stage: CommentStage,
    /// Score of the targets that are not content; comments are the positive class.
    pub(super) score: BlockScore,
}

/// The rows that the stage learns from.
struct Rows {
    inputs: Array2<f32>,
    is_comment: Vec<bool>,
    weights: Vec<f32>,
    /// The page of each row.
    pages: Vec<usize>,
}

impl Rows {
    /// `held_out` are the content margins of each page by machines that did not learn from its
    /// site.
    fn gather(pages: &[&TrainingPage], held_out: &[Vec<f32>], seed: u64) -> Self {
        let of_page = |(number, page): (usize, &&TrainingPage)| {
            let targets = draw(page, seed.wrapping_add(number as u64));
            let (columns, margins) = (all_columns(page), held_out[number].as_slice());
            let input = Stage::input(
                &columns,
                page.rows.view(),
                &[margins],
                MarginInput::Context,
                &page.shape,
            );
            (targets.clone(), input.select(Axis(0), &targets))
        };
        let found: Vec<(Vec<usize>, Array2<f32>)> =
            pages.par_iter().enumerate().map(of_page).collect();
        let used = found
            .iter()
            .filter(|(targets, _)| !targets.is_empty())
            .count();
        let count: usize = found.iter().map(|(targets, _)| targets.len()).sum();
        let columns = found.first().map_or(0, |(_, input)| input.ncols());
        let mut rows = Self {
            inputs: Array2::zeros((count, columns)),
            is_comment: Vec::with_capacity(count),
            weights: Vec::with_capacity(count),
            pages: Vec::with_capacity(count),
        };
        for (number, (targets, input)) in found.iter().enumerate() {
            // The mean weight is 1.
            let weight = count as f32 / (used * targets.len().max(1)) as f32;
            for (&target, row) in targets.iter().zip(input.rows()) {
                rows.inputs.row_mut(rows.pages.len()).assign(&row);
                rows.is_comment
                    .push(pages[number].labels[target] == Some(Label::Comments));
                rows.weights.push(weight);
                rows.pages.push(number);
            }
        }
        rows
    }

    fn fit(
        &self,
        among: &[usize],
        options: &BoostedOptions,
    ) -> Result<(Scaler, Vec<f32>, Boosted), ModelError> {
        let inputs = self.inputs.select(Axis(0), among);
        let labels: Vec<bool> = among.iter().map(|&row| self.is_comment[row]).collect();
        let weights: Vec<f32> = among.iter().map(|&row| self.weights[row]).collect();
        let scaler = fit_scaler(inputs.view());
        let scaled = scaler.apply(inputs.view());
        drop(inputs);
        let means = scaled
            .mean_axis(Axis(0))
            .map(|means| means.to_vec())
            .unwrap_or_default();
        let boosted = boosted::fit(scaled.view(), &labels, Some(&weights), options)?;
        Ok((scaler, means, boosted))
    }
}

fn all_columns(page: &TrainingPage) -> Vec<usize> {
    (0..page.rows.ncols()).collect()
}

/// The targets of a page that are labelled and not content, at most [`ROWS_OF_PAGE`]; none where
/// the page's comments are unknown.
fn draw(page: &TrainingPage, seed: u64) -> Vec<usize> {
    if !page.comments.is_known() {
        return Vec::new();
    }
    let mut targets: Vec<usize> = page
        .labelled()
        .filter(|&target| !page.is_content(target))
        .collect();
    if targets.len() > ROWS_OF_PAGE {
        fastrand::Rng::with_seed(seed.wrapping_mul(0x9e37_79b9)).shuffle(&mut targets);
        targets.truncate(ROWS_OF_PAGE);
        targets.sort_unstable();
    }
    targets
}

/// True if enough sites have comments, in more than one fold.
fn are_enough(pages: &[&TrainingPage], fold_of: &[usize]) -> bool {
    let has_comments = |page: &TrainingPage| {
        page.comments.is_known() && page.labels.contains(&Some(Label::Comments))
    };
    let with_comments = pages
        .iter()
        .zip(fold_of)
        .filter(|(page, _)| has_comments(page));
    let (sites, folds): (BTreeSet<&str>, BTreeSet<usize>) = with_comments
        .map(|(page, &fold)| (page.site.as_str(), fold))
        .unzip();
    sites.len() >= MIN_SITES && folds.len() > 1
}

/// Options of the trees: few, since few columns distinguish comments, and every page pays for their
/// time.
fn options(seed: u64) -> BoostedOptions {
    BoostedOptions {
        trees: 100,
        depth: 5,
        learning_rate: 0.1,
        seed,
        ..BoostedOptions::default()
    }
}

/// Fits the stage; `None` where too few sites have comments. `held_out` are the content margins of
/// each page's targets by machines that did not learn from its site, `fold_of` the fold of each
/// page.
pub(super) fn fit_comments(
    pages: &[&TrainingPage],
    held_out: &[Vec<f32>],
    fold_of: &[usize],
    seed: u64,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Option<FittedComments>, ModelError> {
    if !are_enough(pages, fold_of) {
        progress("comments are known on too few sites to tell them from other boilerplate");
        return Ok(None);
    }
    let rows = Rows::gather(pages, held_out, seed);
    let comments = rows.is_comment.iter().filter(|comment| **comment).count();
    progress(&format!(
        "comments: {} rows, {comments} of them comments",
        rows.pages.len()
    ));
    let options = options(seed);
    let folds = fold_of.iter().max().map_or(0, |&last| last + 1);
    let mut margins = vec![0.0; rows.pages.len()];
    let parts: Vec<Vec<(usize, f32)>> = (0..folds)
        .into_par_iter()
        .map(|fold| {
            let (held, others): (Vec<usize>, Vec<usize>) =
                (0..rows.pages.len()).partition(|&row| fold_of[rows.pages[row]] == fold);
            let (scaler, _, boosted) = rows.fit(&others, &options)?;
            let margins = boosted.margins(
                scaler
                    .apply(rows.inputs.select(Axis(0), &held).view())
                    .view(),
            );
            Ok(held.into_iter().zip(margins).collect())
        })
        .collect::<Result<_, ModelError>>()?;
    for (row, margin) in parts.into_iter().flatten() {
        margins[row] = margin;
    }
    let platt = fit_platt(&margins, &rows.is_comment);
    let label = |comment: bool| {
        if comment {
            Label::Content
        } else {
            Label::Boilerplate
        }
    };
    let verdict = |margin: &f32| label(platt.probability(*margin) > 0.5);
    let pairs = margins
        .iter()
        .map(verdict)
        .zip(rows.is_comment.iter().map(|&comment| label(comment)));
    let score = BlockScore::count(pairs);
    let (scaler, means, boosted) =
        rows.fit(&(0..rows.pages.len()).collect::<Vec<_>>(), &options)?;
    let columns = pages
        .first()
        .map(|page| all_columns(page))
        .unwrap_or_default();
    let stage = Stage {
        columns,
        reads: vec![0],
        scaler,
        means,
        machine: Machine::Boosted(boosted),
    };
    Ok(Some(FittedComments {
        stage: CommentStage { stage, platt },
        score,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gold::CommentKnowledge;
    use vclean_core::capture::Engine;
    use vclean_core::classify::PageShape;

    /// Pages of 30 targets, the first ten content; a comment has a high value in the last column.
    fn pages(count: usize, comments: CommentKnowledge) -> Vec<TrainingPage> {
        let mut random = fastrand::Rng::with_seed(3);
        let page = |site: usize| {
            let labels: Vec<Label> = (0..30)
                .map(|target| match target {
                    0..10 => Label::Content,
                    10..20 => Label::Comments,
                    _ => Label::Boilerplate,
                })
                .collect();
            let rows = Array2::from_shape_fn((30, 2), |(target, column)| {
                random.f32()
                    + if column == 1 && labels[target] == Label::Comments {
                        0.8
                    } else {
                        0.0
                    }
            });
            TrainingPage {
                set: "set".to_owned(),
                site: format!("site {site:02}"),
                rows,
                labels: labels.into_iter().map(Some).collect(),
                comments,
                shape: PageShape {
                    lengths: vec![50; 30],
                    groups: vec![[1, 0]; 30],
                },
                engine: Engine::Parser,
                is_whole: true,
                kind: None,
            }
        };
        (0..count).map(page).collect()
    }

    fn fit(pages: &[TrainingPage]) -> Option<FittedComments> {
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let margins = vec![[[1.0; 10], [-1.0; 10], [-1.0; 10]].concat(); pages.len()];
        let fold_of: Vec<usize> = (0..pages.len()).map(|page| page % 3).collect();
        fit_comments(&pages, &margins, &fold_of, 1, &|_| {}).unwrap()
    }

    #[test]
    fn comments_are_learned_from_what_is_not_content() {
        let pages = pages(24, CommentKnowledge::Weak);
        let fitted = fit(&pages).unwrap();
        assert_eq!(fitted.score.blocks(), 24 * 20);
        assert!(fitted.score.accuracy() > 0.8, "{:?}", fitted.score);
        let (page, margins) = (&pages[0], [[1.0f32; 10], [-1.0; 10], [-1.0; 10]].concat());
        let probabilities = fitted
            .stage
            .probabilities(page.rows.view(), margins, &page.shape);
        let mean = |range: std::ops::Range<usize>| probabilities[range].iter().sum::<f32>() / 10.0;
        assert!(
            mean(10..20) > 0.7 && mean(20..30) < 0.3,
            "{probabilities:?}"
        );
        assert_eq!(
            fit(&pages).unwrap().stage,
            fitted.stage,
            "the same pages give the same stage"
        );
    }

    #[test]
    fn pages_of_unknown_comments_and_too_few_sites_give_no_stage() {
        assert!(fit(&pages(24, CommentKnowledge::Unknown)).is_none());
        assert!(fit(&pages(MIN_SITES - 1, CommentKnowledge::Gold)).is_none());
    }
}
