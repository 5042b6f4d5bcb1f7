//! The Python class `Document`: a cleaned page.

use crate::blocks::{BlockRow, Blocks};
use crate::errors::{exception, option_error};
use crate::features::FeatureTable;
use crate::pickle::{pickled, unpickled};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeMap;
use vclean::emit::find;
use vclean::{ChunkOptions, CleanedPage, EmitOptions, FORMATS, Format};

/// A cleaned page: its text in every format, its metadata, its blocks.
#[pyclass(frozen, module = "vclean")]
pub(crate) struct Document {
    content: Content,
    blocks: PyOnceLock<Py<Blocks>>,
}

enum Content {
    Live(Box<CleanedPage>),
    Stored(Box<Stored>),
}

/// Links and pictures of a text.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Extras {
    links: bool,
    images: bool,
}

impl Extras {
    const NONE: Self = Self {
        links: false,
        images: false,
    };
    const ANY: [Self; 3] = [
        Self {
            links: true,
            images: false,
        },
        Self {
            links: false,
            images: true,
        },
        Self {
            links: true,
            images: true,
        },
    ];

    fn write(self, cleaned: &CleanedPage, format: &Format) -> String {
        let options = EmitOptions {
            links: self.links,
            images: self.images,
            ..cleaned.usual_options()
        };
        cleaned.write(format, &options)
    }
}

/// The content of a pickle: the result in all formats, without the tree and the features.
#[derive(Serialize, Deserialize)]
struct Stored {
    name: Option<String>,
    formats: BTreeMap<String, String>,
    /// Formats that links or pictures change.
    with_extras: Vec<(String, Extras, String)>,
    metadata: Value,
    blocks: Vec<BlockRow>,
    comments: String,
    posts: Value,
    expected_f: f32,
    kind: Option<(String, f32)>,
    state: Option<(String, f32, String)>,
    warnings: Vec<String>,
}

impl Stored {
    fn from_page(cleaned: &CleanedPage) -> Self {
        let formats: BTreeMap<String, String> = FORMATS
            .iter()
            .map(|format| (format.name.to_owned(), Extras::NONE.write(cleaned, format)))
            .collect();
        let with_extras = FORMATS.iter().flat_map(|format| {
            Extras::ANY.map(|extras| {
                let text = extras.write(cleaned, format);
                (format.name.to_owned(), extras, text)
            })
        });
        Self {
            name: cleaned.document.id.clone(),
            with_extras: with_extras
                .filter(|(name, _, text)| formats[name] != *text)
                .collect(),
            formats,
            metadata: serde_json::to_value(cleaned.metadata()).unwrap_or_default(),
            blocks: cleaned.blocks().map(BlockRow::from).collect(),
            comments: cleaned.comments(),
            posts: posts(cleaned),
            expected_f: cleaned.expected_f(),
            kind: kind(cleaned),
            state: state(cleaned),
            warnings: cleaned
                .warnings()
                .iter()
                .map(|warning| warning.text.clone())
                .collect(),
        }
    }
}

fn posts(cleaned: &CleanedPage) -> Value {
    serde_json::to_value(cleaned.posts()).unwrap_or_default()
}

fn kind(cleaned: &CleanedPage) -> Option<(String, f32)> {
    let value = serde_json::to_value(cleaned.kind()?).ok()?;
    Some((
        value["kind"].as_str()?.to_owned(),
        value["probability"].as_f64()? as f32,
    ))
}

fn state(cleaned: &CleanedPage) -> Option<(String, f32, String)> {
    let likely = cleaned.state()?;
    let (name, reason) = (likely.state.name().to_owned(), likely.reason.clone());
    Some((name, likely.probability, reason))
}

impl Document {
    pub(crate) fn live(cleaned: CleanedPage) -> Self {
        Self {
            content: Content::Live(Box::new(cleaned)),
            blocks: PyOnceLock::new(),
        }
    }

    fn cleaned(&self, py: Python<'_>, what: &str) -> PyResult<&CleanedPage> {
        match &self.content {
            Content::Live(cleaned) => Ok(cleaned),
            Content::Stored(_) => {
                let cause = format!(
                    "a document that was pickled has no {what}; clean the page in this process"
                );
                Err(exception(py, "StoredDocumentError", &cause))
            }
        }
    }

    /// True if any text was kept.
    fn has_text(&self) -> bool {
        match &self.content {
            Content::Live(cleaned) => !cleaned.is_empty(),
            Content::Stored(stored) => stored
                .formats
                .get("text")
                .is_some_and(|text| !text.is_empty()),
        }
    }

