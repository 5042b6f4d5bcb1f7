//! Renders pages and keeps what the browser saw: `render OUT-FOLDER ADDRESS-OR-FILE...`, with times on standard error.

use std::path::Path;
use vclean::capture;
use vclean::render::{RenderOptions, Renderer};
use vclean::source::{Body, Page};

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let out = arguments.next().unwrap_or_else(|| "captures".to_owned());
    let renderer = Renderer::launch(RenderOptions::default())?;
    for input in arguments {
        let path = Path::new(&input);
        let body = if input.starts_with("http") {
            Body::Address(input.clone())
        } else if path.extension().is_some_and(|extension| extension == "html") {
            Body::Html { html: std::fs::read_to_string(path)?, folder: path.parent().map(Path::to_path_buf) }
        } else {
            Body::Mhtml(std::fs::read(path)?)
        };
        let name = path.file_stem().map_or("page".into(), |stem| stem.to_string_lossy().into_owned());
        let before = renderer.browser_cpu_ms();
        match renderer.render_timed(&Page { input: input.clone(), url: None, body }) {
            Ok(rendered) => {
                capture::save(&rendered.capture, &Path::new(&out).join(&name))?;
                let cpu = renderer.browser_cpu_ms() - before;
                eprintln!("{name}: cpu {cpu} ms, {:?} {:?}", rendered.timings, rendered.capture.record.warnings);
            }
            Err(error) => eprintln!("{input}: {error}"),
        }
    }
    Ok(())
}
