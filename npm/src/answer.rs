//! A request and its answer as JSON: what a page and its options become.

use crate::counter::counted_by_caller;
use crate::doubts::doubts;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use vclean_core::capture::{Capture, pack};
use vclean_core::emit::{Chunk, FORMATS, Format, find};
use vclean_core::error::{Error, WarningKind};
use vclean_core::page::{MAX_PAGE_BYTES, Page, is_mhtml, open_bytes};
use vclean_core::pipeline::{Block, CleanedPage, Cleaners, Options, PageCleaner};
use vclean_core::rendering::LivePage;

/// The models are read once, by the first page.
static CLEANERS: LazyLock<Cleaners> = LazyLock::new(|| Cleaners::new(&[]).without_files());

/// The operation that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Task {
    /// Clean the page in the bytes.
    #[default]
    Clean,
    /// Clean the open page that the bytes describe.
    CleanLive,
    /// Make a capture of the open page that the bytes describe.
    Capture,
    /// Load the model in the bytes, which is for open pages.
    Model,
}

/// A member of the answer for a page that callers can leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Member {
    Text,
    Markdown,
    Html,
    Metadata,
    Kind,
    State,
    Blocks,
    Comments,
    Posts,
    Chunks,
    ExpectedF,
}

impl Member {
    const ALL: [Self; 11] = [
        Self::Text,
        Self::Markdown,
        Self::Html,
        Self::Metadata,
        Self::Kind,
        Self::State,
        Self::Blocks,
        Self::Comments,
        Self::Posts,
        Self::Chunks,
        Self::ExpectedF,
    ];

    /// The members of an answer if the request names none: all but the chunks, which repeat the
    /// text.
    fn usual() -> Vec<Self> {
        let all = Self::ALL.into_iter();
        all.filter(|member| *member != Self::Chunks).collect()
    }

    /// Its name in the answer.
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Metadata => "metadata",
            Self::Kind => "kind",
            Self::State => "state",
            Self::Blocks => "blocks",
            Self::Comments => "comments",
            Self::Posts => "posts",
            Self::Chunks => "chunks",
            Self::ExpectedF => "expectedF",
        }
    }

    /// True if it needs metadata, posts or the tree of the text.
    fn needs_document(self) -> bool {
        matches!(
            self,
            Self::Markdown | Self::Html | Self::Metadata | Self::Posts | Self::Chunks
        )
    }

    fn write(self, page: &CleanedPage, request: &Request) -> Value {
        let options = &request.options;
        let write = |name: &str| find(name).map(|format| page.write(format, &options.emit()));
        match self {
            Self::Text => json!(page.text()),
            Self::Markdown => json!(write("markdown")),
            Self::Html => json!(write("html")),
            Self::Metadata => json!(page.metadata()),
            Self::Kind => json!(page.kind()),
            Self::State => json!(page.state()),
            Self::Blocks => in_camel_case(json!(page.blocks().collect::<Vec<Block>>())),
            Self::Comments => json!(page.comments()),
            Self::Posts => json!(page.posts()),
            Self::Chunks => json!(chunks(page, request)),
            Self::ExpectedF => json!(page.expected_f()),
        }
    }
}

/// A request of the JavaScript side.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Request {
    task: Task,
    /// How the page is cleaned and written.
    options: Options,
    /// Members of the answer; the warnings are always there, and the output with a format.
    include: Vec<Member>,
    /// Address of the page, for links and metadata.
    url: Option<String>,
    /// Encoding that the server named.
    charset: Option<String>,
    /// True if the page was given as text, which is UTF-8 here regardless of its `meta` element.
    is_text: bool,
    /// True if the caller counts the sizes of chunks.
    own_count: bool,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            task: Task::default(),
            options: Options::default(),
            include: Member::usual(),
            url: None,
            charset: None,
            is_text: false,
            own_count: false,
        }
    }
}

/// The reason why a request failed.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    /// A word that identifies the kind of failure to programs.
    code: &'static str,
    /// For people: what failed, and the remedy.
    message: String,
}

