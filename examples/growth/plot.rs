//! Draws panels of curves over a size as SVG, with fitted exponents.

use std::fmt::Write;

/// A curve in a panel.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    /// Pairs of a size and the value measured for it.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A diagram of curves over the same kind of size.
pub(crate) struct Panel {
    /// Unit of the values.
    pub(crate) unit: &'static str,
    /// Name of the size, such as `bytes of the page`.
    pub(crate) by: &'static str,
    pub(crate) lines: Vec<Line>,
}

/// Slope of the logarithms by least squares.
pub(crate) fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points
        .iter()
        .map(|(size, value)| (size.ln(), value.ln()))
        .collect();
    let mean =
        |axis: fn(&(f64, f64)) -> f64| logs.iter().map(axis).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    covariance / logs.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

const SIDE: f64 = 260.0;
const MARGIN: f64 = 56.0;
/// Room below a panel for its largest size and the names of its lines.
const LEGEND: f64 = 110.0;
/// Number of panels in a row.
const ACROSS: usize = 3;
/// Colors of the curves (Okabe and Ito 2008).
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#333333"];

/// Draws the panels in rows; both axes are logarithmic.
pub(crate) fn svg(panels: &[Panel]) -> String {
    let rows = panels.len().div_ceil(ACROSS) as f64;
    let (width, height) = (
        ACROSS as f64 * (SIDE + MARGIN) + MARGIN,
        rows * (MARGIN + SIDE + LEGEND),
    );
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, panel) in panels.iter().enumerate() {
        let left = MARGIN + (index % ACROSS) as f64 * (SIDE + MARGIN);
        let top = MARGIN + (index / ACROSS) as f64 * (MARGIN + SIDE + LEGEND);
        draw(panel, left, top, &mut svg);
    }
    svg.push_str("</svg>\n");
    svg
}

fn draw(panel: &Panel, left: f64, top: f64, svg: &mut String) {
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let span = |axis: fn(&(f64, f64)) -> f64| {
        let logs = points().map(|point| axis(point).log10());
        logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| {
            (low.min(log), high.max(log))
        })
    };
    let (across, up) = (span(|point| point.0), span(|point| point.1));
    let at = |(size, value): (f64, f64)| {
        let x = left + SIDE * (size.log10() - across.0) / (across.1 - across.0);
        (
            x,
            top + SIDE - SIDE * (value.log10() - up.0) / (up.1 - up.0),
        )
    };
    let _ = writeln!(
        svg,
        "<rect x=\"{left}\" y=\"{top}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#999\"/>\
         <text x=\"{left}\" y=\"{:.0}\" font-weight=\"bold\">{} by {}</text>\
         <text x=\"{left}\" y=\"{:.0}\">{:.0}</text><text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.0}</text>\
         <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.2}</text>\
         <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.1}</text>",
        top - 12.0,
        panel.unit,
        panel.by,
        top + SIDE + 16.0,
        10f64.powf(across.0),
        left + SIDE,
        top + SIDE + 16.0,
        10f64.powf(across.1),
        left - 4.0,
        top + SIDE,
        10f64.powf(up.0),
        left - 4.0,
        top + 10.0,
        10f64.powf(up.1),
    );
    for (number, (line, color)) in panel.lines.iter().zip(COLORS).enumerate() {
        let path: Vec<String> = line
            .points
            .iter()
            .map(|point| at(*point))
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{left}\" y=\"{:.0}\" fill=\"{color}\">{} (exponent {:.2})</text>",
            path.join(" "),
            top + SIDE + 34.0 + 16.0 * number as f64,
            line.name,
            exponent(&line.points)
        );
    }
}
