//! The filters of `Cleaner.clean_many`.

use crate::errors::option_error;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use vclean::classify::PageState;
use vclean::run::{CorpusOptions, Filter, Treatment, parse_language};

/// Names of the filters, as on the command line.
const NAMES: [&str; 5] = [
    "languages",
    "states",
    "min_words",
    "max_words",
    "near_duplicates",
];

/// Reads the filters; `None` if none is on.
pub(crate) fn read(py: Python<'_>, given: Option<&Bound<'_, PyDict>>) -> PyResult<Option<Filter>> {
    let mut options = CorpusOptions::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        if !NAMES.contains(&name.as_str()) {
            let cause = format!(
                "there is no option {name} of clean_many; its filters are {}, and options of cleaning are those of vclean.Cleaner",
                NAMES.join(", ")
            );
            return Err(option_error(py, &cause));
        }
        if value.is_none() {
            continue;
        }
        set(&mut options, &name, &value).map_err(|cause| {
            option_error(py, &format!("`{name}` is {}; {cause}", shown(&value)))
        })?;
    }
    Ok(options.is_on().then(|| Filter::new(options)))
}

/// Sets a filter; an error says what is allowed.
fn set(options: &mut CorpusOptions, name: &str, value: &Bound<'_, PyAny>) -> Result<(), String> {
    let number = || {
        let read = value.extract::<usize>();
        read.map_err(|_| "it is a whole number".to_owned())
    };
    match name {
        "languages" => {
            let codes = words(value)?;
            options.languages = codes
                .iter()
                .map(|code| parse_language(code))
                .collect::<Result<_, _>>()?;
        }
        "states" => {
            options.states = words(value)?
                .iter()
                .map(|name| state(name))
                .collect::<Result<_, _>>()?
        }
        "min_words" => options.min_words = Some(number()?),
        "max_words" => options.max_words = Some(number()?),
        _ => {
            let chosen = value
                .extract::<String>()
                .ok()
                .filter(|chosen| chosen == "drop");
            chosen.ok_or("it is \"drop\"")?;
            options.near_duplicates = Some(Treatment::Drop);
        }
    }
    Ok(())
}

fn state(name: &str) -> Result<PageState, String> {
    let names: Vec<&str> = PageState::ALL.iter().map(|state| state.name()).collect();
    PageState::from_name(name).ok_or_else(|| format!("states are {}", names.join(", ")))
}

/// Reads one or several words.
fn words(value: &Bound<'_, PyAny>) -> Result<Vec<String>, String> {
    let list = if value.is_instance_of::<PyString>() {
        value
            .extract()
            .map(|text: String| text.split(',').map(|word| word.trim().to_owned()).collect())
    } else {
        value.extract()
    };
    list.map_err(|_: PyErr| "it is a list of words".to_owned())
}

/// A value as Python writes it.
pub(crate) fn shown(value: &Bound<'_, PyAny>) -> String {
    value
        .repr()
        .map(|text| text.to_string())
        .unwrap_or_default()
}
