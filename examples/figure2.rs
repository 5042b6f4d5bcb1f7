//! Draws the page of FIASCO's Figure 2, measures its four regions and prints the values next to
//! those of FIASCO's Table 1.
//!
//! `cargo run -p vclean --features rendering --example figure2 [PICTURE.png]`: if a file is named,
//! the page is drawn there with the enclosing polygons and rectangles of its blobs.
#![allow(clippy::print_stdout)]

#[path = "../crates/core/tests/unit/features_visual_drawn.rs"]
#[allow(dead_code)]
mod drawn;

use image::{DynamicImage, Rgb};
use imageproc::drawing::draw_line_segment_mut;
use vclean::capture::{Dom, NodeId, NodeMask, Visibility};
use vclean::features::visual::{Pixels, find_blobs, measure_blobs};
use vclean::target::Target;

/// The values that FIASCO prints in Table 1 for each region.
const TABLE_1: [(&str, [f32; 5]); 4] = [
    ("I   ragged list", [0.71, 1.35, 0.12, 0.53, 0.00]),
    ("II  list", [0.88, 1.30, 0.09, 0.60, 0.00]),
    ("III text, headline", [0.97, 0.00, 0.61, 1.00, 0.51]),
    ("IV  text", [0.99, 0.00, 0.61, 1.00, 0.00]),
];

fn main() -> anyhow::Result<()> {
    let (page, owners) = drawn::figure_2();
    let mut nodes: Vec<u32> = page
        .owners
        .iter()
        .copied()
        .filter(|&owner| owner != NodeMask::NOBODY)
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    let target = |&node: &u32| Target {
        container: Dom::ROOT,
        texts: vec![NodeId::new(node as usize)],
        visibility: Visibility::Shown,
    };
    let targets: Vec<Target> = nodes.iter().map(target).collect();
    let (width, height) = page.gray.dimensions();
    let mask = NodeMask::from_owners(width, height, &page.owners);
    let pixels = Pixels::pair(page.gray, mask)?;

    if let Some(path) = std::env::args().nth(1) {
        let mut picture = DynamicImage::ImageLuma8((*pixels.gray).clone()).into_rgb8();
        for blob in find_blobs(&pixels, &targets).blobs {
            for (ring, color) in [
                (&blob.shape.rectangle, Rgb([80, 80, 255])),
                (&blob.shape.polygon, Rgb([220, 0, 0])),
            ] {
                for (a, b) in ring.iter().zip(ring.iter().cycle().skip(1)) {
                    draw_line_segment_mut(&mut picture, (a[0], a[1]), (b[0], b[1]), color);
                }
            }
        }
        picture.save(path)?;
    }

    let rows = measure_blobs(&pixels, &targets);
    println!(
        "{:<20} {:>35}   {:>35}",
        "", "drawn page", "FIASCO, Table 1"
    );
    println!(
        "{:<20}    S1     S2     S3  width   head       S1     S2     S3  width   head",
        "Region"
    );
    for ((name, theirs), owner) in TABLE_1.iter().zip(owners) {
        let row = nodes
            .binary_search(&owner)
            .map(|index| &rows[index][..5])
            .unwrap_or_default();
        println!("{name:<20} {}   {}", show(row), show(theirs));
    }
    Ok(())
}

fn show(values: &[f32]) -> String {
    values
        .iter()
        .map(|value| format!("{value:6.2}"))
        .collect::<Vec<_>>()
        .join(" ")
}
