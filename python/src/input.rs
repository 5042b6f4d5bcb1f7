//! Converts what users pass as a page (text, bytes, a path or a [`Page`]).

use crate::errors::{exception, input_error, page_error};
use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use std::path::{Path, PathBuf};
use vclean::CleanedPage;
use vclean::error::SourceError;
use vclean::page::{MAX_PAGE_BYTES, Place};

/// Name of a page that has none.
const UNNAMED: &str = "page";

/// A page to clean, with its address and its name in messages.
#[pyclass(frozen, module = "vclean", from_py_object)]
#[derive(Clone)]
pub(crate) struct Page {
    pub(crate) source: Source,
    #[pyo3(get)]
    url: Option<String>,
    #[pyo3(get)]
    pub(crate) name: Option<String>,
}

/// Where the content of a page is.
#[derive(Clone)]
pub(crate) enum Source {
    Text(String),
    Bytes(Vec<u8>),
    File(PathBuf),
    Address(String),
}

#[pymethods]
impl Page {
    #[new]
    #[pyo3(signature = (content, url=None, name=None))]
    fn new(
        content: &Bound<'_, PyAny>,
        url: Option<String>,
        name: Option<String>,
    ) -> PyResult<Self> {
        Ok(Self {
            source: Source::content(content)?,
            url,
            name,
        })
    }

    /// A page on the web, which must be rendered.
    #[staticmethod]
    #[pyo3(signature = (url, name=None))]
    fn from_url(url: String, name: Option<String>) -> Self {
        Self {
            source: Source::Address(url.clone()),
            url: Some(url),
            name,
        }
    }

    /// A page in an HTML or MHTML file, or in a capture folder.
    #[staticmethod]
    #[pyo3(signature = (path, url=None, name=None))]
    fn from_file(path: PathBuf, url: Option<String>, name: Option<String>) -> Self {
        Self {
            source: Source::File(path),
            url,
            name,
        }
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Self>();
        let (url, name) = (self.url.clone(), self.name.clone());
        let (maker, arguments) = match &self.source {
            Source::Text(text) => (class.into_any(), (text, url, name).into_pyobject(py)?),
            Source::Bytes(bytes) => {
                let bytes = PyBytes::new(py, bytes);
                (class.into_any(), (bytes, url, name).into_pyobject(py)?)
            }
            Source::File(path) => (
                class.getattr("from_file")?,
                (path, url, name).into_pyobject(py)?,
            ),
            Source::Address(address) => (
                class.getattr("from_url")?,
                (address, name).into_pyobject(py)?,
            ),
        };
        Ok((maker, arguments))
    }

    fn __repr__(&self) -> String {
        format!("<vclean.Page {}>", self.label())
    }
}

impl Source {
    fn content(content: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = content.py();
        if let Ok(text) = content.cast::<PyString>() {
            let text = text.to_cow().map_err(|error| {
                let cause = format!(
                    "the text is no Unicode ({error}); pass the bytes of the page, whose encoding is detected"
                );
                input_error(py, &cause)
            })?;
            check_size(py, text.len())?;
            if let Some(place) = Place::named_by(&text) {
                return Err(input_error(py, &refusal(place)));
            }
            return Ok(Self::Text(text.into_owned()));
        }
        if let Ok(bytes) = content.cast::<PyBytes>() {
            check_size(py, bytes.as_bytes().len())?;
            return Ok(Self::Bytes(bytes.as_bytes().to_vec()));
        }
        if let Ok(buffer) = PyBuffer::<u8>::get(content) {
            check_size(py, buffer.len_bytes())?;
            return Ok(Self::Bytes(buffer.to_vec(py)?));
        }
        // A scalar of Arrow.
        if let Ok(as_py) = content.getattr("as_py") {
            return Self::content(&as_py.call0()?);
        }
        let kind = content.get_type().name()?;
        let remedy = if content.hasattr("__fspath__")? {
            "; for a file use Cleaner().clean_file(path) or vclean.Page.from_file(path)"
        } else {
            ""
        };
        let cause = format!(
            "a page is str, bytes, bytearray, memoryview or vclean.Page, not {kind}{remedy}"
        );
        Err(exception(py, "InputTypeError", &cause))
    }
}

fn refusal(place: Place) -> String {
    let remedy = match place {
        Place::Address => {
            "to render it, use Cleaner().clean_url(address) or vclean.Page.from_url(address)"
        }
        Place::Path => "use Cleaner().clean_file(path), or pass pathlib.Path(path) to clean_many",
    };
    format!("the text is {}, not a page; {remedy}", place.describe())
}

/// Refuses a page over the limit before it is copied.
fn check_size(py: Python<'_>, bytes: usize) -> PyResult<()> {
    let bytes = bytes as u64;
    let limit = MAX_PAGE_BYTES;
    if bytes > limit {
        let error = SourceError::TooLarge { bytes, limit };
        return Err(page_error(py, "", &error.into()));
    }
    Ok(())
}

