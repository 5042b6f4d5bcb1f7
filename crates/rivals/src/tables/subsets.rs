//! The feature subsets of FIASCO's Tables 2 and 3, and the score of a model on each.
//!
//! Context columns are computed from other groups, so each must be assigned to subsets. `context`
//! and `page` depend only on `text` and `structural` and stay when the visual columns are left out.
//! `context.layout` needs boxes and is left out with them; but its columns about the *text* of the
//! neighbor on the screen (length, link density, score) are not in subsets that are visual only.

use serde::Serialize;
use vclean_core::error::ModelError;
use vclean_core::features::is_in_group;
use vclean_lab::evaluate::BlockScore;
use vclean_lab::fitting::SvmOptions;
use vclean_lab::train::classifier::Classifier;
use vclean_lab::train::sample::{SampleOptions, TrainingPage};
use vclean_lab::train::{StageOptions, crossvalidate};

/// Default number of folds by site: as FIASCO.
pub(crate) const FOLDS: usize = 10;

/// Accuracy, precision, recall and F, each 0 to 1.
pub(crate) type Figures = [f64; 4];

/// A subset of the columns, and the figures that FIASCO published for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subset {
    /// Its name in FIASCO's tables.
    pub name: &'static str,
    /// True if it differs from another subset only in part-of-speech columns.
    pub needs_pos: bool,
    /// Returns true if a column is in it.
    pub has: fn(&str) -> bool,
    /// FIASCO's figures on all pages (Table 2).
    pub fiasco_all: Figures,
    /// FIASCO's figures on the best aligned pages (Table 3).
    pub fiasco_best: Figures,
}

/// The subsets in the order of FIASCO's tables (Bauer et al. 2007, sections 4.2 and 5.1).
pub(crate) const SUBSETS: &[Subset] = &[
    Subset {
        name: "All",
        needs_pos: false,
        has: |_| true,
        fiasco_all: [0.9113, 0.90, 0.80, 0.85],
        fiasco_best: [0.9566, 0.97, 0.92, 0.95],
    },
    Subset {
        name: "All \\ {POS}",
        needs_pos: true,
        has: |column| !is_pos(column),
        fiasco_all: [0.9250, 0.90, 0.86, 0.88],
        fiasco_best: [0.9576, 0.95, 0.94, 0.95],
    },
    Subset {
        name: "All \\ {visual}",
        needs_pos: false,
        has: |column| !needs_pixels(column),
        fiasco_all: [0.9001, 0.87, 0.80, 0.83],
        fiasco_best: [0.9413, 0.94, 0.91, 0.93],
    },
    Subset {
        name: "All \\ {POS, visual}",
        needs_pos: true,
        has: |column| !is_pos(column) && !needs_pixels(column),
        fiasco_all: [0.9017, 0.86, 0.82, 0.84],
        fiasco_best: [0.9313, 0.93, 0.90, 0.91],
    },
    Subset {
        name: "Visual only",
        needs_pos: false,
        has: is_visual,
        fiasco_all: [0.7950, 0.76, 0.51, 0.61],
        fiasco_best: [0.7991, 0.83, 0.64, 0.72],
    },
    Subset {
        name: "POS only",
        needs_pos: true,
        has: is_pos,
        fiasco_all: [0.8367, 0.80, 0.63, 0.71],
        fiasco_best: [0.8242, 0.85, 0.69, 0.76],
    },
    Subset {
        name: "Only POS and visual",
        needs_pos: true,
        has: |column| is_pos(column) || is_visual(column),
        fiasco_all: [0.8669, 0.82, 0.74, 0.78],
        fiasco_best: [0.8881, 0.90, 0.82, 0.86],
    },
];

/// True if a column is a part-of-speech feature.
pub(crate) fn is_pos(column: &str) -> bool {
    is_in_group(column, "linguistic.pos")
}

/// True if a column needs the rendered page, at least in part.
pub(crate) fn needs_pixels(column: &str) -> bool {
    is_in_group(column, "visual") || is_in_group(column, "context.layout")
}

