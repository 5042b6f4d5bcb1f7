//! Where the text of a page goes: a file named after it, a container of many pages, or standard output.

use super::console::Console;
use super::inputs::{Inputs, Label};
use super::ledger::{self, Keeping, Ledger};
use super::options::{BlockTable, OutputArguments};
use super::pages::Taken;
use super::stages::{self, EmitOptions, FORMATS, Format};
use super::write;
use crate::batch::journal::Settings;
use crate::capture::Capture;
use crate::emit;
use crate::method::Cleaned;
use crate::source::Page;
use crate::store::{self, BlockRow, Blocks, Record};
use anyhow::{Context, bail};
use std::env;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What to write of each page, and where.
#[derive(Debug, Clone)]
pub(super) struct Outputs {
    format: &'static Format,
    emit: EmitOptions,
    to: Destination,
    blocks: Blocks,
    /// Whether a JSON document must stay on its line, because others follow.
    is_one_line: bool,
}

/// Where texts go.
#[derive(Debug, Clone)]
enum Destination {
    StandardOutput,
    /// A folder with a file a page.
    Folder(PathBuf),
    /// A file, or folder of files, that takes all pages.
    Container(PathBuf, &'static store::Kind),
}

/// What a page became, ready to be stored.
#[derive(Debug)]
pub(super) enum Product {
    /// Its text; empty where it has none.
    Text(String),
    /// All of it.
    Record(Box<Record>),
}

impl Outputs {
    /// Makes the folders that are needed.
    ///
    /// # Errors
    /// If a folder cannot be made, or options do not go together.
    pub(super) fn new(arguments: &OutputArguments, is_one_page: bool) -> anyhow::Result<Self> {
        let to = match &arguments.out {
            None => Destination::StandardOutput,
            // A folder of pages that happens to be called so stays one.
            Some(path) => match store::kind_of(path) {
                Some(kind) => Destination::Container(path.clone(), kind),
                None => Destination::Folder(write::folder(path)?),
            },
        };
        let blocks = match arguments.blocks {
            None => Blocks::None,
            Some(BlockTable::Verdicts) => Blocks::Verdicts,
            Some(BlockTable::Features) => Blocks::Features,
        };
        let has_blocks = matches!(&to, Destination::Container(_, kind) if kind.has_blocks);
        if blocks != Blocks::None && !has_blocks {
            bail!("--blocks is for --out FILE.jsonl or DIR.parquet; --format json holds the verdicts of a page alone");
        }
        if matches!(to, Destination::Container(..)) && arguments.format == "json" {
            bail!(
                "--format json is for a file a page; --out FILE.jsonl holds a JSON object a page, --blocks more of it"
            );
        }
        Ok(Self {
            format: FORMATS
                .iter()
                .find(|format| format.name == arguments.format)
                .expect("the choices on the command line are those of the table"),
            emit: stages::emit_options(arguments.links),
            to,
            blocks,
            is_one_line: !is_one_page,
        })
    }

