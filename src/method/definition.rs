//! The definition of a method, its result for a page, and how it is prepared.

use super::input::Input;
use super::settings::{MethodSettings, Parameter};
use crate::classify::{Decision, Label};
use crate::clean::CleanDocument;
use crate::error::{Error, ModelError};
use crate::features::FeatureTable;
use crate::target::Target;

/// The input that a method uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// The source or the tree of the page.
    Source,
    /// The rendered page, if it was rendered.
    Rendering,
}

/// A method to clean a page.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Its name on the command line.
    pub name: &'static str,
    /// How it works, in one sentence.
    pub about: &'static str,
    /// Author, year and section.
    pub source: &'static str,
    /// Year of publication.
    pub year: u16,
    /// The input that it uses.
    pub sees: Sees,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Whether it learns from gold text: `train` can make a model for it, and one is built in.
    pub learns: bool,
    /// Prepares it for pages; `settings` have been checked by [`Method::ready`].
    pub make: fn(&MethodSettings) -> Result<Box<dyn CleanPage>, ModelError>,
}

/// A method that is ready for pages; created once, used from many threads.
pub trait CleanPage: Send + Sync {
    /// Cleans one page. The same page gives the same result.
    ///
    /// # Errors
    /// If the page is over a limit, or the method cannot use it.
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error>;
}

/// The results of all stages for one page.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanedPage {
    /// The text blocks, in document order; none if the method does not work on the tree.
    pub targets: Vec<Target>,
    /// One row per target; without columns if the method does not use our features.
    pub table: FeatureTable,
    /// One decision per target.
    pub decisions: Vec<Decision>,
    /// The page's text.
    pub document: CleanDocument,
}

impl CleanedPage {
    /// Expected quality of the text, 0 to 1: the expected F computed from the blocks' probabilities, weighted by their
    /// letters (after Jansche 2007, "A maximum expected utility framework for binary sequence labeling", section 2).
    /// 0 if nothing was kept, because rendering may show more than bare HTML. 1 if no block has a probability.
    pub fn confidence(&self) -> f32 {
        if self.targets.is_empty() && !self.document.segments.is_empty() {
            return 1.0;
        }
        let (mut expected, mut kept, mut both) = (0.0f64, 0.0f64, 0.0f64);
        for (report, decision) in self.document.targets.iter().zip(&self.decisions) {
            let letters = report.text.chars().filter(|char| char.is_alphanumeric()).count() as f64;
            let content = letters * f64::from(decision.probability);
            expected += content;
            if decision.label == Label::Content {
                kept += letters;
                both += content;
            }
        }
        if kept == 0.0 { 0.0 } else { (2.0 * both / (kept + expected)) as f32 }
    }
}

impl Method {
    /// Prepares the method for pages.
    ///
    /// # Errors
    /// If a parameter is unknown or out of range, or the method cannot use the given model.
    pub fn ready(&self, settings: &MethodSettings) -> Result<Box<dyn CleanPage>, ModelError> {
        settings.check(self.name, self.parameters)?;
        if settings.model.is_some() && !self.learns {
            return Err(ModelError::Setting(format!("method {} learns nothing and takes no model", self.name)));
        }
        (self.make)(settings)
    }
}
