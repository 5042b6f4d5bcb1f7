//! The base addresses of a page and of the documents in its frames.

use crate::capture::{Dom, NodeId, NodeKind};
use url::Url;

/// The base address of the document at `document`: of the page itself, whose address is `page`, or of a frame.
pub(super) fn document_base(dom: &Dom, document: NodeId, page: &Url) -> Url {
    // The documents around this one, the page itself last.
    let mut frames: Vec<NodeId> = dom.ancestors(document).filter(|&up| dom.kind(up) == NodeKind::Document).collect();
    frames.insert(0, document);
    let mut base = page.clone();
    for document in frames.into_iter().rev() {
        if let Some(address) = dom.parent(document).and_then(|frame| frame_address(dom, frame, &base)) {
            base = address;
        }
        base = own_base(dom, document, &base);
    }
    base
}

/// The address of the document in a frame; `None` if the document is in an attribute, or in a part without an address.
pub(super) fn frame_address(dom: &Dom, frame: NodeId, base: &Url) -> Option<Url> {
    if dom.attribute(frame, "srcdoc").is_some() {
        return None;
    }
    let address = base.join(dom.attribute(frame, "src")?.trim()).ok()?;
    (!address.cannot_be_a_base()).then_some(address)
}

/// The base address that a document declares in its first `base` element with an address, or `address`.
fn own_base(dom: &Dom, document: NodeId, address: &Url) -> Url {
    let mut inner = 0;
    dom.descendants(document)
        .filter(|&id| {
            if dom.kind(id) == NodeKind::Document {
                inner = inner.max(dom.end(id));
            }
            id.index() >= inner && dom.tag(id) == "base"
        })
        .find_map(|id| dom.attribute(id, "href"))
        .and_then(|href| address.join(href.trim()).ok())
        .filter(|url| !url.cannot_be_a_base())
        .unwrap_or_else(|| address.clone())
}
