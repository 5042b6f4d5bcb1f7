//! The shape of a blob: enclosing polygon, minimal bounding rectangle and FIASCO's three
//! solidities.
//!
//! FIASCO 3.3 names the measures, and its Table 1 gives their values for four regions; the
//! definitions are chosen here so that a drawn page reproduces the pattern of the table (see the
//! tests of `visual::blob` and `examples/figure2.rs`).
//!
//! - **Enclosing polygon.** For Solidity I the outer contour itself. For Solidity II and III the
//!   contour simplified by Ramer, Douglas and Peucker after scaling: x in units of a tenth of the
//!   region's width (at least a line height), y in units of 0.4 line heights (neither more than a
//!   quarter of the region's side), tolerance 1. A line end that differs from its neighbors by less
//!   than a tenth of the width, as in ragged-right running text, makes no vertex; an item that ends
//!   elsewhere makes two.
//! - **Solidity I** = area of the contour / area of its minimal bounding rectangle.
//! - **Solidity II** = vertices farther than [`EDGE_LINES`] from the region's top and bottom /
//!   height in line units. Only the inner lines count, for running text too may have an indent, a
//!   headline and a short last line (FIASCO's assumption B); a rectangle's corners never count, so
//!   that running text has FIASCO's 0.00, while each inner line end of a list adds up to two: 1.3 a
//!   line is what FIASCO found.
//! - **Solidity III** = mean over the polygon's vertices of the distance to the rectangle's center
//!   along x / half the width, times 4 / vertices. The factor follows from FIASCO's numbers: a list
//!   of Solidity I 0.88 has its line ends at 0.76 of the half width on average, so that a plain
//!   mean cannot be the 0.09 of Table 1; with each vertex that a rectangle does not have diluting
//!   the sum, running text with a short last line (6 vertices) has 0.44 to 0.67 (FIASCO: 0.61) and
//!   a list of 20 lines about 0.1 (FIASCO: 0.09 to 0.12). The plain mean is `vertex_distance`.

use geo::{Area, ConvexHull, Coord, LineString, MinimumRotatedRect, Polygon, Simplify};

/// Tolerance along x in shares of the region's width.
const X_TOLERANCE: f32 = 0.1;

/// Tolerance along y in line heights.
const Y_TOLERANCE: f32 = 0.4;

/// Maximum tolerance in shares of the region's width or height, so that a single word keeps its
/// four corners.
const MOST_TOLERANCE: f32 = 0.25;

/// Vertices closer than this to the top or the bottom, in line heights, belong to the first or last
/// line: more than a line, less than two.
const EDGE_LINES: f32 = 1.75;

/// Maximum number of contour points that are simplified; longer contours are thinned first. Limits
/// the time (quadratic at worst) and the depth of geo's recursion on a hostile page.
const MOST_POINTS: usize = 4000;

/// Geometry of one region, independent of scale except for the outlines.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shape {
    /// Solidity I, 0 to 1.
    pub solidity_1: f32,
    /// Solidity II, vertices per line, 0 or more.
    pub solidity_2: f32,
    /// Solidity III, 0 to 1.
    pub solidity_3: f32,
    /// Mean distance of the vertices to the rectangle's center along x, in half widths, 0 to 1.
    pub vertex_distance: f32,
    /// Vertices beyond four, per line, 0 or more.
    pub extra_vertices: f32,
    /// Area of the contour / area of its convex hull, 0 to 1.
    pub convexity: f32,
    /// The simplified enclosing polygon in page px, not closed.
    pub polygon: Vec<[f32; 2]>,
    /// The convex hull in page px, not closed.
    pub hull: Vec<[f32; 2]>,
    /// Corners of the minimal bounding rectangle in page px; empty for a region without area.
    pub rectangle: Vec<[f32; 2]>,
}

