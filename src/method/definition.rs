//! What a method is, what it gives for a page, and how it is made ready.

use super::input::Input;
use super::settings::{Parameter, Settings};
use crate::classify::{Decision, Label};
use crate::clean::CleanDocument;
use crate::error::{Error, ModelError};
use crate::features::FeatureTable;
use crate::target::Target;

/// What a method looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sees {
    /// The source or the tree of the page.
    Source,
    /// The rendered page, where it was rendered.
    Rendering,
}

/// A way to clean a page.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// Its name on the command line.
    pub name: &'static str,
    /// How it works, in a sentence.
    pub about: &'static str,
    /// Author, year and section.
    pub source: &'static str,
    /// Year of publication.
    pub year: u16,
    /// What it looks at.
    pub sees: Sees,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Whether it learns from gold text: `train` can make a model for it, and one is built in.
    pub learns: bool,
    /// Makes it ready for pages; `settings` have been checked by [`Method::ready`].
    pub make: fn(&Settings) -> Result<Box<dyn CleanPage>, ModelError>,
}

/// A method that is ready for pages; made once, used from many threads.
pub trait CleanPage: Send + Sync {
    /// Cleans one page. The same page gives the same bytes.
    ///
    /// # Errors
    /// If the page is over a limit, or is not what the method needs.
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error>;
}

/// What came of one page, stage by stage.
#[derive(Debug, Clone, PartialEq)]
pub struct CleanedPage {
    /// The text blocks, in document order; none where the method does not work on the tree.
    pub targets: Vec<Target>,
    /// One row a target; without columns where the method measures none of ours.
    pub table: FeatureTable,
    /// One decision a target.
    pub decisions: Vec<Decision>,
    /// The page's text.
    pub document: CleanDocument,
}

impl CleanedPage {
    /// How good the text is expected to be, 0 to 1: the F that follows from the blocks' probabilities, weighted by their
    /// letters (after Jansche 2007, "A maximum expected utility framework for binary sequence labeling", section 2).
    /// 0 where nothing was kept: what bare HTML does not show, rendering may. 1 where no block has a probability.
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
    /// Makes the method ready for pages.
    ///
    /// # Errors
    /// If a parameter is not its own or out of range, or a model is named that it cannot use.
    pub fn ready(&self, settings: &Settings) -> Result<Box<dyn CleanPage>, ModelError> {
        settings.check(self.name, self.parameters)?;
        if settings.model.is_some() && !self.learns {
            return Err(ModelError::Setting(format!("method {} learns nothing and takes no model", self.name)));
        }
        (self.make)(settings)
    }
}
