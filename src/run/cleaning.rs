//! Cleans many pages: shared by the commands `clean` and `render-and-clean`, services and other callers.

use super::Stop;
use super::error::RunError;
use super::inputs::Inputs;
use super::journal::EffectiveArguments;
use super::observer::Observer;
use super::options::RunOptions;
use super::output_options::OutputOptions;
use super::outputs::Outputs;
use super::pages::{self, Done, Ended, Fault};
use super::product::Product;
use super::state::RunState;
use crate::capture::Capture;
use crate::clean::HiddenPassage;
use crate::cleaner::{HiddenText, pipeline};
use crate::error::{Warning, WarningKind, Warnings};
use crate::method::{CleanPage, CleanedPage};
use crate::page::{Page, parse};
use crate::text::shorten;

/// Number of letters of a hidden text that are told.
const SHOWN_LETTERS: usize = 300;

/// Called with each cleaned page before it is stored, to draw pictures of it; returns warnings.
pub type DrawPage = Box<dyn Fn(&str, &Capture, &CleanedPage) -> Result<Warnings, Fault> + Send + Sync>;

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
    pub(super) fn clean(&self, stem: &str, page: &Page, mut capture: Capture) -> Result<Done<Product>, Fault> {
        self.prepare(&mut capture);
        let cleaned = pipeline::clean(page, &capture, &*self.method)?;
        self.finish(stem, page, capture, cleaned)
    }

    /// Treats text that readers do not see as the run was told to.
    pub(super) fn prepare(&self, capture: &mut Capture) {
        self.outputs.hidden().apply(capture);
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
            None => Warnings::new(),
        };
        let hidden = hidden_lines(self.outputs.hidden(), &cleaned);
        let content = self.outputs.product(stem, page, &capture, cleaned);
        Ok(Done { content, warnings: capture.record.warnings.into_iter().chain(warnings).chain(hidden).collect() })
    }
}

/// A line for each text that readers do not see, if they are to be reported.
pub(crate) fn hidden_lines(hidden: HiddenText, cleaned: &CleanedPage) -> Warnings {
    let passages = if hidden == HiddenText::Report { &cleaned.document.hidden[..] } else { &[] };
    let line = |passage: &HiddenPassage| {
        let text = shorten(&passage.text, SHOWN_LETTERS, SHOWN_LETTERS, "...");
        Warning::new(WarningKind::HiddenText, format!("hidden text ({}): {text}", passage.cause.describe()))
    };
    passages.iter().map(line).collect()
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
        mut inputs: Inputs,
        options: RunOptions,
        outputs: OutputOptions,
        method: Box<dyn CleanPage>,
        draw: Option<DrawPage>,
        arguments: EffectiveArguments,
    ) -> Result<Self, RunError> {
        let options = RunOptions { order: outputs.order(options.order)?, ..options };
        let has_distinct_inputs = outputs.corpus.normalize_urls;
        let outputs = Outputs::new(outputs, &inputs)?;
        let state = outputs.open(&inputs, arguments, options.metrics.as_deref())?;
        if has_distinct_inputs {
            inputs.leave_out_duplicates(state.folder());
        }
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
