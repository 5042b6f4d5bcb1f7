//! Renders many pages, to clean them or to store captures of them. With two tiers, a page is
//! cleaned from its bare HTML first, and rendered only if the expected F of the result is low.

use super::Stop;
use super::cleaning::{CleaningRun, ProductMaker};
use super::error::RunError;
use super::following::Following;
use super::inputs::Inputs;
use super::journal::{EffectiveArguments, is_journal_folder};
use super::options::{Resuming, RunOptions};
use super::output_files::{Protected, check_targets, is_place_for_capture, write_capture};
use super::pages::{self, Done, Ended, Rendering, StoreOutcome};
use super::politeness::PolitenessOptions;
use super::politeness::Refused;
use super::product::Product;
use super::rate_limited::RateLimitedRenderer;
use super::report::Observer;
use super::state::{Counts, JournalOptions, RunState, folder_of};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use vclean_core::capture::Capture;
use vclean_core::document::Document;
use vclean_core::emit::{EmitOptions, FORMATS};
use vclean_core::error::{Error, ErrorKind, PageError, RenderError, WarningKind, Warnings};
use vclean_core::files;
use vclean_core::page::{Body, Page, parse};
use vclean_core::pipeline::CleanedPage;
use vclean_render::Renderer;

/// How a run renders its pages.
pub struct RenderingOptions {
    /// The browser or built-in engine that loads and lays out the pages.
    pub renderer: Renderer,
    /// Rate limits of pages that have an address.
    pub politeness: PolitenessOptions,
    /// Pages are cleaned from their bare HTML first and rendered only if the expected F of the
    /// result is below this, 0 to 1. `None` renders all pages.
    pub min_expected_f: Option<f32>,
    /// Number of further parts of a text that are loaded and appended to it, where a text is
    /// divided into several pages.
    pub follow_pages: u8,
    /// A folder to keep captures in.
    pub keep: Option<PathBuf>,
}

