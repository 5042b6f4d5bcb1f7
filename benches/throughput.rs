//! Measures pages per second of one core, from HTML in memory to text with the model for bare HTML,
//! in total and by stage: `cargo bench --bench throughput`.
//!
//! It uses the bundled pages or, if the environment variable `VCLEAN_DATA` names a data folder, its
//! `dev` pages: `VCLEAN_DATA=data/scrapinghub cargo bench --bench throughput`. One iteration is
//! all pages once, so elem/s is pages per second. `examples/throughput.rs` measures the total in
//! CPU time on any files.

mod pages;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pages::pages;
use std::time::Duration;
use vclean_core::capture::Capture;
use vclean_core::classify::{Decision, PageShape};
use vclean_core::document;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::features::{self, FeatureTable};
use vclean_core::page::{Page, parse};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_core::target::{Target, TargetRule, select};

/// The results of every stage for a page.
struct Staged {
    page: Page,
    capture: Capture,
    targets: Vec<Target>,
    table: FeatureTable,
    shape: PageShape,
    decisions: Vec<Decision>,
}

fn stage(page: Page, cleaner: &PageCleaner) -> Option<Staged> {
    let capture = parse(&page).ok()?;
    let targets = select(&capture, TargetRule::Blocks);
    let model = cleaner.model(&capture).ok()??;
    let table = features::measure_with(&capture, &targets, &model.measuring()).ok()?;
    let shape = PageShape::measure(&capture.dom, &targets);
    let decisions = model.decide(&table, &shape).ok()?;
    Some(Staged {
        page,
        capture,
        targets,
        table,
        shape,
        decisions,
    })
}

fn throughput(bench: &mut Criterion) {
    let (name, pages) = pages();
    let options = Options::with_model("static");
    let cleaner = PageCleaner::new(&options).expect("built-in models load");
    let pages: Vec<Staged> = pages
        .into_iter()
        .filter_map(|page| stage(page, &cleaner))
        .collect();
    let mut group = bench.benchmark_group(format!("{name}, {} pages", pages.len()));
    group.throughput(Throughput::Elements(pages.len() as u64));
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    let mut each = |stage: &str, work: &dyn Fn(&Staged) -> usize| {
        group.bench_function(stage, |b| b.iter(|| pages.iter().map(work).sum::<usize>()));
    };
    let write =
        |document: &document::Document| (FORMATS[0].write)(document, &EmitOptions::default()).len();
    each("HTML to text", &|at| {
        let cleaned = cleaner.clean(&at.page).expect("real pages can be cleaned");
        write(&cleaned.document)
    });
    each("parse", &|at| {
        parse(&at.page).map_or(0, |capture| capture.dom.len())
    });
    each("select", &|at| {
        select(&at.capture, TargetRule::Blocks).len()
    });
    let model = |at: &Staged| {
        let model = cleaner.model(&at.capture).expect("built-in models load");
        model.expect("our own method has a model")
    };
    each("measure", &|at| {
        let table = features::measure_with(&at.capture, &at.targets, &model(at).measuring());
        table.map_or(0, |table| table.rows.len())
    });
    each("decide", &|at| {
        model(at)
            .decide(&at.table, &at.shape)
            .map_or(0, |decisions| decisions.len())
    });
    each("prune and write", &|at| {
        write(&document::prune(
            &at.capture,
            &at.targets,
            &at.decisions,
            Vec::new(),
        ))
    });
    group.finish();
}

criterion_group!(benches, throughput);
criterion_main!(benches);