    fn written(&self, py: Python<'_>, format: &str, extras: Extras) -> PyResult<Cow<'_, str>> {
        let Some(format) = find(format) else {
            let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
            return Err(option_error(
                py,
                &format!(
                    "there is no format {format}; formats are {}",
                    names.join(", ")
                ),
            ));
        };
        match &self.content {
            Content::Live(cleaned) => Ok(Cow::Owned(py.detach(|| extras.write(cleaned, format)))),
            Content::Stored(stored) => {
                let mut all = stored.with_extras.iter();
                let own = all.find(|(name, own, _)| name == format.name && *own == extras);
                let written = own
                    .map(|(_, _, text)| text)
                    .or_else(|| stored.formats.get(format.name));
                Ok(Cow::Borrowed(written.map_or("", String::as_str)))
            }
        }
    }

    fn metadata_value(&self) -> Cow<'_, Value> {
        match &self.content {
            Content::Live(cleaned) => {
                Cow::Owned(serde_json::to_value(cleaned.metadata()).unwrap_or_default())
            }
            Content::Stored(stored) => Cow::Borrowed(&stored.metadata),
        }
    }
}

/// Converts JSON to Python objects.
fn parsed<'py>(py: Python<'py>, json: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("json")?.getattr("loads")?.call1((json,))
}

#[pymethods]
impl Document {
    /// The name of its page, if it was given one.
    #[getter]
    fn name(&self) -> Option<&str> {
        match &self.content {
            Content::Live(cleaned) => cleaned.document.id.as_deref(),
            Content::Stored(stored) => stored.name.as_deref(),
        }
    }

