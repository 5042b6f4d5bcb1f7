//! The Rust part of `scripts/bench-peers`: converts HTML in memory to text with vclean and
//! comparable crates.
//!
//! `tools write OUT FILE...` writes each page as vclean reads it, in UTF-8, for all tools to read.
//! `tools TOOL FILE...` reads such files, and for each line on standard input cleans them all once
//! and prints a JSON array of pairs, one per page: CPU seconds of the process, and the text (empty
//! where it failed).

use cpu_time::ProcessTime;
use std::io::{BufRead, Write};
use std::panic::catch_unwind;
use std::path::Path;
use vclean::emit::{EmitOptions, FORMATS};
use vclean::pipeline::{Options, PageCleaner};
use vclean::page::{self, Body, Page};
use vclean::source;

type Clean = Box<dyn Fn(&Input) -> Option<String> + std::panic::RefUnwindSafe>;

struct Input {
    html: String,
    page: Page,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let tool = arguments.next().expect("a tool");
    if tool == "write" {
        let out = arguments.next().expect("a folder");
        for file in arguments {
            write(Path::new(&out), &file);
        }
        return;
    }
    let inputs: Vec<Input> = arguments.map(|file| input(&file)).collect();
    let clean = tool_named(&tool);
    // If a crate panics on a page, the page counts as one without text.
    std::panic::set_hook(Box::new(|_| ()));
    for _ in std::io::stdin().lock().lines() {
        let mut times = Vec::with_capacity(inputs.len());
        for input in &inputs {
            let start = ProcessTime::now();
            let input = std::panic::AssertUnwindSafe(input);
            let text = catch_unwind(|| clean(&input)).ok().flatten();
            times.push((start.elapsed().as_secs_f64(), text.unwrap_or_default()));
        }
        println!("{}", serde_json::to_string(&times).expect("numbers are JSON"));
        std::io::stdout().flush().expect("somebody reads");
    }
}

/// Writes a page as HTML with a UTF-8 byte order mark; for a saved page, the parsed tree.
fn write(out: &Path, file: &str) {
    let html = source::open(file).next().expect("a page").map_err(|error| error.to_string()).and_then(|page| {
        match &page.body {
            Body::Html { html, .. } => Ok(html.to_string()),
            _ => page::parse(&page).map(|capture| capture.dom.to_html()).map_err(|error| error.to_string()),
        }
    });
    let stem = Path::new(file).file_stem().expect("a file").to_string_lossy().into_owned();
    match html {
        Ok(html) => std::fs::write(out.join(stem + ".html"), format!("\u{feff}{html}")).expect("a folder to write to"),
        Err(error) => eprintln!("{file}: {error}"),
    }
}

fn input(file: &str) -> Input {
    let page = source::open(file).next().expect("a page").expect("a page that was written before");
    let bytes = std::fs::read(file).expect("a file that was read before");
    let html = String::from_utf8(bytes).expect("UTF-8 that was written before");
    Input { html: html.trim_start_matches('\u{feff}').to_owned(), page }
}

fn tool_named(name: &str) -> Clean {
    let address = "https://example.org/page";
    match name {
        "vclean (static)" | "vclean (fast)" => {
            let model = name.trim_start_matches("vclean (").trim_end_matches(')');
            let mut options = Options::with_model(model);
            options.text_only = true;
            let cleaner = std::panic::AssertUnwindSafe(PageCleaner::new(&options).expect("a model that is built in"));
            Box::new(move |input| {
                let cleaner = &cleaner;
                let cleaned = cleaner.clean(&input.page).ok()?;
                Some((FORMATS[0].write)(&cleaned.document, &EmitOptions::default()))
            })
        }
        "dom_smoothie" => Box::new(move |input| {
            let mut readability = dom_smoothie::Readability::new(input.html.as_str(), Some(address), None).ok()?;
            Some(readability.parse().ok()?.text_content.to_string())
        }),
        "rs-trafilatura" => Box::new(|input| Some(rs_trafilatura::extract(&input.html).ok()?.content_text)),
        "trafilatura (crate)" => Box::new(|input| {
            Some(trafilatura::extract(&input.html, &trafilatura::Options::default()).ok()?.content_text)
        }),
        "readability" => Box::new(move |input| {
            let address = url::Url::parse(address).ok()?;
            Some(readability::extractor::extract(&mut input.html.as_bytes(), &address).ok()?.text)
        }),
        "llm_readability" => Box::new(move |input| {
            let address = url::Url::parse(address).ok()?;
            Some(llm_readability::extractor::extract(&mut input.html.as_bytes(), &address).ok()?.text)
        }),
        _ => panic!("there is no tool {name}"),
    }
}
