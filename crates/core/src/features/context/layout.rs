//! The `context.layout` group: the targets left, right, above and below a target on the rendered
//! page, and the layout of the targets before and after it.
//!
//! The neighbor in a direction is the nearest target that covers the target's middle on the other
//! axis. Targets are sorted into bands, so that the search is bounded.

use super::super::column::{Column, Feature, LOG, OURS, SHARE, ValueRange, columns_of_parts};
use super::super::page::PageView;
use super::neighbor::{column_of, values_at, window};
use crate::capture::{CssRect, Layout};
use crate::features::table::{FeatureGroup, GroupRows};
use crate::target::Target;

/// Height and width of a band in CSS px: about two lines.
const BAND_PX: f32 = 48.0;
/// Maximum number of candidates compared per band and direction.
const MAX_CANDIDATES: usize = 48;
/// Maximum number of bands that a target is listed in; a taller one is listed only in its first and
/// last.
const MAX_BANDS: usize = 512;

/// Measurements of the nearest target on one side.
#[derive(Debug, Clone, Copy)]
struct SideKeys {
    length: f32,
    link_density: f32,
    score_ratio: f32,
    gap_log: f32,
}

/// Measurements of a target before or after in document order, or means over several.
#[derive(Debug, Clone, Copy)]
struct LookKeys {
    width_ratio: f32,
    font_ratio: f32,
    column_overlap: f32,
    modal_style: f32,
}

/// The targets around one target.
struct LayoutNeighbors {
    left: SideKeys,
    right: SideKeys,
    above: SideKeys,
    below: SideKeys,
    previous_1: LookKeys,
    next_1: LookKeys,
    window_3: LookKeys,
}

type Formula = fn(&LayoutNeighbors) -> f32;

/// A column measured earlier, for a target at one position.
macro_rules! key {
    ($place:ident, $where:expr, $key:ident, $range:expr) => {
        Feature::new(
            concat!("context.layout.", stringify!($place), ".", stringify!($key)),
            $range,
            concat!(column_of!($key), " ", $where, "; 0 where there is none"),
            OURS,
            |neighbors| neighbors.$place.$key,
        )
    };
}

/// The columns of one side.
macro_rules! side {
    ($side:ident, $where:literal) => {
        &[
            key!($side, concat!("of the nearest block ", $where), length, LOG),
            key!(
                $side,
                concat!("of the nearest block ", $where),
                link_density,
                SHARE
            ),
            key!(
                $side,
                concat!("of the nearest block ", $where),
                score_ratio,
                SHARE
            ),
            Feature::new(
                concat!("context.layout.", stringify!($side), ".gap_log"),
                LOG,
                concat!(
                    "CSS px to the nearest block ",
                    $where,
                    "; 12 where there is none"
                ),
                OURS,
                |neighbors| neighbors.$side.gap_log,
            ),
        ]
    };
}

/// The columns of one position in document order.
macro_rules! look {
    ($place:ident, $where:literal) => {
        &[
            key!(
                $place,
                $where,
                width_ratio,
                ValueRange::new("ratio", 0.0, 3.0)
            ),
            key!(
                $place,
                $where,
                font_ratio,
                ValueRange::new("ratio", 0.0, 4.0)
            ),
            key!($place, $where, column_overlap, SHARE),
            key!($place, $where, modal_style, SHARE),
        ]
    };
}

const PARTS: &[&[Feature<Formula>]] = &[
    side!(left, "to the left"),
    side!(right, "to the right"),
    side!(above, "above"),
    side!(below, "below"),
    look!(previous_1, "of the block before"),
    look!(next_1, "of the block after"),
    look!(
        window_3,
        "on average over three blocks before and after, nearer ones weighing more"
    ),
];

const COLUMNS: [Column; PARTS.len() * PARTS[0].len()] = columns_of_parts(PARTS);

/// This group needs boxes.
pub(in super::super) const GROUP: FeatureGroup = FeatureGroup {
    name: "context.layout",
    needs_layout: true,
    reads: &["text", "structural", "visual.layout"],
    columns: &COLUMNS,
    measure,
};

