//! What several steps ask about a page, found once: its addresses and its blocks of code.

use crate::capture::{Capture, Dom, NodeId};
use crate::elements::Element;
use crate::target::Target;
use url::Url;

/// A page with its targets, addresses and blocks of code.
#[derive(Debug)]
pub(super) struct PageParts<'a> {
    pub(super) capture: &'a Capture,
    pub(super) dom: &'a Dom,
    pub(super) targets: &'a [Target],
    pub(super) addresses: Addresses,
    pub(super) code: CodeBlocks,
}

impl<'a> PageParts<'a> {
    pub(super) fn find(capture: &'a Capture, targets: &'a [Target]) -> Self {
        let dom = &capture.dom;
        Self { capture, dom, targets, addresses: Addresses::for_capture(capture), code: CodeBlocks::find(dom) }
    }
}

const BASE: Element = Element::known("base");

/// Longest address that is kept, in bytes; a longer one usually contains data.
const MAX_BYTES: usize = 4096;

/// Resolves the addresses of one page.
#[derive(Debug)]
pub(super) struct Addresses {
    base: Option<Url>,
}

impl Addresses {
    /// Resolves relative to the first `<base href>` of `capture`, else to its own address.
    fn for_capture(capture: &Capture) -> Self {
        let own = capture.address().and_then(|address| Url::parse(address).ok());
        let dom = &capture.dom;
        let said = dom.ids().find(|&id| dom.element(id) == BASE && dom.attribute(id, "href").is_some());
        let said = said.and_then(|id| dom.attribute(id, "href")).and_then(|href| match &own {
            Some(own) => own.join(href).ok(),
            None => Url::parse(href).ok(),
        });
        Self { base: said.filter(|url| matches!(url.scheme(), "http" | "https")).or(own) }
    }

    /// The address of `reference`. A relative one is not changed if the page's own address is unknown. Addresses that run
    /// code, contain their data or name a local file are dropped.
    pub(super) fn resolve(&self, reference: &str) -> Option<String> {
        let reference = reference.trim();
        if reference.is_empty() || reference.len() > MAX_BYTES {
            return None;
        }
        let url = match &self.base {
            Some(base) => base.join(reference).ok()?,
            None => match Url::parse(reference) {
                Ok(url) => url,
                Err(url::ParseError::RelativeUrlWithoutBase) => {
                    let plain = !reference.chars().any(|c| c.is_control() || c.is_whitespace());
                    return plain.then(|| reference.to_owned());
                }
                Err(_) => return None,
            },
        };
        matches!(url.scheme(), "http" | "https" | "ftp" | "mailto" | "tel").then(|| url.into())
    }

    /// [`Self::resolve`] for pictures.
    pub(super) fn resolve_picture(&self, reference: &str) -> Option<String> {
        self.resolve(reference).filter(|address| !address.starts_with("mailto:") && !address.starts_with("tel:"))
    }

    /// [`Self::resolve`] for addresses that must be absolute and on the web.
    pub(super) fn resolve_page(&self, reference: &str) -> Option<String> {
        self.resolve(reference).filter(|address| address.starts_with("http://") || address.starts_with("https://"))
    }
}

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
    pub(super) fn enclosing(&self, dom: &Dom, container: NodeId) -> Option<NodeId> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Record;
    use crate::html::parse_html;

    fn addresses(html: &str, url: Option<&str>) -> Addresses {
        Addresses::for_capture(&Capture::parsed(parse_html(html), Record::parsed("x", url.map(str::to_owned))))
    }

    #[test]
    fn references_are_resolved_against_the_base() {
        let page = addresses("", Some("https://a.example/dir/page"));
        assert_eq!(page.resolve("../x?q#f").as_deref(), Some("https://a.example/x?q#f"));
        assert_eq!(page.resolve("java\nscript:alert(1)"), None);
        assert_eq!(page.resolve("data:text/html,x"), None);
        assert_eq!(page.resolve("mailto:a@b.example").as_deref(), Some("mailto:a@b.example"));
        let page = addresses("<base href=/other/>", Some("https://a.example/dir/page"));
        assert_eq!(page.resolve("x").as_deref(), Some("https://a.example/other/x"));
        let page = addresses("", None);
        assert_eq!(page.resolve("x/y.html").as_deref(), Some("x/y.html"));
        assert_eq!(page.resolve("JavaScript:x()"), None);
    }
}
