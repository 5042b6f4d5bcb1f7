//! The function `extract`, with the parameters of Trafilatura's function.

use crate::cleaner::Cleaner;
use crate::document::Document;
use crate::errors::option_error;
use crate::input::Page;
use crate::settings::Settings;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

/// Minimum precision that `favor_precision` and `favor_recall` request, as measured on held-out
/// sites; without either, the per-page threshold decides. Heuristic: on the dev pages, .9 raises
/// precision and costs a tenth of recall, and .7 the other way round.
const PRECISE: f32 = 0.9;
const COMPLETE: f32 = 0.7;

/// Trafilatura's names of formats, with ours.
const OTHER_NAMES: &[(&str, &str)] = &[("txt", "text"), ("xmltei", "tei")];

/// The arguments of `extract` that need different cleaners.
#[derive(Clone, Copy, Default)]
struct Choice {
    comments: bool,
    tables: bool,
    precision: bool,
    recall: bool,
}

impl Choice {
    fn number(self) -> usize {
        [self.comments, self.tables, self.precision, self.recall]
            .iter()
            .fold(0, |number, &choice| 2 * number + usize::from(choice))
    }

    /// The cleaner for this choice, built when it is first needed.
    fn cleaner(self, py: Python<'_>) -> PyResult<&'static Cleaner> {
        static CLEANERS: [PyOnceLock<Py<Cleaner>>; 16] = [const { PyOnceLock::new() }; 16];
        let cleaner = CLEANERS[self.number()].get_or_try_init(py, || {
            let options = PyDict::new(py);
            options.set_item("comments", if self.comments { "keep" } else { "drop" })?;
            options.set_item("no_tables", !self.tables)?;
            let precision = if self.precision {
                Some(PRECISE)
            } else {
                self.recall.then_some(COMPLETE)
            };
            options.set_item("min_precision", precision)?;
            Py::new(py, Cleaner::build(py, Settings::read(py, Some(&options))?)?)
        })?;
        Ok(cleaner.get())
    }
}

/// Returns the text of a page; see `_vclean.pyi`.
#[pyfunction]
#[pyo3(signature = (
    html, url=None, output_format="txt", include_comments=false, include_tables=true, include_links=false,
    favor_precision=false, favor_recall=false, with_metadata=false
))]
#[allow(
    clippy::fn_params_excessive_bools,
    clippy::too_many_arguments,
    reason = "these are the names users know"
)]
pub(crate) fn extract(
    html: &Bound<'_, PyAny>,
    url: Option<String>,
    output_format: &str,
    include_comments: bool,
    include_tables: bool,
    include_links: bool,
    favor_precision: bool,
    favor_recall: bool,
    with_metadata: bool,
) -> PyResult<Option<String>> {
    let py = html.py();
    if favor_precision && favor_recall {
        return Err(option_error(
            py,
            "favor_precision and favor_recall exclude each other; choose one",
        ));
    }
    let format = OTHER_NAMES
        .iter()
        .find(|(name, _)| *name == output_format)
        .map_or(output_format, |(_, ours)| ours);
    let choice = Choice {
        comments: include_comments,
        tables: include_tables,
        precision: favor_precision,
        recall: favor_recall,
    };
    let page = Page::in_memory(html, url)?;
    let document = Document::live(choice.cleaner(py)?.clean(py, page)?);
    if !document.has_text() {
        // An unknown format is an error also for a page without text.
        document.written(py, format, include_links)?;
        return Ok(None);
    }
    let has_front_matter = with_metadata && matches!(format, "text" | "cleaneval" | "markdown");
    if has_front_matter {
        return document
            .with_front_matter(py, format, include_links)
            .map(Some);
    }
    Ok(Some(
        document.written(py, format, include_links)?.into_owned(),
    ))
}
