//! Requirements on the rows that a classifier is fitted to.

use crate::error::ModelError;
use ndarray::ArrayView2;

/// Checks rows before a classifier is fitted to them: as many labels (and weights) as rows, both labels present, and
/// finite values only.
pub(super) fn check_rows(
    rows: ArrayView2<'_, f32>,
    is_content: &[bool],
    weights: Option<&[f32]>,
) -> Result<(), ModelError> {
    let fail = |cause: String| Err(ModelError::Training(cause));
    let count = rows.nrows();
    if count != is_content.len() {
        return fail(format!("{count} rows have {} labels; each needs one", is_content.len()));
    }
    if let Some(weights) = weights {
        if weights.len() != count {
            return fail(format!("{count} rows have {} weights; each needs one", weights.len()));
        }
        if let Some(row) = weights.iter().position(|weight| !(weight.is_finite() && *weight > 0.0)) {
            return fail(format!("the weight of row {row} is {}, allowed is above 0", weights[row]));
        }
    }
    let content = is_content.iter().filter(|content| **content).count();
    if content == 0 || content == count {
        return fail(format!("{content} of {count} rows are content; both kinds are needed, add pages with gold"));
    }
    match rows.indexed_iter().find(|(_, value)| !value.is_finite()) {
        Some(((row, column), value)) => {
            fail(format!("row {row} has {value} in column {column}; measure the features again with this version"))
        }
        None => Ok(()),
    }
}
