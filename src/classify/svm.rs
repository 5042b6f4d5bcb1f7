//! The support vector machine: its decision function, evaluated in batches, and its fitting by linfa-svm or our own
//! solver.
//!
//! linfa has the Gaussian, linear and polynomial kernels, and rows of equal weight. Our own solver (`smo`) adds the
//! sigmoid and Pearson VII kernels, weights of rows, and a start from another solution. linfa holds the whole kernel
//! matrix in f64 (3 GB at 20,000 rows), our solver holds it in f32 and takes a tenth of the time; both find the same
//! machine (see the tests; `tests/kernels.rs` compares both with libsvm).

#[cfg(feature = "experiments")]
mod fit;
mod grid;
#[cfg(feature = "experiments")]
mod linfa;
mod machine;
#[cfg(feature = "experiments")]
mod options;

#[cfg(feature = "experiments")]
pub use self::options::{Solver, SvmOptions};

pub use self::machine::Svm;

pub(super) use self::grid::{from_grid, to_grid};
#[cfg(feature = "experiments")]
pub(super) use self::options::max_steps;
