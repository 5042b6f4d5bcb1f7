//! Training of the published methods: gold text in, the file that `method` decides with out.
//!
//! To add a method that learns, add a file and a line in [`LEARNERS`]. What is learned lives with the method; what needs
//! gold text lives here, so that no method ever sees it.

mod c45;
mod density_lm;
mod gold_kinds;
mod ice_genetic;
mod ice_tree;
pub mod texrex;
pub(crate) mod texrex_folds;

use crate::capture::Capture;
use crate::error::{Error, ModelError};
use crate::gold::align::{Labelling, words};
use crate::gold::{DataError, DataSet, Row, TokenUnit};
use crate::method::Input;
use crate::source::{self, Body};

/// A page and its gold text.
#[derive(Debug, Clone)]
pub struct GoldPage {
    /// The set it is of.
    pub set: String,
    /// Its name in the set.
    pub id: String,
    /// Its site: pages of one are never on both sides of a fold.
    pub site: String,
    /// Its language as a BCP 47 tag, `""` where unknown.
    pub lang: String,
    /// What counts as a token on it.
    pub unit: TokenUnit,
    /// The tree.
    pub capture: Capture,
    /// The source as published; `None` for an archive.
    pub source: Option<String>,
    /// The main text.
    pub gold: String,
    /// The main text with `<p>`, `<h>` or `<l>` before each segment, where the set has it.
    pub marked: Option<String>,
}

impl GoldPage {
    /// Reads a page, without rendering it; `None` where its set has no full gold text for it.
    ///
    /// # Errors
    /// If the page or its gold cannot be read.
    pub fn read(set: &DataSet, row: &Row) -> Result<Option<Self>, Error> {
        let gold = set.gold(row).map_err(|error: DataError| Error::Limit(error.to_string()))?;
        let Some(text) = gold.text else { return Ok(None) };
        let page = row.open()?;
        let capture = source::parse(&page)?;
        let source = if let Body::Html { html, .. } = page.body { Some(html) } else { None };
        Ok(Some(Self {
            set: set.name.clone(),
            id: row.id.clone(),
            site: row.host.clone(),
            lang: row.lang.clone(),
            unit: row.unit(),
            capture,
            source,
            gold: text,
            marked: gold.marked,
        }))
    }

    /// The page as a method sees it.
    pub fn input(&self) -> Input<'_> {
        Input::new(&self.capture, self.source.as_deref())
    }

    /// Labels text blocks, given in document order, by aligning their words with the gold.
    pub fn label(&self, texts: &[String]) -> Labelling {
        words(texts, &self.gold, self.unit)
    }
}

/// What a learner is told.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnOptions {
    /// Seed of what is drawn.
    pub seed: u64,
    /// The command and the sets, for the file.
    pub provenance: String,
}

/// What a learner gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learned {
    /// The model file.
    pub bytes: Vec<u8>,
    /// What was found on the way, for the user: figures, curves, rules; ends with a line break.
    pub report: String,
}

/// Learns from pages; says what it is doing, a line at a time.
pub type Learn = fn(&[GoldPage], &LearnOptions, &(dyn Fn(&str) + Sync)) -> Result<Learned, ModelError>;

/// The learners of published methods, by the method's name.
pub const LEARNERS: &[(&str, Learn)] = &[
    ("density-lm", density_lm::learn),
    ("ice-tree", ice_tree::learn),
    ("ice-genetic", ice_genetic::learn),
    ("texrex", texrex::learn),
];

/// Methods whose models are of our own kind, and which `train` makes by other means.
pub const OWN: &[&str] = &["vclean", "fiasco"];

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod samples {
    //! Pages to learn from.

    use super::*;
    use crate::source::{Page, parse};

    /// A page of bare HTML with its gold.
    pub(crate) fn gold_page(site: &str, html: &str, gold: &str) -> GoldPage {
        let body = Body::html(html);
        GoldPage {
            set: "toy".into(),
            id: site.into(),
            site: site.into(),
            lang: "en".into(),
            unit: TokenUnit::of_language("en"),
            capture: parse(&Page { input: site.into(), url: None, body }).unwrap(),
            source: Some(html.to_owned()),
            gold: gold.to_owned(),
            marked: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cleaner::methods;

    #[test]
    fn every_method_that_learns_can_be_trained() {
        let learning = methods().filter(|method| method.learns && !OWN.contains(&method.name));
        let learning: Vec<&str> = learning.map(|method| method.name).collect();
        let known: Vec<&str> = LEARNERS.iter().map(|(name, _)| *name).collect();
        assert_eq!(learning, known, "in the order of the methods");
    }
}
