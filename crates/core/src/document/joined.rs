//! Joins the documents of the parts of a text that is divided into several pages.

use super::content::{Document, Segment, SegmentKind};
use crate::capture::{Dom, DomBuilder, NodeId, NodeKind};

impl Document {
    /// Appends the document of the next part. Its metadata are dropped, but for the address of the
    /// part after it; a headline that repeats this document's is dropped too.
    pub fn append(&mut self, mut part: Self) {
        let (targets, segments) = (self.targets.len(), self.segments.len());
        let is_headline = |segment: &&Segment| matches!(segment.kind, SegmentKind::Heading { .. });
        let own = self.segments.iter().find(is_headline).map(Segment::text);
        let repeated = part
            .segments
            .first()
            .filter(is_headline)
            .is_some_and(|first| Some(first.text()) == own);
        let first = usize::from(repeated);
        for segment in &mut part.segments {
            segment.target += targets;
            // Positions are those of the first page, whose nodes have the same numbers.
            segment.spans.iter_mut().for_each(|span| span.nodes.clear());
        }
        for post in &mut part.posts {
            let moved = |at: usize| at.saturating_sub(first) + segments;
            post.segments = moved(post.segments.start)..moved(post.segments.end);
            post.parent = post.parent.map(|parent| parent + self.posts.len());
        }
        for (at, picture) in &mut part.pictures {
            *at = at.saturating_sub(first) + segments;
            picture.target += targets;
        }
        self.segments.extend(part.segments.drain(first..));
        self.posts.append(&mut part.posts);
        self.pictures.append(&mut part.pictures);
        self.targets.append(&mut part.targets);
        self.hidden.append(&mut part.hidden);
        self.doubted_blocks += part.doubted_blocks;
        self.hidden_letters += part.hidden_letters;
        self.pruned = joined(&self.pruned, &part.pruned);
        self.metadata.next = part.metadata.next;
    }
}

/// A tree with the children of two roots.
fn joined(one: &Dom, other: &Dom) -> Dom {
    let mut builder = DomBuilder::new();
    for dom in [one, other] {
        let mut ends: Vec<usize> = Vec::new();
        for id in (1..dom.len()).map(NodeId::new) {
            while ends.last().is_some_and(|&end| end <= id.index()) {
                ends.pop();
                builder.close();
            }
            match dom.kind(id) {
                NodeKind::Text(text) => {
                    builder.text(text);
                }
                NodeKind::Element { .. } => {
                    builder.open_with(dom.tag(id), dom.attributes(id).iter());
                    ends.push(dom.end(id));
                }
                NodeKind::Document => {
                    builder.open_document();
                    ends.push(dom.end(id));
                }
            }
        }
        for _ in ends {
            builder.close();
        }
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use crate::emit::{EmitOptions, find};
    use crate::pipeline::extract;

    fn part(number: usize) -> crate::document::Document {
        let text = format!(
            "Part {number} says that herring gulls drop mussels on rocks, from a height that depends on how hard the shell is."
        );
        let html = format!(
            "<title>Gulls of the coast</title><nav><a href=/>Home</a></nav><article><h1>Gulls of the coast</h1>\
             <p>{text}</p><p>{text} Again.</p></article><a href=/gulls-{}.html>next</a>",
            number + 1
        );
        let address = if number == 1 {
            "https://a.example/gulls.html".to_owned()
        } else {
            format!("https://a.example/gulls-{number}.html")
        };
        extract(&html, Some(&address)).unwrap().document
    }

    #[test]
    fn parts_are_joined_with_one_headline_in_every_format() {
        let mut whole = part(1);
        assert_eq!(
            whole.metadata.next.as_deref(),
            Some("https://a.example/gulls-2.html")
        );
        whole.append(part(2));
        assert_eq!(
            whole.metadata.next.as_deref(),
            Some("https://a.example/gulls-3.html")
        );
        assert!(
            whole
                .segments
                .iter()
                .all(|segment| segment.target < whole.targets.len())
        );
        for format in ["text", "markdown", "html", "json"] {
            let written = (find(format).unwrap().write)(&whole, &EmitOptions::default());
            assert!(
                written.contains("Part 1 says") && written.contains("Part 2 says"),
                "{written}"
            );
        }
        let text = (find("text").unwrap().write)(&whole, &EmitOptions::default());
        assert_eq!(text.matches("Gulls of the coast").count(), 1, "{text}");
    }
}
