//! Cleans many pages: shared by the commands `clean` and `render-and-clean`, services and other
//! callers.

use super::Stop;
use super::error::RunError;
use super::inputs::Inputs;
use super::journal::EffectiveArguments;
use super::options::RunOptions;
use super::outputs::{OutputOptions, Outputs};
use super::pages::{self, Done, Ended};
use super::product::Product;
use super::report::Observer;
use super::saved_images::SavedImages;
use super::state::{Counts, RunState};
use std::sync::Arc;
use vclean_core::capture::Capture;
use vclean_core::error::{PageError, Warnings};
use vclean_core::page::{Page, parse};
use vclean_core::pipeline::{CleanedPage, PageCleaner};

/// A function that draws pictures of a cleaned page before it is stored, and returns warnings.
pub type DrawPage =
    Box<dyn Fn(&str, &Capture, &CleanedPage) -> Result<Warnings, PageError> + Send + Sync>;

/// Turns a page into the [`Product`] that is stored.
pub(super) struct ProductMaker {
    pub(super) cleaner: PageCleaner,
    outputs: Outputs,
    draw: Option<DrawPage>,
    pub(super) images: Option<SavedImages>,
    counts: Arc<Counts>,
}

impl ProductMaker {
    /// Draws the pictures of a cleaned page and makes its product.
    ///
    /// # Errors
    /// If its pictures cannot be written.
    pub(super) fn finish(
        &self,
        stem: &str,
        page: &Page,
        capture: &Capture,
        mut cleaned: CleanedPage,
    ) -> Result<Done<Product>, PageError> {
        if let Some(likely) = cleaned.state() {
            self.counts.add_state(likely.state);
        }
        let mut warnings = cleaned.take_warnings();
        if let Some(draw) = &self.draw {
            warnings.extend(draw(stem, capture, &cleaned)?);
        }
        if let Some(images) = &self.images {
            warnings.extend(images.save(page, &mut cleaned.document));
        }
        let content = self.outputs.product(stem, page, capture, cleaned);
        Ok(Done { content, warnings })
    }
}

/// A run that cleans pages. Its output is open.
pub struct CleaningRun {
    pub(super) inputs: Inputs,
    pub(super) options: RunOptions,
    pub(super) maker: ProductMaker,
    pub(super) outputs: Outputs,
    pub(super) state: RunState,
}

impl CleaningRun {
    /// Opens the output. `arguments` must be the same when the run is resumed, like those of the
    /// output.
    ///
    /// # Errors
    /// If options contradict each other, or the output cannot be opened.
    pub fn new(
        mut inputs: Inputs,
        options: RunOptions,
        outputs: OutputOptions,
        cleaner: PageCleaner,
        draw: Option<DrawPage>,
        arguments: EffectiveArguments,
    ) -> Result<Self, RunError> {
        let options = RunOptions {
            is_strict: outputs.needs_strict_order(options.unordered)?,
            ..options
        };
        let has_distinct_inputs = outputs.corpus.normalize_urls;
        let images = outputs.images()?;
        let outputs = Outputs::new(outputs, &inputs)?;
        let mut state = outputs.open(&inputs, arguments, options.metrics.as_deref())?;
        if let Some(frontier) = inputs.crawl() {
            state.keep_frontier(&frontier)?;
        }
        if has_distinct_inputs {
            inputs.leave_out_duplicates(state.folder());
        }
        let maker = ProductMaker {
            cleaner,
            outputs: outputs.clone(),
            draw,
            images,
            counts: state.counts(),
        };
        Ok(Self {
            inputs,
            options,
            maker,
            outputs,
            state,
        })
    }

    /// Cleans captures and bare HTML; nothing is rendered.
    ///
    /// # Errors
    /// If threads cannot be started. Pages that fail are reported to `observer`.
    pub fn clean(self, stop: &Stop, observer: &mut impl Observer) -> Result<Ended, RunError> {
        let Self {
            inputs,
            options,
            maker,
            outputs,
            state,
        } = self;
        let work = move |stem: &str, page: &Page| {
            let capture = parse(page)?;
            let cleaned = maker.cleaner.clean_capture_of(page, &capture)?;
            maker.finish(stem, page, &capture, cleaned)
        };
        let ended = pages::each(
            inputs,
            &options,
            state,
            stop,
            observer,
            work,
            |page, product, observer, state| outputs.store(page, product, observer, state),
        )?;
        Ok(outputs.end_texts(ended, observer))
    }
}
