//! trial
use std::path::Path;
use vclean::render::{RenderOptions, trial};
fn main() {
    let mut args = std::env::args().skip(1);
    let out = args.next().unwrap();
    let mut sums = [0f64; 5];
    let mut n = 0;
    for input in args {
        for page in vclean::source::open(&input) {
            let Ok(page) = page else { continue };
            let stem = Path::new(&page.input).file_stem().unwrap().to_string_lossy().into_owned();
            match trial(RenderOptions::default(), &page) {
                Ok(r) => {
                    let t = r.timings;
                    for (s, v) in sums.iter_mut().zip([t.navigate_ms, t.snapshot_ms, t.convert_ms, t.screenshot_ms, t.total_ms]) { *s += v; }
                    n += 1;
                    let l = r.capture.layout.as_ref().unwrap();
                    println!("{stem} {}x{} nodes {} nav {:.0} resolve {:.0} boxes {:.0} ink {:.0} total {:.0} {:?}", l.page_width_px, l.page_height_px, r.capture.dom.len(), t.navigate_ms, t.snapshot_ms, t.convert_ms, t.screenshot_ms, t.total_ms, r.capture.record.warnings);
                    if out != "-" { vclean::capture::save(&r.capture, &Path::new(&out).join(&stem)).unwrap(); }
                }
                Err(e) => println!("{stem} ERROR {e}"),
            }
        }
    }
    println!("mean of {n}: {:?}", sums.map(|s| s / n as f64));
}
