//! `vclean lab features`: writes the feature table, for users who train their own models.

use crate::SOME_FAILED;
use crate::console::{self, Console};
use crate::options::BatchArguments;
use anyhow::Context;
use clap::Args;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use vclean_core::capture::{Capture, Dom, NodeId};
use vclean_core::classify::Label;
use vclean_core::error::{Warning, WarningKind};
use vclean_core::features::markup::MarkupWords;
use vclean_core::features::{FeatureTable, GROUPS, Measuring, ON_REQUEST, is_in_group, requested};
use vclean_core::files;
use vclean_core::language::Keywords;
use vclean_core::page::Page;
use vclean_core::pipeline;
use vclean_core::pipeline::choice;
use vclean_core::target::{Target, TargetRule};
use vclean_lab::gold::{GoldOfPages, Labelling};
use vclean_render::TimeLimit;
use vclean_run::Ending;
use vclean_run::pages::{self, Done, StoreOutcome};
use vclean_run::{Inputs, Observer, Protected, RunState};

/// Write the feature table of pages
///
/// One row per text block: input, number of the block, path of its container, label, the beginning
/// of its text, and one column per feature. Captures have all features; HTML and MHTML files have
/// only those that need no layout, and the other cells stay empty. A data folder with a
/// manifest.jsonl stands for all its pages; their blocks have the label that the gold text gives
/// them (content or boilerplate). The label of other pages is empty, for you to fill in.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  vclean lab features captures/ --out table.csv
  vclean lab features page.html --out table.jsonl
  vclean lab features data/own --out table.csv                       with labels from the gold text
  vclean lab features data/own --captures kept/ --out table.csv      the same with layout, from captures kept by align or train
  vclean lab features page.html --language-bound --out table.csv     also parts of speech
  vclean lab features page.html --markup static --out table.csv      also what classes, ids and tags say to that model
  vclean lab features --describe                 what each column means")]
pub(crate) struct Arguments {
    /// Captures, HTML and MHTML files, folders of them, data folders, `-` for standard input
    #[arg(value_name = "INPUT", required_unless_present_any = ["from", "describe"])]
    inputs: Vec<String>,

    /// Read more inputs from FILE (`-` for standard input), one per line
    #[arg(long, value_name = "FILE")]
    from: Option<String>,

    /// Table to write, .csv or .jsonl [default: CSV on standard output]
    #[arg(long, short, value_name = "FILE", value_parser = table_file)]
    out: Option<PathBuf>,

    /// Measure captures of the pages of data folders instead of the pages themselves: DIR/SET/PAGE,
    /// as align, train and evaluate keep them
    #[arg(long, value_name = "DIR", conflicts_with = "describe")]
    captures: Option<PathBuf>,

    /// Print an explanation of every column as Markdown tables, and nothing else
    #[arg(long, conflicts_with_all = ["inputs", "from", "out"])]
    describe: bool,

    /// How text blocks are selected: blocks or fiasco
    #[arg(long, value_name = "RULE", default_value = "blocks", value_parser = choice::<TargetRule>())]
    targets: TargetRule,

    /// Also measure features that depend on the language: parts of speech and, with --keywords,
    /// keywords
    #[arg(long)]
    language_bound: bool,

    /// Use the keywords of this model: a built-in name or a file
    #[arg(long, value_name = "MODEL", requires = "language_bound")]
    keywords: Option<String>,

    /// Also measure what the names and tags around a text say, as this model has learned it: a
    /// built-in name or a file
    #[arg(long, value_name = "MODEL")]
    markup: Option<String>,

    #[command(flatten)]
    batch: BatchArguments,
    #[command(flatten)]
    limit: TimeLimit,
}

/// Parses a path that ends in `.csv` or `.jsonl`.
fn table_file(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv" | "jsonl") => Ok(path),
        _ => Err("the name must end in .csv or .jsonl".to_owned()),
    }
}

