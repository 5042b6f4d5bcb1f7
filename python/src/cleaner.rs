//! The Python class `Cleaner`: it cleans single pages and starts `clean_many`.

use crate::capture::Capture;
use crate::document::Document;
use crate::errors::{exception, input_error, option_error};
use crate::filters;
use crate::input::Page;
use crate::many::{CleanMany, Failures, Plan, Work};
use crate::settings::{SECRET, Settings};
use crate::waiting::{do_patiently, do_quickly};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use std::sync::{Arc, Mutex, PoisonError};
use vclean::pipeline::StopRequest;
use vclean::render::{Cancel, PageOptions};

/// Largest page, in bytes, that is cleaned in the calling thread. This takes less than half a
/// second, so Ctrl-C need not interrupt it.
const MAX_QUICK_BYTES: usize = 1 << 20;

/// Cleans pages. Build it once and use it for any number of pages, from any number of threads.
#[pyclass(frozen, module = "vclean")]
pub(crate) struct Cleaner {
    settings: Settings,
    /// The cleaner of this process: a forked child builds its own, because browser and threads stay
    /// with the parent.
    built: Mutex<Built>,
}

struct Built {
    process: u32,
    cleaner: Arc<vclean::Cleaner>,
}

impl Cleaner {
    pub(crate) fn build(py: Python<'_>, settings: Settings) -> PyResult<Self> {
        let cleaner = settings.build(py)?;
        Ok(Self {
            settings,
            built: Mutex::new(Built {
                process: std::process::id(),
                cleaner,
            }),
        })
    }

    /// The cleaner of this process.
    pub(crate) fn cleaner(&self, py: Python<'_>) -> PyResult<Arc<vclean::Cleaner>> {
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if built.process != std::process::id() {
            let new = Built {
                process: std::process::id(),
                cleaner: self.settings.build(py)?,
            };
            // Dropping it would end the parent's browser.
            std::mem::forget(std::mem::replace(&mut *built, new));
        }
        Ok(Arc::clone(&built.cleaner))
    }

    /// Cleans a page without rendering it.
    pub(crate) fn clean(&self, py: Python<'_>, page: Page) -> PyResult<vclean::CleanedPage> {
        let cleaner = self.cleaner(py)?;
        let (label, name) = (page.label(), page.name.clone());
        if page.size() <= MAX_QUICK_BYTES {
            let cleaned = do_quickly(py, &label, move || cleaner.clean(&page.open()?))?;
            let cleaned = cleaned.map_err(|error| Page::error(py, &label, &error))?;
            return Ok(Page::named(name, cleaned));
        }
        let stop = StopRequest::default();
        let pages = cleaner.pages().clone().stopped_by(stop.clone());
        let cleaned =
            self.clean_patiently(py, &label, &stop, move || pages.clean(&page.open()?))?;
        Ok(Page::named(name, cleaned))
    }

    /// Cleans in a separate thread, within the time limit.
    fn clean_patiently(
        &self,
        py: Python<'_>,
        label: &str,
        stop: &StopRequest,
        work: impl FnOnce() -> Result<vclean::CleanedPage, vclean::Error> + Send + 'static,
    ) -> PyResult<vclean::CleanedPage> {
        let work = || crate::fork::without_forks(work);
        let limit = self.settings.time_limit();
        let cleaned = do_patiently(py, label, limit, || stop.set(), work)?;
        cleaned.map_err(|error| Page::error(py, label, &error))
    }

    fn render_page(&self, py: Python<'_>, page: Page) -> PyResult<vclean::Capture> {
        let cleaner = self.cleaner(py)?;
        let label = page.label();
        let cancel = Cancel::default();
        let options = PageOptions {
            cancel: cancel.clone(),
            ..PageOptions::default()
        };
        // The renderer holds its own time limit.
        let rendered = do_patiently(
            py,
            &label,
            None,
            || cancel.set(),
            move || cleaner.render_with(&page.open()?, &options),
        )?;
        rendered.map_err(|error| Page::error(py, &label, &error))
    }
}

