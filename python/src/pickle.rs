//! Pickles: JSON, compressed with zstd.

use crate::errors::exception;
use pyo3::PyTypeInfo;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;

/// Compression level; 3 is the usual one of zstd.
const LEVEL: i32 = 3;

/// The value that `__reduce__` returns: the static method `_restore` of the class and its
/// argument.
pub(crate) fn pickled<'py, T: PyTypeInfo, S: Serialize + Sync>(
    py: Python<'py>,
    content: &S,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
    let bytes = py
        .detach(|| zstd::encode_all(&*serde_json::to_vec(content)?, LEVEL))
        .map_err(|error| exception(py, "StoredDocumentError", &error.to_string()))?;
    let restore = py.get_type::<T>().getattr("_restore")?;
    Ok((restore, PyTuple::new(py, [PyBytes::new(py, &bytes)])?))
}

/// Reads what [`pickled`] wrote.
pub(crate) fn unpickled<T: DeserializeOwned>(py: Python<'_>, bytes: &[u8]) -> PyResult<T> {
    let read = || serde_json::from_slice(&zstd::decode_all(bytes)?).map_err(io::Error::from);
    read().map_err(|error| {
        let cause = format!("the pickle is damaged or of another version: {error}");
        exception(py, "StoredDocumentError", &cause)
    })
}