/// Characters of a block's text that its row shows.
const EXCERPT_CHARS: usize = 80;
/// Most elements of a path that are shown, innermost last; hostile pages nest 100,000 levels deep.
const MAX_PATH_ELEMENTS: usize = 40;
/// The columns before the features.
const HEAD: [&str; 5] = ["input", "target", "path", "label", "text"];

pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    if arguments.describe {
        return Ok(if console::print(&[&describe()]).is_ok() {
            ExitCode::SUCCESS
        } else {
            SOME_FAILED.into()
        });
    }
    let inputs = Inputs::new(arguments.inputs, arguments.from.as_deref(), None)?;
    let gold = GoldOfPages::open(inputs.named(), arguments.captures.as_deref())?;
    anyhow::ensure!(
        arguments.captures.is_none() || !gold.is_empty(),
        "--captures is for data folders (with a manifest.jsonl); name captures themselves as inputs"
    );
    let (options, stop) = (
        arguments.batch.limited(arguments.limit),
        console::stop_on_interrupt(),
    );
    let mut console = Console::for_run(&inputs, &arguments.batch);
    let is_json = arguments
        .out
        .as_ref()
        .is_some_and(|path| path.extension().is_some_and(|end| end == "jsonl"));
    let rule = arguments.targets;
    let keywords = arguments
        .keywords
        .as_deref()
        .map(read_keywords)
        .transpose()?;
    let markup = arguments.markup.as_deref().map(read_markup).transpose()?;
    let language_bound = arguments.language_bound;
    let measuring = Measuring {
        language_bound,
        keywords: keywords.as_ref(),
        markup: markup.as_ref(),
        columns: None,
    };
    let groups = GROUPS.iter().chain(requested(&measuring));
    let columns: Vec<&'static str> = groups
        .flat_map(|group| group.columns)
        .map(|column| column.name)
        .collect();
    let head = if is_json {
        String::new()
    } else {
        csv_lines([HEAD.iter().chain(&columns)])
    };
    let work = move |_: &str, page: &Page| {
        let capture = gold.capture(page)?;
        let measuring = Measuring {
            language_bound,
            keywords: keywords.as_ref(),
            markup: markup.as_ref(),
            columns: None,
        };
        let (targets, table) = pipeline::measure(&capture, rule, &measuring)?;
        let (labels, warning) = labels(&gold, page, &capture, &targets);
        let rows = Rows {
            input: &page.input,
            capture: &capture,
            targets: &targets,
            labels,
            table: &table,
        };
        let content = if is_json {
            rows.jsonl()
        } else {
            rows.csv(&columns)
        };
        let mut warnings = capture.record.warnings;
        warnings.extend(warning);
        Ok(Done { content, warnings })
    };
    let protected = Protected::inputs(&inputs);
    for path in [&arguments.out, &options.metrics].into_iter().flatten() {
        protected.check(path)?;
    }
    let state = RunState::unkept(options.metrics.as_deref())?;
    let Some(path) = arguments.out else {
        let mut is_first = true;
        let ended = pages::each(
            inputs,
            &options,
            state,
            &stop,
            &mut console,
            work,
            |_, rows, console, _| {
                let head = if std::mem::take(&mut is_first) {
                    head.as_str()
                } else {
                    ""
                };
                match console.text(&format!("{head}{rows}"), "", "") {
                    ControlFlow::Continue(()) => StoreOutcome::Stored(None),
                    ControlFlow::Break(()) => StoreOutcome::Declined,
                }
            },
        )?;
        return Ok(console::exit_code(ended, "the table is incomplete"));
    };
    let mut file = BufWriter::new(files::begin(&path)?);
    let mut write_error = file.write_all(head.as_bytes()).err();
    let ended = pages::each(
        inputs,
        &options,
        state,
        &stop,
        &mut console,
        work,
        |_, rows, _, _| match file.write_all(rows.as_bytes()) {
            Ok(()) => StoreOutcome::Stored(None),
            Err(error) => {
                write_error = Some(error);
                StoreOutcome::Declined
            }
        },
    )?;
    if let Some(error) = write_error {
        anyhow::bail!("cannot write {}: {error}", path.display());
    }
    if ended.ending != Ending::Stopped {
        files::finish(
            file.into_inner()
                .map_err(std::io::IntoInnerError::into_error)?,
            &path,
        )?;
    }
    Ok(console::exit_code(ended, "the table was not written"))
}

