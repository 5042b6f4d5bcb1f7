//! Times each stage on the bundled pages: `cargo bench`. If the environment variable
//! `VCLEAN_CAPTURES` names a folder of captures, it also measures how many of them per second are
//! cleaned from disk to text on one thread.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::path::Path;
use vclean_core::capture::Capture;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::features;
use vclean_core::features::visual::{Pixels, measure_blobs};
use vclean_core::files::{list_captures, load_capture};
use vclean_core::html::parse_html;
use vclean_core::page::{Body, Page, parse};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_core::target::{TargetRule, select};

fn page(case: &str) -> String {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .join("fixtures/site")
        .join(case)
        .join("index.html");
    std::fs::read_to_string(path).expect("the bundled pages are part of the checkout")
}

fn bare(html: &str) -> Capture {
    let body = Body::html(html);
    parse(&Page::new("bench", body)).expect("bundled pages parse")
}

/// Times the stages from HTML in memory to text.
fn bare_html(bench: &mut Criterion) {
    let html = page("documentation");
    let parsed = bare(&html);
    let targets = select(&parsed, TargetRule::Blocks);
    let cleaner = PageCleaner::new(&Options::default()).expect("the built-in models load");
    let cleaned = cleaner
        .clean_capture(&parsed)
        .expect("bundled pages can be cleaned");
    let mut group = bench.benchmark_group("bare html");
    group.bench_function("parse", |b| b.iter(|| parse_html(&html)));
    group.bench_function("select", |b| b.iter(|| select(&parsed, TargetRule::Blocks)));
    group.bench_function("measure", |b| {
        b.iter(|| features::measure(&parsed, &targets));
    });
    group.bench_function("select, measure, decide, prune", |b| {
        b.iter(|| cleaner.clean_capture(&parsed));
    });
    for format in FORMATS {
        group.bench_function(format!("write {}", format.name), |b| {
            b.iter(|| (format.write)(&cleaned.document, &EmitOptions::default()));
        });
    }
    group.finish();
}

/// Times cleaning a saved capture.
fn captures(bench: &mut Criterion) {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("fixtures/captures");
    let cleaner = PageCleaner::new(&Options::default()).expect("the built-in models load");
    let mut group = bench.benchmark_group("capture");
    group.sample_size(20);
    for path in list_captures(&folder).unwrap_or_default() {
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let kept = load_capture(&path).expect("bundled captures load");
        group.bench_function(format!("{name}: load"), |b| b.iter(|| load_capture(&path)));
        group.bench_function(format!("{name}: clean"), |b| {
            b.iter(|| cleaner.clean_capture(&kept));
        });
    }
    group.finish();
}

/// Measures pages per second from captures on disk to text, on the first 40 of a folder.
fn folder(bench: &mut Criterion) {
    let Some(folder) = std::env::var_os("VCLEAN_CAPTURES") else {
        return;
    };
    let mut paths = list_captures(Path::new(&folder)).expect("VCLEAN_CAPTURES names a folder");
    assert!(
        !paths.is_empty(),
        "VCLEAN_CAPTURES names a folder without captures"
    );
    paths.truncate(40);
    let cleaner = PageCleaner::new(&Options::default()).expect("the built-in models load");
    // One thread, so that the figure is per core.
    let core = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread starts");
    let load = |path: &Path| load_capture(path).expect("the captures load");
    let mut group = bench.benchmark_group("folder of captures");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(paths.len() as u64));
    group.bench_function("load", |b| {
        b.iter(|| core.install(|| paths.iter().map(|path| load(path).dom.len()).sum::<usize>()));
    });
    group.bench_function("load, unpack pictures, find blobs", |b| {
        b.iter(|| {
            core.install(|| {
                for path in &paths {
                    let capture = load(path);
                    let pictures = capture
                        .pictures
                        .as_ref()
                        .expect("the captures were rendered");
                    let pixels = Pixels::decode(pictures).expect("the pictures are whole");
                    std::hint::black_box(measure_blobs(
                        &pixels,
                        &select(&capture, TargetRule::Blocks),
                    ));
                }
            });
        });
    });
    group.bench_function("load, clean", |b| {
        b.iter(|| {
            core.install(|| {
                for path in &paths {
                    std::hint::black_box(
                        cleaner
                            .clean_capture(&load(path))
                            .expect("the captures can be cleaned"),
                    );
                }
            });
        });
    });
    group.finish();
}

criterion_group!(stages, bare_html, captures, folder);
criterion_main!(stages);
