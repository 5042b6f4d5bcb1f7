//! EPUB books: the chapters in their order, each as a page, read in place.
//!
//! An EPUB is a ZIP file. `META-INF/container.xml` names its package document, which lists the
//! files and their order, the spine (EPUB 3.3, sections 4 and 5). Names in the ZIP file are
//! compared and never used as paths.

use super::pages::{Pages, once};
use percent_encoding::percent_decode_str;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use vclean_core::error::SourceError;
use vclean_core::files::open_regular;
use vclean_core::page::{Body, MAX_PAGE_BYTES, Page, open_bytes};
use zip::ZipArchive;

/// Largest size of the files that describe the book, in bytes.
const MAX_DESCRIPTION_BYTES: u64 = 16 << 20;
/// Largest number of chapters. Heuristic: the longest books have some thousands.
const MAX_CHAPTERS: usize = 100_000;

/// Returns true if the name of an input is that of an EPUB book.
pub(super) fn is_epub(input: &str) -> bool {
    input.to_ascii_lowercase().ends_with(".epub")
}

/// The chapters of a book, each named by the name of the file and its number, from 1, such as
/// `book.epub:12`.
pub(super) fn open_epub(input: &str) -> Pages {
    match Book::open(Path::new(input)) {
        Ok(book) => Box::new(Chapters {
            input: input.to_owned(),
            book,
            next: 0,
        }),
        Err(error) => once(Err(error)),
    }
}

type Zip = ZipArchive<BufReader<File>>;

struct Book {
    zip: Zip,
    /// The names of the files of the chapters, in their order.
    chapters: Vec<String>,
    /// The names of encrypted files.
    encrypted: BTreeSet<String>,
    /// Elements for the head of each chapter that say what the book says of itself.
    metadata: String,
}

fn damaged(cause: &str) -> SourceError {
    SourceError::Unusable(format!(
        "the file is no usable EPUB: {cause}; make or fetch it again"
    ))
}

impl Book {
    fn open(path: &Path) -> Result<Self, SourceError> {
        let file = open_regular(path).map_err(|error| SourceError::Read {
            path: path.into(),
            cause: error.to_string(),
        })?;
        let zip = ZipArchive::new(BufReader::new(file));
        let mut zip = zip.map_err(|error| damaged(&error.to_string()))?;
        let container = description(&mut zip, "META-INF/container.xml")?;
        let mut package_name = None;
        elements(&container, |tag, _| {
            if tag.local_name().as_ref() == "rootfile" && package_name.is_none() {
                package_name = attribute(tag, "full-path");
            }
        })?;
        let package_name =
            package_name.ok_or_else(|| damaged("META-INF/container.xml names no package"))?;
        let package = Package::read(&description(&mut zip, &package_name)?)?;
        let mut encrypted = BTreeSet::new();
        if let Ok(list) = description(&mut zip, "META-INF/encryption.xml") {
            elements(&list, |tag, _| {
                if tag.local_name().as_ref() == "CipherReference" {
                    encrypted.extend(attribute(tag, "URI").map(|uri| resolved("", &uri)));
                }
            })?;
        }
        let chapters: Vec<String> = package
            .chapters()
            .map(|href| resolved(&package_name, href))
            .take(MAX_CHAPTERS)
            .collect();
        if chapters.is_empty() {
            return Err(damaged("its package lists no chapters"));
        }
        Ok(Self {
            zip,
            chapters,
            encrypted,
            metadata: package.metadata,
        })
    }

    /// Opens a chapter by its number, from 0.
    fn chapter(&mut self, input: &str, number: usize) -> Result<Page, SourceError> {
        let name = &self.chapters[number];
        if self.encrypted.contains(name) {
            return Err(SourceError::Unusable(format!(
                "{name} in it is encrypted; use a copy of the book without DRM"
            )));
        }
        let bytes = content(&mut self.zip, name, MAX_PAGE_BYTES)?;
        let page = open_bytes(&format!("{input}:{}", number + 1), bytes, None)?;
        let Body::Html { html, files } = page.body else {
            return Err(damaged(&format!("{name} in it is no chapter")));
        };
        let html = with_head(&html, &self.metadata);
        Ok(Page {
            body: Body::Html { html, files },
            ..page
        })
    }
}

/// The package document of a book.
#[derive(Default)]
struct Package {
    /// Names of the text files by their ids, relative to the package document.
    texts: BTreeMap<String, String>,
    /// Ids of the chapters, in their order.
    spine: Vec<String>,
    metadata: String,
}

