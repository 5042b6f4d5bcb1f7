//! The rules that change decisions after the model, and the trace of how a page was decided: the model, its threshold, and
//! the rules that changed its labels.
//!
//! A rule is one function and one row of [`RULES`]: its name, when it applies, and what it does.

// Every rule has the signature of the table, also one that cannot fail.
#![allow(clippy::unnecessary_wraps)]

mod captions;
mod code;
mod details;
mod dialogs;
mod entries;
mod formulas;
mod headline;
mod hidden;
mod notes;
mod tables;
mod threshold;

pub use headline::find_headline;

use crate::capture::Capture;
use crate::classify::{Decision, Label};
use crate::error::CaptureError;
use crate::target::Target;
use serde::{Serialize, Serializer};

/// What the rules of a page depend on besides the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RuleOptions {
    /// Whether a precision was requested, which only the model can guarantee.
    pub is_precise: bool,
    /// Whether data tables are left out.
    pub without_tables: bool,
    /// Whether the headline is left out.
    pub without_headline: bool,
}

/// When a rule acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RulePhase {
    /// On the decisions of each model that decides on a page, before it is chosen whose decisions count.
    EachModel,
    /// On the decisions that count.
    Final,
}

/// Applies a rule to the decisions on the targets of a page.
pub(crate) type ApplyRule = fn(&Capture, &[Target], &mut [Decision]) -> Result<(), CaptureError>;

/// A rule that changes decisions of the model.
pub struct Rule {
    /// Its name in JSON.
    pub name: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
    /// When it acts.
    pub phase: RulePhase,
    /// Whether it acts with these options.
    pub applies: fn(&RuleOptions) -> bool,
    /// Changes the decisions, one for each target; fails if a picture of the capture is damaged.
    pub apply: ApplyRule,
}

/// All rules, in the order in which they act.
pub static RULES: &[Rule] = &[
    Rule {
        name: "whole-code",
        about: "the lines of a block of code are kept or dropped together",
        phase: RulePhase::EachModel,
        applies: |_| true,
        apply: code::keep_code_whole,
    },
    Rule {
        name: "whole-table",
        about: "a data table is kept whole or not at all",
        phase: RulePhase::EachModel,
        applies: |_| true,
        apply: tables::keep_tables_whole,
    },
    Rule {
        name: "entries",
        about: "what stands in the same place of each item of a list or row of a table is kept or dropped together",
        phase: RulePhase::EachModel,
        applies: |options| !options.is_precise,
        apply: entries::keep_entries_together,
    },
    Rule {
        name: "dialog",
        about: "a dialog is no part of the page's text",
        phase: RulePhase::EachModel,
        applies: |_| true,
        apply: dialogs::drop_dialogs,
    },
    Rule {
        name: "caption",
        about: "a caption between kept texts is kept",
        phase: RulePhase::EachModel,
        applies: |options| !options.is_precise,
        apply: captions::keep_captions,
    },
    Rule {
        name: "details",
        about: "what a summary unfolds is kept or dropped with it",
        phase: RulePhase::EachModel,
        applies: |options| !options.is_precise,
        apply: details::keep_details,
    },
    Rule {
        name: "formula",
        about: "a formula on a line of its own between kept texts is kept",
        phase: RulePhase::EachModel,
        applies: |options| !options.is_precise,
        apply: formulas::keep_formulas,
    },
    Rule {
        name: "note",
        about: "a footnote is kept with its mark",
        phase: RulePhase::EachModel,
        applies: |options| !options.is_precise,
        apply: notes::keep_notes,
    },
    Rule {
        name: "unseen",
        about: "text that a reader does not see is dropped",
        phase: RulePhase::EachModel,
        applies: |_| true,
        apply: hidden::drop_hidden,
    },
    Rule {
        name: "headline",
        about: "the page's headline is kept with its text",
        phase: RulePhase::Final,
        applies: |options| !options.is_precise && !options.without_headline,
        apply: headline::keep_headline,
    },
    Rule {
        name: "no-title",
        about: "the headline is left out on request",
        phase: RulePhase::Final,
        applies: |options| options.without_headline,
        apply: headline::drop_headline,
    },
    Rule {
        name: "no-tables",
        about: "data tables are left out on request",
        phase: RulePhase::Final,
        applies: |options| options.without_tables,
        apply: tables::drop_tables,
    },
];

