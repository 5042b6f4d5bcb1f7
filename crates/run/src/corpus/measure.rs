//! Measures a document for the filters of a run. Workers do this in parallel, because nothing here
//! depends on other documents.

use super::addresses::{address, normalized_url};
use super::hashes::text_hash;
use super::near_duplicates::{Sketch, gram};
use super::options::CorpusOptions;
use super::paragraphs::{GRAM_WORDS, WordStream};
use url::Url;
use vclean_core::classify::PageState;
use vclean_core::document::{Document, Segment, SegmentKind};
use vclean_core::language::words::{Kind, word_key};
use vclean_core::language::{Cutter, page_language};
use vclean_core::page::Page;

/// Bytes of the text in which the language is detected. Heuristic: more bytes do not change the
/// result.
const LANGUAGE_BYTES: usize = 1 << 15;

/// A passage that may be dropped or marked: a paragraph, heading, list item or quote. Table cells
/// and code are excluded, because a part of a table or of code is worth little.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredPassage {
    /// Index of its segment in the document.
    pub(super) segment: usize,
    pub(super) text: String,
    /// Hash of its host and its text; `None` if the host is not known.
    pub(super) line: Option<u64>,
    pub(super) words: usize,
}

/// The properties of a document that the filters use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// Its language, if documents are kept by language.
    pub(super) language: Option<String>,
    pub(super) words: usize,
    /// Its state, if the method tells it.
    pub(super) state: Option<PageState>,
    /// Its sketch, if near-duplicates are looked for.
    pub(super) sketch: Option<Sketch>,
    /// Its passages, if one of them may be dropped or marked.
    pub(super) passages: Vec<MeasuredPassage>,
    /// The words of its passages.
    pub(super) stream: WordStream,
    /// Its address in the form of [`super::addresses`], if addresses are compared and it has one.
    pub(super) normalized_url: Option<String>,
}

/// Measures documents; threads share it.
#[derive(Debug)]
pub(crate) struct Measurer {
    options: CorpusOptions,
    cutter: Cutter,
}

impl Measurer {
    pub(crate) fn new(options: CorpusOptions) -> Self {
        Self {
            options,
            cutter: Cutter::new(""),
        }
    }

    /// Measures a document of an input. `address` is where it was loaded from, if that is known.
    pub(crate) fn measure(
        &self,
        document: &Document,
        input: &Page,
        loaded_from: Option<&str>,
    ) -> Measured {
        let options = &self.options;
        let texts: Vec<String> = document.segments.iter().map(Segment::text).collect();
        let words: Vec<Vec<u64>> = texts.iter().map(|text| self.words(text)).collect();
        let host =
            loaded_from.and_then(|address| Url::parse(address).ok()?.host_str().map(str::to_owned));
        let wants_passages = options.duplicate_paragraphs.is_some() || options.site_lines.is_some();
        let passage = |(segment, (part, text)): (usize, (&Segment, &String))| {
            let is_passage = !matches!(
                part.kind,
                SegmentKind::Code { .. } | SegmentKind::TableCell { .. }
            );
            is_passage.then(|| MeasuredPassage {
                segment,
                line: host
                    .as_ref()
                    .map(|host| text_hash(&format!("{host}\n{}", text.trim()))),
                text: text.trim().to_owned(),
                words: words[segment].len(),
            })
        };
        let passages: Vec<MeasuredPassage> = if wants_passages {
            document
                .segments
                .iter()
                .zip(&texts)
                .enumerate()
                .filter_map(passage)
                .collect()
        } else {
            Vec::new()
        };
        let mut stream = WordStream::default();
        if options.duplicate_paragraphs.is_some() {
            let all: Vec<u64> = passages
                .iter()
                .flat_map(|passage| words[passage.segment].iter().copied())
                .collect();
            stream.lengths = passages.iter().map(|passage| passage.words).collect();
            stream.grams = all.windows(GRAM_WORDS).map(gram).collect();
        }
        let all = words.concat();
        Measured {
            language: (!options.languages.is_empty())
                .then(|| language(document, &texts))
                .flatten(),
            words: all.len(),
            state: document.state.as_ref().map(|likely| likely.state),
            sketch: options
                .near_duplicates
                .and_then(|_| Sketch::from_words(&all)),
            passages,
            stream,
            normalized_url: address(input)
                .filter(|_| options.normalize_urls)
                .and_then(normalized_url),
        }
    }

    /// The keys of the words of a text, without punctuation. Scripts without spaces are segmented
    /// with dictionaries.
    fn words(&self, text: &str) -> Vec<u64> {
        let words = self.cutter.cut(text);
        words
            .iter()
            .filter(|word| word.kind != Kind::Mark)
            .map(|word| word_key(word.text))
            .collect()
    }
}

/// The language of the text if it can be detected, otherwise the one that the page states.
fn language(document: &Document, texts: &[String]) -> Option<String> {
    let mut all = String::new();
    for text in texts {
        if all.len() > LANGUAGE_BYTES {
            break;
        }
        all.push_str(text);
        all.push('\n');
    }
    page_language(document.metadata.language.as_deref(), &all)
}
