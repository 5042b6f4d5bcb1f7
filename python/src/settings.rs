//! Reads the options of a cleaner from Python's keyword arguments.

use crate::errors::{option_error, page_error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use vclean::Cleaner;
use vclean::pipeline::{Options, WRITING};
use vclean::render::{LoadOptions, RenderOptions};

/// The options of a cleaner, as given and as parsed.
pub(crate) struct Settings {
    given: Py<PyDict>,
    options: Options,
    rendering: RenderOptions,
    tabs: usize,
}

/// A value of Python as JSON.
fn dumped(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text: String = value
        .py()
        .import("json")?
        .call_method1("dumps", (value,))?
        .extract()?;
    serde_json::from_str(&text).map_err(|error| option_error(value.py(), &error.to_string()))
}

/// Names of the cleaning options. Options of writing are arguments of `Document`'s methods.
fn names() -> Vec<String> {
    Options::names()
        .into_iter()
        .filter(|name| !WRITING.contains(&name.as_str()))
        .collect()
}

/// Converts a Python value to JSON; a mapping becomes a list of `NAME=VALUE`.
fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(is_on) = value.extract::<bool>() {
        return Ok(is_on.into());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text.into());
    }
    if let Ok(number) = value.extract::<i64>() {
        return Ok(number.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(number.into());
    }
    if let Ok(path) = value.extract::<PathBuf>() {
        return Ok(path.to_string_lossy().into());
    }
    if let Ok(pairs) = value.extract::<BTreeMap<String, String>>() {
        return Ok(pairs
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect());
    }
    Ok(value.extract::<Vec<String>>()?.into())
}

fn parse<T: DeserializeOwned>(py: Python<'_>, members: Map<String, Value>) -> PyResult<T> {
    serde_json::from_value(Value::Object(members))
        .map_err(|error| option_error(py, &error.to_string()))
}

impl Settings {
    /// Reads the options; a value of `None` stands for the default.
    pub(crate) fn read(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let given = PyDict::new(py);
        let (mut cleaning, mut rendering, mut loading) = (Map::new(), Map::new(), Map::new());
        let names = names();
        for (name, value) in options.into_iter().flatten() {
            let name: String = name.extract()?;
            let is_loading = LoadOptions::NAMES.contains(&name.as_str());
            let is_rendering = RenderOptions::NAMES.contains(&name.as_str());
            if !is_loading && !is_rendering && !names.contains(&name) {
                let all = names.iter().map(String::as_str);
                let all = all.chain(RenderOptions::NAMES.iter().copied());
                let all = all.chain(LoadOptions::NAMES.iter().copied());
                let all = all.collect::<Vec<_>>().join(", ");
                return Err(PyTypeError::new_err(format!(
                    "there is no option {name}; options are {all}"
                )));
            }
            if value.is_none() {
                continue;
            }
            if is_loading {
                loading.insert(name.clone(), dumped(&value)?);
            } else if is_rendering {
                rendering.insert(name.clone(), to_json(&value)?);
            } else {
                cleaning.insert(name.clone(), to_json(&value)?);
            }
            given.set_item(name, value)?;
        }
        let options: Options = parse(py, cleaning)?;
        let rendering = RenderOptions {
            load: parse(py, loading)?,
            ..parse(py, rendering)?
        };
        rendering
            .check()
            .and_then(|()| rendering.check_browser())
            .map_err(|error| page_error(py, "", &error.into()))?;
        let tabs = rendering.tabs;
        Ok(Self {
            given: given.unbind(),
            options,
            rendering,
            tabs,
        })
    }

    /// Builds the cleaner, which reads its model.
    pub(crate) fn build(&self, py: Python<'_>) -> PyResult<Arc<Cleaner>> {
        let build = || Cleaner::new().with_methods(&self.options, vclean_rivals::method::METHODS);
        let built = py.detach(|| crate::fork::without_forks(build));
        built
            .map(|cleaner| Arc::new(cleaner.with_rendering(self.rendering.clone())))
            .map_err(|error| page_error(py, "", &error))
    }

    /// Returns a copy of the given options.
    pub(crate) fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.given.bind(py).copy()
    }

    /// Number of pages that are rendered concurrently.
    pub(crate) fn tabs(&self) -> usize {
        self.tabs
    }
}
