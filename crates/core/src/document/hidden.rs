//! Lists the text of a page that is not visible to a reader.

use crate::capture::{Capture, CssRect, HiddenCause, Layout, NodeId, Visibility};
use crate::target::Target;
use crate::text::{collapse, is_blank};
use serde::Serialize;
use std::collections::BTreeMap;

/// Largest number of tags in a path; the outermost are left out of a longer one.
pub(super) const MAX_PATH: usize = 32;

/// A hidden text of a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct HiddenPassage {
    /// Its text, with white space collapsed.
    pub text: String,
    /// Reason why a reader does not see it.
    pub cause: HiddenCause,
    /// Tags from the root to the element that contains it, such as `html/body/div/p`.
    pub path: String,
    /// Where it is laid out, in CSS px from the top left corner of the page; it may lie outside the
    /// page. Empty for text that is not displayed.
    pub rect: CssRect,
}

/// The hidden text of a page that is laid out, in document order; text nodes of one element in
/// succession are one passage.
pub(super) fn hidden_passages(capture: &Capture) -> Vec<HiddenPassage> {
    let laid_out = capture.layout.iter().flat_map(Layout::hidden_texts);
    passages(capture, laid_out)
}

/// All hidden text of a page, in document order: that of the targets which are not displayed, too.
pub(crate) fn all_hidden_passages(capture: &Capture, targets: &[Target]) -> Vec<HiddenPassage> {
    let laid_out = capture.layout.iter().flat_map(Layout::hidden_texts);
    let mut texts: BTreeMap<NodeId, HiddenCause> = laid_out.collect();
    for target in targets {
        if let Visibility::Hidden(cause) = target.visibility {
            texts.extend(target.texts.iter().map(|&text| (text, cause)));
        }
    }
    passages(capture, texts.into_iter())
}

fn passages(
    capture: &Capture,
    texts: impl Iterator<Item = (NodeId, HiddenCause)>,
) -> Vec<HiddenPassage> {
    let dom = &capture.dom;
    let mut passages: Vec<HiddenPassage> = Vec::new();
    let mut last = None;
    for (id, cause) in texts {
        let text = dom.text(id).unwrap_or_default();
        if is_blank(text) {
            continue;
        }
        let collapsed = collapse(text);
        let rect = capture
            .layout
            .as_ref()
            .map_or_else(CssRect::default, |layout| layout.bounding_rect(&[id]));
        let holder = dom.parent(id);
        match passages.last_mut() {
            Some(before) if last == Some((holder, cause)) => {
                before.text.push(' ');
                before.text.push_str(collapsed.trim());
                before.rect = before.rect.union(rect);
            }
            _ => passages.push(HiddenPassage {
                text: collapsed.trim().to_owned(),
                cause,
                path: holder
                    .map(|holder| dom.path(holder, MAX_PATH, "…"))
                    .unwrap_or_default(),
                rect,
            }),
        }
        last = Some((holder, cause));
    }
    passages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;

    #[test]
    fn hidden_text_is_listed_by_element_with_its_cause() {
        let dom = crate::html::parse_html("<body><p>seen</p><p>one <b>two</b>\n three<br>four</p>");
        let mut capture = Capture::parsed(dom, Record::parsed("x", None));
        assert_eq!(hidden_passages(&capture), []);
        let mut layout = Layout::new(capture.dom.len(), 10.0, 10.0);
        let hidden: Vec<_> = capture
            .dom
            .ids()
            .filter(|&id| capture.dom.text(id).is_some_and(|text| text != "seen"))
            .map(|id| (id, Visibility::Hidden(HiddenCause::Covered)))
            .collect();
        layout.set_visibility(hidden);
        capture.layout = Some(layout);
        let found = hidden_passages(&capture);
        let texts: Vec<_> = found
            .iter()
            .map(|passage| (passage.text.as_str(), passage.path.as_str()))
            .collect();
        assert_eq!(
            texts,
            [
                ("one", "html/body/p"),
                ("two", "html/body/p/b"),
                ("three four", "html/body/p")
            ]
        );
        assert!(
            found
                .iter()
                .all(|passage| passage.cause == HiddenCause::Covered)
        );
    }
}
