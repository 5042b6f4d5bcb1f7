//! Headings that no element marks: short blocks in bold or large letters, with text of their own
//! below them.

use crate::capture::{Capture, Dom, NodeId};
use crate::classify::{Decision, Label};
use crate::document::content::{Segment, SegmentKind, Span};
use crate::document::metadata::is_byline;
use crate::document::page::PageParts;
use crate::document::segments::runs::Runs;
use crate::target::{Piece, Target};
use crate::text::count_letters;
use std::collections::{BTreeMap, BTreeSet};

/// Font size, relative to that of the body text, above which a short block is a heading. Heuristic.
const HEADING_SIZE_RATIO: f32 = 1.25;

/// Longest heading recognized by its formatting alone, in characters: in large letters, and in bold
/// ones. Heuristic.
const MAX_HEADING_CHARS: (usize, usize) = (120, 80);

/// Appearance of headings on a page.
pub(in crate::document) struct HeadingLook<'a> {
    capture: &'a Capture,
    body: Option<BodyStyle>,
    /// True if the text has several headings that are marked up as such, besides its headline.
    has_headings: bool,
}

impl<'a> HeadingLook<'a> {
    pub(in crate::document) fn find(
        page: &PageParts<'a>,
        runs: &Runs<'_>,
        decisions: &[Decision],
    ) -> Self {
        let PageParts {
            capture,
            dom,
            targets,
            ..
        } = *page;
        let body = BodyStyle::most_common(capture, targets, decisions);
        Self {
            capture,
            body,
            has_headings: has_headings(dom, runs),
        }
    }

    /// The level of a heading that is recognized by its formatting.
    pub(in crate::document) fn level(&self, target: &Target, spans: &[Span]) -> Option<u8> {
        self.level_of_style(target, spans)
            .filter(|_| may_be_heading(spans))
    }

    fn level_of_style(&self, target: &Target, spans: &[Span]) -> Option<u8> {
        let chars: usize = spans.iter().map(|span| span.text.chars().count()).sum();
        let (longest_large, longest_bold) = MAX_HEADING_CHARS;
        if chars > longest_large || target.texts.is_empty() {
            return None;
        }
        let (Some(layout), Some(body)) = (&self.capture.layout, &self.body) else {
            let is_bold = chars <= longest_bold
                && !self.has_headings
                && spans
                    .iter()
                    .all(|span| span.is_strong || span.text.trim().is_empty())
                && !target.pieces(&self.capture.dom).contains(&Piece::Break);
            return is_bold.then_some(3);
        };
        if style_of(self.capture, target).is_some_and(|style| body.running.contains(&style)) {
            return None;
        }
        let styles: Option<Vec<_>> = target.texts.iter().map(|&id| layout.style(id)).collect();
        let styles = styles?;
        let size = styles
            .iter()
            .map(|style| style.font_size_px)
            .fold(f32::INFINITY, f32::min);
        let lines =
            target
                .texts
                .iter()
                .flat_map(|&id| layout.lines(id))
                .fold(None, |span, line| {
                    let (top, bottom) = span.unwrap_or((line.rect.y, line.rect.bottom()));
                    Some((line.rect.y.min(top), line.rect.bottom().max(bottom)))
                });
        let height = lines.map_or(0.0, |(top, bottom)| bottom - top);
        if size > HEADING_SIZE_RATIO * body.size_px && height <= 3.2 * size {
            return Some(if size > 1.6 * body.size_px { 2 } else { 3 });
        }
        let is_bold = styles.iter().all(|style| style.font_weight >= 600) && body.weight < 600;
        (is_bold
            && !self.has_headings
            && chars <= longest_bold
            && height <= 2.0 * size
            && size >= 0.9 * body.size_px)
            .then_some(3)
    }
}

/// True if the text has several headings that are marked up as such, besides its headline.
fn has_headings(dom: &Dom, runs: &Runs<'_>) -> bool {
    let is_heading = |up: NodeId| dom.element(up).is_heading() && dom.tag(up) != "h1";
    let containers = runs.kept.iter().map(|run| run.target.container);
    let headings = containers.filter(|&container| {
        std::iter::once(container)
            .chain(dom.ancestors(container).take(2))
            .any(is_heading)
    });
    headings.take(2).count() > 1
}

/// Returns true if the words of a text allow it to be a heading: it has letters, does not begin in
/// the middle of a sentence or end one, is not a link to another page, and does not name the author
/// of the text.
fn may_be_heading(spans: &[Span]) -> bool {
    let text: String = spans
        .iter()
        .filter(|span| span.formula.is_none())
        .map(|span| span.text.as_str())
        .collect();
    let text = text.trim();
    let first = text.chars().find(|c| c.is_alphanumeric());
    let ends_sentence = |c: char| {
        matches!(
            c,
            '.' | ',' | ';' | '!' | '\u{3002}' | '\u{ff0c}' | '\u{ff01}' | '\u{2026}'
        ) || matches!(
            c,
            '"' | '\u{201d}' | '\u{bb}' | '\u{203a}' | '\u{2192}' | '\u{300d}'
        )
    };
    let last = spans
        .iter()
        .rev()
        .find_map(|span| span.text.trim_end().chars().last());
    let is_link = || {
        let mut words = spans.iter().filter(|span| !span.text.trim().is_empty());
        words.all(|span| span.link.as_ref().is_some_and(|link| !link.contains('#')))
    };
    text.contains(char::is_alphabetic)
        && first.is_some_and(|c| !c.is_lowercase())
        && !last.is_some_and(ends_sentence)
        && !is_link()
        && !is_byline(text)
}

