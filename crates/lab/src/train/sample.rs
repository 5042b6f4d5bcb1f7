//! Draws the training rows, so that no page and no set dominates.

use crate::gold::CommentKnowledge;
use ndarray::{Array2, ArrayView2, Axis};
use serde::{Deserialize, Serialize};
use vclean_core::capture::Engine;
use vclean_core::classify::{Label, PageKind, PageShape};
use vclean_core::error::ModelError;

/// A page with features and labels.
#[derive(Debug, Clone, PartialEq)]
pub struct TrainingPage {
    /// Name of its set.
    pub set: String,
    /// Site it is from: all pages of a site are in one fold.
    pub site: String,
    /// Features, targets x columns; the same columns on all pages.
    pub rows: Array2<f32>,
    /// The label of each target; `None` where the gold text does not decide.
    pub labels: Vec<Option<Label>>,
    /// Source of the labels of comments, if any.
    pub comments: CommentKnowledge,
    /// The shape of the page, for stages that read the margins around a target.
    pub shape: PageShape,
    /// The engine that rendered it.
    pub engine: Engine,
    /// True if its gold text is the whole text, not snippets.
    pub is_whole: bool,
    /// Its kind, if the set tells.
    pub kind: Option<PageKind>,
}

impl TrainingPage {
    /// A page of bare HTML with one column, for tests.
    #[cfg(test)]
    pub(crate) fn for_site(site: String, labels: Vec<Option<Label>>, shape: PageShape) -> Self {
        Self {
            set: "set".into(),
            site,
            rows: Array2::zeros((labels.len(), 1)),
            labels,
            comments: CommentKnowledge::Unknown,
            shape,
            engine: Engine::Parser,
            is_whole: true,
            kind: None,
        }
    }

    /// Numbers of the targets with a label.
    pub fn labelled(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.labels.len()).filter(|&target| self.labels[target].is_some())
    }

    /// For each target, true if it is content; `None` if the gold text does not decide.
    pub(crate) fn truths(&self) -> Vec<Option<bool>> {
        self.labels
            .iter()
            .map(|label| label.map(|label| label == Label::Content))
            .collect()
    }

    /// True if `target` is labelled content.
    pub fn is_content(&self, target: usize) -> bool {
        self.labels[target] == Some(Label::Content)
    }
}

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SampleOptions {
    /// Maximum number of rows in total.
    pub total: usize,
    /// Maximum number of rows from one page.
    pub of_page: usize,
    /// Seed of the draw.
    pub seed: u64,
    /// Set if rows are weighted so that all pages weigh alike, however many rows they have.
    pub pages_alike: bool,
}

impl Default for SampleOptions {
    fn default() -> Self {
        Self {
            total: 6_000,
            of_page: 60,
            seed: 1,
            pages_alike: false,
        }
    }
}

/// A row of a page, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct RowPosition {
    /// Number of the page.
    pub page: usize,
    /// Number of the target on it.
    pub target: usize,
}