    /// The ledger of a run over `inputs`, kept on disk where several pages go to a folder or a container. `settings` are
    /// those of the rest of the run.
    ///
    /// # Errors
    /// If another run writes there, or the results of an earlier one are there and cannot be gone on with.
    pub(super) fn ledger(
        &self,
        arguments: &OutputArguments,
        inputs: &Inputs,
        mut settings: Settings,
        metrics: Option<&Path>,
    ) -> anyhow::Result<Ledger> {
        let mut set = |name: &str, value: String| settings.insert(name.to_owned(), value);
        set("vclean", env!("CARGO_PKG_VERSION").to_owned());
        set("--format", self.format.name.to_owned());
        set("--links", self.emit.links.to_string());
        set("--blocks", format!("{:?}", self.blocks).to_lowercase());
        let shard = inputs.shard();
        set("--shard", shard.map_or("none".to_owned(), |shard| format!("{}/{}", shard.index + 1, shard.count)));
        let resuming = arguments.resuming;
        let keeping = |out: &Path, is_file: bool, is_there| Keeping {
            folder: ledger::folder_of(out, is_file, shard),
            settings,
            earlier: resuming.earlier(is_file),
            retries: resuming.retry_failed,
            is_there,
        };
        match &self.to {
            Destination::StandardOutput => Ok(Ledger::unkept(metrics)),
            Destination::Folder(_) if inputs.is_one_page() && !resuming.resume => Ok(Ledger::unkept(metrics)),
            Destination::Folder(out) => {
                let this = self.clone();
                let is_there = move |stem: &str, bytes: Option<u64>| {
                    let length = this.text_file(stem).and_then(|path| path.metadata().ok()).map(|facts| facts.len());
                    length.is_some_and(|length| bytes.is_none_or(|bytes| bytes == length))
                };
                let ledger = Ledger::kept(keeping(out, false, Some(Box::new(is_there))), metrics, |_| Ok(None))?;
                if shard.is_none() {
                    // The lock is ours; other parts of one run may be at work beside this one.
                    write::sweep(out);
                }
                Ok(ledger)
            }
            Destination::Container(out, kind) => {
                let keeping = keeping(out, true, None);
                let is_strange = out.exists() && !keeping.folder.exists();
                if is_strange && !resuming.overwrite {
                    bail!("{} is there, and no run of vclean that could go on; --overwrite replaces it", out.display());
                }
                if let Some(parent) = out.parent().filter(|parent| !parent.as_os_str().is_empty()) {
                    write::folder(parent)?;
                }
                let state = keeping.folder.clone();
                let settings = store::Settings {
                    state: state.clone(),
                    media_type: media_type(self.format),
                    began_s: began_s(&state)?,
                    blocks: self.blocks,
                };
                Ledger::kept(keeping, metrics, |mark| {
                    let container = (kind.open)(out, &settings, mark);
                    Ok(Some(container.with_context(|| format!("cannot write {}", out.display()))?))
                })
            }
        }
    }

    /// Whether the output holds why decisions were made.
    pub(super) fn wants_reasons(&self) -> bool {
        self.format.name == "json"
    }

    /// What stands between two pages on standard output.
    fn separator(&self) -> &'static str {
        if self.format.name == "json" { "" } else { "\n" }
    }

    fn text_file(&self, stem: &str) -> Option<PathBuf> {
        match &self.to {
            Destination::Folder(folder) => Some(folder.join(format!("{stem}.{}", self.format.extension))),
            _ => None,
        }
    }

    /// What is to be stored of a page.
    pub(super) fn product(&self, stem: &str, page: &Page, capture: &Capture, cleaned: Cleaned) -> Product {
        let document = &cleaned.document;
        let is_empty = document.segments.is_empty();
        let written = || (self.format.write)(document, &self.emit);
        match &self.to {
            Destination::Container(_, kind) => {
                let text = if is_empty { String::new() } else { written() };
                let marked = if is_empty { String::new() } else { marked(document) };
                let has_features = self.blocks == Blocks::Features;
                let table = Some(&cleaned.table).filter(|_| has_features && kind.has_blocks);
                let columns = table.map(|table| table.columns.iter().map(ToString::to_string).collect());
                Product::Record(Box::new(Record {
                    id: stem.to_owned(),
                    input: page.input.clone(),
                    url: capture.address().map(str::to_owned).or_else(|| page.url.clone()),
                    text,
                    marked,
                    rendered: capture.layout.is_some(),
                    confidence: cleaned.confidence(),
                    warnings: capture.record.warnings.clone(),
                    columns: columns.unwrap_or_default(),
                    blocks: (self.blocks != Blocks::None).then(|| BlockRow::of(document, table)),
                    metadata: cleaned.document.metadata,
                }))
            }
            // Other programs tell a page without content by its empty file, whatever the format.
            Destination::Folder(_) if is_empty => Product::Text(String::new()),
            Destination::StandardOutput if self.format.name == "json" && self.is_one_line => {
                Product::Text(one_line_json(&written()))
            }
            Destination::StandardOutput if is_empty && self.format.name != "json" => Product::Text(String::new()),
            _ => Product::Text(written()),
        }
    }

