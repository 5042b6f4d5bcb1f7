//! Chooses the model that decides on the targets of a page, and makes the decisions.
//!
//! Unless a model is named or a precision requested, the model for bare HTML decides on rendered
//! pages that have no style of their own, or would keep no text: see [`Deciding`].

use super::models::Models;
use super::options::Options;
use crate::capture::Capture;
use crate::classify::{
    Decision, Label, LikelyKind, Model, PageDecision, PageShape, SiteMemory, SlotsOfPage,
};
use crate::document::{Deciding, DecisionTrace, PageParts, Rule};
use crate::error::{Error, ModelError};
use crate::features::{self, FeatureTable, Measuring};
use crate::target::Target;

/// Share of a page's text that must have a style for its layout to count. Measured on pages that
/// lost style sheets: with a smaller share, the model for bare HTML is better (`daniel`, train:
/// .933 against .924); all pages of `styled` have more.
const STYLED: f32 = 0.99;
/// Share of a page's text up to which a result is doubtful. Measured: pages whose rendered result
/// has less than a tenth of the text of the static one are nearly always wrong; a larger share
/// brings no improvement.
const DOUBTFUL_SHARE: f64 = 0.1;
/// Factor by which another result must keep more text to be preferred.
const MUCH_MORE: f64 = 10.0;

/// The model that decides on the targets of a page, or the two of which one does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Deciders<'m> {
    One(&'m Model),
    ByStyle {
        rendered: &'m Model,
        bare: &'m Model,
    },
}

/// Decisions on the targets of a page.
pub(super) struct Decided<'m> {
    pub(super) model: &'m Model,
    pub(super) decisions: Vec<Decision>,
    pub(super) kind: Option<LikelyKind>,
    threshold: f32,
    deciding: Deciding,
}

impl<'m> Deciders<'m> {
    /// Chooses the models for the targets of a capture. If some targets are hidden, the model for
    /// bare HTML decides: text that is not laid out has no features for the others.
    ///
    /// # Errors
    /// If a model cannot be read, or was trained on captures of another engine.
    pub(super) fn choose(
        models: &'m Models,
        capture: &Capture,
        targets: &[Target],
        options: &Options,
    ) -> Result<Self, Error> {
        let model = models.model(capture, options)?;
        let Some(bare) = models.for_bare_html(capture)? else {
            return Ok(Self::One(model));
        };
        if !targets.iter().all(Target::is_visible) {
            return Ok(Self::One(bare));
        }
        if options.min_precision.is_some() {
            return Ok(Self::One(model));
        }
        Ok(Self::ByStyle {
            rendered: model,
            bare,
        })
    }

    /// The features that the models read of a page.
    pub(super) fn measuring(self) -> Measuring<'m> {
        match self {
            Self::One(model) => model.measuring(),
            // Both models read columns of the table.
            Self::ByStyle { rendered, .. } => Measuring {
                columns: None,
                ..rendered.measuring()
            },
        }
    }

    /// Decides on the targets of a page by their features.
    ///
    /// # Errors
    /// If a column is missing, or the model cannot guarantee the precision.
    pub(super) fn decide(
        self,
        page: &PageParts<'_>,
        table: &FeatureTable,
        shape: &PageShape,
        min_precision: Option<f32>,
    ) -> Result<Decided<'m>, ModelError> {
        match self {
            Self::One(model) => {
                let threshold = min_precision
                    .map(|share| model.threshold_for(share))
                    .transpose()?;
                let decision = model.decide_page(table, shape, threshold)?;
                Ok(Decided::new(model, decision, Deciding::Alone))
            }
            Self::ByStyle { bare, .. } if is_unstyled(table) => {
                decide_as_bare(bare, page, table, shape, Deciding::Unstyled)
            }
            Self::ByStyle { rendered, .. } => {
                let decision = rendered.decide_page(table, shape, None)?;
                Ok(Decided::new(rendered, decision, Deciding::Alone))
            }
        }
    }

    /// The decisions of the model for bare HTML, if those of the other keep hardly any text.
    ///
    /// # Errors
    /// If a column is missing.
    pub(super) fn doubt(
        self,
        decided: &Decided<'_>,
        page: &PageParts<'_>,
        table: &FeatureTable,
        shape: &PageShape,
    ) -> Result<Option<Decided<'m>>, ModelError> {
        match self {
            Self::ByStyle { bare, .. }
                if decided.deciding == Deciding::Alone
                    && is_doubtful(shape, &decided.decisions) =>
            {
                decide_as_bare(bare, page, table, shape, Deciding::Doubted).map(Some)
            }
            _ => Ok(None),
        }
    }
}

