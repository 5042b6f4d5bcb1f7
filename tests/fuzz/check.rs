//! Runs the operations of the program on an input, and checks the invariants for every input.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use vclean_core::capture::Capture;
use vclean_core::classify::Model;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::error::RenderError;
use vclean_core::files::{load_capture, save_capture};
use vclean_core::page::{self, Body, Page};
use vclean_core::pipeline::{Cleaners, Options, PageCleaner};
use vclean_render::{EngineChoice, Fallback, PageOptions, RenderOptions, Renderer, TimeLimit};
use vclean_rivals::method::{METHODS, methods};
use vclean_run::politeness::{Failure, Politeness, PolitenessOptions, RobotsError, RobotsResponse};
use vclean_run::source;

/// Maximum number of pages of an input that are cleaned.
const MAX_PAGES: usize = 4;

/// Cleaners and renderers that are prepared once for all inputs of a process.
pub struct Tools {
    methods: Vec<(&'static str, PageCleaner)>,
    renderer: Renderer,
    /// A page for models and methods that were read from an input.
    sample: Page,
    /// Folder for stored captures.
    folder: PathBuf,
}

impl Tools {
    /// Prepares all methods and the built-in engine.
    pub fn new(folder: PathBuf) -> Self {
        let cleaners = Cleaners::new(METHODS);
        let ready = |options: &Options| {
            cleaners
                .cleaner(options)
                .expect("every method is ready with its defaults")
        };
        let mut prepared: Vec<_> = methods()
            .map(|method| (method.name, ready(&Options::with_method(method.name))))
            .collect();
        prepared.push((
            "explained",
            ready(&Options {
                explain: true,
                ..Options::default()
            }),
        ));
        let options = RenderOptions {
            engine: Some(EngineChoice::Builtin),
            fallback: Some(Fallback::None),
            // The process that watches this one has its own limit, which is shorter.
            limit: TimeLimit::from_ms(600_000),
            offline: true,
            ..RenderOptions::default()
        };
        let renderer = Renderer::launch(options).expect("the built-in engine needs no browser");
        let html =
            std::fs::read_to_string(crate::corpus::fixtures().join("site/article/index.html"))
                .expect("the fixture is text");
        Self {
            methods: prepared,
            renderer,
            sample: Page::from_html("sample", html),
            folder,
        }
    }
}

/// The results of a check: a hash for each step, in order. Equal inputs must give equal results.
#[derive(Debug, Default, PartialEq, Eq)]
struct Results(Vec<(String, u64)>);

impl Results {
    fn add(&mut self, step: String, result: &str) {
        let mut hasher = DefaultHasher::new();
        result.hash(&mut hasher);
        self.0.push((step, hasher.finish()));
    }

