//! Columns of the groups before that the `context` group takes at other targets.

use super::super::page::PageView;

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

/// A column measured before, or zeros where its group was not measured.
pub(super) fn column<'v>(view: &'v PageView<'_>, name: &str, zeros: &'v [f32]) -> &'v [f32] {
    view.measured.column(name).unwrap_or(zeros)
}

/// The value at `index`, 0 where there is none.
pub(super) fn value_at(values: &[f32], index: Option<usize>) -> f32 {
    index.and_then(|index| values.get(index)).copied().unwrap_or(0.0)
}

/// Mean over `reach` values on either side, without the middle one; weights decrease evenly from `reach` to 1.
pub(super) fn window(values: &[f32], middle: usize, reach: usize) -> f32 {
    let (mut sum, mut weights) = (0.0, 0.0);
    for (index, &value) in values.iter().enumerate().take(middle + reach + 1).skip(middle.saturating_sub(reach)) {
        let distance = index.abs_diff(middle);
        if distance > 0 {
            let weight = (reach + 1 - distance) as f32;
            sum += weight * value;
            weights += weight;
        }
    }
    if weights > 0.0 { sum / weights } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_weigh_near_targets_more_and_skip_the_middle() {
        assert_eq!(window(&[1.0, 9.0, 0.0], 1, 3), 0.5);
        assert_eq!(window(&[4.0, 1.0, 9.0], 2, 2), (2.0 + 4.0) / 3.0);
        assert_eq!(window(&[7.0], 0, 8), 0.0);
    }
}
