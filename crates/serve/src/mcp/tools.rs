//! The tools that language models call, and their arguments. To add a tool, add its arguments and
//! an entry in [`TOOLS`].

use super::super::cleaned::{Block, Cleaned};
use super::super::places::Caller;
use super::super::problem::Problem;
use super::super::request::{CleanRequest, Job, MakeSchema};
use super::super::service::Service;
use super::super::work;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::{JsonSchema, SchemaGenerator};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::Arc;
use vclean_core::classify::LikelyState;
use vclean_core::emit::find;
use vclean_core::pipeline::{HiddenText, Options};
use vclean_core::text::shorten;
use vclean_render::{EngineChoice, LoadOptions};

/// Default length of an answer in characters. Heuristic: an article fits into it, and several such
/// answers fit into the context of a model.
const USUAL_LENGTH: usize = 20_000;
/// Default number of blocks of an explanation.
const USUAL_BLOCKS: usize = 20;
/// Number of characters of a block that an explanation shows.
const SHOWN_CHARACTERS: usize = 200;

/// The answer of a tool, or why there is none, as a text for the model.
type Answer<'a> = BoxFuture<'a, Result<String, Problem>>;

pub(super) struct Tool {
    pub(super) name: &'static str,
    /// Description that helps a model to choose the tool.
    pub(super) doc: &'static str,
    /// True if it loads pages from the web.
    pub(super) is_open_world: bool,
    pub(super) arguments: MakeSchema,
    pub(super) call: for<'a> fn(&'a Arc<Service>, Caller, Value) -> Answer<'a>,
}

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "fetch_clean",
        doc: "Loads the web page at an address and returns its main text without menus, advertisements and other \
              boilerplate. Long pages are returned in parts.",
        is_open_world: true,
        arguments: SchemaGenerator::root_schema_for::<FetchClean>,
        call: |service, caller, arguments| fetch_clean(service, caller, arguments).boxed(),
    },
    Tool {
        name: "clean_html",
        doc: "Returns the main text of a page given as HTML, without menus, advertisements and other boilerplate.",
        is_open_world: false,
        arguments: SchemaGenerator::root_schema_for::<CleanHtml>,
        call: |service, caller, arguments| clean_html(service, caller, arguments).boxed(),
    },
    Tool {
        name: "explain",
        doc: "Explains why blocks of a page were kept as content or dropped as boilerplate: for each block its label, \
              its probability of being content, its position, and the features with the largest influence.",
        is_open_world: true,
        arguments: SchemaGenerator::root_schema_for::<Explain>,
        call: |service, caller, arguments| explain(service, caller, arguments).boxed(),
    },
];

/// Arguments of `fetch_clean`. Language models read the documentation of arguments.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FetchClean {
    /// The http or https address of the page.
    url: String,
    /// Format of the answer: markdown (the default), text, json or others.
    #[serde(default)]
    format: Option<String>,
    /// Further options, such as {"comments": "keep"} or {"wait_for": "idle"}; the resource
    /// vclean://options describes them.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    options: MoreOptions,
    /// Largest number of characters of the answer; 20000 by default.
    #[serde(default = "usual_length")]
    max_length: usize,
    /// Position of the first character of the answer, for the rest of a long page.
    #[serde(default)]
    start_index: usize,
}

/// Arguments of `clean_html`, which loads nothing.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CleanHtml {
    /// The source text of the page.
    html: String,
    /// The address of the page, to which its links are relative. It is not loaded.
    #[serde(default)]
    url: Option<String>,
    /// Format of the answer: markdown (the default), text, json or others.
    #[serde(default)]
    format: Option<String>,
    /// Further options, such as {"comments": "keep"}; the resource vclean://options describes them.
    #[serde(default)]
    #[schemars(with = "Map<String, Value>")]
    options: MoreOptions,
    /// Largest number of characters of the answer; 20000 by default.
    #[serde(default = "usual_length")]
    max_length: usize,
    /// Position of the first character of the answer, for the rest of a long page.
    #[serde(default)]
    start_index: usize,
}

/// The options that the resource `vclean://options` describes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MoreOptions {
    /// Options of cleaning and writing.
    #[serde(flatten)]
    options: Options,
    /// How the page is loaded.
    #[serde(flatten)]
    load: LoadOptions,
}