/// Value of `gap_log` if there is no target on that side.
const NO_NEIGHBOR_GAP_LOG: f32 = 12.0;

fn measure(view: &PageView<'_>, rows: &mut GroupRows<'_>) {
    let Some(layout) = &view.capture.layout else {
        return;
    };
    let keys = rows.columns([
        column_of!(length),
        column_of!(link_density),
        column_of!(score_ratio),
    ]);
    let looks = rows.columns([
        column_of!(width_ratio),
        column_of!(font_ratio),
        column_of!(column_overlap),
        column_of!(modal_style),
    ]);
    let side = |neighbor: Option<NearTarget>| {
        let [length, link_density, score_ratio] =
            values_at(&keys, neighbor.map(|neighbor| neighbor.index));
        let gap_log = neighbor.map_or(NO_NEIGHBOR_GAP_LOG, |neighbor| {
            neighbor.gap_px.max(0.0).ln_1p()
        });
        SideKeys {
            length,
            link_density,
            score_ratio,
            gap_log,
        }
    };
    let look = |[width_ratio, font_ratio, column_overlap, modal_style]: [f32; 4]| LookKeys {
        width_ratio,
        font_ratio,
        column_overlap,
        modal_style,
    };
    let spans: Vec<[Span; 2]> = view
        .targets
        .iter()
        .map(|target| spans(rect(layout, target)))
        .collect();
    // Left and right: along x within bands of y; above and below: along y within bands of x.
    let (beside, over) = (neighbors(&spans, 0), neighbors(&spans, 1));
    for (index, row) in rows.iter_mut().enumerate() {
        let found = LayoutNeighbors {
            left: side(beside[index].before),
            right: side(beside[index].after),
            above: side(over[index].before),
            below: side(over[index].after),
            previous_1: look(values_at(&looks, index.checked_sub(1))),
            next_1: look(values_at(&looks, Some(index + 1))),
            window_3: look(window(&looks, index, 3)),
        };
        for (value, feature) in row.iter_mut().zip(PARTS.iter().copied().flatten()) {
            *value = (feature.formula)(&found);
        }
    }
}

/// Bounding rectangle of the target's line boxes.
fn rect(layout: &Layout, target: &Target) -> CssRect {
    let lines = target.texts.iter().flat_map(|&text| layout.lines(text));
    lines.fold(CssRect::default(), |sum, line| sum.union(line.rect))
}

/// Extent on one axis, in CSS px.
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
    [
        Span {
            from: rect.x,
            to: rect.right(),
        },
        Span {
            from: rect.y,
            to: rect.bottom(),
        },
    ]
}

fn band(at: f32) -> i64 {
    // The cast saturates, so any coordinate gives a valid band.
    (at / BAND_PX).floor() as i64
}

/// A target beside another one.
#[derive(Debug, Clone, Copy, PartialEq)]
struct NearTarget {
    index: usize,
    gap_px: f32,
}

/// The nearest targets along one axis: left and right, or above and below.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct NearestTargets {
    before: Option<NearTarget>,
    after: Option<NearTarget>,
}

