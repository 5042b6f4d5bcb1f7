//! WARC archives (ISO 28500) and ARC archives, compressed or not: the HTML pages that were fetched
//! successfully, one in memory at a time.
//!
//! Records without such a page are skipped. When a page is rendered, its resources are loaded from
//! the archive.

use super::pages::Pages;
use rustc_hash::FxHashSet;
use std::path::Path;
use std::sync::Arc;
use url::Url;
use vclean_core::error::{SourceError, Warning, WarningKind};
use vclean_core::page::{Body, MAX_PAGE_BYTES, Origin, Page, PageFiles, open_bytes};
use vclean_render::archive::{
    Archive, Damage, Header, NextRecord, Part, Records, Response, address_key, is_html,
};
use vclean_render::net::redirect_target;

/// Number of bytes of a record's content that are read to detect its kind.
const HEAD_BYTES: u64 = 64 << 10;
/// Extensions of such archives, before the extension of a compression.
const ENDINGS: &[&str] = &[".warc", ".arc", ".wet", ".wat"];
const PACKED_ENDINGS: &[&str] = &["", ".gz", ".zst", ".lz4"];

/// Returns true if the name of an input is that of a WARC or ARC archive.
pub(super) fn is_warc(input: &str) -> bool {
    let name = input.to_ascii_lowercase();
    PACKED_ENDINGS
        .iter()
        .filter_map(|packed| name.strip_suffix(packed))
        .any(|name| ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// The pages of an archive.
pub(super) fn open_warc(input: &str) -> Pages {
    let opened = Part::file(Path::new(input)).and_then(|part| Ok((part.records(0)?, part)));
    match opened {
        Ok((records, part)) => {
            let files = PageFiles::Archive(Arc::new(Archive::new(vec![part])));
            Box::new(WarcPages::new(input, records, files).with_summary())
        }
        Err(error) => Box::new(std::iter::once(Err(SourceError::Read {
            path: input.into(),
            cause: error.to_string(),
        }))),
    }
}

/// The pages in the records of an archive.
pub(super) struct WarcPages {
    input: String,
    records: Records,
    files: PageFiles,
    wanted: Option<Wanted>,
    summary: Summary,
    /// True if an archive without pages gives an error.
    sums_up: bool,
    /// An error to be returned before the next page.
    pending: Option<SourceError>,
}

/// The addresses of the requested pages, as made by [`address_key`].
pub(super) type Wanted = FxHashSet<u64>;

impl WarcPages {
    /// Returns all pages; `files` are the files that they may load.
    pub(super) fn new(input: &str, records: Records, files: PageFiles) -> Self {
        Self {
            input: input.to_owned(),
            records,
            files,
            wanted: None,
            summary: Summary::default(),
            sums_up: false,
            pending: None,
        }
    }

    /// Adds an error at the end if there is no page. It states what the archive contains instead.
    pub(super) fn with_summary(self) -> Self {
        Self {
            sums_up: true,
            ..self
        }
    }

    /// Returns only pages that are wanted, or are the target of a redirect from a wanted address,
    /// each once.
    pub(super) fn only(self, wanted: Option<Wanted>) -> Self {
        Self { wanted, ..self }
    }

    /// The addresses that are still wanted.
    pub(super) fn take_wanted(&mut self) -> Option<Wanted> {
        self.wanted.take()
    }

    /// Returns true if a page is to be opened. If a wanted address redirects, the target is wanted
    /// instead.
    fn is_wanted(&mut self, url: &str, response: Option<&Response>) -> bool {
        let is_page = response.is_none_or(Response::is_page);
        let (Some(wanted), Some(key)) = (&mut self.wanted, address_key(url)) else {
            return is_page && self.wanted.is_none();
        };
        if !wanted.contains(&key) {
            return false;
        }
        if let Some(to) = response
            .filter(|response| response.is_redirect())
            .and_then(|redirect| redirect.location.as_deref())
        {
            let to = Url::parse(url)
                .ok()
                .and_then(|url| redirect_target(&url, to));
            wanted.extend(to.and_then(|to| address_key(to.as_str())));
        }
        is_page && wanted.remove(&key)
    }

    /// The page in a record; `None` if it contains none.
    fn page(&mut self, header: &Header) -> Option<Result<Page, SourceError>> {
        let may_be_page =
            header.kind == "response" || header.kind == "resource" && is_html(&header.content_type);
        if !may_be_page {
            return None;
        }
        let name = header.url.as_deref().unwrap_or_default();
        let mut content = Vec::new();
        let mut damage = self.records.content(HEAD_BYTES, name, &mut content).err();
        let response = Response::parse(&content);
        let is_bare =
            header.kind == "resource" || response.is_none() && is_bare_html(header, &content);
        if !is_bare && response.is_none() {
            return lost(damage);
        }
        if !self.is_wanted(name, response.as_ref().filter(|_| !is_bare)) {
            return lost(damage);
        }
        if header.length > MAX_PAGE_BYTES + HEAD_BYTES && damage.is_none() {
            let error = SourceError::TooLarge {
                bytes: header.length,
                limit: MAX_PAGE_BYTES,
            };
            return Some(Err(self.named(name, &error)));
        }
        if damage.is_none() {
            // The stated length may be wrong: no more is read than the largest page.
            damage = self
                .records
                .content(MAX_PAGE_BYTES + HEAD_BYTES, name, &mut content)
                .err();
        }
        let opened = opened(&self.input, header, content, is_bare);
        match opened {
            Ok(page) if damage.is_none() || !is_blank(&page) => {
                Some(Ok(self.completed(page, header, damage)))
            }
            Err(error) if damage.is_none() => Some(Err(self.named(name, &error))),
            Ok(_) | Err(_) => lost(damage),
        }
    }

    fn named(&self, name: &str, error: &SourceError) -> SourceError {
        let separator = if name.is_empty() { "" } else { ": " };
        SourceError::Unusable(format!(
            "record {}: {name}{separator}{error}",
            self.records.number()
        ))
    }

    /// Completes a page with facts from its record. If only its beginning could be read, it is used
    /// with a warning.
    fn completed(&mut self, mut page: Page, header: &Header, damage: Option<Damage>) -> Page {
        if let Body::Html { files, .. } = &mut page.body {
            self.files.clone_into(files);
        }
        page.origin.record = Some(self.records.number());
        page.origin.record_id.clone_from(&header.id);
        page.origin.record_date.clone_from(&header.date);
        if let Some(Damage {
            cause,
            message,
            ends_archive,
            ..
        }) = damage
        {
            page.origin.warnings.add(
                WarningKind::Damaged,
                format!("only the beginning of the page is used: {cause}"),
            );
            self.pending = ends_archive.then_some(SourceError::Unusable(message));
        }
        if let Some(reason) = &header.truncated {
            page.origin.warnings.add(
                WarningKind::Damaged,
                format!("the crawler cut the page off (WARC-Truncated: {reason})"),
            );
        }
        page
    }
}

impl Iterator for WarcPages {
    type Item = Result<Page, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.pending.take() {
            return Some(Err(error));
        }
        loop {
            let header = match self.records.advance() {
                NextRecord::Record(header) => header,
                NextRecord::Fault(cause) => {
                    self.summary.add_result();
                    return Some(Err(SourceError::Unusable(cause)));
                }
                NextRecord::End => {
                    let error = self.summary.take_error().filter(|_| self.sums_up)?;
                    return Some(Err(SourceError::Unusable(error)));
                }
            };
            self.summary.add(&header);
            if let Some(page) = self.page(&header) {
                self.summary.add_result();
                return Some(page);
            }
        }
    }
}

/// Counts of the records of an archive. An archive without pages must not seem to have been read
/// successfully.
#[derive(Debug, Default)]
struct Summary {
    records: u64,
    /// Pages and damaged records.
    results: u64,
    /// Records of plain text that another program extracted from pages.
    texts: u64,
    metadata: u64,
}

impl Summary {
    fn add(&mut self, header: &Header) {
        self.records += 1;
        self.texts +=
            u64::from(header.kind == "conversion" && header.content_type.starts_with("text/plain"));
        self.metadata += u64::from(header.kind == "metadata");
    }

    /// Counts a page, or an error.
    fn add_result(&mut self) {
        self.results += 1;
    }

    /// Takes the reason why there are no pages, if there are none. It is returned once.
    fn take_error(&mut self) -> Option<String> {
        if self.results > 0 {
            return None;
        }
        self.results = 1;
        let Self {
            records,
            texts,
            metadata,
            ..
        } = *self;
        Some(if records == 0 {
            "the archive is empty; fetch it again".to_owned()
        } else if texts > 0 && texts >= metadata {
            "the archive holds plain text extracted from pages (WET), not pages; there is nothing to clean".to_owned()
        } else if metadata * 2 > records {
            "the archive holds metadata of pages (WAT), not pages; name the archive with the pages themselves"
                .to_owned()
        } else {
            let records = match records {
                1 => "its only record".to_owned(),
                records => format!("{records} records"),
            };
            format!("the archive holds no HTML page that was fetched successfully, in {records}")
        })
    }
}

/// Returns true if a record of an ARC archive holds a page without the head of the server's
/// response.
fn is_bare_html(header: &Header, content: &[u8]) -> bool {
    header.is_arc && is_html(&header.content_type) && content.trim_ascii_start().starts_with(b"<")
}

/// Returns true if a page consists of white space.
fn is_blank(page: &Page) -> bool {
    matches!(&page.body, Body::Html { html, .. } if html.trim().is_empty())
}

/// The error of a page from which nothing can be used.
fn lost(damage: Option<Damage>) -> Option<Result<Page, SourceError>> {
    damage.map(|damage| Err(SourceError::Unusable(damage.message)))
}

fn opened(
    input: &str,
    header: &Header,
    content: Vec<u8>,
    is_bare: bool,
) -> Result<Page, SourceError> {
    let (page, cut_off) = if is_bare {
        (open_bytes(input, content, None)?, None)
    } else {
        let response = Response::parse(&content).ok_or_else(|| {
            SourceError::Unusable("its content is not a server's response".to_owned())
        })?;
        let body = response.body()?;
        (
            open_bytes(input, body.bytes, response.charset())?,
            body.cut_off,
        )
    };
    let cut_off = cut_off.map(|cause| format!("only the beginning of the page is used: {cause}"));
    let warnings = cut_off
        .map(|text| Warning::new(WarningKind::Damaged, text))
        .into_iter()
        .collect();
    let origin = Origin {
        warnings,
        ..page.origin
    };
    Ok(Page {
        url: header.url.clone().or(page.url),
        origin,
        ..page
    })
}

#[cfg(test)]
#[path = "../../tests/unit/source_arc.rs"]
mod arc_tests;
#[cfg(test)]
#[path = "../../tests/unit/source_warc.rs"]
mod tests;
