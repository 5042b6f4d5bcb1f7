//! Plot of precision against recall as SVG: one panel per set, one numbered point per method, and
//! lines of equal F.

use crate::compare::ranking::SideBySide;
use std::fmt::{self, Write};
use vclean_core::explain::Escaped;

/// Side of a panel's square, margins around it, and width of the list of names, in px.
const SIDE: f64 = 300.0;
const MARGIN: [f64; 2] = [52.0, 46.0];
const NAMES: f64 = 210.0;
const COLUMNS: usize = 2;
/// Height of a line in the list of names.
const LINE: f64 = 19.0;
/// Values of F whose lines are drawn.
const EQUAL_F: [f64; 4] = [0.6, 0.7, 0.8, 0.9];
/// Figures below this are drawn on the edge, so that the panel shows the range in which methods
/// differ.
const LOWEST: f64 = 0.4;
/// Colors that are distinguishable for color-blind readers (Okabe and Ito 2008), used for methods
/// in turn.
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#333333",
];

/// Draws the panels of all sets that have word scores; the list at the right explains the numbers.
pub fn scatter(sets: &[SideBySide]) -> String {
    let mut svg = String::new();
    draw(&mut svg, sets).expect("writing to a string cannot fail");
    svg
}

fn draw(svg: &mut String, sets: &[SideBySide]) -> fmt::Result {
    let sets: Vec<&SideBySide> = sets
        .iter()
        .filter(|set| points(set).next().is_some())
        .collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _, _) in sets.iter().flat_map(|set| points(set)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let columns = sets.len().clamp(1, COLUMNS);
    let rows = sets.len().div_ceil(columns).max(1);
    let (panel_width, panel_height) = (SIDE + 1.5 * MARGIN[0], SIDE + 1.8 * MARGIN[1]);
    let width = columns as f64 * panel_width + NAMES;
    let height = (rows as f64 * panel_height).max(LINE * (names.len() + 2) as f64);
    writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
    )?;
    for (index, set) in sets.iter().enumerate() {
        let left = (index % columns) as f64 * panel_width + MARGIN[0];
        let top = (index / columns) as f64 * panel_height + MARGIN[1];
        panel(svg, set, &names, left, top)?;
    }
    for (number, name) in names.iter().enumerate() {
        let (x, y) = (
            columns as f64 * panel_width + 20.0,
            MARGIN[1] + number as f64 * LINE,
        );
        dot(svg, x, y, number)?;
        writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            x + 14.0,
            y + 4.0,
            Escaped(name)
        )?;
    }
    svg.push_str("</svg>\n");
    Ok(())
}

/// Name, precision and recall of each method that has them.
fn points(set: &SideBySide) -> impl Iterator<Item = (&str, f64, f64)> {
    set.ranking.iter().filter_map(|scores| {
        let words = scores.figure("words")?;
        Some((scores.name.as_str(), words.precision?, words.recall?))
    })
}

fn panel(svg: &mut String, set: &SideBySide, names: &[&str], left: f64, top: f64) -> fmt::Result {
    let place = |share: f64| SIDE * (share.clamp(LOWEST, 1.0) - LOWEST) / (1.0 - LOWEST);
    let at = |recall: f64, precision: f64| (left + place(recall), top + SIDE - place(precision));
    writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#999\"/>\n\
         <text x=\"{left:.1}\" y=\"{:.1}\" font-weight=\"bold\">{} {} ({} pages)</text>",
        top - 10.0,
        Escaped(&set.set),
        Escaped(&set.split),
        set.pages
    )?;
    for tick in [0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0] {
        let (x, y) = at(tick, tick);
        writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{tick}</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#666\">{tick}</text>",
            top + SIDE + 15.0,
            left - 6.0,
            y + 4.0
        )?;
    }
    let (middle, bottom) = (left + SIDE / 2.0, top + SIDE + 31.0);
    writeln!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{bottom:.1}\" text-anchor=\"middle\">recall</text>"
    )?;
    let (x, y) = (left - 36.0, top + SIDE / 2.0);
    writeln!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 {x:.1} {y:.1})\">precision</text>"
    )?;
    for f in EQUAL_F {
        svg.push_str("<polyline fill=\"none\" stroke=\"#ddd\" points=\"");
        for step in 0..=40 {
            // For precision 1, recall is f / (2 - f); this gives both ends of the line.
            let lowest = (f / (2.0 - f)).max(LOWEST);
            let recall = lowest + (1.0 - lowest) * f64::from(step) / 40.0;
            let precision = f * recall / (2.0 * recall - f);
            if (LOWEST..=1.0 + 1e-9).contains(&precision) {
                let (x, y) = at(recall, precision);
                write!(svg, "{x:.1},{y:.1} ")?;
            }
        }
        let (x, y) = at(1.0, f / (2.0 - f));
        writeln!(
            svg,
            "\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"#aaa\" font-size=\"10\">F {f}</text>",
            x + 3.0,
            y + 3.0
        )?;
    }
    // The first method is drawn last, on top of the others.
    for (name, precision, recall) in points(set).collect::<Vec<_>>().into_iter().rev() {
        let (x, y) = at(recall, precision);
        let number = names
            .iter()
            .position(|known| *known == name)
            .unwrap_or_default();
        writeln!(
            svg,
            "<g><title>{}: P {precision:.3} R {recall:.3}</title>",
            Escaped(name)
        )?;
        dot(svg, x, y, number)?;
        svg.push_str("</g>\n");
    }
    Ok(())
}

fn dot(svg: &mut String, x: f64, y: f64, number: usize) -> fmt::Result {
    let color = COLORS[number % COLORS.len()];
    writeln!(
        svg,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\" fill=\"{color}\" fill-opacity=\"0.85\" stroke=\"white\"/>\
         <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"9\" fill=\"white\">{}</text>",
        y + 3.2,
        number + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ranking::samples::sample;

    #[test]
    fn every_method_is_a_point_in_its_panel_and_in_the_list() {
        let svg = scatter(&[
            sample(),
            SideBySide {
                set: "a < b".into(),
                ..sample()
            },
        ]);
        // Two panels with two points, and the list.
        assert_eq!(svg.matches("<circle").count(), 6);
        assert!(svg.contains("a &lt; b") && svg.contains("<title>dump: P 0.500 R 1.000</title>"));
        assert!(svg.ends_with("</svg>\n"));
    }

    #[test]
    fn without_scores_the_picture_is_empty() {
        let svg = scatter(&[]);
        assert!(svg.starts_with("<svg") && !svg.contains("circle"));
    }
}
