//! The filters of corpora for callers that clean pages themselves.

use super::decide::Corpus;
use super::measure::{Measured, Measurer};
use super::note::DropReason;
use super::options::CorpusOptions;
use std::sync::{Mutex, PoisonError};
use vclean_core::document::Document;
use vclean_core::page::Page;

/// Filters that drop documents. Each document is measured in any thread; the decisions are made in
/// the order of the documents, because a near-duplicate is one of an earlier document.
#[derive(Debug)]
pub struct Filter {
    measurer: Measurer,
    corpus: Mutex<Corpus>,
}

impl Filter {
    /// Starts without earlier documents. Filters of passages are not applied.
    pub fn new(options: CorpusOptions) -> Self {
        let options = CorpusOptions {
            duplicate_paragraphs: None,
            site_lines: None,
            ..options
        };
        Self {
            measurer: Measurer::new(options.clone()),
            corpus: Mutex::new(Corpus::new(options)),
        }
    }

    /// Measures the document of a page.
    pub fn measure(&self, document: &Document, page: &Page) -> Measured {
        self.measurer.measure(document, page, None)
    }

    /// Why the next document is dropped; `None` if it is kept. Later documents are compared with
    /// it.
    pub fn drops(&self, name: &str, measured: &Measured) -> Option<DropReason> {
        let mut corpus = self.corpus.lock().unwrap_or_else(PoisonError::into_inner);
        corpus.decide_unrecorded(name, measured).note.dropped
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Treatment;
    use vclean_core::pipeline::extract;

    const GULLS: &str = "<article><h1>Gulls</h1><p>Herring gulls drop mussels from a great height \
        on rocks, and wait until the shells break before they eat.</p></article>";

    #[test]
    fn documents_are_dropped_in_their_order() {
        let filter = Filter::new(CorpusOptions {
            near_duplicates: Some(Treatment::Drop),
            min_words: Some(5),
            ..CorpusOptions::default()
        });
        let dropped = |name: &str, html: &str| {
            let cleaned = extract(html, None).unwrap();
            let page = Page::from_html(name, html.to_owned());
            filter.drops(name, &filter.measure(&cleaned.document, &page))
        };
        assert_eq!(dropped("a", GULLS), None);
        assert_eq!(dropped("b", GULLS), Some(DropReason::NearDuplicate));
        assert_eq!(dropped("c", "<p>Two words"), Some(DropReason::MinWords));
    }
}
