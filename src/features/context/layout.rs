//! The `context.layout` group: what stands left, right, above and below a target on the rendered page, and the look of
//! the targets before and after.
//!
//! A neighbor is the nearest target in that direction that covers the target's middle on the other axis. Targets are
//! sorted into bands, so that the search looks at a bounded number of candidates.

use super::super::page::PageView;
use super::super::{Column, FeatureGroup, LOG, OURS, SHARE};
use super::column;
use super::neighbor::window;
use crate::capture::{CssRect, Layout};
use crate::target::Target;

/// Height and width of a band in CSS px: about two lines.
const BAND_PX: f32 = 48.0;
/// Candidates looked at in one band and direction; a page drawn over itself may hold more.
const MAX_CANDIDATES: usize = 48;
/// Bands a target is entered in; a taller one is found by its first and last only.
const MAX_BANDS: usize = 512;

macro_rules! side {
    ($side:literal, $where:literal) => {
        [
            Column {
                name: concat!("context.layout.", $side, ".length"),
                range: LOG,
                meaning: concat!("text.characters_log of the nearest target ", $where, "; 0 where there is none"),
                source: OURS,
            },
            Column {
                name: concat!("context.layout.", $side, ".link_density"),
                range: SHARE,
                meaning: concat!("structural.link_density of the nearest target ", $where, "; 0 where there is none"),
                source: OURS,
            },
            Column {
                name: concat!("context.layout.", $side, ".score_ratio"),
                range: SHARE,
                meaning: concat!("structural.score_ratio of the nearest target ", $where, "; 0 where there is none"),
                source: OURS,
            },
            Column {
                name: concat!("context.layout.", $side, ".gap_log"),
                range: LOG,
                meaning: concat!("CSS px to the nearest target ", $where, "; 12 where there is none"),
                source: OURS,
            },
        ]
    };
}

const SIDES: [[Column; 4]; 4] =
    [side!("left", "to the left"), side!("right", "to the right"), side!("above", "above"), side!("below", "below")];

/// Columns of `visual.layout` that are taken at the targets before and after; zeros where they were not measured.
const SEQUENCE_KEYS: [&str; 4] = [
    "visual.layout.width_ratio",
    "visual.layout.font_ratio",
    "visual.layout.column_overlap",
    "visual.layout.modal_style",
];

macro_rules! sequence {
    ($place:literal, $where:literal) => {
        [
            sequence!($place, $where, "width_ratio", "ratio, 0 to 3", "visual.layout.width_ratio"),
            sequence!($place, $where, "font_ratio", "ratio, 0 to 4", "visual.layout.font_ratio"),
            sequence!($place, $where, "column_overlap", SHARE, "visual.layout.column_overlap"),
            sequence!($place, $where, "modal_style", SHARE, "visual.layout.modal_style"),
        ]
    };
    ($place:literal, $where:literal, $key:literal, $range:expr, $column:literal) => {
        Column {
            name: concat!("context.layout.", $place, ".", $key),
            range: $range,
            meaning: concat!($column, " ", $where, "; 0 where there is none"),
            source: OURS,
        }
    };
}

const SEQUENCE: [[Column; 4]; 3] = [
    sequence!("previous_1", "of the target before"),
    sequence!("next_1", "of the target after"),
    sequence!("window_3", "on average over three targets before and after, nearer ones weighing more"),
];

const COUNT: usize = 4 * (SIDES.len() + SEQUENCE.len());

const COLUMNS: [Column; COUNT] = {
    let mut columns = [SIDES[0][0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        columns[index] = if index < 16 { SIDES[index / 4][index % 4] } else { SEQUENCE[(index - 16) / 4][index % 4] };
        index += 1;
    }
    columns
};

/// The group; needs boxes.
pub(in super::super) const GROUP: FeatureGroup =
    FeatureGroup { name: "context.layout", needs_layout: true, columns: &COLUMNS, measure };

fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    let Some(layout) = &view.capture.layout else { return };
    measure_sequence(view, rows);
    let zeros = vec![0.0; view.targets.len()];
    let keys = ["text.characters_log", "structural.link_density", "structural.score_ratio"]
        .map(|name| column(view, name, &zeros));
    let spans: Vec<[Span; 2]> = view.targets.iter().map(|target| spans(rect(layout, target))).collect();
    // Left and right: along x within bands of y; above and below: along y within bands of x.
    for (axis, first) in [(0, 0), (1, 8)] {
        let neighbors = neighbors(&spans, axis);
        for (row, [before, after]) in rows.iter_mut().zip(neighbors) {
            for (neighbor, at) in [(before, first), (after, first + 4)] {
                row[at + 3] = 12.0;
                if let Some((index, gap)) = neighbor {
                    for (offset, key) in keys.iter().enumerate() {
                        row[at + offset] = key[index];
                    }
                    row[at + 3] = gap.max(0.0).ln_1p();
                }
            }
        }
    }
}

/// Fills the columns that follow those of the four sides.
fn measure_sequence(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    for (key, name) in SEQUENCE_KEYS.iter().enumerate() {
        let Some(values) = view.measured.column(name) else { continue };
        for (index, row) in rows.iter_mut().enumerate() {
            let before = index.checked_sub(1).map_or(0.0, |before| values[before]);
            let after = values.get(index + 1).copied().unwrap_or(0.0);
            for (place, value) in [before, after, window(values, index, 3)].into_iter().enumerate() {
                row[16 + 4 * place + key] = value;
            }
        }
    }
}