impl Package {
    fn read(text: &str) -> Result<Self, SourceError> {
        let mut package = Self::default();
        let mut names: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        elements(text, |tag, text| match tag.local_name().as_ref() {
            "item" => {
                let kind = attribute(tag, "media-type").unwrap_or_default();
                let is_text = matches!(&*kind, "application/xhtml+xml" | "text/html");
                if let (true, Some(id), Some(href)) =
                    (is_text, attribute(tag, "id"), attribute(tag, "href"))
                {
                    package.texts.insert(id, href);
                }
            }
            "itemref" => {
                // Other items are notes and answers that the text links to.
                let is_linear = attribute(tag, "linear").as_deref() != Some("no");
                let id = attribute(tag, "idref").filter(|_| is_linear);
                package.spine.extend(id);
            }
            name => {
                let known = ["title", "creator", "date"]
                    .into_iter()
                    .find(|&known| known == name);
                if let Some(known) = known.filter(|_| !text.is_empty()) {
                    names.entry(known).or_default().push(text.to_owned());
                }
            }
        })?;
        let metadata = [
            ("title", "property=\"og:site_name\""),
            ("creator", "name=\"author\""),
            ("date", "property=\"article:published_time\""),
        ];
        for (name, kind) in metadata {
            // Further titles are subtitles, and further dates those of changes.
            let most = if name == "creator" { usize::MAX } else { 1 };
            for value in names.get(name).into_iter().flatten().take(most) {
                let value = html_escape::encode_double_quoted_attribute(value);
                let _ = write!(package.metadata, "<meta {kind} content=\"{value}\">");
            }
        }
        Ok(package)
    }

    /// The names of the files of the chapters.
    fn chapters(&self) -> impl Iterator<Item = &str> {
        let ids = self.spine.iter();
        ids.filter_map(|id| self.texts.get(id)).map(String::as_str)
    }
}

