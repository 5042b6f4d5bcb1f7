//! trial
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use vclean::evaluate::DataSet;
use vclean::render::{EngineChoice, Fallback, RenderOptions, Renderer};
fn engine() -> Renderer {
    Renderer::launch(RenderOptions {
        engine: EngineChoice::Builtin,
        fallback: Some(Fallback::None),
        paint: std::env::var_os("VCLEAN_PAINT").is_some(),
        page_timeout_ms: 20_000,
        ..RenderOptions::default()
    })
    .unwrap()
}
fn main() {
    let renderer = engine();
    let mut args = std::env::args().skip(1);
    let out = args.next().unwrap();
    let split = args.next().unwrap();
    let threads: usize = args.next().unwrap().parse().unwrap();
    let mut only = std::env::var("ONLY").unwrap_or_default();
    if only.is_empty() {
        only = String::new();
    }
    for folder in args {
        let set = DataSet::open(Path::new(&folder)).unwrap();
        let rows: Vec<_> = set
            .rows
            .iter()
            .filter(|r| (split == "all" || r.split == split) && (only.is_empty() || r.id.contains(&only)))
            .collect();
        let next = AtomicUsize::new(0);
        let sums = Mutex::new((vec![], 0usize));
        std::thread::scope(|s| {
            for _ in 0..threads {
                s.spawn(|| {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        let Some(row) = rows.get(i) else { break };
                        let Ok(page) = row.open() else { continue };
                        let began = Instant::now();
                        match renderer.render_timed(&page) {
                            Ok(mut r) => {
                                let t = r.timings;
                                sums.lock().unwrap().0.push([
                                    t.navigate_ms,
                                    t.snapshot_ms,
                                    t.convert_ms,
                                    t.screenshot_ms,
                                    t.total_ms,
                                ]);
                                let l = r.capture.layout.as_ref().unwrap();
                                println!(
                                    "{} {}x{} nodes {} nav {:.0} resolve {:.0} boxes {:.0} ink {:.0} total {:.0} {:?}",
                                    row.id,
                                    l.page_width_px,
                                    l.page_height_px,
                                    r.capture.dom.len(),
                                    t.navigate_ms,
                                    t.snapshot_ms,
                                    t.convert_ms,
                                    t.screenshot_ms,
                                    t.total_ms,
                                    r.capture.record.warnings
                                );
                                if r.capture.record.url.is_none() {
                                    r.capture.record.url.clone_from(&row.url);
                                }
                                if out != "-" {
                                    vclean::capture::save(&r.capture, &Path::new(&out).join(&set.name).join(&row.id))
                                        .unwrap();
                                }
                            }
                            Err(e) => {
                                println!("{} ERROR after {:?} {e}", row.id, began.elapsed());
                                sums.lock().unwrap().1 += 1;
                            }
                        }
                    }
                });
            }
        });
        let (v, errors) = sums.into_inner().unwrap();
        let mut mean = [0f64; 5];
        for x in &v {
            for k in 0..5 {
                mean[k] += x[k] / v.len() as f64;
            }
        }
        println!("{}: mean of {} ({errors} errors): {:?}", set.name, v.len(), mean);
    }
}
