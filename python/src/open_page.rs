//! Captures a page that is open in the user's browser, through a callable of Python.

use crate::capture::Capture;
use crate::errors::{option_error, page_error};
use crate::waiting::{Fault, guarded};
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};
use vclean::render::{OpenPageOptions, PageConnection, capture_open_page};

/// A Python callable that takes a method and its parameters as JSON, and returns JSON.
struct Callable {
    call: Py<PyAny>,
    /// The first exception that the callable raised.
    raised: Arc<Mutex<Option<PyErr>>>,
}

impl PageConnection for Callable {
    fn call(&mut self, method: &str, params: &str) -> Result<String, String> {
        Python::attach(|py| {
            let result = self
                .call
                .call1(py, (method, params))
                .and_then(|result| result.extract::<String>(py));
            result.map_err(|error| {
                let cause = error.value(py).to_string();
                self.raised
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .get_or_insert(error);
                cause
            })
        })
    }
}

/// Captures the page behind `call`; see `vclean.browsers`.
#[pyfunction]
pub(crate) fn _capture_open_page(
    py: Python<'_>,
    call: Py<PyAny>,
    scroll: bool,
    settle: f64,
    timeout: f64,
) -> PyResult<Capture> {
    let ms = |name: &str, seconds: f64| -> PyResult<u64> {
        let is_allowed = (0.0..1e6).contains(&seconds);
        is_allowed
            .then_some((seconds * 1000.0).ceil() as u64)
            .ok_or_else(|| {
                option_error(
                    py,
                    &format!("{name} is {seconds}, allowed is 0 or more, in seconds"),
                )
            })
    };
    let options = OpenPageOptions {
        scroll,
        settle_ms: ms("settle", settle)?,
        timeout_ms: ms("timeout", timeout)?,
    };
    let raised = Arc::default();
    let connection = Box::new(Callable {
        call,
        raised: Arc::clone(&raised),
    });
    let captured = py.detach(|| guarded(|| capture_open_page(connection, &options)));
    let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
    match captured.map_err(|_| Fault::exception(py, ""))? {
        Ok(capture) => Ok(Capture::new(capture)),
        Err(error) => match raised {
            // For example `KeyboardInterrupt`, if Ctrl-C was pressed during a call.
            Some(raised) if !raised.is_instance_of::<PyException>(py) => Err(raised),
            raised => {
                let error = page_error(py, "", &vclean::Error::Render(error));
                error.set_cause(py, raised);
                Err(error)
            }
        },
    }
}
