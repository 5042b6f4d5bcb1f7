//! What a web archive holds that has no page: an archive that gives nothing must not seem to be read successfully.

use super::header::Header;

/// Counts of the records of an archive.
#[derive(Debug, Default)]
pub(super) struct Summary {
    records: u64,
    /// Pages, and records that are damaged.
    results: u64,
    /// Records of plain text that another program extracted from pages.
    texts: u64,
    /// Records of metadata.
    metadata: u64,
}

impl Summary {
    /// Counts a record.
    pub(super) fn add(&mut self, header: &Header) {
        self.records += 1;
        self.texts += u64::from(header.kind == "conversion" && header.content_type.starts_with("text/plain"));
        self.metadata += u64::from(header.kind == "metadata");
    }

    /// Counts a page, or an error.
    pub(super) fn add_result(&mut self) {
        self.results += 1;
    }

    /// Why there is no page, if there is none; once.
    pub(super) fn take_error(&mut self) -> Option<String> {
        if self.results > 0 {
            return None;
        }
        self.results = 1;
        let Self { records, texts, metadata, .. } = *self;
        Some(if records == 0 {
            "the archive is empty; fetch it again".to_owned()
        } else if texts > 0 && texts >= metadata {
            "the archive holds plain text extracted from pages (WET), not pages; there is nothing to clean".to_owned()
        } else if metadata * 2 > records {
            "the archive holds metadata of pages (WAT), not pages; name the archive with the pages themselves"
                .to_owned()
        } else {
            format!("the archive holds no HTML page that was fetched successfully, in {records} records")
        })
    }
}
