//! Key columns of the targets before and after, and their means over windows and over the target's
//! group.

use crate::features::column::{Column, Feature, LOG, OURS, SHARE, ValueRange, columns_of_parts};
use crate::features::page::PageView;
use crate::features::table::{GroupRows, fill_row};
use std::ops::Range;

/// The key columns of one target, or their means over several.
#[derive(Debug, Clone, Copy, Default)]
struct Keys {
    length: f32,
    link_density: f32,
    density: f32,
    ends_sentence: f32,
    score_ratio: f32,
}

/// The key columns of the targets around one target.
#[derive(Debug, Clone, Copy, Default)]
struct NearbyKeys {
    previous_1: Keys,
    previous_2: Keys,
    next_1: Keys,
    next_2: Keys,
    window_3: Keys,
    window_8: Keys,
    group: Keys,
}

type Formula = fn(&NearbyKeys) -> f32;

/// A key column at one position.
macro_rules! key {
    ($place:ident, $where:literal, $key:ident, $range:expr) => {
        Feature::new(
            concat!("context.", stringify!($place), ".", stringify!($key)),
            $range,
            concat!(column_of!($key), " ", $where, "; 0 where there is none"),
            OURS,
            |nearby| nearby.$place.$key,
        )
    };
}

/// All key columns at one position.
macro_rules! keys_at {
    ($place:ident, $where:literal) => {
        &[
            key!($place, $where, length, LOG),
            key!($place, $where, link_density, SHARE),
            key!(
                $place,
                $where,
                density,
                ValueRange::new("tokens a line", 0.0, 40.0)
            ),
            key!($place, $where, ends_sentence, SHARE),
            key!($place, $where, score_ratio, SHARE),
        ]
    };
}

const PARTS: &[&[Feature<Formula>]] = &[
    keys_at!(previous_1, "of the block before (Kohlschütter 2010, 2)"),
    keys_at!(previous_2, "of the second block before"),
    keys_at!(next_1, "of the block after (Kohlschütter 2010, 2)"),
    keys_at!(next_2, "of the second block after"),
    keys_at!(
        window_3,
        "on average over three blocks before and after, nearer ones weighing more"
    ),
    keys_at!(
        window_8,
        "on average over eight blocks before and after, nearer ones weighing more"
    ),
    keys_at!(
        group,
        "on average over the nearest element that holds another block too"
    ),
];

pub(super) const COLUMNS: [Column; PARTS.len() * PARTS[0].len()] = columns_of_parts(PARTS);

impl Keys {
    /// The names of the columns in the order of the fields.
    const COLUMNS: [&str; 5] = [
        column_of!(length),
        column_of!(link_density),
        column_of!(density),
        column_of!(ends_sentence),
        column_of!(score_ratio),
    ];

    fn new([length, link_density, density, ends_sentence, score_ratio]: [f32; 5]) -> Self {
        Self {
            length,
            link_density,
            density,
            ends_sentence,
            score_ratio,
        }
    }
}

/// Fills the first columns of each row.
pub(super) fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let keys = rows.columns(Keys::COLUMNS);
    // For each target, the sums over the targets before it, with one more entry at the end.
    let mut sums = vec![[0.0f64; 5]];
    let mut sum = [0.0f64; 5];
    for row in &keys {
        sum.iter_mut()
            .zip(row)
            .for_each(|(sum, &value)| *sum += f64::from(value));
        sums.push(sum);
    }
    for (index, row) in rows.iter_mut().enumerate() {
        let at = |index| Keys::new(values_at(&keys, index));
        let group = view.targets_of(view.blocks[index].group);
        let nearby = NearbyKeys {
            previous_1: at(index.checked_sub(1)),
            previous_2: at(index.checked_sub(2)),
            next_1: at(Some(index + 1)),
            next_2: at(Some(index + 2)),
            window_3: Keys::new(window(&keys, index, 3)),
            window_8: Keys::new(window(&keys, index, 8)),
            group: Keys::new(mean(&sums, &group)),
        };
        let (own, _) = row.split_at_mut(COLUMNS.len());
        fill_row!(
            own, &nearby, PARTS[0], PARTS[1], PARTS[2], PARTS[3], PARTS[4], PARTS[5], PARTS[6]
        );
    }
}

/// Means over the targets `range`, from the sums before each target; 0 if the range is empty.
fn mean<const N: usize>(sums: &[[f64; N]], range: &Range<usize>) -> [f32; N] {
    if range.is_empty() {
        return [0.0; N];
    }
    let count = range.len() as f64;
    std::array::from_fn(|key| ((sums[range.end][key] - sums[range.start][key]) / count) as f32)
}

/// Name of the column that a key is copied from.
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

/// The values at `index`; zeros if there is no such target.
pub(super) fn values_at<const N: usize>(rows: &[[f32; N]], index: Option<usize>) -> [f32; N] {
    index
        .and_then(|index| rows.get(index))
        .copied()
        .unwrap_or([0.0; N])
}

/// Weighted means over `reach` targets on either side, without the middle one; weights decrease
/// linearly from `reach` to 1.
pub(super) fn window<const N: usize>(rows: &[[f32; N]], middle: usize, reach: usize) -> [f32; N] {
    let (mut sums, mut weights) = ([0.0; N], 0.0);
    let mut add = |distance: usize, row: &[f32; N]| {
        let weight = (reach + 1 - distance) as f32;
        sums.iter_mut()
            .zip(row)
            .for_each(|(sum, value)| *sum += weight * value);
        weights += weight;
    };
    let first = middle.saturating_sub(reach);
    for (index, row) in rows[first..middle].iter().enumerate() {
        add(middle - first - index, row);
    }
    for (index, row) in rows[middle + 1..].iter().take(reach).enumerate() {
        add(index + 1, row);
    }
    if weights > 0.0 {
        sums.map(|sum| sum / weights)
    } else {
        [0.0; N]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::fixture::page;
    use crate::features::measure;
    use crate::target::{TargetRule, select};

    #[test]
    fn columns_are_taken_where_their_names_say() {
        let capture = page("<p>one<p><a href=x>two</a><p>three");
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let value = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(value("context.previous_1.link_density"), [0.0, 0.0, 1.0]);
        assert_eq!(value("context.next_1.link_density"), [1.0, 0.0, 0.0]);
        assert_eq!(value("context.group.link_density"), [1.0 / 3.0; 3]);
    }

    #[test]
    fn windows_weigh_near_targets_more_and_skip_the_middle() {
        assert_eq!(
            window(&[[1.0, 2.0], [9.0, 9.0], [0.0, 0.0]], 1, 3),
            [0.5, 1.0]
        );
        assert_eq!(window(&[[4.0], [1.0], [9.0]], 2, 2), [(2.0 + 4.0) / 3.0]);
        assert_eq!(window(&[[7.0]], 0, 8), [0.0]);
        assert_eq!(values_at(&[[7.0]], Some(1)), [0.0]);
    }
}
