//! Tries one rule on a page whose blocks are decided by their texts, for the tests of the rules.

use crate::capture::{Capture, Record};
use crate::classify::{Decision, Label};
use crate::document::page::PageParts;
use crate::error::CaptureError;
use crate::html::parse_html;
use crate::target::{TargetRule, select};

/// A rule with no options.
type PlainRule = fn(&PageParts<'_>, &mut [Decision]) -> Result<(), CaptureError>;

/// The texts that are kept after a rule; `probability` gives that of each block from its text.
pub(super) fn kept_if(
    rule: PlainRule,
    html: &str,
    probability: impl Fn(&str) -> f32,
) -> Vec<String> {
    let capture = Capture::parsed(parse_html(html), Record::parsed("x", None));
    let targets = select(&capture, TargetRule::Blocks);
    let texts: Vec<String> = targets
        .iter()
        .map(|target| target.text(&capture.dom))
        .collect();
    let decide = |text: &String| {
        let probability = probability(text);
        let label = if probability >= 0.5 {
            Label::Content
        } else {
            Label::Boilerplate
        };
        Decision {
            margin: 0.0,
            probability,
            label,
            comments: None,
        }
    };
    let mut decisions: Vec<Decision> = texts.iter().map(decide).collect();
    rule(&PageParts::new(&capture, &targets), &mut decisions).unwrap();
    texts
        .into_iter()
        .zip(decisions)
        .filter(|(_, made)| made.label == Label::Content)
        .map(|(text, _)| text)
        .collect()
}

/// The texts that are kept after a rule if the probability of each block is the number at its end,
/// in hundredths.
pub(super) fn kept_by(rule: PlainRule, html: &str) -> Vec<String> {
    kept_if(rule, html, |text| {
        let number = text.split(' ').next_back().unwrap();
        let number = number.trim_end_matches(['.', ']']);
        number.parse::<f32>().unwrap() / 100.0
    })
}
