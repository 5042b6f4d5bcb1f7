//! Learning curves: what growing shares of the training data give on sites that are held out, to
//! see what more data would buy.
//!
//! In each repetition one fold of sites is held out, and models learn from an eighth, a quarter,
//! half and all of the others. A smaller share is part of each larger one, and all are measured on
//! the same pages. Data grow in two ways: by sites, each with all its pages; and by pages, with as
//! many sites as possible, so that later pages are further pages of known sites. If, at the same
//! number of pages, more sites give more, new data should be of new sites.
//!
//! Keywords, if the model uses any, were learned from all pages: in curves of such models the
//! held-out sites are not held out from the keywords of the training pages.

use super::held_out_pages::{HeldOutPage, PageFigures};
use super::learn::{TrainOptions, train};
use super::sample::{TrainingPage, folds};
use crate::evaluate::Table;
use crate::evaluate::metrics::mean;
use std::collections::{BTreeMap, BTreeSet};
use vclean_core::error::ModelError;

/// Shares of the training data, ascending. A curve over the logarithm of the data is nearly
/// straight, hence doublings.
pub(crate) const SHARES: [(f64, &str); 4] =
    [(0.125, "1/8"), (0.25, "1/4"), (0.5, "1/2"), (1.0, "all")];

/// What grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Grown {
    /// Sites, each with all its pages.
    Sites,
    /// Pages, the first page of each site before the second of any.
    Pages,
}

/// One model of a curve, measured on the held-out fold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CurveModel {
    /// What was cut.
    pub grown: Grown,
    /// Number of its share in [`SHARES`]; all data belong to both curves, and are listed under
    /// [`Grown::Sites`].
    pub share: usize,
    /// Number of the repetition.
    pub repetition: usize,
    /// Number of sites that it learned from.
    pub sites: usize,
    /// Number of pages that it learned from.
    pub pages: usize,
    /// Its figures on the held-out pages.
    pub figures: PageFigures,
}

/// The pages of one repetition.
struct Repetition {
    held_out: Vec<usize>,
    /// The others in two orders: with the share of its set from which on a page is learned from.
    learned: [(Grown, Vec<(usize, f64)>); 2],
}

impl Repetition {
    fn of(
        pages: &[&TrainingPage],
        options: &TrainOptions,
        number: usize,
    ) -> Result<Self, ModelError> {
        let seed = options.seed.wrapping_add((number / options.folds) as u64);
        let fold_of = folds(pages, options.folds, seed)?;
        let (held_out, others): (Vec<usize>, Vec<usize>) =
            (0..pages.len()).partition(|&page| fold_of[page] == number % options.folds);
        let order = |grown| {
            (
                grown,
                order(pages, &others, grown, seed.wrapping_add(number as u64)),
            )
        };
        Ok(Self {
            held_out,
            learned: [Grown::Sites, Grown::Pages].map(order),
        })
    }

    /// The pages of a share, in their original order.
    fn share(order: &[(usize, f64)], share: f64) -> Vec<usize> {
        let mut pages: Vec<usize> = order
            .iter()
            .filter(|(_, from)| *from < share)
            .map(|(page, _)| *page)
            .collect();
        pages.sort_unstable();
        pages
    }
}

