//! `vclean worker`: reads one JSON document per line and writes exactly one response line for each, until the input ends.
//!
//! For Spark's `pipe`, Ray actors, datatrove and GNU parallel. Every line gets a response, whatever it contains; an error
//! is a response too, and neither ends the worker nor changes its exit code.

use super::method::MethodArguments;
use super::options::{ModelArguments, check_links, formats};
use super::{SOME_FAILED, console, exit};
use crate::clean::Metadata;
use crate::cleaner::pipeline;
use crate::emit::{self, EmitOptions, Format};
use crate::method::CleanPage;
use crate::run::pool::{Ending, Item, Order};
use crate::run::{Stop, pool};
use crate::source::{Document, Lines, parse};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::ops::ControlFlow;
use std::process::ExitCode;

/// Clean JSON documents from standard input, one per line
///
/// Reads one JSON object per line from standard input: {"html": "..."}, or {"base64": "..."} with the bytes of an HTML or
/// MHTML file. Optional keys: "charset" (the encoding of the bytes; detected if missing), "url" (for the metadata) and
/// "id" (any value; returned unchanged).
/// Writes one line per object, in the same order: {"id", "text", "metadata", "warnings"} or {"id", "error"}. Ends when the
/// input ends.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  echo '{\"id\": 7, \"html\": \"<p>Some text</p>\"}' | vclean worker
  parallel --pipe --round-robin vclean worker --method justext < documents.jsonl > cleaned.jsonl

An answer is written as soon as its document is done, so that a caller may wait for it before it sends the next.")]
pub(super) struct Arguments {
    /// Format of the text in a response
    #[arg(long, short, value_name = "FORMAT", default_value = "text", value_parser = formats())]
    format: String,

    /// Keep links (format markdown)
    #[arg(long)]
    links: bool,

    /// Clean N documents at the same time; the order of the responses does not depend on it
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: u16,

    #[command(flatten)]
    method: MethodArguments,

    #[command(flatten)]
    model: ModelArguments,
}

/// The response to a document.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Cleaned { id: Value, text: String, metadata: Box<Metadata>, warnings: Vec<String> },
    Failed { id: Value, error: String },
}

/// How documents are cleaned.
struct Cleaning {
    method: Box<dyn CleanPage>,
    format: &'static Format,
    emit: EmitOptions,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let format = emit::find(&arguments.format).context("the choices on the command line are those of the table")?;
    check_links(arguments.links, format)?;
    let cleaning = Cleaning {
        method: arguments.method.ready(&arguments.model, format.holds_reasons)?,
        format,
        emit: EmitOptions { links: arguments.links, hidden: false },
    };
    let stop = Stop::on_interrupt(exit::set_stopped_by);
    let lines = Lines::new(io::BufReader::new(io::stdin()));
    let items = lines
        .enumerate()
        .map(|(number, line)| Item { name: number.to_string(), content: line.map_err(|error| error.to_string()) });
    let ending = pool::run(
        items,
        usize::from(arguments.jobs),
        Order::Input,
        &stop,
        move |line| Ok(cleaning.answer(line)),
        |outcome| {
            // Only a panic ends up here; the id of the document is not known any more.
            let line = outcome.result.unwrap_or_else(|error| to_line(&Answer::Failed { id: Value::Null, error }));
            if console::print(&[&line]).is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    )?;
    Ok(match ending {
        Ending::Complete => ExitCode::SUCCESS,
        Ending::Stopped => exit::stopped().into(),
        Ending::Declined => SOME_FAILED.into(),
    })
}

impl Cleaning {
    /// The response line to an input line.
    fn answer(&self, line: Result<Vec<u8>, String>) -> String {
        let document = line.and_then(|line| Document::from_line(&line).map_err(|error| error.to_string()));
        to_line(&match document {
            Err(error) => Answer::Failed { id: Value::Null, error },
            Ok(mut document) => {
                let id = document.id.take();
                match self.clean(document) {
                    Ok((text, metadata, warnings)) => {
                        Answer::Cleaned { id, text, metadata: Box::new(metadata), warnings }
                    }
                    Err(error) => Answer::Failed { id, error: format!("{error:#}") },
                }
            }
        })
    }

    fn clean(&self, document: Document) -> anyhow::Result<(String, Metadata, Vec<String>)> {
        let page = document.into_page("document")?;
        let capture = parse(&page)?;
        let cleaned = pipeline::clean(&page, &capture, &*self.method)?;
        let text = (self.format.write)(&cleaned.document, &self.emit);
        Ok((text, cleaned.document.metadata, capture.record.warnings.texts()))
    }
}

fn to_line(answer: &Answer) -> String {
    let mut line = serde_json::to_string(answer).expect("a response has string keys only");
    line.push('\n');
    line
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cleaner::find_method;
    use crate::method::MethodSettings;

    fn answer(line: &str) -> Value {
        let cleaning = Cleaning {
            method: find_method("dump").unwrap().ready(&MethodSettings::default()).unwrap(),
            format: &crate::emit::FORMATS[0],
            emit: EmitOptions::default(),
        };
        let answer = cleaning.answer(Ok(line.as_bytes().to_vec()));
        assert_eq!(answer.matches('\n').count(), 1, "{answer}");
        serde_json::from_str(&answer).unwrap()
    }

    #[test]
    fn responses_have_the_id_of_their_document() {
        let found =
            answer(r#"{"id": {"a": [1]}, "html": "<title>T</title><p>one\ntwo</p>", "url": "https://a.example/"}"#);
        assert_eq!((&found["id"]["a"][0], &found["text"]), (&1.into(), &"one two\n".into()));
        assert_eq!(found["metadata"]["title"], "T");
        let found = answer(r#"{"base64": "PHA+dGV4dA=="}"#);
        assert_eq!((&found["text"], &found["id"]), (&"text\n".into(), &Value::Null));
    }

    #[test]
    fn every_line_gets_a_response() {
        for (line, cause) in [
            ("", "not a document"),
            ("[1, 2]", "not a document"),
            ("{\"id\": 4}", "no content"),
            ("{\"base64\": \"JVBERi0xLjQ=\"}", "PDF"),
        ] {
            let found = answer(line);
            assert!(found["error"].as_str().unwrap().contains(cause), "{line}: {found}");
        }
        assert_eq!(answer("{\"id\": 4}")["id"], 4);
    }
}
