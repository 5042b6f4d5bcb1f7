//! Blank space between rectangles: how far the nearest one is above, below, left and right.

/// Width of the lanes in px that neighbors must share.
const LANE_PX: f32 = 8.0;

/// Most lanes, for pages of any size.
const MOST_LANES: usize = 16_384;

/// For each rectangle (left, top, right, bottom), the blank space in px to the nearest rectangle above, below, left
/// and right of it that shares a lane of 8 px with it; `None` where there is none. Rectangles that overlap it have
/// distance 0 where they begin before it. Linear in rectangles times lanes crossed, after sorting.
pub(crate) fn gaps(rects: &[[f32; 4]]) -> Vec<[Option<f32>; 4]> {
    let mut gaps = vec![[None; 4]; rects.len()];
    // (slot, axis along which to look, whether towards larger values)
    for (slot, axis, up) in [(0, 1, false), (1, 1, true), (2, 0, false), (3, 0, true)] {
        // Mirrored where we look towards larger values, so that "before" is always smaller.
        let span = |rect: &[f32; 4]| if up { (-rect[axis + 2], -rect[axis]) } else { (rect[axis], rect[axis + 2]) };
        let across = 1 - axis;
        let lane = |value: f32| ((value.max(0.0) / LANE_PX) as usize).min(MOST_LANES - 1);
        let lanes = |rect: &[f32; 4]| {
            let first = lane(rect[across]);
            first..lane((rect[across + 2] - 0.5).max(rect[across])).max(first) + 1
        };
        let last = rects.iter().map(|rect| lanes(rect).end).max().unwrap_or(0);
        let mut reached = vec![f32::MIN; last];
        let mut order: Vec<usize> = (0..rects.len()).collect();
        order.sort_by(|&a, &b| span(&rects[a]).0.total_cmp(&span(&rects[b]).0).then(a.cmp(&b)));
        for index in order {
            let (start, end) = span(&rects[index]);
            let lanes = &mut reached[lanes(&rects[index])];
            let near = lanes.iter().copied().fold(f32::MIN, f32::max);
            if near > f32::MIN {
                gaps[index][slot] = Some((start - near).max(0.0));
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
        let rects =
            [[0.0, 0.0, 100.0, 20.0], [0.0, 50.0, 100.0, 70.0], [140.0, 50.0, 240.0, 70.0], [0.0, 200.0, 240.0, 220.0]];
        let gaps = gaps(&rects);
        assert_eq!(gaps[0], [None, Some(30.0), None, None]);
        assert_eq!(gaps[1], [Some(30.0), Some(130.0), None, Some(40.0)]);
        assert_eq!(gaps[2], [None, Some(130.0), Some(40.0), None]);
        assert_eq!(gaps[3], [Some(130.0), None, None, None]);
    }

    #[test]
    fn rectangles_far_off_do_not_panic() {
        let rects = [[-1e6, -1e6, -9e5, 1e9], [1e9, 0.0, 2e9, 1.0]];
        assert_eq!(gaps(&rects).len(), 2);
        assert!(gaps(&[]).is_empty());
    }
}
