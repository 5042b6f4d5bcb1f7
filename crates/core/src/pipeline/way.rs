//! The only path of a page from its capture to its document:
//!
//! ```text
//! visible(capture) -> targets -> table -> decide -> rules -> document
//! ```
//!
//! Each step is one function, in this file or in the module that it names. Text that readers do not
//! see is selected like all other text and marked in its target. It is measured and decided on only
//! if the visible text leaves the page nearly empty.

use super::chosen_parts::ChosenParts;
use super::cleaned_page::CleanedPage;
use super::decide::{Decided, Deciders};
use super::hidden_text::{self, Kept};
use super::models::Models;
use super::options::{HiddenText, Options};
use super::stop::StopRequest;
use crate::capture::Capture;
use crate::classify::{LikelyState, PageShape, PageState, SiteMemory, SlotsOfPage};
use crate::document::{self, DecisionTrace, Document, PageParts, PruneOptions, RuleOptions};
use crate::error::Error;
use crate::features::{self, FeatureTable, Measuring};
use crate::state::{self, StateModel};
use crate::target::{self, Target, TargetRule};
use std::borrow::Cow;

/// Number of features that are listed for each target when decisions are explained. Heuristic: they
/// fit into a tooltip.
const REASONS: usize = 6;

/// The models and options that decide on pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setup<'s> {
    pub(super) models: &'s Models,
    pub(super) options: &'s Options,
    /// Knowledge about sites, if the options name a file.
    pub(super) sites: Option<&'s SiteMemory>,
    /// Parts that the options choose.
    pub(super) parts: &'s ChosenParts,
    pub(super) stop: &'s StopRequest,
}

/// Takes a page from its capture to its document.
///
/// # Errors
/// If the page's pictures are damaged, or the model needs features that this page does not have.
pub(super) fn clean(capture: &Capture, setup: Setup<'_>) -> Result<CleanedPage, Error> {
    let capture = &*visible(capture, setup.options.hidden);
    let model = setup.models.model(capture, setup.options)?;
    let rule = setup.options.targets.unwrap_or(model.target_rule);
    if setup.options.hidden == HiddenText::Keep {
        let targets = target::select_with_hidden(capture, rule);
        let (table, document) =
            Answer::find(PageParts::new(capture, &targets), setup)?.document(setup)?;
        return Ok(CleanedPage::new(targets, table, document));
    }
    let (targets, hidden): (Vec<Target>, Vec<Target>) = target::select_all(capture, rule)
        .into_iter()
        .partition(Target::is_visible);
    let answer = Answer::find(PageParts::new(capture, &targets), setup)?;
    if setup.options.hidden != HiddenText::Drop
        && hidden_text::may_be_the_text(capture, &hidden, &answer.kept())
    {
        let targets = hidden_text::in_order(&targets, &hidden);
        let answer = Answer::find(PageParts::new(capture, &targets), setup)?;
        if hidden_text::is_most_of(&answer.kept()) {
            let (table, document) = answer.document(setup)?;
            return Ok(CleanedPage::new(targets, table, document));
        }
    }
    let (table, mut document) = answer.document(setup)?;
    document.hidden_letters = hidden_text::running_letters(capture, &hidden);
    Ok(CleanedPage::new(targets, table, document))
}

/// The capture with all text that counts as visible. It is a copy if all hidden text is to be kept,
/// or all text that may be hidden is to be dropped.
pub(super) fn visible(capture: &Capture, hidden: HiddenText) -> Cow<'_, Capture> {
    let Some(layout) = &capture.layout else {
        return Cow::Borrowed(capture);
    };
    let layout = match hidden {
        HiddenText::Keep => layout.with_all_shown(),
        HiddenText::Drop if layout.has_doubted() => layout.with_doubted_hidden(),
        HiddenText::Drop | HiddenText::Auto | HiddenText::Report => return Cow::Borrowed(capture),
    };
    Cow::Owned(Capture {
        layout: Some(layout),
        ..capture.clone()
    })
}

/// The visible targets of a page and their features, computed by the stages before the model.
///
/// # Errors
/// If the pictures are damaged.
pub fn measure(
    capture: &Capture,
    rule: TargetRule,
    measuring: &Measuring<'_>,
) -> Result<(Vec<Target>, FeatureTable), Error> {
    let targets = target::select(capture, rule);
    let table = features::measure_with(capture, &targets, measuring)?;
    Ok((targets, table))
}

/// The results for the targets of a page.
struct Answer<'m, 'p> {
    parts: PageParts<'p>,
    table: FeatureTable,
    decided: Decided<'m>,
    trace: DecisionTrace,
}

impl<'m, 'p> Answer<'m, 'p> {
    /// Measures targets, decides on them, and applies the rules. If the models for a rendered page
    /// keep hardly any text, the model for bare HTML is tried too.
    fn find(parts: PageParts<'p>, setup: Setup<'m>) -> Result<Self, Error> {
        let options = setup.options;
        let (capture, targets) = (parts.capture(), parts.targets());
        setup.stop.check()?;
        let deciders = Deciders::choose(setup.models, capture, targets, options)?;
        let table = features::measure_with(capture, targets, &deciders.measuring())?;
        setup.stop.check()?;
        let shape = PageShape::measure(&capture.dom, targets);
        let decided = deciders.decide(&parts, &table, &shape, options.min_precision)?;
        setup.stop.check()?;
        let (mut decided, mut trace) = correct(decided, &parts, setup)?;
        if let Some(other) = deciders.doubt(&decided, &parts, &table, &shape)? {
            let other = correct(other, &parts, setup)?;
            if other.0.keeps_much_more_than(&decided, &shape) {
                (decided, trace) = other;
            }
        }
        Ok(Self {
            parts,
            table,
            decided,
            trace,
        })
    }

