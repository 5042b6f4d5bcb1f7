//! The exponential function and products of matrices in row order, by additions in a fixed order
//! and without fused operations, so that results are bit-identical on every machine. Libraries for
//! such products use fused operations where the processor has them, which round differently. Wider
//! instructions do not: they process more columns at once with the same operations.

// Code that is not inlined into a dispatched function is compiled without the wider instructions.
#![allow(clippy::inline_always)]

use pulp::{Arch, NullaryFnOnce};

/// Number of rows that are summed at once, so that each value of `right` is read once for all of
/// them. 3 take .38 of the time of 1 with instructions for 16 numbers, .93 with those for 8 (147
/// rows of 289 by 64 columns).
const ROWS: usize = 3;
/// Number of columns that are summed at once; their sums stay in registers. 64 take .57 of the time
/// of 32 without wider instructions (300 rows of 290 by 64 columns).
const COLUMNS: usize = 64;
/// Block size for the columns that remain after blocks of [`COLUMNS`].
const SOME: usize = 16;
/// Block size for the columns that remain after blocks of [`SOME`].
const FEW: usize = 4;

/// exp(-x) for x of 0 or more, with a relative error below 3e-7. It uses only arithmetic, so
/// results are the same on every machine and the compiler can compute many at a time.
///
/// exp(-x) = 2^n exp(r) with n the whole number nearest to -x / ln 2, r below ln 2 / 2, and exp(r)
/// by its series. ln 2 is subtracted in two parts, so that no digit of r is lost (Cody and Waite
/// 1980).
#[inline(always)]
pub fn exp_neg(x: f32) -> f32 {
    /// 1.5 * 2^23: a float of this size has no fraction, so adding it rounds to a whole number in
    /// the lowest bits.
    const WHOLE: f32 = 12_582_912.0;
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    // Results below 2^-126 are all treated as this one.
    let x = x.min(87.0);
    let shifted = WHOLE - x * std::f32::consts::LOG2_E;
    let n = shifted - WHOLE;
    let r = -x - n * LN_2[0] - n * LN_2[1];
    let series = 1.0
        + r * (1.0
            + r * (0.5 + r * (1.0 / 6.0 + r * (1.0 / 24.0 + r * (1.0 / 120.0 + r / 720.0)))));
    series * f32::from_bits((shifted.to_bits() << 23).wrapping_add(0x3f80_0000))
}

/// A matrix that is read with any stride: in row order, or transposed.
#[derive(Clone, Copy)]
pub struct Strided<'a> {
    values: &'a [f32],
    row: usize,
    column: usize,
}

impl<'a> Strided<'a> {
    /// A matrix in row order with this number of columns.
    pub fn rows(values: &'a [f32], columns: usize) -> Self {
        Self {
            values,
            row: columns,
            column: 1,
        }
    }

    /// The transpose of a matrix in row order with this number of columns.
    pub fn transposed(values: &'a [f32], columns: usize) -> Self {
        Self {
            values,
            row: 1,
            column: columns,
        }
    }
}

/// Adds the product of `left` and `right` (which has `inner` rows) to `sum`, a matrix with
/// `columns` columns.
pub fn add_product(
    sum: &mut [f32],
    left: Strided<'_>,
    right: &[f32],
    inner: usize,
    columns: usize,
) {
    Arch::new().dispatch(Product {
        sum,
        left,
        right,
        inner: 0..inner,
        columns,
    });
}

/// [`add_product`] restricted to some columns of `left` and the same rows of `right`, in this
/// order.
pub fn add_product_of(
    sum: &mut [f32],
    left: Strided<'_>,
    right: &[f32],
    inner: &[usize],
    columns: usize,
) {
    Arch::new().dispatch(Product {
        sum,
        left,
        right,
        inner: inner.iter().copied(),
        columns,
    });
}

/// The arguments of [`add_product`], which is compiled for several instruction sets.
struct Product<'a, I> {
    sum: &'a mut [f32],
    left: Strided<'a>,
    right: &'a [f32],
    /// Columns of `left`, and rows of `right`.
    inner: I,
    columns: usize,
}

impl<I: Iterator<Item = usize> + Clone> NullaryFnOnce for Product<'_, I> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        add_rows(self.sum, self.left, self.right, &self.inner, self.columns);
    }
}

#[inline(always)]
fn add_rows<I>(sum: &mut [f32], left: Strided<'_>, right: &[f32], inner: &I, columns: usize)
where
    I: Iterator<Item = usize> + Clone,
{
    let mut row = 0;
    let mut tiles = sum.chunks_exact_mut(ROWS * columns);
    for sums in &mut tiles {
        add_tile::<ROWS, I>(sums, left, row, right, inner, columns);
        row += ROWS;
    }
    for sums in tiles.into_remainder().chunks_exact_mut(columns) {
        add_tile::<1, I>(sums, left, row, right, inner, columns);
        row += 1;
    }
}

/// Processes `R` rows, beginning at `row`.
#[inline(always)]
fn add_tile<const R: usize, I>(
    sums: &mut [f32],
    left: Strided<'_>,
    row: usize,
    right: &[f32],
    inner: &I,
    columns: usize,
) where
    I: Iterator<Item = usize> + Clone,
{
    let mut from = 0;
    while from + COLUMNS <= columns {
        add_columns::<R, COLUMNS, I>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += COLUMNS;
    }
    while from + SOME <= columns {
        add_columns::<R, SOME, I>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += SOME;
    }
    while from + FEW <= columns {
        add_columns::<R, FEW, I>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += FEW;
    }
    while from < columns {
        add_columns::<R, 1, I>(&mut sums[from..], left, row, &right[from..], inner, columns);
        from += 1;
    }
}

#[inline(always)]
fn add_columns<const R: usize, const N: usize, I>(
    sums: &mut [f32],
    left: Strided<'_>,
    row: usize,
    right: &[f32],
    inner: &I,
    columns: usize,
) where
    I: Iterator<Item = usize> + Clone,
{
    let mut own: [[f32; N]; R] =
        std::array::from_fn(|at| std::array::from_fn(|column| sums[at * columns + column]));
    let starts: [usize; R] = std::array::from_fn(|at| (row + at) * left.row);
    for at in inner.clone() {
        let values: &[f32; N] = right[at * columns..][..N]
            .try_into()
            .expect("as many columns");
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

/// The transpose of a matrix with this number of columns.
pub fn transpose(values: &[f32], columns: usize) -> Vec<f32> {
    let rows = values.len() / columns.max(1);
    let mut turned = vec![0.0; values.len()];
    for row in 0..rows {
        for column in 0..columns {
            turned[column * rows + row] = values[row * columns + column];
        }
    }
    turned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_accurate_over_its_range() {
        for step in 0..90_000 {
            let x = step as f32 / 1000.0;
            let (found, wanted) = (f64::from(exp_neg(x)), (-f64::from(x.min(87.0))).exp());
            assert!(
                (found - wanted).abs() <= 3e-7 * wanted,
                "{x}: {found} {wanted}"
            );
        }
        assert_eq!(exp_neg(0.0), 1.0);
        assert!(exp_neg(f32::INFINITY) < 1e-37);
    }
}
