//! The parts of a page that users choose with selectors, as a step after the rules.

use super::options::Options;
use crate::capture::{Capture, Selectors};
use crate::classify::{Decision, Label};
use crate::document::{DecisionTrace, Rule};
use crate::error::{ModelError, Warning, WarningKind};
use crate::target::Target;

static KEEP: Rule = Rule {
    name: "keep",
    about: "only the parts that `keep` names are kept, and they are kept whole",
};
static DROP: Rule = Rule {
    name: "drop",
    about: "the parts that `drop` names are left out",
};

/// The selectors of the options `keep` and `drop`.
#[derive(Debug, Default)]
pub(super) struct ChosenParts {
    keep: Selectors,
    drop: Selectors,
    /// The selectors of `keep` as they were written.
    names: String,
}

impl ChosenParts {
    /// The choice in the options.
    ///
    /// # Errors
    /// If a selector is wrong.
    pub(super) fn new(options: &Options) -> Result<Self, ModelError> {
        let parse = |name: &str, texts: &[String]| {
            let parsed = Selectors::parse(texts);
            parsed.map_err(|cause| ModelError::Setting(format!("`{name}`: {cause}")))
        };
        Ok(Self {
            keep: parse("keep", &options.keep)?,
            drop: parse("drop", &options.drop)?,
            names: options.keep.join(", "),
        })
    }

    /// Returns true if nothing but named parts are kept.
    pub(super) fn keeps_parts_alone(&self) -> bool {
        !self.keep.is_empty()
    }

    /// Applies the choice to the decisions on the targets of a page.
    pub(super) fn apply(
        &self,
        capture: &Capture,
        targets: &[Target],
        decisions: &mut [Decision],
        trace: &mut DecisionTrace,
    ) {
        let parts = [(&self.keep, &KEEP), (&self.drop, &DROP)];
        for (selectors, rule) in parts.into_iter().filter(|(parts, _)| !parts.is_empty()) {
            let inside = selectors.inside(&capture.dom);
            let is_keep = rule == &KEEP;
            if is_keep && !inside.contains(&true) {
                continue;
            }
            for (target, decision) in targets.iter().zip(&mut *decisions) {
                decision.label = match (is_keep, is_in(target, &inside)) {
                    (true, true) => Label::Content,
                    (true, false) | (false, true) => Label::Boilerplate,
                    (false, false) => decision.label,
                };
            }
            trace.note(rule, decisions);
        }
    }

    /// The warning about a page without any part that is to be kept.
    pub(super) fn warning(&self, capture: &Capture) -> Option<Warning> {
        let is_missing = !self.keep.is_empty() && !self.keep.inside(&capture.dom).contains(&true);
        is_missing.then(|| {
            let text = format!(
                "no part of the page matches `keep` {}; it was cleaned without it",
                self.names
            );
            Warning::new(WarningKind::Other, text)
        })
    }
}

/// True for a target in a matching element. Its texts may all be in one that its container is
/// around.
fn is_in(target: &Target, inside: &[bool]) -> bool {
    let has = |node: crate::capture::NodeId| inside[node.index()];
    has(target.container) || !target.texts.is_empty() && target.texts.iter().all(|&text| has(text))
}

#[cfg(test)]
mod tests {
    use super::super::PageCleaner;
    use super::*;
    use crate::page::Page;

    const PAGE: &str = "<body><nav class=menu><a href=/>Home</a></nav><main><h1>Gulls</h1>\
        <p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is.</p>\
        <p class=share>Share this story</p></main><div class=box><p>Also here</p></div>";

    fn text(keep: &[&str], drop: &[&str]) -> (String, Vec<String>) {
        let all = |selectors: &[&str]| selectors.iter().map(ToString::to_string).collect();
        let options = Options {
            keep: all(keep),
            drop: all(drop),
            ..Options::default()
        };
        let cleaner = PageCleaner::new(&options).unwrap();
        let cleaned = cleaner.clean(&Page::from_html("x", PAGE)).unwrap();
        let warnings = cleaned.warnings().iter();
        (cleaned.text(), warnings.map(ToString::to_string).collect())
    }

    #[test]
    fn only_the_named_parts_are_kept() {
        assert_eq!(text(&[".box", "nav"], &[]).0, "Home\nAlso here\n");
        let (kept, warnings) = text(&["main"], &[".share, h1"]);
        assert!(
            kept.starts_with("Herring gulls") && !kept.contains("Share"),
            "{kept}"
        );
        assert!(warnings.is_empty(), "{warnings:?}");
        let (dropped, _) = text(&[], &["h1"]);
        assert!(dropped.starts_with("Herring gulls"), "{dropped}");
        let (kept, warnings) = text(&["#none"], &[]);
        assert!(kept.contains("Herring gulls"), "{kept}");
        assert!(
            warnings[0].contains("no part of the page matches `keep` #none"),
            "{warnings:?}"
        );
    }

    #[test]
    fn the_trace_names_the_choice_and_wrong_selectors_are_refused() {
        let options = Options {
            drop: vec!["h1".to_owned()],
            ..Options::default()
        };
        let cleaner = PageCleaner::new(&options).unwrap();
        let cleaned = cleaner.clean(&Page::from_html("x", PAGE)).unwrap();
        let trace = cleaned.document.trace.unwrap();
        let rules: Vec<&str> = trace.rules.iter().flatten().map(|rule| rule.name).collect();
        assert!(rules.contains(&"drop"), "{rules:?}");
        let wrong = Options {
            keep: vec!["p:hover".to_owned()],
            ..Options::default()
        };
        let cause = PageCleaner::new(&wrong).unwrap_err().to_string();
        assert!(cause.contains("`keep`: the selector p:hover"), "{cause}");
    }
}
