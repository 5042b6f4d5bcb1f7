//! Key columns of the targets before and after, and their means over windows and over the target's group.

use super::super::column::{Column, Feature, LOG, OURS, SHARE, ValueRange, columns_of_parts};
use super::super::page::PageView;
use super::measured::{column, column_of, value_at, window};
use std::ops::Range;

/// The key columns at one target, or their means over several.
#[derive(Debug, Clone, Copy, Default)]
struct Keys {
    length: f32,
    link_density: f32,
    density: f32,
    ends_sentence: f32,
    score_ratio: f32,
}

/// The key columns around one target.
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

/// Computes a column's value.
type Formula = fn(&NearbyKeys) -> f32;

/// A key column at one place.
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

/// All key columns at one place.
macro_rules! keys_at {
    ($place:ident, $where:literal) => {
        &[
            key!($place, $where, length, LOG),
            key!($place, $where, link_density, SHARE),
            key!($place, $where, density, ValueRange::new("tokens a line", 0.0, 40.0)),
            key!($place, $where, ends_sentence, SHARE),
            key!($place, $where, score_ratio, SHARE),
        ]
    };
}

const PARTS: &[&[Feature<Formula>]] = &[
    keys_at!(previous_1, "of the target before (Kohlschütter 2010, 2)"),
    keys_at!(previous_2, "of the second target before"),
    keys_at!(next_1, "of the target after (Kohlschütter 2010, 2)"),
    keys_at!(next_2, "of the second target after"),
    keys_at!(window_3, "on average over three targets before and after, nearer ones weighing more"),
    keys_at!(window_8, "on average over eight targets before and after, nearer ones weighing more"),
    keys_at!(group, "on average over the nearest element that holds another target too"),
];

pub(super) const COLUMNS: [Column; PARTS.len() * PARTS[0].len()] = columns_of_parts(PARTS);

/// A key column of the whole page.
struct KeyColumn<'v> {
    /// One value a target.
    values: &'v [f32],
    /// Per target, the sum of the values before it; one more at the end.
    sums: Vec<f64>,
}

impl<'v> KeyColumn<'v> {
    fn new(values: &'v [f32]) -> Self {
        let mut sums = Vec::with_capacity(values.len() + 1);
        sums.push(0.0f64);
        for (index, &value) in values.iter().enumerate() {
            sums.push(sums[index] + f64::from(value));
        }
        Self { values, sums }
    }

    /// Mean over the targets `range`, 0 where it is empty.
    fn mean(&self, range: &Range<usize>) -> f32 {
        if range.is_empty() {
            return 0.0;
        }
        ((self.sums[range.end] - self.sums[range.start]) / range.len() as f64) as f32
    }
}

/// Fills the first columns of each row.
pub(super) fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    let zeros = vec![0.0; view.targets.len()];
    let key = |name: &str| KeyColumn::new(column(view, name, &zeros));
    let length = key(column_of!(length));
    let link_density = key(column_of!(link_density));
    let density = key(column_of!(density));
    let ends_sentence = key(column_of!(ends_sentence));
    let score_ratio = key(column_of!(score_ratio));
    for (index, row) in rows.iter_mut().enumerate() {
        let group = view.targets_of(view.blocks[index].group);
        let keys = |value: &dyn Fn(&KeyColumn<'_>) -> f32| Keys {
            length: value(&length),
            link_density: value(&link_density),
            density: value(&density),
            ends_sentence: value(&ends_sentence),
            score_ratio: value(&score_ratio),
        };
        let nearby = NearbyKeys {
            previous_1: keys(&|key| value_at(key.values, index.checked_sub(1))),
            previous_2: keys(&|key| value_at(key.values, index.checked_sub(2))),
            next_1: keys(&|key| value_at(key.values, Some(index + 1))),
            next_2: keys(&|key| value_at(key.values, Some(index + 2))),
            window_3: keys(&|key| window(key.values, index, 3)),
            window_8: keys(&|key| window(key.values, index, 8)),
            group: keys(&|key| key.mean(&group)),
        };
        for (value, feature) in row.iter_mut().zip(PARTS.iter().copied().flatten()) {
            *value = (feature.formula)(&nearby);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::super::fixture::page;
    use super::super::super::measure;
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
}
