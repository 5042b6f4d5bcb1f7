//! WACZ files (Webrecorder): a ZIP file of web archives with a list of their pages, read in place.
//!
//! Nothing is written to disk: names in the ZIP file are compared and never used as paths. The
//! archives must be stored without compression in the ZIP file, as the format requires, so that a
//! record can be read at its position in the file.

use super::lines::Lines;
use super::pages::Pages;
use super::warc::{Wanted, WarcPages};
use serde::Deserialize;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use vclean_core::error::SourceError;
use vclean_core::files::open_regular;
use vclean_core::page::{Page, PageFiles};
use vclean_render::archive::{Archive, Part, address_key};
use zip::{CompressionMethod, ZipArchive};

/// Number of bytes that are read of each list of pages: the addresses of some ten million pages.
const MAX_LIST_BYTES: u64 = 1 << 30;
/// Longest line of such a list, in bytes, with the page's text in it.
const MAX_LINE_BYTES: u64 = 16 << 20;
/// Largest number of pages that are listed.
const MAX_LISTED: usize = 20_000_000;
/// Largest number of archives in one file; an index numbers them with 16 bits.
const MAX_PARTS: usize = 1 << 16;

/// Returns true if the name of an input is that of a WACZ file.
pub(super) fn is_wacz(input: &str) -> bool {
    input.to_ascii_lowercase().ends_with(".wacz")
}

/// The pages that the file lists, or all HTML pages of its archives if it lists none.
pub(super) fn open_wacz(input: &str) -> Pages {
    match Contents::read(Path::new(input)) {
        Ok(Contents {
            parts,
            wanted,
            faults,
        }) => {
            let files = PageFiles::Archive(Arc::new(Archive::new(parts.clone())));
            let pages = WaczPages {
                input: input.to_owned(),
                parts: parts.into_iter(),
                now: None,
                wanted,
                files,
                is_empty: true,
            };
            Box::new(
                faults
                    .into_iter()
                    .map(|fault| Err(SourceError::Unusable(fault)))
                    .chain(pages),
            )
        }
        Err(error) => Box::new(std::iter::once(Err(error))),
    }
}

/// The number of pages that the file lists; `None` if it lists none.
pub(super) fn listed_pages(input: &str) -> Option<usize> {
    Contents::read(Path::new(input))
        .ok()?
        .wanted
        .map(|wanted| wanted.len())
}

/// The content of a WACZ file.
struct Contents {
    parts: Vec<Part>,
    wanted: Option<Wanted>,
    /// Messages about parts that cannot be read.
    faults: Vec<String>,
}

impl Contents {
    fn read(path: &Path) -> Result<Self, SourceError> {
        let read = |error: std::io::Error| SourceError::Read {
            path: path.into(),
            cause: error.to_string(),
        };
        let damaged = |cause: &str| {
            SourceError::Unusable(format!(
                "the file is no usable WACZ: {cause}; make or fetch it again"
            ))
        };
        let file = open_regular(path).map_err(read)?;
        let file_bytes = file.metadata().map_err(read)?.len();
        let mut zip =
            ZipArchive::new(BufReader::new(file)).map_err(|error| damaged(&error.to_string()))?;
        let mut contents = Self {
            parts: Vec::new(),
            wanted: None,
            faults: Vec::new(),
        };
        for number in 0..zip.len() {
            let Ok(entry) = zip.by_index_raw(number) else {
                contents.faults.push(format!(
                    "entry {} of the file is damaged; its content is lost",
                    number + 1
                ));
                continue;
            };
            let Ok(name) = entry.name().map(std::borrow::Cow::into_owned) else {
                continue;
            };
            let is_list = name.starts_with("pages/") && super::document::is_json_lines(&name);
            let is_archive = name.starts_with("archive/") && super::warc::is_warc(&name);
            if !is_list && !is_archive {
                continue;
            }
            if entry.encrypted() {
                contents
                    .faults
                    .push(format!("{name} in it is encrypted; decrypt it first"));
                continue;
            }
            if is_list {
                drop(entry);
                let wanted = contents.wanted.get_or_insert_default();
                if let Ok(list) = zip.by_index(number) {
                    listed(list.take(MAX_LIST_BYTES), wanted);
                }
                continue;
            }
            let start = entry.data_start().filter(|start| *start < file_bytes);
            match start {
                _ if entry.compression() != CompressionMethod::Stored => {
                    let cause = "is packed a second time; make the file again with its archives stored, as WACZ requires";
                    contents.faults.push(format!("{name} in it {cause}"));
                }
                Some(start) if contents.parts.len() < MAX_PARTS => {
                    let part = Part::section(path, start, entry.compressed_size()).map_err(read)?;
                    contents.parts.push(part);
                }
                _ => contents.faults.push(format!(
                    "{name} in it cannot be read; make or fetch the file again"
                )),
            }
        }
        if contents.parts.is_empty() && contents.faults.is_empty() {
            return Err(damaged("it contains no archive/*.warc.gz"));
        }
        // An empty list counts as no list.
        contents.wanted = contents.wanted.filter(|wanted| !wanted.is_empty());
        Ok(contents)
    }
}

