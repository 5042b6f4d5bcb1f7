//! Footnotes in the pruned tree: each mark leads to its note, and each note back to its first mark,
//! as in Pandoc's HTML.

use crate::capture::{Dom, DomBuilder, NodeId};
use crate::document::page::PageParts;
use crate::document::segments::runs::Runs;
use crate::elements::Element;
use crate::text::is_blank;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Attributes of an element.
type Written<'a> = Vec<(&'a str, Cow<'a, str>)>;

/// Anchors and links of the footnotes, by the nodes of the page.
#[derive(Debug, Default)]
pub(in crate::document) struct NoteAnchors {
    /// The marks: the number of the note, and true for the first mark of that note.
    marks: BTreeMap<NodeId, (u32, bool)>,
    /// The first element of each note, or its first text if no element is around the note alone.
    begins: BTreeMap<NodeId, u32>,
    /// The links that are the label of a note and lead back to its mark.
    labels: BTreeMap<NodeId, u32>,
    /// Where each note without such a link ends: a block, or the node after which the link back is
    /// written.
    ends: BTreeMap<NodeId, u32>,
    /// The notes within the text.
    sidenotes: Vec<NodeId>,
}

impl NoteAnchors {
    /// The anchors of the kept notes; `is_kept` is true for each kept node.
    pub(in crate::document) fn find(
        page: &PageParts<'_>,
        runs: &Runs<'_>,
        is_kept: &[bool],
    ) -> Self {
        let (dom, notes) = (page.dom, &runs.notes);
        let mut found = Self {
            sidenotes: notes.sidenote_elements().collect(),
            ..Self::default()
        };
        let mut seen: BTreeMap<u32, NodeId> = BTreeMap::new();
        for (mark, number) in notes.all_references() {
            let first = *seen.entry(number).or_insert(mark);
            found.marks.insert(mark, (number, first == mark));
        }
        for (begin, number, nodes) in notes.all_notes() {
            let is_written = |id: &NodeId| dom.is_element(*id) && !dom.element(*id).is_unwrapped();
            let above = |id: NodeId| dom.ancestors(id).take_while(|up| up.index() >= nodes.start);
            found.begins.insert(
                above(begin).filter(is_written).last().unwrap_or(begin),
                number,
            );
            if let Some(label) = page
                .notes()
                .label_of(&nodes)
                .filter(|label| is_kept[label.index()])
            {
                found.labels.insert(label, number);
                continue;
            }
            let is_text = |id: &NodeId| {
                is_kept[id.index()] && dom.text(*id).is_some_and(|text| !is_blank(text))
            };
            let Some(last) = nodes.clone().rev().map(NodeId::new).find(is_text) else {
                continue;
            };
            let is_block = |id: &NodeId| dom.element(*id).default_display().is_some();
            let block = above(last).filter(is_written).find(is_block);
            let end = block
                .or_else(|| above(last).filter(is_written).last())
                .unwrap_or(last);
            if !runs.is_in_formula(end) {
                found.ends.insert(end, number);
            }
        }
        found
    }

    /// Adds the attributes that make an element a mark, a note or its label. For a mark that is not
    /// a link, these are the attributes of the link in it.
    pub(in crate::document) fn add_attributes<'a>(
        &self,
        dom: &Dom,
        id: NodeId,
        attributes: &mut Written<'a>,
    ) -> Option<Written<'a>> {
        if self.sidenotes.contains(&id) {
            attributes.push(("class", "sidenote".into()));
        }
        if let Some(number) = self.begins.get(&id) {
            attributes.push(("id", format!("note-{number}").into()));
        }
        if let Some(number) = self.labels.get(&id) {
            set_link(attributes, format!("#mark-{number}"), "doc-backlink");
        }
        let &(number, is_first) = self.marks.get(&id)?;
        let mut link = Vec::new();
        let is_link = dom.element(id) == Element::known("a");
        let written = if is_link { attributes } else { &mut link };
        set_link(written, format!("#note-{number}"), "doc-noteref");
        // An element has only one id; that of a note is already set.
        if is_first && written.iter().all(|(name, _)| *name != "id") {
            written.push(("id", format!("mark-{number}").into()));
        }
        (!is_link).then_some(link)
    }

    /// Writes the anchor of a note that begins with this text.
    pub(in crate::document) fn write_place(&self, builder: &mut DomBuilder, text: NodeId) {
        if let Some(number) = self.begins.get(&text) {
            builder.open_with("span", [("id", &*format!("note-{number}"))]);
            builder.close();
        }
    }

    /// Writes the link back to the mark of a note that ends with this node.
    pub(in crate::document) fn write_way_back(&self, builder: &mut DomBuilder, end: NodeId) {
        if let Some(number) = self.ends.get(&end) {
            builder.text(" ");
            builder.open_with(
                "a",
                [
                    ("href", &*format!("#mark-{number}")),
                    ("role", "doc-backlink"),
                ],
            );
            builder.text("\u{21a9}");
            builder.close();
        }
    }
}

