//! Reduced-set support vector machine: an approximation of a machine with fewer support vectors
//! (Burges 1996, "Simplified support vector decision rules"). The cost of deciding is proportional
//! to the number of support vectors.
//!
//! A machine is a function in the kernel's space, and many of its vectors are redundant. The kept
//! vectors are chosen among its own, each the one that reduces the remaining error of the function
//! most (the greedy choice of Müller and Schaback 2009, "A Newton basis for kernel spaces"); then
//! the weights and the offset are fitted by least squares to the whole machine's margins on its
//! training rows (Schölkopf et al. 1999, "Input space versus feature space in kernel-based
//! methods", section IV).

use super::logistic::solve;
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, Axis};
use vclean_core::classify::Svm;
use vclean_core::classify::svm::dots_to_gaussian;

/// Share of its length below which a vector lies, to rounding, in the span of those chosen before
/// it.
const IN_THE_SPAN: f64 = 1e-5;
/// Ridge a row of the least squares: small, only to keep nearly equal kernel columns from making it
/// singular.
const RIDGE: f64 = 1e-7;
/// Margins are clamped to this before the fit: larger ones are certain decisions, and later stages
/// clamp them too.
const FAR: f32 = 3.0;

/// A machine with at most `count` of the vectors of `whole`, close to it on `rows`; `weights` are
/// those of the vectors.
pub(super) fn reduce(
    whole: &Svm,
    vectors: &Array2<f32>,
    weights: &Array1<f32>,
    rows: ArrayView2<'_, f32>,
    count: usize,
) -> Svm {
    let gamma = whole.gamma();
    let matrix = gaussians(vectors.view(), vectors.view(), gamma);
    let chosen = choose(&matrix, &weights.mapv(f64::from), count);
    let kept = vectors.select(Axis(0), &chosen);
    // Normal equations of the kept vectors' kernel columns and a column of ones.
    let mut columns = gaussians(rows, kept.view(), gamma);
    columns
        .push_column(Array1::ones(rows.nrows()).view())
        .expect("one value a row");
    let margins = whole.margins(rows).into_iter();
    let margins: Array1<f64> = margins
        .map(|margin| f64::from(margin.clamp(-FAR, FAR)))
        .collect();
    let mut curve = columns.t().dot(&columns);
    curve
        .diag_mut()
        .mapv_inplace(|value| value + RIDGE * rows.nrows() as f64);
    let mut curve: Vec<f64> = curve.into_iter().collect();
    let mut fitted = solve(&mut curve, &columns.t().dot(&margins).to_vec());
    let offset = fitted.pop().unwrap_or(0.0);
    let weights = fitted.into_iter().map(|weight| weight as f32).collect();
    Svm::new(gamma, -offset as f32, kept, weights)
}

/// Kernel values of each of `rows` with each of `others`, one row of the result for each of `rows`.
fn gaussians(rows: ArrayView2<'_, f32>, others: ArrayView2<'_, f32>, gamma: f32) -> Array2<f64> {
    let norms = |rows: ArrayView2<'_, f32>| -> Vec<f32> {
        rows.rows().into_iter().map(|row| row.dot(&row)).collect()
    };
    let mut values = Array2::zeros((rows.nrows(), others.nrows()));
    general_mat_mul(1.0, &rows, &others.t(), 0.0, &mut values);
    let of_others = norms(others);
    for (mut row, norm) in values.rows_mut().into_iter().zip(norms(rows)) {
        let row = row.as_slice_mut().expect("a product is in row order");
        dots_to_gaussian(row, norm, &of_others, gamma);
    }
    values.mapv(f64::from)
}

/// Numbers of the vectors that are kept, ascending: a Cholesky decomposition of the kernel matrix
/// whose next pivot is the vector with the largest remainder of the function, relative to the
/// remaining length of the vector.
fn choose(matrix: &Array2<f64>, weights: &Array1<f64>, count: usize) -> Vec<usize> {
    let mut rest = matrix.dot(weights);
    let mut lengths = Array1::<f64>::ones(weights.len());
    let mut factors: Vec<Array1<f64>> = Vec::new();
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let gain = |at: &usize| rest[*at] * rest[*at] / lengths[*at];
        let open = (0..weights.len()).filter(|&at| lengths[at] > IN_THE_SPAN);
        let Some(pivot) =
            open.max_by(|one, other| gain(one).total_cmp(&gain(other)).then(other.cmp(one)))
        else {
            break;
        };
        let mut factor = matrix.row(pivot).to_owned();
        for before in &factors {
            factor.scaled_add(-before[pivot], before);
        }
        let root = lengths[pivot].sqrt();
        factor /= root;
        let part = rest[pivot] / root;
        rest.scaled_add(-part, &factor);
        lengths.zip_mut_with(&factor, |length, value| *length -= value * value);
        lengths[pivot] = 0.0;
        factors.push(factor);
        chosen.push(pivot);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::svm::{self, SvmOptions};
    use super::*;

    fn spiral(count: usize) -> (Array2<f32>, Vec<bool>) {
        let mut random = fastrand::Rng::with_seed(8);
        let rows = Array2::from_shape_fn((count, 4), |_| random.f32() * 2.0 - 1.0);
        let labels = rows
            .rows()
            .into_iter()
            .map(|row| (3.0 * row[0]).sin() + row[1] * row[2] + 0.3 * random.f32() > 0.4);
        let labels = labels.collect();
        (rows, labels)
    }

    #[test]
    fn a_few_vectors_approximate_all_and_more_approximate_better() {
        let (rows, labels) = spiral(600);
        let fit = |support_vectors: usize| {
            let options = SvmOptions {
                gamma: 0.3,
                support_vectors,
                ..SvmOptions::default()
            };
            svm::fit(rows.view(), &labels, &options).unwrap()
        };
        let whole = fit(0);
        let (fresh, truth) = spiral(900);
        let margins = whole.margins(fresh.view());
        let right = |margins: &[f32]| {
            margins
                .iter()
                .zip(&truth)
                .filter(|(m, truth)| (**m > 0.0) == **truth)
                .count()
        };
        let error = |machine: &Svm| {
            let own = machine.margins(fresh.view());
            let apart = |(one, other): (&f32, &f32)| {
                (one.clamp(-FAR, FAR) - other.clamp(-FAR, FAR)).powi(2)
            };
            margins.iter().zip(&own).map(apart).sum::<f32>() / margins.len() as f32
        };
        let few = [5, 20, 60].map(fit);
        assert_eq!(few.each_ref().map(Svm::support_vectors), [5, 20, 60]);
        assert!(whole.support_vectors() > 100);
        let errors = few.each_ref().map(error);
        assert!(
            errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2],
            "{errors:?}"
        );
        let found = [right(&few[2].margins(fresh.view())), right(&margins)];
        assert!(found[0] + 27 > found[1], "{found:?}");
    }

    #[test]
    fn no_vector_is_chosen_twice() {
        let same = Array2::ones((3, 3));
        assert_eq!(
            choose(&same, &Array1::from(vec![1.0, 2.0, 3.0]), 3).len(),
            1
        );
    }
}