impl Page {
    /// Converts an argument to a page; an object like `pathlib.Path` is a path.
    pub(crate) fn from_any(any: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Self> {
        if let Ok(page) = any.cast::<Self>() {
            let page = page.get().clone();
            return Ok(Self {
                url: url.or(page.url),
                ..page
            });
        }
        if any.hasattr("__fspath__")? {
            return Ok(Self {
                source: Source::File(any.extract()?),
                url,
                name: None,
            });
        }
        Ok(Self {
            source: Source::content(any)?,
            url,
            name: None,
        })
    }

    /// Converts an item of many to a page; a pair is a page and its address.
    pub(crate) fn from_item(item: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(pair) = item.cast::<PyTuple>()
            && let Ok((page, url)) = pair.extract::<(Bound<'_, PyAny>, Option<String>)>()
        {
            return Self::from_any(&page, url)?.loaded(item.py());
        }
        Self::from_any(item, None)?.loaded(item.py())
    }

    /// Converts an argument to a page; it must be a `Page` or in memory, so paths are refused.
    pub(crate) fn in_memory(any: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Self> {
        if any.cast::<Self>().is_ok() {
            let page = Self::from_any(any, url)?;
            return page.loaded(any.py());
        }
        Ok(Self {
            source: Source::content(any)?,
            url,
            name: None,
        })
    }

    /// Converts the path of a page; what is none has an error that names the method for it.
    pub(crate) fn in_file(path: &Bound<'_, PyAny>, url: Option<String>) -> PyResult<Self> {
        let py = path.py();
        if let Ok(text) = path.extract::<String>() {
            let remedy = match Place::named_by(&text) {
                Some(Place::Address) => Some("an address; use Cleaner().clean_url(address)"),
                _ if text.contains(['<', '\n']) && !Path::new(&text).exists() => {
                    Some("HTML and no path; use Cleaner().clean_html(html)")
                }
                _ => None,
            };
            if let Some(remedy) = remedy {
                return Err(input_error(py, &format!("the text is {remedy}")));
            }
        }
        let source = path.extract().map_err(|_| {
            let kind = path.get_type().name().map(|kind| kind.to_string());
            let cause = format!(
                "clean_file takes a path, not {}; for a page in memory use Cleaner().clean_html(page)",
                kind.unwrap_or_default()
            );
            exception(py, "InputTypeError", &cause)
        })?;
        Ok(Self {
            source: Source::File(source),
            url,
            name: None,
        })
    }

    /// Refuses a page that is still on the web.
    fn loaded(self, py: Python<'_>) -> PyResult<Self> {
        if self.is_address() {
            let cause = format!(
                "{}: the page is on the web; use Cleaner().clean_url, or clean_many with render=True",
                self.label()
            );
            return Err(input_error(py, &cause));
        }
        Ok(self)
    }

    /// True for a page that is still on the web.
    pub(crate) fn is_address(&self) -> bool {
        matches!(self.source, Source::Address(_))
    }

    pub(crate) fn at(address: String) -> Self {
        Self {
            source: Source::Address(address.clone()),
            url: Some(address),
            name: None,
        }
    }

    /// Its name in messages; empty for a page in memory that has none.
    pub(crate) fn label(&self) -> String {
        let source = match &self.source {
            // Errors about files name the file.
            Source::File(_) => String::new(),
            Source::Address(address) => address.clone(),
            Source::Text(_) | Source::Bytes(_) => String::new(),
        };
        self.name
            .clone()
            .or_else(|| self.url.clone())
            .unwrap_or(source)
    }

    /// Gives a document the name of its page.
    pub(crate) fn named(name: Option<String>, mut cleaned: CleanedPage) -> CleanedPage {
        cleaned.document.id = name;
        cleaned
    }

    /// Its size in bytes; `usize::MAX` if unknown.
    pub(crate) fn size(&self) -> usize {
        match &self.source {
            Source::Text(text) => text.len(),
            Source::Bytes(bytes) => bytes.len(),
            Source::File(_) | Source::Address(_) => usize::MAX,
        }
    }

    /// Opens the page: may read a file, but uses no network.
    pub(crate) fn open(self) -> Result<vclean::Page, vclean::Error> {
        let label = self.label();
        let name = if label.is_empty() {
            UNNAMED.to_owned()
        } else {
            label
        };
        let mut page = match self.source {
            Source::Text(text) => vclean::Page::from_html(name, text),
            Source::Bytes(bytes) => vclean::Page::from_bytes(&name, bytes)?,
            Source::File(path) => vclean::Page::from_file(path)?,
            Source::Address(address) => vclean::Page::from_url(address),
        };
        if let Some(url) = self.url {
            page.url = Some(url);
        }
        Ok(page)
    }

    /// Creates the exception for an error of this page.
    pub(crate) fn error(py: Python<'_>, label: &str, error: &vclean::Error) -> PyErr {
        page_error(py, label, error)
    }
}
