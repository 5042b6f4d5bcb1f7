//! Plain text: one block per line, or several where the page breaks its lines; table cells are
//! separated by tabs, and code keeps its lines.

use super::blocks::{
    COMMENTS_HEADING, DocumentBlock, blocks, blocks_with_comments, cell_text, lines,
};
use super::format::EmitOptions;
use crate::document::{Document, Segment, SegmentKind};

/// Writes the text of `document`, and separate comments after an empty line and a heading; empty if
/// there is no text.
pub(super) fn write(document: &Document, _: &EmitOptions) -> String {
    write_blocks(&blocks_with_comments(&document.segments, document))
}

/// The text of some segments.
pub(super) fn plain(segments: &[Segment]) -> String {
    write_blocks(&blocks(segments))
}

fn write_blocks(blocks: &[DocumentBlock<'_>]) -> String {
    let mut out = String::new();
    for block in blocks {
        write_block(&mut out, block);
    }
    out
}

/// Appends a block to the text before it.
pub(super) fn write_block(out: &mut String, block: &DocumentBlock<'_>) {
    match block {
        DocumentBlock::One(segment) => write_line(out, segment),
        DocumentBlock::CommentsHeading => {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(COMMENTS_HEADING);
            out.push('\n');
        }
        DocumentBlock::Table(table) => {
            table
                .caption
                .iter()
                .for_each(|segment| write_line(out, segment));
            for row in &table.rows {
                out.push_str(&row.iter().map(cell_text).collect::<Vec<_>>().join("\t"));
                out.push('\n');
            }
        }
    }
}

fn write_line(out: &mut String, segment: &Segment) {
    match segment.kind {
        SegmentKind::Image { .. } => return,
        SegmentKind::Code { .. } => out.push_str(segment.text().trim_end()),
        _ => out.push_str(&lines(segment).join("\n")),
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::tests::sample;

    #[test]
    fn a_line_break_ends_a_line_except_in_a_heading() {
        let mut document = sample();
        for segment in &mut document.segments[..3] {
            segment.spans.truncate(1);
            segment.spans[0].text = "one\n  two \n\nthree".into();
        }
        document.segments.truncate(3);
        assert_eq!(
            write(&document, &EmitOptions::default()),
            "one two three\none\ntwo\nthree\none\ntwo\nthree\n"
        );
    }

    #[test]
    fn one_block_per_line() {
        insta::assert_snapshot!(write(&sample(), &EmitOptions::default()), @r###"
Tea & <coffee>
One link strong and both, 2*3*4 snake_case [x] a`b.
1. no list # no heading
three
inner
four
more of four
quoted
Name	A|B
Ann Lee
5
fn main() {

    ```
}
"###);
    }
}
