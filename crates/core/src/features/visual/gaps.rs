//! Blank space between rectangles: the distance to the nearest one above, below, left and right.

/// Width in px of the lanes into which the page is divided; neighbors share a lane.
const LANE_PX: f32 = 8.0;

/// Maximum number of lanes on pages of any size.
const MOST_LANES: usize = 16_384;

/// Blank space in px between a rectangle and the nearest one on each side; `None` if there is none.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Gaps {
    pub(crate) above: Option<f32>,
    pub(crate) below: Option<f32>,
    pub(crate) left: Option<f32>,
    pub(crate) right: Option<f32>,
}

/// For each rectangle (left, top, right, bottom), the blank space to the nearest rectangles above,
/// below, left and right that share a lane of 8 px with it. Overlapping rectangles that begin
/// before it have distance 0. Linear in rectangles times lanes crossed, after sorting.
pub(crate) fn gaps(rects: &[[f32; 4]]) -> Vec<Gaps> {
    let mut gaps = vec![Gaps::default(); rects.len()];
    let sides: [fn(&mut Gaps) -> &mut Option<f32>; 4] = [
        |gaps| &mut gaps.above,
        |gaps| &mut gaps.below,
        |gaps| &mut gaps.left,
        |gaps| &mut gaps.right,
    ];
    // For each side, the axis of the search and its direction (`up`: towards larger values).
    for (side, (axis, up)) in sides
        .into_iter()
        .zip([(1, false), (1, true), (0, false), (0, true)])
    {
        // Mirrored if the search goes towards larger values, so that "before" is always smaller.
        let span = |rect: &[f32; 4]| {
            if up {
                (-rect[axis + 2], -rect[axis])
            } else {
                (rect[axis], rect[axis + 2])
            }
        };
        let across = 1 - axis;
        let lane = |value: f32| ((value.max(0.0) / LANE_PX) as usize).min(MOST_LANES - 1);
        let lanes = |rect: &[f32; 4]| {
            let first = lane(rect[across]);
            first..lane((rect[across + 2] - 0.5).max(rect[across])).max(first) + 1
        };
        let last = rects.iter().map(|rect| lanes(rect).end).max().unwrap_or(0);
        let mut reached = vec![f32::MIN; last];
        let mut order: Vec<usize> = (0..rects.len()).collect();
        order.sort_by(|&a, &b| {
            span(&rects[a])
                .0
                .total_cmp(&span(&rects[b]).0)
                .then(a.cmp(&b))
        });
        for index in order {
            let (start, end) = span(&rects[index]);
            let lanes = &mut reached[lanes(&rects[index])];
            let near = lanes.iter().copied().fold(f32::MIN, f32::max);
            if near > f32::MIN {
                *side(&mut gaps[index]) = Some((start - near).max(0.0));
            }
            for lane in lanes {
                *lane = lane.max(end);
            }
        }
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_neighbor_counts() {
        let rects = [
            [0.0, 0.0, 100.0, 20.0],
            [0.0, 50.0, 100.0, 70.0],
            [140.0, 50.0, 240.0, 70.0],
            [0.0, 200.0, 240.0, 220.0],
        ];
        let gaps = gaps(&rects);
        let below = |gap| Gaps {
            below: Some(gap),
            ..Gaps::default()
        };
        assert_eq!(gaps[0], below(30.0));
        assert_eq!(
            gaps[1],
            Gaps {
                above: Some(30.0),
                right: Some(40.0),
                ..below(130.0)
            }
        );
        assert_eq!(
            gaps[2],
            Gaps {
                left: Some(40.0),
                ..below(130.0)
            }
        );
        assert_eq!(
            gaps[3],
            Gaps {
                above: Some(130.0),
                ..Gaps::default()
            }
        );
    }

    #[test]
    fn rectangles_far_off_do_not_panic() {
        let rects = [[-1e6, -1e6, -9e5, 1e9], [1e9, 0.0, 2e9, 1.0]];
        assert_eq!(gaps(&rects).len(), 2);
        assert!(gaps(&[]).is_empty());
    }
}
