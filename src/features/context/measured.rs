//! Columns of the groups before that the `context` group takes at other targets.

/// Name of the column that a key is taken from.
macro_rules! column_of {
    (length) => {
        "text.characters_log"
    };
    (link_density) => {
        "structural.link_density"
    };
    (density) => {
        "text.density"
    };
    (ends_sentence) => {
        "text.ends_sentence"
    };
    (score_ratio) => {
        "structural.score_ratio"
    };
    (width_ratio) => {
        "visual.layout.width_ratio"
    };
    (font_ratio) => {
        "visual.layout.font_ratio"
    };
    (column_overlap) => {
        "visual.layout.column_overlap"
    };
    (modal_style) => {
        "visual.layout.modal_style"
    };
}
pub(super) use column_of;

/// The values at `index`, zeros where there is no such target.
pub(super) fn values_at<const N: usize>(rows: &[[f32; N]], index: Option<usize>) -> [f32; N] {
    index.and_then(|index| rows.get(index)).copied().unwrap_or([0.0; N])
}

/// Means over `reach` targets on either side, without the middle one; weights decrease evenly from `reach` to 1.
pub(super) fn window<const N: usize>(rows: &[[f32; N]], middle: usize, reach: usize) -> [f32; N] {
    let (mut sums, mut weights) = ([0.0; N], 0.0);
    let mut add = |distance: usize, row: &[f32; N]| {
        let weight = (reach + 1 - distance) as f32;
        sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += weight * value);
        weights += weight;
    };
    let first = middle.saturating_sub(reach);
    for (index, row) in rows[first..middle].iter().enumerate() {
        add(middle - first - index, row);
    }
    for (index, row) in rows[middle + 1..].iter().take(reach).enumerate() {
        add(index + 1, row);
    }
    if weights > 0.0 { sums.map(|sum| sum / weights) } else { [0.0; N] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_weigh_near_targets_more_and_skip_the_middle() {
        assert_eq!(window(&[[1.0, 2.0], [9.0, 9.0], [0.0, 0.0]], 1, 3), [0.5, 1.0]);
        assert_eq!(window(&[[4.0], [1.0], [9.0]], 2, 2), [(2.0 + 4.0) / 3.0]);
        assert_eq!(window(&[[7.0]], 0, 8), [0.0]);
        assert_eq!(values_at(&[[7.0]], Some(1)), [0.0]);
    }
}
