//! A rule that acts after the model, and the trace of how a page was decided: the model, its
//! threshold, and the rules that changed its labels.

use crate::classify::{Decision, Label};
use serde::{Serialize, Serializer};

/// A rule that changes decisions of the model.
pub struct Rule {
    /// Its name in JSON.
    pub name: &'static str,
    /// Its effect in a few words, as shown to users.
    pub about: &'static str,
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
    /// The model that was named, or that fits the capture.
    #[default]
    Alone,
    /// The model for bare HTML, because the page has no style of its own, so its layout tells
    /// little.
    Unstyled,
    /// The model for bare HTML, because the others would have kept hardly any text.
    Doubted,
}

impl Deciding {
    /// An explanatory sentence; `None` if nothing needs to be explained.
    pub fn describe(self) -> Option<&'static str> {
        match self {
            Self::Alone => None,
            Self::Unstyled => {
                Some("the page has hardly any style of its own, so the model for bare HTML decided")
            }
            Self::Doubted => Some(
                "the model for rendered pages would have kept hardly any text, so that for bare HTML decided",
            ),
        }
    }
}

/// How a page was decided by our own method.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionTrace {
    /// Name of the model.
    pub model: String,
    /// Models that took part in the decision, and the reason.
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
    pub fn new(model: &str, deciding: Deciding, threshold: f32, decisions: &[Decision]) -> Self {
        Self {
            model: model.to_owned(),
            deciding,
            threshold,
            rules: vec![None; decisions.len()],
            labels: decisions.iter().map(|decision| decision.label).collect(),
        }
    }

    /// Notes which labels a rule has changed.
    pub(crate) fn note(&mut self, rule: &'static Rule, decisions: &[Decision]) {
        for ((changed, label), decision) in
            self.rules.iter_mut().zip(&mut self.labels).zip(decisions)
        {
            if *label != decision.label {
                (*changed, *label) = (Some(rule), decision.label);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn rule(name: &'static str) -> Rule {
        Rule { name, about: "" }
    }

    static ONE: Rule = rule("one");
    static OTHER: Rule = rule("other");

    #[test]
    fn the_last_rule_that_changed_a_label_is_noted() {
        use Label::{Boilerplate, Content};
        let decisions = |labels: [Label; 3]| {
            labels.map(|label| Decision {
                margin: 0.0,
                probability: 0.5,
                label,
                comments: None,
            })
        };
        let mut trace = DecisionTrace::new(
            "m",
            Deciding::Alone,
            0.5,
            &decisions([Content, Boilerplate, Boilerplate]),
        );
        trace.note(&ONE, &decisions([Content, Content, Content]));
        trace.note(&OTHER, &decisions([Content, Content, Boilerplate]));
        assert_eq!(trace.rules, [None, Some(&ONE), Some(&OTHER)]);
    }
}