/// Decides on a rendered page with the model for bare HTML, which has its own words of names and
/// tags.
fn decide_as_bare<'m>(
    bare: &'m Model,
    page: &PageParts<'_>,
    table: &FeatureTable,
    shape: &PageShape,
    deciding: Deciding,
) -> Result<Decided<'m>, ModelError> {
    let of_bare = bare.table_of(table, &page.capture().dom, page.targets());
    let decision = bare.decide_page(&of_bare, shape, None)?;
    Ok(Decided::new(bare, decision, deciding))
}

/// Returns true if hardly any text of a rendered page has a style.
fn is_unstyled(table: &FeatureTable) -> bool {
    features::styled_share(table).is_some_and(|share| share < STYLED)
}

/// Returns true if the decisions keep hardly any text of a page.
fn is_doubtful(shape: &PageShape, decisions: &[Decision]) -> bool {
    let all: f64 = shape.lengths.iter().map(|&length| f64::from(length)).sum();
    kept(shape, decisions) < DOUBTFUL_SHARE * all
}

/// Returns true if `other` keeps at least [`MUCH_MORE`] times as much text as `decisions`, and is
/// not doubtful itself.
fn is_much_more(shape: &PageShape, other: &[Decision], decisions: &[Decision]) -> bool {
    !is_doubtful(shape, other) && kept(shape, other) >= MUCH_MORE * kept(shape, decisions)
}

/// Number of kept characters, not counting white space.
fn kept(shape: &PageShape, decisions: &[Decision]) -> f64 {
    let content = shape
        .lengths
        .iter()
        .zip(decisions)
        .filter(|(_, decision)| decision.label == Label::Content);
    content.map(|(&length, _)| f64::from(length)).sum()
}

/// Noted for targets whose label was changed by other pages of the site.
static OTHER_PAGES: Rule = Rule {
    name: "other-pages",
    about: "other pages of its site say otherwise of this place or text",
};

impl<'m> Decided<'m> {
    fn new(model: &'m Model, decision: PageDecision, deciding: Deciding) -> Self {
        let PageDecision {
            targets: decisions,
            kind,
            threshold,
        } = decision;
        Self {
            model,
            decisions,
            kind,
            threshold,
            deciding,
        }
    }

    /// The trace of the decisions before any rule is applied.
    pub(super) fn trace(&self) -> DecisionTrace {
        DecisionTrace::new(
            &self.model.name,
            self.deciding,
            self.threshold,
            &self.decisions,
        )
    }

    /// Returns true if these decisions keep so much more text than `other` that they are preferred.
    pub(super) fn keeps_much_more_than(&self, other: &Self, shape: &PageShape) -> bool {
        is_much_more(shape, &self.decisions, &other.decisions)
    }

    /// Shifts the log odds of the decisions by those of other pages of the site. Comments remain
    /// comments.
    pub(super) fn correct_with(
        &mut self,
        sites: &SiteMemory,
        slots: &SlotsOfPage,
        trace: &mut DecisionTrace,
    ) {
        let Some(of_site) = sites.log_odds(slots, &self.decisions) else {
            return;
        };
        let platt = self.model.platt;
        for (decision, log_odds) in self.decisions.iter_mut().zip(of_site) {
            let before = decision.probability >= self.threshold;
            decision.margin = platt.moved(decision.margin, log_odds);
            decision.probability = platt.probability(decision.margin);
            let after = decision.probability >= self.threshold;
            if before != after && decision.label != Label::Comments {
                decision.label = if after {
                    Label::Content
                } else {
                    Label::Boilerplate
                };
                decision.comments = None;
            }
        }
        trace.note(&OTHER_PAGES, &self.decisions);
    }
}

#[cfg(test)]
mod tests {
    use super::super::load;
    use super::*;
    use crate::capture::Engine;

    fn hidden_text() -> Capture {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = folder.join("../../fixtures/captures/hidden-text");
        crate::files::load_capture(&folder).unwrap()
    }

