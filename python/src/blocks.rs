//! The text blocks of a page as a sequence, as an Arrow table and as a NumPy record array.

use crate::arrow;
use crate::pickle::{pickled, unpickled};
use arrow_array::{ArrayRef, BooleanArray, Float32Array, RecordBatch, StringArray};
use numpy::PyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PySlice, PyTuple};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A text block of a page, kept or not.
#[derive(Clone, Serialize, Deserialize)]
#[pyclass(frozen, get_all, name = "Block", module = "vclean")]
pub(crate) struct BlockRow {
    /// Its text, with white space collapsed.
    text: String,
    /// Its kind, such as `paragraph`; `None` if it is not in the text.
    kind: Option<String>,
    /// True if the block is kept as content.
    is_content: bool,
    /// True if it is a reader's comment; such a block is never content.
    is_comment: bool,
    /// Calibrated probability of content, 0 to 1.
    probability: f32,
    /// Probability that it is a comment if it is not content; `None` if the model has no comments.
    comment_probability: Option<f32>,
    /// Signed distance from the decision boundary; above 0 means content.
    margin: f32,
    /// Left, top, width and height in CSS px; `None` for a page that was not rendered.
    #[pyo3(name = "box")]
    rect: Option<(f32, f32, f32, f32)>,
    /// Tags from the root, such as `html/body/p`.
    path: String,
    /// Name, value and weight of the features with the largest influence, with the option
    /// `explain`.
    reasons: Vec<(String, f32, f32)>,
}

impl From<vclean::Block> for BlockRow {
    fn from(block: vclean::Block) -> Self {
        let kind = block
            .kind
            .as_ref()
            .and_then(|kind| serde_json::to_value(kind).ok());
        Self {
            text: block.text,
            kind: kind.and_then(|kind| kind["kind"].as_str().map(str::to_owned)),
            is_content: block.is_content,
            is_comment: block.is_comment,
            probability: block.probability,
            comment_probability: block.comment_probability,
            margin: block.margin,
            rect: block
                .rect
                .map(|rect| (rect.x, rect.y, rect.width, rect.height)),
            path: block.path,
            reasons: block
                .reasons
                .iter()
                .map(|one| (one.feature.to_string(), one.value, one.weight))
                .collect(),
        }
    }
}

#[pymethods]
impl BlockRow {
    fn __repr__(&self) -> String {
        let verdict = if self.is_content {
            "content"
        } else {
            "boilerplate"
        };
        let start: String = self.text.chars().take(40).collect();
        format!("<vclean.Block {verdict} {:.2} {start:?}>", self.probability)
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, stored: &[u8]) -> PyResult<Self> {
        unpickled(py, stored)
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickled::<Self, _>(py, self)
    }
}

/// The blocks of a page, as a sequence and as a table.
#[pyclass(frozen, sequence, module = "vclean")]
pub(crate) struct Blocks {
    rows: Vec<BlockRow>,
}

/// The fields of the record array, packed without padding.
const RECORD: &str = "[('is_content', '?'), ('is_comment', '?'), ('probability', '<f4'), ('comment_probability', '<f4'), \
('margin', '<f4'), ('x', '<f4'), ('y', '<f4'), ('width', '<f4'), ('height', '<f4')]";

impl Blocks {
    pub(crate) fn new(rows: Vec<BlockRow>) -> Self {
        Self { rows }
    }

    /// The blocks as HTML: the kept ones green, the others red and crossed out.
    pub(crate) fn html(&self) -> String {
        let escaped = |text: &str| {
            text.replace('&', "&amp;")
                .replace('<', "&lt;")
                .replace('"', "&quot;")
        };
        let paragraphs = self.rows.iter().map(|row| {
            let style = if row.is_content {
                "border-left: 4px solid #2a2"
            } else {
                "border-left: 4px solid #c33; text-decoration: line-through; opacity: .6"
            };
            format!(
                "<p style=\"margin: 2px 0; padding-left: 8px; {style}\" title=\"{:.2} {}\">{}</p>",
                row.probability,
                escaped(&row.path),
                escaped(&row.text)
            )
        });
        paragraphs.collect()
    }

    fn row(&self, index: isize) -> PyResult<BlockRow> {
        let from_end = if index < 0 {
            index + self.rows.len() as isize
        } else {
            index
        };
        let row = usize::try_from(from_end)
            .ok()
            .and_then(|index| self.rows.get(index));
        row.cloned().ok_or_else(|| {
            PyIndexError::new_err(format!("there is no block {index} of {}", self.rows.len()))
        })
    }

