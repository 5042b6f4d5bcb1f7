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

use super::kernel::{BATCH, KernelMachine, norms};
use super::logistic::solve;
use ndarray::{Array1, Array2, ArrayView2, Axis};

/// Share of a kernel value at itself below which a vector lies, to rounding, in the span of those
/// chosen before it.
const IN_THE_SPAN: f64 = 1e-5;
/// Ridge a row of the least squares: small, only to keep nearly equal kernel columns from making it
/// singular.
const RIDGE: f64 = 1e-7;
/// Margins are clamped to this before the fit: larger ones are certain decisions, and later stages
/// clamp them too.
const FAR: f32 = 3.0;

/// A machine with at most `count` of the vectors of `whole`, close to it on `rows`.
pub(super) fn reduce(
    whole: &KernelMachine,
    rows: ArrayView2<'_, f32>,
    count: usize,
) -> KernelMachine {
    let KernelMachine {
        kernel,
        rho,
        vectors,
        weights,
    } = whole;
    let chosen = choose(&kernel.matrix(vectors.view()), weights, count);
    let kept = vectors.select(Axis(0), &chosen);
    let (all_norms, kept_norms) = (norms(vectors.view()), norms(kept.view()));
    // Normal equations of the kept vectors' kernel columns and a column of ones.
    let size = chosen.len() + 1;
    let (mut curve, mut slope) = (vec![0.0f64; size * size], vec![0.0f64; size]);
    for batch in rows.axis_chunks_iter(Axis(0), BATCH) {
        let margins = kernel
            .values(batch, vectors.view(), &all_norms)
            .dot(weights)
            - *rho;
        let columns = kernel
            .values(batch, kept.view(), &kept_norms)
            .mapv(f64::from);
        let products = columns.t().dot(&columns);
        for row in 0..size - 1 {
            for column in 0..=row {
                curve[row * size + column] += products[[row, column]];
            }
        }
        for (values, margin) in columns.rows().into_iter().zip(&margins) {
            let margin = f64::from(margin.clamp(-FAR, FAR));
            for (at, &value) in values.iter().enumerate() {
                slope[at] += value * margin;
                curve[(size - 1) * size + at] += value;
            }
            slope[size - 1] += margin;
            curve[size * size - 1] += 1.0;
        }
    }
    for at in 0..size {
        curve[at * size + at] += RIDGE * rows.nrows() as f64;
    }
    let mut fitted = solve(&mut curve, &slope);
    let offset = fitted.pop().unwrap_or(0.0);
    let weights = fitted.into_iter().map(|weight| weight as f32).collect();
    KernelMachine {
        kernel: *kernel,
        rho: -offset as f32,
        vectors: kept,
        weights,
    }
}

/// Numbers of the vectors that are kept, ascending: a Cholesky decomposition of the kernel matrix
/// whose next pivot is the vector with the largest remainder of the function, relative to the
/// remaining length of the vector.
fn choose(matrix: &Array2<f32>, weights: &Array1<f32>, count: usize) -> Vec<usize> {
    let all = weights.len();
    let value = |row: usize, column: usize| f64::from(matrix[[row, column]]);
    let wide: Array1<f64> = weights.mapv(f64::from);
    let mut rest: Vec<f64> = matrix
        .rows()
        .into_iter()
        .map(|row| row.iter().zip(&wide).map(|(&k, w)| f64::from(k) * w).sum())
        .collect();
    let mut lengths: Vec<f64> = (0..all).map(|at| value(at, at)).collect();
    let least: Vec<f64> = lengths
        .iter()
        .map(|length| IN_THE_SPAN * length.abs())
        .collect();
    let mut factors: Vec<Vec<f64>> = Vec::new();
    let mut chosen = Vec::new();
    while chosen.len() < count {
        let gain = |at: &usize| rest[*at] * rest[*at] / lengths[*at];
        let open = (0..all).filter(|&at| lengths[at] > least[at]);
        let Some(pivot) =
            open.max_by(|one, other| gain(one).total_cmp(&gain(other)).then(other.cmp(one)))
        else {
            break;
        };
        let root = lengths[pivot].sqrt();
        let mut factor: Vec<f64> = matrix
            .row(pivot)
            .iter()
            .map(|&value| f64::from(value))
            .collect();
        for before in &factors {
            let at_pivot = before[pivot];
            factor
                .iter_mut()
                .zip(before)
                .for_each(|(value, before)| *value -= at_pivot * before);
        }
        for value in &mut factor {
            *value /= root;
        }
        let part = rest[pivot] / root;
        for ((rest, length), value) in rest.iter_mut().zip(&mut lengths).zip(&factor) {
            *rest -= part * value;
            *length -= value * value;
        }
        lengths[pivot] = 0.0;
        factors.push(factor);
        chosen.push(pivot);
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::super::kernel::Kernel;
    use super::super::kernel::tests::ALL;
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

    fn fit(
        rows: &Array2<f32>,
        labels: &[bool],
        kernel: Kernel,
        support_vectors: usize,
    ) -> KernelMachine {
        let options = SvmOptions {
            kernel,
            support_vectors,
            ..SvmOptions::default()
        };
        svm::fit(rows.view(), labels, None, &options).unwrap()
    }

    #[test]
    fn a_few_vectors_approximate_all_and_more_approximate_better() {
        let (rows, labels) = spiral(600);
        let kernel = Kernel::Rbf { gamma: 0.3 };
        let whole = fit(&rows, &labels, kernel, 0);
        let (fresh, truth) = spiral(900);
        let margins = whole.margins(fresh.view());
        let right = |margins: &[f32]| {
            margins
                .iter()
                .zip(&truth)
                .filter(|(m, truth)| (**m > 0.0) == **truth)
                .count()
        };
        let error = |machine: &KernelMachine| {
            let own = machine.margins(fresh.view());
            let apart = |(one, other): (&f32, &f32)| {
                (one.clamp(-FAR, FAR) - other.clamp(-FAR, FAR)).powi(2)
            };
            margins.iter().zip(&own).map(apart).sum::<f32>() / margins.len() as f32
        };
        let few: Vec<KernelMachine> = [5, 20, 60]
            .map(|count| fit(&rows, &labels, kernel, count))
            .into();
        assert_eq!(
            few.iter()
                .map(|machine| machine.weights.len())
                .collect::<Vec<_>>(),
            [5, 20, 60]
        );
        assert!(whole.weights.len() > 100);
        let errors: Vec<f32> = few.iter().map(error).collect();
        assert!(
            errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2],
            "{errors:?}"
        );
        let found = [right(&few[2].margins(fresh.view())), right(&margins)];
        assert!(found[0] + 27 > found[1], "{found:?}");
    }

    #[test]
    fn every_kernel_can_be_reduced_and_no_vector_is_chosen_twice() {
        let (rows, labels) = spiral(120);
        for kernel in ALL {
            let machine = fit(&rows, &labels, kernel, 30);
            assert!(
                machine.weights.len() <= 30 && !machine.weights.is_empty(),
                "{kernel:?}"
            );
            assert!(
                machine
                    .margins(rows.view())
                    .iter()
                    .all(|margin| margin.is_finite()),
                "{kernel:?}"
            );
        }
        // Four columns span no more than four vectors.
        assert_eq!(fit(&rows, &labels, Kernel::Linear, 30).weights.len(), 4);
        let same = Array2::from_elem((3, 3), 1.0f32);
        assert_eq!(
            choose(&same, &Array1::from(vec![1.0, 2.0, 3.0]), 3).len(),
            1
        );
    }
}
