//! Measures the cost of a page: renders and cleans the pages of a data set one after another, and
//! prints the median and mean wall time of each stage, the mean CPU time of the browser and of this
//! program, the slowest pages, and the peak memory of this program.
//!
//! `cargo run --release --example cost -- DATA [chromium|builtin] [PAGES] [dev|train|all]`
#![allow(clippy::print_stdout)]

use anyhow::Context;
use std::path::{Path, PathBuf};
use std::time::Instant;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_lab::evaluate::metrics::median;
use vclean_render::{EngineChoice, PageOptions, RenderOptions, Renderer};
use vclean_run::source;
use vclean_run::source::{DataSet, Split};

/// The stages in order.
const STAGES: [&str; 10] = [
    "open",
    "load",
    "settle",
    "layout or snapshot",
    "page image",
    "node mask",
    "which text is seen",
    "read boxes and styles",
    "clean",
    "write",
];

/// Number of slowest pages to list.
const SLOWEST: usize = 10;

/// The wall times of a page in ms.
struct Cost {
    page: String,
    stages: [f64; STAGES.len()],
    whole: f64,
}

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(
        arguments
            .next()
            .context("usage: cost DATA [chromium|builtin] [PAGES] [dev|train|all]")?,
    );
    let engine = arguments.next().unwrap_or_else(|| "chromium".to_owned());
    let named = EngineChoice::ALL.iter().find(|(name, _)| *name == engine);
    let engine = named
        .with_context(|| format!("there is no engine {engine}; it is chromium or builtin"))?
        .1;
    let pages: usize = arguments
        .next()
        .map_or(Ok(usize::MAX), |pages| pages.parse())?;
    let split = arguments.next().unwrap_or_else(|| "dev".to_owned());
    let split = Split::ALL
        .iter()
        .find(|(name, _)| *name == split)
        .context("there is no such part of a data set")?
        .1;
    let set = DataSet::open(&folder)?;
    let renderer = Renderer::launch(RenderOptions {
        engine: Some(engine),
        offline: true,
        tabs: 1,
        ..RenderOptions::default()
    })?;
    let cleaner = PageCleaner::new(&Options::default())?;
    let (mut browser_cpu, mut own_cpu, mut costs) = (0.0, 0.0, Vec::new());
    // The first page is left out: its time includes starting up and reading the model.
    for (number, row) in set
        .split(split)
        .into_iter()
        .take(pages.saturating_add(1))
        .enumerate()
    {
        let (browser_before, own_before) = (renderer.browser_cpu_ms(), own_cpu_ms()?);
        let cost = match clean(&renderer, &cleaner, &row.page) {
            Ok(cost) => cost,
            Err(cause) => {
                eprintln!("{}: {cause}", row.id);
                continue;
            }
        };
        if number == 0 {
            continue;
        }
        costs.push(cost);
        browser_cpu += (renderer.browser_cpu_ms() - browser_before) as f64;
        own_cpu += own_cpu_ms()? - own_before;
    }
    print_costs(&mut costs);
    let count = costs.len().max(1) as f64;
    let share = 100.0 * own_cpu / (browser_cpu + own_cpu).max(1.0);
    println!(
        "mean CPU time a page: browser {:.1} ms, this program {:.1} ms ({share:.1} %)",
        browser_cpu / count,
        own_cpu / count
    );
    println!(
        "peak memory of this program: {:.0} MB",
        peak_memory_kb()? as f64 / 1024.0
    );
    Ok(())
}

/// Renders and cleans a page.
fn clean(renderer: &Renderer, cleaner: &PageCleaner, path: &Path) -> anyhow::Result<Cost> {
    let begun = Instant::now();
    let page = source::open(&path.to_string_lossy())
        .next()
        .context("no page in the file")??;
    let opened = Instant::now();
    let rendered = renderer.render(&page, &PageOptions::default())?;
    let (times, capture) = (rendered.timings, rendered.capture);
    let start = Instant::now();
    let cleaned = cleaner.clean_capture_of(&page, &capture)?;
    let clean = Instant::now();
    let text = (FORMATS[0].write)(&cleaned.document, &EmitOptions::default());
    let written = Instant::now();
    drop(text);
    let stages = [
        ms(begun, opened),
        times.navigate_ms,
        times.settle_ms,
        times.snapshot_ms,
        times.screenshot_ms,
        times.mask_ms,
        times.hidden_ms,
        times.convert_ms,
        ms(start, clean),
        ms(clean, written),
    ];
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    Ok(Cost {
        page: name.unwrap_or_default(),
        stages,
        whole: ms(begun, written),
    })
}

fn print_costs(costs: &mut [Cost]) {
    let mean = |times: &[f64]| times.iter().sum::<f64>() / times.len().max(1) as f64;
    let whole: Vec<f64> = costs.iter().map(|cost| cost.whole).collect();
    println!(
        "{} pages, wall time: median, mean, share of the total",
        whole.len()
    );
    for (stage, name) in STAGES.iter().enumerate() {
        let times: Vec<f64> = costs.iter().map(|cost| cost.stages[stage]).collect();
        let share = 100.0 * mean(&times) / mean(&whole);
        println!(
            "{name:<24} {:>8.1} ms {:>8.1} ms {share:>5.1} %",
            median(&times),
            mean(&times)
        );
    }
    println!(
        "{:<24} {:>8.1} ms {:>8.1} ms",
        "total",
        median(&whole),
        mean(&whole)
    );
    costs.sort_by(|one, other| other.whole.total_cmp(&one.whole));
    if let Some(late) = costs.get(costs.len() / 100) {
        println!("99 of 100 pages take at most {:.1} ms", late.whole);
    }
    for cost in costs.iter().take(SLOWEST) {
        // The stages that take at least a tenth of the page's time.
        let large = STAGES
            .iter()
            .zip(cost.stages)
            .filter(|(_, ms)| *ms >= cost.whole / 10.0);
        let large: Vec<String> = large.map(|(name, ms)| format!("{name} {ms:.0}")).collect();
        println!(
            "{:>8.1} ms {} ({})",
            cost.whole,
            cost.page,
            large.join(", ")
        );
    }
}

fn ms(from: Instant, to: Instant) -> f64 {
    (to - from).as_secs_f64() * 1000.0
}

/// CPU time of this process, all threads, in ms; Linux counts it in hundredths of a second.
fn own_cpu_ms() -> anyhow::Result<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().context("an odd /proc/self/stat")?;
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks: f64 = fields[11].parse::<f64>()? + fields[12].parse::<f64>()?;
    Ok(ticks * 10.0)
}

/// Largest resident set of this process in kB.
fn peak_memory_kb() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .context("no VmHWM in /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
