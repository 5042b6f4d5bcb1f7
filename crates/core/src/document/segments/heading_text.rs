//! The text of a heading as the title of a page: on one line, with the lines of the heading apart.

use crate::capture::{Dom, NodeId};
use crate::elements::ends_line;
use crate::text::collapse_within;

/// Longest heading, in characters, and largest number of nodes below it.
pub(in crate::document) const MAX_CHARS: usize = 300;
const MAX_NODES: usize = 50;

/// The text of a heading.
pub(in crate::document) fn heading_text(dom: &Dom, id: NodeId) -> Option<String> {
    let mut text = String::new();
    for below in dom.descendants(id).take(MAX_NODES) {
        match dom.text(below) {
            Some(part) => text.push_str(part),
            None if dom.is_element(below)
                && (dom.tag(below) == "br" || ends_line(dom.tag(below))) =>
            {
                text.push(' ');
            }
            None => {}
        }
    }
    collapse_within(&text.replace('\u{ad}', ""), MAX_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html::parse_html;

    #[test]
    fn the_lines_of_a_heading_are_parted() {
        let dom = parse_html(
            "<h1>Herring <b>gulls</b><br>in har\u{ad}bors<div>again</div></h1><h1></h1>",
        );
        let texts = dom
            .ids()
            .filter(|&id| dom.tag(id) == "h1")
            .map(|id| heading_text(&dom, id).unwrap_or_default());
        assert_eq!(
            texts.collect::<Vec<_>>(),
            ["Herring gulls in harbors again", ""]
        );
    }
}