/// Converts an argument to a page to render: text must be an address.
pub(crate) fn to_render(page: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Page> {
    let Ok(text) = page.cast::<PyString>() else {
        return Page::from_any(page, url);
    };
    let address = text
        .to_cow()
        .map(std::borrow::Cow::into_owned)
        .unwrap_or_default();
    if address.starts_with("http://") || address.starts_with("https://") {
        return Ok(Page::at(address));
    }
    let cause = "text that is rendered is an address that begins with https:// or http://; pass HTML as vclean.Page(html), \
                 and a file as pathlib.Path";
    Err(input_error(page.py(), cause))
}

#[pymethods]
impl Cleaner {
    #[new]
    #[pyo3(signature = (**options))]
    fn new(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::build(py, Settings::read(py, options)?)
    }

    /// Cleans a page given as text, bytes or `Page` without rendering it.
    #[pyo3(signature = (html, url=None))]
    fn clean_html(&self, html: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Document> {
        let page = Page::in_memory(html, url)?;
        Ok(Document::live(self.clean(html.py(), page)?))
    }

    /// Cleans an HTML or MHTML file, or a capture folder, without rendering it.
    #[pyo3(signature = (path, url=None))]
    fn clean_file(&self, path: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Document> {
        let page = Page::in_file(path, url)?;
        Ok(Document::live(self.clean(path.py(), page)?))
    }

    /// Renders the page at an address and cleans it.
    fn clean_url(&self, url: &Bound<'_, PyAny>) -> PyResult<Document> {
        let py = url.py();
        let page = to_render(url, None)?;
        if !page.is_address() {
            let cause = "clean_url takes an address; for a saved page use clean_html or clean_file, or clean_capture(render(page)) to render it";
            return Err(exception(py, "InputTypeError", cause));
        }
        let capture = self.render_page(py, page)?;
        self.clean_capture(py, &Capture::new(capture))
    }

    /// Renders a page: an address, a path, or a `Page`.
    #[pyo3(signature = (page, url=None))]
    fn render(&self, page: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Capture> {
        Ok(Capture::new(
            self.render_page(page.py(), to_render(page, url)?)?,
        ))
    }

    /// Cleans a rendered page.
    pub(crate) fn clean_capture(&self, py: Python<'_>, capture: &Capture) -> PyResult<Document> {
        let stop = StopRequest::default();
        let pages = self.cleaner(py)?.pages().clone().stopped_by(stop.clone());
        let capture = capture.shared();
        let label = capture.address().unwrap_or_default().to_owned();
        let work = move || pages.clean_capture(&capture);
        let cleaned = self.clean_patiently(py, &label, &stop, work)?;
        Ok(Document::live(cleaned))
    }

    /// Cleans pages in threads and yields the documents in the order of the pages.
    ///
    /// A page is text, bytes, a path, a `Page`, or a pair of one of these and its address. At most
    /// `ahead` pages (by default twice the number of `threads`) are read before their documents are
    /// consumed. With `render`, pages are rendered: text is an address, and `threads` is by default
    /// the number of tabs; otherwise it is the number of cores. `errors` says what happens to a
    /// page that fails: its exception comes in its place ("return"), is raised ("raise"), or it is
    /// left out ("skip"). The option `timeout` of the cleaner holds for each page.
    ///
    /// Documents are left out that are in none of the `languages` (such as ["de", "fr"]), in none
    /// of the `states` (such as ["text"]), have fewer than `min_words` or more than `max_words`,
    /// or, with near_duplicates="drop", repeat an earlier one.
    #[pyo3(
        signature = (pages, *, render=false, threads=None, ahead=None, errors="return", **filters),
        text_signature = "($self, pages, *, render=False, threads=None, ahead=None, errors='return', \
            languages=None, states=None, min_words=None, max_words=None, near_duplicates=None)"
    )]
    #[allow(clippy::too_many_arguments, reason = "each is an argument in Python")]
    fn clean_many(
        &self,
        pages: &Bound<'_, PyAny>,
        render: bool,
        threads: Option<usize>,
        ahead: Option<usize>,
        errors: &str,
        filters: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<CleanMany> {
        let py = pages.py();
        if is_one_page(pages) {
            let cause = "clean_many takes several pages, such as a list or a generator; for one page, use clean_html or clean_file";
            return Err(option_error(py, cause));
        }
        let failures = Failures::named(errors).ok_or_else(|| {
            option_error(
                py,
                &format!("errors is {errors}, allowed are return, raise and skip"),
            )
        })?;
        if threads == Some(0) || ahead == Some(0) {
            return Err(option_error(py, "threads and ahead are at least 1"));
        }
        let usual = if render {
            self.settings.tabs()
        } else {
            available_cores()
        };
        let work = if render {
            Work::RenderAndClean
        } else {
            Work::Clean
        };
        let plan = Plan {
            work,
            threads: threads.unwrap_or(usual),
            ahead,
            failures,
            limit: self.settings.time_limit(),
            filter: filters::read(py, filters)?,
        };
        Ok(CleanMany::start(pages.try_iter()?, self.cleaner(py)?, plan))
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        Ok((PyTuple::empty(py), self.settings.options(py)?))
    }

    fn __repr__<'py>(&self, py: Python<'py>) -> PyResult<String> {
        let options = self.settings.options(py)?;
        let shown = |(name, value): (Bound<'py, PyAny>, Bound<'py, PyAny>)| {
            let name = name.to_string();
            if SECRET.contains(&name.as_str()) {
                format!("{name}=...")
            } else {
                format!("{name}={value:?}")
            }
        };
        let options: Vec<String> = options.iter().map(shown).collect();
        Ok(format!("vclean.Cleaner({})", options.join(", ")))
    }
}

/// True for a single page, also one whose letters could be iterated over.
fn is_one_page(pages: &Bound<'_, PyAny>) -> bool {
    pages.is_instance_of::<PyString>()
        || pages.is_instance_of::<PyBytes>()
        || pages.cast::<Page>().is_ok()
        || pages.hasattr("__fspath__").unwrap_or(false)
}

/// Number of cores that this process may use.
fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}