    /// Plain text, one block a line; empty if nothing was kept.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
        self.written(py, "text", Extras::NONE)
    }

    /// The text as Markdown (CommonMark with tables), without links.
    #[getter]
    fn markdown(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
        self.written(py, "markdown", Extras::NONE)
    }

    /// The text as a small HTML document.
    #[getter]
    fn html(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
        self.written(py, "html", Extras::NONE)
    }

    /// Returns the text in a format of `vclean.FORMATS`; `links` keeps the links, `images` shows
    /// the pictures.
    #[pyo3(signature = (format="text", *, links=false, images=false))]
    fn write(
        &self,
        py: Python<'_>,
        format: &str,
        links: bool,
        images: bool,
    ) -> PyResult<Cow<'_, str>> {
        self.written(py, format, Extras { links, images })
    }

    /// Returns the document as `--format json` writes it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        parsed(py, &self.written(py, "json", Extras::NONE)?)
    }

    /// Title, author, date and more; values that the page does not give are `None`.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        parsed(py, &self.metadata_value().to_string())
    }

    /// All text blocks in document order, kept or not.
    #[getter]
    fn blocks(&self, py: Python<'_>) -> PyResult<Py<Blocks>> {
        let made = self.blocks.get_or_try_init(py, || {
            let rows = match &self.content {
                Content::Live(cleaned) => cleaned.blocks().map(BlockRow::from).collect(),
                Content::Stored(stored) => stored.blocks.clone(),
            };
            Py::new(py, Blocks::new(rows))
        })?;
        Ok(made.clone_ref(py))
    }

    /// The features of the blocks, one row per block.
    #[getter]
    fn features(&self, py: Python<'_>) -> PyResult<FeatureTable> {
        Ok(FeatureTable::new(self.cleaned(py, "features")?.features()))
    }

    /// Readers' comments as plain text, with the option `comments="separate"`.
    #[getter]
    fn comments(&self) -> Cow<'_, str> {
        match &self.content {
            Content::Live(cleaned) => Cow::Owned(cleaned.comments()),
            Content::Stored(stored) => Cow::Borrowed(&stored.comments),
        }
    }

    /// The posts of a thread, each a dictionary with author, date, address, parent, votes and text.
    #[getter]
    fn posts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let posts = match &self.content {
            Content::Live(cleaned) => Cow::Owned(posts(cleaned)),
            Content::Stored(stored) => Cow::Borrowed(&stored.posts),
        };
        parsed(py, &posts.to_string())
    }

    /// Expected F score of the text, 0 to 1.
    #[getter]
    fn expected_f(&self) -> f32 {
        match &self.content {
            Content::Live(cleaned) => cleaned.expected_f(),
            Content::Stored(stored) => stored.expected_f,
        }
    }

    /// The kind of the page, such as `article`, and its probability; `None` if unknown.
    #[getter]
    fn kind(&self) -> Option<(String, f32)> {
        match &self.content {
            Content::Live(cleaned) => kind(cleaned),
            Content::Stored(stored) => stored.kind.clone(),
        }
    }

    /// The state of the page, `text` or why it has none such as `login`, its probability, and the
    /// strongest evidence; `None` for published methods.
    #[getter]
    fn state(&self) -> Option<(String, f32, String)> {
        match &self.content {
            Content::Live(cleaned) => state(cleaned),
            Content::Stored(stored) => stored.state.clone(),
        }
    }

    /// Problems that did not prevent the cleaning.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        match &self.content {
            Content::Live(cleaned) => cleaned
                .warnings()
                .iter()
                .map(|warning| warning.text.clone())
                .collect(),
            Content::Stored(stored) => stored.warnings.clone(),
        }
    }

    /// Returns the text in chunks, as a list of dictionaries.
    #[pyo3(signature = (size=300, overlap=0, *, count=None))]
    fn chunks<'py>(
        &self,
        py: Python<'py>,
        size: usize,
        overlap: usize,
        count: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let options = ChunkOptions { size, overlap };
        if size == 0 || overlap > size / 2 {
            let cause = "size is at least 1, and overlap at most half of it";
            return Err(option_error(py, cause));
        }
        let usual = ChunkOptions::default();
        if let (Content::Stored(stored), None, true) = (&self.content, &count, options == usual) {
            let lines = stored.formats.get("chunks").map_or("", String::as_str);
            let lines: Vec<&str> = lines.lines().collect();
            return parsed(py, &format!("[{}]", lines.join(",")));
        }
        let cleaned = self.cleaned(py, "chunks of other sizes")?;
        let chunks = match count {
            None => py.detach(|| cleaned.chunks(options)),
            Some(count) => {
                let mut failure = None;
                let size_of = |text: &str| {
                    let counted = count.call1((text,)).and_then(|size| size.extract());
                    counted.unwrap_or_else(|error| {
                        failure.get_or_insert(error);
                        0
                    })
                };
                let chunks = cleaned.document.chunks_by(options, size_of);
                match failure {
                    Some(error) => return Err(error),
                    None => chunks,
                }
            }
        };
        parsed(py, &serde_json::to_string(&chunks).unwrap_or_default())
    }

    /// Returns the text with the metadata as YAML front matter.
    #[pyo3(signature = (format="markdown", *, links=false, images=false))]
    fn with_front_matter(
        &self,
        py: Python<'_>,
        format: &str,
        links: bool,
        images: bool,
    ) -> PyResult<String> {
        let takes_front_matter =
            find(format).is_none_or(|format| format.is_text_alone || format.name == "markdown");
        if !takes_front_matter {
            let cause = format!(
                "front matter is for text, cleaneval and markdown, not for {format}; write({format:?}) has what the format holds of the metadata"
            );
            return Err(option_error(py, &cause));
        }
        let metadata =
            serde_json::from_value(self.metadata_value().into_owned()).unwrap_or_default();
        let text = self.written(py, format, Extras { links, images })?;
        Ok(vclean::emit::front_matter(&metadata) + &text)
    }

    /// The text as Markdown, for notebooks.
    fn _repr_markdown_(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
        self.markdown(py)
    }

    /// All blocks, for notebooks: the kept ones green, the others red and crossed out.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.blocks(py)?.get().html())
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<Cow<'_, str>> {
        self.text(py)
    }

    fn __bool__(&self) -> bool {
        self.has_text()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let metadata = self.metadata_value();
        let title = metadata["title"]
            .as_str()
            .unwrap_or("without title")
            .to_owned();
        Ok(format!(
            "<vclean.Document {title:?}, {} characters>",
            self.text(py)?.chars().count()
        ))
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, stored: &[u8]) -> PyResult<Self> {
        let stored = unpickled(py, stored)?;
        Ok(Self {
            content: Content::Stored(Box::new(stored)),
            blocks: PyOnceLock::new(),
        })
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        match &self.content {
            Content::Live(cleaned) => {
                pickled::<Self, _>(py, &py.detach(|| Stored::from_page(cleaned)))
            }
            Content::Stored(stored) => pickled::<Self, _>(py, stored),
        }
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyDict>) -> Py<Self> {
        this
    }
}