/// Measures the region inside a closed contour, given as successive points in page px.
pub(crate) fn measure_shape(contour: &[[f32; 2]], line_height_px: f32) -> Shape {
    let corners = drop_straight(contour);
    let (mut low, mut high) = ([f32::MAX; 2], [f32::MIN; 2]);
    for point in &corners {
        for axis in 0..2 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    let outline = polygon(&corners);
    let hull = outline.convex_hull();
    let rectangle = hull.minimum_rotated_rect();
    let (area, hull_area) = (outline.unsigned_area(), hull.unsigned_area());
    let box_area = rectangle.as_ref().map_or(0.0, Area::unsigned_area);
    if box_area <= 0.0 || hull_area <= 0.0 {
        // A point or a line of pixels: a rectangle without holes.
        return Shape {
            solidity_1: 1.0,
            solidity_3: 1.0,
            vertex_distance: 1.0,
            convexity: 1.0,
            polygon: corners.clone(),
            hull: corners,
            ..Shape::default()
        };
    }
    let (width, height) = (high[0] - low[0], high[1] - low[1]);
    let lines = (height / line_height_px).max(1.0);
    let tolerance = [
        (X_TOLERANCE * width).max(line_height_px.min(MOST_TOLERANCE * width)),
        (Y_TOLERANCE * line_height_px).min(MOST_TOLERANCE * height),
    ];
    let vertices = simplify(&corners, low, tolerance);
    let count = vertices.len().max(1) as f32;
    let edge = EDGE_LINES * line_height_px;
    let inner = vertices
        .iter()
        .filter(|v| v[1] - low[1] > edge && high[1] - v[1] > edge)
        .count();
    let rectangle = points(
        rectangle
            .iter()
            .flat_map(|rectangle| &rectangle.exterior().0),
    );
    let center =
        rectangle.iter().map(|corner| corner[0]).sum::<f32>() / rectangle.len().max(1) as f32;
    let distance = vertices
        .iter()
        .map(|v| ((v[0] - center).abs() / (width / 2.0).max(1.0)).min(1.0))
        .sum::<f32>();
    Shape {
        solidity_1: ((area / box_area) as f32).clamp(0.0, 1.0),
        solidity_2: inner as f32 / lines,
        solidity_3: distance / count * (4.0 / count).min(1.0),
        vertex_distance: distance / count,
        extra_vertices: (count - 4.0).max(0.0) / lines,
        convexity: ((area / hull_area) as f32).clamp(0.0, 1.0),
        polygon: vertices,
        hull: points(&hull.exterior().0),
        rectangle,
    }
}

/// Removes points between two others on a straight line of pixels.
fn drop_straight(contour: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let direction = |a: [f32; 2], b: [f32; 2]| [b[0] - a[0], b[1] - a[1]];
    let count = contour.len();
    (0..count)
        .filter(|&index| {
            let (before, here, after) = (
                contour[(index + count - 1) % count],
                contour[index],
                contour[(index + 1) % count],
            );
            direction(before, here) != direction(here, after)
        })
        .map(|index| contour[index])
        .collect::<Vec<_>>()
}

fn polygon(points: &[[f32; 2]]) -> Polygon<f64> {
    let ring: Vec<_> = points
        .iter()
        .map(|p| Coord {
            x: f64::from(p[0]),
            y: f64::from(p[1]),
        })
        .collect();
    Polygon::new(LineString::new(ring), Vec::new())
}

/// Points of a closed ring without the repeated last one.
fn points<'a>(ring: impl IntoIterator<Item = &'a Coord<f64>>) -> Vec<[f32; 2]> {
    let mut points: Vec<_> = ring.into_iter().map(|c| [c.x as f32, c.y as f32]).collect();
    points.pop();
    points
}

/// Ramer, Douglas and Peucker in units of `tolerance`, starting at the point nearest the top left
/// corner: a ring has to start at a point that remains, and this one is a corner of the hull.
fn simplify(ring: &[[f32; 2]], low: [f32; 2], tolerance: [f32; 2]) -> Vec<[f32; 2]> {
    let step = ring.len().div_ceil(MOST_POINTS).max(1);
    let mut scaled: Vec<[f32; 2]> = ring
        .iter()
        .step_by(step)
        .map(|p| {
            [
                (p[0] - low[0]) / tolerance[0],
                (p[1] - low[1]) / tolerance[1],
            ]
        })
        .collect();
    let first = (0..scaled.len()).min_by(|&a, &b| {
        let sum = |index: usize| scaled[index][0] + scaled[index][1];
        sum(a).total_cmp(&sum(b))
    });
    scaled.rotate_left(first.unwrap_or(0));
    let simple = polygon(&scaled).simplify(1.0);
    points(&simple.exterior().0)
        .into_iter()
        .map(|p| [p[0] * tolerance[0] + low[0], p[1] * tolerance[1] + low[1]])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contour of lines of the given widths, 20 px high, each point on a grid of 2 px.
    fn lines(widths: &[f32]) -> Vec<[f32; 2]> {
        let mut right = Vec::new();
        for (index, &width) in widths.iter().enumerate() {
            let top = 20.0 * index as f32;
            right.push([width, top]);
            right.push([width, top + 20.0]);
        }
        let mut corners = vec![[0.0, 0.0]];
        corners.extend(right);
        corners.push([0.0, 20.0 * widths.len() as f32]);
        corners
    }

    #[test]
    fn a_rectangle_is_solid() {
        let shape = measure_shape(&lines(&[400.0; 6]), 20.0);
        assert_eq!(
            (shape.solidity_1, shape.solidity_2, shape.solidity_3),
            (1.0, 0.0, 1.0)
        );
        assert_eq!(shape.convexity, 1.0);
        assert_eq!(shape.polygon.len(), 4);
        assert_eq!(shape.rectangle.len(), 4);
    }

    #[test]
    fn a_short_last_line_is_forgiven() {
        let shape = measure_shape(&lines(&[400.0, 395.0, 410.0, 380.0, 400.0, 250.0]), 20.0);
        assert!(shape.solidity_1 > 0.9);
        assert_eq!(shape.solidity_2, 0.0);
        assert!(
            shape.solidity_3 > 0.4 && shape.solidity_3 < 0.7,
            "{}",
            shape.solidity_3
        );
    }

    #[test]
    fn a_ragged_list_is_not() {
        let shape = measure_shape(
            &lines(&[
                200.0, 90.0, 240.0, 120.0, 60.0, 220.0, 130.0, 250.0, 170.0, 70.0,
            ]),
            20.0,
        );
        assert!(shape.solidity_1 < 0.8, "{}", shape.solidity_1);
        assert!(shape.solidity_2 > 0.8, "{}", shape.solidity_2);
        assert!(shape.solidity_3 < 0.25, "{}", shape.solidity_3);
    }

    #[test]
    fn a_point_has_a_shape() {
        let shape = measure_shape(&[[3.0, 3.0]], 20.0);
        assert_eq!(
            (shape.solidity_1, shape.solidity_2, shape.solidity_3),
            (1.0, 0.0, 1.0)
        );
    }
}