    /// The texts that are kept of the fixture, with `rendered` in place of the model for rendered
    /// pages.
    fn decided_by(rendered: Model) -> (Deciding, Vec<String>) {
        let capture = hidden_text();
        let targets = crate::target::select(&capture, rendered.target_rule);
        let models = Models::new(None).unwrap();
        models.provide(Engine::Chromium, rendered);
        let parts = PageParts::new(&capture, &targets);
        let options = Options::default();
        let deciders = Deciders::choose(&models, &capture, &targets, &options).unwrap();
        let table = features::measure_with(&capture, &targets, &deciders.measuring()).unwrap();
        let shape = PageShape::measure(&capture.dom, &targets);
        let mut decided = deciders.decide(&parts, &table, &shape, None).unwrap();
        if let Some(other) = deciders.doubt(&decided, &parts, &table, &shape).unwrap() {
            assert!(other.keeps_much_more_than(&decided, &shape));
            decided = other;
        }
        let kept = targets.iter().zip(&decided.decisions);
        let kept = kept.filter(|(_, decision)| decision.label == Label::Content);
        let texts = kept.map(|(target, _)| target.text(&capture.dom));
        (decided.deciding, texts.collect())
    }

    #[test]
    fn a_rendered_page_that_would_lose_its_text_is_decided_as_bare_html() {
        let rendered = load("rendered").unwrap();
        let mut blind = rendered.clone();
        // This makes every probability 0.
        blind.platt.offset = 1000.0;
        let (deciding, texts) = decided_by(rendered);
        assert_eq!(deciding, Deciding::Alone);
        assert!(!texts.is_empty());
        let (deciding, of_bare) = decided_by(blind);
        assert_eq!(deciding, Deciding::Doubted);
        assert!(texts.iter().all(|text| of_bare.contains(text)));
    }

    #[test]
    fn the_model_for_bare_html_reads_the_same_of_a_rendered_page_and_decides_it_without_styles() {
        let capture = hidden_text();
        let (bare, rendered) = (load("static").unwrap(), load("rendered").unwrap());
        let targets = crate::target::select(&capture, rendered.target_rule);
        let (rendered, bare) = (&rendered, &bare);
        let deciders = Deciders::ByStyle { rendered, bare };
        let table = features::measure_with(&capture, &targets, &deciders.measuring()).unwrap();
        let shape = PageShape::measure(&capture.dom, &targets);
        let parsed = Capture::parsed(capture.dom.clone(), capture.record.clone());
        let of_parsed = features::measure_with(&parsed, &targets, &bare.measuring()).unwrap();
        let of_bare = bare.table_of(&table, &capture.dom, &targets);
        assert_eq!(
            bare.margins(&of_bare, &shape).unwrap(),
            bare.margins(&of_parsed, &shape).unwrap()
        );
        for (styled, deciding, name) in [
            (0.5, Deciding::Unstyled, "static"),
            (1.0, Deciding::Alone, "rendered"),
        ] {
            let mut table = table.clone();
            let column = table.column_index("visual.layout.styled_share").unwrap();
            table.rows.column_mut(column).fill(styled);
            let parts = PageParts::new(&capture, &targets);
            let decided = deciders.decide(&parts, &table, &shape, None).unwrap();
            assert_eq!((decided.deciding, &*decided.model.name), (deciding, name));
        }
    }

    fn decisions(labels: &[Label]) -> Vec<Decision> {
        let decision = |&label| Decision {
            margin: 0.0,
            probability: 0.5,
            label,
            comments: None,
        };
        labels.iter().map(decision).collect()
    }

    #[test]
    fn only_a_result_with_hardly_any_text_is_doubted_and_only_much_more_text_is_preferred() {
        use Label::{Boilerplate, Content};
        let shape = PageShape {
            lengths: vec![5, 60, 35],
            groups: vec![[0, 0]; 3],
        };
        let few = decisions(&[Content, Boilerplate, Boilerplate]);
        let many = decisions(&[Boilerplate, Content, Boilerplate]);
        let some = decisions(&[Boilerplate, Boilerplate, Content]);
        let none = decisions(&[Boilerplate; 3]);
        assert!(is_doubtful(&shape, &few) && is_doubtful(&shape, &none));
        assert!(!is_doubtful(&shape, &some) && !is_doubtful(&PageShape::default(), &[]));
        assert!(is_much_more(&shape, &many, &few) && !is_much_more(&shape, &some, &few));
        assert!(is_much_more(&shape, &some, &none) && !is_much_more(&shape, &few, &none));
        assert!(!is_much_more(&shape, &none, &none));
    }
}