    /// The targets that are kept.
    fn kept(&self) -> Kept<'p> {
        let (capture, targets) = (self.parts.capture(), self.parts.targets());
        Kept::new(capture, targets, &self.decided.decisions)
    }

    /// Makes the document from the kept targets.
    fn document(self, setup: Setup<'_>) -> Result<(FeatureTable, Document), Error> {
        setup.stop.check()?;
        let (capture, targets) = (self.parts.capture(), self.parts.targets());
        let doubted_blocks = self.kept().count_hidden();
        let Decided {
            model,
            decisions,
            kind,
            ..
        } = self.decided;
        let Options {
            comments,
            text_only,
            explain,
            ..
        } = *setup.options;
        let reasons = if explain {
            let order: Vec<usize> = (0..targets.len()).collect();
            let table = model.table_of(&self.table, &capture.dom, targets);
            model.reasons(&table, &order, REASONS)?
        } else {
            vec![Vec::new(); targets.len()]
        };
        let options = PruneOptions {
            comments,
            kind,
            text_only,
        };
        let mut document = Document {
            trace: Some(self.trace),
            doubted_blocks,
            ..document::prune_with(&self.parts, &decisions, reasons, options)
        };
        document.state =
            StateModel::built_in().map(|states| states.find(capture, targets, &document));
        let may_be_in_data =
            |likely: &LikelyState| matches!(likely.state, PageState::Shell | PageState::Empty);
        let may_be_in_data = document.state.as_ref().is_some_and(may_be_in_data);
        if may_be_in_data && !setup.parts.keeps_parts_alone() {
            state::take_embedded_text(&mut document, &capture.dom);
        }
        Ok((self.table, document))
    }
}

/// Corrects decisions by other pages of the site, if some are known, and by the rules.
fn correct<'m>(
    mut decided: Decided<'m>,
    parts: &PageParts<'_>,
    setup: Setup<'_>,
) -> Result<(Decided<'m>, DecisionTrace), Error> {
    let mut trace = decided.trace();
    if let Some(sites) = setup.sites
        && let Some(slots) = SlotsOfPage::collect(parts.capture(), parts.targets())
    {
        decided.correct_with(sites, &slots, &mut trace);
    }
    let rules = RuleOptions {
        is_precise: setup.options.min_precision.is_some(),
        no_tables: setup.options.no_tables,
        no_title: setup.options.no_title,
    };
    document::apply_rules(parts, rules, &mut decided.decisions, &mut trace)?;
    let (capture, targets) = (parts.capture(), parts.targets());
    let decisions = &mut decided.decisions;
    setup.parts.apply(capture, targets, decisions, &mut trace);
    Ok((decided, trace))
}

#[cfg(test)]
mod tests {
    use super::super::PageCleaner;
    use super::*;
    use crate::capture::Record;
    use crate::classify::Label;

    #[test]
    fn only_what_a_named_model_reads_is_measured() {
        let html = "<nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks, from a height that \
                    depends on how hard the shell is.</p><footer><a href=/x>Imprint</a></footer>";
        let capture = Capture::parsed(crate::html::parse_html(html), Record::parsed("x", None));
        let clean = |model: &str| {
            PageCleaner::new(&Options::with_model(model))
                .unwrap()
                .clean_capture(&capture)
                .unwrap()
        };
        let (fast, usual) = (clean("fast"), clean("static"));
        let has = |cleaned: &CleanedPage, group: &str| {
            cleaned
                .table
                .columns
                .iter()
                .any(|column| features::is_in_group(column, group))
        };
        assert!(has(&fast, "context") && !has(&fast, "record") && !has(&fast, "page"));
        assert!(has(&usual, "context") && has(&usual, "record") && has(&usual, "page"));
        let text = |cleaned: &CleanedPage| {
            cleaned
                .document
                .segments
                .iter()
                .map(crate::document::Segment::text)
                .collect::<Vec<_>>()
        };
        assert!(text(&fast).concat().contains("drop mussels"));
        assert_eq!(text(&fast), text(&usual));
    }

    #[test]
    fn a_caption_in_the_text_is_kept_unless_a_precision_is_asked_for() {
        let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../fixtures/site/article/index.html");
        let dom = crate::html::parse_html(&std::fs::read_to_string(page).unwrap());
        let capture = Capture::parsed(dom, Record::parsed("x", None));
        let caption = |min_precision| {
            let cleaner = PageCleaner::new(&Options {
                min_precision,
                ..Options::default()
            });
            let cleaned = cleaner.unwrap().clean_capture(&capture).unwrap();
            let mut reports = cleaned.document.targets.into_iter();
            reports
                .find(|report| report.text.starts_with("The Marigold at her berth"))
                .unwrap()
                .decision
        };
        assert_eq!(caption(None).label, Label::Content);
        let strict = caption(Some(0.95));
        assert!(
            strict.probability < 0.5 && strict.label == Label::Boilerplate,
            "{strict:?}"
        );
    }
}