    fn batch(&self) -> RecordBatch {
        let text = |read: fn(&BlockRow) -> Option<&str>| -> ArrayRef {
            Arc::new(self.rows.iter().map(read).collect::<StringArray>())
        };
        let number = |read: fn(&BlockRow) -> Option<f32>| -> ArrayRef {
            Arc::new(self.rows.iter().map(read).collect::<Float32Array>())
        };
        let truth = |read: fn(&BlockRow) -> bool| -> ArrayRef {
            Arc::new(
                self.rows
                    .iter()
                    .map(|row| Some(read(row)))
                    .collect::<BooleanArray>(),
            )
        };
        let columns = [
            ("text", text(|row| Some(&row.text))),
            ("kind", text(|row| row.kind.as_deref())),
            ("is_content", truth(|row| row.is_content)),
            ("is_comment", truth(|row| row.is_comment)),
            ("probability", number(|row| Some(row.probability))),
            ("comment_probability", number(|row| row.comment_probability)),
            ("margin", number(|row| Some(row.margin))),
            ("x", number(|row| row.rect.map(|rect| rect.0))),
            ("y", number(|row| row.rect.map(|rect| rect.1))),
            ("width", number(|row| row.rect.map(|rect| rect.2))),
            ("height", number(|row| row.rect.map(|rect| rect.3))),
            ("path", text(|row| Some(&row.path))),
        ];
        let columns = columns.map(|(name, column)| (name, column, true));
        RecordBatch::try_from_iter_with_nullable(columns)
            .expect("all columns have a value for each row")
    }
}

#[pymethods]
impl Blocks {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    /// Returns the block at an index (negative ones count from the end), or a list for a slice.
    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        index: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let length = isize::try_from(self.rows.len())?;
            let part = slice.indices(length)?;
            let places = (0..part.slicelength).map(|place| part.start + part.step * place as isize);
            let rows: Vec<BlockRow> = places
                .map(|place| self.rows[place as usize].clone())
                .collect();
            return rows.into_pyobject(py);
        }
        let index: isize = index.extract()?;
        Ok(self.row(index)?.into_pyobject(py)?.into_any())
    }

    /// Returns the numeric fields of all blocks as a NumPy record array, which owns its memory;
    /// missing numbers are NaN.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut bytes = Vec::with_capacity(self.rows.len() * 30);
        for row in &self.rows {
            let (x, y, width, height) =
                row.rect.unwrap_or((f32::NAN, f32::NAN, f32::NAN, f32::NAN));
            bytes.extend([u8::from(row.is_content), u8::from(row.is_comment)]);
            for number in [
                row.probability,
                row.comment_probability.unwrap_or(f32::NAN),
                row.margin,
                x,
                y,
                width,
                height,
            ] {
                bytes.extend(number.to_le_bytes());
            }
        }
        let fields = py
            .import("ast")?
            .getattr("literal_eval")?
            .call1((RECORD,))?;
        let kind = py.import("numpy")?.getattr("dtype")?.call1((fields,))?;
        PyArray1::from_vec(py, bytes).call_method1("view", (kind,))
    }

    /// Returns the blocks as an Arrow stream through the PyCapsule interface, which pyarrow,
    /// polars, DuckDB and others read.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The interface allows ignoring the requested schema.
        let _ = requested_schema;
        arrow::stream(py, self.batch())
    }

    /// Returns the blocks as a `pyarrow.Table`.
    fn to_arrow<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        arrow::table(this.as_any())
    }

    /// Returns the blocks as a `pandas.DataFrame`.
    fn to_pandas<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        arrow::table(this.as_any())?.call_method0("to_pandas")
    }

    /// Returns the blocks as a `polars.DataFrame`.
    fn to_polars<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        arrow::polars(this.as_any())
    }

    fn _repr_html_(&self) -> String {
        self.html()
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, stored: &[u8]) -> PyResult<Self> {
        Ok(Self::new(unpickled(py, stored)?))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        pickled::<Self, _>(py, &self.rows)
    }

    fn __repr__(&self) -> String {
        format!(
            "<vclean.Blocks {}, {} of them content>",
            self.rows.len(),
            self.rows.iter().filter(|row| row.is_content).count()
        )
    }
}
