//! Fitting by linfa-svm: the reference that our own solver is compared with.

use super::options::SvmOptions;
use crate::classify::kernel::Kernel;
use crate::error::ModelError;
use linfa::prelude::{Fit, ParamGuard};
use ndarray::{Array1, Array2, ArrayView2};

/// The signed weight of each row, and the offset rho.
pub(super) fn fit_linfa(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    options: &SvmOptions,
) -> Result<(Vec<f64>, f64), ModelError> {
    let fail = |error: &dyn std::fmt::Display| ModelError::Training(format!("linfa-svm: {error}"));
    let params = linfa_svm::Svm::<f64, bool>::params()
        .pos_neg_weights(options.c * options.content_weight, options.c)
        .eps(options.tolerance)
        // Shrinking would give a wrong model (0.8.1).
        .shrinking(false);
    let (params, factor) = match options.kernel {
        // Its kernel is exp(-|x - y|^2 / width).
        Kernel::Rbf { gamma } => (params.gaussian_kernel(1.0 / gamma), 1.0),
        Kernel::Linear => (params.linear_kernel(), 1.0),
        // Its kernel has no gamma: the rows take its root.
        Kernel::Polynomial { gamma, coef0, degree } => {
            (params.polynomial_kernel(coef0, f64::from(degree)), gamma.sqrt())
        }
        Kernel::Sigmoid { .. } | Kernel::Puk { .. } => {
            return Err(ModelError::Training(
                "linfa has no sigmoid and no PUK kernel; use our own solver (smo)".to_owned(),
            ));
        }
    };
    let params = params.check().map_err(|error| fail(&error))?;
    let records: Array2<f64> = rows.mapv(|value| factor * f64::from(value));
    let dataset = linfa::DatasetBase::new(records, Array1::from(is_content.to_vec()));
    let machine: linfa_svm::Svm<f64, bool> = params.fit(&dataset).map_err(|error| fail(&error))?;
    Ok((machine.alpha, machine.rho))
}

#[cfg(test)]
mod tests {
    use super::super::machine::tests::{options, rings};
    use super::super::{Solver, Svm};
    use super::*;

    #[test]
    fn margins_are_those_of_linfa() {
        let (rows, labels) = rings(250, 6, 5);
        let options = options(Solver::Linfa);
        let machine = Svm::fit(rows.view(), &labels, None, &options).unwrap();
        let dataset = linfa::DatasetBase::new(rows.mapv(f64::from), Array1::from(labels));
        let params = linfa_svm::Svm::<f64, bool>::params()
            .pos_neg_weights(options.c * options.content_weight, options.c)
            .eps(options.tolerance)
            .gaussian_kernel(1.0 / 0.7)
            .check()
            .unwrap();
        let reference: linfa_svm::Svm<f64, bool> = params.fit(&dataset).unwrap();
        let (fresh, _) = rings(300, 6, 6);
        for (row, margin) in fresh.rows().into_iter().zip(machine.margins(fresh.view())) {
            let expected = reference.weighted_sum(&row.mapv(f64::from)) - reference.rho;
            assert!((f64::from(margin) - expected).abs() < 1e-3, "{margin} {expected}");
        }
    }
}
