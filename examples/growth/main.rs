//! Plots how time and memory grow with the size of a page and of the model, as SVG with fitted
//! exponents.
//!
//! `cargo run --release --example growth [PLOT.svg]`. Pages are drawn here, so that one size
//! changes at a time:
//!
//! - bytes of a page: sections of headings, paragraphs, lists and pictures, from HTML to text, by
//!   each model for bare HTML and by each engine ([`whole_pages`]);
//! - nodes, targets, page height, support vectors: single stages ([`stages`]).
//!
//! Times are of one thread, the minimum of several rounds. They include Chromium's time; memory
//! does not include Chromium's. An exponent of 1 is linear growth; below 1, part of the cost is
//! constant.
#![allow(clippy::print_stdout)]

mod plot;
mod stages;
mod whole_pages;

use plot::{Panel, exponent, svg};

fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [whole_pages::ONE_PAGE, name, bytes] =
        arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    {
        return whole_pages::one_page(name, bytes.parse()?);
    }
    let mut panels: Vec<Panel> = whole_pages::panels()?.into();
    panels.extend(stages::panels()?);
    for panel in &panels {
        println!("{} by {}", panel.unit, panel.by);
        for line in &panel.lines {
            let figures: Vec<String> = line
                .points
                .iter()
                .map(|(size, value)| format!("{size:.0}: {value:.2}"))
                .collect();
            println!(
                "  {:<22} exponent {:.2}   {}",
                line.name,
                exponent(&line.points),
                figures.join(", ")
            );
        }
    }
    if let Some(path) = arguments.first() {
        std::fs::write(path, svg(&panels))?;
    }
    Ok(())
}
