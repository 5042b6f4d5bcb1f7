//! The options of a cleaner, as Python names them.

use crate::errors::{exception, option_error};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use vclean::cleaner::HiddenText;
use vclean::render::{EngineChoice, RenderOptions};
use vclean::{Cleaner, CleanerBuilder};

/// The options that were given, and the builder they make.
pub(crate) struct Settings {
    given: Py<PyDict>,
    builder: CleanerBuilder,
    tabs: usize,
}

/// Reads one option into the builder or the rendering options.
type Read = fn(&Bound<'_, PyAny>, CleanerBuilder, &mut RenderOptions) -> PyResult<CleanerBuilder>;

/// All options by name.
const OPTIONS: &[(&str, Read)] = &[
    ("model", |value, builder, _| Ok(builder.model(value.extract::<String>()?))),
    ("method", |value, builder, _| Ok(builder.method(value.extract::<String>()?))),
    ("parameters", |value, builder, _| {
        let parameters: BTreeMap<String, String> = value.extract()?;
        Ok(parameters.into_iter().fold(builder, |builder, (name, value)| builder.parameter(name, value)))
    }),
    ("min_precision", |value, builder, _| Ok(builder.min_precision(value.extract()?))),
    ("comments", |value, builder, _| Ok(builder.comments(choice(value, "comments", vclean::ReaderComments::ALL)?))),
    ("tables", |value, builder, _| Ok(builder.tables(value.extract()?))),
    ("hidden_text", |value, builder, _| Ok(builder.hidden_text(choice(value, "hidden_text", HiddenText::ALL)?))),
    ("explain", |value, builder, _| Ok(builder.explain(value.extract()?))),
    ("positions", |value, builder, _| Ok(builder.positions(value.extract()?))),
    ("any_engine", |value, builder, _| Ok(builder.any_engine(value.extract()?))),
    ("engine", |value, builder, rendering| {
        rendering.engine = choice(value, "engine", EngineChoice::ALL)?;
        Ok(builder)
    }),
    ("browser", |value, builder, rendering| {
        rendering.browser = Some(value.extract::<PathBuf>()?);
        Ok(builder)
    }),
    ("sandbox", |value, builder, rendering| {
        rendering.no_sandbox = !value.extract::<bool>()?;
        Ok(builder)
    }),
    ("timeout", |value, builder, rendering| {
        let seconds: f64 = value.extract()?;
        if !(seconds > 0.0 && seconds < 1e6) {
            return Err(option_error(value.py(), &format!("timeout is {seconds}, allowed is above 0, in seconds")));
        }
        rendering.page_timeout_ms = (seconds * 1000.0).ceil() as u64;
        Ok(builder)
    }),
    ("scripts", |value, builder, rendering| {
        rendering.scripts = Some(value.extract()?);
        Ok(builder)
    }),
    ("tabs", |value, builder, rendering| {
        rendering.tabs = value.extract::<usize>()?.max(1);
        Ok(builder)
    }),
    ("allow_private", |value, builder, rendering| {
        rendering.allow_private = value.extract()?;
        Ok(builder)
    }),
    ("offline", |value, builder, rendering| {
        rendering.offline = value.extract()?;
        Ok(builder)
    }),
];

/// One of the choices of an option.
fn choice<T: Copy>(value: &Bound<'_, PyAny>, option: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let name: String = value.extract()?;
    let found = choices.iter().find(|(known, _)| *known == name).map(|(_, choice)| *choice);
    found.ok_or_else(|| {
        let names: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
        option_error(value.py(), &format!("{option} is {name}, allowed are {}", names.join(", ")))
    })
}

impl Settings {
    /// Reads the options; `None` stands for the default of each.
    pub(crate) fn read(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let given = PyDict::new(py);
        let mut builder = Cleaner::builder();
        let mut rendering = RenderOptions::default();
        for (name, value) in options.into_iter().flatten() {
            let name: String = name.extract()?;
            let Some((_, read)) = OPTIONS.iter().find(|(known, _)| *known == name) else {
                let names: Vec<&str> = OPTIONS.iter().map(|(known, _)| *known).collect();
                return Err(PyTypeError::new_err(format!(
                    "there is no option {name}; options are {}",
                    names.join(", ")
                )));
            };
            if !value.is_none() {
                builder = read(&value, builder, &mut rendering)?;
                given.set_item(name, value)?;
            }
        }
        let tabs = rendering.tabs;
        Ok(Self { given: given.unbind(), builder: builder.rendering(rendering), tabs })
    }

    /// Reads the model.
    pub(crate) fn build(&self, py: Python<'_>) -> PyResult<Arc<Cleaner>> {
        let builder = self.builder.clone();
        let built = py.detach(|| crate::fork::without_forks(|| builder.build()));
        built.map(Arc::new).map_err(|error| exception(py, "ModelError", &error.to_string()))
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
