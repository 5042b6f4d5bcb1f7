//! Locates the text of a document in the captured page, on request.

use crate::capture::{Capture, NodeId, Positions};
use crate::document::content::{Document, Segment, TextPosition, TextPositions};
use crate::target::Target;
use crate::text::is_written;
use std::ops::Range;

impl Document {
    /// Finds the positions of the text of all segments, comments included. `capture` and `targets`
    /// are those that the document was made from.
    ///
    /// Text from a published method, which does not report text nodes, gets those of its target if
    /// they hold the same characters.
    pub fn locate(&mut self, capture: &Capture, targets: &[Target]) {
        let separated = self
            .comments
            .iter_mut()
            .flat_map(|comments| &mut comments.segments);
        let mut nodes = Vec::new();
        for segment in self.segments.iter_mut().chain(separated) {
            if let Some(target) = targets.get(segment.target) {
                add_nodes(segment, capture, target);
            }
            nodes.extend(segment.spans.iter().flat_map(|span| &span.nodes).copied());
        }
        nodes.sort_unstable();
        nodes.dedup();
        let siblings = Positions::new(&capture.dom);
        let known = nodes
            .into_iter()
            .filter_map(|node| Some((node, position(capture, &siblings, node)?)));
        self.positions = Some(TextPositions::new(known.collect()));
    }
}

/// Adds the nodes of the target to a segment of one span without nodes, if the texts are equal.
fn add_nodes(segment: &mut Segment, capture: &Capture, target: &Target) {
    let [span] = &mut segment.spans[..] else {
        return;
    };
    let written = |text: &str| text.chars().filter(|&c| is_written(c)).collect::<String>();
    if span.nodes.is_empty() && written(&span.text) == written(&target.text(&capture.dom)) {
        span.nodes.clone_from(&target.texts);
    }
}

/// The position of a node; `None` for a text with no visible character.
fn position(capture: &Capture, siblings: &Positions, node: NodeId) -> Option<TextPosition> {
    let (dom, layout) = (&capture.dom, capture.layout.as_ref());
    let xpath = siblings.xpath_for_browsers(dom, node);
    let Some(text) = dom.text(node) else {
        let rect = layout.and_then(|layout| layout.rect(node));
        return Some(TextPosition {
            xpath,
            start: None,
            end: None,
            rect,
            text: String::new(),
        });
    };
    let range = written_range(text)?;
    let characters: String = text.chars().skip(range.start).take(range.len()).collect();
    Some(TextPosition {
        xpath,
        start: u32::try_from(range.start).ok(),
        end: u32::try_from(range.end).ok(),
        rect: layout
            .map(|layout| layout.bounding_rect(&[node]))
            .filter(|rect| !rect.is_empty()),
        text: crate::text::collapse(&characters),
    })
}