    /// Stores what a page became.
    pub(super) fn store(&self, page: &Label, product: Product, console: &mut Console, ledger: &mut Ledger) -> Taken {
        match product {
            Product::Record(record) => match ledger.container().map(|container| container.append(*record)) {
                Some(Ok(())) => Taken::Stored(None),
                Some(Err(error)) => Taken::Unwritten(error.to_string()),
                None => Taken::Unwritten("its container is not open".to_owned()),
            },
            Product::Text(text) => match self.text_file(&page.stem) {
                Some(path) => match write::whole(&path, text.as_bytes()) {
                    Ok(()) => Taken::Stored(Some(text.len() as u64)),
                    Err(error) => Taken::Unwritten(format!("{error:#}")),
                },
                None => match console.print(&text, self.separator()) {
                    ControlFlow::Continue(()) => Taken::Stored(None),
                    ControlFlow::Break(()) => Taken::Declined,
                },
            },
        }
    }
}

/// The text with its paragraphs, headings and list items marked.
fn marked(document: &crate::clean::CleanDocument) -> String {
    let format = emit::find("cleaneval").expect("the format is in the table");
    (format.write)(document, &EmitOptions::default())
}

fn media_type(format: &Format) -> &'static str {
    match format.extension {
        "html" => "text/html; charset=utf-8",
        "md" => "text/markdown; charset=utf-8",
        _ => "text/plain; charset=utf-8",
    }
}

/// When the run began, in seconds since 1970; a run that goes on has the time of its beginning.
/// `SOURCE_DATE_EPOCH` sets it, so that another run gives the same bytes.
fn began_s(state: &Path) -> anyhow::Result<u64> {
    let path = state.join("began");
    if let Some(began) = std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok()) {
        return Ok(began);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_secs());
    let began = env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok()).unwrap_or(now);
    write::folder(state)?;
    write::whole(&path, format!("{began}\n").as_bytes())?;
    Ok(began)
}