impl CleaningRun {
    /// Renders pages and cleans them; captures are cleaned as they are.
    ///
    /// # Errors
    /// If threads cannot be started, or the folder for captures cannot be made. Pages that fail are
    /// reported to `observer`.
    pub fn render_and_clean(
        self,
        rendering: RenderingOptions,
        stop: &Stop,
        observer: &mut impl Observer,
    ) -> Result<Ended, RunError> {
        let Self {
            inputs,
            options,
            maker,
            outputs,
            mut state,
        } = self;
        let RenderingOptions {
            renderer,
            politeness,
            min_expected_f,
            follow_pages,
            keep,
        } = rendering;
        let keep = keep.as_deref().map(files::make_folder).transpose()?;
        let protected = Protected::inputs(&inputs);
        let renderer = Arc::new(RateLimitedRenderer::new(renderer, politeness));
        let following = inputs
            .crawl()
            .map(|frontier| Following::new(frontier, Arc::clone(&renderer)));
        state.watch_restarts(RateLimitedRenderer::restart_counter(&renderer));
        let (politeness, warning) = (
            renderer.politeness(),
            RateLimitedRenderer::warning(&renderer),
        );
        let (maker, counts) = (Arc::new(maker), state.counts());
        if let Some(images) = &maker.images {
            let renderer = Arc::clone(&renderer);
            images.fetch_with(Arc::new(move |url, limits| {
                renderer.fetch_file(url, limits)
            }));
        }
        let first_tier = min_expected_f.map(|min_expected_f| FirstTier {
            maker: Arc::clone(&maker),
            counts: Arc::clone(&counts),
            min_expected_f,
        });
        let mut pools = options.pools();
        if first_tier.is_some() {
            // A tab is taken only while it is needed, and pages that are cleaned without one must
            // not wait for it.
            pools.first += pools.second;
        }
        let render_page = move |stem: &str, page: &Page| {
            if matches!(page.body, Body::Capture(_)) {
                return Ok(Rendered::uncleaned(parse(page).map_err(Error::from)?));
            }
            let render = |bare: Option<&Page>| {
                let capture = renderer.render(page, bare).map_err(page_error)?;
                if let Some(folder) = &keep {
                    // An earlier capture of the page is replaced.
                    let resuming = Resuming {
                        overwrite: true,
                        ..Resuming::default()
                    };
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
        let joiner = Arc::clone(&maker);
        let render_page = move |stem: &str, page: &Page| {
            let first = render_page(stem, page)?;
            if follow_pages == 0 {
                return Ok(first);
            }
            let load = |part: u8, page: &Page| render_page(&format!("{stem}-part{part}"), page);
            with_next_parts(&joiner, page, first, follow_pages, load)
        };
        let render = move |stem: &str, page: &Page| match &following {
            Some(following) => following
                .load(
                    stem,
                    page,
                    || render_page(stem, page),
                    |rendered| &rendered.capture,
                )
                .map(|(rendered, is_left_out)| Rendered {
                    is_left_out,
                    ..rendered
                }),
            None => render_page(stem, page),
        };
        let work = move |stem: &str, page: &Page, seen| finish(&maker, &counts, stem, page, seen);
        let rendering = Rendering {
            pools,
            politeness,
            warning,
        };
        let store = |page: &_, product, observer: &mut _, state: &mut RunState| {
            outputs.store(page, product, observer, state)
        };
        let ended = pages::each_rendered(
            inputs, &options, rendering, state, stop, observer, render, work, store,
        )?;
        Ok(outputs.end_texts(ended, observer))
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
    /// Creates the folder. `arguments` must be the same when the run is resumed.
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
            check_targets(
                &out,
                &inputs,
                &protected,
                resuming,
                target,
                is_place_for_capture,
            )
        };
        let journal = folder_of(&out, false, inputs.part());
        // If there is a journal, it is opened before the files are checked: it knows which run
        // wrote them.
        let has_journal = is_journal_folder(&journal);
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
            let journal_options = JournalOptions {
                corpus: None,
                folder: journal,
                arguments,
                earlier: resuming.earlier(),
                retries: resuming.retry_failed,
                is_there: Some(Box::new(is_there)),
            };
            RunState::kept(journal_options, metrics, |_| Ok(None))?
        };
        if has_journal {
            check()?;
        }
        Ok(Self {
            inputs,
            options,
            out,
            protected,
            resuming,
            state,
        })
    }

    /// Renders the pages and stores their captures.
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
        let Self {
            inputs,
            options,
            out,
            protected,
            resuming,
            mut state,
        } = self;
        let renderer = Arc::new(RateLimitedRenderer::new(renderer, politeness));
        state.watch_restarts(RateLimitedRenderer::restart_counter(&renderer));
        let (politeness, warning) = (
            renderer.politeness(),
            RateLimitedRenderer::warning(&renderer),
        );
        let render = move |_: &str, page: &Page| {
            if matches!(page.body, Body::Capture(_)) {
                let why = "a capture is rendered already; give the page's address or file";
                return Err(PageError::new(ErrorKind::Source, why));
            }
            renderer.render(page, None).map_err(page_error)
        };
        let keep = move |stem: &str, _: &Page, capture: Capture| {
            write_capture(&capture, &out.join(stem), &protected, resuming)?;
            Ok(Done {
                content: (),
                warnings: capture.record.warnings,
            })
        };
        let rendering = Rendering {
            pools: options.pools(),
            politeness,
            warning,
        };
        pages::each_rendered(
            inputs,
            &options,
            rendering,
            state,
            stop,
            observer,
            render,
            keep,
            |_, (), _, _| StoreOutcome::Stored(None),
        )
    }
}

/// The error of a page that was not rendered.
fn page_error(error: Refused<RenderError>) -> PageError {
    let kind = match &error {
        Refused::Forbidden { .. } => ErrorKind::Policy,
        Refused::Unreachable { .. } | Refused::Later { .. } | Refused::Ended => ErrorKind::Network,
        Refused::Failed(error) => error.kind(),
    };
    PageError::new(kind, error)
}

/// A page between the first stage and the second.
#[derive(Debug)]
pub(super) struct Rendered {
    pub(super) capture: Capture,
    /// True if the page is not part of the output.
    pub(super) is_left_out: bool,
    /// The cleaned page, if the first tier was good enough.
    cleaned: Option<CleanedPage>,
    /// Text of the bare page, if the first tier was not good enough.
    bare_text: Option<String>,
}

