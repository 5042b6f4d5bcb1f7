//! The decision on a block, with everything that is known of it.

use super::elsewhere::{self, Elsewhere};
use super::words::{comparable, holding, nearest, nearest_part, spanned};
use crate::capture::{Capture, CssRect, NodeId, Positions};
use crate::classify::{Label, LikelyKind, Reason};
use crate::document::{Deciding, Document, Rule, SegmentKind, TargetReport};
use crate::features::{describe, describe_on_request};
use crate::pipeline::CleanedPage;
use crate::text::{collapse, excerpt, excerpt_end};
use serde::Serialize;
use thiserror::Error;

/// Largest number of blocks that are explained if each has the words.
const MAX_BLOCKS: usize = 3;
/// Largest number of blocks that are explained if the words run over them.
const MAX_SPANNED: usize = 8;
/// Number of neighbors on each side.
const NEIGHBORS: usize = 2;
/// Largest number of characters of a neighbor's text.
const NEIGHBOR_CHARS: usize = 100;
/// Largest number of characters of the nearest text, and of a path.
const NEAR_CHARS: usize = 120;
const PATH_CHARS: usize = 400;

/// Why nothing can be explained.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExplainError {
    /// No letters to look for.
    #[error(
        "there are no words to look for; give some words of the block, such as \"drop mussels on rocks\""
    )]
    NoWords,
    /// The method has no blocks.
    #[error(
        "the method {0} decides on lines of the source, so no block can be explained; use the method vclean"
    )]
    NoBlocks(String),
    /// The words are nowhere on the page.
    #[error("no text of the page has the words \"{words}\"{}{}", near_text(near.as_deref()), advice(*is_rendered))]
    NotFound {
        /// The words, with white space collapsed.
        words: String,
        /// The nearest part of a text.
        near: Option<String>,
        /// Whether the page was rendered.
        is_rendered: bool,
    },
}

fn near_text(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; the nearest is \"{near}\""))
}

fn advice(is_rendered: bool) -> &'static str {
    if is_rendered {
        ""
    } else {
        "; text that scripts write is only there with `render`"
    }
}

/// Why the blocks with certain words were kept or dropped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The words, with white space collapsed.
    pub words: String,
    /// The page.
    pub page: ExplainedPage,
    /// The blocks that have the words, best match first; if no block has all of them, those over
    /// which they run.
    pub blocks: Vec<ExplainedBlock>,
    /// Whether the words run over all these blocks; otherwise each has them.
    pub is_over_several: bool,
    /// Number of further blocks with the words.
    pub more: usize,
    /// Where the words are if no block has them.
    pub elsewhere: Vec<Elsewhere>,
}

/// The page of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedPage {
    /// The input as the user named it.
    pub input: String,
    /// Its address, if it is known.
    pub url: Option<String>,
    /// What read it: parser, builtin or chromium.
    pub engine: &'static str,
    /// The method that decided.
    pub method: String,
    /// The model that decided, if it is our method.
    pub model: Option<String>,
    /// Whether another model decided with it, and why it decided.
    pub deciding: Deciding,
    /// Probability from which blocks of this page are kept, 0 to 1, if it is our method.
    pub threshold: Option<f32>,
    /// What kind of page it is, if the model tells kinds apart.
    pub kind: Option<LikelyKind>,
    /// Number of its blocks.
    pub blocks: usize,
    /// Number of kept blocks.
    pub kept: usize,
}

/// A block, and why it was kept or dropped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedBlock {
    /// Its index among the blocks of the page, from 0.
    pub block: usize,
    /// Its label.
    pub label: Label,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// Signed distance from the decision boundary; above 0 means content.
    pub margin: f32,
    /// Calibrated probability, 0 to 1, that it is a reader's comment if it is not content.
    pub comment_probability: Option<f32>,
    /// The rule that changed its label after the model, if one did.
    pub rule: Option<&'static Rule>,
    /// The kind of the part of the text that it is written in; `None` if it is not written.
    pub written_as: Option<SegmentKind>,
    /// Tags from the root to the element that contains it; the end of a long path.
    pub path: String,
    /// That element as an XPath for `document.evaluate` of a browser.
    pub xpath: String,
    /// Its box, in CSS px from the top left corner of the page; `None` for a page that was not
    /// rendered.
    pub rect: Option<CssRect>,
    /// Its text, with white space collapsed.
    pub text: String,
    /// The features that weighed most, most first; none for published methods.
    pub reasons: Vec<ExplainedReason>,
    /// The blocks before it, nearest first.
    pub before: Vec<Neighbor>,
    /// The blocks after it, nearest first.
    pub after: Vec<Neighbor>,
}

/// A feature that weighed much.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedReason {
    /// Its permanent name.
    pub feature: String,
    /// What it measures.
    pub meaning: &'static str,
    /// Its value.
    pub value: f32,
    /// How much the margin would fall without it; above 0 speaks for content.
    pub weight: f32,
}

