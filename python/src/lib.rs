//! The Python module `vclean._vclean`: a thin layer over the library. Users import
//! `vclean/__init__.py`.
//!
//! Every call releases Python's lock while it works. Nothing here decides anything about a page.

mod arrow;
mod blocks;
mod capture;
mod cleaner;
mod document;
mod errors;
mod evaluate;
mod features;
mod filters;
mod fork;
mod input;
mod many;
mod open_page;
mod pickle;
mod settings;
mod waiting;
mod watch;

use pyo3::prelude::*;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the command line and returns its exit code.
#[pyfunction]
fn _run_command_line(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    let code = py.detach(|| vclean_cli::main(arguments));
    (0..=u8::MAX)
        .find(|&number| ExitCode::from(number) == code)
        .unwrap_or(1)
}

#[pymodule(gil_used = false)]
fn _vclean(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    let formats: Vec<&str> = vclean::FORMATS.iter().map(|format| format.name).collect();
    module.add("FORMATS", pyo3::types::PyTuple::new(module.py(), formats)?)?;
    module.add_class::<blocks::BlockRow>()?;
    module.add_class::<blocks::Blocks>()?;
    module.add_class::<capture::Capture>()?;
    module.add_class::<cleaner::Cleaner>()?;
    module.add_class::<document::Document>()?;
    module.add_class::<features::FeatureTable>()?;
    module.add_class::<input::Page>()?;
    module.add_class::<many::CleanMany>()?;
    module.add_function(wrap_pyfunction!(_run_command_line, module)?)?;
    module.add_function(wrap_pyfunction!(evaluate::_evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(settings::_options, module)?)?;
    module.add_function(wrap_pyfunction!(fork::_before_fork, module)?)?;
    module.add_function(wrap_pyfunction!(open_page::_capture_open_page, module)?)?;
    module.add_function(wrap_pyfunction!(fork::_after_fork_in_parent, module)?)?;
    module.add_function(wrap_pyfunction!(fork::_after_fork_in_child, module)?)
}
