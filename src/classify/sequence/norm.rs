//! Layer normalization (Ba, Kiros and Hinton 2016): each row to mean 0 and variance 1, then a gain and an offset for
//! each column.

/// Added to the variance: a constant row must not be divided by 0.
const LEAST_VARIANCE: f32 = 1e-5;

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
pub(super) fn forward(params: &[f32], width: usize, rows: &[f32]) -> Normed {
    let (gains, offsets) = params.split_at(width);
    let mut plain = Vec::with_capacity(rows.len());
    let mut scales = Vec::with_capacity(rows.len() / width);
    let mut values = Vec::with_capacity(rows.len());
    for row in rows.chunks_exact(width) {
        let mean = row.iter().sum::<f32>() / width as f32;
        let variance = row.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / width as f32;
        let scale = 1.0 / (variance + LEAST_VARIANCE).sqrt();
        scales.push(scale);
        for ((value, gain), offset) in row.iter().zip(gains).zip(offsets) {
            let value = (value - mean) * scale;
            plain.push(value);
            values.push(value * gain + offset);
        }
    }
    Normed { values, plain, scales }
}
