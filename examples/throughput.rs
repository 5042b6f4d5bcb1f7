//! Times the way from HTML in memory to text with a model, one page after another on one thread,
//! and prints one line, `{"pages":N,"seconds":S}`, where S is the CPU time of N pages, the median
//! of three rounds after a warm-up round.
//!
//! `cargo run --release --example throughput -- MODEL FILE...`, where MODEL is a built-in name or a
//! file.
#![allow(clippy::print_stdout)]

use anyhow::{Context, ensure};
use std::hint::black_box;
use std::time::Instant;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::page::Page;
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_lab::evaluate::metrics::median;
use vclean_run::source;

const ROUNDS: usize = 3;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let model = arguments.next().unwrap_or_default();
    let files: Vec<String> = arguments.collect();
    ensure!(!files.is_empty(), "usage: throughput MODEL FILE...");
    let mut pages = Vec::with_capacity(files.len());
    for file in &files {
        pages.push(
            source::open(file)
                .next()
                .with_context(|| format!("{file}: no page in it"))??,
        );
    }
    let mut options = Options::with_model(&model);
    options.text_only = true;
    let cleaner = PageCleaner::new(&options)?;
    clean_all(&pages, &cleaner)?;
    let mut seconds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let before = cpu_seconds();
        clean_all(&pages, &cleaner)?;
        seconds.push(match (before, cpu_seconds()) {
            (Some(before), Some(after)) => after - before,
            _ => begun.elapsed().as_secs_f64(),
        });
    }
    println!(
        "{}",
        serde_json::json!({ "pages": pages.len(), "seconds": median(&seconds) })
    );
    Ok(())
}

/// Cleans all pages; returns the number of bytes of text, so that the compiler cannot remove unused
/// work.
fn clean_all(pages: &[Page], cleaner: &PageCleaner) -> anyhow::Result<usize> {
    let mut bytes = 0;
    for page in pages {
        let cleaned = cleaner.clean(page).with_context(|| page.input.clone())?;
        bytes += black_box((FORMATS[0].write)(
            &cleaned.document,
            &EmitOptions::default(),
        ))
        .len();
    }
    Ok(bytes)
}

/// CPU time of all threads of this program so far, if the system provides it (in ns on Linux).
fn cpu_seconds() -> Option<f64> {
    let mut nanoseconds = 0.0;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let schedule = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += schedule.split(' ').next()?.parse::<f64>().ok()?;
    }
    Some(nanoseconds / 1e9)
}