/// The keywords of a model.
fn read_keywords(model: &str) -> anyhow::Result<Keywords> {
    let keywords = pipeline::load(model)?.keywords;
    keywords.with_context(|| {
        format!("the model {model} has no keywords; name one trained with --language-bound")
    })
}

fn read_markup(model: &str) -> anyhow::Result<MarkupWords> {
    let markup = pipeline::load(model)?.markup;
    markup.with_context(|| {
        format!(
            "the model {model} has learned nothing of names and tags; name another, such as static"
        )
    })
}

/// The labels of the targets by the page's gold, empty if it has none; and a warning if they cannot
/// be trusted.
fn labels(
    gold: &GoldOfPages,
    page: &Page,
    capture: &Capture,
    targets: &[Target],
) -> (Vec<Option<Label>>, Option<Warning>) {
    let warning = |text: String| Some(Warning::new(WarningKind::Gold, text));
    match gold.labelling(page, capture, targets) {
        None => (Vec::new(), None),
        Some(Err(error)) => (Vec::new(), warning(format!("the label is empty: {error}"))),
        Some(Ok(Labelling {
            labels, quality, ..
        })) => {
            let f1 = quality.oracle.f1;
            let text = format!(
                "gold text and page do not fit (F {f1:.2}), so labels are wrong; training leaves it out"
            );
            (labels, if quality.is_bad { warning(text) } else { None })
        }
    }
}

/// The rows of one page.
struct Rows<'a> {
    input: &'a str,
    capture: &'a Capture,
    targets: &'a [Target],
    /// One per target, or none at all.
    labels: Vec<Option<Label>>,
    table: &'a FeatureTable,
}

impl Rows<'_> {
    /// The cells of [`HEAD`] for one target.
    fn head(&self, index: usize) -> [String; 5] {
        let target = &self.targets[index];
        [
            self.input.to_owned(),
            index.to_string(),
            path(&self.capture.dom, target.container),
            self.labels
                .get(index)
                .copied()
                .flatten()
                .map_or("", Label::name)
                .to_owned(),
            excerpt(&self.capture.dom, target),
        ]
    }

    fn csv(&self, columns: &[&str]) -> String {
        let positions: Vec<Option<usize>> = columns
            .iter()
            .map(|name| self.table.columns.iter().position(|own| own == name))
            .collect();
        let cell = |row: usize, position: &Option<usize>| {
            position.map_or_else(String::new, |at| self.table.rows[[row, at]].to_string())
        };
        let cells = |row| {
            self.head(row)
                .into_iter()
                .chain(positions.iter().map(move |position| cell(row, position)))
        };
        csv_lines((0..self.targets.len()).map(cells))
    }

    fn jsonl(&self) -> String {
        let mut lines = String::new();
        for row in 0..self.targets.len() {
            let mut object = Map::new();
            for (name, value) in HEAD.iter().zip(self.head(row)) {
                let value = match *name {
                    "target" => Value::from(row),
                    "label" if value.is_empty() => Value::Null,
                    _ => Value::from(value),
                };
                object.insert((*name).to_owned(), value);
            }
            for (name, &value) in self.table.columns.iter().zip(self.table.rows.row(row)) {
                // The shortest decimal of the `f32`, not the digits of its widening.
                let number = value.to_string().parse::<f64>().unwrap_or_default();
                object.insert((*name).to_owned(), Value::from(number));
            }
            let _ = writeln!(lines, "{}", Value::Object(object));
        }
        lines
    }
}

/// Lines of CSV (RFC 4180, but each ended by a line feed): cells are quoted where they must be.
fn csv_lines<R>(rows: impl IntoIterator<Item = R>) -> String
where
    R: IntoIterator<Item: AsRef<[u8]>>,
{
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer
            .write_record(row)
            .expect("writing to memory cannot fail, and all rows have the columns of the table");
    }
    let bytes = writer.into_inner().expect("writing to memory cannot fail");
    String::from_utf8(bytes).expect("the cells are text")
}

