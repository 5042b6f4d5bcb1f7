//! Tells pages that have no text of their own from others: logins, captchas, walls, error pages,
//! empty results and applications that scripts would fill.
//!
//! [`measures`] describes the whole page and what was kept of it by one row of numbers, among them
//! [`phrases`] in titles, headings and short blocks, words of the [`address`], and [`signatures`]
//! of systems. Random trees (`models/states.model`) estimate from them the probability that the
//! page has text. If it has none, the strongest evidence names the state. The decision is made
//! after the blocks' and changes none of them:
//! [`Document::expected_f`](crate::document::Document::expected_f) and the outputs carry it.

mod address;
mod embedded;
mod matcher;
mod measures;
mod phrases;
mod signatures;

pub(crate) use embedded::apply as take_embedded_text;
pub use measures::{StateMeasures, columns};
pub use phrases::entries as phrases;

use crate::capture::Capture;
use crate::classify::{LikelyState, Model, PageShape, PageState};
use crate::document::Document;
use crate::target::Target;
use std::sync::LazyLock;

/// Largest probability of text on a page that its scripts have not filled, or that has a decisive
/// signature. Heuristic: a notice that the page is loading is not its text.
pub const WITHOUT_TEXT: f32 = 0.1;

/// The trees that estimate whether a page has text.
#[derive(Debug)]
pub struct StateModel {
    model: Model,
}

/// The shape of the one row that the trees get.
fn one_row() -> PageShape {
    PageShape {
        lengths: vec![1],
        groups: vec![[0, 0]],
    }
}

impl StateModel {
    /// Checks that a model reads the columns of this version; `None` if it does not.
    pub fn new(model: Model) -> Option<Self> {
        let is_current = model.columns.iter().eq(columns().iter());
        is_current.then_some(Self { model })
    }

    /// The built-in model; `None` if it is not compiled in.
    pub(crate) fn built_in() -> Option<&'static Self> {
        static MODEL: LazyLock<Option<StateModel>> = LazyLock::new(|| {
            let model = Model::from_bytes(vclean_models::STATES?).ok()?;
            StateModel::new(model)
        });
        MODEL.as_ref()
    }

    /// Probability, 0 to 1, that a page with these measures has text.
    pub fn text_probability(&self, measures: &StateMeasures) -> f32 {
        let rows = measures.row();
        let margins = self.model.margins_of_rows(rows.view(), &one_row());
        let margin = margins.first().copied().unwrap_or_default();
        self.model.platt.probability(margin)
    }

    /// The state of a page.
    pub fn find(&self, capture: &Capture, targets: &[Target], document: &Document) -> LikelyState {
        let measures = StateMeasures::new(capture, targets, document);
        let mut text = self.text_probability(&measures);
        if measures.is_unfilled() || measures.is_decided() {
            text = text.min(WITHOUT_TEXT);
        }
        if text >= 0.5 {
            return LikelyState {
                state: PageState::Text,
                probability: text,
                reason: String::new(),
            };
        }
        let (state, reason) = measures.reason();
        LikelyState {
            state,
            probability: 1.0 - text,
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::extract;

    fn state(html: &str) -> LikelyState {
        extract(html, None).unwrap().state().unwrap().clone()
    }

    #[test]
    fn the_built_in_model_reads_the_columns_of_this_version() {
        assert!(StateModel::built_in().is_some());
        let login = state(
            "<title>Log in</title><body><h1>Log in</h1><form><label>Name</label><input name=n>\
             <label>Password</label><input type=password name=p><button>Log in</button></form>",
        );
        assert_eq!(login.state, PageState::Login);
        assert!(
            login.probability > 0.7 && login.reason == "title \"Log in\"",
            "{login:?}"
        );
        let text = "Herring gulls drop mussels on rocks, from a height that depends on the shell. ";
        let article = state(&format!(
            "<title>Gulls | Shore</title><nav><a href=/login>Log in</a></nav><article><h1>Gulls</h1>{}</article>",
            format!("<p>{}</p>", text.repeat(3)).repeat(5)
        ));
        assert_eq!((article.state, &*article.reason), (PageState::Text, ""));
        assert_eq!(article.describe(), None);
    }

    #[test]
    fn a_decisive_signature_and_an_unfilled_application_need_no_phrase() {
        let challenge = state("<body><div id=x></div><script>window._cf_chl_opt={}</script>");
        assert_eq!(challenge.state, PageState::Blocked);
        assert_eq!(challenge.reason, "signature of Cloudflare");
        let shell = state("<body><div id=root></div><script src=/app.js></script>");
        assert_eq!(shell.state, PageState::Shell);
        assert!(shell.text_probability() <= WITHOUT_TEXT);
    }
}