/// Turns headings at these indices, which were recognized by their look, into paragraphs if no text
/// follows them: those at the end, before another heading, within a quotation or an item, and those
/// that end in a colon, unless a list follows.
pub(in crate::document) fn without_following_text(segments: &mut [Segment], by_look: &[usize]) {
    for &index in by_look.iter().rev() {
        let Some((segment, after)) = segments
            .get_mut(index..)
            .and_then(<[Segment]>::split_first_mut)
        else {
            continue;
        };
        let has_text = after.first().is_some_and(|next| {
            let is_list = matches!(
                next.kind,
                SegmentKind::ListItem { .. } | SegmentKind::TableCell { .. }
            );
            let introduces = segment.text().trim_end().ends_with([':', '\u{ff1a}']);
            !matches!(next.kind, SegmentKind::Heading { .. })
                && next.note.is_none()
                && (is_list || !introduces)
        });
        if !has_text
            || segment.within.quotes > 0
            || segment.within.items > 0
            || segment.note.is_some()
        {
            segment.kind = SegmentKind::Paragraph;
        }
    }
}

/// Font size, in tenths of a pixel so that it can be a key, and weight.
type TextStyle = (u32, u16);

/// The style of the first text of a target; `None` for bare HTML.
fn style_of(capture: &Capture, target: &Target) -> Option<TextStyle> {
    let style = capture.layout.as_ref()?.style(*target.texts.first()?)?;
    Some(((style.font_size_px * 10.0) as u32, style.font_weight))
}

/// The most common font of the kept text, by characters, and styles not used for headings.
struct BodyStyle {
    size_px: f32,
    weight: u16,
    /// The styles in which most of the kept text is in blocks that are too long for headings.
    running: BTreeSet<TextStyle>,
}

impl BodyStyle {
    fn most_common(capture: &Capture, targets: &[Target], decisions: &[Decision]) -> Option<Self> {
        let layout = capture.layout.as_ref()?;
        let mut counts: BTreeMap<TextStyle, usize> = BTreeMap::new();
        // Letters in long and in short blocks.
        let mut lengths: BTreeMap<TextStyle, [usize; 2]> = BTreeMap::new();
        let kept = targets
            .iter()
            .zip(decisions)
            .filter(|(_, decision)| decision.label == Label::Content);
        for (target, _) in kept {
            for &id in &target.texts {
                if let (Some(style), Some(text)) = (layout.style(id), capture.dom.text(id)) {
                    *counts
                        .entry(((style.font_size_px * 10.0) as u32, style.font_weight))
                        .or_default() += text.len();
                }
            }
            let letters: usize = target
                .texts
                .iter()
                .map(|&id| capture.dom.text(id).map_or(0, count_letters))
                .sum();
            if let Some(style) = style_of(capture, target) {
                lengths.entry(style).or_default()[usize::from(letters <= MAX_HEADING_CHARS.0)] +=
                    letters;
            }
        }
        let ((tenths, weight), _) = counts.into_iter().max_by_key(|&(_, count)| count)?;
        let running = lengths
            .into_iter()
            .filter(|(_, [long, short])| long > short)
            .map(|(style, _)| style)
            .collect();
        Some(Self {
            size_px: tenths as f32 / 10.0,
            weight,
            running,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::document::SegmentKind;
    use crate::document::segments::segment::tests::kinds;

    /// The texts that are headings.
    fn headings(html: &str) -> Vec<String> {
        let found = kinds(html)
            .into_iter()
            .filter(|(_, kind)| matches!(kind, SegmentKind::Heading { .. }));
        found.map(|(text, _)| text).collect()
    }

    #[test]
    fn bold_lines_are_headings() {
        assert_eq!(
            headings("<h2>A part</h2><p><b>What it is</b></p><p>text.</p><h2>Another</h2>"),
            ["A part", "Another"]
        );
        assert_eq!(
            headings("<p><b>What it is</b></p><p><b>This is a sentence.</b></p>"),
            ["What it is"]
        );
        assert_eq!(
            headings("<p><b>Tabs</b></p><p>text</p><p><b>Half?</b></p><ul><li>one</ul>"),
            ["Tabs", "Half?"]
        );
        assert_eq!(headings("<p><b>Note</b> what follows</p><p>text"), [""; 0]);
    }

    #[test]
    fn bold_lines_without_text_below_are_none() {
        for html in [
            "<p>text</p><p><b>See photos of it</b></p>",
            "<p><b>Ann Lee</b></p><h2>Part</h2><p>text",
            "<blockquote><p><b>Said</b></p><p>text</p></blockquote><p>text",
            "<p><b>Note:</b></p><p>text",
            "<p><b>So they were gone!</b></p><p>text",
            "<p><b>\u{201c}So they were gone\u{201d}</b></p><p>text",
            "<p><b>and they were gone</b></p><p>text",
            "<p><b><a href=/more>More about gulls</a></b></p><p>text",
            "<p><b>By Ann Lee</b></p><p>text",
        ] {
            assert_eq!(
                headings(html).iter().filter(|text| *text != "Part").count(),
                0,
                "{html}"
            );
        }
        assert_eq!(
            headings("<p><b>Ingredients:</b></p><ul><li>one<li>two</ul>"),
            ["Ingredients:"]
        );
        assert_eq!(
            headings("<p><b>Ann Lee</b></p><p><b>What it is</b></p><p>text"),
            ["What it is"]
        );
    }
}
