//! The decision on a block, with everything that explains it.

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

/// Largest number of blocks that are explained if each contains the words.
const MAX_BLOCKS: usize = 3;
/// Largest number of blocks that are explained if the words span them.
const MAX_SPANNED: usize = 8;
/// Number of neighbors that are listed on each side.
const NEIGHBORS: usize = 2;
/// Largest number of characters of a neighbor's text.
const NEIGHBOR_CHARS: usize = 100;
/// Largest number of characters of the nearest text, and of a path.
const NEAR_CHARS: usize = 120;
const PATH_CHARS: usize = 400;

/// The reason why nothing can be explained.
#[derive(Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExplainError {
    /// The words contain no letters to search for.
    #[error(
        "there are no words to look for; give some words of the block, such as \"drop mussels on rocks\""
    )]
    NoWords,
    /// The method does not work on blocks.
    #[error(
        "the method {0} decides on lines of the source, so no block can be explained; use the method vclean"
    )]
    NoBlocks(String),
    /// The words are not on the page.
    #[error("no text of the page has the words \"{words}\"{}{}", near_text(near.as_deref()), advice(*is_rendered))]
    NotFound {
        /// The words that were searched for, with white space collapsed.
        words: String,
        /// The most similar part of a text.
        near: Option<String>,
        /// True if the page was rendered.
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

/// The explanation why the blocks with certain words were kept or dropped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The words that were searched for, with white space collapsed.
    pub words: String,
    /// The page and the decisions on it as a whole.
    pub page: ExplainedPage,
    /// The blocks that contain the words, best match first. If no block contains all of them, these
    /// are the blocks that the words span.
    pub blocks: Vec<ExplainedBlock>,
    /// True if the words span all these blocks; otherwise each block contains them.
    pub is_over_several: bool,
    /// Number of further blocks with the words that are not listed.
    pub more: usize,
    /// Places of the words on the page, if they are not in a block.
    pub elsewhere: Vec<Elsewhere>,
}

/// The page of an explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedPage {
    /// The input as the user named it.
    pub input: String,
    /// The page's address, if it is known.
    pub url: Option<String>,
    /// The engine that read the page: parser, builtin or chromium.
    pub engine: &'static str,
    /// Name of the method that decided.
    pub method: String,
    /// Name of the model that decided, for our method.
    pub model: Option<String>,
    /// The models that took part in the decision, and the reason.
    pub deciding: Deciding,
    /// Probability from which blocks of this page are kept, 0 to 1, for our method.
    pub threshold: Option<f32>,
    /// The most likely kind of page, if the model distinguishes kinds.
    pub kind: Option<LikelyKind>,
    /// Number of blocks on the page.
    pub blocks: usize,
    /// Number of blocks that were kept.
    pub kept: usize,
}

/// A block, with the reasons why it was kept or dropped.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedBlock {
    /// Index among the blocks of the page, from 0.
    pub block: usize,
    /// The label after all rules.
    pub label: Label,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// Signed distance from the decision boundary; above 0 means content.
    pub margin: f32,
    /// Calibrated probability, 0 to 1, that the block is a reader's comment if it is not content.
    pub comment_probability: Option<f32>,
    /// The rule that changed the label after the model, if one did.
    pub rule: Option<&'static Rule>,
    /// The kind of the segment that contains the block's text; `None` if it was not written.
    pub written_as: Option<SegmentKind>,
    /// Tags from the root to the element that contains the block; only the end of a long path.
    pub path: String,
    /// XPath of that element for `document.evaluate` in a browser.
    pub xpath: String,
    /// The box of the block, in CSS px from the top left corner of the page; `None` for a page that
    /// was not rendered.
    pub rect: Option<CssRect>,
    /// The text of the block, with white space collapsed.
    pub text: String,
    /// The features with the largest influence, largest first; empty for published methods.
    pub reasons: Vec<ExplainedReason>,
    /// The previous blocks, nearest first.
    pub before: Vec<Neighbor>,
    /// The following blocks, nearest first.
    pub after: Vec<Neighbor>,
}

/// A feature with a large influence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedReason {
    /// The permanent name of the feature.
    pub feature: String,
    /// Description of the quantity that the feature measures.
    pub meaning: &'static str,
    /// The value of the feature for this block.
    pub value: f32,
    /// Amount by which the margin would fall without the feature; above 0 speaks for content.
    pub weight: f32,
}

/// A block before or after an explained one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Neighbor {
    /// Index among the blocks of the page, from 0.
    pub block: usize,
    /// The label after all rules.
    pub label: Label,
    /// Calibrated probability of content, 0 to 1.
    pub probability: f32,
    /// The rule that changed the label after the model, if one did.
    pub rule: Option<&'static Rule>,
    /// The first 100 characters of the block's text.
    pub text: String,
}

/// Explains the decisions on the blocks that contain some words. Case is ignored, and white space
/// is collapsed. `cleaned` must have been made from `capture`, with reasons.
///
/// # Errors
/// If the words are not on the page, or the method does not work on blocks.
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

/// The kind of the segment that contains a text of the target, or that refers to the target.
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
        // Two blocks contain these words; the shorter one is the better match.
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
            (
                found.blocks[0].rule.map(|rule| rule.name),
                found.blocks[0].label
            ),
            (Some("no-tables"), Label::Boilerplate)
        );
    }
}
