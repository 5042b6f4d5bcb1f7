//! texrex's Table 3 (Schäfer 2013, section 4): other classifiers on the same features, the same
//! blocks and the same folds. Its support vector machine with the Pearson VII kernel is not
//! repeated, because linfa-svm has no such kernel.
//!
//! The paper gives the best results but not the parameters. Here they are chosen on every n-th
//! block, by the share classified correctly on validation sites, from small grids around Weka's
//! defaults. Then each model is trained on all blocks except those of a fold, and the verdicts of
//! all folds are counted together, as in Weka. The features are already between 0 and 1 and are not
//! scaled.

use super::table_options::{ExperimentError, TableResult};
use crate::learning::GoldPage;
use crate::learning::gold_pages::{GoldPages, read_gold_pages};
use crate::learning::texrex::{Sampled, TexrexOptions, sample};
use crate::learning::texrex_folds::{Measures, crossvalidate};
use ndarray::{Array2, ArrayView2, Axis};
use rayon::prelude::*;
use vclean_core::error::ModelError;
use vclean_lab::evaluate::Table;
use vclean_lab::fitting::{SvmOptions, logistic, svm};
use vclean_lab::gold::Progress;
use vclean_run::source::{DataSet, Split};

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Table3Row {
    /// The classifier, as the paper calls it.
    pub name: &'static str,
    /// Parameters that were chosen.
    pub chosen: String,
    /// Scores of its verdicts, pooled over all folds.
    pub measures: Measures,
    /// Precision, recall, F1 and share classified correctly in the paper.
    pub paper: [f64; 4],
}

/// Maximum number of blocks for choosing parameters: 48 machines are fitted to two thirds of them.
const TUNING_BLOCKS: usize = 2_000;
/// Parts of the tuning blocks, made of whole folds.
const TUNING_PARTS: usize = 3;
/// Values of C that are tried, ascending.
const PRICES: [f64; 4] = [1.0, 4.0, 16.0, 64.0];
/// Values of gamma of the Gaussian kernel; Weka's and libsvm's defaults (0.01 and 1/37) are below
/// its first.
const GAMMAS: [f64; 4] = [0.03, 0.12, 0.5, 2.0];
/// Ridges of the logistic regression, per block.
const RIDGES: [f64; 4] = [1e-7, 1e-6, 1e-5, 1e-4];
/// Number of models trained at the same time: each needs a kernel matrix (9,000 blocks: 0.65 GB).
const AT_ONCE: usize = 2;

/// A classifier with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Machine {
    Svm(SvmOptions),
    Logistic(f64),
}

impl Machine {
    /// For each judged row, true if it is text.
    fn verdicts(
        self,
        rows: ArrayView2<'_, f32>,
        is_content: &[bool],
        judged: ArrayView2<'_, f32>,
    ) -> Result<Vec<bool>, ModelError> {
        let margins = match self {
            Self::Svm(options) => svm::fit(rows, is_content, &options)?.margins(judged),
            Self::Logistic(ridge) => logistic::fit(rows, is_content, ridge)?.margins(judged),
        };
        Ok(margins.into_iter().map(|margin| margin > 0.0).collect())
    }

    fn describe(self) -> String {
        match self {
            Self::Svm(SvmOptions { c, gamma, .. }) => format!("C {c}, gamma {gamma}"),
            Self::Logistic(ridge) => format!("ridge {ridge:e} per block"),
        }
    }
}