/// A block beside an explained one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbor {
    /// Its index among the blocks of the page, from 0.
    pub block: usize,
    /// Its label.
    pub label: Label,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// The rule that changed its label after the model, if one did.
    pub rule: Option<&'static Rule>,
    /// The first 100 characters of its text.
    pub text: String,
}

/// Explains the decisions on the blocks that have some words; letters are compared without case,
/// white space is collapsed. `cleaned` must have been made from `capture`, with reasons.
///
/// # Errors
/// If the words are nowhere on the page, or the method has no blocks.
pub fn explain(
    capture: &Capture,
    cleaned: &CleanedPage,
    method: &str,
    words: &str,
) -> Result<Explanation, ExplainError> {
    let wanted = comparable(words);
    if wanted.is_empty() {
        return Err(ExplainError::NoWords);
    }
    let document = &cleaned.document;
    if document.targets.is_empty() && !document.segments.is_empty() {
        return Err(ExplainError::NoBlocks(method.to_owned()));
    }
    let texts: Vec<String> = document
        .targets
        .iter()
        .map(|report| comparable(&report.text))
        .collect();
    let mut found = holding(&texts, &wanted);
    let (mut more, mut is_over_several) = (found.len().saturating_sub(MAX_BLOCKS), false);
    found.truncate(MAX_BLOCKS);
    if found.is_empty() {
        found = spanned(&texts, &wanted);
        is_over_several = !found.is_empty();
        more = found.len().saturating_sub(MAX_SPANNED);
        found.truncate(MAX_SPANNED);
    }
    let elsewhere = if found.is_empty() {
        elsewhere::find(capture, &cleaned.targets, &wanted)
    } else {
        Vec::new()
    };
    if found.is_empty() && elsewhere.is_empty() {
        let near = nearest(&texts, &wanted);
        let near =
            near.map(|index| nearest_part(&document.targets[index].text, &wanted, NEAR_CHARS));
        let is_rendered = capture.layout.is_some();
        return Err(ExplainError::NotFound {
            words: collapse(words),
            near,
            is_rendered,
        });
    }
    let positions = Positions::new(&capture.dom);
    let explained = |index: usize| explained_block(capture, cleaned, &positions, index);
    Ok(Explanation {
        words: collapse(words),
        page: explained_page(capture, document, method),
        blocks: found.into_iter().map(explained).collect(),
        is_over_several,
        more,
        elsewhere,
    })
}

fn explained_page(capture: &Capture, document: &Document, method: &str) -> ExplainedPage {
    let trace = document.trace.as_ref();
    let is_kept = |report: &&TargetReport| report.decision.label == Label::Content;
    ExplainedPage {
        input: capture.record.input.clone(),
        url: capture.address().map(str::to_owned),
        engine: capture.record.engine.name(),
        method: method.to_owned(),
        model: trace.map(|trace| trace.model.clone()),
        deciding: trace.map(|trace| trace.deciding).unwrap_or_default(),
        threshold: trace.map(|trace| trace.threshold),
        kind: document.kind,
        blocks: document.targets.len(),
        kept: document.targets.iter().filter(is_kept).count(),
    }
}

fn explained_block(
    capture: &Capture,
    cleaned: &CleanedPage,
    positions: &Positions,
    index: usize,
) -> ExplainedBlock {
    let document = &cleaned.document;
    let report = &document.targets[index];
    let rule = |block: usize| {
        document
            .trace
            .as_ref()
            .and_then(|trace| trace.rules.get(block).copied().flatten())
    };
    let neighbor = |block: usize| {
        let report = &document.targets[block];
        let text = excerpt(&report.text, NEIGHBOR_CHARS).to_owned();
        let decision = &report.decision;
        Neighbor {
            block,
            label: decision.label,
            probability: decision.probability,
            rule: rule(block),
            text,
        }
    };
    ExplainedBlock {
        block: index,
        label: report.decision.label,
        probability: report.decision.probability,
        margin: report.decision.margin,
        comment_probability: report.decision.comments,
        rule: rule(index),
        written_as: written_as(document, index, &cleaned.targets[index].texts),
        path: excerpt_end(&report.path, PATH_CHARS).to_owned(),
        xpath: positions.xpath_for_browsers(&capture.dom, cleaned.targets[index].container),
        rect: report.rect,
        text: report.text.clone(),
        reasons: report.reasons.iter().map(explained_reason).collect(),
        before: (0..index).rev().take(NEIGHBORS).map(neighbor).collect(),
        after: (index + 1..document.targets.len())
            .take(NEIGHBORS)
            .map(neighbor)
            .collect(),
    }
}

