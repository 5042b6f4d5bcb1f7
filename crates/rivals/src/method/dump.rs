//! The plain text of the page, nothing removed: the baseline of FIASCO (section 6), which wrote the
//! text of pages with Lynx.

use vclean_core::classify::{Decision, Label};
use vclean_core::document;
use vclean_core::error::{Error, ModelError};
use vclean_core::features::FeatureTable;
use vclean_core::pipeline::{CleanPage, CleanedPage, Input, Method, MethodSettings, Sees};
use vclean_core::target::{TargetRule, select};

pub(super) const METHOD: Method = Method {
    name: "dump",
    about: "the plain text of the page, nothing removed",
    source: "Bauer et al. 2007, section 6",
    year: 2007,
    sees: Sees::Source,
    parameters: &[],
    learns: false,
    make: |_: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> { Ok(Box::new(Dump)) },
};

struct Dump;

impl CleanPage for Dump {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let targets = select(input.capture, TargetRule::Blocks);
        let kept = Decision {
            margin: 0.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let decisions = vec![kept; targets.len()];
        let document = document::prune(input.capture, &targets, &decisions, Vec::new());
        let table = FeatureTable::without_columns(targets.len());
        Ok(CleanedPage::new(targets, table, document))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::clean_with;

    #[test]
    fn no_visible_text_is_removed() {
        let html =
            "<nav><a href=/>Home</a></nav><p>Text.</p><script>x()</script><footer>Imprint</footer>";
        assert_eq!(clean_with("dump", &[], html), "Home\nText.\nImprint\n");
    }
}
