//! A request and its answer as JSON: what a page and its options become.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::LazyLock;
use vclean_core::cleaner::{Block, Cleaned, Cleaners, Options};
use vclean_core::emit::{FORMATS, Format, find};
use vclean_core::error::Error;
use vclean_core::page::{MAX_PAGE_BYTES, Page, is_mhtml, open_bytes};

/// The models are read once, by the first page.
static CLEANERS: LazyLock<Cleaners> = LazyLock::new(|| Cleaners::new(&[]).without_files());

/// What is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Request {
    /// How the page is cleaned and written.
    options: Options,
    /// Address of the page, for links and metadata.
    url: Option<String>,
    /// Encoding that the server named.
    charset: Option<String>,
    /// Whether the page was given as text, which is UTF-8 here whatever its own `meta` element says.
    is_text: bool,
}

/// Why a page has no answer.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    /// A word by which programs tell causes apart.
    code: &'static str,
    /// For people: what failed, and the remedy.
    message: String,
}

impl Failure {
    #[allow(clippy::needless_pass_by_value)] // As `map_err` calls it.
    fn option(message: impl ToString) -> Self {
        Self { code: "option", message: message.to_string() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Limit(_) => "limit",
            Error::Model(_) => "option",
            _ => "page",
        };
        Self { code, message: error.to_string() }
    }
}

/// Cleans a page: `request` is JSON, `page` the bytes of HTML or MHTML in any encoding. The answer is JSON.
///
/// # Errors
/// If the request names an unknown option or a wrong value, or the page is damaged or over a limit; as JSON too.
pub(crate) fn answer(request: &[u8], page: &[u8]) -> Result<String, String> {
    let cleaned = serde_json::from_slice(request).map_err(Failure::option).and_then(|request| clean(&request, page));
    cleaned
        .map(|answer| answer.to_string())
        .map_err(|failure| serde_json::to_string(&failure).unwrap_or_else(|error| error.to_string()))
}

fn clean(request: &Request, bytes: &[u8]) -> Result<Value, Failure> {
    let options = &request.options;
    let format = options.format().map_err(Failure::option)?;
    // Without a format, the answer has the usual ones, and each option is for one of them.
    let written: Vec<&Format> = format.map_or_else(|| FORMATS.iter().collect(), |format| vec![format]);
    options.check_formats(&written).map_err(Failure::option)?;
    let cleaner = CLEANERS.cleaner(options).map_err(Failure::option)?;
    let page = cleaner.clean_page(&open(request, bytes)?)?;
    let write = |name: &str| find(name).map(|format| page.write(format, &options.emit()));
    Ok(json!({
        "text": page.text(),
        "markdown": write("markdown"),
        "html": write("html"),
        "output": format.map(|format| page.write(format, &options.emit())),
        "metadata": page.metadata(),
        "kind": page.kind(),
        "blocks": page.blocks().collect::<Vec<Block>>(),
        "comments": page.comments(),
        "expected_f": page.expected_f(),
        "warnings": warnings(&page),
    }))
}

/// The page that was given.
fn open(request: &Request, bytes: &[u8]) -> Result<Page, Failure> {
    let name = request.url.as_deref().unwrap_or("page");
    let text = std::str::from_utf8(bytes).ok().filter(|_| request.is_text && bytes.len() as u64 <= MAX_PAGE_BYTES);
    let page = match text {
        Some(html) if !is_mhtml(bytes) => Page::from_html(name, html),
        _ => open_bytes(name, bytes.to_vec(), request.charset.as_deref()).map_err(Error::from)?,
    };
    Ok(match &request.url {
        Some(url) => page.with_url(url),
        None => page,
    })
}

fn warnings(cleaned: &Cleaned) -> Vec<String> {
    cleaned.warnings().iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn member(json: &str, name: &str) -> Value {
        serde_json::from_str::<Value>(json).unwrap()[name].clone()
    }

    const PAGE: &str = "<body><nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks.</p>";

    #[test]
    fn a_page_is_cleaned_as_the_library_does() {
        let given = answer(b"{}", PAGE.as_bytes()).unwrap();
        let cleaned = vclean_core::cleaner::clean_html(PAGE).unwrap();
        assert_eq!(member(&given, "text"), cleaned.text());
        assert_eq!(member(&given, "markdown"), cleaned.markdown());
        assert_eq!(member(&given, "blocks").as_array().unwrap().len(), cleaned.blocks().len());
        assert_eq!(member(&given, "output"), Value::Null);
        let tei = answer(br#"{"options": {"format": "tei"}, "url": "https://example.org/gulls"}"#, PAGE.as_bytes());
        assert!(member(&tei.unwrap(), "output").as_str().unwrap().contains("https://example.org/gulls"));
    }

    #[test]
    fn text_is_utf_8_and_bytes_are_what_the_page_says() {
        let page = "<meta charset=windows-1251><body><p>Серебристые чайки бросают мидий на скалы.</p>";
        let text = answer(br#"{"is_text": true}"#, page.as_bytes()).unwrap();
        assert_eq!(member(&text, "text"), "Серебристые чайки бросают мидий на скалы.\n");
        let bytes = [b"<meta charset=windows-1251><body><p>\xd7\xe0\xe9\xea\xe8 ".as_slice(), b"</p>"].concat();
        assert_eq!(member(&answer(b"{}", &bytes).unwrap(), "text"), "Чайки\n");
    }

    #[test]
    fn errors_have_a_code_and_say_what_to_do() {
        let code = |request: &str, page: &[u8]| {
            let error = answer(request.as_bytes(), page).unwrap_err();
            (member(&error, "code"), member(&error, "message").as_str().unwrap().to_owned())
        };
        let (kind, message) = code(r#"{"options": {"linkz": true}}"#, b"");
        assert!(kind == "option" && message.contains("linkz"), "{message}");
        let (kind, message) = code(r#"{"options": {"model": "other"}}"#, b"");
        assert!(kind == "option" && message.contains("static"), "{message}");
        let (kind, message) = code("{}", b"%PDF-1.7 and more");
        assert!(kind == "page" && message.contains("PDF"), "{message}");
        assert_eq!(code("no json", b"").0, "option");
    }

    /// The package lists the options with their help for its own command line and types; they are declared in the core
    /// alone. With `VCLEAN_WRITE=1` the list is written anew.
    #[test]
    fn the_list_of_options_is_that_of_the_core() {
        let schema = serde_json::to_value(schemars::schema_for!(Options)).unwrap();
        let mut listed = serde_json::to_string_pretty(&schema["properties"]).unwrap();
        listed.push('\n');
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("options.json");
        if std::env::var_os("VCLEAN_WRITE").is_some() {
            std::fs::write(&file, &listed).unwrap();
        }
        let told = "npm/options.json is not what the core declares; run the test again with VCLEAN_WRITE=1";
        assert_eq!(std::fs::read_to_string(&file).unwrap_or_default(), listed, "{told}");
    }
}
