//! The `context.layout` group: what stands left, right, above and below a target on the rendered page.
//!
//! A neighbor is the nearest target in that direction that covers the target's middle on the other axis. Targets are
//! sorted into bands, so that the search looks at a bounded number of candidates.

use super::super::page::PageView;
use super::super::{Column, FeatureGroup, LOG, OURS, SHARE};
use super::column;
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

const COLUMNS: [Column; 16] = {
    let mut columns = [SIDES[0][0]; 16];
    let mut index = 0;
    while index < 16 {
        columns[index] = SIDES[index / 4][index % 4];
        index += 1;
    }
    columns
};

/// The group; needs boxes.
pub(in super::super) const GROUP: FeatureGroup =
    FeatureGroup { name: "context.layout", needs_layout: true, columns: &COLUMNS, measure };

fn measure(view: &PageView<'_>, rows: &mut [Vec<f32>]) {
    let Some(layout) = &view.capture.layout else { return };
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
    fn odd_boxes_and_crowds_end() {
        let mut page = vec![at(1e30, -1e30, 0.0, 0.0), at(0.0, 0.0, 1e9, 1e9)];
        page.extend((0..20_000).map(|index| at(10.0, index as f32 * 10.0, 500.0, 10.0)));
        for axis in [0, 1] {
            assert!(neighbors(&page, axis).iter().flatten().flatten().all(|(_, gap)| gap.is_finite()));
        }
    }
}
