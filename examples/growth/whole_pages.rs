//! Times whole pages of growing size, from HTML to text.
//!
//! Each page is cleaned in its own process. The memory of a page is the peak memory of the process
//! minus the memory before it had the page.

use crate::plot::{Line, Panel};
use anyhow::{Context, ensure};
use std::fmt::Write;
use std::process::Command;
use std::time::{Duration, Instant};
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::page::{Body, Page, parse};
use vclean_core::pipeline::{Options, PageCleaner};
use vclean_render::{EngineChoice, PageOptions, RenderOptions, Renderer};

/// The first argument of the process that cleans one page.
pub(crate) const ONE_PAGE: &str = "--one-page";

/// Curves of the panels: models for bare HTML and engines, with the bytes of the largest page of
/// each. The built-in engine does not lay out larger pages but cleans them as bare HTML; Chromium
/// would exceed its memory limit.
const LINES: [(&str, usize); 4] = [
    ("fast", 50_000_000),
    ("static", 50_000_000),
    ("builtin", 3_000_000),
    ("chromium", 3_000_000),
];

/// Sizes of the pages, in bytes.
const SIZES: [usize; 6] = [
    10_000, 100_000, 1_000_000, 3_000_000, 10_000_000, 50_000_000,
];

/// Maximum number of rounds, and the time after which none is started.
const ROUNDS: usize = 5;
const MAX_TIME: Duration = Duration::from_secs(20);

/// Measures time and memory by the bytes of a page.
pub(crate) fn panels() -> anyhow::Result<[Panel; 2]> {
    let program = std::env::current_exe()?;
    let (mut times, mut memory) = (Vec::new(), Vec::new());
    for (name, largest) in LINES {
        let (mut of_time, mut of_memory) = (Vec::new(), Vec::new());
        for bytes in SIZES.into_iter().filter(|&bytes| bytes <= largest) {
            let output = Command::new(&program)
                .args([ONE_PAGE, name, &bytes.to_string()])
                .output()?;
            let told = String::from_utf8(output.stdout)?;
            let failed = || {
                format!(
                    "{name}, {bytes} bytes: {}",
                    String::from_utf8_lossy(&output.stderr)
                )
            };
            let (ms, megabytes) = told.trim().split_once(' ').with_context(failed)?;
            of_time.push((bytes as f64, ms.parse()?));
            of_memory.push((bytes as f64, megabytes.parse()?));
        }
        times.push(Line {
            name,
            points: of_time,
        });
        memory.push(Line {
            name,
            points: of_memory,
        });
    }
    let by = "bytes of the page";
    Ok([
        Panel {
            unit: "ms",
            by,
            lines: times,
        },
        Panel {
            unit: "MB",
            by,
            lines: memory,
        },
    ])
}

/// Cleans a page of `bytes` bytes, and prints the time in ms and the memory in MB.
pub(crate) fn one_page(name: &str, bytes: usize) -> anyhow::Result<()> {
    let engine = EngineChoice::ALL.iter().find(|(engine, _)| *engine == name);
    let options = if engine.is_some() {
        Options::default()
    } else {
        Options::with_model(name)
    };
    let cleaner = PageCleaner::new(&options)?;
    let launch = |&(_, engine): &(_, EngineChoice)| {
        Renderer::launch(RenderOptions {
            engine: Some(engine),
            offline: true,
            tabs: 1,
            ..RenderOptions::default()
        })
    };
    let renderer = engine.map(launch).transpose()?;
    // The first page loads the model and other things that are loaded only once.
    clean(&cleaner, renderer.as_ref(), &page(10_000))?;
    let page = page(bytes);
    let before = status_kb("VmRSS:")?;
    // Resets the peak (proc(5), /proc/pid/clear_refs).
    std::fs::write("/proc/self/clear_refs", "5")?;
    let begun = Instant::now();
    let mut least = f64::INFINITY;
    let mut peak = 0;
    for round in 0..ROUNDS {
        let started = Instant::now();
        clean(&cleaner, renderer.as_ref(), &page)?;
        least = least.min(started.elapsed().as_secs_f64() * 1000.0);
        if round == 0 {
            peak = status_kb("VmHWM:")?;
        }
        if begun.elapsed() > MAX_TIME {
            break;
        }
    }
    println!(
        "{least} {}",
        peak.saturating_sub(before).max(1) as f64 / 1024.0
    );
    Ok(())
}

fn clean(cleaner: &PageCleaner, renderer: Option<&Renderer>, page: &Page) -> anyhow::Result<()> {
    let capture = match renderer {
        Some(renderer) => renderer.render(page, &PageOptions::default())?.capture,
        None => parse(page)?,
    };
    let cleaned = cleaner.clean_capture_of(page, &capture)?;
    let text = (FORMATS[0].write)(&cleaned.document, &EmitOptions::default());
    ensure!(!text.is_empty(), "no text was kept");
    Ok(())
}

/// Generates a page of about `bytes` bytes.
fn page(bytes: usize) -> Page {
    let mut random = fastrand::Rng::with_seed(bytes as u64);
    let mut html = String::from(
        "<!DOCTYPE html><html lang=en><head><title>Growth</title></head><body><nav class=menu><ul>",
    );
    for item in 0..12 {
        let _ = write!(
            html,
            "<li><a href=/part/{item}>{}</a></li>",
            words(&mut random, 2)
        );
    }
    html.push_str("</ul></nav><main class=content><h1>How shells are dropped</h1>");
    for section in 0.. {
        if html.len() + 9_000 > bytes && section > 0 {
            break;
        }
        add_section(section, &mut random, &mut html);
    }
    html.push_str("</main><footer class=footer><p>All rights reserved.</p></footer></body></html>");
    Page::new("drawn", Body::html(html))
}

/// Adds about 9 kB in eight blocks: a heading, paragraphs with links, a list, a picture. With more
/// blocks, the largest page would exceed
/// [`MAX_TARGETS`](vclean_core::features::MAX_TARGETS).
fn add_section(section: usize, random: &mut fastrand::Rng, html: &mut String) {
    let _ = write!(
        html,
        "<section class=\"part part-{section}\"><h2>{}</h2>",
        words(random, 6)
    );
    for _ in 0..4 {
        let (before, link, after) = (words(random, 180), words(random, 2), words(random, 140));
        let _ = writeln!(
            html,
            "<p class=text>{before} <a href=/of/{section}>{link}</a> <em>and</em> {after}.</p>"
        );
    }
    html.push_str("<ul class=list>");
    for _ in 0..3 {
        let _ = write!(html, "<li>{}</li>", words(random, 25));
    }
    let _ = writeln!(
        html,
        "</ul><figure><img src=/{section}.png alt=shells></figure></section>"
    );
}

/// Makes up `count` words of three to nine letters.
fn words(random: &mut fastrand::Rng, count: usize) -> String {
    let mut words = String::new();
    for word in 0..count {
        if word > 0 {
            words.push(' ');
        }
        for letter in 0..random.usize(3..10) {
            let letters: &[u8] = if letter % 2 == 0 {
                b"bcdfghlmnprst"
            } else {
                b"aeiou"
            };
            words.push(char::from(letters[random.usize(..letters.len())]));
        }
    }
    words
}

/// Reads a value of `/proc/self/status`, in kB.
fn status_kb(name: &str) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix(name))
        .context("an odd /proc/self/status")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}