/// Calls `each` with every element of an XML document and its own text, when it ends.
fn elements(text: &str, mut each: impl FnMut(&BytesStart<'_>, &str)) -> Result<(), SourceError> {
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_end_names = false;
    let mut open: Vec<(BytesStart<'_>, String)> = Vec::new();
    loop {
        let event = reader.read_event();
        match event.map_err(|error| damaged(&error.to_string()))? {
            Event::Start(tag) => open.push((tag, String::new())),
            Event::Empty(tag) => each(&tag, ""),
            Event::End(_) => {
                if let Some((tag, text)) = open.pop() {
                    each(&tag, text.trim());
                }
            }
            Event::Text(text) => {
                if let Some((_, own)) = open.last_mut() {
                    own.push_str(&text.xml10_content());
                }
            }
            Event::CData(text) => {
                if let Some((_, own)) = open.last_mut() {
                    own.push_str(&text.xml10_content());
                }
            }
            Event::GeneralRef(name) => {
                if let Some((_, own)) = open.last_mut() {
                    let reference = format!("&{};", &*name);
                    own.push_str(&html_escape::decode_html_entities(&reference));
                }
            }
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = tag.attributes().flatten();
    let found = attributes.find(|attribute| attribute.key.as_ref() == name)?;
    let value = found.normalized_value(XmlVersion::Implicit1_0).ok()?;
    Some(value.into_owned())
}

/// The name in the ZIP file of a reference in the file `base`.
fn resolved(base: &str, reference: &str) -> String {
    let path = reference.split(['#', '?']).next().unwrap_or_default();
    let path = percent_decode_str(path).decode_utf8_lossy();
    let mut parts: Vec<&str> = match base.rsplit_once('/') {
        Some((folder, _)) if !path.starts_with('/') => folder.split('/').collect(),
        _ => Vec::new(),
    };
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The content of a file of the book.
fn content(zip: &mut Zip, name: &str, most: u64) -> Result<Vec<u8>, SourceError> {
    let lost = |cause: &dyn std::fmt::Display| damaged(&format!("{name} in it: {cause}"));
    let entry = zip.by_name(name).map_err(|error| lost(&error))?;
    let mut bytes = Vec::new();
    let read = entry.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| lost(&error))?;
    if bytes.len() as u64 > most {
        return Err(SourceError::TooLarge {
            bytes: bytes.len() as u64,
            limit: most,
        });
    }
    Ok(bytes)
}

/// The text of a file that describes the book.
fn description(zip: &mut Zip, name: &str) -> Result<String, SourceError> {
    let bytes = content(zip, name, MAX_DESCRIPTION_BYTES)?;
    let (text, ..) = encoding_rs::UTF_8.decode(&bytes);
    Ok(text.into_owned())
}

/// A page with more elements at the end of its head.
fn with_head(html: &str, elements: &str) -> String {
    let at = html.find("</head>").unwrap_or(0);
    // Before its own tags they are in its head, too.
    let at = if at == 0 && html.trim_start().starts_with("<?xml") {
        html.find("?>").map_or(0, |end| end + 2)
    } else {
        at
    };
    format!("{}{elements}{}", &html[..at], &html[at..])
}

struct Chapters {
    input: String,
    book: Book,
    next: usize,
}

impl Iterator for Chapters {
    type Item = Result<Page, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let number = self.next;
        (number < self.book.chapters.len()).then(|| {
            self.next += 1;
            self.book.chapter(&self.input, number)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write as _;
    use vclean_core::pipeline::extract;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    const CONTAINER: &str = "<container><rootfiles><rootfile full-path='OEBPS/book%20a.opf' media-type='x'/></rootfiles></container>";
    const PACKAGE: &str = "<?xml version='1.0'?><package xmlns:dc='d'><metadata><dc:title>Gulls &amp; shells</dc:title>\
        <dc:creator>Ann \"A\" Lee</dc:creator><dc:creator>Bo Ek</dc:creator><dc:date>2019-04-03</dc:date></metadata>\
        <manifest><item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>\
        <item id='b' href='text/two.xhtml#start' media-type='application/xhtml+xml'/>\
        <item id='a' href='../text/one%20a.xhtml' media-type='application/xhtml+xml'/>\
        <item id='n' href='notes.xhtml' media-type='application/xhtml+xml'/>\
        <item id='c' href='cover.png' media-type='image/png'/></manifest>\
        <spine><itemref idref='c'/><itemref idref='a'/><itemref idref='b'/><itemref idref='n' linear='no'/></spine></package>";

    fn chapter(text: &str) -> String {
        format!(
            "<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='x'/></head>\
             <body><h1>{text}</h1><p>Herring gulls drop mussels on rocks until they open, and eat {text} there.</p></body></html>"
        )
    }

    fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, content) in files {
            zip.start_file(*name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn opened(bytes: &[u8]) -> Vec<Result<Page, SourceError>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("book.EPUB");
        std::fs::write(&path, bytes).unwrap();
        super::super::open(&path.to_string_lossy()).collect()
    }

    fn html(page: &Result<Page, SourceError>) -> &str {
        let Body::Html { html, .. } = &page.as_ref().unwrap().body else {
            unreachable!()
        };
        html
    }

    #[test]
    fn chapters_are_pages_in_the_order_of_the_spine() {
        let (one, two) = (chapter("crabs"), chapter("clams"));
        let package = PACKAGE.replace("book%20a", "book");
        let book = zipped(&[
            ("META-INF/container.xml", &CONTAINER.replace("%20a", "")),
            ("OEBPS/book.opf", &package),
            ("OEBPS/text/two.xhtml", &two),
            ("text/one a.xhtml", &one),
        ]);
        let pages = opened(&book);
        assert_eq!(pages.len(), 2);
        assert!(pages[1].as_ref().unwrap().input.ends_with("book.EPUB:2"));
        let cleaned = extract(html(&pages[0]), None).unwrap();
        assert!(
            cleaned.text().contains("eat crabs there"),
            "{}",
            cleaned.text()
        );
        assert_eq!(cleaned.author(), Some("Ann \"A\" Lee, Bo Ek"));
        assert_eq!(cleaned.date(), Some("2019-04-03"));
        assert_eq!(cleaned.metadata().site.as_deref(), Some("Gulls & shells"));
        assert!(html(&pages[1]).contains("eat clams there"));
    }

    #[test]
    fn what_is_missing_or_encrypted_is_named_and_the_rest_is_read() {
        let one = chapter("crabs");
        let encryption = "<encryption><EncryptedData><CipherData><CipherReference URI='OEBPS/text/two.xhtml'/></CipherData></EncryptedData></encryption>";
        let book = zipped(&[
            ("META-INF/container.xml", &CONTAINER.replace("%20a", "")),
            ("META-INF/encryption.xml", encryption),
            ("OEBPS/book.opf", PACKAGE),
            ("OEBPS/text/two.xhtml", "\u{1}\u{2}"),
            ("text/one a.xhtml", &one),
        ]);
        let pages = opened(&book);
        assert!(html(&pages[0]).contains("crabs"));
        let cause = pages[1].as_ref().unwrap_err().to_string();
        assert!(
            cause.contains("encrypted") && cause.contains("without DRM"),
            "{cause}"
        );
        let without = |left_out: &str| {
            let all = [("META-INF/container.xml", CONTAINER), ("x", "y")];
            let files: Vec<_> = all
                .into_iter()
                .filter(|(name, _)| *name != left_out)
                .collect();
            let pages = opened(&zipped(&files));
            assert_eq!(pages.len(), 1);
            pages[0].as_ref().unwrap_err().to_string()
        };
        assert!(without("x").contains("OEBPS/book%20a.opf"));
        assert!(without("META-INF/container.xml").contains("container.xml"));
        assert!(opened(b"no book")[0].is_err());
    }

    #[test]
    fn references_lead_to_names_in_the_book() {
        assert_eq!(
            resolved("OEBPS/a.opf", "text/b%20c.xhtml#d"),
            "OEBPS/text/b c.xhtml"
        );
        assert_eq!(resolved("OEBPS/a.opf", "../../../b.xhtml"), "b.xhtml");
        assert_eq!(resolved("a.opf", "/b/./c.xhtml?d"), "b/c.xhtml");
    }

    proptest! {
        #[test]
        fn damaged_books_never_panic(package in "[<>/a-z ='&;#]{0,200}", cut in 0..400_usize) {
            let mut book = zipped(&[
                ("META-INF/container.xml", CONTAINER),
                ("OEBPS/book%20a.opf", &package),
            ]);
            let _ = opened(&book).len();
            book.truncate(book.len().saturating_sub(cut));
            let _ = opened(&book).len();
        }
    }
}
