//! Documents per core-second of every method, from the parsed tree to text: `cargo bench --bench methods`.
//!
//! On the bundled pages, or, with the environment variable `VCLEAN_DATA` set to a data folder, on its `dev` pages:
//! `VCLEAN_DATA=data/scrapinghub cargo bench --bench methods`. One iteration is all pages once, so elem/s is documents
//! per second of one core. texrex's authors measured 317 (Schäfer 2013, section 5), for the detector alone.

use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::time::Duration;
use vclean::capture::Capture;
use vclean::emit::{EmitOptions, FORMATS};
use vclean::evaluate::{DataSet, Split};
use vclean::method::{CleanPage, METHODS, Settings};
use vclean::pipeline;
use vclean::source::{self, Page, parse};

/// The pages: those of the data folder, or the bundled ones.
fn pages() -> (String, Vec<Page>) {
    if let Some(folder) = std::env::var_os("VCLEAN_DATA").map(PathBuf::from) {
        let set = DataSet::open(&folder).expect("VCLEAN_DATA names a data folder");
        let pages = set.split(Split::Dev).into_iter().filter_map(|row| row.open().ok()).collect();
        return (set.name, pages);
    }
    let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site");
    let mut cases: Vec<PathBuf> = std::fs::read_dir(site)
        .expect("the bundled pages are part of the checkout")
        .filter_map(|entry| entry.ok().map(|entry| entry.path().join("index.html")))
        .filter(|path| path.is_file())
        .collect();
    cases.sort();
    let open = |path: &PathBuf| source::open(&path.to_string_lossy()).next().and_then(Result::ok);
    ("bundled pages".to_owned(), cases.iter().filter_map(open).collect())
}

fn text(page: &Page, capture: &Capture, method: &dyn CleanPage) -> String {
    let cleaned = pipeline::clean(page, capture, method).expect("real pages can be cleaned");
    (FORMATS[0].write)(&cleaned.document, &EmitOptions::default())
}

fn methods(bench: &mut Criterion) {
    let (name, pages) = pages();
    let parsed: Vec<(Page, Capture)> =
        pages.into_iter().filter_map(|page| parse(&page).ok().map(|capture| (page, capture))).collect();
    let mut group = bench.benchmark_group(format!("{name}, {} pages", parsed.len()));
    group.throughput(Throughput::Elements(parsed.len() as u64));
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.bench_function("parse alone", |b| b.iter(|| parsed.iter().filter(|(page, _)| parse(page).is_ok()).count()));
    for method in METHODS {
        let ready = method.ready(&Settings::default()).expect("built-in models load");
        group.bench_function(format!("{}, from the tree", method.name), |b| {
            b.iter(|| parsed.iter().map(|(page, capture)| text(page, capture, &*ready).len()).sum::<usize>());
        });
    }
    group.finish();
}

criterion_group!(benches, methods);
criterion_main!(benches);
