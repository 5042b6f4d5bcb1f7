//! The baseline of ICE: every block is a paragraph and nothing is removed (Hofmann and Weerkamp
//! 2007, 3.1).

use super::super::passage;
use vclean_core::document::SegmentKind;
use vclean_core::error::{Error, ModelError};
use vclean_core::pipeline::{CleanPage, CleanedPage, Input, Method, MethodSettings, Sees};

pub(in crate::method) const METHOD: Method = Method {
    name: "ice-baseline",
    about: "every block-level element is a paragraph, two line breaks part paragraphs, nothing is removed",
    source: "Hofmann and Weerkamp 2007, section 3.1",
    year: super::lines::SOURCE_YEAR,
    sees: Sees::Source,
    parameters: &[],
    learns: false,
    make: |_: &MethodSettings| -> Result<Box<dyn CleanPage>, ModelError> { Ok(Box::new(Baseline)) },
};

struct Baseline;

impl CleanPage for Baseline {
    fn clean(&self, input: &Input<'_>) -> Result<CleanedPage, Error> {
        let blocks = super::lines::blocks(&input.capture.dom);
        let passages = blocks
            .into_iter()
            .map(|block| super::lines::passage(block, SegmentKind::Paragraph, true, 0.0));
        Ok(passage::document(input.capture, passages.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::clean_with;

    #[test]
    fn blocks_and_double_breaks_are_paragraphs() {
        let html = "<h1>Gulls</h1>plain<ul><li><a href=x>one</a><li>two</ul><p>a<br>b<br><br>c d";
        assert_eq!(
            clean_with("ice-baseline", &[], html),
            "Gulls\nplain\none\ntwo\na b\nc d\n"
        );
        let table = "<table><tr><td>a<td>b</table><script>x</script>";
        assert_eq!(clean_with("ice-baseline", &[], table), "a\nb\n");
    }
}