impl Rendered {
    /// A page that is not cleaned yet.
    pub(super) fn uncleaned(capture: Capture) -> Self {
        Self {
            capture,
            is_left_out: false,
            cleaned: None,
            bare_text: None,
        }
    }
}

/// The first tier: cleans pages from their bare HTML.
pub(super) struct FirstTier {
    pub(super) maker: Arc<ProductMaker>,
    pub(super) counts: Arc<Counts>,
    /// Lowest expected F, 0 to 1, at which a page is not rendered.
    pub(super) min_expected_f: f32,
}

impl FirstTier {
    /// Cleans the bare page, and calls `render` if its expected F is too low. `bare` is the
    /// document at the page's address, if it has one and it could be fetched.
    ///
    /// # Errors
    /// The errors of `render`: a bare page that cannot be cleaned is rendered.
    pub(super) fn apply(
        &self,
        page: &Page,
        bare: Option<&Page>,
        render: impl FnOnce() -> Result<Capture, PageError>,
    ) -> Result<Rendered, PageError> {
        let source = bare.unwrap_or(page);
        let is_bare = matches!(source.body, Body::Html { .. } | Body::Mhtml(_));
        let mut bare_text = None;
        if is_bare
            && let Ok(capture) = parse(source)
            && let Ok(cleaned) = self.maker.cleaner.clean_capture_of(source, &capture)
        {
            let text = plain(&cleaned.document);
            if cleaned.expected_f() >= self.min_expected_f {
                return Ok(Rendered {
                    cleaned: Some(cleaned),
                    ..Rendered::uncleaned(capture)
                });
            }
            bare_text = Some(text);
        }
        let capture = render()?;
        self.counts.rendered.fetch_add(1, Ordering::Relaxed);
        Ok(Rendered {
            bare_text,
            ..Rendered::uncleaned(capture)
        })
    }
}

/// Cleans a page, and appends the next parts of its text, at most `count`. If a part cannot be
/// loaded, the page ends before it, with a warning.
///
/// # Errors
/// If the first part cannot be cleaned.
fn with_next_parts(
    maker: &ProductMaker,
    page: &Page,
    first: Rendered,
    count: u8,
    load: impl Fn(u8, &Page) -> Result<Rendered, PageError>,
) -> Result<Rendered, PageError> {
    let clean = |page: &Page, rendered: &mut Rendered| match rendered.cleaned.take() {
        Some(cleaned) => Ok(cleaned),
        None => maker.cleaner.clean_capture_of(page, &rendered.capture),
    };
    let mut first = first;
    let mut whole = clean(page, &mut first)?;
    for part in 2..=count.saturating_add(1) {
        let Some(address) = whole.document.metadata.next.clone() else {
            break;
        };
        let page = Page::from_url(address.clone());
        let loaded = load(part, &page);
        match loaded.and_then(|mut rendered| Ok(clean(&page, &mut rendered)?)) {
            Ok(cleaned) => whole.append(cleaned),
            Err(error) => {
                let text = format!("part {part} of the text is missing, {address}: {error}");
                whole.add_warning(WarningKind::MissingParts, text);
                break;
            }
        }
    }
    Ok(Rendered {
        cleaned: Some(whole),
        bare_text: None,
        ..first
    })
}

/// The second stage: cleans the page if it is not cleaned yet, and counts the texts that rendering
/// changed.
pub(super) fn finish(
    maker: &ProductMaker,
    counts: &Counts,
    stem: &str,
    page: &Page,
    rendered: Rendered,
) -> Result<Done<Product>, PageError> {
    let Rendered {
        capture,
        is_left_out,
        cleaned,
        bare_text,
    } = rendered;
    if is_left_out {
        return Ok(Done {
            content: Product::Nothing,
            warnings: Warnings::new(),
        });
    }
    let cleaned = match cleaned {
        Some(cleaned) => cleaned,
        None => maker.cleaner.clean_capture_of(page, &capture)?,
    };
    if bare_text.is_some_and(|text| text != plain(&cleaned.document)) {
        counts.changed.fetch_add(1, Ordering::Relaxed);
    }
    maker.finish(stem, page, &capture, cleaned)
}

fn plain(document: &Document) -> String {
    (FORMATS[0].write)(document, &EmitOptions::default())
}