/// Bounding rectangle of the target's line boxes.
fn rect(layout: &Layout, target: &Target) -> CssRect {
    let lines = target.texts.iter().flat_map(|&text| layout.lines(text));
    lines.fold(CssRect::default(), |sum, line| sum.union(line.rect))
}

/// From and to on one axis, CSS px.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    from: f32,
    to: f32,
}

impl Span {
    fn middle(self) -> f32 {
        f32::midpoint(self.from, self.to)
    }

    fn covers(self, at: f32) -> bool {
        self.from <= at && at <= self.to
    }
}

fn spans(rect: CssRect) -> [Span; 2] {
    [Span { from: rect.x, to: rect.right() }, Span { from: rect.y, to: rect.bottom() }]
}

fn band(at: f32) -> i64 {
    // Saturates: a coordinate beyond any page is still a number.
    (at / BAND_PX).floor() as i64
}

/// By target, the nearest target before and after along `axis` and the distance to it.
fn neighbors(spans: &[[Span; 2]], axis: usize) -> Vec<[Option<(usize, f32)>; 2]> {
    let across = 1 - axis;
    let middle = |index: usize| spans[index][axis].middle();
    let mut entries: Vec<(i64, usize)> = Vec::new();
    for (index, span) in spans.iter().enumerate() {
        let (first, last) = (band(span[across].from), band(span[across].to));
        if last - first < MAX_BANDS as i64 {
            entries.extend((first..=last).map(|band| (band, index)));
        } else {
            entries.extend([(first, index), (last, index)]);
        }
    }
    entries.sort_by(|one, other| {
        one.0.cmp(&other.0).then(middle(one.1).total_cmp(&middle(other.1))).then(one.1.cmp(&other.1))
    });
    let find = |index: usize, candidates: &mut dyn Iterator<Item = &(i64, usize)>, is_before: bool| {
        let own = spans[index];
        let at = own[across].middle();
        candidates
            .take(MAX_CANDIDATES)
            .filter(|(_, other)| spans[*other][across].covers(at))
            .map(|&(_, other)| {
                let span = spans[other][axis];
                (other, if is_before { own[axis].from - span.to } else { span.from - own[axis].to })
            })
            // A target that overlaps by more than half a line stands in front or behind, not beside.
            .filter(|&(_, gap)| gap > -8.0)
            .min_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)))
    };
    let mut found = vec![[None, None]; spans.len()];
    for (index, found) in found.iter_mut().enumerate() {
        let own_band = band(spans[index][across].middle());
        let start = entries.partition_point(|entry| entry.0 < own_band);
        let end = entries.partition_point(|entry| entry.0 <= own_band);
        let split =
            start + entries[start..end].partition_point(|entry| middle(entry.1).total_cmp(&middle(index)).is_lt());
        found[0] = find(index, &mut entries[start..split].iter().rev(), true);
        found[1] = find(index, &mut entries[split..end].iter().filter(|entry| entry.1 != index), false);
    }
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32, width: f32, height: f32) -> [Span; 2] {
        spans(CssRect { x, y, width, height })
    }

    #[test]
    fn neighbors_stand_where_a_reader_sees_them() {
        let page = [
            at(0.0, 0.0, 1000.0, 40.0),
            at(0.0, 60.0, 200.0, 300.0),
            at(220.0, 60.0, 780.0, 300.0),
            at(220.0, 400.0, 780.0, 20.0),
        ];
        let across = neighbors(&page, 0);
        assert_eq!(across[1], [None, Some((2, 20.0))]);
        assert_eq!(across[2], [Some((1, 20.0)), None]);
        assert_eq!(across[0], [None, None]);
        let down = neighbors(&page, 1);
        assert_eq!(down[2], [Some((0, 20.0)), Some((3, 40.0))]);
        assert_eq!(down[1], [Some((0, 20.0)), None]);
    }

    #[test]
    fn the_group_is_measured_where_there_are_boxes() {
        use super::super::super::{fixture::page, measure};
        use crate::capture::{LineBox, Style};
        use crate::target::{TargetRule, select};
        let mut capture = page("<div><p>left text<p>right</div>");
        let mut layout = Layout::new(capture.dom.len(), 1000.0, 100.0);
        let mut x = 0.0;
        for id in capture.dom.ids() {
            let rect = CssRect { x, y: 0.0, width: 100.0, height: 20.0 };
            if capture.dom.text(id).is_some() {
                layout.set(id, rect, &Style::default(), 0, &[LineBox { rect, start: 0, length: 1 }]);
                x += 150.0;
            } else {
                layout.set(id, rect, &Style { display: crate::capture::Display::Block, ..Style::default() }, 0, &[]);
            }
        }
        capture.layout = Some(layout);
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let value = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(value("context.layout.left.length")[1], value("text.characters_log")[0]);
        assert_eq!(value("context.layout.left.gap_log"), [12.0, 50f32.ln_1p()]);
        assert_eq!(value("context.layout.below.gap_log"), [12.0, 12.0]);
    }

    #[test]
    fn odd_boxes_and_crowds_end() {
        let mut page = vec![at(1e30, -1e30, 0.0, 0.0), at(0.0, 0.0, 1e9, 1e9)];
        page.extend((0..20_000).map(|index| at(10.0, index as f32 * 10.0, 500.0, 10.0)));
        for axis in [0, 1] {
            assert!(neighbors(&page, axis).iter().flatten().flatten().all(|(_, gap)| gap.is_finite()));
        }
    }
}
