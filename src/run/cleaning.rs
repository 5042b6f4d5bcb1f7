//! Cleans many pages: shared by the commands `clean` and `render-and-clean`, services and other callers.

use super::Stop;
use super::error::RunError;
use super::inputs::Inputs;
use super::journal::EffectiveArguments;
use super::observer::Observer;
use super::options::RunOptions;
use super::outputs::{OutputOptions, Outputs};
use super::pages::{self, Done, Ended, Fault};
use super::product::Product;
use super::state::RunState;
use crate::capture::Capture;
use crate::cleaner::pipeline;
use crate::method::{CleanPage, CleanedPage};
use crate::source::{Page, parse};

/// Called with each cleaned page before it is stored, to draw pictures of it; returns warnings.
pub type DrawPage = Box<dyn Fn(&str, &Capture, &CleanedPage) -> Result<Vec<String>, Fault> + Send + Sync>;

/// Turns a capture into what is stored.
pub struct PageCleaner {
    pub(super) method: Box<dyn CleanPage>,
    outputs: Outputs,
    draw: Option<DrawPage>,
}

impl PageCleaner {
    /// Cleans a page and draws its pictures.
    ///
    /// # Errors
    /// If it cannot be cleaned, or its pictures cannot be written.
    pub(super) fn clean(&self, stem: &str, page: &Page, capture: Capture) -> Result<Done<Product>, Fault> {
        let cleaned = pipeline::clean(page, &capture, &*self.method)?;
        self.finish(stem, page, capture, cleaned)
    }

    /// The same for a page that is cleaned already.
    ///
    /// # Errors
    /// As [`Self::clean`].
    pub(super) fn finish(
        &self,
        stem: &str,
        page: &Page,
        capture: Capture,
        cleaned: CleanedPage,
    ) -> Result<Done<Product>, Fault> {
        let warnings = match &self.draw {
            Some(draw) => draw(stem, &capture, &cleaned)?,
            None => Vec::new(),
        };
        let content = self.outputs.product(stem, page, &capture, cleaned);
        Ok(Done { content, warnings: capture.record.warnings.into_iter().chain(warnings).collect() })
    }
}

/// A run that cleans pages, with its output opened.
pub struct CleaningRun {
    pub(super) inputs: Inputs,
    pub(super) options: RunOptions,
    pub(super) cleaner: PageCleaner,
    pub(super) outputs: Outputs,
    pub(super) state: RunState,
}

impl CleaningRun {
    /// Opens the output. `arguments` are those that must be the same when the run is resumed, in addition to those of
    /// the output.
    ///
    /// # Errors
    /// If options contradict each other, or the output cannot be opened.
    pub fn new(
        inputs: Inputs,
        options: RunOptions,
        outputs: OutputOptions,
        method: Box<dyn CleanPage>,
        draw: Option<DrawPage>,
        arguments: EffectiveArguments,
    ) -> Result<Self, RunError> {
        let outputs = Outputs::new(outputs, &inputs)?;
        let state = outputs.open(&inputs, arguments, options.metrics.as_deref())?;
        let cleaner = PageCleaner { method, outputs: outputs.clone(), draw };
        Ok(Self { inputs, options, cleaner, outputs, state })
    }

    /// Cleans captures and bare HTML; nothing is rendered.
    ///
    /// # Errors
    /// If threads cannot be started. Pages that fail are reported to `observer`.
    pub fn clean(self, stop: &Stop, observer: &mut impl Observer) -> Result<Ended, RunError> {
        let Self { inputs, options, cleaner, outputs, state } = self;
        let work = move |stem: &str, page: &Page| {
            let capture = parse(page).map_err(crate::error::Error::from)?;
            cleaner.clean(stem, page, capture)
        };
        pages::each(inputs, &options, state, stop, observer, work, |page, product, observer, state| {
            outputs.store(page, product, observer, state)
        })
    }
}
