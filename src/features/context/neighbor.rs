//! Key columns of the targets before and after, and their means over windows and over the target's group.

use super::super::page::PageView;
use super::super::{Column, LOG, OURS, SHARE};
use super::column;

/// Number of key columns.
const KEYS: usize = 5;
/// Where the key columns are taken.
const PLACES: usize = 7;

/// The key columns of one place: one column a key, in the order of [`KEY_COLUMNS`].
macro_rules! place {
    ($place:literal, $where:literal) => {
        [
            key!($place, $where, "length", LOG, "text.characters_log"),
            key!($place, $where, "link_density", SHARE, "structural.link_density"),
            key!($place, $where, "density", "tokens a line, 0 to 40", "text.density"),
            key!($place, $where, "ends_sentence", SHARE, "text.ends_sentence"),
            key!($place, $where, "score_ratio", SHARE, "structural.score_ratio"),
        ]
    };
}

macro_rules! key {
    ($place:literal, $where:literal, $key:literal, $range:expr, $column:literal) => {
        Column {
            name: concat!("context.", $place, ".", $key),
            range: $range,
            meaning: concat!($column, " ", $where, "; 0 where there is none"),
            source: OURS,
        }
    };
}

const KEY_COLUMNS: [&str; KEYS] =
    ["text.characters_log", "structural.link_density", "text.density", "text.ends_sentence", "structural.score_ratio"];

const TABLE: [[Column; KEYS]; PLACES] = [
    place!("previous_1", "of the target before (Kohlschütter 2010, 2)"),
    place!("previous_2", "of the second target before"),
    place!("next_1", "of the target after (Kohlschütter 2010, 2)"),
    place!("next_2", "of the second target after"),
    place!("window_3", "on average over three targets before and after, nearer ones weighing more"),
    place!("window_8", "on average over eight targets before and after, nearer ones weighing more"),
    place!("group", "on average over the nearest element that holds another target too"),
];

pub(super) const COLUMNS: [Column; KEYS * PLACES] = {
    let mut columns = [TABLE[0][0]; KEYS * PLACES];
    let mut index = 0;
    while index < KEYS * PLACES {
        columns[index] = TABLE[index / KEYS][index % KEYS];
        index += 1;
    }
    columns
};

/// Fills the first columns of each row.
pub(super) fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    let zeros = vec![0.0; view.targets.len()];
    for (key, name) in KEY_COLUMNS.iter().enumerate() {
        let values = column(view, name, &zeros);
        let mut before = Vec::with_capacity(values.len() + 1);
        before.push(0.0f64);
        for (index, &value) in values.iter().enumerate() {
            before.push(before[index] + f64::from(value));
        }
        let at = |index: Option<usize>| index.and_then(|index| values.get(index)).copied().unwrap_or(0.0);
        for (index, row) in rows.iter_mut().enumerate() {
            let group = view.targets_of(view.blocks[index].group);
            let group_mean = if group.is_empty() {
                0.0
            } else {
                ((before[group.end] - before[group.start]) / group.len() as f64) as f32
            };
            let places: [f32; PLACES] = [
                at(index.checked_sub(1)),
                at(index.checked_sub(2)),
                at(Some(index + 1)),
                at(Some(index + 2)),
                window(values, index, 3),
                window(values, index, 8),
                group_mean,
            ];
            for (place, value) in places.into_iter().enumerate() {
                row[place * KEYS + key] = value;
            }
        }
    }
}

/// Mean over `reach` values on either side, without the middle one; weights fall evenly from `reach` to 1.
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
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure;
    use super::*;
    use crate::target::{TargetRule, select};

    #[test]
    fn windows_weigh_near_targets_more_and_skip_the_middle() {
        assert_eq!(window(&[1.0, 9.0, 0.0], 1, 3), 0.5);
        assert_eq!(window(&[4.0, 1.0, 9.0], 2, 2), (2.0 + 4.0) / 3.0);
        assert_eq!(window(&[7.0], 0, 8), 0.0);
    }

    #[test]
    fn columns_are_named_for_what_they_take() {
        for (place, columns) in TABLE.iter().enumerate() {
            for (column, key) in columns.iter().zip(KEY_COLUMNS) {
                assert!(column.meaning.starts_with(key), "{place}");
            }
        }
        let capture = page("<p>one<p><a href=x>two</a><p>three");
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let value = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(value("context.previous_1.link_density"), [0.0, 0.0, 1.0]);
        assert_eq!(value("context.next_1.link_density"), [1.0, 0.0, 0.0]);
        assert_eq!(value("context.group.link_density"), [1.0 / 3.0; 3]);
    }
}
