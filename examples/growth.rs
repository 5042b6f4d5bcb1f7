//! Plots how the time of each stage grows with the size of a page and of the model, as SVG with fitted exponents.
//!
//! `cargo run --release --example growth [PLOT.svg]`. Pages are drawn here, so that one size changes at a time:
//!
//! - nodes: HTML with an increasing number of empty elements around the same number of paragraphs;
//! - targets: HTML with an increasing number of paragraphs;
//! - page height: a drawn capture, 1280 px wide, with an increasing number of lines of text;
//! - support vectors: one page with 400 targets, and models with an increasing number of support vectors.
//!
//! Times are CPU times of one thread, the minimum of several rounds. An exponent of 1 is linear growth; below 1, part of
//! the time is constant.
#![allow(clippy::print_stdout)]

#[path = "../crates/core/src/features/visual/drawn.rs"]
#[allow(dead_code)]
mod drawn;

use ndarray::Array2;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;
use vclean::capture::{Dom, NodeId, NodeMask};
use vclean::cleaner::{Options, PageCleaner};
use vclean::emit::{EmitOptions, FORMATS};
use vclean::features;
use vclean::features::visual::{Pixels, measure_blobs};
use vclean::fitting::{Kernel, Solver, SvmOptions, svm};
use vclean::page::{Body, Page, parse};
use vclean::target::{Target, TargetRule, select};

const ROUNDS: usize = 5;

/// Times of one stage, in ms, by size.
struct Line {
    name: &'static str,
    points: Vec<(f64, f64)>,
}

/// Stages over one size.
struct Panel {
    name: &'static str,
    lines: Vec<Line>,
}

fn main() -> anyhow::Result<()> {
    let panels = [nodes()?, targets()?, height()?, support_vectors()?];
    for panel in &panels {
        println!("{}", panel.name);
        for line in &panel.lines {
            let figures: Vec<String> = line.points.iter().map(|(size, time)| format!("{size:.0}: {time:.2}")).collect();
            println!("  {:<22} exponent {:.2}   ms at {}", line.name, exponent(&line.points), figures.join(", "));
        }
    }
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, svg(&panels))?;
    }
    Ok(())
}

