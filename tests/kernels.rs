//! Compares support vector machines with libsvm: see `fixtures/kernels/README.md`.
#![allow(clippy::unwrap_used)]

use ndarray::Array2;
use serde::Deserialize;
use vclean_lab::fitting::{Kernel, Solver, SvmOptions, svm};

#[derive(Deserialize)]
struct Reference {
    c: f64,
    content_weight: f64,
    rows: Vec<[f32; 5]>,
    labels: Vec<bool>,
    fresh_rows: Vec<[f32; 5]>,
    machines: Vec<ReferenceMachine>,
}

#[derive(Deserialize)]
struct ReferenceMachine {
    kernel: Kernel,
    decision_values: Vec<f32>,
}

#[test]
fn margins_equal_those_of_libsvm() {
    let reference: Reference =
        serde_json::from_str(include_str!("../fixtures/kernels/libsvm.json")).unwrap();
    let (rows, fresh) = (
        Array2::from(reference.rows),
        Array2::from(reference.fresh_rows),
    );
    let (mut checked, mut by_linfa) = (0, 0);
    for ReferenceMachine {
        kernel,
        decision_values,
    } in reference.machines
    {
        for solver in [Solver::Smo, Solver::Linfa] {
            let content_weight = reference.content_weight;
            let options = SvmOptions {
                c: reference.c,
                kernel,
                content_weight,
                tolerance: 1e-5,
                solver,
                support_vectors: 0,
            };
            let machine = match svm::fit(rows.view(), &reference.labels, None, &options) {
                Ok(machine) => machine,
                Err(error) => {
                    assert!(error.to_string().contains("linfa has no"), "{error}");
                    continue;
                }
            };
            by_linfa += usize::from(solver == Solver::Linfa);
            let margins = machine.margins(fresh.view());
            assert_eq!(margins.len(), decision_values.len());
            for (margin, value) in margins.iter().zip(&decision_values) {
                // The tolerance covers the rounding error of 16-bit support vectors.
                assert!(
                    (margin - value).abs() < 1e-3,
                    "{kernel:?} {solver:?}: {margin}, libsvm {value}"
                );
                checked += 1;
            }
        }
    }
    assert_eq!((checked, by_linfa), (180, 3));
}
