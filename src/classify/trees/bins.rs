//! Columns cut into a few bins, so that a split is searched among bins instead of among rows.
//!
//! The histogram method of LightGBM (Ke et al. 2017, section 2.1): 128 bins of about equal size lose almost no accuracy
//! against exact splits, and a column of a sample takes a byte a row.

use ndarray::ArrayView2;
use rayon::prelude::*;

/// Most bins of a column. Heuristic: 255, the most a byte can number, takes twice the time for the same accuracy.
pub(super) const BINS: usize = 128;

/// The rows of a sample, each value by the number of its bin.
#[derive(Debug)]
pub(super) struct Bins {
    columns: Vec<Column>,
}

#[derive(Debug)]
struct Column {
    /// Ascending; bin b holds the values above `edges[b - 1]`, up to `edges[b]`.
    edges: Vec<f32>,
    /// The bin of each row.
    codes: Vec<u8>,
}

impl Bins {
    /// Cuts every column of finite `rows`.
    pub(super) fn cut(rows: ArrayView2<'_, f32>) -> Self {
        let cut = |column: usize| {
            let values = rows.column(column).to_vec();
            let edges = edges(&values);
            let codes = values.iter().map(|value| edges.partition_point(|edge| edge < value) as u8).collect();
            Column { edges, codes }
        };
        Self { columns: (0..rows.ncols()).into_par_iter().map(cut).collect() }
    }

    /// Number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The bin of each row in a column.
    pub(super) fn codes(&self, column: usize) -> &[u8] {
        &self.columns[column].codes
    }

    /// The largest values of a column's bins but the last: exactly the values in bins 0 to b are at most `edges[b]`.
    pub(super) fn edges(&self, column: usize) -> &[f32] {
        &self.columns[column].edges
    }
}

/// Where to cut: between all values that differ if there are few, else where every bin has about as many rows.
fn edges(values: &[f32]) -> Vec<f32> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f32::total_cmp);
    let mut changes: Vec<usize> = (1..sorted.len()).filter(|&at| sorted[at - 1] < sorted[at]).collect();
    if changes.len() >= BINS {
        let wanted = (1..BINS).map(|bin| bin * sorted.len() / BINS);
        // The next index from there on where the value changes.
        let mut chosen: Vec<usize> =
            wanted.filter_map(|at| changes.get(changes.partition_point(|&change| change < at)).copied()).collect();
        chosen.dedup();
        changes = chosen;
    }
    changes
        .into_iter()
        .map(|at| {
            let middle = f32::midpoint(sorted[at - 1], sorted[at]);
            if middle < sorted[at] { middle } else { sorted[at - 1] }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;
    use proptest::prelude::*;

    #[test]
    fn few_values_are_cut_between_and_a_constant_column_has_one_bin() {
        assert_eq!(edges(&[1.0, 0.0, 1.0, 4.0]), [0.5, 2.5]);
        assert!(edges(&[7.0; 9]).is_empty() && edges(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn bins_order_rows_as_values_do(values in proptest::collection::vec(-1.5f32..1.5, 1..1000)) {
            let bins = Bins::cut(Array2::from_shape_vec((values.len(), 1), values.clone()).unwrap().view());
            prop_assert!(bins.edges(0).len() < BINS);
            prop_assert!(bins.edges(0).windows(2).all(|pair| pair[0] < pair[1]));
            for (value, &code) in values.iter().zip(bins.codes(0)) {
                for (bin, edge) in bins.edges(0).iter().enumerate() {
                    prop_assert_eq!(value <= edge, usize::from(code) <= bin);
                }
            }
        }
    }
}
