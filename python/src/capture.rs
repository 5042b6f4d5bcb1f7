//! The class `Capture`: a page as an engine rendered it.

use crate::errors::page_error;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::path::PathBuf;
use std::sync::Arc;
use vclean::error::CaptureError;

/// A rendered page: tree, boxes, styles, screenshot and node mask.
#[pyclass(frozen, module = "vclean")]
pub(crate) struct Capture {
    capture: Arc<vclean::Capture>,
}

impl Capture {
    pub(crate) fn new(capture: vclean::Capture) -> Self {
        Self {
            capture: Arc::new(capture),
        }
    }

    pub(crate) fn shared(&self) -> Arc<vclean::Capture> {
        Arc::clone(&self.capture)
    }
}

fn error(py: Python<'_>, error: CaptureError) -> PyErr {
    page_error(py, "", &vclean::Error::Capture(error))
}

#[pymethods]
impl Capture {
    /// Reads a capture from its folder.
    #[staticmethod]
    fn load(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        py.detach(|| vclean::files::load_capture(&folder))
            .map(Self::new)
            .map_err(|cause| error(py, cause))
    }

    /// Writes the capture into a new folder.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        py.detach(|| vclean::files::save_capture(&self.capture, &folder))
            .map_err(|cause| error(py, cause))
    }

    /// Address of the page after redirects, if it is known.
    #[getter]
    fn url(&self) -> Option<&str> {
        self.capture.address()
    }

    /// Name of the engine: `chromium`, `builtin` or `parser`.
    #[getter]
    fn engine(&self) -> &'static str {
        self.capture.record.engine.name()
    }

    /// Problems that did not stop the rendering.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.capture.record.warnings.texts()
    }

    /// Screenshot of the page as PNG; `None` for bare HTML.
    #[getter]
    fn screenshot<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Some(pictures) = &self.capture.pictures else {
            return Ok(None);
        };
        let png = py
            .detach(|| pictures.to_look_at().png())
            .map_err(|cause| error(py, cause))?;
        Ok(Some(PyBytes::new(py, &png)))
    }

    fn __reduce__<'py>(
        this: Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let files = this.py().import("vclean._capture_files")?;
        let own = files.getattr("files_of")?.call1((&this,))?;
        Ok((
            files.getattr("capture_of")?,
            PyTuple::new(this.py(), [own])?,
        ))
    }

    fn __repr__(&self) -> String {
        format!(
            "<vclean.Capture {} by {}>",
            self.url().unwrap_or("of a page"),
            self.engine()
        )
    }
}
