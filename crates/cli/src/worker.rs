//! `vclean worker`: reads one JSON document per line and writes exactly one response line for each,
//! until the input ends.
//!
//! For Spark's `pipe`, Ray actors, datatrove and GNU parallel. Every line gets a response, whatever
//! it contains; an error is a response too, and neither ends the worker nor changes its exit code.

use super::rendering::{self, needs_rendering};
use super::{SOME_FAILED, console, exit};
use crate::published::PUBLISHED;
use clap::Args;
use serde_json::Value;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;
use vclean_core::emit::FORMATS;
use vclean_core::error::{ErrorKind, PageError};
use vclean_core::pipeline::{Cleaners, Options};
use vclean_render::{EngineChoice, RenderOptions};
use vclean_run::source::Lines;
use vclean_run::{DocumentCleaner, Stop, executor, failure};
use vclean_run::{Ending, Item, Order};

/// Clean JSON documents from standard input, one per line
///
/// Reads one JSON object per line from standard input: {"html": "..."}, or {"base64": "..."} with
/// the bytes of an HTML or MHTML file. Optional keys: "charset" (the encoding of the bytes;
/// detected if missing), "url" (for the metadata) and "id" (any value; returned unchanged). Writes
/// one line per object, in the same order: {"id", "text", "metadata", "warnings"} or {"id",
/// "error"}; with --format json, "document" with the object stands in the place of "text". Ends
/// when the input ends. Documents are not rendered unless --engine is given.
#[derive(Debug, Args)]
#[command(
    mut_args(|argument| needs_rendering(argument, "engine")),
    mut_arg("timeout", |option| option.requires("engine")),
)]
#[command(after_help = "\
Examples:
  echo '{\"id\": 7, \"html\": \"<p>Some text</p>\"}' | vclean worker
  parallel --pipe --round-robin vclean worker --method justext < documents.jsonl > cleaned.jsonl
  vclean worker --engine builtin --jobs 2 < documents.jsonl > cleaned.jsonl    rendered, without a browser

An answer is written as soon as its document is done, so that a caller may wait for it before it sends the next.")]
pub(super) struct Arguments {
    /// Clean N documents at the same time; the order of the responses does not depend on it
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,

    #[command(flatten)]
    options: Options,

    #[command(flatten)]
    render: RenderOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut options = arguments.options.clone();
    let format = options.format()?.unwrap_or(&FORMATS[0]);
    options.check_formats(&[format])?;
    anyhow::ensure!(
        !options.positions || format.is_json,
        "--positions is for --format json, and the format is {}; leave one of the two out",
        format.name
    );
    options.explain = format.holds_reasons;
    let cleaner = DocumentCleaner::new(
        Cleaners::new(PUBLISHED).cleaner(&options)?,
        format,
        &options,
    );
    let jobs = usize::from(arguments.jobs);
    let cleaner = match arguments.render.engine {
        None | Some(EngineChoice::None) => cleaner,
        Some(_) => {
            let options = RenderOptions {
                tabs: jobs,
                ..arguments.render.clone()
            };
            match rendering::launch(options)? {
                Some(renderer) => cleaner.rendering(renderer),
                None => return Ok(SOME_FAILED.into()),
            }
        }
    };
    let stop = Stop::on_interrupt(exit::set_stopped_by);
    let lines = Lines::new(io::BufReader::new(io::stdin()));
    let items = lines.enumerate().map(|(number, line)| Item {
        name: number.to_string(),
        content: line.map_err(|error| PageError::new(ErrorKind::Source, error)),
    });
    let work = move |line| Ok::<_, PageError>(cleaner.answer(line));
    let ending = executor::run(items, jobs, None, Order::Input, &stop, work, |outcome| {
        // Only a panic ends up here; the id of the document is not known any more.
        let line = outcome
            .result
            .unwrap_or_else(|error| failure(&Value::Null, &error));
        if console::print(&[&line]).is_ok() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    })?;
    Ok(match ending {
        Ending::Complete => ExitCode::SUCCESS,
        Ending::Stopped => exit::stopped().into(),
        Ending::Declined => SOME_FAILED.into(),
    })
}