    fn into_text(self) -> String {
        self.0
            .into_iter()
            .map(|(step, hash)| format!("{step}: {hash:016x}\n"))
            .collect::<Vec<_>>()
            .concat()
    }
}

/// Opens the pages of an input and cleans each, parsed and rendered, with every method, and writes
/// every format.
pub fn pages(tools: &Tools, path: &Path) -> Result<String, String> {
    let mut results = Results::default();
    for (number, page) in source::open(&path.to_string_lossy())
        .take(MAX_PAGES)
        .enumerate()
    {
        match page {
            Err(error) => results.add(format!("page {number}"), &one_line(&error.to_string())?),
            Ok(page) => check_page(tools, &page, number, &mut results)?,
        }
    }
    Ok(results.into_text())
}

/// Fails if a message has more than one line.
fn one_line(message: &str) -> Result<String, String> {
    if message.contains('\n') {
        Err(format!("message of several lines: {message:?}"))
    } else {
        Ok(message.to_owned())
    }
}

fn check_page(
    tools: &Tools,
    page: &Page,
    number: usize,
    results: &mut Results,
) -> Result<(), String> {
    match page::parse(page) {
        Err(error) => results.add(
            format!("page {number}, parsed"),
            &one_line(&error.to_string())?,
        ),
        Ok(capture) => check_capture(
            tools,
            page,
            &capture,
            &format!("page {number}, parsed"),
            results,
        )?,
    }
    if matches!(page.body, Body::Capture(_)) {
        return Ok(());
    }
    let step = format!("page {number}, rendered");
    match tools
        .renderer
        .render(page, &PageOptions::default())
        .map(|rendered| rendered.capture)
    {
        Err(RenderError::Crash(cause)) => Err(format!("built-in engine: {cause}")),
        Err(error) => {
            results.add(step, &one_line(&error.to_string())?);
            Ok(())
        }
        Ok(capture) => {
            check_capture(tools, page, &capture, &step, results)?;
            // Storing takes long because of the pictures, so it is done for some.
            if capture.dom.len().is_multiple_of(4) {
                check_stored(tools, &capture)
            } else {
                Ok(())
            }
        }
    }
}

fn check_capture(
    tools: &Tools,
    page: &Page,
    capture: &Capture,
    step: &str,
    results: &mut Results,
) -> Result<(), String> {
    for warning in &capture.record.warnings {
        results.add(format!("{step}, warning"), &one_line(warning)?);
    }
    for (name, method) in &tools.methods {
        match method.clean_capture_of(page, capture) {
            Err(error) => results.add(format!("{step}, {name}"), &one_line(&error.to_string())?),
            Ok(cleaned) => {
                for format in FORMATS {
                    for links in [false, true] {
                        let written = (format.write)(
                            &cleaned.document,
                            &EmitOptions {
                                links,
                                ..EmitOptions::default()
                            },
                        );
                        check_written(format.name, &written)?;
                        results.add(format!("{step}, {name}, {}", format.name), &written);
                    }
                }
                let expected_f = cleaned.expected_f();
                if !(0.0..=1.0).contains(&expected_f) {
                    return Err(format!(
                        "expected_f of {name} is out of range: {expected_f}"
                    ));
                }
            }
        }
    }
    Ok(())
}

/// Checks that the output of a page is valid in its format.
fn check_written(format: &str, written: &str) -> Result<(), String> {
    if !written.is_empty() && !written.ends_with('\n') {
        return Err(format!(
            "output in format {format} does not end its last line"
        ));
    }
    if format == "json"
        && let Err(error) = serde_json::from_str::<serde_json::Value>(written)
    {
        return Err(format!("output is invalid JSON: {error}"));
    }
    Ok(())
}

/// Checks that a capture is unchanged after it was stored and loaded.
fn check_stored(tools: &Tools, capture: &Capture) -> Result<(), String> {
    let folder = tools.folder.join("stored");
    let _ = std::fs::remove_dir_all(&folder);
    save_capture(capture, &folder).map_err(|error| format!("capture cannot be stored: {error}"))?;
    let read =
        load_capture(&folder).map_err(|error| format!("stored capture cannot be read: {error}"))?;
    if read.dom != capture.dom {
        return Err("stored capture has another tree".to_owned());
    }
    if read.layout != capture.layout {
        return Err("stored capture has another layout".to_owned());
    }
    Ok(())
}

/// Reads a model, ours or that of a published method, and cleans a page with it.
pub fn model(tools: &Tools, path: &Path) -> Result<String, String> {
    let mut results = Results::default();
    let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
    let capture = page::parse(&tools.sample).map_err(|error| error.to_string())?;
    let mut clean = |name: &str, cleaner: &PageCleaner| {
        let text = match cleaner.clean_capture_of(&tools.sample, &capture) {
            Ok(cleaned) => FORMATS
                .iter()
                .map(|format| (format.write)(&cleaned.document, &EmitOptions::default()))
                .collect(),
            Err(error) => error.to_string(),
        };
        results.add(name.to_owned(), &text);
    };
    if let Ok(model) = Model::from_bytes(&bytes) {
        clean("own", &PageCleaner::with_model(model));
    }
    for method in methods().filter(|method| method.learns) {
        let model = Some(path.to_string_lossy().into_owned());
        if let Ok(cleaner) = Cleaners::new(METHODS).cleaner(&Options {
            method: Some(method.name.to_owned()),
            model,
            any_engine: true,
            ..Options::default()
        }) {
            clean(method.name, &cleaner);
        }
    }
    Ok(results.into_text())
}

/// Parses a `robots.txt` and checks addresses by it.
pub fn robots(_: &Tools, path: &Path) -> Result<String, String> {
    let body = std::fs::read(path).map_err(|error| error.to_string())?;
    let mut results = Results::default();
    for (number, address) in [
        "https://a.example/",
        "https://b.example/a/%41?b=c&d",
        "https://c.example/%zz",
    ]
    .iter()
    .enumerate()
    {
        let options = PolitenessOptions {
            delay: std::time::Duration::ZERO,
            retries: 0,
            ..PolitenessOptions::default()
        };
        let url = url::Url::parse(address).map_err(|error| error.to_string())?;
        let fetch = |_: &url::Url| -> Result<_, Failure<RobotsError>> {
            Ok(RobotsResponse {
                status: 200,
                body: body.clone(),
            })
        };
        let asked = Politeness::new(options).request(&url, fetch, || Ok::<_, Failure<String>>(()));
        results.add(format!("address {number}"), &format!("{}", asked.is_ok()));
    }
    Ok(results.into_text())
}

/// Reads a list of inputs.
pub fn list(_: &Tools, path: &Path) -> Result<String, String> {
    let mut results = Results::default();
    match source::list(&path.to_string_lossy()) {
        Ok(inputs) => results.add("list".to_owned(), &inputs.join("\n")),
        Err(error) => results.add("list".to_owned(), &one_line(&error.to_string())?),
    }
    Ok(results.into_text())
}