impl Failure {
    #[allow(clippy::needless_pass_by_value)] // As `map_err` calls it.
    fn option(message: impl ToString) -> Self {
        Self {
            code: "option",
            message: message.to_string(),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = error.kind().name();
        Self {
            code,
            message: error.to_string(),
        }
    }
}

/// Executes a request (JSON) on some bytes: HTML or MHTML in any encoding, the description of an
/// open page, or a model. Returns JSON.
///
/// # Errors
/// If the request has an unknown option or an invalid value, or the page is damaged or over a
/// limit. The error is JSON too.
pub(crate) fn answer(request: &[u8], bytes: &[u8]) -> Result<String, String> {
    let answered = serde_json::from_slice(request)
        .map_err(Failure::option)
        .and_then(|request| done(&request, bytes));
    answered
        .map(|answer| answer.to_string())
        .map_err(|failure| {
            serde_json::to_string(&failure).unwrap_or_else(|error| error.to_string())
        })
}

fn done(request: &Request, bytes: &[u8]) -> Result<Value, Failure> {
    match request.task {
        Task::Clean => clean(request, |cleaner| {
            let mut cleaned = cleaner.clean(&open(request, bytes)?)?;
            let text = request.is_text.then_some(bytes);
            for doubt in doubts(request.charset.as_deref(), text) {
                cleaned.add_warning(WarningKind::Other, doubt);
            }
            Ok(cleaned)
        }),
        Task::CleanLive => {
            if request.url.is_some() || request.charset.is_some() {
                return Err(Failure::option(
                    "an open page has its own address and no encoding; leave out `url` and `charset`",
                ));
            }
            clean(request, |cleaner| cleaner.clean_capture(&live(bytes)?))
        }
        Task::Capture => captured(&live(bytes)?),
        Task::Model => {
            CLEANERS.provide(bytes).map_err(Error::from)?;
            Ok(json!({}))
        }
    }
}

/// The capture of an open page.
fn live(description: &[u8]) -> Result<Capture, Error> {
    LivePage::capture(description).map_err(Error::from)
}

/// The files of a capture, each in base64.
fn captured(capture: &Capture) -> Result<Value, Failure> {
    let files = pack(capture).map_err(Error::from)?;
    Ok(files
        .into_iter()
        .map(|(name, bytes)| (name.to_owned(), Value::from(STANDARD.encode(bytes))))
        .collect())
}

fn clean(
    request: &Request,
    decide: impl FnOnce(&PageCleaner) -> Result<CleanedPage, Error>,
) -> Result<Value, Failure> {
    let format = request.options.format().map_err(Failure::option)?;
    let options = Options {
        text_only: is_text_alone(request, format),
        ..request.options.clone()
    };
    // Without a format the answer has the default ones, so an option may belong to any format.
    let written: Vec<&Format> =
        format.map_or_else(|| FORMATS.iter().collect(), |format| vec![format]);
    options.check_formats(&written).map_err(Failure::option)?;
    let cleaner = CLEANERS.cleaner(&options).map_err(Failure::option)?;
    let page = decide(&cleaner)?;
    let mut answer: Map<String, Value> = request
        .include
        .iter()
        .map(|member| (member.name().to_owned(), member.write(&page, request)))
        .collect();
    let output = format.map(|format| page.write(format, &options.emit()));
    answer.insert("output".to_owned(), json!(output));
    answer.insert("warnings".to_owned(), json!(warnings(&page)));
    Ok(answer.into())
}

fn chunks(page: &CleanedPage, request: &Request) -> Vec<Chunk> {
    let options = request.options.emit().chunks;
    if request.own_count {
        page.document.chunks_by(options, counted_by_caller)
    } else {
        page.chunks(options)
    }
}

/// True if nothing of the answer needs more than the text of the page.
fn is_text_alone(request: &Request, format: Option<&Format>) -> bool {
    format.is_none_or(|format| format.is_text_alone)
        && !request.include.iter().any(|member| member.needs_document())
}

/// The value with the names of all members in camel case.
fn in_camel_case(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(in_camel_case).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (camel(&name), in_camel_case(value)))
            .collect(),
        other => other,
    }
}

