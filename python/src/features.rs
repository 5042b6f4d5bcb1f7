//! The Python class `FeatureTable`: the features of each block.

use crate::arrow;
use arrow_array::{ArrayRef, Float32Array, RecordBatch};
use numpy::{PyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::sync::Arc;

/// The features of the blocks of a page: one row per block, one column per feature.
#[pyclass(frozen, module = "vclean")]
pub(crate) struct FeatureTable {
    table: vclean::features::FeatureTable,
}

impl FeatureTable {
    pub(crate) fn new(table: vclean::features::FeatureTable) -> Self {
        Self { table }
    }

    fn batch(&self) -> Option<RecordBatch> {
        let column = |(name, values): (&&'static str, numpy::ndarray::ArrayView1<'_, f32>)| {
            let values: ArrayRef = Arc::new(Float32Array::from_iter_values(values.iter().copied()));
            (*name, values, false)
        };
        let columns = self
            .table
            .columns
            .iter()
            .zip(self.table.rows.columns())
            .map(column);
        RecordBatch::try_from_iter_with_nullable(columns).ok()
    }
}

#[pymethods]
impl FeatureTable {
    /// Names of the features, in the order of the columns.
    #[getter]
    fn columns(&self) -> Vec<&'static str> {
        self.table.columns.clone()
    }

    /// Number of blocks and number of features.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        self.table.rows.dim()
    }

    fn __len__(&self) -> usize {
        self.table.rows.nrows()
    }

    /// Returns the values as an array of float32, blocks x features.
    fn to_numpy<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f32>> {
        self.table.rows.to_pyarray(py)
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

    fn __repr__(&self) -> String {
        let (rows, columns) = self.shape();
        format!("<vclean.FeatureTable {rows} blocks x {columns} features>")
    }
}