/// For each of `others`, from which share of its set on it is learned from: 0 for the first, under
/// 1 for the last. Every set gets its share, so that no share lacks a set.
fn order(pages: &[&TrainingPage], others: &[usize], grown: Grown, seed: u64) -> Vec<(usize, f64)> {
    // Sites by set; a site in two sets belongs to the first.
    let mut pages_of_site: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &page in others {
        pages_of_site
            .entry(&pages[page].site)
            .or_default()
            .push(page);
    }
    let mut sites_of_set: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (site, its) in &pages_of_site {
        sites_of_set
            .entry(&pages[its[0]].set)
            .or_default()
            .push(site);
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut ordered = Vec::with_capacity(others.len());
    for mut sites in sites_of_set.into_values() {
        random.shuffle(&mut sites);
        let mut units: Vec<(usize, Vec<usize>)> = Vec::new();
        for site in sites {
            let mut its = pages_of_site[site].clone();
            match grown {
                Grown::Sites => units.push((0, its)),
                Grown::Pages => {
                    random.shuffle(&mut its);
                    units.extend(
                        its.into_iter()
                            .enumerate()
                            .map(|(rank, page)| (rank, vec![page])),
                    );
                }
            }
        }
        units.sort_by_key(|(rank, _)| *rank);
        let count = units.len() as f64;
        let from = |(number, (_, its)): (usize, (usize, Vec<usize>))| {
            its.into_iter()
                .map(move |page| (page, number as f64 / count))
        };
        ordered.extend(units.into_iter().enumerate().flat_map(from));
    }
    ordered
}

fn site_count(pages: &[&TrainingPage], chosen: &[usize]) -> usize {
    chosen
        .iter()
        .map(|&page| pages[page].site.as_str())
        .collect::<BTreeSet<_>>()
        .len()
}

/// Checks that the smallest shares have enough sites for the folds of a model.
///
/// # Errors
/// If they have not.
pub(crate) fn check_curve(
    pages: &[&TrainingPage],
    options: &TrainOptions,
    repetitions: usize,
) -> Result<(), ModelError> {
    for number in 0..repetitions {
        for (_, order) in &Repetition::of(pages, options, number)?.learned {
            let sites = site_count(pages, &Repetition::share(order, SHARES[0].0));
            if sites < options.folds {
                return Err(ModelError::Training(format!(
                    "{} of the training data has {sites} sites, but each model of a learning curve needs {}; add pages of \
                     other sites",
                    SHARES[0].1, options.folds
                )));
            }
        }
    }
    Ok(())
}

/// Trains on every share in every repetition, and measures each model on the held-out fold of its
/// repetition. The same pages, options and number of repetitions give the same figures.
///
/// # Errors
/// If a share cannot be trained on.
pub(crate) fn learning_curve(
    columns: &[String],
    pages: &[&TrainingPage],
    options: &TrainOptions,
    repetitions: usize,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<CurveModel>, ModelError> {
    let mut models = Vec::new();
    for repetition in 0..repetitions {
        let Repetition { held_out, learned } = Repetition::of(pages, options, repetition)?;
        for (grown, order) in &learned {
            for (share, (part, name)) in SHARES.into_iter().enumerate() {
                if *grown == Grown::Pages && part >= 1.0 {
                    continue;
                }
                let chosen = Repetition::share(order, part);
                let chosen_pages: Vec<&TrainingPage> =
                    chosen.iter().map(|&page| pages[page]).collect();
                let model = train(columns, &chosen_pages, options, &|_| {})?.model;
                let decided = held_out.iter().map(|&page| {
                    let page = pages[page];
                    let margins = model.margins_of_rows(page.rows.view(), &page.shape);
                    HeldOutPage::decide(page, &margins, model.platt, model.threshold)
                });
                let decided: Vec<HeldOutPage> = decided.collect();
                let figures = PageFigures::of(&decided.iter().collect::<Vec<_>>());
                let sites = site_count(pages, &chosen);
                progress(&format!(
                    "learning curve, repetition {} of {repetitions}, {name}: {sites} sites, {} pages, page F {:.4}",
                    repetition + 1,
                    chosen.len(),
                    figures.f1.0
                ));
                models.push(CurveModel {
                    grown: *grown,
                    share,
                    repetition,
                    sites,
                    pages: chosen.len(),
                    figures,
                });
            }
        }
    }
    Ok(models)
}

/// The curves as a table: means over the repetitions, in parentheses the lowest and highest.
pub(crate) fn curve_table(models: &[CurveModel]) -> Table {
    let mut table = Table::new(&[
        "learned from",
        "sites",
        "pages",
        "block accuracy",
        "page F",
        "page F minus that of all",
        "F < .5",
        "pooled F",
    ]);
    let of_all = |model: &CurveModel| {
        let all = models
            .iter()
            .find(|other| other.repetition == model.repetition && other.share == SHARES.len() - 1);
        all.map_or(0.0, |all| all.figures.f1.0)
    };
    for grown in [Grown::Sites, Grown::Pages] {
        for (share, (_, name)) in SHARES.into_iter().enumerate() {
            let row: Vec<&CurveModel> = models
                .iter()
                .filter(|model| model.grown == grown && model.share == share)
                .collect();
            if row.is_empty() {
                continue;
            }
            let values = |value: &dyn Fn(&CurveModel) -> f64| {
                row.iter().map(|model| value(model)).collect::<Vec<_>>()
            };
            let what = if grown == Grown::Sites {
                "sites"
            } else {
                "pages"
            };
            let name = if share + 1 == SHARES.len() {
                name.to_owned()
            } else {
                format!("{name} of the {what}")
            };
            table.push(vec![
                name,
                format!("{:.0}", mean(&values(&|model| model.sites as f64))),
                format!("{:.0}", mean(&values(&|model| model.pages as f64))),
                spread(&values(&|model| model.figures.accuracy), false),
                spread(&values(&|model| model.figures.f1.0), false),
                spread(&values(&|model| model.figures.f1.0 - of_all(model)), true),
                spread(&values(&|model| model.figures.under_half.0), false),
                spread(&values(&|model| model.figures.pooled), false),
            ]);
        }
    }
    table
}

/// The mean, and in parentheses the lowest and highest value if there is more than one.
fn spread(values: &[f64], has_sign: bool) -> String {
    let show = |value: f64| {
        if has_sign {
            format!("{value:+.3}")
        } else {
            format!("{value:.3}")
        }
    };
    let (low, high) = values
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), &value| {
            (low.min(value), high.max(value))
        });
    let between = if has_sign { " to " } else { "-" };
    let range = if values.len() > 1 {
        format!(" ({}{between}{})", show(low), show(high))
    } else {
        String::new()
    };
    format!("{}{range}", show(mean(values)))
}

