//! The format of the CLEANEVAL gold standard (Baroni et al. 2008): one block per line, marked
//! `<p>`, `<h>` or `<l>`.

use super::blocks::{COMMENTS_HEADING, DocumentBlock, blocks_with_comments, cell_text, lines};
use super::format::EmitOptions;
use crate::document::{Document, SegmentKind};
use crate::text::collapse;

/// Writes the marked text of `document`; an empty string if it has no text.
///
/// Rows of tables and code are paragraphs, because the gold standard has no separate mark for them.
/// A line after a line break of the page has no mark.
pub(super) fn write(document: &Document, _: &EmitOptions) -> String {
    let mut out = String::new();
    let mut line = |mark: &str, text: &str| {
        out.push_str(mark);
        out.push_str(text);
        out.push('\n');
    };
    for block in blocks_with_comments(&document.segments, document) {
        match block {
            DocumentBlock::One(segment) if matches!(segment.kind, SegmentKind::Image { .. }) => {}
            DocumentBlock::One(segment) => {
                let mark = match segment.kind {
                    SegmentKind::Heading { .. } => "<h>",
                    SegmentKind::ListItem {
                        continues: false, ..
                    } => "<l>",
                    _ => "<p>",
                };
                let text = match segment.kind {
                    SegmentKind::Code { .. } => collapse(&segment.text()),
                    _ => lines(segment).join("\n"),
                };
                line(mark, &text);
            }
            DocumentBlock::CommentsHeading => line("<h>", COMMENTS_HEADING),
            DocumentBlock::Table(table) => {
                table
                    .caption
                    .iter()
                    .for_each(|segment| line("<p>", &collapse(&segment.text())));
                for row in table.rows {
                    line(
                        "<p>",
                        &row.iter().map(cell_text).collect::<Vec<_>>().join(" "),
                    );
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample;

    #[test]
    fn every_line_has_its_mark() {
        insta::assert_snapshot!(write(&sample(), &EmitOptions::default()), @r###"
<h>Tea & <coffee>
<p>One link strong and both, 2*3*4 snake_case [x] a`b.
<p>1. no list # no heading
<l>three
<l>inner
<l>four
<p>more of four
<p>quoted
<p>Name A|B
<p>Ann Lee
<p>5
<p>fn main() { ``` }
"###);
    }
}
