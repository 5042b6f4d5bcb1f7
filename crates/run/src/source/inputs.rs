//! Opens inputs with the table of kinds of input.

use super::pages::{Pages, PassedOver, Source, once};
use super::{document, entry, epub, folder, parquet_file, standard_input, wacz, warc};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use url::Url;
use vclean_core::error::SourceError;
use vclean_core::files::{is_capture, read_page};
use vclean_core::page::{Body, Page};

/// Largest list of inputs, in bytes: some ten million addresses.
const MAX_LIST_BYTES: u64 = 1 << 30;

/// All kinds of input, in the order in which they are tried. The last one accepts every input.
pub const SOURCES: &[Source] = &[
    Source {
        name: "standard input",
        example: "-",
        doc: "one HTML or MHTML page from standard input, or many as JSON lines or a WARC or ARC archive, recognized by their content; \
              compressed or not",
        recognizes: |input| input == "-",
        open: |_| standard_input::open(),
    },
    Source {
        name: "address",
        example: "https://example.org/page",
        doc: "a page on the web, fetched by the browser",
        recognizes: |input| {
            starts_with_scheme(input, "http:") || starts_with_scheme(input, "https:")
        },
        open: |input| once(open_address(input)),
    },
    Source {
        name: "file address",
        example: "file:///home/me/page.html",
        doc: "a file named by its address; treated like its path",
        recognizes: |input| starts_with_scheme(input, "file:"),
        open: open_file_address,
    },
    Source {
        name: "capture",
        example: "captures/page",
        doc: "the folder of a capture, as vclean render writes it",
        recognizes: |input| is_capture(Path::new(input)),
        open: open_folder,
    },
    Source {
        name: "folder",
        example: "pages/",
        doc: "all pages, captures and archives in a folder and its subfolders, recognized by their content, in the order \
              of their names",
        recognizes: |input| Path::new(input).is_dir(),
        open: open_folder,
    },
    Source {
        name: "WARC or ARC archive",
        example: "crawl.warc.gz, crawl.arc.gz",
        doc: "the HTML pages of a crawl that were fetched successfully, compressed with gzip, Zstandard (.zst), LZ4 \
              (.lz4) or not, each named after its address; rendered, they load from the archive alone",
        recognizes: warc::is_warc,
        open: warc::open_warc,
    },
    Source {
        name: "WACZ archive",
        example: "crawl.wacz",
        doc: "the pages that a WACZ file lists, or all HTML pages in it if it lists none",
        recognizes: wacz::is_wacz,
        open: wacz::open_wacz,
    },
    Source {
        name: "EPUB",
        example: "book.epub",
        doc: "the chapters of a book in their order, each as a page with the book's authors, date and title (as site)",
        recognizes: epub::is_epub,
        open: epub::open_epub,
    },
    Source {
        name: "Parquet",
        example: "pages.parquet",
        doc: "the rows of a Parquet file: a column html of text or bytes, and url if there is one",
        recognizes: parquet_file::is_parquet,
        open: parquet_file::open_parquet,
    },
    Source {
        name: "JSON lines",
        example: "pages.jsonl, pages.jsonl.gz",
        doc: "pages as JSON objects, one per line: html, or base64 of the bytes, and url if it is known",
        recognizes: document::is_json_lines,
        open: document::open_lines,
    },
    Source {
        name: "file",
        example: "page.html, page.mhtml",
        doc: "an HTML file, or an MHTML file (a saved page with all its resources), recognized by its content",
        recognizes: |_| true,
        open: |input| once(read_page(input, Path::new(input))),
    },
];

/// Returns true if an input is one file that contains many pages. For standard input (`-`), this
/// reads the first bytes.
pub(crate) fn is_archive(input: &str) -> bool {
    match input {
        "-" => standard_input::is_archive(),
        _ => [
            warc::is_warc,
            wacz::is_wacz,
            epub::is_epub,
            parquet_file::is_parquet,
            document::is_json_lines,
        ]
        .iter()
        .any(|recognizes| recognizes(input)),
    }
}

/// Opens an input like [`open`], and counts the files of folders that are not pages in
/// `passed_over`.
pub(crate) fn open_counting(input: &str, passed_over: &PassedOver) -> Pages {
    if Path::new(input).is_dir() {
        folder::open_folder(input, passed_over, open)
    } else {
        open(input)
    }
}

fn open_folder(input: &str) -> Pages {
    folder::open_folder(input, &PassedOver::default(), open)
}

/// The number of pages that an archive states, which may differ a little from the number that it
/// contains; `None` for other inputs.
pub(crate) fn listed_pages(input: &str) -> Option<usize> {
    wacz::is_wacz(input)
        .then(|| wacz::listed_pages(input))
        .flatten()
}

/// Opens an input; its pages are read when the iterator reaches them.
pub fn open(input: &str) -> Pages {
    let source = SOURCES
        .iter()
        .find(|source| (source.recognizes)(input))
        .expect("the last source takes all inputs");
    (source.open)(input)
}

/// Reads a list of inputs, one per line, from a file or (`-`) from standard input. White space
/// around an input, empty lines and lines that begin with `#` are ignored.
pub fn list(file: &str) -> Result<Vec<String>, SourceError> {
    let bytes = read_list(file)?;
    let text = String::from_utf8_lossy(&bytes);
    let start: String = text.chars().take(4096).collect();
    if entry::looks_like_html(&start.to_lowercase()) {
        return Err(SourceError::Unusable(format!(
            "{file} is an HTML page and no list of inputs; name it as an input itself, not with `from`"
        )));
    }
    Ok(text
        .trim_start_matches('\u{feff}')
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(str::to_owned)
        .collect())
}

