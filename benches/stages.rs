//! Time of each stage on the bundled pages: `cargo bench`.

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::Path;
use vclean::capture::Capture;
use vclean::emit::{EmitOptions, FORMATS};
use vclean::method::{Cleaner, CleanerOptions};
use vclean::source::{Body, Page, parse, parse_html};
use vclean::target::{TargetRule, select};
use vclean::{capture, features};

fn page(case: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/site").join(case).join("index.html");
    std::fs::read_to_string(path).expect("the bundled pages are part of the checkout")
}

fn bare(html: &str) -> Capture {
    let body = Body::html(html);
    parse(&Page { input: "bench".into(), url: None, body }).expect("bundled pages parse")
}

/// From HTML in memory to text, by stage.
fn bare_html(bench: &mut Criterion) {
    let html = page("documentation");
    let parsed = bare(&html);
    let targets = select(&parsed, TargetRule::Blocks);
    let cleaner = Cleaner::new(CleanerOptions::default()).expect("the built-in models load");
    let cleaned = cleaner.clean(&parsed).expect("bundled pages can be cleaned");
    let mut group = bench.benchmark_group("bare html");
    group.bench_function("parse", |b| b.iter(|| parse_html(&html)));
    group.bench_function("select", |b| b.iter(|| select(&parsed, TargetRule::Blocks)));
    group.bench_function("measure", |b| b.iter(|| features::measure(&parsed, &targets)));
    group.bench_function("select, measure, decide, prune", |b| b.iter(|| cleaner.clean(&parsed)));
    for format in FORMATS {
        group.bench_function(format!("write {}", format.name), |b| {
            b.iter(|| (format.write)(&cleaned.document, &EmitOptions::default()));
        });
    }
    group.finish();
}

/// From a kept capture to text.
fn captures(bench: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/captures");
    let cleaner = Cleaner::new(CleanerOptions::default()).expect("the built-in models load");
    let mut group = bench.benchmark_group("capture");
    group.sample_size(20);
    for path in capture::list_captures(&folder).unwrap_or_default() {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let kept = capture::load(&path).expect("bundled captures load");
        group.bench_function(format!("{name}: load"), |b| b.iter(|| capture::load(&path)));
        group.bench_function(format!("{name}: clean"), |b| b.iter(|| cleaner.clean(&kept)));
    }
    group.finish();
}

criterion_group!(stages, bare_html, captures);
criterion_main!(stages);