/// Applies the rules of a phase in their order, and notes in the trace whose labels each has changed.
///
/// # Errors
/// If the node mask is damaged. It is read only where a rule needs it.
pub fn apply_rules(
    phase: RulePhase,
    (capture, targets): (&Capture, &[Target]),
    options: RuleOptions,
    decisions: &mut [Decision],
    trace: &mut DecisionTrace,
) -> Result<(), CaptureError> {
    for rule in RULES.iter().filter(|rule| rule.phase == phase && (rule.applies)(&options)) {
        (rule.apply)(capture, targets, decisions)?;
        trace.note(rule, decisions);
    }
    Ok(())
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name)
    }
}

/// Which models decided on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deciding {
    /// The named model alone.
    #[default]
    Alone,
    /// The model for rendered pages and that for bare HTML, which has the smaller weight.
    Together,
    /// The model for bare HTML, because the page has no style of its own, so that its layout says little.
    Unstyled,
    /// The model for bare HTML, because the others would have kept hardly any text.
    Doubted,
}

impl Deciding {
    /// What it means, as a sentence; `None` where nothing needs to be said.
    pub fn describe(self) -> Option<&'static str> {
        match self {
            Self::Alone => None,
            Self::Together => Some("the model for bare HTML decided with it, with a smaller weight"),
            Self::Unstyled => Some("the page has hardly any style of its own, so the model for bare HTML decided"),
            Self::Doubted => {
                Some("the model for rendered pages would have kept hardly any text, so that for bare HTML decided")
            }
        }
    }
}

/// How a page was decided by our own method.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionTrace {
    /// Name of the model.
    pub model: String,
    /// Whether another model decided with it, and why it decided.
    pub deciding: Deciding,
    /// Probability from which the model keeps blocks of this page, 0 to 1.
    pub threshold: f32,
    /// For each target, the last rule that changed its label after the model.
    pub rules: Vec<Option<&'static Rule>>,
    /// The labels after the last rule that was noted.
    labels: Vec<Label>,
}

impl DecisionTrace {
    /// The trace of a model's decisions.
    pub fn new(model: &str, threshold: f32, decisions: &[Decision]) -> Self {
        Self {
            model: model.to_owned(),
            deciding: Deciding::default(),
            threshold,
            rules: vec![None; decisions.len()],
            labels: decisions.iter().map(|decision| decision.label).collect(),
        }
    }

    /// Notes which labels a rule has changed.
    fn note(&mut self, rule: &'static Rule, decisions: &[Decision]) {
        for ((changed, label), decision) in self.rules.iter_mut().zip(&mut self.labels).zip(decisions) {
            if *label != decision.label {
                (*changed, *label) = (Some(rule), decision.label);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_rules_are_permanent() {
        let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
        assert_eq!(
            names,
            [
                "whole-code",
                "whole-table",
                "entries",
                "dialog",
                "caption",
                "details",
                "formula",
                "note",
                "unseen",
                "headline",
                "no-title",
                "no-tables",
            ]
        );
    }

    #[test]
    fn the_last_rule_that_changed_a_label_is_noted() {
        use Label::{Boilerplate, Content};
        let decisions =
            |labels: [Label; 3]| labels.map(|label| Decision { margin: 0.0, probability: 0.5, label, comments: None });
        let mut trace = DecisionTrace::new("m", 0.5, &decisions([Content, Boilerplate, Boilerplate]));
        trace.note(&RULES[0], &decisions([Content, Content, Content]));
        trace.note(&RULES[4], &decisions([Content, Content, Boilerplate]));
        assert_eq!(trace.rules, [None, Some(&RULES[0]), Some(&RULES[4])]);
    }
}