/// The kind of the segment that has a text of the target, or that says to be made from it.
fn written_as(document: &Document, target: usize, texts: &[NodeId]) -> Option<SegmentKind> {
    let comments = document
        .comments
        .iter()
        .flat_map(|comments| &comments.segments);
    let holds = |segment: &&crate::document::Segment| {
        let mut nodes = segment.spans.iter().flat_map(|span| &span.nodes).peekable();
        if nodes.peek().is_none() {
            segment.target == target
        } else {
            nodes.any(|node| texts.contains(node))
        }
    };
    document
        .segments
        .iter()
        .chain(comments)
        .find(holds)
        .map(|segment| segment.kind.clone())
}

fn explained_reason(reason: &Reason) -> ExplainedReason {
    let mut columns = describe().chain(describe_on_request());
    let column = columns.find(|(_, column)| column.name == reason.feature);
    ExplainedReason {
        feature: reason.feature.clone(),
        meaning: column.map_or("", |(_, column)| column.meaning),
        value: reason.value,
        weight: reason.weight,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::document::RULES;
    use crate::html::parse_html;
    use crate::pipeline::{Options, PageCleaner};

    const PAGE: &str = "<title>Gulls</title><body><nav><a href='/'>Home</a> <a href='/about'>About us</a></nav><article>
        <h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is, \
        and they seldom have to try more than twice before they eat.</p>
        <p>In winter the birds leave the coast and look for food on the fields behind the dunes, in long white lines.</p>
        </article><footer>Imprint</footer><script>let secret = 'hidden words'</script></body>";

    fn page(html: &str) -> (Capture, CleanedPage) {
        let capture = Capture::parsed(parse_html(html), Record::parsed("gulls.html", None));
        let options = Options {
            explain: true,
            ..Options::default()
        };
        let cleaned = PageCleaner::new(&options)
            .unwrap()
            .clean_capture(&capture)
            .unwrap();
        (capture, cleaned)
    }

    fn explained(words: &str) -> Result<Explanation, ExplainError> {
        let (capture, cleaned) = page(PAGE);
        explain(&capture, &cleaned, "vclean", words)
    }

    #[test]
    fn the_block_with_the_words_is_explained() {
        let found = explained("DROP  mussels").unwrap();
        let [block] = &found.blocks[..] else {
            panic!("{found:?}")
        };
        assert_eq!(
            (block.label, &block.written_as),
            (Label::Content, &Some(SegmentKind::Paragraph))
        );
        assert_eq!(block.xpath, "/html[1]/body[1]/article[1]/p[1]");
        assert!(
            !block.reasons.is_empty()
                && block
                    .reasons
                    .iter()
                    .all(|reason| !reason.meaning.is_empty())
        );
        assert_eq!(
            (
                block.before[0].text.as_str(),
                block.before.len(),
                block.after.len()
            ),
            ("Herring gulls", 2, 2)
        );
        assert_eq!(found.page.model.as_deref(), Some("static"));
        assert!(
            found
                .page
                .threshold
                .is_some_and(|threshold| block.probability >= threshold)
        );
        // Two blocks have these; the shorter one is the better match.
        let both = explained("herring gulls").unwrap();
        assert_eq!(
            (both.blocks.len(), both.blocks[0].text.as_str()),
            (2, "Herring gulls")
        );
        assert_eq!(explained("imprint").unwrap().blocks[0].written_as, None);
    }

    #[test]
    fn words_over_several_blocks_give_all_of_them() {
        let found = explained("before they eat. In winter").unwrap();
        assert!(
            found.is_over_several && found.blocks.len() == 2,
            "{found:?}"
        );
    }

    #[test]
    fn words_in_no_block_are_found_elsewhere_or_the_nearest_text_is_named() {
        let found = explained("hidden words").unwrap();
        assert!(
            found.blocks.is_empty() && found.elsewhere[0].reason.contains("element script"),
            "{found:?}"
        );
        let error = explained("drop musels on rock").unwrap_err().to_string();
        assert!(
            error.contains("the nearest is \"Herring gulls drop mussels")
                && error.contains("`render`"),
            "{error}"
        );
        assert_eq!(explained(" \u{ad}").unwrap_err(), ExplainError::NoWords);
    }

    #[test]
    fn a_rule_that_changed_the_decision_is_named() {
        let article = "<p>Herring gulls drop mussels on rocks, from a height that depends on how hard the shell is, and they \
            seldom have to try more than twice before they eat what is inside of it, as everybody knows.</p>";
        let table = "<table><tr><th>Height<th>Number of tries</tr><tr><td>Three meters<td>Two tries</tr></table>";
        let html = format!("<article><h1>Gulls</h1>{article}{table}{article}</article>");
        let capture = Capture::parsed(parse_html(&html), Record::parsed("x", None));
        let options = Options {
            no_tables: true,
            ..Options::default()
        };
        let cleaned = PageCleaner::new(&options)
            .unwrap()
            .clean_capture(&capture)
            .unwrap();
        let found = explain(&capture, &cleaned, "vclean", "three meters").unwrap();
        assert_eq!(
            (found.blocks[0].rule, found.blocks[0].label),
            (RULES.last().map(|row| &row.rule), Label::Boilerplate)
        );
    }
}