/// The same JSON document without white space between its tokens.
fn one_line_json(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    let (mut in_string, mut is_escaped) = (false, false);
    for char in text.chars() {
        if in_string {
            in_string = is_escaped || char != '"';
            is_escaped = !is_escaped && char == '\\';
        } else if char.is_ascii_whitespace() {
            continue;
        } else {
            in_string = char == '"';
        }
        line.push(char);
    }
    line
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::options::ResumeArguments;
    use crate::features::FeatureTable;
    use crate::report::samples;
    use std::fs;

    fn arguments(out: Option<&Path>, format: &str) -> OutputArguments {
        OutputArguments {
            format: format.to_owned(),
            out: out.map(Path::to_path_buf),
            resuming: ResumeArguments::default(),
            blocks: None,
            links: false,
            report: None,
            overlay: None,
            mask: None,
        }
    }

    fn sample() -> (Capture, Cleaned) {
        let (capture, targets, document) = samples::page("Menu");
        let decisions = document.targets.iter().map(|report| report.decision.clone()).collect();
        let table = FeatureTable { columns: Vec::new(), rows: ndarray::Array2::zeros((3, 0)) };
        (capture, Cleaned { targets, table, decisions, document })
    }

    fn page() -> Page {
        let body = crate::source::Body::html("");
        Page { input: "a.html".into(), url: None, body }
    }

    fn label(stem: &str) -> Label {
        Label { input: "a.html".into(), stem: stem.to_owned() }
    }

    fn inputs() -> Inputs {
        Inputs::of(&["a.html", "b.html"])
    }

    fn put(outputs: &Outputs, ledger: &mut Ledger, stem: &str, cleaned: Cleaned) {
        let (capture, _) = sample();
        let product = outputs.product(stem, &page(), &capture, cleaned);
        let mut console = Console::new(1, false, true);
        let Taken::Stored(bytes) = outputs.store(&label(stem), product, &mut console, ledger) else { unreachable!() };
        ledger.done(&label(stem), bytes).unwrap();
    }

    #[test]
    fn one_file_a_page_empty_where_there_is_no_content() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("made/if/missing");
        for format in FORMATS {
            let arguments = arguments(Some(&out), format.name);
            let outputs = Outputs::new(&arguments, false).unwrap();
            let mut ledger = outputs.ledger(&arguments, &inputs(), Settings::new(), None).unwrap();
            let (_, mut cleaned) = sample();
            put(&outputs, &mut ledger, "a", cleaned.clone());
            let text = fs::read_to_string(out.join("a").with_extension(format.extension)).unwrap();
            assert!(text.contains("Some running text"), "{text}");
            cleaned.document.segments.clear();
            put(&outputs, &mut ledger, "b", cleaned);
            assert_eq!(fs::read(out.join("b").with_extension(format.extension)).unwrap(), b"", "{}", format.name);
        }
    }

    #[test]
    fn a_page_is_done_when_its_file_is_there_and_whole() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let mut arguments = arguments(Some(&out), "text");
        let outputs = Outputs::new(&arguments, false).unwrap();
        // Files of a run that kept no journal count as they are.
        fs::write(out.join("old.txt"), "text").unwrap();
        arguments.resuming.resume = true;
        let mut ledger = outputs.ledger(&arguments, &inputs(), Settings::new(), None).unwrap();
        let mut is_due = ledger.is_due();
        assert!(!is_due("old") && is_due("a"));
        for stem in ["a", "b"] {
            put(&outputs, &mut ledger, stem, sample().1);
        }
        ledger.end(true).unwrap();
        drop(ledger);
        fs::write(out.join("b.txt"), "cut").unwrap();
        let mut is_due = outputs.ledger(&arguments, &inputs(), Settings::new(), None).unwrap().is_due();
        assert!(!is_due("a") && is_due("b") && is_due("c") && is_due("old"));
        arguments.format = "html".to_owned();
        let outputs = Outputs::new(&arguments, false).unwrap();
        let error = outputs.ledger(&arguments, &inputs(), Settings::new(), None).err().unwrap().to_string();
        assert!(error.contains("--format text") && error.contains("html"), "{error}");
    }

    #[test]
    fn a_container_is_named_by_its_ending_and_takes_nothing_that_is_not_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("pages.jsonl");
        let mut arguments = arguments(Some(&out), "text");
        arguments.blocks = Some(BlockTable::Verdicts);
        fs::write(&out, "something else").unwrap();
        let open = |arguments: &OutputArguments| {
            let outputs = Outputs::new(arguments, false)?;
            let ledger = outputs.ledger(arguments, &inputs(), Settings::new(), None)?;
            Ok::<_, anyhow::Error>((outputs, ledger))
        };
        for resume in [false, true] {
            arguments.resuming.resume = resume;
            assert!(open(&arguments).err().unwrap().to_string().contains("--overwrite"));
        }
        arguments.resuming = ResumeArguments { overwrite: true, ..ResumeArguments::default() };
        let (outputs, mut ledger) = open(&arguments).unwrap();
        put(&outputs, &mut ledger, "a", sample().1);
        ledger.end(true).unwrap();
        let line: serde_json::Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
        assert_eq!(line["id"], "a");
        assert_eq!(line["blocks"].as_array().unwrap().len(), 3);
        assert!(line["marked"].as_str().unwrap().starts_with('<'), "{line}");
        for wrong in ["out", "x.warc"] {
            arguments.out = Some(folder.path().join(wrong));
            assert!(open(&arguments).err().unwrap().to_string().contains("--blocks"), "{wrong}");
        }
    }

    #[test]
    fn json_is_put_on_one_line_without_touching_strings() {
        let value = serde_json::json!({"a": [1, 2.5, null], "b c": " x \" \\ \n { } , y\\\\"});
        let line = one_line_json(&serde_json::to_string_pretty(&value).unwrap());
        assert_eq!(line, serde_json::to_string(&value).unwrap());
    }
}
