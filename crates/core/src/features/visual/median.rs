//! The median that line heights are found by.

/// The value at which half of the weight is reached; `None` for none.
pub(crate) fn weighted_median(mut values: Vec<(f32, f32)>) -> Option<f32> {
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let half = values
        .iter()
        .map(|&(_, weight)| f64::from(weight))
        .sum::<f64>()
        / 2.0;
    let mut sum = 0.0;
    values
        .iter()
        .find(|&&(_, weight)| {
            sum += f64::from(weight);
            sum >= half
        })
        .map(|&(value, _)| value)
}
