//! The function `evaluate`: texts against gold texts, by the measures of `vclean lab evaluate`.

use crate::errors::option_error;
use crate::waiting::do_quickly;
use pyo3::prelude::*;
use serde_json::{Value, json};
use vclean_lab::evaluate::summary::SCORES;
use vclean_lab::evaluate::{TextAndGold, compare_texts};

/// Returns the scores of each page and over all pages, as JSON; see `vclean/evaluation.py`.
#[pyfunction]
pub(crate) fn _evaluate(
    py: Python<'_>,
    names: Vec<String>,
    gold: Vec<String>,
    texts: Vec<Option<String>>,
    languages: Vec<String>,
    seed: u64,
) -> PyResult<String> {
    if [names.len(), texts.len(), languages.len()] != [gold.len(); 3] {
        let cause = format!(
            "there are {} gold texts, {} texts and {} languages",
            gold.len(),
            texts.len(),
            languages.len()
        );
        return Err(option_error(py, &cause));
    }
    let pages = names.iter().zip(&gold).zip(&texts).zip(&languages);
    let pages: Vec<TextAndGold<'_>> = pages
        .map(|(((id, gold), text), language)| TextAndGold {
            id,
            gold,
            text: text.as_deref(),
            language,
        })
        .collect();
    let (scores, summary) = do_quickly(py, "", || compare_texts(&pages, seed))?;
    let of_page = |page: &vclean_lab::evaluate::PageScore| -> Value {
        let figures = SCORES
            .iter()
            .filter_map(|score| Some((score.name.to_owned(), json!((score.measure)(page)?))));
        json!({ "name": page.id, "has_output": page.has_output, "scores": figures.collect::<serde_json::Map<_, _>>() })
    };
    let pages: Vec<Value> = scores.iter().map(of_page).collect();
    Ok(json!({ "summary": summary, "pages": pages }).to_string())
}
