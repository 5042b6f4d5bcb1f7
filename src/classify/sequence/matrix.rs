//! Products of matrices in row order, by additions in a fixed order and without fused operations: the same bytes on
//! every machine. Libraries for such products use fused operations where the processor has them, which round
//! differently. Wider instructions do not: they take more columns at once, each with the same operations.

use pulp::{Arch, NullaryFnOnce};

/// Rows that are summed at once: each value of `right` is read once for all of them. 3 take .38 of the time of 1 with
/// instructions for 16 numbers, .93 with those for 8 (147 rows of 289 by 64 columns).
const ROWS: usize = 3;
/// Columns that are summed at once; their sums stay in registers. 64 take .57 of the time of 32 without wider
/// instructions (300 rows of 290 by 64 columns).
const COLUMNS: usize = 64;
/// The same for what is left of the columns.
const SOME: usize = 16;
/// The same for what is left then.
const FEW: usize = 4;

/// A matrix that is read with any stride: a matrix in row order, or its transpose.
#[derive(Clone, Copy)]
pub(super) struct Strided<'a> {
    values: &'a [f32],
    row: usize,
    column: usize,
}

impl<'a> Strided<'a> {
    /// A matrix in row order with so many columns.
    pub(super) fn rows(values: &'a [f32], columns: usize) -> Self {
        Self { values, row: columns, column: 1 }
    }

    /// The transpose of a matrix in row order with so many columns.
    pub(super) fn transposed(values: &'a [f32], columns: usize) -> Self {
        Self { values, row: 1, column: columns }
    }
}

/// Adds to `sum`, a matrix of some rows and `columns` columns, the product of `left` and `right` (of `inner` rows).
pub(super) fn add_product(sum: &mut [f32], left: Strided<'_>, right: &[f32], inner: usize, columns: usize) {
    Arch::new().dispatch(Product { sum, left, right, inner, columns });
}

/// The arguments of [`add_product`]: compiled several times, for several sets of instructions.
struct Product<'a> {
    sum: &'a mut [f32],
    left: Strided<'a>,
    right: &'a [f32],
    inner: usize,
    columns: usize,
}

impl NullaryFnOnce for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        add_rows(self.sum, self.left, self.right, self.inner, self.columns);
    }
}

#[inline(always)]
fn add_rows(sum: &mut [f32], left: Strided<'_>, right: &[f32], inner: usize, columns: usize) {
    let mut row = 0;
    let mut tiles = sum.chunks_exact_mut(ROWS * columns);
    for sums in &mut tiles {
        add_tile::<ROWS>(sums, left, row, right, inner, columns);
        row += ROWS;
    }
    for sums in tiles.into_remainder().chunks_exact_mut(columns) {
        add_tile::<1>(sums, left, row, right, inner, columns);
        row += 1;
    }
}

/// The rows from `row` on.
#[inline(always)]
fn add_tile<const R: usize>(
    sums: &mut [f32],
    left: Strided<'_>,
    row: usize,
    right: &[f32],
    inner: usize,
    columns: usize,
) {
    let mut from = 0;
    while from + COLUMNS <= columns {
        add_columns::<R, COLUMNS>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += COLUMNS;
    }
    while from + SOME <= columns {
        add_columns::<R, SOME>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += SOME;
    }
    while from + FEW <= columns {
        add_columns::<R, FEW>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += FEW;
    }
    while from < columns {
        add_columns::<R, 1>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += 1;
    }
}

#[inline(always)]
fn add_columns<const R: usize, const N: usize>(
    sums: &mut [f32],
    left: Strided<'_>,
    row: usize,
    right: &[f32],
    inner: usize,
    columns: usize,
) {
    let mut own: [[f32; N]; R] = std::array::from_fn(|at| std::array::from_fn(|column| sums[at * columns + column]));
    let starts: [usize; R] = std::array::from_fn(|at| (row + at) * left.row);
    for at in 0..inner {
        let values: &[f32; N] = right[at * columns..][..N].try_into().expect("as many columns");
        for (own, start) in own.iter_mut().zip(starts) {
            let factor = left.values[start + at * left.column];
            for (sum, value) in own.iter_mut().zip(values) {
                *sum += factor * value;
            }
        }
    }
    for (at, own) in own.iter().enumerate() {
        sums[at * columns..][..N].copy_from_slice(own);
    }
}

/// The transpose of a matrix with so many columns.
pub(super) fn transpose(values: &[f32], columns: usize) -> Vec<f32> {
    let rows = values.len() / columns.max(1);
    let mut turned = vec![0.0; values.len()];
    for row in 0..rows {
        for column in 0..columns {
            turned[column * rows + row] = values[row * columns + column];
        }
    }
    turned
}
