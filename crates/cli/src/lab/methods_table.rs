//! `--methods`: compares methods on the same pages, as a table, as Markdown with a plot, and as
//! JSON.

use super::data::named_all;
use super::output::{self, Terminal};
use super::tables::Request;
use crate::{SOME_FAILED, console};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use vclean_core::files;
use vclean_core::pipeline::{Method, Sees};
use vclean_lab::evaluate::sets::check_sets;
use vclean_lab::gold::Capturing;
use vclean_rivals::compare::ranking::SideBySide;
use vclean_rivals::compare::{page, scatter};
use vclean_rivals::method::methods as all_methods;
use vclean_rivals::tables::side_by_side::{Contender, compare_set};

/// Which methods are compared.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Methods")]
pub(super) struct MethodsArguments {
    /// Compare methods instead of measuring one model: all, or names from vclean lab methods, such
    /// as vclean,justext; each with its default parameters and its built-in model. Methods that use
    /// rendered pages are measured with and without the renderings of --captures
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["table", "model", "targets", "min_precision", "report", "thresholds", "record_thresholds", "worst", "alignment"])]
    methods: Vec<String>,

    /// Write the comparison as a Markdown page, and next to it a plot of precision against recall
    /// as SVG
    #[arg(long, value_name = "FILE.md", requires = "methods", value_parser = markdown_file)]
    markdown: Option<PathBuf>,
}

fn markdown_file(path: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(path);
    if path.extension().is_some_and(|extension| extension == "md") {
        Ok(path)
    } else {
        Err("the name must end in .md; the plot gets the same name with .svg".to_owned())
    }
}

impl MethodsArguments {
    /// True if a comparison of methods is requested.
    pub(super) fn is_requested(&self) -> bool {
        !self.methods.is_empty()
    }

    /// The page that is written.
    pub(super) fn file(&self) -> Option<&Path> {
        self.markdown.as_deref()
    }
}

pub(super) fn run(
    arguments: &MethodsArguments,
    request: &Request<'_>,
    any_engine: bool,
) -> anyhow::Result<ExitCode> {
    let chosen: Vec<&'static Method> = named_all(
        "method",
        all_methods(),
        |method| method.name,
        &arguments.methods,
    )?;
    let threads = request.batch.threads()?;
    let data_sets = request.data.open()?;
    let capturing = request.data.capturing(&data_sets, request.batch.jobs())?;
    let is_rendered = !matches!(capturing, Capturing::Static)
        && chosen.iter().any(|method| method.sees == Sees::Rendering);
    let contenders = Contender::all(&chosen, is_rendered, any_engine)?;
    let split = request.split.unwrap_or_default();
    check_sets(&data_sets, split)?;
    let progress = Terminal::new(request.batch.quiet);
    let (mut sets, mut failed) = (Vec::new(), 0);
    for set in &data_sets {
        let (found, failures) =
            threads.install(|| compare_set(set, split, &capturing, &contenders, &progress))?;
        let tables = std::iter::once(found.table()).chain(found.interval_tables());
        let tables: Vec<String> = tables.map(|table| table.to_text() + "\n").collect();
        let text = format!(
            "{}, {}, {} pages\n{}",
            found.set,
            found.split,
            found.pages,
            tables.concat()
        );
        if console::print(&[&text]).is_err() {
            return Ok(SOME_FAILED.into());
        }
        failed += failures;
        sets.push(found);
    }
    output::write_json(request.json, &sets)?;
    if let Some(path) = &arguments.markdown {
        write_page(
            path,
            &sets,
            &command(arguments, &request.data.data, is_rendered),
        )?;
    }
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        SOME_FAILED.into()
    })
}

fn write_page(path: &Path, sets: &[SideBySide], command: &str) -> anyhow::Result<()> {
    let plot = path.with_extension("svg");
    let name = plot
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    files::write_whole(&plot, scatter(sets).as_bytes())?;
    Ok(files::write_whole(
        path,
        page::markdown(sets, command, &name).as_bytes(),
    )?)
}

/// The command without paths of this machine.
fn command(arguments: &MethodsArguments, folders: &[PathBuf], is_rendered: bool) -> String {
    let name = |path: &PathBuf| {
        path.file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default()
    };
    let folders: Vec<String> = folders
        .iter()
        .map(|path| format!("data/{}", name(path)))
        .collect();
    let how = if is_rendered {
        "--captures captures/"
    } else {
        "--static"
    };
    let page = arguments.markdown.as_ref().map(name).unwrap_or_default();
    let methods = arguments.methods.join(",");
    format!(
        "vclean lab evaluate {} {how} --methods {methods} --markdown {page}",
        folders.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::evaluate::{self, Arguments};
    use clap::Parser;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn parse(words: &[&str]) -> Result<Arguments, clap::Error> {
        Alone::try_parse_from([&["evaluate", "/x/toy"], words].concat())
            .map(|alone| alone.arguments)
    }

    #[test]
    fn the_command_contains_no_path() {
        let arguments = parse(&[
            "--static",
            "--methods",
            "dump,vclean",
            "--markdown",
            "/y/E.md",
        ])
        .unwrap();
        let expected =
            "vclean lab evaluate data/toy --static --methods dump,vclean --markdown E.md";
        assert_eq!(
            command(&arguments.methods, &arguments.data.data, false),
            expected
        );
    }

    #[test]
    fn contradicting_options_are_refused() {
        for words in [
            &["--methods", "all", "--model", "x"][..],
            &["--methods", "all", "--table", "subsets"],
            &["--methods", "all", "--worst", "3"],
            &["--methods", "all", "--alignment", "dice"],
            &["--markdown", "x.md"],
            &["--methods", "all", "--markdown", "x.html"],
        ] {
            assert!(parse(words).is_err(), "{words:?}");
        }
        let error = evaluate::run(&parse(&["--methods", "magic"]).unwrap())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("there is no method magic, choose all or some of vclean, "),
            "{error}"
        );
    }
}
