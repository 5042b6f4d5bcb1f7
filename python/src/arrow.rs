//! Passes tables through Arrow's C interface: the receiver uses our memory, and nothing is copied.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// Wraps a batch in a capsule that holds an Arrow stream.
pub(crate) fn stream(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = batch.schema();
    let batches = RecordBatchIterator::new([Ok(batch)], schema);
    PyCapsule::new_with_value(
        py,
        FFI_ArrowArrayStream::new(Box::new(batches)),
        c"arrow_array_stream",
    )
}

/// Creates a `pyarrow.Table` from an object that has an Arrow stream.
pub(crate) fn table<'py>(from: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    from.py()
        .import("pyarrow")?
        .getattr("table")?
        .call1((from,))
}

/// Creates a `polars.DataFrame` from an object that has an Arrow stream.
pub(crate) fn polars<'py>(from: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    from.py()
        .import("polars")?
        .getattr("DataFrame")?
        .call1((from,))
}