/// Arguments of `explain`: one of `url` and `html` is required.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Explain {
    /// The http or https address of the page.
    #[serde(default)]
    url: Option<String>,
    /// The source text of the page.
    #[serde(default)]
    html: Option<String>,
    /// Only blocks with these words, in this order.
    #[serde(default)]
    contains: Option<String>,
    /// Largest number of blocks in the answer; 20 by default.
    #[serde(default = "usual_blocks")]
    max_blocks: usize,
}

fn usual_length() -> usize {
    USUAL_LENGTH
}

fn usual_blocks() -> usize {
    USUAL_BLOCKS
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T, Problem> {
    serde_json::from_value(arguments)
        .map_err(|error| Problem::request(format!("the arguments are wrong: {error}")))
}

async fn run<R: Send + 'static>(
    service: &Arc<Service>,
    caller: Caller,
    mut request: CleanRequest,
    shape: impl FnOnce(Cleaned, Job) -> Result<R, Problem> + Send + 'static,
) -> Result<R, Problem> {
    let admitted = service.admit(caller, false)?;
    // Hidden text can be recognized only if the page is laid out.
    if request.html.is_some()
        && service.options.engine.is_none()
        && EngineChoice::Builtin.is_built()
    {
        request.engine = Some(EngineChoice::Builtin.name().to_owned());
    }
    let job = request.check(&service.cleaners, service.defaults())?;
    work::run(service, admitted, job, shape).await
}

/// The text of a page in the first format of its request. If the page has no text of its own, a
/// line before it says so.
async fn text(
    service: &Arc<Service>,
    caller: Caller,
    request: CleanRequest,
) -> Result<String, Problem> {
    run(service, caller, request, |cleaned, job| {
        let Some(format) = job.formats.first() else {
            return Ok(String::new());
        };
        let text = (format.write)(&cleaned.page.document, &job.emit);
        let is_text = !format.is_json && !format.is_lines();
        let state = cleaned.page.state().filter(|_| is_text);
        Ok(match state.and_then(LikelyState::describe) {
            Some(why) => format!("[{why}]\n\n{text}"),
            None => text,
        })
    })
    .await
}

async fn fetch_clean(
    service: &Arc<Service>,
    caller: Caller,
    arguments: Value,
) -> Result<String, Problem> {
    let FetchClean {
        url,
        format,
        options,
        max_length,
        start_index,
    } = read(arguments)?;
    let request = with_links(CleanRequest {
        url: Some(url),
        ..written(format, options)
    });
    Ok(part(
        &text(service, caller, request).await?,
        start_index,
        max_length,
    ))
}

async fn clean_html(
    service: &Arc<Service>,
    caller: Caller,
    arguments: Value,
) -> Result<String, Problem> {
    let CleanHtml {
        html,
        url,
        format,
        options,
        max_length,
        start_index,
    } = read(arguments)?;
    let request = CleanRequest {
        html: Some(html),
        url,
        ..written(format, options)
    };
    Ok(part(
        &text(service, caller, request).await?,
        start_index,
        max_length,
    ))
}

/// A request with these options, in Markdown unless they name another format. Text that readers
/// might not see reaches no model unless the options ask for it.
fn written(format: Option<String>, more: MoreOptions) -> CleanRequest {
    let MoreOptions { mut options, load } = more;
    options.format = format.or(options.format);
    if options.hidden == HiddenText::Auto {
        options.hidden = HiddenText::Drop;
    }
    options.format.get_or_insert_with(|| "markdown".to_owned());
    CleanRequest {
        options,
        load,
        ..CleanRequest::default()
    }
}

/// The request with links in the text, if its format supports them.
fn with_links(mut request: CleanRequest) -> CleanRequest {
    let format = request.options.format.as_deref().and_then(find);
    request.options.links |= format.is_some_and(|format| format.has_links);
    request
}

async fn explain(
    service: &Arc<Service>,
    caller: Caller,
    arguments: Value,
) -> Result<String, Problem> {
    let Explain {
        url,
        html,
        contains,
        max_blocks,
    } = read(arguments)?;
    let request = CleanRequest {
        url,
        html,
        options: Options {
            explain: true,
            hidden: HiddenText::Drop,
            ..Options::default()
        },
        ..CleanRequest::default()
    };
    run(service, caller, request, move |cleaned, _| {
        Ok(explained(cleaned.blocks(), contains.as_deref(), max_blocks))
    })
    .await
}