#[cfg(test)]
mod tests {
    use super::super::classifier::Classifier;
    use super::*;
    use ndarray::Array2;
    use vclean_core::capture::Engine;
    use vclean_core::classify::{Label, PageShape};

    /// Two pages of each of `sites` sites in two sets; the first column is the label with much
    /// noise.
    fn pages(sites: usize) -> Vec<TrainingPage> {
        let mut random = fastrand::Rng::with_seed(4);
        let mut page = |number: usize| {
            let content: Vec<bool> = (0..12).map(|_| random.bool()).collect();
            TrainingPage {
                set: ["one", "two"][number % 2].to_owned(),
                site: format!("site {}", number % sites),
                rows: Array2::from_shape_fn((12, 6), |(target, column)| {
                    f32::from(u8::from(content[target] && column == 0)) + random.f32() * 1.2
                }),
                labels: content
                    .iter()
                    .map(|&content| {
                        Some(if content {
                            Label::Content
                        } else {
                            Label::Boilerplate
                        })
                    })
                    .collect(),
                shape: PageShape {
                    lengths: vec![50; 12],
                    groups: vec![[0, 0]; 12],
                },
                engine: Engine::Parser,
                is_whole: true,
                kind: None,
                comments: crate::gold::CommentKnowledge::Unknown,
            }
        };
        (0..2 * sites).map(&mut page).collect()
    }

    fn options() -> TrainOptions {
        let mut options = TrainOptions {
            folds: 3,
            ..TrainOptions::default()
        };
        options.stages[0].classifier = Classifier::Logistic { ridge: 1e-3 };
        options
    }

    #[test]
    fn shares_are_nested_and_no_site_is_on_both_sides() {
        let pages = pages(48);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let Repetition { held_out, learned } = Repetition::of(&pages, &options(), 0).unwrap();
        let sites = |chosen: &[usize]| {
            chosen
                .iter()
                .map(|&page| pages[page].site.clone())
                .collect::<BTreeSet<_>>()
        };
        for (grown, order) in &learned {
            let shares: Vec<Vec<usize>> = SHARES
                .iter()
                .map(|(share, _)| Repetition::share(order, *share))
                .collect();
            assert!(
                shares
                    .windows(2)
                    .all(|pair| pair[0].iter().all(|page| pair[1].contains(page)))
            );
            assert_eq!(shares[3].len() + held_out.len(), pages.len());
            assert!(sites(&shares[3]).is_disjoint(&sites(&held_out)));
            assert!(
                ["one", "two"]
                    .iter()
                    .all(|set| shares[0].iter().any(|&page| pages[page].set == *set))
            );
            // Of half the pages, each is of another site; of half the sites, both pages are there.
            let per_site = shares[2].len() / sites(&shares[2]).len();
            assert_eq!(per_site, if *grown == Grown::Sites { 2 } else { 1 });
        }
        let held_out: BTreeSet<String> = (0..3)
            .flat_map(|number| sites(&Repetition::of(&pages, &options(), number).unwrap().held_out))
            .collect();
        assert_eq!(
            held_out.len(),
            48,
            "three repetitions hold out every site once"
        );
    }

    #[test]
    fn more_data_give_better_figures() {
        let pages = pages(48);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let columns: Vec<String> = (0..6).map(|column| format!("a.{column}")).collect();
        let curve = |repetitions| {
            learning_curve(&columns, &pages, &options(), repetitions, &|_| {}).unwrap()
        };
        let models = curve(2);
        assert_eq!(models.len(), 2 * 7);
        assert_eq!(curve(1), models[..7], "the same again");
        let table = curve_table(&models);
        assert_eq!(table.rows.len(), 7);
        assert_eq!(
            (table.rows[3][0].as_str(), table.rows[3][5].as_str()),
            ("all", "+0.000 (+0.000 to +0.000)")
        );
        assert_eq!(table.rows[4][0], "1/8 of the pages");
        let f1 = |share| {
            mean(
                &models
                    .iter()
                    .filter(|it| it.share == share)
                    .map(|it| it.figures.f1.0)
                    .collect::<Vec<_>>(),
            )
        };
        assert!(f1(3) > f1(0), "{} {}", f1(3), f1(0));
    }

    #[test]
    fn too_few_sites_are_named_before_training() {
        let pages = pages(8);
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let error = check_curve(&pages, &options(), 1).unwrap_err().to_string();
        assert!(
            error.contains("1/8 of the training data has 2 sites") && error.contains("needs 3"),
            "{error}"
        );
    }
}