/// Tags from the root to `id`, such as `html/body/div`; for very deep nodes, `...` and the
/// innermost tags.
pub(super) fn path(dom: &Dom, id: NodeId) -> String {
    dom.path(id, MAX_PATH_ELEMENTS, "...")
}

/// The first characters of a target, with white space collapsed and a space between text nodes.
pub(super) fn excerpt(dom: &Dom, target: &Target) -> String {
    let mut text = String::new();
    vclean_core::target::write_plain_text(dom, &target.texts, |_, _| true, &mut text);
    vclean_core::text::excerpt(&text, EXCERPT_CHARS).to_owned()
}

/// Every column with its range, meaning and source, as a Markdown table for each group.
fn describe() -> String {
    let mut page = String::new();
    for group in GROUPS.iter().chain(ON_REQUEST) {
        let is_on_request = ON_REQUEST.iter().any(|other| other.name == group.name);
        let needs = match (group.needs_layout, is_on_request) {
            (true, _) => " (rendered pages only)",
            (_, true) if is_in_group(group.name, "linguistic") => {
                " (depends on the language: --language-bound)"
            }
            (_, true) => " (depends on the model: --markup)",
            _ => "",
        };
        let _ = writeln!(
            page,
            "## {}{needs}\n\n| column | range | meaning | source |\n|---|---|---|---|",
            group.name
        );
        for column in group.columns {
            let cell = |text: &str| text.replace('|', "\\|");
            let (range, meaning, source) = (
                cell(&column.range.to_string()),
                cell(column.meaning),
                cell(column.source),
            );
            let _ = writeln!(
                page,
                "| `{}` | {range} | {meaning} | {source} |",
                column.name
            );
        }
        page.push('\n');
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;
    use vclean_core::explain::samples;

    #[test]
    fn missing_features_are_empty_cells_and_missing_keys() {
        let (capture, targets, _) = samples::page("Menu, \"quoted\"");
        let table = FeatureTable {
            columns: vec!["b.two"],
            rows: array![[0.5], [1.0], [0.1]],
        };
        let labels = vec![Some(Label::Content), Some(Label::Content), None];
        let rows = Rows {
            input: "in.html",
            capture: &capture,
            targets: &targets,
            labels,
            table: &table,
        };
        assert_eq!(
            rows.csv(&["a.one", "b.two"]),
            "in.html,0,body/h1,content,Head,,0.5\nin.html,1,body/p,content,Some running text,,1\n\
             in.html,2,body/nav,,\"Menu, \"\"quoted\"\"\",,0.1\n"
        );
        let lines = rows.jsonl();
        assert_eq!(
            serde_json::from_str::<Value>(lines.lines().next().unwrap()).unwrap()["label"],
            "content"
        );
        let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
        assert_eq!(last["b.two"], 0.1);
        assert!(last.get("a.one").is_none() && last["label"].is_null());
    }

    #[test]
    fn paths_and_excerpts_are_bounded() {
        let mut builder = vclean_core::capture::DomBuilder::new();
        for _ in 0..1000 {
            builder.open("div", vec![]);
        }
        let text = builder.text(&"ä".repeat(10_000));
        let dom = builder.finish();
        let container = dom.parent(text).unwrap();
        assert!(path(&dom, container).starts_with(".../div/"));
        let target = Target {
            container,
            texts: vec![text],
            visibility: vclean_core::capture::Visibility::Shown,
        };
        assert_eq!(excerpt(&dom, &target).chars().count(), EXCERPT_CHARS);
    }

    #[test]
    fn the_extension_of_a_table_must_be_known() {
        assert!(table_file("x.csv").is_ok() && table_file("x.jsonl").is_ok());
        assert!(table_file("x.xlsx").is_err() && table_file("csv").is_err());
    }
}