/// The range from the first to the last visible character of a text, in characters, if any.
fn written_range(text: &str) -> Option<Range<usize>> {
    let start = text.chars().position(is_written)?;
    let after = text.chars().rev().position(is_written)?;
    Some(start..text.chars().count() - after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::classify::{Decision, Label};
    use crate::document::prune;
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};
    use crate::text::collapse;
    use proptest::prelude::*;

    /// The document of a page whose text is all kept.
    fn located(capture: &Capture) -> Document {
        let targets = select(capture, TargetRule::Blocks);
        let kept = Decision {
            margin: 1.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let mut document = prune(capture, &targets, &vec![kept; targets.len()], Vec::new());
        document.locate(capture, &targets);
        document
    }

    fn parsed(html: &str) -> Capture {
        Capture::parsed(parse_html(html), Record::parsed("x", None))
    }

    /// Checks that the positions yield the text of the spans and are in document order.
    fn check(capture: &Capture) {
        let dom = &capture.dom;
        let siblings = Positions::new(dom);
        let document = located(capture);
        let positions = document.positions.as_ref().unwrap();
        let written = |text: &str| text.chars().filter(|&c| is_written(c)).collect::<String>();
        let mut last_segment = None;
        for segment in &document.segments {
            let mut last = None;
            // The marks of a quotation have no node.
            for span in segment
                .spans
                .iter()
                .filter(|span| span.formula.is_none() && !span.nodes.is_empty())
            {
                let found: Vec<_> = positions.all(&span.nodes).collect();
                let texts: String = found
                    .iter()
                    .map(|position| written(&position.text))
                    .collect();
                assert_eq!(texts, written(&span.text));
                for (&node, position) in span.nodes.iter().zip(&found) {
                    assert!(last < Some(node), "{}", position.xpath);
                    last = Some(node);
                    if !position.xpath.contains('*') {
                        assert_eq!(
                            siblings.find(dom, &position.xpath),
                            Some(node),
                            "{}",
                            position.xpath
                        );
                    }
                    let (start, end) = (
                        position.start.unwrap() as usize,
                        position.end.unwrap() as usize,
                    );
                    let range: String = dom
                        .text(node)
                        .unwrap()
                        .chars()
                        .skip(start)
                        .take(end - start)
                        .collect();
                    assert_eq!(collapse(&range), position.text);
                    assert!(
                        range.starts_with(is_written) && range.ends_with(is_written),
                        "{range:?}"
                    );
                    if capture.layout.is_none() {
                        assert_eq!(position.rect, None);
                    }
                }
            }
            let first = segment.spans.iter().find_map(|span| span.nodes.first());
            assert!(last_segment < first, "{}", segment.text());
            last_segment = first;
        }
    }

    #[test]
    fn every_character_of_the_fixtures_is_found_where_its_position_says() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        let mut captures = 0;
        for entry in std::fs::read_dir(root.join("captures")).unwrap() {
            let capture = crate::files::load_capture(&entry.unwrap().path()).unwrap();
            let document = located(&capture);
            let nodes = document
                .segments
                .iter()
                .flat_map(|segment| &segment.spans)
                .flat_map(|span| &span.nodes);
            let positions = document.positions.as_ref().unwrap();
            assert!(nodes.copied().all(|node| {
                positions
                    .get(node)
                    .is_some_and(|position| position.rect.is_some())
            }));
            check(&capture);
            captures += 1;
        }
        for entry in std::fs::read_dir(root.join("site")).unwrap() {
            let page = entry.unwrap().path().join("index.html");
            if let Ok(html) = std::fs::read_to_string(&page) {
                check(&parsed(&html));
                captures += 1;
            }
        }
        assert!(captures > 5, "{captures}");
    }

    #[test]
    fn a_position_is_a_range_of_characters_and_a_formula_is_its_element() {
        let capture = parsed(
            "<p>\n \u{fc}ber<br>&shy; eins<b> zwei </b><math><mi>x</mi></math></p><pre>  a\n<i>  b</i>\n</pre>",
        );
        let document = located(&capture);
        let positions = document.positions.as_ref().unwrap();
        let spans = document.segments.iter().flat_map(|segment| &segment.spans);
        let found: Vec<_> = spans
            .flat_map(|span| positions.all(&span.nodes))
            .map(|position| {
                let path = position.xpath.strip_prefix("/html[1]/body[1]").unwrap();
                (path, position.start, position.end, position.text.as_str())
            })
            .collect();
        assert_eq!(
            found,
            [
                ("/p[1]/text()[1]", Some(2), Some(6), "\u{fc}ber"),
                ("/p[1]/text()[2]", Some(2), Some(6), "eins"),
                ("/p[1]/b[1]/text()[1]", Some(1), Some(5), "zwei"),
                ("/p[1]/*[local-name()='math'][1]", None, None, ""),
                ("/pre[1]/text()[1]", Some(2), Some(3), "a"),
                ("/pre[1]/i[1]/text()[1]", Some(2), Some(3), "b"),
            ]
        );
    }

    #[test]
    fn published_methods_have_positions_where_they_keep_whole_blocks() {
        let capture = parsed("<h1>Gulls</h1><p>one <b>two</b></p>");
        let targets = select(&capture, TargetRule::Blocks);
        let decisions = vec![
            Decision {
                margin: 1.0,
                probability: 1.0,
                label: Label::Content,
                comments: None
            };
            targets.len()
        ];
        let plain = |text: &str, target| {
            crate::document::plain_segment(
                crate::document::SegmentKind::Paragraph,
                text.into(),
                target,
            )
        };
        let segments = vec![plain("Gulls", 0), plain("one  two", 1), plain("one", 1)];
        let mut document = crate::document::document_of(&capture, &targets, &decisions, segments);
        document.locate(&capture, &targets);
        let counts: Vec<usize> = document
            .segments
            .iter()
            .map(|segment| segment.spans[0].nodes.len())
            .collect();
        assert_eq!(counts, [1, 2, 0]);
    }

    proptest! {
        #[test]
        fn every_character_is_found_where_its_position_says(html in "(<(/?(p|b|a href=x|div|table|tr|td|ul|li|dl|dt|dd|ruby|rt|caption|q|pre|code|blockquote|h2|br|sup|img src=x|!-- x --))>|&shy;|&nbsp;|\u{e9}|[a-f ]{1,4}|\n){0,40}") {
            check(&parsed(&html));
        }
    }
}
