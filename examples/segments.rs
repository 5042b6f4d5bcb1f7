//! Renders one page with the library and prints its segments, each with its kind.
//!
//! `cargo run -p vclean --features chromium,run --example segments -- https://example.org/`
#![allow(clippy::print_stdout)]

use anyhow::Context;
use vclean::pipeline::{Options, PageCleaner};
use vclean::render::{PageOptions, RenderOptions, Renderer};
use vclean::source;

fn main() -> anyhow::Result<()> {
    let input = std::env::args().nth(1).context("usage: segments PAGE")?;
    let renderer = Renderer::launch(RenderOptions::default())?;
    let cleaner = PageCleaner::new(&Options::default())?;
    for page in source::open(&input) {
        let cleaned =
            cleaner.clean_capture(&renderer.render(&page?, &PageOptions::default())?.capture)?;
        for segment in &cleaned.document.segments {
            println!("{:?}: {}", segment.kind, segment.text());
        }
    }
    Ok(())
}
