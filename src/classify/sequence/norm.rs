//! Layer normalization (Ba, Kiros and Hinton 2016): each row to mean 0 and variance 1, then a gain and an offset for
//! each column.

/// Added to the variance: a constant row must not be divided by 0.
const LEAST_VARIANCE: f32 = 1e-5;

/// Sums that are computed side by side: one alone waits for each addition.
const LANES: usize = 8;

/// Normalized rows, and what the gradient needs.
pub(super) struct Normed {
    /// The normalized rows with gain and offset.
    pub(super) values: Vec<f32>,
    /// The rows before gain and offset.
    pub(super) plain: Vec<f32>,
    /// By what each row was multiplied.
    pub(super) scales: Vec<f32>,
}

/// Number of parameters: a gain and an offset for each column.
pub(super) fn size(width: usize) -> usize {
    2 * width
}

/// Normalizes `rows` of `width` columns.
#[inline(always)]
pub(super) fn forward(params: &[f32], width: usize, rows: &[f32]) -> Normed {
    let (gains, offsets) = params.split_at(width);
    let mut plain = vec![0.0; rows.len()];
    let mut values = vec![0.0; rows.len()];
    let mut scales = Vec::with_capacity(rows.len() / width);
    let outputs = plain.chunks_exact_mut(width).zip(values.chunks_exact_mut(width));
    for (row, (plain, values)) in rows.chunks_exact(width).zip(outputs) {
        let mean = sum(row, |value| value) / width as f32;
        let variance = sum(row, |value| (value - mean) * (value - mean)) / width as f32;
        let scale = 1.0 / (variance + LEAST_VARIANCE).sqrt();
        scales.push(scale);
        plain.iter_mut().zip(row).for_each(|(plain, value)| *plain = (value - mean) * scale);
        for (((value, plain), gain), offset) in values.iter_mut().zip(plain).zip(gains).zip(offsets) {
            *value = *plain * gain + offset;
        }
    }
    Normed { values, plain, scales }
}

/// The sum over a row of what `of` gives for each value: [`LANES`] sums at once, then these in order.
#[inline(always)]
fn sum(row: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut sums = [0.0f32; LANES];
    let mut chunks = row.chunks_exact(LANES);
    for chunk in &mut chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, &value)| *sum += of(value));
    }
    let rest: f32 = chunks.remainder().iter().map(|&value| of(value)).sum();
    sums.iter().sum::<f32>() + rest
}