pub(crate) fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(word.len().min(1));
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    camel
}

/// Opens the page of a request.
fn open(request: &Request, bytes: &[u8]) -> Result<Page, Error> {
    let name = request.url.as_deref().unwrap_or("page");
    let text = std::str::from_utf8(bytes)
        .ok()
        .filter(|_| request.is_text && bytes.len() as u64 <= MAX_PAGE_BYTES);
    let page = match text {
        Some(html) if !is_mhtml(bytes) => Page::from_html(name, html),
        _ => open_bytes(name, bytes.to_vec(), request.charset.as_deref()).map_err(Error::from)?,
    };
    Ok(match &request.url {
        Some(url) => page.with_url(url),
        None => page,
    })
}

fn warnings(cleaned: &CleanedPage) -> Vec<String> {
    cleaned.warnings().iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use vclean_core::rendering::{COMPUTED_STYLES, PAINT_STYLES};

    fn member(json: &str, name: &str) -> Value {
        serde_json::from_str::<Value>(json).unwrap()[name].clone()
    }

    const PAGE: &str = "<body><nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks.</p>";

    #[test]
    fn a_page_is_cleaned_as_the_library_does() {
        let given = answer(b"{}", PAGE.as_bytes()).unwrap();
        let cleaned = vclean_core::pipeline::extract(PAGE, None).unwrap();
        assert_eq!(member(&given, "text"), cleaned.text());
        assert_eq!(member(&given, "markdown"), cleaned.markdown());
        assert_eq!(
            member(&given, "blocks").as_array().unwrap().len(),
            cleaned.blocks().len()
        );
        assert_eq!(member(&given, "output"), Value::Null);
        let tei = answer(
            br#"{"options": {"format": "tei"}, "url": "https://example.org/gulls"}"#,
            PAGE.as_bytes(),
        );
        assert!(
            member(&tei.unwrap(), "output")
                .as_str()
                .unwrap()
                .contains("https://example.org/gulls")
        );
    }

    #[test]
    fn text_is_utf_8_and_bytes_are_what_the_page_says() {
        let page =
            "<meta charset=windows-1251><body><p>Серебристые чайки бросают мидий на скалы.</p>";
        let text = answer(br#"{"is_text": true}"#, page.as_bytes()).unwrap();
        assert_eq!(
            member(&text, "text"),
            "Серебристые чайки бросают мидий на скалы.\n"
        );
        let bytes = [
            b"<meta charset=windows-1251><body><p>\xd7\xe0\xe9\xea\xe8 ".as_slice(),
            b"</p>",
        ]
        .concat();
        assert_eq!(member(&answer(b"{}", &bytes).unwrap(), "text"), "Чайки\n");
    }

    #[test]
    fn errors_have_a_code_and_say_what_to_do() {
        let code = |request: &str, page: &[u8]| {
            let error = answer(request.as_bytes(), page).unwrap_err();
            (
                member(&error, "code"),
                member(&error, "message").as_str().unwrap().to_owned(),
            )
        };
        let (kind, message) = code(r#"{"options": {"model": "other"}}"#, b"");
        assert!(kind == "option" && message.contains("static"), "{message}");
        let (kind, message) = code("{}", b"%PDF-1.7 and more");
        assert!(kind == "source" && message.contains("PDF"), "{message}");
        assert_eq!(code("no json", b"").0, "option");
    }

    #[test]
    fn only_the_members_that_are_asked_for_are_in_the_answer() {
        let names = |request: &str| {
            let answer = answer(request.as_bytes(), PAGE.as_bytes()).unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            answer
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(
            names(r#"{"include": ["text", "expectedF"]}"#),
            ["expectedF", "output", "text", "warnings"]
        );
        assert_eq!(names(r#"{"include": []}"#), ["output", "warnings"]);
        assert_eq!(names("{}").len(), Member::ALL.len() - 1 + 2);
        let json = answer(
            br#"{"include": ["text"], "options": {"format": "json"}}"#,
            PAGE.as_bytes(),
        );
        let json: Value =
            serde_json::from_str(member(&json.unwrap(), "output").as_str().unwrap()).unwrap();
        assert_eq!(json["metadata"]["title"], "Gulls");
    }

    #[test]
    fn names_are_in_camel_case_but_for_those_of_sources() {
        let page = "<meta name=dc.date_issued content=2024-05-04><title>Gulls</title><body><p>Herring gulls drop mussels on rocks.</p>";
        let given = answer(b"{}", page.as_bytes()).unwrap();
        assert!(member(&given, "blocks")[0]["isContent"].is_boolean());
        let sources = member(&given, "metadata")["sources"].clone();
        assert!(!sources.as_object().unwrap().is_empty());
        assert_eq!(
            in_camel_case(json!({"row_span": [{"a_b": 1}]})),
            json!({"rowSpan": [{"aB": 1}]})
        );
    }

    #[test]
    fn doubtful_arguments_are_in_the_warnings() {
        let given = answer(
            br#"{"is_text": true, "url": "gulls"}"#,
            b"https://example.org/",
        );
        let warnings = member(&given.unwrap(), "warnings");
        assert_eq!(warnings.as_array().unwrap().len(), 2, "{warnings}");
    }

    #[test]
    fn what_describes_no_page_is_refused() {
        for task in ["clean-live", "capture"] {
            let error = answer(format!(r#"{{"task": "{task}"}}"#).as_bytes(), b"{}").unwrap_err();
            assert!(
                member(&error, "message")
                    .as_str()
                    .unwrap()
                    .contains("world of its own"),
                "{error}"
            );
        }
        let error = answer(br#"{"task": "clean-live", "charset": "utf-8"}"#, b"{}").unwrap_err();
        assert_eq!(member(&error, "code"), "option");
        assert_eq!(
            member(&answer(br#"{"task": "model"}"#, b"PK").unwrap_err(), "code"),
            "model"
        );
    }

    /// The script and the core name the computed styles in the same order.
    #[test]
    fn the_script_reads_the_styles_of_the_core() {
        let list = vclean_js::LIVE
            .split("PROPERTIES = [")
            .nth(1)
            .and_then(|rest| rest.split(']').next())
            .unwrap();
        let named: Vec<&str> = list
            .split(',')
            .map(|name| name.trim().trim_matches('\''))
            .filter(|name| !name.is_empty())
            .collect();
        let read: Vec<&str> = COMPUTED_STYLES
            .iter()
            .chain(PAINT_STYLES)
            .copied()
            .collect();
        assert_eq!(named, read);
    }

    /// The package lists the options with their help for its own command line and types; only the
    /// core declares them. With `VCLEAN_WRITE=1` the test rewrites the list.
    #[test]
    fn the_list_of_options_is_that_of_the_core() {
        let mut schema = serde_json::to_value(schemars::schema_for!(Options)).unwrap();
        // This option names a file, and the module cannot read files.
        schema["properties"]
            .as_object_mut()
            .unwrap()
            .retain(|name, _| name != "site_memory");
        // Line breaks of the sources mean nothing in the list.
        let choices = schema["$defs"].clone();
        for option in schema["properties"].as_object_mut().unwrap().values_mut() {
            let told = option["description"].as_str().unwrap().replace('\n', " ");
            option["description"] = told.into();
            if let Some(name) = option["$ref"].as_str().map(str::to_owned) {
                let choice = choices[name.trim_start_matches("#/$defs/")].clone();
                let option = option.as_object_mut().unwrap();
                option.remove("$ref");
                option.extend(choice.as_object().unwrap().clone());
            }
        }
        let mut listed = serde_json::to_string_pretty(&schema["properties"]).unwrap();
        listed.push('\n');
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("options.json");
        if std::env::var_os("VCLEAN_WRITE").is_some() {
            std::fs::write(&file, &listed).unwrap();
        }
        let told = "npm/options.json is not what the core declares; run the test again with VCLEAN_WRITE=1";
        assert_eq!(
            std::fs::read_to_string(&file).unwrap_or_default(),
            listed,
            "{told}"
        );
    }
}