/// The blocks as lines of JSON.
fn explained(blocks: Vec<Block>, contains: Option<&str>, most: usize) -> String {
    let total = blocks.len();
    let has = |block: &Block| {
        contains.is_none_or(|words| block.text.to_lowercase().contains(&words.to_lowercase()))
    };
    let found: Vec<Block> = blocks.into_iter().filter(has).collect();
    let mut text = format!(
        "{} of {total} blocks, {} shown\n",
        found.len(),
        found.len().min(most)
    );
    for block in found.iter().take(most) {
        let shown = shorten(&block.text, SHOWN_CHARACTERS, SHOWN_CHARACTERS, "...");
        let line = json!({
            "label": block.label, "probability": block.probability, "text": shown, "box": block.rect,
            "xpath": block.xpath, "reasons": block.reasons,
        });
        let _ = writeln!(text, "{line}");
    }
    text
}

/// The beginning of a text up to a number of bytes, ended at the best place in its second half: the
/// end of a line, of a sentence, or of a word.
fn window(text: &str, most: usize) -> &str {
    let part = &text[..most];
    if most == text.len() {
        return part;
    }
    let after = |mark: &str| part.rfind(mark).map(|at| at + mark.len());
    let sentence = [". ", "! ", "? ", "。"].into_iter().filter_map(after).max();
    let places = [after("\n"), sentence, after(" ")];
    let end = places
        .into_iter()
        .flatten()
        .find(|&end| end > most / 2)
        .unwrap_or(most);
    &part[..end]
}

/// A part of a text, with a note on how to get the rest.
fn part(text: &str, start: usize, length: usize) -> String {
    let all = text.chars().count();
    if start > 0 && start >= all {
        return format!("[The text has {all} characters; start_index {start} is behind its end.]");
    }
    let rest = &text[text
        .char_indices()
        .nth(start)
        .map_or(text.len(), |(at, _)| at)..];
    let most = rest
        .char_indices()
        .nth(length.max(1))
        .map_or(rest.len(), |(at, _)| at);
    let mut part = window(rest, most).to_owned();
    let end = start + part.chars().count();
    if all == 0 {
        part.push_str("[The page has no main text.]");
    } else if end < all {
        let _ = write!(
            part,
            "\n\n[Characters {start} to {end} of {all}; start_index {end} continues.]"
        );
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_returned_in_parts() {
        assert_eq!(part("äöü", 0, 3), "äöü");
        assert_eq!(
            part("äöü", 1, 1),
            "ö\n\n[Characters 1 to 2 of 3; start_index 2 continues.]"
        );
        assert_eq!(part("äöü", 2, 9), "ü");
        let text = "One is here. Two is here.\nThree is here, too.";
        let begins = |length, with| part(text, 0, length).starts_with(with);
        assert!(begins(30, "One is here. Two is here.\n\n\n["));
        assert!(begins(22, "One is here. \n\n["));
        assert!(begins(11, "One is \n\n["));
        assert!(
            part("äöü", 3, 9).contains("behind its end") && part("", 0, 9).contains("no main text")
        );
    }

    #[test]
    fn explanations_name_the_blocks_that_were_asked_for() {
        let block = |text: &str| Block {
            text: text.to_owned(),
            label: "content",
            probability: 0.5,
            rect: None,
            xpath: "/html[1]".to_owned(),
            reasons: Vec::new(),
        };
        let text = explained(
            vec![
                block("About us"),
                block("Herring gulls"),
                block("More about us"),
            ],
            Some("about"),
            1,
        );
        assert!(
            text.starts_with("2 of 3 blocks, 1 shown\n") && text.matches("xpath").count() == 1,
            "{text}"
        );
    }

    #[test]
    fn every_tool_documents_its_arguments() {
        for tool in TOOLS {
            let schema = (tool.arguments)(&mut schemars::SchemaGenerator::default());
            let properties = schema
                .get("properties")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
            assert!(
                !properties.is_empty() && tool.doc.len() > 40,
                "{}",
                tool.name
            );
            for (name, property) in properties {
                assert!(
                    property["description"].is_string(),
                    "{} of {} is not documented",
                    name,
                    tool.name
                );
            }
        }
    }
}
