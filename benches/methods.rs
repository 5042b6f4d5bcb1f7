//! Measures documents per core-second of every method, from the parsed tree to text:
//! `cargo bench --bench methods`.
//!
//! It uses the bundled pages or, if the environment variable `VCLEAN_DATA` names a data folder, its
//! `dev` pages: `VCLEAN_DATA=data/scrapinghub cargo bench --bench methods`. One iteration is all
//! pages once, so elem/s is documents per second of one core. texrex's authors measured 317
//! (Schäfer 2013, section 5), for the detector alone.

mod pages;

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use pages::pages;
use std::time::Duration;
use vclean_core::capture::Capture;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::page::{Page, parse};
use vclean_core::pipeline::{Cleaners, Options, PageCleaner};
use vclean_rivals::method::METHODS;

fn text(page: &Page, capture: &Capture, cleaner: &PageCleaner) -> String {
    let cleaned = cleaner
        .clean_capture_of(page, capture)
        .expect("real pages can be cleaned");
    (FORMATS[0].write)(&cleaned.document, &EmitOptions::default())
}

fn methods(bench: &mut Criterion) {
    let (name, pages) = pages();
    let parsed: Vec<(Page, Capture)> = pages
        .into_iter()
        .filter_map(|page| parse(&page).ok().map(|capture| (page, capture)))
        .collect();
    let mut group = bench.benchmark_group(format!("{name}, {} pages", parsed.len()));
    group.throughput(Throughput::Elements(parsed.len() as u64));
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    group.bench_function("parse alone", |b| {
        b.iter(|| {
            parsed
                .iter()
                .filter(|(page, _)| parse(page).is_ok())
                .count()
        });
    });
    for method in METHODS {
        let cleaner = Cleaners::new(METHODS)
            .cleaner(&Options::with_method(method.name))
            .expect("built-in models load");
        group.bench_function(format!("{}, from the tree", method.name), |b| {
            b.iter(|| {
                parsed
                    .iter()
                    .map(|(page, capture)| text(page, capture, &cleaner).len())
                    .sum::<usize>()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, methods);
criterion_main!(benches);