/// True if a column depends only on the rendered page: not on the text of a neighbor, even one
/// found by its position on the screen.
pub(crate) fn is_visual(column: &str) -> bool {
    let is_text_beside = ["length", "link_density", "score_ratio"]
        .iter()
        .any(|measure| {
            column
                .strip_suffix(measure)
                .is_some_and(|rest| rest.ends_with('.'))
        });
    is_in_group(column, "visual") || (is_in_group(column, "context.layout") && !is_text_beside)
}

/// Options for measuring the subsets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SubsetOptions {
    /// The support vector machine for all columns; see [`gamma_of`] for subsets.
    pub svm: SvmOptions,
    /// Training rows of each model.
    pub sample: SampleOptions,
    /// Folds by site; FIASCO took 10.
    pub folds: usize,
    /// Seed of the folds.
    pub seed: u64,
}

/// Gamma of the kernel for `chosen` of `all` columns, given `gamma` for all columns.
///
/// Distances between scaled rows grow with the number of columns, so with the same gamma a model of
/// few columns could not distinguish rows. Therefore the product of gamma and the number of columns
/// is kept constant. For the 120 visual of 384 columns it matters little (`styled`, 2,500 rows,
/// five folds: accuracy .850 with the gamma of this rule and .870 with that of all columns, .850
/// and .848 on the best aligned pages); for a handful of columns the rule is necessary.
pub(crate) fn gamma_of(gamma: f64, all: usize, chosen: usize) -> f64 {
    gamma * all as f64 / chosen.max(1) as f64
}

/// One row of the table.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SubsetScore {
    /// Name of the subset.
    pub name: &'static str,
    /// Number of columns in it.
    pub columns: usize,
    /// Counts on held-out sites.
    pub counts: BlockScore,
}

/// Accuracy, precision, recall and F of content.
pub(crate) fn figures(counts: BlockScore) -> Figures {
    let content = counts.score();
    [
        counts.accuracy(),
        content.precision,
        content.recall,
        content.f1,
    ]
}

/// The subsets that these columns allow: no empty ones, and those that differ only in
/// part-of-speech columns only if there are such columns.
pub(crate) fn subsets_of(columns: &[String]) -> Vec<&'static Subset> {
    let has_pos = columns.iter().any(|column| is_pos(column));
    let is_possible = |subset: &&Subset| {
        (has_pos || !subset.needs_pos) && columns.iter().any(|column| (subset.has)(column))
    };
    // Without visual columns the table would show the same row twice.
    let has_pixels = columns.iter().any(|column| needs_pixels(column));
    SUBSETS
        .iter()
        .filter(|subset| has_pixels || !subset.name.contains("visual"))
        .filter(is_possible)
        .collect()
}

