//! One page through all the stages after rendering: select, measure, decide, prune.
//!
//! Touches no file but the model's, no network and no clock: the same capture and the same model give the same result.

use crate::capture::Capture;
use crate::classify::Decision;
use crate::clean::CleanDocument;
use crate::error::{Error, ModelError};
use crate::features::{self, FeatureTable};
use crate::target::{self, Target, TargetRule};

/// How pages are cleaned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CleanerOptions {
    /// A built-in model's name or a file; `None` takes `rendered` for rendered pages and `static` for bare HTML.
    pub model: Option<String>,
    /// How targets are selected; `None` takes the rule the model was trained with.
    pub targets: Option<TargetRule>,
    /// Whether the features that weighed most are worked out for each target; costs about as much as deciding again.
    pub explain: bool,
}

/// What came of one page, stage by stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Cleaned {
    /// The text blocks, in document order.
    pub targets: Vec<Target>,
    /// One row a target.
    pub table: FeatureTable,
    /// One decision a target.
    pub decisions: Vec<Decision>,
    /// The page's text.
    pub document: CleanDocument,
}

/// Cleans captures; made once, used from many threads.
#[derive(Debug)]
pub struct Cleaner {
    options: CleanerOptions,
}

impl Cleaner {
    /// Reads the model.
    ///
    /// # Errors
    /// If the model cannot be read.
    pub fn new(options: CleanerOptions) -> Result<Self, Error> {
        Ok(Self { options })
    }

    /// Cleans one page.
    ///
    /// # Errors
    /// If the pictures are damaged or the model expects what this page does not have.
    pub fn clean(&self, capture: &Capture) -> Result<Cleaned, Error> {
        let (targets, table) = measure(capture, self.options.targets.unwrap_or_default())?;
        let decisions = self.decide(&table)?;
        let document = prune(capture, &targets, &decisions)?;
        Ok(Cleaned { targets, table, decisions, document })
    }

    fn decide(&self, table: &FeatureTable) -> Result<Vec<Decision>, Error> {
        let _ = (table, self.options.explain);
        Err(ModelError::Format("there is none yet".into()).into())
    }
}

fn prune(_: &Capture, _: &[Target], _: &[Decision]) -> Result<CleanDocument, Error> {
    Err(Error::Limit("there is nothing to prune with yet".into()))
}

/// The targets of a page and what is measured of them: the stages before the model.
///
/// # Errors
/// If the pictures are damaged.
pub fn measure(capture: &Capture, rule: TargetRule) -> Result<(Vec<Target>, FeatureTable), Error> {
    let targets = target::select(capture, rule);
    let table = features::measure(capture, &targets)?;
    Ok((targets, table))
}
