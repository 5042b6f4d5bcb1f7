//! The Python class `FeatureTable`: the features of each block.

use crate::arrow;
use crate::errors::exception;
use crate::pickle::{pickled, unpickled};
use arrow_array::{ArrayRef, Float32Array, RecordBatch};
use numpy::ndarray::Array2;
use numpy::{PyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use std::sync::Arc;

/// The features of the blocks of a page: one row per block, one column per feature.
#[pyclass(frozen, module = "vclean")]
pub(crate) struct FeatureTable {
    columns: Vec<String>,
    rows: Array2<f32>,
}

impl FeatureTable {
    pub(crate) fn new(table: &vclean::features::FeatureTable) -> Self {
        Self {
            columns: table.columns.iter().map(|&name| name.to_owned()).collect(),
            rows: table.rows.clone(),
        }
    }

    fn batch(&self) -> Option<RecordBatch> {
        let column = |(name, values): (&String, numpy::ndarray::ArrayView1<'_, f32>)| {
            let values: ArrayRef = Arc::new(Float32Array::from_iter_values(values.iter().copied()));
            (name.clone(), values, false)
        };
        let columns = self.columns.iter().zip(self.rows.columns()).map(column);
        RecordBatch::try_from_iter_with_nullable(columns).ok()
    }
}

#[pymethods]
impl FeatureTable {
    /// Names of the features, in the order of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.columns.clone()
    }

    /// Number of blocks and number of features.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.rows.dim()
    }

    fn __len__(&self) -> usize {
        self.rows.nrows()
    }

    /// Returns the values as an array of float32, blocks x features.
    fn to_numpy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.rows.to_pyarray(py)
    }

    /// Returns the table as an Arrow stream through the PyCapsule interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batch = self
            .batch()
            .unwrap_or_else(|| RecordBatch::new_empty(Arc::new(arrow_schema::Schema::empty())));
        arrow::stream(py, batch)
    }

    /// Returns the features as a `pyarrow.Table`.
    fn to_arrow<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        arrow::table(this.as_any())
    }

    /// Returns the features as a `pandas.DataFrame`.
    fn to_pandas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("pandas")?.getattr("DataFrame")?.call1((
            self.to_numpy(py),
            py.None(),
            self.columns(),
        ))
    }

    /// Returns the features as a `polars.DataFrame`.
    fn to_polars<'py>(this: Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        arrow::polars(this.as_any())
    }

    #[staticmethod]
    fn _restore(py: Python<'_>, stored: &[u8]) -> PyResult<Self> {
        let (columns, shape, values): (_, (usize, usize), Vec<f32>) = unpickled(py, stored)?;
        let rows = Array2::from_shape_vec(shape, values)
            .map_err(|error| exception(py, "StoredDocumentError", &error.to_string()))?;
        Ok(Self { columns, rows })
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let values: Vec<f32> = self.rows.iter().copied().collect();
        pickled::<Self, _>(py, &(&self.columns, self.rows.dim(), values))
    }

    fn __repr__(&self) -> String {
        let (rows, columns) = self.shape();
        format!("<vclean.FeatureTable {rows} blocks x {columns} features>")
    }
}