/// Measures one subset out-of-fold, with folds by site.
///
/// # Errors
/// If there are fewer sites than folds, a fold has one kind of label only, or an option is out of
/// range.
pub(crate) fn measure_subset(
    subset: &Subset,
    columns: &[String],
    pages: &[&TrainingPage],
    options: &SubsetOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<SubsetScore, ModelError> {
    let chosen: Vec<usize> = (0..columns.len())
        .filter(|&index| (subset.has)(&columns[index]))
        .collect();
    if chosen.is_empty() {
        return Err(ModelError::Training(format!(
            "there is no column in {}; render the pages",
            subset.name
        )));
    }
    let gamma = gamma_of(options.svm.gamma, columns.len(), chosen.len());
    let number = chosen.len();
    let stage = StageOptions {
        columns: Some(chosen),
        reads: Vec::new(),
        classifier: Classifier::Svm(SvmOptions {
            gamma,
            ..options.svm
        }),
        sample: options.sample,
    };
    let counts = crossvalidate(pages, &stage, options.folds, options.seed, progress)?;
    Ok(SubsetScore {
        name: subset.name,
        columns: number,
        counts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use vclean_core::classify::{Label, PageShape};
    use vclean_core::features::describe;

    fn names(columns: &[&str]) -> Vec<String> {
        columns.iter().map(|&column| column.to_owned()).collect()
    }

    #[test]
    fn sides_are_clean() {
        for (group, column) in describe() {
            let name = column.name;
            assert_eq!(
                needs_pixels(name),
                group.needs_layout,
                "{name}: what needs a rendering is taken out with it"
            );
            assert!(!is_visual(name) || needs_pixels(name), "{name}");
            if name.starts_with("context.layout") {
                let reads_text = ["text.", "structural."]
                    .iter()
                    .any(|group| column.meaning.starts_with(group));
                assert_eq!(is_visual(name), !reads_text, "{name}: {}", column.meaning);
            }
        }
    }

    #[test]
    fn subsets_depend_on_the_columns() {
        let list = |columns: &[&str]| {
            subsets_of(&names(columns))
                .iter()
                .map(|subset| subset.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            list(&["text.x", "visual.blob.y"]),
            ["All", "All \\ {visual}", "Visual only"]
        );
        assert_eq!(list(&["text.x"]), ["All"]);
        assert_eq!(
            list(&["text.x", "visual.blob.y", "linguistic.pos.z"]).len(),
            SUBSETS.len()
        );
    }

    #[test]
    fn the_figures_of_fiasco_are_consistent() {
        for subset in SUBSETS {
            for [_, precision, recall, f] in [subset.fiasco_all, subset.fiasco_best] {
                let expected = 2.0 * precision * recall / (precision + recall);
                assert!(
                    (f - expected).abs() < 0.016,
                    "{}: {f} and {expected:.3}",
                    subset.name
                );
            }
        }
    }

    #[test]
    fn a_subset_with_the_signal_scores_higher() {
        let mut random = fastrand::Rng::with_seed(3);
        let pages: Vec<TrainingPage> = (0..12)
            .map(|site| TrainingPage {
                set: "set".to_owned(),
                site: format!("site {site}"),
                labels: (0..30)
                    .map(|row| {
                        Some(if row % 2 == 0 {
                            Label::Content
                        } else {
                            Label::Boilerplate
                        })
                    })
                    .collect(),
                rows: Array2::from_shape_fn((30, 2), |(row, column)| {
                    random.f32()
                        + if column == 0 && row % 2 == 0 {
                            0.9
                        } else {
                            0.0
                        }
                }),
                comments: vclean_lab::gold::CommentKnowledge::Unknown,
                shape: PageShape {
                    lengths: vec![9; 30],
                    groups: vec![[0, 0]; 30],
                },
                engine: vclean_core::capture::Engine::Parser,
                is_whole: true,
                kind: None,
            })
            .collect();
        let pages: Vec<&TrainingPage> = pages.iter().collect();
        let columns = names(&["visual.blob.signal", "text.noise"]);
        let svm = SvmOptions {
            gamma: 0.5,
            ..SvmOptions::default()
        };
        let options = SubsetOptions {
            svm,
            sample: SampleOptions::default(),
            folds: 3,
            seed: 1,
        };
        let accuracy = |name: &str| {
            let subset = SUBSETS.iter().find(|subset| subset.name == name).unwrap();
            let found = measure_subset(subset, &columns, &pages, &options, &|_| {}).unwrap();
            figures(found.counts)[0]
        };
        let (visual, rest) = (accuracy("Visual only"), accuracy("All \\ {visual}"));
        assert!(visual > 0.9 && rest < 0.7, "{visual} {rest}");
        let error = measure_subset(&SUBSETS[5], &columns, &pages, &options, &|_| {})
            .unwrap_err()
            .to_string();
        assert!(error.contains("no column in POS only"), "{error}");
    }

    #[test]
    fn fewer_columns_have_a_larger_gamma() {
        assert_eq!(gamma_of(0.01, 400, 100), 0.04);
        assert_eq!(gamma_of(0.01, 400, 400), 0.01);
    }
}
