//! Renders many pages, to clean them or to store captures of them.

use super::Stop;
use super::cleaning::CleaningRun;
use super::destination::{check_targets, is_place_for_capture, write_capture};
use super::error::RunError;
use super::inputs::Inputs;
use super::journal::EffectiveArguments;
use super::keeping::{Keeping, folder_of};
use super::observer::Observer;
use super::options::{Resuming, RunOptions};
use super::pages::{self, Done, Ended, Fault, Rendering, Taken};
use super::politeness::PolitenessOptions;
use super::protected::Protected;
use super::rate_limited::RateLimitedRenderer;
use super::state::RunState;
use super::two_tiers::{self, FirstTier, Rendered};
use std::path::PathBuf;
use std::sync::Arc;
use vclean_core::capture::Capture;
use vclean_core::error::Error;
use vclean_core::files;
use vclean_core::page::{Body, Page, parse};
use vclean_render::Renderer;

/// How a run renders its pages.
pub struct RenderingOptions {
    /// The renderer.
    pub renderer: Renderer,
    /// Rate limits of pages that have an address.
    pub politeness: PolitenessOptions,
    /// Pages are cleaned from their bare HTML first and rendered only if the expected F of that is below this, 0 to 1;
    /// `None` renders all pages.
    pub min_expected_f: Option<f32>,
    /// A folder to keep captures in.
    pub keep: Option<PathBuf>,
}

impl CleaningRun {
    /// Renders pages and cleans them; captures are cleaned as they are.
    ///
    /// # Errors
    /// If threads cannot be started, or the folder for captures cannot be made. Pages that fail are reported to
    /// `observer`.
    pub fn render_and_clean(
        self,
        rendering: RenderingOptions,
        stop: &Stop,
        observer: &mut impl Observer,
    ) -> Result<Ended, RunError> {
        let Self { inputs, options, maker, outputs, mut state } = self;
        let RenderingOptions { renderer, politeness, min_expected_f, keep } = rendering;
        let keep = keep.as_deref().map(files::make_folder).transpose()?;
        let protected = Protected::inputs(&inputs);
        let renderer = Arc::new(RateLimitedRenderer::new(renderer, politeness));
        state.watch_restarts(RateLimitedRenderer::restart_counter(&renderer));
        let (politeness, warning) = (renderer.politeness(), RateLimitedRenderer::warning(&renderer));
        let (maker, counts) = (Arc::new(maker), state.counts());
        let first_tier = min_expected_f.map(|min_expected_f| FirstTier {
            maker: Arc::clone(&maker),
            counts: Arc::clone(&counts),
            min_expected_f,
        });
        let mut pools = options.pools();
        if first_tier.is_some() {
            // A tab is taken only while it is needed; pages that are cleaned without one must not wait for it.
            pools.first += pools.second;
        }
        let render = move |stem: &str, page: &Page| {
            if matches!(page.body, Body::Capture(_)) {
                return Ok(Rendered::uncleaned(parse(page).map_err(Error::from)?));
            }
            let render = |bare: Option<&Page>| {
                let capture = renderer.render(page, bare).map_err(|error| Fault::Page(error.to_string()))?;
                if let Some(folder) = &keep {
                    // A capture that was kept before is replaced.
                    let resuming = Resuming { overwrite: true, ..Resuming::default() };
                    write_capture(&capture, &folder.join(stem), &protected, resuming)?;
                }
                Ok(capture)
            };
            match &first_tier {
                Some(first_tier) => {
                    let bare = renderer.fetch(page);
                    first_tier.apply(page, bare.as_ref(), || render(bare.as_ref()))
                }
                None => render(None).map(Rendered::uncleaned),
            }
        };
        let work = move |stem: &str, page: &Page, seen| two_tiers::finish(&maker, &counts, stem, page, seen);
        let rendering = Rendering { pools, politeness, warning };
        let store =
            |page: &_, product, observer: &mut _, state: &mut RunState| outputs.store(page, product, observer, state);
        pages::each_rendered(inputs, &options, rendering, state, stop, observer, render, work, store)
    }
}

/// A run that renders pages and stores captures of them in a folder.
pub struct RenderingRun {
    inputs: Inputs,
    options: RunOptions,
    out: PathBuf,
    protected: Protected,
    resuming: Resuming,
    state: RunState,
}

impl RenderingRun {
    /// Creates the folder. `arguments` are those that must be the same when the run is resumed.
    ///
    /// # Errors
    /// If the folder cannot be created, or the results of an earlier run cannot be resumed.
    pub fn new(
        inputs: Inputs,
        options: RunOptions,
        out: &std::path::Path,
        resuming: Resuming,
        arguments: EffectiveArguments,
    ) -> Result<Self, RunError> {
        let out = out.to_path_buf();
        let protected = Protected::inputs(&inputs);
        let metrics = options.metrics.as_deref();
        if let Some(metrics) = metrics {
            protected.check(metrics)?;
        }
        let check = || {
            let target = |stem: &str| Some(out.join(stem));
            check_targets(&out, &inputs, &protected, resuming, target, is_place_for_capture)
        };
        let journal = folder_of(&out, false, inputs.shard());
        // A journal tells more about what exists: which run wrote it.
        let has_journal = files::is_journal_folder(&journal);
        if !has_journal {
            check()?;
        }
        files::make_folder(&out)?;
        let is_there = {
            let out = out.clone();
            move |stem: &str, _: Option<u64>| files::is_capture(&out.join(stem))
        };
        let state = if inputs.is_one_page() && !resuming.resume {
            RunState::unkept(metrics)?
        } else {
            let keeping = Keeping {
                corpus: None,
                folder: journal,
                arguments,
                earlier: resuming.earlier(),
                retries: resuming.retry_failed,
                is_there: Some(Box::new(is_there)),
            };
            RunState::kept(keeping, metrics, |_| Ok(None))?
        };
        if has_journal {
            check()?;
        }
        Ok(Self { inputs, options, out, protected, resuming, state })
    }

    /// Renders the pages.
    ///
    /// # Errors
    /// If threads cannot be started. Pages that fail are reported to `observer`.
    pub fn render(
        self,
        renderer: Renderer,
        politeness: PolitenessOptions,
        stop: &Stop,
        observer: &mut impl Observer,
    ) -> Result<Ended, RunError> {
        let Self { inputs, options, out, protected, resuming, mut state } = self;
        let renderer = Arc::new(RateLimitedRenderer::new(renderer, politeness));
        state.watch_restarts(RateLimitedRenderer::restart_counter(&renderer));
        let (politeness, warning) = (renderer.politeness(), RateLimitedRenderer::warning(&renderer));
        let render = move |_: &str, page: &Page| {
            if matches!(page.body, Body::Capture(_)) {
                let why = "a capture is rendered already; give the page's address or file";
                return Err(Fault::Page(why.to_owned()));
            }
            renderer.render(page, None).map_err(|error| Fault::Page(error.to_string()))
        };
        let keep = move |stem: &str, _: &Page, capture: Capture| {
            write_capture(&capture, &out.join(stem), &protected, resuming)?;
            Ok(Done { content: (), warnings: capture.record.warnings })
        };
        let rendering = Rendering { pools: options.pools(), politeness, warning };
        pages::each_rendered(inputs, &options, rendering, state, stop, observer, render, keep, |_, (), _, _| {
            Taken::Stored(None)
        })
    }
}
