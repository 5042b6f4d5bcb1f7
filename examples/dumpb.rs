//! trial
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
    for input in std::env::args().skip(1) {
        for page in vclean::source::open(&input) {
            let page = page.unwrap();
            let began = std::time::Instant::now();
            match renderer.render_timed(&page) {
                Ok(r) => {
                    let c = r.capture;
                    let l = c.layout.as_ref().unwrap();
                    println!(
                        "{input} ok {:?} {}x{} nodes {} {:?}",
                        began.elapsed(),
                        l.page_width_px,
                        l.page_height_px,
                        c.dom.len(),
                        c.record.warnings
                    );
                    if std::env::var("DUMP").is_ok() {
                        for id in c.dom.ids() {
                            if let Some(b) = l.node_box(id) {
                                println!(
                                    "{:>3} {:8} {:?} {:?} order {} {:?}",
                                    id.index(),
                                    c.dom.tag(id),
                                    c.dom.text(id).map(|t| t.chars().take(30).collect::<String>()),
                                    b.rect,
                                    b.paint_order,
                                    l.style(id).map(|s| s.display)
                                );
                            }
                        }
                    }
                }
                Err(e) => println!("{input} ERR {:?} {e}", began.elapsed()),
            }
        }
    }
}
