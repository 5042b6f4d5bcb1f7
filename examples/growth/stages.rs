//! Times single stages while one size changes: the number of nodes, the number of targets, the page
//! height, or the number of support vectors.

#[path = "../../crates/core/tests/unit/features_visual_drawn.rs"]
#[allow(dead_code)]
mod drawn;

use crate::plot::{Line, Panel};
use ndarray::Array2;
use std::hint::black_box;
use std::time::Instant;
use vclean_core::capture::{Dom, NodeId, NodeMask};
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::features;
use vclean_core::features::visual::{Pixels, measure_blobs};
use vclean_core::page::{Body, Page, parse};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_core::target::{Target, TargetRule, select};
use vclean_lab::fitting::{SvmOptions, svm};

const ROUNDS: usize = 5;

/// Measures all stages; one panel for each size.
pub(crate) fn panels() -> anyhow::Result<[Panel; 4]> {
    Ok([nodes()?, targets()?, height()?, support_vectors()?])
}

/// Returns the minimum time of several rounds, in ms.
fn time<T>(mut work: impl FnMut() -> T) -> f64 {
    black_box(work());
    let round = |_| {
        let begun = Instant::now();
        black_box(work());
        begun.elapsed().as_secs_f64() * 1000.0
    };
    (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min)
}

/// Times the stages from HTML to text over pages of growing size.
fn stages(
    by: &'static str,
    sizes: &[usize],
    draw: impl Fn(usize) -> String,
) -> anyhow::Result<Panel> {
    let cleaner = PageCleaner::new(&Options::with_model("static"))?;
    let names = ["parse", "select", "measure", "all, HTML to text"];
    let mut lines: Vec<Line> = names
        .map(|name| Line {
            name,
            points: Vec::new(),
        })
        .into();
    for size in sizes {
        let page = Page::new("drawn", Body::html(draw(*size)));
        let capture = parse(&page)?;
        let targets = select(&capture, TargetRule::Blocks);
        let times = [
            time(|| parse(&page)),
            time(|| select(&capture, TargetRule::Blocks)),
            time(|| features::measure(&capture, &targets)),
            time(|| {
                let capture = parse(&page).ok()?;
                let cleaned = cleaner.clean_capture(&capture).ok()?;
                Some((FORMATS[0].write)(
                    &cleaned.document,
                    &EmitOptions::default(),
                ))
            }),
        ];
        for (line, time) in lines.iter_mut().zip(times) {
            line.points.push((*size as f64, time));
        }
    }
    Ok(Panel {
        unit: "ms",
        by,
        lines,
    })
}

const PARAGRAPH: &str = "<p>Most shells are dropped from the height of a house, and <a href=/why>seldom</a> twice. </p>\n";

fn nodes() -> anyhow::Result<Panel> {
    stages(
        "nodes of the tree",
        &[1000, 3000, 10_000, 30_000, 100_000],
        |size| {
            let empty = "<div class=x><i></i></div>\n".repeat(size.saturating_sub(400) / 3);
            format!("<article>{}</article>{empty}", PARAGRAPH.repeat(100))
        },
    )
}

fn targets() -> anyhow::Result<Panel> {
    stages("targets", &[100, 300, 1000, 3000, 10_000], |size| {
        format!("<article>{}</article>", PARAGRAPH.repeat(size))
    })
}

/// Times the measuring of the blobs of a drawn page, by its height.
fn height() -> anyhow::Result<Panel> {
    let mut lines = [Line {
        name: "blobs and their measures",
        points: Vec::new(),
    }];
    for height in [1000u32, 2000, 4000, 8000, 16_000, 30_000] {
        let mut drawn = drawn::Drawing::new(1280, height);
        let blocks = height / 250;
        for block in 0..blocks {
            drawn.lines(140, 20 + block * 250, &[(block + 1, 800); 9]);
        }
        let nodes = 1..=blocks;
        let targets: Vec<Target> = nodes
            .map(|node| Target {
                container: Dom::ROOT,
                texts: vec![NodeId::new(node as usize)],
                visibility: vclean_core::capture::Visibility::Shown,
            })
            .collect();
        let mask = NodeMask::from_owners(1280, height, &drawn.owners);
        let pixels = Pixels::pair(drawn.gray, mask)?;
        lines[0]
            .points
            .push((f64::from(height), time(|| measure_blobs(&pixels, &targets))));
    }
    Ok(Panel {
        unit: "ms",
        by: "page height, px",
        lines: lines.into(),
    })
}

/// Times the decisions of a Gaussian support vector machine on 400 rows of 266 columns. Rows are
/// random, so nearly every one becomes a support vector.
fn support_vectors() -> anyhow::Result<Panel> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut table = |rows: usize| Array2::from_shape_simple_fn((rows, 266), || random.f32());
    let rows = table(400);
    let mut points = Vec::new();
    for count in [100, 300, 1000, 3000] {
        let learned = table(count);
        let labels: Vec<bool> = (0..count).map(|row| row % 2 == 0).collect();
        let options = SvmOptions {
            gamma: 0.05,
            ..SvmOptions::default()
        };
        let machine = svm::fit(learned.view(), &labels, &options)?;
        points.push((
            machine.support_vectors() as f64,
            time(|| machine.margins(rows.view())),
        ));
    }
    Ok(Panel {
        unit: "ms",
        by: "support vectors",
        lines: vec![Line {
            name: "margins of 400 targets",
            points,
        }],
    })
}