/// The addresses in a list of pages; its first line and damaged lines contain none.
fn listed(list: impl Read, wanted: &mut Wanted) {
    #[derive(Deserialize)]
    struct Line {
        url: String,
    }
    for line in Lines::limited(BufReader::new(list), MAX_LINE_BYTES) {
        // A line that is too long is skipped, and a list that cannot be read further ends.
        let Ok(line) = line else { continue };
        if wanted.len() >= MAX_LISTED {
            break;
        }
        let key = serde_json::from_slice(&line)
            .ok()
            .and_then(|Line { url }| address_key(&url));
        wanted.extend(key);
    }
}

struct WaczPages {
    input: String,
    parts: std::vec::IntoIter<Part>,
    now: Option<WarcPages>,
    /// The wanted pages. They are passed from archive to archive, since the target of a redirect
    /// may be in another one.
    wanted: Option<Wanted>,
    files: PageFiles,
    /// True until the first page or error is returned.
    is_empty: bool,
}

impl WaczPages {
    fn next_page(&mut self) -> Option<Result<Page, SourceError>> {
        loop {
            if let Some(pages) = &mut self.now {
                if let Some(page) = pages.next() {
                    return Some(page);
                }
                self.wanted = pages.take_wanted();
                self.now = None;
            }
            let part = self.parts.next()?;
            match part.records(0) {
                Ok(records) => {
                    let pages = WarcPages::new(&self.input, records, self.files.clone());
                    self.now = Some(pages.only(self.wanted.take()));
                }
                Err(error) => {
                    return Some(Err(SourceError::Read {
                        path: part.path,
                        cause: error.to_string(),
                    }));
                }
            }
        }
    }
}

impl Iterator for WaczPages {
    type Item = Result<Page, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        let found = self.next_page();
        let was_empty = std::mem::replace(&mut self.is_empty, false);
        // An archive without pages must not seem to have been read successfully.
        let cause =
            "the archives in it hold no HTML page that was fetched successfully and is listed";
        found.or_else(|| was_empty.then(|| Err(SourceError::Unusable(cause.to_owned()))))
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_archives::{packed, record};
    use super::*;
    use std::io::Write;
    use url::Url;
    use vclean_core::page::Body;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn answer(url: &str, head: &str, content: &str) -> Vec<u8> {
        record(
            "response",
            url,
            "",
            format!("HTTP/1.1 {head}\r\n\r\n{content}").as_bytes(),
        )
    }

    fn archive() -> Vec<u8> {
        let html = "200 OK\r\nContent-Type: text/html";
        packed(&[
            record("warcinfo", "", "", b"software: x\r\n"),
            answer(
                "http://a.example/",
                "301 Moved\r\nLocation: https://www.a.example/",
                "",
            ),
            answer("https://www.a.example/", html, "<p>start"),
            answer("https://a.example/frame", html, "<p>a frame, and no page"),
            answer(
                "https://a.example/style.css",
                "200 OK\r\nContent-Type: text/css",
                "p { color: red }",
            ),
            answer("https://b.example/page", html, "<p>page"),
        ])
    }

