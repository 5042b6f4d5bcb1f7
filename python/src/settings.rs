//! The options of a cleaner, as Python names them.

use crate::errors::{option_error, page_error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use vclean::Cleaner;
use vclean::pipeline::{Options, WRITING};
use vclean::render::{EngineChoice, LoadOptions, RenderOptions};

/// The options that were given.
pub(crate) struct Settings {
    given: Py<PyDict>,
    options: Options,
    rendering: RenderOptions,
    tabs: usize,
}

/// Reads one option of rendering.
type Read = fn(&Bound<'_, PyAny>, &mut RenderOptions) -> PyResult<()>;

/// The options of rendering by name; those of cleaning are the fields of [`Options`].
const RENDERING: &[(&str, Read)] = &[
    ("engine", |value, rendering| {
        rendering.engine = choice(value, "engine", EngineChoice::ALL)?;
        Ok(())
    }),
    ("browser", |value, rendering| {
        rendering.browser = Some(value.extract::<PathBuf>()?);
        Ok(())
    }),
    ("sandbox", |value, rendering| {
        rendering.no_sandbox = !value.extract::<bool>()?;
        Ok(())
    }),
    ("timeout", |value, rendering| {
        let seconds: f64 = value.extract()?;
        if !(seconds > 0.0 && seconds < 1e6) {
            return Err(option_error(
                value.py(),
                &format!("timeout is {seconds}, allowed is above 0, in seconds"),
            ));
        }
        rendering.page_timeout_ms = (seconds * 1000.0).ceil() as u64;
        Ok(())
    }),
    ("scripts", |value, rendering| {
        rendering.scripts = Some(value.extract()?);
        Ok(())
    }),
    ("tabs", |value, rendering| {
        let tabs: i64 = value.extract()?;
        rendering.tabs = usize::try_from(tabs)
            .ok()
            .filter(|tabs| *tabs > 0)
            .ok_or_else(|| {
                option_error(value.py(), &format!("tabs is {tabs}, allowed is 1 or more"))
            })?;
        Ok(())
    }),
    ("proxy", |value, rendering| {
        let proxy: String = value.extract()?;
        rendering.proxy = Some(
            proxy
                .parse()
                .map_err(|cause: String| option_error(value.py(), &cause))?,
        );
        Ok(())
    }),
    ("allow_private", |value, rendering| {
        rendering.allow_private = value.extract()?;
        Ok(())
    }),
    ("offline", |value, rendering| {
        rendering.offline = value.extract()?;
        Ok(())
    }),
];

/// One of the choices of an option.
fn choice<T: Copy>(value: &Bound<'_, PyAny>, option: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let name: String = value.extract()?;
    let found = choices
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, choice)| *choice);
    found.ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
        option_error(
            value.py(),
            &format!("{option} is {name}, allowed are {}", names.join(", ")),
        )
    })
}

/// An option of loading as JSON.
fn load_option(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text: String = value
        .py()
        .import("json")?
        .call_method1("dumps", (value,))?
        .extract()?;
    serde_json::from_str(&text).map_err(|error| option_error(value.py(), &error.to_string()))
}

/// The names of the options of cleaning; those of writing are arguments of the documents' methods.
fn names() -> Vec<String> {
    Options::names()
        .into_iter()
        .filter(|name| !WRITING.contains(&name.as_str()))
        .collect()
}

/// A value of Python as JSON; a mapping becomes a list of `NAME=VALUE`.
fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(is_on) = value.extract::<bool>() {
        return Ok(is_on.into());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(text.into());
    }
    if let Ok(number) = value.extract::<f64>() {
        return Ok(number.into());
    }
    if let Ok(pairs) = value.extract::<BTreeMap<String, String>>() {
        return Ok(pairs
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect());
    }
    Ok(value.extract::<Vec<String>>()?.into())
}

impl Settings {
    /// Reads the options; `None` stands for the default of each.
    pub(crate) fn read(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let given = PyDict::new(py);
        let (mut members, mut load) = (Map::new(), Map::new());
        let mut rendering = RenderOptions::default();
        let names = names();
        for (name, value) in options.into_iter().flatten() {
            let name: String = name.extract()?;
            let read = RENDERING
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, read)| read);
            let is_of_loading = LoadOptions::NAMES.contains(&name.as_str());
            if read.is_none() && !is_of_loading && !names.contains(&name) {
                let all = names
                    .iter()
                    .map(String::as_str)
                    .chain(RENDERING.iter().map(|(name, _)| *name));
                let all = all.chain(LoadOptions::NAMES.iter().copied());
                let all = all.collect::<Vec<_>>().join(", ");
                return Err(PyTypeError::new_err(format!(
                    "there is no option {name}; options are {all}"
                )));
            }
            if value.is_none() {
                continue;
            }
            match read {
                Some(read) => read(&value, &mut rendering)?,
                None if is_of_loading => drop(load.insert(name.clone(), load_option(&value)?)),
                None => drop(members.insert(name.clone(), to_json(&value)?)),
            }
            given.set_item(name, value)?;
        }
        let options: Options = serde_json::from_value(Value::Object(members))
            .map_err(|error| option_error(py, &error.to_string()))?;
        rendering.load = serde_json::from_value(Value::Object(load))
            .map_err(|error| option_error(py, &error.to_string()))?;
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

    /// Reads the model.
    pub(crate) fn build(&self, py: Python<'_>) -> PyResult<Arc<Cleaner>> {
        let build = || Cleaner::new().with_methods(&self.options, vclean_rivals::method::METHODS);
        let built = py.detach(|| crate::fork::without_forks(build));
        built
            .map(|cleaner| Arc::new(cleaner.with_rendering(self.rendering.clone())))
            .map_err(|error| page_error(py, "", &error))
    }

    /// The options that were given.
    pub(crate) fn options<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.given.bind(py).copy()
    }

    /// Number of pages that are rendered at the same time.
    pub(crate) fn tabs(&self) -> usize {
        self.tabs
    }
}