/// The largest limit such that `parts`, each cut to the limit, sum to at most `total`.
fn level(parts: &[usize], total: usize) -> usize {
    let (mut low, mut high) = (0, parts.iter().copied().max().unwrap_or(0));
    while low < high {
        let middle = (low + high).div_ceil(2);
        if parts.iter().map(|&part| part.min(middle)).sum::<usize>() <= total {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low
}

/// Draws labelled rows: at most `of_page` per page; then sets, and pages within a set, are cut to a
/// common limit so that at most `total` rows are left. Within a page all labelled rows are equally
/// likely, so the page's balance of labels is kept. The same pages in the same order and the same
/// seed give the same rows, in order.
pub fn draw(pages: &[&TrainingPage], options: &SampleOptions) -> Vec<RowPosition> {
    let mut names: Vec<&str> = pages.iter().map(|page| page.set.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let offered: Vec<usize> = pages
        .iter()
        .map(|page| page.labelled().count().min(options.of_page))
        .collect();
    let of_set = |name: &str| {
        (0..pages.len())
            .filter(|&page| pages[page].set == name)
            .collect::<Vec<_>>()
    };
    let sums: Vec<usize> = names
        .iter()
        .map(|name| of_set(name).iter().map(|&page| offered[page]).sum())
        .collect();
    let set_level = level(&sums, options.total);
    let mut positions = Vec::new();
    for name in names {
        let members = of_set(name);
        let sizes: Vec<usize> = members.iter().map(|&page| offered[page]).collect();
        let page_level = level(&sizes, set_level);
        for page in members {
            let mut targets: Vec<usize> = pages[page].labelled().collect();
            let mut random = fastrand::Rng::with_seed(
                options
                    .seed
                    .wrapping_mul(0x9e37_79b9)
                    .wrapping_add(page as u64),
            );
            random.shuffle(&mut targets);
            targets.truncate(options.of_page.min(page_level));
            positions.extend(
                targets
                    .into_iter()
                    .map(|target| RowPosition { page, target }),
            );
        }
    }
    positions.sort_unstable();
    positions
}

/// A weight for each row at `positions`, so that all pages weigh alike and the mean weight is 1.
pub(super) fn page_weights(pages: &[&TrainingPage], positions: &[RowPosition]) -> Vec<f32> {
    let mut counts = vec![0usize; pages.len()];
    for position in positions {
        counts[position.page] += 1;
    }
    let used = counts.iter().filter(|&&count| count > 0).count().max(1);
    let of_page = positions.len() as f64 / used as f64;
    positions
        .iter()
        .map(|position| (of_page / counts[position.page] as f64) as f32)
        .collect()
}

/// The rows at `positions` of the matrices `of_pages` (one per page), and whether each is content.
pub fn gather(
    pages: &[&TrainingPage],
    of_pages: &[ArrayView2<'_, f32>],
    positions: &[RowPosition],
) -> (Array2<f32>, Vec<bool>) {
    let columns = of_pages.first().map_or(0, ArrayView2::ncols);
    let mut rows = Array2::zeros((positions.len(), columns));
    for (mut row, position) in rows.axis_iter_mut(Axis(0)).zip(positions) {
        row.assign(&of_pages[position.page].row(position.target));
    }
    (
        rows,
        positions
            .iter()
            .map(|row| pages[row.page].is_content(row.target))
            .collect(),
    )
}

/// Folds of single pages, for pages of few sites: for each page the fold it is held out in.
///
/// # Errors
/// If there are fewer than two folds, or fewer pages than folds.
pub(super) fn page_folds(pages: usize, count: usize, seed: u64) -> Result<Vec<usize>, ModelError> {
    if count < 2 || pages < count {
        return Err(ModelError::Training(format!(
            "{pages} pages cannot be divided into {count} folds; label more pages"
        )));
    }
    let mut fold_of: Vec<usize> = (0..pages).map(|page| page % count).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut fold_of);
    Ok(fold_of)
}

/// Folds by site: for each page the fold it is held out in. Sites are shuffled, and each is added
/// to the fold with the fewest rows, so that folds are about equally large.
pub fn folds(pages: &[&TrainingPage], count: usize, seed: u64) -> Result<Vec<usize>, ModelError> {
    let mut sites: Vec<&str> = pages.iter().map(|page| page.site.as_str()).collect();
    sites.sort_unstable();
    sites.dedup();
    if count < 2 || sites.len() < count {
        return Err(ModelError::Training(format!(
            "{} sites cannot be divided into {count} folds; add pages of other sites (host in manifest.jsonl names the site \
             of a page) or use fewer folds (at least 2)",
            sites.len()
        )));
    }
    let mut order: Vec<usize> = (0..sites.len()).collect();
    fastrand::Rng::with_seed(seed).shuffle(&mut order);
    let site_of: Vec<usize> = pages
        .iter()
        .map(|page| {
            sites
                .binary_search(&page.site.as_str())
                .expect("all pages' sites are listed")
        })
        .collect();
    let mut sizes = vec![0usize; sites.len()];
    for (page, &site) in pages.iter().zip(&site_of) {
        sizes[site] += page.labelled().count() + 1;
    }
    let (mut filled, mut fold_of) = (vec![0usize; count], vec![0usize; sites.len()]);
    for site in order {
        let fold = (0..count)
            .min_by_key(|&fold| filled[fold])
            .expect("there are at least two folds");
        filled[fold] += sizes[site];
        fold_of[site] = fold;
    }
    Ok(site_of.into_iter().map(|site| fold_of[site]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(set: &str, site: &str, rows: usize) -> TrainingPage {
        TrainingPage {
            set: set.to_owned(),
            site: site.to_owned(),
            rows: Array2::from_elem((rows, 1), rows as f32),
            labels: (0..rows)
                .map(|row| {
                    Some(if row % 3 == 0 {
                        Label::Content
                    } else {
                        Label::Boilerplate
                    })
                })
                .collect(),
            comments: crate::gold::CommentKnowledge::Unknown,
            shape: PageShape {
                lengths: vec![1; rows],
                groups: vec![[0, 0]; rows],
            },
            engine: Engine::Parser,
            is_whole: true,
            kind: None,
        }
    }

    #[test]
    fn no_page_and_no_set_dominates() {
        let pages = [
            page("a", "1", 500),
            page("a", "2", 10),
            page("b", "3", 30),
            page("a", "4", 500),
        ];
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let options = SampleOptions {
            total: 100,
            seed: 4,
            ..SampleOptions::default()
        };
        let positions = draw(&pages, &options);
        let drawn = |page: usize| positions.iter().filter(|row| row.page == page).count();
        assert_eq!((drawn(0), drawn(1), drawn(2), drawn(3)), (30, 10, 30, 30));
        assert_eq!(positions, draw(&pages, &options));
        assert_ne!(
            positions,
            draw(&pages, &SampleOptions { seed: 5, ..options })
        );
        let matrices: Vec<ArrayView2<'_, f32>> =
            pages.iter().map(|page| page.rows.view()).collect();
        let (rows, labels) = gather(&pages, &matrices, &positions);
        assert_eq!((rows.nrows(), labels.len()), (100, 100));
        assert_eq!(rows[[0, 0]], 500.0);
    }

    #[test]
    fn weights_make_pages_alike() {
        let pages = [page("a", "1", 30), page("a", "2", 10), page("b", "3", 0)];
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let positions = draw(&pages, &SampleOptions::default());
        let weights = page_weights(&pages, &positions);
        assert_eq!(weights.len(), 40);
        let page_weight = |page: usize| -> f32 {
            weights
                .iter()
                .zip(&positions)
                .filter(|(_, row)| row.page == page)
                .map(|(weight, _)| weight)
                .sum()
        };
        assert!((page_weight(0) - 20.0).abs() < 1e-3 && (page_weight(1) - 20.0).abs() < 1e-3);
    }

    #[test]
    fn unlabelled_rows_are_not_drawn() {
        let mut one = page("a", "1", 5);
        one.labels[2] = None;
        let positions = draw(&[&one], &SampleOptions::default());
        assert_eq!(
            positions.iter().map(|row| row.target).collect::<Vec<_>>(),
            [0, 1, 3, 4]
        );
    }

    #[test]
    fn a_site_is_in_one_fold() {
        let pages: Vec<TrainingPage> = (0..40)
            .map(|index| page("a", &format!("site {}", index % 9), 10))
            .collect();
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let found = folds(&pages, 3, 1).unwrap();
        for (one, fold) in pages.iter().zip(&found) {
            assert!(
                pages
                    .iter()
                    .zip(&found)
                    .all(|(other, of_other)| one.site != other.site || fold == of_other)
            );
        }
        let sizes: Vec<usize> = (0..3)
            .map(|fold| found.iter().filter(|own| **own == fold).count())
            .collect();
        assert!(
            sizes.iter().all(|size| (9..=18).contains(size)),
            "{sizes:?}"
        );
        assert!(
            folds(&pages[..1], 2, 1)
                .unwrap_err()
                .to_string()
                .contains("1 sites")
        );
    }
}