    fn zipped(files: &[(&str, CompressionMethod, Vec<u8>)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, method, content) in files {
            zip.start_file(
                *name,
                SimpleFileOptions::default().compression_method(*method),
            )
            .unwrap();
            zip.write_all(content).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    fn pages(bytes: &[u8]) -> Vec<Result<Page, SourceError>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.wacz");
        std::fs::write(&path, bytes).unwrap();
        super::super::open(&path.to_string_lossy())
            .inspect(|page| {
                // Load a resource while the file still exists.
                if let Ok(Page {
                    body:
                        Body::Html {
                            files: PageFiles::Archive(archive),
                            ..
                        },
                    ..
                }) = page
                {
                    let css = archive
                        .find(&Url::parse("https://a.example/style.css").unwrap())
                        .unwrap();
                    assert_eq!(css.body, b"p { color: red }");
                }
            })
            .collect()
    }

    fn urls(pages: &[Result<Page, SourceError>]) -> Vec<&str> {
        pages
            .iter()
            .flatten()
            .filter_map(|page| page.url.as_deref())
            .collect()
    }

    const LIST: &str = "{\"format\": \"json-pages-1.0\", \"id\": \"pages\"}\n{\"url\": \"http://a.example/\"}\nbroken\n\
        {\"url\": \"https://b.example/page#part\", \"title\": \"b\"}\n{\"url\": \"https://b.example/missing\"}\n";

    #[test]
    fn the_listed_pages_are_opened_in_place() {
        let stored = CompressionMethod::Stored;
        let list = (
            "pages/pages.jsonl",
            CompressionMethod::Deflated,
            LIST.into(),
        );
        let file = zipped(&[("archive/one.warc.gz", stored, archive()), list]);
        assert_eq!(
            urls(&pages(&file)),
            ["https://www.a.example/", "https://b.example/page"]
        );
        let all = zipped(&[("archive/../../../one.warc.gz", stored, archive())]);
        assert_eq!(urls(&pages(&all)).len(), 3);
    }

    #[test]
    fn errors_are_reported_and_the_rest_is_read() {
        let stored = CompressionMethod::Stored;
        let twice = (
            "archive/twice.warc.gz",
            CompressionMethod::Deflated,
            archive(),
        );
        let found = pages(&zipped(&[
            twice,
            ("archive/one.warc.gz", stored, archive()),
        ]));
        assert!(
            found[0]
                .as_ref()
                .unwrap_err()
                .to_string()
                .contains("packed a second time")
        );
        assert_eq!(urls(&found).len(), 3);
        for bytes in [
            b"PK\x03\x04 no zip".to_vec(),
            zipped(&[("data.txt", stored, vec![1])]),
        ] {
            let found = pages(&bytes);
            assert!(
                found.len() == 1
                    && found[0]
                        .as_ref()
                        .unwrap_err()
                        .to_string()
                        .contains("no usable WACZ")
            );
        }
        assert!(open_wacz("no/such.wacz").next().unwrap().is_err());
    }

    #[test]
    fn wrong_sizes_and_cut_files_do_not_panic() {
        let whole = zipped(&[("archive/one.warc.gz", CompressionMethod::Stored, archive())]);
        let directory = whole
            .windows(4)
            .rposition(|window| window == b"PK\x01\x02")
            .unwrap();
        // The compressed and the uncompressed size, and the position of the entry.
        for at in [20, 24, 42] {
            for value in [u32::MAX - 1, 40, 0] {
                let mut lying = whole.clone();
                lying[directory + at..directory + at + 4].copy_from_slice(&value.to_le_bytes());
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("x.wacz");
                std::fs::write(&path, lying).unwrap();
                assert!(open_wacz(&path.to_string_lossy()).count() < 10);
            }
        }
        for end in (0..whole.len()).step_by(37) {
            assert!(pages(&whole[..end]).iter().any(Result::is_err));
        }
    }
}