/// The neighbors of each target along `axis`.
fn neighbors(spans: &[[Span; 2]], axis: usize) -> Vec<NearestTargets> {
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
        one.0
            .cmp(&other.0)
            .then(middle(one.1).total_cmp(&middle(other.1)))
            .then(one.1.cmp(&other.1))
    });
    let find =
        |index: usize, candidates: &mut dyn Iterator<Item = &(i64, usize)>, is_before: bool| {
            let own = spans[index];
            let at = own[across].middle();
            candidates
                .take(MAX_CANDIDATES)
                .filter(|(_, other)| spans[*other][across].covers(at))
                .map(|&(_, other)| {
                    let span = spans[other][axis];
                    let gap_px = if is_before {
                        own[axis].from - span.to
                    } else {
                        span.from - own[axis].to
                    };
                    NearTarget {
                        index: other,
                        gap_px,
                    }
                })
                // A target that overlaps by more than half a line is in front or behind, not
                // beside.
                .filter(|neighbor| neighbor.gap_px > -8.0)
                .min_by(|one, other| {
                    one.gap_px
                        .total_cmp(&other.gap_px)
                        .then(one.index.cmp(&other.index))
                })
        };
    let mut found = vec![NearestTargets::default(); spans.len()];
    for (index, found) in found.iter_mut().enumerate() {
        let own_band = band(spans[index][across].middle());
        let start = entries.partition_point(|entry| entry.0 < own_band);
        let end = entries.partition_point(|entry| entry.0 <= own_band);
        let split = start
            + entries[start..end]
                .partition_point(|entry| middle(entry.1).total_cmp(&middle(index)).is_lt());
        found.before = find(index, &mut entries[start..split].iter().rev(), true);
        found.after = find(
            index,
            &mut entries[split..end].iter().filter(|entry| entry.1 != index),
            false,
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32, y: f32, width: f32, height: f32) -> [Span; 2] {
        spans(CssRect {
            x,
            y,
            width,
            height,
        })
    }

    #[test]
    fn neighbors_are_those_a_reader_sees() {
        let page = [
            at(0.0, 0.0, 1000.0, 40.0),
            at(0.0, 60.0, 200.0, 300.0),
            at(220.0, 60.0, 780.0, 300.0),
            at(220.0, 400.0, 780.0, 20.0),
        ];
        let neighbor = |index, gap_px| Some(NearTarget { index, gap_px });
        let across = neighbors(&page, 0);
        assert_eq!(
            across[1],
            NearestTargets {
                before: None,
                after: neighbor(2, 20.0)
            }
        );
        assert_eq!(
            across[2],
            NearestTargets {
                before: neighbor(1, 20.0),
                after: None
            }
        );
        assert_eq!(across[0], NearestTargets::default());
        let down = neighbors(&page, 1);
        assert_eq!(
            down[2],
            NearestTargets {
                before: neighbor(0, 20.0),
                after: neighbor(3, 40.0)
            }
        );
        assert_eq!(
            down[1],
            NearestTargets {
                before: neighbor(0, 20.0),
                after: None
            }
        );
    }

    #[test]
    fn the_group_is_measured_where_there_are_boxes() {
        use super::super::super::fixture::page;
        use super::super::super::measure;
        use crate::capture::{LineBox, Style};
        use crate::target::{TargetRule, select};
        let mut capture = page("<div><p>left text<p>right</div>");
        let mut layout = Layout::new(capture.dom.len(), 1000.0, 100.0);
        let mut x = 0.0;
        for id in capture.dom.ids() {
            let rect = CssRect {
                x,
                y: 0.0,
                width: 100.0,
                height: 20.0,
            };
            if capture.dom.text(id).is_some() {
                layout.set(
                    id,
                    rect,
                    &Style::default(),
                    0,
                    &[LineBox {
                        rect,
                        start: 0,
                        length: 1,
                    }],
                );
                x += 150.0;
            } else {
                layout.set(
                    id,
                    rect,
                    &Style {
                        display: crate::capture::Display::Block,
                        ..Style::default()
                    },
                    0,
                    &[],
                );
            }
        }
        capture.layout = Some(layout);
        let table = measure(&capture, &select(&capture, TargetRule::Blocks)).unwrap();
        let value = |name: &str| table.column(name).unwrap().to_vec();
        assert_eq!(
            value("context.layout.left.length")[1],
            value("text.characters_log")[0]
        );
        assert_eq!(value("context.layout.left.gap_log"), [12.0, 50f32.ln_1p()]);
        assert_eq!(value("context.layout.below.gap_log"), [12.0, 12.0]);
    }

    #[test]
    fn extreme_boxes_and_many_targets_are_handled() {
        let mut page = vec![at(1e30, -1e30, 0.0, 0.0), at(0.0, 0.0, 1e9, 1e9)];
        page.extend((0..20_000).map(|index| at(10.0, index as f32 * 10.0, 500.0, 10.0)));
        for axis in [0, 1] {
            let found = neighbors(&page, axis);
            assert!(
                found
                    .iter()
                    .flat_map(|own| [own.before, own.after])
                    .flatten()
                    .all(|one| one.gap_px.is_finite())
            );
        }
    }
}