/// The minimum time of several rounds, in ms.
fn time<T>(mut work: impl FnMut() -> T) -> f64 {
    black_box(work());
    let round = |_| {
        let begun = Instant::now();
        black_box(work());
        begun.elapsed().as_secs_f64() * 1000.0
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// Slope of the logarithms by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|(size, time)| (size.ln(), time.ln())).collect();
    let mean = |of: fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / logs.len() as f64;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let covariance: f64 = logs.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    covariance / logs.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}

fn page(html: String) -> Page {
    Page::new("drawn", Body::html(html))
}

/// The stages from HTML to text over pages of growing size.
fn stages(name: &'static str, sizes: &[usize], draw: impl Fn(usize) -> String) -> anyhow::Result<Panel> {
    let cleaner = PageCleaner::new(&Options::with_model("static"))?;
    let names = ["parse", "select", "measure", "all, HTML to text"];
    let mut lines: Vec<Line> = names.map(|name| Line { name, points: Vec::new() }).into();
    for size in sizes {
        let page = page(draw(*size));
        let capture = parse(&page)?;
        let targets = select(&capture, TargetRule::Blocks);
        let times = [
            time(|| parse(&page)),
            time(|| select(&capture, TargetRule::Blocks)),
            time(|| features::measure(&capture, &targets)),
            time(|| {
                let capture = parse(&page).ok()?;
                let cleaned = cleaner.clean_captured(&capture).ok()?;
                Some((FORMATS[0].write)(&cleaned.document, &EmitOptions::default()))
            }),
        ];
        for (line, time) in lines.iter_mut().zip(times) {
            line.points.push((*size as f64, time));
        }
    }
    Ok(Panel { name, lines })
}

const PARAGRAPH: &str =
    "<p>Most shells are dropped from the height of a house, and <a href=/why>seldom</a> twice. </p>\n";

fn nodes() -> anyhow::Result<Panel> {
    stages("nodes of the tree", &[1000, 3000, 10_000, 30_000, 100_000], |size| {
        let empty = "<div class=x><i></i></div>\n".repeat(size.saturating_sub(400) / 3);
        format!("<article>{}</article>{empty}", PARAGRAPH.repeat(100))
    })
}

fn targets() -> anyhow::Result<Panel> {
    stages("targets", &[100, 300, 1000, 3000, 10_000], |size| format!("<article>{}</article>", PARAGRAPH.repeat(size)))
}

/// Time for the blobs of a drawn page, by its height.
fn height() -> anyhow::Result<Panel> {
    let mut lines = [Line { name: "blobs and their measures", points: Vec::new() }];
    for height in [1000u32, 2000, 4000, 8000, 16_000, 30_000] {
        let mut drawn = drawn::Drawing::new(1280, height);
        let blocks = height / 250;
        for block in 0..blocks {
            drawn.lines(140, 20 + block * 250, &[(block + 1, 800); 9]);
        }
        let nodes = 1..=blocks;
        let targets: Vec<Target> =
            nodes.map(|node| Target { container: Dom::ROOT, texts: vec![NodeId::new(node as usize)] }).collect();
        let mask = NodeMask::from_owners(1280, height, &drawn.owners);
        let pixels = Pixels::pair(drawn.gray, mask)?;
        lines[0].points.push((f64::from(height), time(|| measure_blobs(&pixels, &targets))));
    }
    Ok(Panel { name: "page height, px", lines: lines.into() })
}

/// Decisions of a Gaussian support vector machine on 400 rows of 266 columns. Its labels are random, so nearly every row
/// becomes a support vector.
fn support_vectors() -> anyhow::Result<Panel> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut table = |rows: usize| Array2::from_shape_simple_fn((rows, 266), || random.f32());
    let rows = table(400);
    let mut points = Vec::new();
    for count in [100, 300, 1000, 3000] {
        let learned = table(count);
        let labels: Vec<bool> = (0..count).map(|row| row % 2 == 0).collect();
        let options = SvmOptions { kernel: Kernel::Rbf { gamma: 0.05 }, solver: Solver::Smo, ..SvmOptions::default() };
        let machine = svm::fit(learned.view(), &labels, None, &options)?.into_svm()?;
        points.push((machine.support_vectors() as f64, time(|| machine.margins(rows.view()))));
    }
    Ok(Panel { name: "support vectors", lines: vec![Line { name: "margins of 400 targets", points }] })
}

const SIDE: f64 = 260.0;
const MARGIN: f64 = 56.0;
/// Okabe and Ito 2008.
const COLORS: [&str; 4] = ["#0072b2", "#d55e00", "#009e73", "#333333"];

/// The panels next to each other, both axes logarithmic.
fn svg(panels: &[Panel]) -> String {
    let (width, height) = (panels.len() as f64 * (SIDE + MARGIN) + MARGIN, SIDE + 2.6 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         font-family=\"sans-serif\" font-size=\"12\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for (index, panel) in panels.iter().enumerate() {
        let (left, top) = (MARGIN + index as f64 * (SIDE + MARGIN), MARGIN);
        let points = || panel.lines.iter().flat_map(|line| &line.points);
        let span = |of: fn(&(f64, f64)) -> f64| {
            let logs = points().map(|point| of(point).log10());
            logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)))
        };
        let (across, up) = (span(|point| point.0), span(|point| point.1));
        let at = |(size, time): (f64, f64)| {
            let x = left + SIDE * (size.log10() - across.0) / (across.1 - across.0);
            (x, top + SIDE - SIDE * (time.log10() - up.0) / (up.1 - up.0))
        };
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#999\"/>\
             <text x=\"{left}\" y=\"{:.0}\" font-weight=\"bold\">ms by {}</text>\
             <text x=\"{left}\" y=\"{:.0}\">{:.0}</text><text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.0}</text>\
             <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.2}</text>\
             <text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{:.1}</text>",
            top - 12.0,
            panel.name,
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
            let path: Vec<String> =
                line.points.iter().map(|point| at(*point)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
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
    svg.push_str("</svg>\n");
    svg
}
