//! Input and output of the training of published methods: pages with their gold text, and the model
//! file.

use std::borrow::Cow;
use vclean_core::capture::Capture;
use vclean_core::error::{Error, ModelError};
use vclean_core::page::{self, Body};
use vclean_lab::gold::align::words;
use vclean_lab::gold::{Labelling, TokenUnit, read_gold};
use vclean_run::source::{DataSet, Row};

/// A page and its gold text.
#[derive(Debug, Clone)]
pub struct GoldPage {
    /// Name of its set.
    pub set: String,
    /// Its name in the set.
    pub id: String,
    /// Its site: all pages of a site are in the same fold.
    pub site: String,
    /// Its language as a BCP 47 tag, `""` if unknown.
    pub lang: String,
    /// Token unit of its language.
    pub unit: TokenUnit,
    /// The parsed page, without rendering.
    pub capture: Capture,
    /// The source as published; `None` for an archive.
    pub source: Option<String>,
    /// Main text of the page.
    pub gold: String,
    /// The main text with `<p>`, `<h>` or `<l>` before each segment, if the set has it.
    pub marked: Option<String>,
}

impl GoldPage {
    /// Reads a page, without rendering it; `None` if its set has no full gold text for it.
    ///
    /// # Errors
    /// If the page or its gold cannot be read.
    pub fn read(set: &DataSet, row: &Row) -> Result<Option<Self>, Error> {
        let gold = read_gold(set, row)?;
        let Some(text) = gold.text else {
            return Ok(None);
        };
        let page = row.open()?;
        let capture = page::parse(&page)?;
        let source = if let Body::Html { html, .. } = page.body {
            Some(html)
        } else {
            None
        };
        Ok(Some(Self {
            set: set.name.clone(),
            id: row.id.clone(),
            site: row.host.clone(),
            lang: row.lang.clone(),
            unit: TokenUnit::from_language(&row.lang),
            capture,
            source,
            gold: text,
            marked: gold.marked,
        }))
    }

    /// The source; the tree written as HTML for an archive, as methods get it.
    pub(super) fn source(&self) -> Cow<'_, str> {
        self.source
            .as_deref()
            .map_or_else(|| self.capture.dom.to_html().into(), Cow::Borrowed)
    }

    /// Labels text blocks, given in document order, by aligning their words with the gold.
    pub fn label(&self, texts: &[String]) -> Labelling {
        words(texts, &self.gold, self.unit)
    }
}

/// Options for training a published method.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnOptions {
    /// Seed of all random draws.
    pub seed: u64,
    /// The command and the sets, stored in the model file.
    pub provenance: String,
}

/// The result of training.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// Content of the model file.
    pub bytes: Vec<u8>,
    /// A report for the user: figures, curves, rules; ends with a line break.
    pub report: String,
}

/// Trains on pages; reports its steps, one line each.
pub(crate) type Learn =
    fn(&[GoldPage], &LearnOptions, &(dyn Fn(&str) + Sync)) -> Result<Learned, ModelError>;