fn set_link(attributes: &mut Written<'_>, href: String, role: &'static str) {
    attributes.retain(|(name, _)| *name != "href");
    attributes.push(("href", href.into()));
    attributes.push(("role", role.into()));
}

#[cfg(test)]
mod tests {
    use crate::capture::{Capture, Record};
    use crate::classify::{Decision, Label};
    use crate::document::prune::prune;
    use crate::emit::{EmitOptions, find};
    use crate::html::parse_html;
    use crate::target::{TargetRule, select};

    /// The body of the HTML of a page whose blocks are all kept.
    fn body(html: &str) -> String {
        let capture = Capture::parsed(
            parse_html(html),
            Record::parsed("x", Some("https://a.example/d/".into())),
        );
        let targets = select(&capture, TargetRule::Blocks);
        let decision = Decision {
            margin: 1.0,
            probability: 1.0,
            label: Label::Content,
            comments: None,
        };
        let document = prune(&capture, &targets, &vec![decision; targets.len()], vec![]);
        let written = (find("html").unwrap().write)(&document, &EmitOptions::default());
        let body = written
            .split_once("<body>\n")
            .unwrap()
            .1
            .split_once("</body>")
            .unwrap()
            .0;
        body.replace('\n', "")
    }

    const MARK: &str = "href=\"#note-1\" role=\"doc-noteref\"";
    const BACK: &str = " <a href=\"#mark-1\" role=\"doc-backlink\">\u{21a9}</a>";

    #[test]
    fn marks_lead_to_notes_and_notes_back() {
        let pandoc = "<p>One<a href=#fn1 id=r1 class=footnote-ref><sup>1</sup></a>, again<a href=#fn1 class=footnote-ref>1</a>.</p>\
            <section><ol><li id=fn1><p>So <b>it</b></p><p>is. <a href=#r1 class=footnote-back>\u{21a9}</a></p></li></ol></section>";
        assert_eq!(
            body(pandoc),
            format!(
                "<p>One<a {MARK} id=\"mark-1\"><sup>1</sup></a>, again<a {MARK}>1</a>.</p>\
                 <section><ol><li id=\"note-1\"><p>So <b>it</b></p><p>is. {BACK}</p></li></ol></section>"
            )
        );
        let unlinked = "<p>One<sup>1</sup>.</p><p><sup>1</sup> So it is.</p>";
        let expected = format!(
            "<p>One<sup><a {MARK} id=\"mark-1\">1</a></sup>.</p><p id=\"note-1\"><sup>1</sup> So it is.{BACK}</p>"
        );
        assert_eq!(body(unlinked), expected);
    }

    #[test]
    fn the_label_of_a_note_leads_back_where_it_did() {
        let word = "<p>One<a href=#f1 name=r1>[1]</a>.</p><p><a href=#r1 name=f1>[1]</a> So.<br><a name=x></a></p>";
        assert_eq!(
            body(word),
            format!(
                "<p>One<a {MARK} id=\"mark-1\">[1]</a>.</p>\
                 <p id=\"note-1\"><a href=\"#mark-1\" role=\"doc-backlink\">[1]</a> So.</p>"
            )
        );
    }

    #[test]
    fn notes_of_one_block_are_parted() {
        let html = "<p>One<a href=#n1>[1]</a>, two<a href=#n2>[2]</a>.<p><a name=n1></a>First<br><a name=n2></a>The <i>second</i>";
        let written = body(html);
        let expected = format!(
            "<p><span id=\"note-1\"></span>First{BACK}<br><span id=\"note-2\"></span>The <i>second</i>{}</p>",
            BACK.replace("mark-1", "mark-2")
        );
        assert!(written.ends_with(&expected), "{written}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let html = "<p>One<a href=#fn1 class=footnote-ref><sup>1</sup></a>.</p><ol><li id=fn1>So.</ol>\
            <p>Two<span class=sidenote>aside</span>.</p>";
        let once = body(html);
        assert_eq!(body(&once).replace("  ", " "), once);
        assert!(
            once.contains("Two<span class=\"sidenote\">aside</span>"),
            "{once}"
        );
    }
}