/// Table 3 on these pages, in the paper's order; the perceptron is trained with `options`.
///
/// # Errors
/// If an option is out of range or there are too few blocks.
pub(crate) fn table3(
    pages: &[GoldPage],
    options: &TexrexOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Table3Row>, ModelError> {
    table3_of(&sample(pages, options)?, options, progress)
}

/// The table of [`table3`], on blocks that were sampled before.
///
/// # Errors
/// If a model cannot be trained.
pub(crate) fn table3_of(
    sampled: &Sampled,
    options: &TexrexOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Table3Row>, ModelError> {
    let rbf = GAMMAS.map(|gamma| {
        PRICES.map(|c| {
            Machine::Svm(SvmOptions {
                c,
                gamma,
                ..SvmOptions::default()
            })
        })
    });
    let parts = tuning_parts(sampled);
    let row = |name, machines: &[Machine], paper| {
        let machine = choose(&parts, machines)?;
        progress(&format!("{name}: {}", machine.describe()));
        let measures = crossvalidated(sampled, machine)?;
        Ok(Table3Row {
            name,
            chosen: machine.describe(),
            measures,
            paper,
        })
    };
    let rbf = row(
        "SVM (RBF)",
        rbf.as_flattened(),
        [0.901, 0.905, 0.901, 0.905],
    )?;
    let line = row(
        "Log. Reg.",
        &RIDGES.map(Machine::Logistic),
        [0.901, 0.904, 0.902, 0.904],
    )?;
    let folds = crossvalidate(sampled, &options.mlp, progress)?;
    let verdicts = folds
        .folds
        .iter()
        .flat_map(|fold| fold.scores.iter().map(|&score| score <= 0.5));
    let truth = folds
        .folds
        .iter()
        .flat_map(|fold| fold.is_content.iter().copied());
    let mlp = Table3Row {
        name: "MLP",
        chosen: format!(
            "{} hidden units, {} epochs",
            options.mlp.hidden, options.mlp.epochs
        ),
        measures: Measures::count(verdicts.zip(truth)),
        paper: [0.944, 0.945, 0.945, 0.945],
    };
    Ok(vec![mlp, rbf, line])
}

/// Table 3 on the pages of `sets` that have full gold text, not rendered: the output of
/// `vclean lab evaluate --table texrex`.
///
/// # Errors
/// If there is no such page, or there are too few blocks.
pub fn measure_sets(
    sets: &[DataSet],
    split: Split,
    seed: u64,
    progress: &dyn Progress,
) -> Result<TableResult, ExperimentError> {
    let GoldPages { pages, failed } = read_gold_pages(sets, split, progress)?;
    let rows = table3(&pages, &TexrexOptions::table().seeded(seed), &|step| {
        progress.step(step);
    })?;
    Ok(TableResult {
        text: report(&rows),
        figures: serde_json::Value::Null,
        failed,
    })
}

/// The table as text: the mean of both classes weighted by their blocks, as in Weka and the paper,
/// then each class separately, then the paper's figures.
pub fn report(rows: &[Table3Row]) -> String {
    let mut table = Table::new(&[
        "method",
        "parameters",
        "P",
        "R",
        "F1",
        "correct",
        "boilerplate P",
        "R",
        "F1",
        "text P",
        "R",
        "F1",
        "paper F1",
        "correct",
    ]);
    for Table3Row {
        name,
        chosen,
        measures,
        paper,
    } in rows
    {
        let Measures {
            correct,
            boilerplate,
            text,
            weighted,
        } = measures;
        let scores =
            |score: &vclean_lab::gold::WordScore| [score.precision, score.recall, score.f1];
        let shares = [
            &scores(weighted)[..],
            &[*correct],
            &scores(boilerplate),
            &scores(text),
            &paper[2..],
        ]
        .concat();
        let names = [(*name).to_owned(), chosen.clone()];
        table.push(
            names
                .into_iter()
                .chain(shares.iter().map(|share| format!("{share:.3}")))
                .collect(),
        );
    }
    table.to_text()
}

/// Training rows with their labels, and validation rows with theirs.
type Part = (Array2<f32>, Vec<bool>, Array2<f32>, Vec<bool>);

fn tuning_parts(sampled: &Sampled) -> Vec<Part> {
    let every = sampled.fold_of.len().div_ceil(TUNING_BLOCKS).max(1);
    let chosen: Vec<usize> = (0..sampled.fold_of.len()).step_by(every).collect();
    let side = |part: usize, is_in: bool| {
        let rows = chosen
            .iter()
            .copied()
            .filter(|&row| (sampled.fold_of[row] % TUNING_PARTS == part) == is_in);
        let rows: Vec<usize> = rows.collect();
        let labels = rows.iter().map(|&row| sampled.is_content[row]).collect();
        (sampled.rows.select(Axis(0), &rows), labels)
    };
    (0..TUNING_PARTS)
        .map(|part| {
            let ((rows, labels), (judged, truth)) = (side(part, false), side(part, true));
            (rows, labels, judged, truth)
        })
        .collect()
}

/// The first of the machines with the most correct tuning blocks.
fn choose(parts: &[Part], machines: &[Machine]) -> Result<Machine, ModelError> {
    let count = |&machine: &Machine| {
        let mut right = 0;
        for (rows, labels, judged, truth) in parts {
            let verdicts = machine.verdicts(rows.view(), labels, judged.view())?;
            right += verdicts
                .iter()
                .zip(truth)
                .filter(|(one, other)| one == other)
                .count();
        }
        Ok((machine, right))
    };
    let counts: Vec<(Machine, usize)> = machines
        .par_iter()
        .map(count)
        .collect::<Result<_, ModelError>>()?;
    let best = counts
        .into_iter()
        .reduce(|best, other| if other.1 > best.1 { other } else { best });
    Ok(best.expect("a grid has machines").0)
}

fn crossvalidated(sampled: &Sampled, machine: Machine) -> Result<Measures, ModelError> {
    let count = sampled.fold_of.iter().max().map_or(0, |last| last + 1);
    let fold = |fold: usize| {
        let ((rows, labels), (apart, truth)) =
            (sampled.part(fold, false), sampled.part(fold, true));
        let verdicts = machine.verdicts(rows.view(), &labels, apart.view())?;
        Ok(verdicts.into_iter().zip(truth).collect::<Vec<_>>())
    };
    let folds = (0..count)
        .into_par_iter()
        .with_min_len(count.div_ceil(AT_ONCE));
    let pairs: Vec<Vec<(bool, bool)>> = folds.map(fold).collect::<Result<_, ModelError>>()?;
    Ok(Measures::count(pairs.into_iter().flatten()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mlp::MlpOptions;

    #[test]
    fn curved_classes_need_a_nonlinear_classifier() {
        let mut random = fastrand::Rng::with_seed(5);
        let rows = Array2::from_shape_fn((600, 2), |_| random.f32());
        let is_content = rows
            .rows()
            .into_iter()
            .map(|row| (row[0] + 0.2 * row[1] - 0.6).abs() < 0.25)
            .collect();
        let fold_of = (0..600).map(|row| row % 4).collect();
        let sampled = Sampled {
            rows,
            is_content,
            fold_of,
            pages: 1,
            sites: 1,
        };
        let mlp = MlpOptions {
            hidden: 6,
            epochs: 400,
            snapshot_every: 100,
            seed: 1,
        };
        let options = TexrexOptions {
            mlp,
            folds: 4,
            ..TexrexOptions::default()
        };
        let table = table3_of(&sampled, &options, &|_| ()).unwrap();
        let correct: Vec<f64> = table.iter().map(|row| row.measures.correct).collect();
        assert_eq!(
            table.iter().map(|row| row.name).collect::<Vec<_>>(),
            ["MLP", "SVM (RBF)", "Log. Reg."]
        );
        assert!(
            correct[0] > 0.9 && correct[1] > 0.93 && correct[2] < 0.8,
            "{correct:?}"
        );
        assert_eq!(table, table3_of(&sampled, &options, &|_| ()).unwrap());
        let text = report(&table);
        assert!(
            text.contains("gamma") && text.contains("ridge") && text.contains("0.945"),
            "{text}"
        );
    }
}