/// Reads a list of inputs.
fn read_list(file: &str) -> Result<Vec<u8>, SourceError> {
    let fail = |error: std::io::Error| SourceError::Read {
        path: file.into(),
        cause: error.to_string(),
    };
    let mut bytes = Vec::new();
    if file == "-" {
        std::io::stdin()
            .lock()
            .take(MAX_LIST_BYTES)
            .read_to_end(&mut bytes)
            .map_err(fail)?;
    } else {
        File::open(file)
            .map_err(fail)?
            .take(MAX_LIST_BYTES)
            .read_to_end(&mut bytes)
            .map_err(fail)?;
    }
    Ok(bytes)
}

fn starts_with_scheme(input: &str, scheme: &str) -> bool {
    input
        .get(..scheme.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
}

fn open_address(input: &str) -> Result<Page, SourceError> {
    let url = Url::parse(input).map_err(|error| {
        SourceError::Unusable(format!("not an address: {error}; check its spelling"))
    })?;
    if url.host_str().is_none_or(str::is_empty) {
        return Err(SourceError::Unusable(
            "not an address: it names no host; check its spelling".into(),
        ));
    }
    Ok(Page::new(input, Body::Address(url.to_string())).with_url(url.to_string()))
}

fn open_file_address(input: &str) -> Pages {
    let path = Url::parse(input)
        .ok()
        .and_then(|url| url.to_file_path().ok());
    match path {
        Some(path) => open(&path.to_string_lossy()),
        None => once(Err(SourceError::Unusable(format!(
            "{input} names no file of this machine; give its path"
        )))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use vclean_core::capture::{Capture, DomBuilder, Record};
    use vclean_core::page::PageFiles;

    fn only(input: &str) -> Result<Page, SourceError> {
        let mut pages = open(input);
        let first = pages.next().unwrap();
        assert!(pages.next().is_none());
        first
    }

    #[test]
    fn every_source_is_described_and_the_last_accepts_all() {
        for source in SOURCES {
            assert!(
                !source.name.is_empty() && !source.example.is_empty() && !source.doc.is_empty()
            );
        }
        assert!((SOURCES[SOURCES.len() - 1].recognizes)("anything"));
    }

    #[test]
    fn addresses_are_not_opened_here() {
        let page = only("HTTPS://Example.org/a b").unwrap();
        assert_eq!(page.input, "HTTPS://Example.org/a b");
        assert_eq!(page.body, Body::Address("https://example.org/a%20b".into()));
        assert!(
            only("http://")
                .unwrap_err()
                .to_string()
                .contains("not an address")
        );
    }

    #[test]
    fn a_folder_gives_its_pages_in_order_and_continues_after_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("b.html"), "<p>b").unwrap();
        fs::write(folder.path().join("a.htm"), b"%PDF-1.4 ...").unwrap();
        fs::write(folder.path().join("notes.txt"), "no page").unwrap();
        let pages: Vec<_> = open(&folder.path().to_string_lossy()).collect();
        assert_eq!(pages.len(), 2);
        assert!(pages[0].as_ref().unwrap_err().to_string().contains("PDF"));
        let page = pages[1].as_ref().unwrap();
        assert!(page.input.ends_with("b.html"));
        let Body::Html { html, files } = &page.body else {
            unreachable!()
        };
        assert_eq!(html, "<p>b");
        assert_eq!(files, &PageFiles::Folder(folder.path().into()));
    }

    #[test]
    fn captures_are_found_before_files() {
        let folder = tempfile::tempdir().unwrap();
        let capture = Capture::parsed(DomBuilder::new().finish(), Record::parsed("x", None));
        for name in ["two", "one"] {
            vclean_core::files::save_capture(&capture, &folder.path().join(name)).unwrap();
        }
        let pages: Vec<_> = open(&folder.path().to_string_lossy())
            .map(Result::unwrap)
            .collect();
        assert_eq!(pages.len(), 2);
        assert_eq!(pages[0].body, Body::Capture(folder.path().join("one")));
    }

    #[test]
    fn missing_inputs_give_an_error_with_a_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let empty = only(&folder.path().to_string_lossy())
            .unwrap_err()
            .to_string();
        assert!(empty.contains("vclean render"), "{empty}");
        let missing = only("no/such/page.html").unwrap_err().to_string();
        assert!(missing.contains("no/such/page.html"), "{missing}");
        assert!(only("file://elsewhere/x").is_err());
        let bare = only("www.example.org/page").unwrap_err().to_string();
        assert!(bare.contains("https://"), "{bare}");
    }

    #[test]
    fn a_file_address_opens_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b.html");
        fs::write(&path, "").unwrap();
        let page = only(Url::from_file_path(&path).unwrap().as_str()).unwrap();
        assert_eq!(
            page.body,
            Body::Html {
                html: String::new(),
                files: PageFiles::Folder(folder.path().into())
            }
        );
    }

    #[test]
    fn lists_skip_comments() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, "\u{feff}# pages\n\n https://a.example \r\nb.html\n").unwrap();
        assert_eq!(
            list(&path.to_string_lossy()).unwrap(),
            ["https://a.example", "b.html"]
        );
        assert!(list("no/such/list").is_err());
        fs::write(&path, "<!DOCTYPE html>\n<p>a page\n").unwrap();
        assert!(
            list(&path.to_string_lossy())
                .unwrap_err()
                .to_string()
                .contains("is an HTML page")
        );
    }
}
