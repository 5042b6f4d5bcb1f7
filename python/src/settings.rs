//! Reads the options of a cleaner from Python's keyword arguments.

use crate::errors::{option_error, page_error};
use crate::filters;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
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

/// Options whose values no message shows.
pub(crate) const SECRET: [&str; 5] = ["headers", "cookies", "storage_state", "actions", "proxy"];

/// A value of Python as JSON.
fn dumped(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let text: String = value
        .py()
        .import("json")?
        .call_method1("dumps", (value,))?
        .extract()?;
    serde_json::from_str(&text)
        .map_err(|error| pyo3::exceptions::PyValueError::new_err(error.to_string()))
}

/// The kind of an option, which decides how its value is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Cleaning,
    Rendering,
    Loading,
}

/// Names of all options of a cleaner. Options of writing are arguments of `Document`'s methods.
fn names() -> Vec<(String, Kind)> {
    let cleaning = Options::names()
        .into_iter()
        .filter(|name| !WRITING.contains(&name.as_str()))
        .map(|name| (name, Kind::Cleaning));
    let listed = |names: &'static [&'static str], kind| {
        names.iter().map(move |&name| (name.to_owned(), kind))
    };
    cleaning
        .chain(listed(RenderOptions::NAMES, Kind::Rendering))
        .chain(listed(LoadOptions::NAMES, Kind::Loading))
        .collect()
}

/// Descriptions of the options that the command line does not have.
const OWN_HELP: [(&str, &str); 2] = [
    ("explain", "give each block its `reasons`"),
    ("tabs", "pages rendered at a time"),
];

/// Names and descriptions of the options of a cleaner, as on the command line.
#[pyfunction]
pub(crate) fn _options() -> Vec<(String, String)> {
    let declared = vclean_cli::help_of_options();
    let names = names().into_iter().map(|(name, _)| name);
    names
        .map(|name| {
            let own = OWN_HELP.iter().find(|(known, _)| *known == name);
            let help = own
                .map(|(_, help)| (*help).to_owned())
                .or_else(|| declared.get(&name).cloned());
            (name, help.unwrap_or_default())
        })
        .collect()
}

/// The error for an option that does not exist, with the closest names.
fn unknown(py: Python<'_>, name: &str, names: &[(String, Kind)]) -> PyResult<PyErr> {
    let all: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let close: Vec<String> = py
        .import("difflib")?
        .getattr("get_close_matches")?
        .call1((name, all.clone(), 2))?
        .extract()?;
    let remedy = if close.is_empty() {
        format!("options are {}", all.join(", "))
    } else {
        format!(
            "did you mean {}? help(vclean.Cleaner) lists all",
            close.join(" or ")
        )
    };
    let cause = format!("there is no option {name}; {remedy}");
    Ok(option_error(py, &cause))
}

/// Converts a Python value to JSON; a mapping becomes a list of `NAME=VALUE`.
fn to_json(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(is_on) = value.extract::<bool>() {
        return Ok(is_on.into());
    }
    if let Ok(text) = value.extract::<String>() {
        return Ok(if name == "parameter" {
            vec![text].into()
        } else {
            text.into()
        });
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

/// Reads options; an error names the option that is wrong, its value, and what is allowed.
fn parse<T: DeserializeOwned>(
    given: &Bound<'_, PyDict>,
    members: Map<String, Value>,
) -> PyResult<T> {
    let read = |members| serde_json::from_value::<T>(Value::Object(members));
    read(members.clone()).map_err(|error| {
        let wrong = members.into_iter().find_map(|(name, value)| {
            let alone = |value: Value| {
                let members = Map::from_iter([(name.clone(), value)]);
                Some(read(members).err()?.to_string())
            };
            let error = alone(value)?;
            // An option with choices names them only for text.
            let choices = alone("?".into()).and_then(|error| choices(&error));
            let allowed = choices.or_else(|| expected(&error).map(str::to_owned));
            Some((name, error, allowed))
        });
        let cause = match wrong {
            Some((name, _, Some(allowed))) => {
                format!("`{name}` is {}; it is {allowed}", shown(given, &name))
            }
            Some((name, error, None)) if !error.contains(&format!("`{name}`")) => {
                format!("`{name}`: {error}")
            }
            Some((_, error, None)) => error,
            None => error.to_string(),
        };
        option_error(given.py(), &cause)
    })
}

/// A value as Python writes it, without secrets.
fn shown(given: &Bound<'_, PyDict>, name: &str) -> String {
    let value = given.get_item(name).ok().flatten();
    value.map_or_else(String::new, |value| {
        if SECRET.contains(&name) {
            value.get_type().to_string()
        } else {
            filters::shown(&value)
        }
    })
}

/// The choices that the error of an option names.
fn choices(error: &str) -> Option<String> {
    if let Some((_, names)) = error.split_once("; choose ") {
        return Some(names.to_owned());
    }
    let (_, names) = error
        .strip_prefix("unknown variant ")?
        .split_once(", expected ")?;
    Some(format!(
        "one of {}",
        names.replace('`', "").replace(" or ", ", ")
    ))
}

/// The value that an error of serde expects, in words of Python.
fn expected(error: &str) -> Option<&str> {
    let (_, wanted) = error.strip_prefix("invalid ")?.split_once(", expected ")?;
    Some(match wanted {
        "a boolean" => "True or False",
        "a string" => "text",
        "a sequence" => "a list",
        "a map" => "a dictionary",
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i64" => "a whole number",
        _ => wanted,
    })
}

impl Settings {
    /// Reads the options; a value of `None` stands for the default.
    pub(crate) fn read(py: Python<'_>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let given = PyDict::new(py);
        let (mut cleaning, mut rendering, mut loading) = (Map::new(), Map::new(), Map::new());
        let names = names();
        for (name, value) in options.into_iter().flatten() {
            let name: String = name.extract()?;
            let Some(&(_, kind)) = names.iter().find(|(known, _)| *known == name) else {
                return Err(unknown(py, &name, &names)?);
            };
            if value.is_none() {
                continue;
            }
            let (members, read) = match kind {
                Kind::Loading => (&mut loading, dumped(&value)),
                Kind::Rendering => (&mut rendering, to_json(&name, &value)),
                Kind::Cleaning => (&mut cleaning, to_json(&name, &value)),
            };
            given.set_item(&name, value)?;
            let read = read.map_err(|error| {
                let cause = error.value(py);
                option_error(
                    py,
                    &format!("`{name}` is {}: {cause}", shown(&given, &name)),
                )
            })?;
            members.insert(name, read);
        }
        let options: Options = parse(&given, cleaning)?;
        let rendering = RenderOptions {
            load: parse(&given, loading)?,
            ..parse(&given, rendering)?
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

    /// Time limit of a page, if one is given.
    pub(crate) fn time_limit(&self) -> Option<Duration> {
        self.rendering.limit.timeout
    }

    /// Number of pages that are rendered concurrently.
    pub(crate) fn tabs(&self) -> usize {
        self.tabs
    }
}
