//! Blocks of code: which element is one.

use crate::capture::{Dom, NodeId};
use crate::elements::Element;

const PRE: Element = Element::known("pre");
const LISTING: Element = Element::known("listing");
const XMP: Element = Element::known("xmp");
const CODE: Element = Element::known("code");
const TABLE: Element = Element::known("table");
const TBODY: Element = Element::known("tbody");
const DIV: Element = Element::known("div");

/// Classes of elements whose lines are code although they are no `pre`: the tables of GitHub, and those of highlight.js,
/// SyntaxHighlighter and CodeMirror.
const CODE_CLASSES: &[&str] =
    &["js-file-line-container", "blob-code-content", "hljs-ln", "syntaxhighlighter", "CodeMirror-code"];

/// The blocks of code of a page: `pre` and the obsolete elements like it, `code` around blocks of lines, and what
/// highlighters make of them.
#[derive(Debug)]
pub(super) struct CodeBlocks {
    /// The outermost elements, in document order.
    blocks: Vec<NodeId>,
}

impl CodeBlocks {
    /// Finds the blocks in one pass over the tree.
    pub(super) fn find(dom: &Dom) -> Self {
        let mut blocks: Vec<NodeId> = Vec::new();
        for id in dom.ids() {
            let is_inside = blocks.last().is_some_and(|&last| dom.contains(last, id));
            if !is_inside && is_code_block(dom, id) {
                blocks.push(id);
            }
        }
        Self { blocks }
    }

    /// The block of code that the container of a target is, or is in.
    pub(super) fn around(&self, dom: &Dom, container: NodeId) -> Option<NodeId> {
        let next = self.blocks.partition_point(|&block| block <= container);
        let block = *self.blocks.get(next.checked_sub(1)?)?;
        (block == container || dom.contains(block, container)).then_some(block)
    }
}

fn is_code_block(dom: &Dom, id: NodeId) -> bool {
    match dom.element(id) {
        PRE | LISTING | XMP => true,
        // Where `code` was never closed, the rest of the page is in it.
        CODE => !dom.descendants(id).any(|below| {
            dom.element(below).is_heading() || matches!(dom.tag(below), "p" | "article" | "section" | "ul" | "img")
        }),
        TABLE | TBODY | DIV => dom
            .attribute(id, "class")
            .is_some_and(|class| class.split_ascii_whitespace().any(|name| CODE_CLASSES.contains(&name))),
        _ => false,
    }
}
